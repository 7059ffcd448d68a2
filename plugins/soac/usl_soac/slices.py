"""Backward slices of straight code: the statements that some names need, in their order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from usl_core.ir.sym import Sym
from usl_soac.core import Statement
from usl_soac.traverse import used_by_statement


def backward_slice(statements: Sequence[Statement], roots: Iterable[Sym]) -> list[Statement]:
    """The statements that compute roots, with what they need: tests that guard them too, but no others."""
    needed = set(roots)
    chosen = []
    for statement in reversed(statements):
        if any(param.name in needed for param in statement.pattern):
            chosen.append(statement)
            needed |= used_by_statement(statement)
    return chosen[::-1]
