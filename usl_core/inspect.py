"""What is known at a place of a procedure. It answers from the analysis that operators ask, and changes nothing.

    from usl_core.inspect import accesses, affine, bounds, facts, prove

    prove(p.find_loop("i"), "n >= 8")      # True, False, or None where the solver could not tell

A place is a procedure (the start of its body) or a cursor (just before what it points to is executed; for an expression, before
its statement). Texts are in the names that are visible there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from usl_core.analysis import formula as fml
from usl_core.analysis.affine import Lin, const, of_atom
from usl_core.analysis.context import Context
from usl_core.analysis.effects import block_summary
from usl_core.analysis.show import show_lin
from usl_core.analysis.solver import Proved, Refuted, Unknown
from usl_core.arguments import checked
from usl_core.cursors import BlockCursor, Cursor, ExprCursor, StmtCursor
from usl_core.cursors.cursor import make_cursor
from usl_core.cursors.path import ArgLoc, BlockLoc, Dead, GapLoc, NodeLoc, Path, anchor_path, stmt_path, stmts
from usl_core.errors import UsageError
from usl_core.ir.nodes import Block, Proc
from usl_core.ir.sym import Sym
from usl_core.ir.types import is_integer_control
from usl_core.primitives.calls.rearranging import alike as code_alike
from usl_core.primitives.locate import condition
from usl_core.primitives.operators import running
from usl_core.procedure import Procedure
from usl_core.records import dataclass

Place = Procedure | Cursor

LARGEST = 1 << 31
"""How far from 0 `bounds` looks: the greatest size."""


@dataclass(frozen=True, slots=True)
class Affine:
    """constant plus the sum of terms: each the text of a variable, a quotient or an extreme, and its factor."""

    constant: int
    terms: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Access:
    """What code does ("read", "write" or "reduce") with elements of a buffer that is bound outside of it.

    index has a text for each dimension; names are the iterators in it that run through several values here. certain says that
    nothing which depends on data decides whether it happens. op is the operation of a reduction: "+", "*", "&", "|", "^",
    "min" or "max".
    """

    kind: str
    buffer: str
    index: tuple[str, ...]
    names: tuple[str, ...]
    certain: bool
    op: str = ""


@checked
def prove(place: Place, text: str) -> bool | None:
    """Whether a condition on control values holds whenever execution gets to place. None: the solver could not tell.

    Raises:
        ParseError, TypeError_: text is no condition in the names of place. UsageError: place is no place.
    """
    proc, path = _at(place, "prove")
    context = Context.at(proc.ir, path)
    with running("prove"):
        asked = condition(proc, path, text)
    match context.prove(context.truth(asked)):
        case Proved():
            return True
        case Refuted():
            return False
        case Unknown():
            return None


def facts(place: Place) -> tuple[str, ...]:
    """What is known at place of sizes, iterators and strides: assertions, ranges of loops, branches taken, `check`s passed.

    Only comparisons that have a text are given; `prove` knows the others too.
    """
    proc, path = _at(place, "facts")
    signs = {fml.Ge: ">=", fml.Eq: "=="}
    found = (each for each in Context.at(proc.ir, path).facts if isinstance(each, fml.Ge | fml.Eq))
    return tuple(f"{show_lin(each.lin)} {signs[type(each)]} 0" for each in found)


def affine(expr: ExprCursor) -> Affine | None:
    """An index expression as a sum; None if it is data. Strides and windows are resolved."""
    _, value = _value(expr, "affine")
    return None if value is None else Affine(value.const, {show_lin(of_atom(atom)): c for atom, c in value.terms.items()})


def bounds(expr: ExprCursor) -> tuple[int | None, int | None]:
    """The least and the greatest value of an index expression, as far as what is known at its place says; both are reached or
    the solver could not tell better. None: no bound up to 2^31, or expr is data."""
    context, value = _value(expr, "bounds")
    if value is None:
        return None, None
    least = _greatest(context, const(0) - value)
    return None if least is None else -least, _greatest(context, value)


def _greatest(context: Context, value: Lin) -> int | None:
    """The least c such that value <= c is proved."""
    if not context.holds(fml.ge(const(LARGEST) - value)):
        return None
    low, high = -LARGEST - 1, LARGEST  # value <= low is not proved, value <= high is
    while high - low > 1:
        middle = (low + high) // 2
        if context.holds(fml.ge(const(middle) - value)):
            high = middle
        else:
            low = middle
    return None if high == -LARGEST else high


def accesses(code: Place) -> tuple[Access, ...]:
    """What a procedure, a statement or a block does with data that is bound outside of it. Windows are followed to what they
    show, callees are entered."""
    proc, path = _at(code, "accesses")
    context = Context.at(proc.ir, path)
    found = context.scope.resolve_all(block_summary(_block(code)).accesses)
    return tuple(
        Access(
            each.kind.value,
            each.buffer.name,
            tuple(map(show_lin, each.point)),
            tuple(name.name for name in each.iters),
            each.exact,
            str(each.op),
        )
        for each in found
    )


def alike(callee: Proc, block: Block) -> bool:
    """Whether `replace` might find that block is the body of callee; a block that is not alike it refuses at once.

    Statements nest alike and have the same operations on data, in any order of the operands of sums and products.
    """
    return code_alike(callee.body, block)


def witness(proc: Proc) -> Mapping[Sym, int | bool] | None:
    """Values of control formals that meet the assertions of proc; names that do not matter are left out. None: not found."""
    match Context.of_proc(proc).prove(fml.FALSE):
        case Refuted(model=model):
            return model
        case Proved() | Unknown():
            return None


@checked
def assertions(p: Procedure) -> list[Any]:
    """The assertions of p."""
    return [make_cursor(p, NodeLoc((("preds", position),))) for position in range(len(p.ir.preds))]


# ---- places


def _at(place: Place, function: str) -> tuple[Procedure, Path]:
    """The procedure, and the path of the first statement of place."""
    if isinstance(place, Procedure):
        return place, (("body", 0),)
    if not isinstance(place, Cursor) or isinstance(place.loc, Dead | ArgLoc):
        raise UsageError(f"{function}: a procedure or a cursor to code is wanted here, got {place!r}")
    match place.loc:
        case NodeLoc(path=path):
            return place.proc(), path
        case BlockLoc():
            return place.proc(), stmt_path(place.loc, 0)
        case GapLoc():
            last = 1 if place.loc.side == "after" else 0
            *parent, (field, index) = anchor_path(place.loc)
            assert index is not None
            return place.proc(), (*parent, (field, index + last))


def _block(code: Place) -> Block:
    match code:
        case Procedure():
            return code.ir.body
        case BlockCursor(loc=BlockLoc() as loc):
            return stmts(code.owner.ir, loc)
        case StmtCursor():
            return (code.node,)
        case _:
            raise UsageError(f"accesses: a procedure, a statement or a block is wanted, got {code!r}")


def _value(expr: ExprCursor, function: str) -> tuple[Context, Lin | None]:
    """What is known at expr, and its linear form; None for data."""
    if not isinstance(expr, ExprCursor):
        raise UsageError(f"{function}: a cursor to an expression is wanted here, got {expr!r}")
    context = Context.at(expr.owner.ir, expr.path)
    return context, context.index(expr.node) if is_integer_control(expr.node.type) else None
