"""Fields that are loaded when they are needed: a block that is the function's own keeps them meanwhile.

A variable that lives over a call takes a register that the function has to save, and so a word of stack in each activation. The
memory of a block that will be reused lives over the call in any case.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from usl_perceus.ir import Call, Con, Expr, Let, Var

if TYPE_CHECKING:
    from usl_perceus.c.frame import Frame


@dataclass(slots=True)
class Late:
    """A block, by its C name, that becomes a token when `fields` (variables, and which fields they are) have been loaded."""

    block: str
    con: Con
    token: Var
    fields: dict[Var, int]


def load_for(expr: Expr, frame: Frame) -> None:
    """What expr, which is written next, needs of the late fields: a call those among its arguments, anything else all."""
    if not frame.late:
        return
    match expr:
        case Let(value=Call() as call) | (Call() as call):
            for late in frame.late:
                _load(late, frame.free.of(call), frame)
        case _:
            for late in frame.late:
                _load(late, late.fields.keys(), frame)
                frame.declare(late.token, f"usl_token_of({late.block})")
            frame.late.clear()


def _load(late: Late, wanted: Collection[Var], frame: Frame) -> None:
    types = frame.unit.types
    for var in [var for var in late.fields if var in wanted]:
        frame.declare(var, types.load(types.constructor(late.con), late.block, late.fields.pop(var), var.type))
