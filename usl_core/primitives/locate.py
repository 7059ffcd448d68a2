"""From what a user gives (a cursor of this or an older version, or a pattern) to a location in the procedure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, Any, TypeVar

from usl_core.analysis.context import Context
from usl_core.analysis.fields_used import field_use
from usl_core.cursors.cursor import HOW_TO_KEEP, LOST_BY, BlockCursor, Cursor, ExprCursor, GapCursor, InvalidCursor, StmtCursor
from usl_core.cursors.display import head_line
from usl_core.cursors.kinds import ArgCursor
from usl_core.cursors.path import ArgLoc, BlockLoc, GapLoc, NodeLoc, Path, block_of, gap_position, get, get_stmt, stmt_list
from usl_core.errors import InvalidCursorError, ParseError, SchedulingError, TypeError_
from usl_core.frontend.fragment import env_at, parse_cond, parse_expr, parse_window
from usl_core.frontend.placement import require_place
from usl_core.frontend.scope import Binding
from usl_core.ir.config import Config
from usl_core.ir.nodes import Alloc, Arg, Expr, ExprBase, For, Read, Stmt, WindowExpr, index_literal
from usl_core.ir.printer import show_expr
from usl_core.ir.traverse import free_names
from usl_core.ir.types import BOOL, INDEX, Type
from usl_core.primitives.base import refuse, require
from usl_core.primitives.operators import operator_name
from usl_core.procedure import Procedure
from usl_core.profiling import profiled

S = TypeVar("S", bound=Stmt)

Where = Annotated[Cursor | str, "a cursor or a pattern"]
Expression = Annotated[Cursor | str | int, "an expression (text, integer or cursor)"]
Number = Annotated[Cursor | str | int | float, "an expression (text, number or cursor)"]
"""Of data, or of what its place asks for: True and False too."""


def cursor_at(proc: Procedure, where: Any) -> Cursor:
    """A living cursor of proc: where is forwarded, or its pattern found.

    Raises:
        InvalidCursorError: the code that the cursor pointed to is gone; the message says which operator removed it, and what
        is left nearest to it.
    """
    if isinstance(where, str):
        found: Cursor = proc.find(where)
        return found
    assert isinstance(where, Cursor), "the decorator of the operator has seen to it"
    cursor = proc.forward(where)
    if isinstance(cursor, InvalidCursor):
        if not cursor.reason.startswith(LOST_BY):
            raise InvalidCursorError(f"{operator_name()}: invalid cursor: {cursor.reason}")
        message = f"{operator_name()}: the code that the cursor pointed to is gone: it was {cursor.reason}"
        raise InvalidCursorError(message, notes=[*cursor.notes(), HOW_TO_KEEP])
    return cursor


def stmt_at(proc: Procedure, where: Any, kind: type[S], wanted: str) -> tuple[Path, S]:
    """The path and node of a statement of one kind; wanted names the kind in the message."""
    path, node = any_stmt_at(proc, where, wanted)
    if not isinstance(node, kind):
        found = f"{type(node).__name__}: {head_line(proc.ir, node, path)}"
        refuse(f"{wanted} is wanted here, found {found}", node.span, code="E404")
    return path, node


def any_stmt_at(proc: Procedure, where: Any, wanted: str = "a statement") -> tuple[Path, Stmt]:
    """The path and node of a statement of any kind."""
    cursor = cursor_at(proc, where)
    if isinstance(cursor, BlockCursor) and len(cursor) == 1:
        cursor = cursor[0]
    if not isinstance(cursor, StmtCursor):
        refuse(f"{wanted} is wanted here, found {type(cursor).__name__}", code="E404")
    return cursor.path, cursor.node


def loop_at(proc: Procedure, where: Any) -> tuple[Path, For]:
    """A loop: a cursor, `i`, `i #2` or a loop pattern."""
    if isinstance(where, str):
        where = proc.find_loop(where)
    return stmt_at(proc, where, For, "a loop")


def block_at(proc: Procedure, where: Any) -> BlockLoc:
    """One or more neighbouring statements: a block cursor, a statement cursor, or a pattern `s1 ; s2`."""
    cursor = cursor_at(proc, where)
    loc = cursor.loc
    if isinstance(loc, NodeLoc) and isinstance(cursor, StmtCursor):
        return block_of(loc.path)
    if not isinstance(loc, BlockLoc):
        refuse(f"a block of statements is wanted here, found {type(cursor).__name__}", code="E404")
    return loc


def gap_at(proc: Procedure, where: Any) -> GapLoc:
    """A gap, `c.before()` or `c.after()`."""
    cursor = cursor_at(proc, where)
    if not isinstance(cursor, GapCursor):
        refuse("a gap is wanted here: use c.before() or c.after()", code="E404")
    assert isinstance(cursor.loc, GapLoc)
    return cursor.loc


def expr_at(proc: Procedure, where: Any) -> tuple[Path, Expr]:
    """The path and node of an expression."""
    cursor = cursor_at(proc, where)
    if not isinstance(cursor, ExprCursor):
        refuse(f"an expression is wanted here, found {type(cursor).__name__}", code="E404")
    assert isinstance(cursor.loc, NodeLoc)
    node = get(proc.ir, cursor.loc.path)
    assert isinstance(node, ExprBase)
    return cursor.loc.path, node


def exprs_at(proc: Procedure, exprs: Any) -> dict[Path, Expr]:
    """Expressions by their paths, where one may be given or several."""
    many = exprs if isinstance(exprs, Sequence) and not isinstance(exprs, str | Cursor) else [exprs]
    require(len(many) > 0, "no expression is given")
    return dict(expr_at(proc, where) for where in many)


def alloc_at(proc: Procedure, where: Any) -> tuple[Path, Alloc]:
    """An allocation: a cursor, its name, or a pattern `x: _`."""
    if isinstance(where, str) and where.replace("_", "a").isalnum():
        where = proc.find_alloc_or_arg(where)
    return stmt_at(proc, where, Alloc, "an allocation")


def buffer_at(proc: Procedure, where: Any) -> tuple[NodeLoc | ArgLoc, Alloc | Arg]:
    """An allocation or a data formal: a cursor, its name, or a pattern `x: _`."""
    if isinstance(where, str) and where.replace("_", "a").isalnum():
        where = proc.find_alloc_or_arg(where)
    cursor = cursor_at(proc, where)
    if isinstance(cursor, ArgCursor):
        assert isinstance(cursor.loc, ArgLoc)
        return cursor.loc, proc.ir.args[cursor.loc.index]
    path, node = stmt_at(proc, cursor, Alloc, "an allocation or a formal")
    return NodeLoc(path), node


@profiled("analysis", "context")
def context_at(proc: Procedure, path: Path) -> Context:
    """What is known just before the statement at path."""
    return Context.at(proc.ir, path)


@profiled("analysis", "context")
def context_at_gap(proc: Procedure, gap: GapLoc) -> Context:
    """What is known at a gap."""
    block = stmt_list(proc.ir, gap.parent, gap.field)
    position = gap_position(gap)
    if position:
        before = (*gap.parent, (gap.field, position - 1))
        return Context.at(proc.ir, before).after(block[position - 1])
    if block:
        return Context.at(proc.ir, (*gap.parent, (gap.field, 0)))
    return Context.at(proc.ir, gap.parent).enter(get_stmt(proc.ir, gap.parent), gap.field)


def scope_at(proc: Procedure, path: Path) -> Mapping[str, Binding]:
    """The names visible just before the node at path; the innermost binding of a spelling wins."""
    return env_at(proc.ir, path)


def configurations(proc: Procedure, more: Sequence[Config] = ()) -> Mapping[str, Config]:
    """The configurations that a procedure uses, and more, by name: text in its schedule may name their fields."""
    found = {field.config.name: field.config for field in field_use(proc.ir).all}
    for config in more:
        same = found.setdefault(config.name, config) is config
        require(same, f"{proc.name()} uses another configuration called {config.name}")
    return found


T = TypeVar("T")
_NOTHING: Mapping[str, Binding] = MappingProxyType({})


def parsed(parse: Callable[[], T]) -> T:
    """The result of parsing an argument; text that is not in the language, or ill-typed, is a refusal of the operator."""
    try:
        return parse()
    except (ParseError, TypeError_) as error:
        message = f"{operator_name()}: {error.message}"
        raise SchedulingError(message, span=error.span, notes=error.notes, code=error.code) from None


def window(proc: Procedure, path: Path, text: str) -> WindowExpr | Read:
    """A window argument given as text, `x[lo:hi, pt]`."""
    return parsed(lambda: parse_window(text, scope_at(proc, path), configurations(proc)))


def buffer(proc: Procedure, path: Path, value: Any, formal: str) -> Expr:
    """A buffer or a window of one, for a formal: text, or a cursor to such an argument."""
    if isinstance(value, str):
        return window(proc, path, value)
    if not isinstance(value, ExprCursor):
        refuse(f"the buffer for {formal} is wanted as text, got {value!r}", code="E404")
    return _in_scope(proc, path, expr_at(proc, value)[1])


def expression(proc: Procedure, path: Path, value: Any, want: Type = INDEX, more: Mapping[str, Binding] = _NOTHING) -> Expr:
    """An expression argument: a string parsed in the scope at path and more, a number, or an expression cursor."""
    if isinstance(value, int):
        return index_literal(value)
    if isinstance(value, str | float):
        return parsed(lambda: parse_expr(str(value), {**scope_at(proc, path), **more}, configurations(proc), want))
    return _expr_in_scope(proc, path, value, want)


def limit(proc: Procedure, path: Path, value: Any, more: Mapping[str, Binding] = _NOTHING) -> Expr:
    """An expression argument that becomes a limit of a loop; more has names that the operator will bind there."""
    found = expression(proc, path, value, more=more)
    parsed(lambda: require_place(found, "a limit of a loop", idx=False, stride=False))
    return found


def _expr_in_scope(proc: Procedure, path: Path, value: Cursor, want: Type) -> Expr:
    """The expression that a cursor shows, to be evaluated at path, where all its names must be visible."""
    found = expr_at(proc, value)[1]
    if found.type != want:
        refuse(f"an expression of type {want} is wanted here, {show_expr(found)} has type {found.type}", found.span)
    return _in_scope(proc, path, found)


def _in_scope(proc: Procedure, path: Path, found: Expr) -> Expr:
    """found, of whose names none is hidden at path."""
    hidden = free_names(found) - {binding.sym for binding in scope_at(proc, path).values()}
    if hidden:
        names = ", ".join(sorted(name.name for name in hidden))
        refuse(f"{show_expr(found)} uses {names}, which is not in scope there", found.span, code="E416")
    return found


def condition(proc: Procedure, path: Path, value: Any, configs: Sequence[Config] = ()) -> Expr:
    """A control condition argument, which may read fields of configs too."""
    known = configurations(proc, configs)
    if isinstance(value, str):
        return parsed(lambda: parse_cond(value, scope_at(proc, path), known))
    return _expr_in_scope(proc, path, value, BOOL)
