"""Chains of resource operations: `op; op; ...; expression` taken apart and put together."""

from __future__ import annotations

from collections.abc import Sequence

from usl_perceus.ir import Do, Expr, Op


def split_ops(expr: Expr) -> tuple[tuple[Op, ...], Expr]:
    """The operations at the start of expr, and what comes after them."""
    ops: list[Op] = []
    while isinstance(expr, Do):
        ops.append(expr.op)
        expr = expr.body
    return tuple(ops), expr


def with_ops(ops: Sequence[Op], body: Expr) -> Expr:
    """`ops; body`."""
    for op in reversed(ops):
        body = Do(op, body, span=op.span)
    return body
