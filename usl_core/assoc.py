"""`@assoc`: operations of a user's own for reductions, with the laws that reorderings rely on proved, or taken on his word."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from usl_core.analysis.laws import NotTranslated, counterexample
from usl_core.errors import SchedulingError, Undecided
from usl_core.frontend.operation import parse_operation
from usl_core.ir.operation import Operation
from usl_core.profiling import profiled


def assoc(
    *, identity: int | float | None = None, idempotent: bool = False, trust: bool = False
) -> Callable[[Callable[..., Any]], Operation]:
    """Decorator: a function of two values becomes an operation of reductions, `x @= op(e)`.

        @assoc(identity=0)
        def adds(a: u8, b: u8):
            return u8(min(u16(a) + u16(b), 255))

    It must be associative and commutative; identity is a value e with op(x, e) = x, from which partial results may start, and
    idempotent says that op(x, x) = x. All of this is proved, on integers for all bit patterns, on R and floats over the
    reals. What cannot be proved is refused; with trust it is taken on your word, and `assurance()` of procedures names it.
    What is refuted is refused always.

    Raises:
        ParseError, TypeError_: the function is not `def op(a: T, b: T): return e`.
        SchedulingError: a law does not hold; the message has values.
        Undecided: a law could not be proved, and trust is not given.
    """
    names = dict(sys._getframe(1).f_locals)

    def declare(fn: Callable[..., Any]) -> Operation:
        return _proved(parse_operation(fn, identity, idempotent, names), trust)

    return declare


@profiled("frontend", "laws of an operation")
def _proved(op: Operation, trust: bool) -> Operation:
    proved = True
    laws = ["commutative", "associative", *["idempotent"] * op.idempotent, *["identity"] * (op.identity is not None)]
    for law in laws:
        try:
            values = counterexample(op, law)
        except NotTranslated as reason:
            if trust:
                proved = False
                continue
            hint = "hint: trust=True takes it on your word, and assurance() of procedures that use it names it"
            raise Undecided(f"{op.name} is not proved to be {_said(op, law)}: {reason}", notes=[hint]) from None
        if values is not None:
            shown = ", ".join(f"{name} = {value}" for name, value in values.items())
            raise SchedulingError(f"{op.name} is not {_said(op, law)}", notes=[f"counter-example: {shown}"], code="E412")
    return replace(op, proved=proved)


def _said(op: Operation, law: str) -> str:
    return law if op.identity is None or law != "identity" else f"the identity on the left of {op.identity.value}"
