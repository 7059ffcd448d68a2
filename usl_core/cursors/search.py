"""All places in a procedure that match a pattern, in source order, and what to tell a user when there are none."""

from __future__ import annotations

import typing
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import islice

from usl_core.cursors import pattern_syntax as syntax
from usl_core.cursors.display import head_line, names_printed_as
from usl_core.cursors.matching import Matcher
from usl_core.cursors.path import ArgLoc, BlockLoc, Dead, GapLoc, Loc, NodeLoc, Path, anchor_path, get, get_stmt, stmt_list
from usl_core.errors import NOWHERE, PatternError
from usl_core.ir import nodes as ir
from usl_core.ir.traverse import bound, children, walk

Want = typing.Literal["stmt", "expr", "any"]
_NEAR_MISSES = 5
_MATCHES = 10
_ALIKE = 0.5
"""From this similarity of spellings (0 to 1) on a name is taken for a likely misspelling."""


@dataclass(slots=True)
class _Place:
    """A node met on the way through the code; for a statement also the rest of its block, itself first, within the scope."""

    path: Path
    node: ir.Node
    block: ir.Block = ()
    limit: int = 0

    def run(self, length: int) -> ir.Block | None:
        """This statement and those after it, length in all; None if the block ends before."""
        start = self.path[-1][1]
        assert start is not None
        return self.block[start : start + length] if start + length <= self.limit else None


def find_locs(proc: ir.Proc, scope: Loc | None, pattern: str, want: Want = "any") -> list[Loc]:
    """The places of all matches in scope (None: the body), or the one that a count picks; empty if there is none."""
    compiled = syntax.compile_pattern(pattern)
    return list(_picked(_matches(proc, scope, compiled, want), compiled))


def require_locs(proc: ir.Proc, scope: Loc | None, pattern: str, want: Want = "any") -> list[Loc]:
    """`find_locs`, at least one.

    Raises:
        PatternError: no match, or a count past the last one; the message lists code that the pattern may have meant.
    """
    compiled = syntax.compile_pattern(pattern)
    picked = list(_picked(_matches(proc, scope, compiled, want), compiled))
    if picked:
        return picked
    raise _unmatched(proc, scope, compiled, want)


def require_loc(proc: ir.Proc, scope: Loc | None, pattern: str, want: Want = "any") -> Loc:
    """The first of `require_locs`; code after it is not looked at."""
    compiled = syntax.compile_pattern(pattern)
    for loc in _picked(_matches(proc, scope, compiled, want), compiled):
        return loc
    raise _unmatched(proc, scope, compiled, want)


def _unmatched(proc: ir.Proc, scope: Loc | None, pattern: syntax.Pattern, want: Want) -> PatternError:
    matches = list(_matches(proc, scope, pattern, want))
    return _too_few(proc, pattern, matches) if matches else _no_match(proc, scope, pattern, want)


def _picked(matches: Iterator[Loc], pattern: syntax.Pattern) -> Iterator[Loc]:
    return matches if pattern.count is None else islice(matches, pattern.count, pattern.count + 1)


def _matches(proc: ir.Proc, scope: Loc | None, pattern: syntax.Pattern, want: Want) -> Iterator[Loc]:
    matcher = Matcher(proc)
    if pattern.names and want != "expr":
        loops = False
        for place in _places(proc, scope, exprs=False, binding=_spellings(pattern.names[0])):
            if isinstance(place.node, ir.StmtBase) and matcher.nest(pattern.names, place.node):
                loops = True
                yield NodeLoc(place.path)
        if loops or want == "stmt":
            return
    stmts = pattern.stmts if want != "expr" else ()
    expr = pattern.expr if want != "stmt" else None
    if isinstance(expr, syntax.CallPattern) and not _is_called(expr.name, proc):
        expr = None  # a procedure's name, most of the time: expressions need not be looked at one by one
    if not stmts and expr is None:
        return
    binding = _spellings(stmts[0].name) if _binds_name(stmts) and expr is None else None
    for place in _places(proc, scope, exprs=expr is not None, binding=binding):
        if isinstance(place.node, ir.StmtBase):
            run = place.run(len(stmts)) if stmts else None
            if run is not None and matcher.run(stmts, run):
                yield _run_loc(place.path, len(stmts))
        elif expr is not None and isinstance(place.node, ir.ExprBase) and matcher.expr(expr, place.node):
            yield NodeLoc(place.path)


def _binds_name(stmts: Sequence[syntax.StmtPattern]) -> typing.TypeGuard[Sequence[syntax.ForPattern | syntax.AllocPattern]]:
    """Whether patterns match only a statement that binds a name, or that holds another."""
    return len(stmts) == 1 and isinstance(stmts[0], syntax.ForPattern | syntax.AllocPattern)


def _spellings(name: str) -> frozenset[str] | None:
    """How names are spelt that a name in a pattern may stand for; None if that is any name."""
    return None if name == syntax.ANY else frozenset((name, *names_printed_as(name)))


def _is_called(name: str, proc: ir.Proc) -> bool:
    """Whether an expression in proc is like a call, of that name where it is not `_`."""
    for node in walk(proc):
        match node:
            case ir.ExternCall(fn=fn) if name in (syntax.ANY, fn.name):
                return True
            case ir.Cast(type=typ) if name in (syntax.ANY, str(typ)):
                return True
            case ir.StrideExpr() if name in (syntax.ANY, "stride"):
                return True
            case ir.NodeBase():
                pass
    return False


def _run_loc(path: Path, length: int) -> Loc:
    field, index = path[-1]
    assert index is not None
    return NodeLoc(path) if length == 1 else BlockLoc(path[:-1], field, index, index + length)


# ---- the code in a scope


def _places(proc: ir.Proc, scope: Loc | None, *, exprs: bool, binding: frozenset[str] | None = None) -> Iterator[_Place]:
    """Everything in scope, in source order, the scope itself included; expressions only where wanted, and of statements, if
    binding is given, only those that bind a name spelt so, or have one in them that does."""
    match scope:
        case None | NodeLoc(()):
            yield from _in_block((), "body", proc.body, 0, len(proc.body), exprs, binding)
        case BlockLoc(parent, field, lo, hi):
            yield from _in_block(parent, field, stmt_list(proc, parent, field), lo, hi, exprs, binding)
        case GapLoc():
            yield from _in_stmt(proc, anchor_path(scope), exprs, binding)
        case NodeLoc(path):
            node = get(proc, path)
            yield from _in_stmt(proc, path, exprs, binding) if isinstance(node, ir.StmtBase) else _below(path, node, exprs)
        case ArgLoc(index):
            yield from _below((("args", index),), proc.args[index], exprs)
        case Dead(reason):
            raise AssertionError(f"a search in code {reason}")


def _in_stmt(proc: ir.Proc, path: Path, exprs: bool, binding: frozenset[str] | None) -> Iterator[_Place]:
    field, index = path[-1]
    assert index is not None and isinstance(get_stmt(proc, path), ir.StmtBase)
    yield from _in_block(path[:-1], field, stmt_list(proc, path[:-1], field), index, index + 1, exprs, binding)


def _in_block(
    parent: Path, field: str, block: ir.Block, lo: int, hi: int, exprs: bool, binding: frozenset[str] | None
) -> Iterator[_Place]:
    for index in range(lo, hi):
        stmt = block[index]
        if binding is not None and not any(name.name in binding for name in bound(stmt)):
            continue
        path = (*parent, (field, index))
        yield _Place(path, stmt, block, hi)
        yield from _heads(path, stmt, exprs)
        match stmt:
            case ir.For(body=body):
                yield from _in_block(path, "body", body, 0, len(body), exprs, binding)
            case ir.If(body=body, orelse=orelse):
                yield from _in_block(path, "body", body, 0, len(body), exprs, binding)
                yield from _in_block(path, "orelse", orelse, 0, len(orelse), exprs, binding)
            case ir.SimpleStmt():
                pass


def _heads(path: Path, stmt: ir.Node, exprs: bool) -> Iterator[_Place]:
    if exprs:
        for step, child in children(stmt):
            if not isinstance(child, ir.StmtBase):
                yield from _below((*path, step), child, exprs)


def _below(path: Path, node: ir.Node, exprs: bool) -> Iterator[_Place]:
    if exprs:
        yield _Place(path, node)
        yield from _heads(path, node, exprs)


# ---- errors


def _too_few(proc: ir.Proc, pattern: syntax.Pattern, matches: list[Loc]) -> PatternError:
    times = "once" if len(matches) == 1 else f"{len(matches)} times"
    return PatternError(
        f"no match #{pattern.count} of the pattern {pattern.text!r} in {proc.name}: it matches {times}, counted from #0",
        span=proc.span,
        notes=["matches:", *match_notes(proc, matches)],
    )


def match_notes(proc: ir.Proc, matches: Sequence[Loc]) -> list[str]:
    """A line for each match, numbered as patterns count them; the first ones where there are many."""
    notes = [f"  #{count} {_note(proc, loc).lstrip()}" for count, loc in enumerate(matches[:_MATCHES])]
    more = len(matches) - len(notes)
    return [*notes, f"  and {more} more"] if more else notes


def _no_match(proc: ir.Proc, scope: Loc | None, pattern: syntax.Pattern, want: Want) -> PatternError:
    where = proc.name if scope is None else f"the given code of {proc.name}"
    notes = near_misses(proc, scope, pattern, want)
    hint = ["nearest code:", *notes] if notes else ["hint: print the procedure to see its code"]
    return PatternError(f"no match for the pattern {pattern.text!r} in {where}", span=proc.span, notes=hint)


def near_misses(proc: ir.Proc, scope: Loc | None, pattern: syntax.Pattern, want: Want) -> list[str]:
    """Up to five places that the pattern may have meant: the same kind of code, similar names first; then any similar name."""
    kinds, name = _target(pattern, want)
    scored: list[tuple[float, int, Loc]] = []
    for order, place in enumerate(_places(proc, scope, exprs=want != "stmt" and pattern.expr is not None)):
        alike = _similarity(name, place.node)
        if isinstance(place.node, kinds) or alike >= _ALIKE:
            scored.append((-alike - isinstance(place.node, kinds), order, NodeLoc(place.path)))
    scored.sort(key=lambda entry: entry[:2])
    return list(dict.fromkeys(_note(proc, loc) for _, _, loc in scored))[:_NEAR_MISSES]


def _target(pattern: syntax.Pattern, want: Want) -> tuple[tuple[type[ir.NodeBase], ...], str]:
    """The kinds of nodes that the pattern is about, and the name that it asks for (`_` if none)."""
    if pattern.names and want != "expr":
        return (ir.For,), pattern.names[0]
    match pattern.stmts[0] if pattern.stmts and want != "expr" else pattern.expr:
        case syntax.ForPattern(name=name):
            return (ir.For,), name
        case syntax.IfPattern():
            return (ir.If,), syntax.ANY
        case syntax.AllocPattern(name=name):
            return (ir.Alloc,), name
        case syntax.WritePattern(target=target):
            return (ir.Assign, ir.Reduce, ir.WindowStmt), target.name
        case syntax.ConfigWritePattern(target=target):
            return (ir.AssignConfig,), target.field
        case syntax.CallPattern(name=name):
            return (ir.Call, ir.Check, ir.ExternCall), name
        case syntax.AccessPattern(name=name):
            return (), name
        case syntax.FieldPattern(field=field):
            return (ir.ReadConfig,), field
        case syntax.BinaryPattern():
            return (ir.BinaryOp,), syntax.ANY
        case _:
            return (), syntax.ANY


def _similarity(name: str, node: ir.Node) -> float:
    if name == syntax.ANY:
        return 0.0
    return max((SequenceMatcher(None, name.lower(), other.lower()).ratio() for other in _own_names(node)), default=0.0)


def _own_names(node: ir.Node) -> Iterator[str]:
    """The names by which node itself could be asked for, as they are spelt."""
    match node:
        case ir.For(iter=sym):
            yield sym.name
        case ir.Alloc(name=sym) | ir.Assign(name=sym) | ir.Reduce(name=sym) | ir.WindowStmt(name=sym) | ir.Arg(name=sym):
            yield sym.name
        case ir.Read(name=sym) | ir.WindowExpr(name=sym):
            yield sym.name
        case ir.StrideExpr(name=sym):
            yield sym.name
            yield "stride"
        case ir.Call(proc=callee):
            yield callee.name
        case ir.ExternCall(fn=fn):
            yield fn.name
        case ir.Cast(type=typ):
            yield str(typ)
        case ir.Check():
            yield "check"
        case ir.AssignConfig(config=config, field=field) | ir.ReadConfig(config=config, field=field):
            yield config.name
            yield field
        case ir.Literal() | ir.UnaryMinus() | ir.BinaryOp() | ir.Interval() | ir.Pass() | ir.If() | ir.Proc():
            return


def _note(proc: ir.Proc, loc: Loc) -> str:
    """One line about a place: file, line, the first line of its text."""
    path = loc.path if isinstance(loc, NodeLoc) else (*loc.parent, (loc.field, loc.lo)) if isinstance(loc, BlockLoc) else ()
    node = get(proc, path)
    place = "" if node.span is NOWHERE else f"{node.span.file}:{node.span.line}: "
    return f"  {place}{head_line(proc, node, path)}"
