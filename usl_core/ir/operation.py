"""Operations that users declare for reductions: `x @= op(e)` stores `op(x, e)`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from usl_core.ir.identity import Declaration
from usl_core.ir.sym import Sym
from usl_core.ir.types import ScalarType
from usl_core.records import dataclass

if TYPE_CHECKING:
    from usl_core.ir.nodes import Expr, Literal


@dataclass(frozen=True, slots=True, eq=False)
class Operation(Declaration):
    """A total, pure function of two values of one type, associative and commutative: `usl_core.assoc` makes one.

    body is a data expression over the scalars `formals`, and text what it says. identity is the value e with op(x, e) = x;
    idempotent says that op(x, x) = x. proved: these laws were proved (of R and floats over the reals); else they are the
    word of whoever declared it.
    """

    name: str
    type: ScalarType
    formals: tuple[Sym, Sym]
    body: Expr
    text: str
    identity: Literal | None
    idempotent: bool
    proved: bool

    def __str__(self) -> str:
        return self.name

    def declared_as(self) -> str:
        """How messages call it."""
        return f"operation {self.name}({self.type}): {self.text}"
