"""`Edit`: how a primitive changes a procedure. It composes atomic edits, and with them the forwarding.

Steps take locations in the *original* tree, where the primitive looked and checked; each is forwarded through the steps so far
before it is applied. Code that an earlier step made has no original location: it is addressed in the current tree by
wrapping the location in `Now`, usually found from a forwarded one:

    edit = Edit.of(proc, operator="add_loop").wrap(block, lambda body: For(i, zero, hi, body))
    edit = edit.update(Now(NodeLoc(edit.path(first_stmt)[:-1])), mode=LoopMode.PAR)

An Edit is immutable: each step returns a new one. Independent edits belong into one `splice_many` or `rewrite_exprs`, which
rebuild the tree once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import accumulate
from typing import Any

from usl_core.cursors import edits, rewriting
from usl_core.cursors.forward import Forward, Lineage, compose
from usl_core.cursors.path import (
    ArgLoc,
    BlockLoc,
    Dead,
    GapLoc,
    Loc,
    NodeLoc,
    Path,
    after,
    before,
    block_of,
    exists,
    gap_at,
    get,
    starts_with,
    stmt_path,
    stmts,
)
from usl_core.ir.config import FieldSym
from usl_core.ir.nodes import Arg, Block, Expr, Node, Proc, Read, Stmt
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import child_fields, children, get_field, update
from usl_core.records import dataclass


@dataclass(frozen=True, slots=True)
class Now:
    """A location in the current tree of an Edit, rather than in the original one."""

    loc: Loc


Where = Loc | Now


@dataclass(frozen=True, slots=True)
class _Redirect:
    """An exception to forwarding: what was at `origin` is at `to` in the tree of version `since`."""

    origin: Loc
    to: Loc
    since: Lineage
    tree: Proc | frozenset[Path]
    """The tree of that version, or the paths in it at `to` and below."""
    inside: bool


@dataclass(frozen=True, slots=True, eq=False)
class Edit:
    """The original procedure, the current one, and the steps between."""

    origin: Proc
    proc: Proc
    operator: str
    _start: Lineage
    _now: Lineage
    _redirects: tuple[_Redirect, ...] = ()
    polluted: frozenset[FieldSym] = frozenset()
    """The configuration fields that may hold something else at the end."""
    fixed: frozenset[tuple[Sym, int | bool]] = frozenset()
    """The formals that are gone since they have one value."""
    refines: bool = False
    """Whether the result may have a value where the input has none."""

    @staticmethod
    def of(proc: Proc, operator: str = "an edit") -> Edit:
        """No steps yet. operator is named by whatever dies: "removed by fission"."""
        start = Lineage()
        return Edit(proc, proc, operator, start, start)

    def modulo(self, fields: Iterable[FieldSym]) -> Edit:
        """This edit, whose result leaves fields other than its input does: equivalent modulo these."""
        return replace(self, polluted=self.polluted | frozenset(fields))

    def fixing(self, values: Mapping[Sym, int | bool]) -> Edit:
        """This edit, whose result is its input with formals replaced by values and otherwise of the same interface."""
        return replace(self, fixed=self.fixed | frozenset(values.items()))

    # ---- forwarding

    @property
    def forward(self) -> Forward:
        """The composed forwarding, from the original tree to the current one."""
        return self.where if self._redirects else compose(*self._now.steps_since(self._start))

    def where(self, loc: Loc) -> Loc:
        """Where a location of the original tree is now; Dead if it is gone."""
        redirected = [r for r in self._redirects if r.origin == loc or (r.inside and _covers(r.origin, loc))]
        if redirected:
            nearest = max(redirected, key=lambda r: (r.origin == loc, len(_root(r.origin))))
            moved = _transfer(nearest, loc)
            lost = Dead(f"removed by {self.operator}")
            return lost if moved is None else self._now.forward_from(nearest.since, moved)
        found = self._now.forward_from(self._start, loc)
        if isinstance(found, Dead) and isinstance(loc, BlockLoc) and loc.hi - loc.lo == 1 and self._redirects:
            stmt = self.where(NodeLoc(stmt_path(loc, 0)))  # what is left of a block of one statement is what it became
            return block_of(stmt.path) if isinstance(stmt, NodeLoc) else found
        return found

    def path(self, where: Where) -> Path:
        """The current path of a statement or expression, which must be alive."""
        return edits.loc_path(self._resolve(where))

    def node(self, where: Where) -> Node:
        """The current node at a location."""
        return get(self.proc, self.path(where))

    def stmts(self, where: Where) -> Block:
        """The current statements of a block."""
        return stmts(self.proc, self._block(where))

    def redirect(self, loc: Loc, to: Where, *, inside: bool = True) -> Edit:
        """Forward one original location, and what is inside it at the same relative path, to `to` instead.

        What is inside loc and has no counterpart inside `to` dies; with inside=False it is left alone. Later redirections of
        the same location win. Steps are not redirected: they address the code itself.
        """
        entry = _Redirect(loc, self._resolve(to), self._now, self.proc, inside)
        others = tuple(r for r in self._redirects if r.origin != loc)
        return replace(self, _redirects=(*others, entry))

    # ---- statements

    def insert(self, gap: Where, new: Block, *, joins: bool = False) -> Edit:
        """New statements in a gap. joins: the statement before it became these too, so that a block that holds it grows."""
        return self._step(edits.insert(self.proc, self._gap(gap), new, joins=joins, by=self.operator))

    def delete(self, block: Where) -> Edit:
        """A block or statement less (`pass` keeps a body from becoming empty)."""
        return self._step(edits.delete(self.proc, self._block(block), by=self.operator))

    def replace(self, block: Where, new: Block) -> Edit:
        """Other statements in place of a block or statement."""
        return self._step(edits.replace(self.proc, self._block(block), new, by=self.operator))

    def move(self, block: Where, gap: Where, *, joins: bool = False) -> Edit:
        """A block or statement moved to a gap outside it. joins: as for `insert`."""
        return self._step(edits.move(self.proc, self._block(block), self._gap(gap), joins=joins, by=self.operator))

    def wrap(self, block: Where, make: Callable[[Block], Stmt], field: str = "body") -> Edit:
        """A block or statement put into the For or If that make returns for it."""
        return self._step(edits.wrap(self.proc, self._block(block), make, field, by=self.operator))

    def splice_many(self, steps: Iterable[tuple[Where, Block]]) -> Edit:
        """Many independent insertions (at gaps) and replacements (of blocks or statements; by nothing to delete) at once."""
        resolved: list[tuple[BlockLoc | GapLoc, Block]] = []
        for where, new in steps:
            loc = self._resolve(where)
            resolved.append((loc if isinstance(loc, GapLoc) else self._as_block(loc), new))
        return self._step(edits.splice_many(self.proc, resolved, by=self.operator))

    def unwrap(self, stmt: Where, field: str = "body") -> Edit:
        """A loop or `if` replaced by the statements of one of its lists. They stay; the statement and the rest of it die."""
        return self._step(edits.unwrap(self.proc, self.path(stmt), field, by=self.operator))

    def interchange(self, outer: Where) -> Edit:
        """A loop or `if` and the only statement in its body, a loop or `if` too, change places (both without `else`).

        The inner body stays innermost. Reference: Qian 2024, fig. 3.8.
        """
        path = self.path(outer)
        inner = (*path, ("body", 0))
        count = len(get_field(get(self.proc, inner), "body"))
        assert len(get_field(get(self.proc, path), "body")) == 1, "interchange: the statement must be alone in its body"
        field, index = path[-1]
        assert index is not None
        # The inner statement leaves (a pass stays in the outer), the outer goes into it, the body goes back into the outer.
        edit = self.move(Now(NodeLoc(inner)), Now(after(path)))
        lifted = (*path[:-1], (field, index + 1))
        edit = edit.move(Now(NodeLoc(path)), Now(before((*lifted, ("body", 0)))))
        sunk = (*path, ("body", 0))
        edit = edit.move(Now(BlockLoc(path, "body", 1, count + 1)), Now(before((*sunk, ("body", 0)))))
        return edit.delete(Now(NodeLoc((*sunk, ("body", count)))))

    # ---- expressions and heads

    def replace_expr(self, expr: Where, new: Expr) -> Edit:
        """Another expression in place of one; to replace many, `replace_exprs`."""
        return self._step(rewriting.replace_expr(self.proc, self.path(expr), new, by=self.operator))

    def replace_exprs(self, new: Mapping[Loc, Expr]) -> Edit:
        """Several expressions of the original tree replaced at once, none inside another."""
        paths = {self.path(loc): expr for loc, expr in new.items()}
        return self._step(rewriting.replace_exprs(self.proc, paths, by=self.operator))

    def rewrite_exprs(self, scope: Where, rule: rewriting.Rule, names: Iterable[Sym] | None = None) -> Edit:
        """A rule applied bottom-up to expressions and statement heads in a node or block; `NodeLoc(())` is everything.

        names says that the rule leaves alone what mentions none of them.
        """
        loc = self._resolve(scope)
        assert isinstance(loc, NodeLoc | BlockLoc), f"rewrite_exprs: {loc} holds no code"
        only = None if names is None else frozenset(names)
        return self._step(rewriting.rewrite_exprs(self.proc, loc, rule, names=only, by=self.operator))

    def substitute(self, scope: Where, env: Mapping[Sym, Expr]) -> Edit:
        """Expressions for control variables, in a node or block."""

        def rule(node: Node) -> Node | None:
            return env.get(node.name) if isinstance(node, Read) and not node.idx else None

        return self.rewrite_exprs(scope, rule, env)

    def update(self, node: Where, **fields: Any) -> Edit:
        """Other fields that hold no children: an iterator, a mode, a name, a memory, a type."""
        return self._step(rewriting.update_at(self.proc, self.path(node), by=self.operator, **fields))

    # ---- the procedure's head

    def replace_arg(self, arg: Where, new: Arg) -> Edit:
        """Another formal in place of one."""
        loc = self._resolve(arg)
        assert isinstance(loc, ArgLoc)
        fields = {"name": new.name, "type": new.type, "mem": new.mem, "span": new.span}
        return self._step(rewriting.update_at(self.proc, (("args", loc.index),), by=self.operator, **fields))

    def set_args(self, args: tuple[Arg, ...]) -> Edit:
        """Other formals; locations follow the names."""
        return self._step(rewriting.set_args(self.proc, args, by=self.operator))

    def replace_preds(self, preds: tuple[Expr, ...]) -> Edit:
        """Other assertions."""
        return self._step(rewriting.set_preds(self.proc, preds, by=self.operator))

    def update_proc(self, **fields: Any) -> Edit:
        """Another name, instruction template or `aliasable` of the procedure."""
        assert not {"args", "preds", "body"} & fields.keys(), "use set_args, replace_preds or the edits on statements"
        return replace(self, proc=update(self.proc, **fields))

    # ---- details

    def __reduce__(self) -> Any:
        """What is kept is the forwarding."""
        steps, version = [], self._now
        while version is not self._start:
            steps.append(version.forward)
            assert version.parent is not None
            version = version.parent
        redirects = [(each.origin, each.to, each.since.depth, _below(each), each.inside) for each in self._redirects]
        return _kept, (self.operator, steps[::-1], redirects)

    def _step(self, edited: edits.Edited) -> Edit:
        proc, forward = edited
        return self if proc is self.proc else replace(self, proc=proc, _now=self._now.step(forward))

    def _resolve(self, where: Where) -> Loc:
        loc = where.loc if isinstance(where, Now) else self._now.forward_from(self._start, where)
        assert not isinstance(loc, Dead), f"{self.operator}: a step at code {loc.reason}: {where}"
        return loc

    def _block(self, where: Where) -> BlockLoc:
        return self._as_block(self._resolve(where))

    def _as_block(self, loc: Loc) -> BlockLoc:
        if isinstance(loc, NodeLoc):
            return block_of(loc.path)
        assert isinstance(loc, BlockLoc), f"{self.operator}: a block is wanted here, not {loc}"
        return loc

    def _gap(self, where: Where) -> GapLoc:
        loc = self._resolve(where)
        assert isinstance(loc, GapLoc), f"{self.operator}: a gap is wanted here, not {loc}"
        return loc


def _kept(operator: str, steps: Iterable[Forward], redirects: Iterable[tuple[Loc, Loc, int, frozenset[Path], bool]]) -> Edit:
    """The forwarding of an edit, without its trees."""
    versions = list(accumulate(steps, Lineage.step, initial=Lineage()))
    kept = tuple(_Redirect(origin, to, versions[depth], paths, inside) for origin, to, depth, paths, inside in redirects)
    nothing = Proc("", (), (), ())
    return Edit(nothing, nothing, operator, versions[0], versions[-1], kept)


def _below(redirect: _Redirect) -> frozenset[Path]:
    """The paths at the target and below it; empty lists that a gap may be in, as paths to their first entry."""
    if isinstance(redirect.tree, frozenset):
        return redirect.tree
    pending = [redirect.to.path] if redirect.inside and isinstance(redirect.to, NodeLoc) else []
    found: set[Path] = set(pending)
    while pending:
        path = pending.pop()
        node = get(redirect.tree, path)
        inner = [(*path, step) for step, _ in children(node)]
        pending += inner
        found.update(inner)
        found.update((*path, (field, None)) for field, several in child_fields(node) if several and not get_field(node, field))
    return frozenset(found)


def _is_there(tree: Proc | frozenset[Path], loc: Loc) -> bool:
    if isinstance(tree, Proc):
        return exists(tree, loc)
    match loc:
        case NodeLoc(path):
            return path in tree
        case BlockLoc(parent, field, lo, hi):
            return 0 <= lo < hi and (*parent, (field, hi - 1)) in tree
        case GapLoc(parent, field, index, side):
            return (*parent, (field, index)) in tree or (index == 0 and side == "before" and (*parent, (field, None)) in tree)
        case ArgLoc() | Dead():
            return False


def _root(loc: Loc) -> Path:
    """The path that everything inside loc starts with, for a NodeLoc; () for the rest."""
    return loc.path if isinstance(loc, NodeLoc) else ()


def _covers(origin: Loc, loc: Loc) -> bool:
    """Whether loc is the redirected location or inside it."""
    if origin == loc:
        return True
    if not isinstance(origin, NodeLoc):
        return False
    match loc:
        case NodeLoc(path):
            return starts_with(path, origin.path)
        case BlockLoc(parent=parent):
            return starts_with(parent, origin.path)
        case GapLoc(parent, field, index, _):
            return starts_with((*parent, (field, index)), origin.path)
        case ArgLoc() | Dead():
            return False


def _transfer(redirect: _Redirect, loc: Loc) -> Loc | None:
    """loc, which the redirection covers, at the same relative place below its target; None if there is no such place."""
    if loc == redirect.origin:
        return redirect.to
    if not (isinstance(redirect.origin, NodeLoc) and isinstance(redirect.to, NodeLoc)):
        return None
    skip, to = len(redirect.origin.path), redirect.to.path
    moved: Loc
    match loc:
        case NodeLoc(path):
            moved = NodeLoc(to + path[skip:])
        case BlockLoc(parent, field, lo, hi):
            moved = BlockLoc(to + parent[skip:], field, lo, hi)
        case GapLoc(parent, field, index, side):
            moved = gap_at((*to, *(*parent, (field, index))[skip:]), side)
        case ArgLoc() | Dead():
            return None
    return moved if _is_there(redirect.tree, moved) else None
