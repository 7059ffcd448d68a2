"""Assertions on bounds, and copies of a func for conditions, as rewrites of target programs (halide.md §8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from usl_halide_lib.lang.errors import refuse
from usl_halide_lib.lang.nodes import Const, Hole, Node, Op, number
from usl_halide_lib.lang.query import family_of
from usl_halide_lib.lang.target import (
    Assert,
    Assign,
    For,
    If,
    Label,
    Let,
    Stmt,
    Target,
    cpu,
    mapped,
    sequence,
    statements,
    with_expressions,
    with_keys,
)
from usl_halide_lib.lang.types import BOOL, I32
from usl_halide_lib.lang.valid import is_startup


def bound(target: Target, func: str, dim: int, low: Node | None, length: Node) -> Target:
    """Assert where a func's compute bounds begin (if low is given) and how long they are. The engine
    widens to it, but not those of an output, whose window is given.

    Raises:
        AlgorithmError: E777, an expression of more than numbers and parameters, or no such func or dimension.
    """
    _check(target, f"{func}.bound", func, dim, [each for each in (low, length) if each is not None])
    first, count = cpu(func, dim, None)
    tests = [Op("eq", (count, length), BOOL)]
    if low is not None:
        tests.insert(0, Op("eq", (first, low), BOOL))
    return _asserted(target, func, tests)


def align_bounds(target: Target, func: str, dim: int, modulus: int, remainder: Node) -> Target:
    """Assert that a func's compute bounds begin at a remainder of a modulus and that it divides their length.

    The engine widens to it, but not those of an output, whose window is given.

    Raises:
        AlgorithmError: as `bound`.
    """
    _check(target, f"{func}.align_bounds", func, dim, [remainder])
    if modulus < 1:
        raise refuse(f"{func}.align_bounds: the modulus must be positive, not {modulus}", code="E777")
    k, (first, count) = number(modulus), cpu(func, dim, None)
    if isinstance(remainder, Const):
        remainder = number(int(remainder.value) % modulus)
    starts = Op("eq", (Op("mod", (first, k), I32), remainder), BOOL)
    return _asserted(target, func, [starts, Op("eq", (Op("mod", (count, k), I32), number(0)), BOOL)])


def _check(target: Target, what: str, func: str, dim: int, given: Sequence[Node]) -> None:
    if all(each.name != func for each in target.algorithm.funcs):
        raise refuse(f"{what}: there is no func {func}", code="E777")
    if not 0 <= dim < len(target.algorithm.func(func).args):
        raise refuse(f"{what}: {func} has no dimension {dim}", code="E777")
    if not all(map(is_startup, given)):
        raise refuse(f"{what}: the bounds may only consist of numbers and parameters", code="E777")


def _asserted(target: Target, func: str, conditions: Sequence[Node]) -> Target:
    tests = tuple(map(Assert, conditions))

    def change(stmt: Stmt) -> Stmt:
        if isinstance(stmt, Label) and stmt.func == func and stmt.stage is None:
            return replace(stmt, body=sequence((*tests, stmt.body)))
        return stmt

    return replace(target, body=mapped(target.body, change))


def specialize(target: Target, func: str, conditions: Sequence[Node]) -> Target:
    """A copy of a func's loops for each condition, the first that holds is taken; the last copy, 0, is for none.

    Raises:
        AlgorithmError: E777, a condition of more than numbers and parameters; E778, a second specialisation.
    """
    if not all(map(is_startup, conditions)):
        raise refuse(f"{func}.specialize: a condition may only consist of numbers and parameters", code="E777")

    def change(stmt: Stmt) -> Stmt:
        if not (isinstance(stmt, Label) and stmt.func == func and stmt.stage is None):
            return stmt
        if any(isinstance(each, Assign) and each.func == func and each.spec is not None for each in statements(stmt)):
            raise refuse(f"{func}.specialize: {func} is specialised already", code="E778")
        chain = _copy(target, stmt.body, func, 0)
        for place in reversed(range(len(conditions))):
            chain = If(conditions[place], _copy(target, stmt.body, func, place + 1), chain)
        return replace(stmt, body=chain)

    return replace(target, body=mapped(target.body, change))


def _copy(target: Target, stmt: Stmt, func: str, spec: int) -> Stmt:
    """The statement for a specialisation: its loops and the compute holes of all stages but the last are its own."""
    keys = {str(s.key): replace(s.key, spec=spec) for s in statements(stmt) if isinstance(s, For | Let) and s.key.func == func}

    def own_hole(node: Node) -> Node | None:
        if isinstance(node, Hole) and node.kind == "cpu" and node.func == func:
            return replace(node, spec=family_of(target, func, node.stage, spec).spec)
        return None

    def own(each: Stmt) -> Stmt:
        return replace(each, spec=spec) if isinstance(each, Assign) and each.func == func else each

    return mapped(with_expressions(with_keys(stmt, keys), own_hole), own)
