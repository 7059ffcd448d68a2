"""`bound` and `align_bounds` in compiled code: how many places a schedule says that there are, tested before anything runs.

A local func has as many as `bound` says, and what is needed of it has to be among them; those of an output are the window.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from usl_halide_lib.directives import Directive
from usl_halide_lib.lang.expr import Expr, operand
from usl_halide_lib.lang.inference import Bounds
from usl_halide_lib.lang.linear import Lin, number_of, variable
from usl_halide_lib.lang.nodes import Algorithm, Node
from usl_halide_lib.lang.query import Family
from usl_halide_lib.lang.restrictions import align_bounds, bound
from usl_halide_lib.lang.target import Target, window
from usl_halide_lib.lang.types import I32
from usl_halide_lib.lang.valid import is_startup

NAMES = ("bound", "align_bounds")


@dataclass(frozen=True, slots=True)
class Limit:
    """What one directive says of a dimension: the first place and the number of them, or rests by a modulus."""

    directive: Directive
    dim: int
    is_output: bool
    low: Node | None = None
    length: Node | None = None
    modulus: int = 1
    remainder: Node | None = None

    def slack(self, bounds: Bounds) -> Iterator[Lin]:
        """Forms that are not negative where a local func has the places that are needed of it."""
        box = bounds.boxes.get(Family("cpu", self.directive.func))
        if self.is_output or box is None or self.length is None:
            return
        low, high = box[self.dim]
        first = low if self.low is None else bounds.startup(self.low)
        if self.low is not None:
            yield low - first
        yield first + bounds.startup(self.length) - 1 - high

    def tests(self, bounds: Bounds) -> Iterator[tuple[str, Lin, int]]:
        """Forms with what they have to be: "at least" a number, or of such a rest by a "modulus"."""
        for held in self.slack(bounds):
            yield "least", held, 0
        if not self.is_output:
            return
        low, length = (variable(each.name) for each in window(self.directive.func, self.dim))
        for given, wanted in ((low, self.low), (length, self.length)):
            if wanted is not None:
                yield "least", given - bounds.startup(wanted), 0
                yield "least", bounds.startup(wanted) - given, 0
        if self.remainder is not None:
            yield "modulus", low - bounds.startup(self.remainder), self.modulus
            yield "modulus", length, self.modulus


def limits_of(algorithm: Algorithm, directives: Iterable[Directive]) -> tuple[Limit, ...]:
    """The limits that directives set.

    Raises:
        DirectiveError: E777, no such dimension, or an expression of more than numbers and parameters.
    """
    return tuple(_limit(algorithm, each) for each in directives if each.name in NAMES)


def _limit(algorithm: Algorithm, directive: Directive) -> Limit:
    func = next((each for each in algorithm.funcs if each.name == directive.func), None)
    if func is None:
        raise directive.refuse(f"{directive.func} has no loops and no storage", "E771")
    name, first, second = directive.args
    if name not in func.args:
        raise directive.refuse(f"{func.name} has no variable {name}; it has {', '.join(func.args) or 'none'}", "E777")
    dim, is_output = func.args.index(name), func.name in algorithm.outputs
    if directive.name == "bound":
        low = None if first is None else _startup(directive, first)
        return Limit(directive, dim, is_output, low, _startup(directive, second))
    if not isinstance(first, int) or first < 1:
        raise directive.refuse(f"the modulus must be a positive number, not {first}", "E777")
    rest = second % first if isinstance(second, int) else second
    return Limit(directive, dim, is_output, modulus=first, remainder=_startup(directive, rest))


def _startup(directive: Directive, value: Any) -> Node:
    node = operand(value, I32) if isinstance(value, int | Expr) else None
    if node is None or not is_startup(node) or node.type != I32:
        raise directive.refuse(f"{value} is no number, nor one of Int(32) parameters", "E777")
    return node


def limited(target: Target, limits: Iterable[Limit]) -> Target:
    """The lowered program with the assertions on local funcs."""
    for each in limits:
        if each.is_output:
            continue
        if each.length is not None:
            target = bound(target, each.directive.func, each.dim, each.low, each.length)
        if each.remainder is not None:
            target = align_bounds(target, each.directive.func, each.dim, each.modulus, each.remainder)
    return target


def on_extents(directive: Directive, algorithm: Algorithm) -> Directive | None:
    """What is left of such a directive for the procedure: the extents of outputs, which are formals there."""
    if directive.name not in NAMES:
        return directive
    name, first, second = directive.args
    if directive.func not in algorithm.outputs or isinstance(second, Expr):
        return None
    return replace(directive, args=(name, None, second) if directive.name == "bound" else (name, first, 0))


def check_limits(limits: Sequence[Limit], bounds: Bounds, env: Mapping[str, Any]) -> None:
    """Refuse a run that breaks a limit.

    Raises:
        DirectiveError: E775, at the directive.
    """
    for each in limits:
        for kind, form, modulus in each.tests(bounds):
            value = number_of(form, env)
            if value < 0 if kind == "least" else value % modulus:
                low, count = _places(each, bounds, env)
                raise each.directive.refuse(
                    f"the places {low}:{low + count} are needed of {each.directive.func} in dimension {each.dim}",
                    "E775",
                    ["hint: another window, or no such directive"],
                )


def _places(limit: Limit, bounds: Bounds, env: Mapping[str, Any]) -> tuple[int, int]:
    if limit.is_output:
        low, length = window(limit.directive.func, limit.dim)
        return int(env[low.name]), int(env[length.name])
    first, last = (number_of(end, env) for end in bounds.boxes[Family("cpu", limit.directive.func)][limit.dim])
    return first, last - first + 1


__all__ = ["Limit", "check_limits", "limited", "limits_of", "on_extents"]
