"""Whether operators of reduce, scan and reduce_by_index are associative, and their neutral elements neutral: random trials.

That is the user's promise, which nothing proves; here it may be refuted. Arithmetic is exact, so that rounding refutes nothing.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from usl_core.errors import Span
from usl_soac import core, failures
from usl_soac.core import Atom, Const, Lambda, Param, Program, Type
from usl_soac.errors import SoacError
from usl_soac.interp import Env, Interpreter, OutOfFuel, dtype_of
from usl_soac.scalars import BOOL, I64
from usl_soac.traverse import binders, used_by_body, walk

REFUTED = "E767"
TRIALS = 60
FUEL = 10_000

Values = tuple[Any, ...]
FAILED: tuple[type[Exception], ...] = (*failures.EXCEPTIONS.values(), OutOfFuel)


def check_operators(program: Program, seed: int = 0) -> int:
    """Tries the operators of a program that use no arrays from around them; how many these are.

    Raises:
        SoacError: for some values one is not associative (or not commutative, where that is stated), or an element not neutral.
    """
    count = 0
    for function in program.functions:
        types = {param.name: param.type for param in binders(function)}
        for statement in walk(function.body):
            for op, neutral, commutative in _operators(statement.value):
                free = used_by_body(op.body) - {each.name for each in op.params}
                outer = [Param(sym, types.get(sym, Type(I64))) for sym in free]
                if not any(param.type.rank for param in outer):
                    _Trial(program, op, outer, statement.span, random.Random(seed)).run(neutral, commutative)
                    count += 1
    return count


def _operators(expr: core.Expr) -> Iterator[tuple[Lambda, Sequence[Atom], bool]]:
    match expr:
        case core.Reduce(op=op, neutral=neutral, commutative=commutative):
            yield op, neutral, commutative
        case core.Scan(op=op, neutral=neutral) | core.Hist(op=op, neutral=neutral):
            yield op, neutral, False
        case _:
            pass


class _Trial:
    """One operator, applied to random values; what it uses from around it is random too, but stays the same."""

    def __init__(self, program: Program, op: Lambda, outer: Sequence[Param], span: Span, rng: random.Random) -> None:
        self.op = op
        self.outer = outer
        self.sizes = [rng.randrange(1, 4) for _ in range(8)]
        self.span = span
        self.rng = rng
        self.interpreter = Interpreter(program, exact=True, fuel=FUEL * TRIALS * 6)
        self.half = len(op.params) // 2

    def run(self, neutral: Sequence[Atom], commutative: bool) -> None:
        """Raises what is refuted."""
        known = [atom for atom in neutral if isinstance(atom, Const)]
        for _ in range(TRIALS):
            try:
                outer: Env = {param.name: self.scalar(param) for param in self.outer}
                a, b, c = (self.values() for _ in range(3))
                left = self.apply(self.apply(a, b, outer), c, outer)
                right = self.apply(a, self.apply(b, c, outer), outer)
                if not _same(left, right):
                    values = f"a = {_shown(a)}, b = {_shown(b)}, c = {_shown(c)}"
                    found = f"(a op b) op c = {_shown(left)}, a op (b op c) = {_shown(right)}"
                    self.refuse("is not associative", [values, found])
                if commutative and not _same(self.apply(a, b, outer), self.apply(b, a, outer)):
                    found = f"a op b = {_shown(self.apply(a, b, outer))}, b op a = {_shown(self.apply(b, a, outer))}"
                    self.refuse("is not commutative", [f"a = {_shown(a)}, b = {_shown(b)}", found])
                if len(known) == len(neutral):
                    start = tuple(self.interpreter.atom(atom, {}) for atom in known)
                    for first, second, text in ((start, a, "ne op a"), (a, start, "a op ne")):
                        result = self.apply(first, second, outer)
                        if not _same(result, a):
                            note = f"ne = {_shown(start)}, a = {_shown(a)}, {text} = {_shown(result)}"
                            self.refuse("has another neutral element", [note])
            except FAILED as error:
                if not (isinstance(error, OutOfFuel) or failures.is_failure(error)):
                    raise
                continue  # it is not for these values

    def values(self) -> Values:
        """A random element."""
        return tuple(self.value(param) for param in self.op.params[: self.half])

    def value(self, param: Param) -> Any:
        """A random value of a parameter; parameters of one rank have one shape."""
        if param.type.rank:
            shape = tuple(self.sizes[: param.type.rank])
            made = np.empty(int(np.prod(shape)), dtype_of(param.type.scalar, True))
            for i in range(made.size):
                made[i] = self.scalar(param)
            return made.reshape(shape)
        return self.scalar(param)

    def scalar(self, param: Param) -> Any:
        scalar = param.type.scalar
        if scalar is BOOL:
            return self.rng.random() < 0.5
        number = self.rng.randint(0 if scalar.is_int and not scalar.signed else -9, 9)
        return Fraction(number, self.rng.randint(1, 4)) if scalar.is_real else number

    def apply(self, a: Values, b: Values, outer: Env) -> Values:
        """`a op b`"""
        return self.interpreter.apply(self.op, [*a, *b], dict(outer))

    def refuse(self, what: str, notes: Sequence[str]) -> None:
        """Raises what was found."""
        raise SoacError(f"the operator {what}", span=self.span, notes=tuple(notes), code=REFUTED)


def _same(a: Values, b: Values) -> bool:
    return all(
        x.shape == y.shape and bool((x == y).all()) if isinstance(x, np.ndarray) else x == y for x, y in zip(a, b, strict=True)
    )


def _shown(values: Values) -> str:
    texts = [str(value.tolist() if isinstance(value, np.ndarray) else value) for value in values]
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"
