"""Edits below statements: replacing expressions one by one or by a rule, changing what is not a child, and formals.

Statements keep their places. A location inside a replaced expression follows its subexpression where that very object, or
one that is the same up to position at the same step, stands in the replacement; otherwise it dies. So `x[i]` rewritten to
`x[io, i]` keeps cursors to `i`, and an expression bound away takes the cursors to its insides with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from usl_core.cursors.edits import Edited
from usl_core.cursors.forward import ByPaths, compose, identity
from usl_core.cursors.path import ArgLoc, BlockLoc, Dead, Loc, NodeLoc, Path, child, get, rebuild, stmt_path, stmts
from usl_core.ir.nodes import Arg, Expr, ExprBase, Interval, Node, Proc, StmtBase
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import Step, child_fields, children, inner_stmts, map_children, mentioned, same, update
from usl_core.records import dataclass

Rule = Callable[[Node], Node | None]


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """What a rewrite did at one node and below: traces of changed children, and the replacement of the rebuilt node, if any."""

    below: Mapping[Step, Trace]
    rebuilt: Node
    replaced: Node | None = None

    def follow(self, step: Step) -> Path | None:
        """Where the child at step is, as a path from this node's new version; None if it is gone."""
        if self.replaced is None or step[0] in ("body", "orelse"):
            return (step,)
        return _find_child(self.rebuilt, self.replaced, step)

    def __reduce__(self) -> Any:
        """What is kept is where each child went, and none of the nodes."""
        gone = self.replaced is not None
        return _Followed, (dict(self.below), {step: self.follow(step) for step, _ in children(self.rebuilt)} if gone else None)


@dataclass(frozen=True, slots=True, eq=False)
class _Followed:
    """A trace that was kept: where each child went, or None where all are at their steps."""

    below: Mapping[Step, Trace | _Followed]
    places: Mapping[Step, Path | None] | None

    def follow(self, step: Step) -> Path | None:
        """As of a trace."""
        return (step,) if self.places is None or step[0] in ("body", "orelse") else self.places.get(step)


def _find_child(old: Node, new: Node, step: Step) -> Path | None:
    """The path in new to old's child at step: the same step if the same child is there, else wherever the object occurs."""
    try:
        wanted = child(old, step)
    except LookupError:
        return None
    try:
        candidate: Node | None = child(new, step)
    except LookupError:
        candidate = None
    if candidate is wanted:
        return (step,)
    found = _occurrence(new, wanted)
    if found is not None:
        return found
    alike = candidate is not None and type(old) is type(new) and same(wanted, candidate)
    return (step,) if alike else None


def _occurrence(node: Node, wanted: Node) -> Path | None:
    """The path to the first occurrence of the object wanted, not entering statements' bodies."""
    if node is wanted:
        return ()
    for step, inner in children(node):
        if not isinstance(inner, StmtBase):
            found = _occurrence(inner, wanted)
            if found is not None:
                return (step, *found)
    return None


class Rewritten(ByPaths):
    """The forwarding of rewrites below some paths, given by their traces."""

    __slots__ = ("_traces", "by")

    def __init__(self, traces: Mapping[Path, Trace | _Followed], by: str) -> None:
        self._traces, self.by = traces, by

    def block(self, block: BlockLoc) -> Loc:
        """Where a block is afterwards."""
        return block  # statements keep their places

    def path(self, path: Path) -> Path | Dead:
        """Where a node is afterwards, or why it is gone."""
        for depth in range(len(path)):
            trace = self._traces.get(path[:depth])
            if trace is not None:  # no trace lies below another, so the first is the only one
                return self._below(path[:depth], trace, path[depth:])
        return path

    def _below(self, prefix: Path, trace: Trace | _Followed, rest: Path) -> Path | Dead:
        current: Trace | _Followed | None = trace
        for position, step in enumerate(rest):
            if current is None:
                return (*prefix, *rest[position:])
            moved = current.follow(step)
            if moved is None:
                return Dead(f"replaced by {self.by}")
            prefix = (*prefix, *moved)
            current = current.below.get(step)
        return prefix


def rewrite_exprs(
    proc: Proc,
    scope: Path | NodeLoc | BlockLoc,
    rule: Rule,
    *,
    names: frozenset[Sym] | None = None,
    by: str = "rewrite_exprs",
) -> Edited:
    """proc with rule applied bottom-up to every expression and statement head under scope (and to scope itself), in one pass.

    rule sees a node whose children are already rewritten and returns its replacement, or None to leave it. A statement may be
    replaced by a statement that has the same bodies (its target, indices, iterator may differ). What mentions none of names,
    if they are given, is not looked at.
    """
    traces: dict[Path, Trace] = {}
    changes: dict[Path, Callable[[Any], Node]] = {}
    for root, old in _nodes_at(proc, scope):
        new, trace = _rewrite(old, rule, names)
        if trace is not None:
            traces[root] = trace
            changes[root] = _always(new)
    return (rebuild(proc, changes), Rewritten(traces, by)) if changes else (proc, identity)


def _nodes_at(proc: Proc, scope: Path | NodeLoc | BlockLoc) -> Iterator[tuple[Path, Node]]:
    """The nodes that a location stands for, each with its path."""
    if isinstance(scope, BlockLoc):  # of long blocks most is soon found to mention nothing that counts
        yield from ((stmt_path(scope, offset), stmt) for offset, stmt in enumerate(stmts(proc, scope)))
    else:
        root = scope.path if isinstance(scope, NodeLoc) else scope
        yield root, get(proc, root)


def _always(node: Node) -> Callable[[Any], Node]:
    return lambda _: node


def _rewrite(old: Node, rule: Rule, names: frozenset[Sym] | None) -> tuple[Node, Trace | None]:
    """old rewritten, and its trace; the same object and None where nothing changed."""
    if names is not None and names.isdisjoint(mentioned(old)):
        return old, None
    steps = [step for step, _ in children(old)]
    below: dict[Step, Trace] = {}
    visited = 0

    def visit(node: Node) -> Node:
        # map_children visits children in order; what it visits after them are extents in a type, which have no location.
        nonlocal visited
        new, trace = _rewrite(node, rule, names)
        if trace is not None and visited < len(steps):
            below[steps[visited]] = trace
        visited += 1
        return new

    rebuilt = map_children(old, visit)
    replaced = rule(rebuilt)
    if replaced is None or replaced is rebuilt:
        return rebuilt, (None if rebuilt is old else Trace(below, rebuilt))
    _assert_same_place(rebuilt, replaced)
    return replaced, Trace(below, rebuilt, replaced)


def _assert_same_place(old: Node, new: Node) -> None:
    """A rule may not change a statement into an expression, nor which statements are inside it."""
    match old:
        case StmtBase():
            assert isinstance(new, StmtBase), "a rule must turn statements into statements"
            assert inner_stmts(old) == inner_stmts(new), "a rule must leave the statements inside a statement alone"
        case ExprBase() | Interval():
            assert isinstance(new, ExprBase | Interval), "a rule must turn expressions into expressions"
        case Arg() | Proc():
            assert type(new) is type(old), f"a rule must not replace a {type(old).__name__}"


def replace_expr(proc: Proc, path: Path, new: Expr, *, by: str = "replace_expr") -> Edited:
    """proc with one expression replaced; a location of the expression forwards to the new one."""
    return replace_exprs(proc, {path: new}, by=by)


def replace_exprs(proc: Proc, new: Mapping[Path, Expr], *, by: str = "replace_expr") -> Edited:
    """proc with several expressions replaced in one pass, none inside another."""
    traces: dict[Path, Trace] = {}
    for path, expr in new.items():
        old = get(proc, path)
        assert isinstance(old, ExprBase), f"replace_expr: {path} leads to a {type(old).__name__}"
        traces[path] = Trace({}, old, expr)
    return rebuild(proc, {path: _always(expr) for path, expr in new.items()}), Rewritten(traces, by)


def update_at(proc: Proc, path: Path, /, *, by: str = "update", **fields: Any) -> Edited:
    """proc with fields of one node changed that hold no children (an iterator, a mode, a memory, a type).

    No location dies, except to extents that a changed type no longer has.
    """
    old = get(proc, path)
    wrong = {name for name, _ in child_fields(old)} & fields.keys()
    assert not wrong, f"update: {wrong} hold children; use replace_expr or the edits on statements"
    new = update(old, **fields)
    forward = Rewritten({path: Trace({}, old, new)}, by) if isinstance(old, Arg) or "type" in fields else identity
    return rebuild(proc, {path: _always(new)}), forward


# ---- formals and assertions


class _Formals:
    """The forwarding of a change of formals or assertions: by position, old to new (None: gone)."""

    __slots__ = ("by", "field", "places")

    def __init__(self, field: str, places: Sequence[int | None], by: str) -> None:
        self.field, self.places, self.by = field, places, by

    def __call__(self, loc: Loc) -> Loc:
        match loc:
            case ArgLoc(index) if self.field == "args":
                new = self.places[index]
                return Dead(f"removed by {self.by}") if new is None else ArgLoc(new)
            case NodeLoc(path) if path and path[0][0] == self.field:
                index_ = path[0][1]
                assert index_ is not None
                new = self.places[index_]
                return Dead(f"removed by {self.by}") if new is None else NodeLoc(((self.field, new), *path[1:]))
            case _:
                return loc


def set_args(proc: Proc, args: tuple[Arg, ...], *, by: str = "set_args") -> Edited:
    """proc with other formals; a formal's location follows its name, and dies with it."""
    places = {arg.name: index for index, arg in enumerate(args)}
    moved = _Formals("args", [places.get(arg.name) for arg in proc.args], by)
    traces: dict[Path, Trace] = {}
    for old in proc.args:
        index = places.get(old.name)
        if index is not None and args[index] is not old:
            traces[(("args", index),)] = Trace({}, old, args[index])
    return update(proc, args=args), compose(moved, Rewritten(traces, by))


def set_preds(proc: Proc, preds: tuple[Expr, ...], *, by: str = "set_preds") -> Edited:
    """proc with other assertions; a location in one follows it where it, or an equal one, is still there."""

    def place(old: Expr) -> int | None:
        return next((index for index, new in enumerate(preds) if new is old or same(old, new)), None)

    return update(proc, preds=preds), _Formals("preds", [place(pred) for pred in proc.preds], by)
