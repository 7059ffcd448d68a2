"""The five atomic edits on statements: insert, delete, replace, move, wrap. (Those on expressions are in `rewriting`.)

Each is a pure function from a tree and locations in it to the new tree and its forwarding. They keep no meaning: a primitive
checks first. Locations are trusted (`assert`), since only primitives call this. `by` names the operator in the reason of a
death. `unwrap` undoes `wrap`: as a move and a deletion it would lose the statements from blocks that hold the wrapper.
Reference: Qian 2024, §3.2.1; where it is silent, the rules are in the docstrings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from usl_core.cursors.forward import ByPaths, Forward, identity
from usl_core.cursors.listmap import Splice, Splices
from usl_core.cursors.path import (
    BlockLoc,
    Dead,
    GapLoc,
    ListKey,
    Loc,
    NodeLoc,
    Path,
    block_of,
    exists,
    gap_position,
    get_stmt,
    offset_in,
    rebuild,
    splice,
    starts_with,
    stmt_list,
    stmt_path,
    stmts,
)
from usl_core.ir.nodes import Block, For, If, Node, Pass, Proc, Stmt
from usl_core.ir.traverse import get_field, with_field

Edited = tuple[Proc, Forward]


def insert(proc: Proc, gap: GapLoc, new: Block, *, joins: bool = False, by: str = "insert") -> Edited:
    """proc with new statements in a gap. No location dies; a block grows if the gap is strictly inside it.

    joins: the statement before the gap became these too, so a block that ends with it grows as well.
    """
    assert exists(proc, gap), f"insert: {gap} is not in the procedure"
    at = gap_position(gap)
    grown = Splices({(gap.parent, gap.field): (Splice(at, at, len(new), joins=joins),)}, by)
    return splice(proc, BlockLoc(gap.parent, gap.field, at, at), new), grown


def delete(proc: Proc, block: BlockLoc, *, by: str = "delete") -> Edited:
    """proc without a block; `pass` takes its place where a body would become empty.

    What is inside the block dies, and so does a block that overlaps it in part; one that contains more shrinks.
    """
    return splice_many(proc, [(block, ())], by=by)


def replace(proc: Proc, block: BlockLoc, new: Block, *, by: str = "replace") -> Edited:
    """proc with a block replaced.

    The block forwards to the new statements, a single replaced statement to the first of them, the gaps at the block's outer
    edges to the new edges; everything else inside dies.
    """
    return splice_many(proc, [(block, new)], by=by)


def splice_many(proc: Proc, edits: Iterable[tuple[BlockLoc | GapLoc, Block]], *, by: str) -> Edited:
    """Many independent insertions (at gaps), replacements and deletions (of blocks, by nothing) in one pass.

    All locations are in proc; blocks are disjoint and none lies inside another. Insertions at one place keep the order given.
    """
    runs: dict[ListKey, dict[tuple[int, int], tuple[Block, bool]]] = {}
    for where, new in edits:
        if isinstance(where, GapLoc):
            lo = hi = gap_position(where)
            if not new:
                continue
        else:
            lo, hi = where.lo, where.hi
        assert exists(proc, where), f"{where} is not in the procedure"
        run = runs.setdefault((where.parent, where.field), {})
        already = run.get((lo, hi))
        assert already is None or lo == hi, "edits of one batch must not overlap"
        run[lo, hi] = ((already[0] if already else ()) + new, lo < hi and bool(new))
    if not runs:
        return proc, identity
    _assert_not_nested(runs)
    return _apply_runs(proc, runs, by)


def _apply_runs(proc: Proc, runs: dict[ListKey, dict[tuple[int, int], tuple[Block, bool]]], by: str) -> Edited:
    splices: dict[ListKey, tuple[Splice, ...]] = {}
    changes: dict[Path, dict[str, Callable[[Block], Block]]] = {}
    for (parent, field), run in runs.items():
        old = stmt_list(proc, parent, field)
        if field == "body" and sum(hi - lo for lo, hi in run) == len(old) and not any(new for new, _ in run.values()):
            span = old[0].span if old else proc.span
            lo, hi = min(run)
            run = {**run, (lo, hi): ((Pass(span=span),), False)}
        splices[parent, field] = tuple(Splice(lo, hi, len(new), succeeds) for (lo, hi), (new, succeeds) in run.items())
        changes.setdefault(parent, {})[field] = _splicer({span: new for span, (new, _) in run.items()})
    new_proc = rebuild(proc, {parent: _field_changer(fields) for parent, fields in changes.items()})
    return new_proc, Splices(splices, by)


def _splicer(run: dict[tuple[int, int], Block]) -> Callable[[Block], Block]:
    def change(old: Block) -> Block:
        result: list[Stmt] = []
        done = 0
        for (lo, hi), new in sorted(run.items(), key=lambda item: item[0]):
            result.extend(old[done:lo])
            result.extend(new)
            done = hi
        result.extend(old[done:])
        return tuple(result)

    return change


def _field_changer(fields: dict[str, Callable[[Block], Block]]) -> Callable[[Node], Node]:
    def change(owner: Node) -> Node:
        for field, fn in fields.items():
            owner = with_field(owner, field, fn(get_field(owner, field)))
        return owner

    return change


def _assert_not_nested(runs: dict[ListKey, dict[tuple[int, int], tuple[Block, bool]]]) -> None:
    for parent, _ in runs:
        for depth, (field, index) in enumerate(parent):
            for lo, hi in runs.get((parent[:depth], field), ()):
                assert index is None or not lo <= index < hi, "an edit of a batch lies inside a replaced block"


# ---- move


def move(proc: Proc, block: BlockLoc, gap: GapLoc, *, joins: bool = False, by: str = "move") -> Edited:
    """proc with a block moved to a gap outside it; `pass` takes its place where a body would become empty.

    Every statement keeps its identity. A block goes along if it is inside the moved one, loses it if it contains it, and dies
    if it overlaps it in part. A block with the gap strictly inside it gains the statements; one that contains both the moved
    block and the gap, edges included, still holds the same statements and stays. joins: as for `insert`.
    """
    assert exists(proc, block) and exists(proc, gap), "move: no such location"
    key, position = (block.parent, block.field), gap_position(gap)
    if (gap.parent, gap.field) == key and block.lo <= position <= block.hi:
        assert position in (block.lo, block.hi), "move: the gap is inside the moved block"
        return proc, identity
    mover = _Move(proc, block, gap, joins, by)
    moved = stmts(proc, block)
    pass_ = (Pass(span=moved[0].span),) if mover.leaves_pass else ()
    without = splice(proc, block, pass_)
    parent, field, at = mover.target
    return splice(without, BlockLoc(parent, field, at, at), moved), mover


class _Move(ByPaths):
    """The forwarding of `move`: removal, then insertion, except that what was removed is at the target."""

    __slots__ = ("leaves_pass", "moved", "position", "put", "taken", "target", "to")

    def __init__(self, proc: Proc, block: BlockLoc, gap: GapLoc, joins: bool, by: str) -> None:
        self.moved = block
        self.to: ListKey = (gap.parent, gap.field)
        self.position = gap_position(gap)
        count = block.hi - block.lo
        whole = count == len(stmt_list(proc, block.parent, block.field))
        self.leaves_pass = whole and block.field == "body"
        removal = Splice(block.lo, block.hi, int(self.leaves_pass))
        self.taken = Splices({(block.parent, block.field): (removal,)}, by)
        parent = self.taken.path(gap.parent)
        assert not isinstance(parent, Dead), "move: the gap is inside the moved block"
        same_list = self.to == (block.parent, block.field)
        at = self.position + (removal.growth if same_list and self.position >= block.hi else 0)
        self.target: tuple[Path, str, int] = (parent, gap.field, at)
        self.put = Splices({(parent, gap.field): (Splice(at, at, count, joins=joins),)}, by)

    def path(self, path: Path) -> Path | Dead:
        offset = offset_in(self.moved, path)
        if offset is not None:
            parent, field, at = self.target
            return (*parent, (field, at + offset), *path[len(self.moved.parent) + 1 :])
        between = self.taken.path(path)
        return between if isinstance(between, Dead) else self.put.path(between)

    def block(self, other: BlockLoc) -> Loc:
        moved = self.moved
        parent, field, at = self.target
        if (other.parent, other.field) != (moved.parent, moved.field):
            if (other.parent, other.field) != self.to:
                return super().block(other)
            return self.put.block(BlockLoc(parent, field, other.lo, other.hi))
        if moved.lo <= other.lo and other.hi <= moved.hi:
            return BlockLoc(parent, field, at + other.lo - moved.lo, at + other.hi - moved.lo)
        contains = other.lo <= moved.lo and moved.hi <= other.hi
        if contains and self.to == (moved.parent, moved.field) and other.lo <= self.position <= other.hi:
            return other
        between = self.taken.block(other)
        return self.put.block(between) if isinstance(between, BlockLoc) else between


# ---- wrap


def wrap(proc: Proc, block: BlockLoc, make: Callable[[Block], Stmt], field: str = "body", *, by: str = "wrap") -> Edited:
    """proc with a block put into a new statement: make gets the statements and returns a For or If whose field is that tuple.

    Statements, and blocks and gaps among them (the whole block too), go inside; a block that contains more holds the new
    statement instead; one that overlaps in part dies.
    """
    assert exists(proc, block), f"wrap: {block} is not in the procedure"
    inner = stmts(proc, block)
    outer = make(inner)
    assert isinstance(outer, For | If) and get_field(outer, field) == inner, "wrap: make must keep the statements"
    return splice(proc, block, (outer,)), _Wrap(block, field, by)


class _Wrap(ByPaths):
    """The forwarding of `wrap`."""

    __slots__ = ("field", "grown", "wrapped")

    def __init__(self, block: BlockLoc, field: str, by: str) -> None:
        self.wrapped, self.field = block, field
        self.grown = Splices({(block.parent, block.field): (Splice(block.lo, block.hi, 1, succeeds=True),)}, by)

    def path(self, path: Path) -> Path | Dead:
        wrapped, offset = self.wrapped, offset_in(self.wrapped, path)
        if offset is None:
            return self.grown.path(path)
        return (*stmt_path(wrapped, 0), (self.field, offset), *path[len(wrapped.parent) + 1 :])

    def block(self, other: BlockLoc) -> Loc:
        wrapped = self.wrapped
        if (other.parent, other.field) != (wrapped.parent, wrapped.field):
            return super().block(other)
        if wrapped.lo <= other.lo and other.hi <= wrapped.hi:
            return BlockLoc(stmt_path(wrapped, 0), self.field, other.lo - wrapped.lo, other.hi - wrapped.lo)
        return self.grown.block(other)


def unwrap(proc: Proc, path: Path, field: str = "body", *, by: str = "unwrap") -> Edited:
    """proc with the For or If at path replaced by the statements of its list `field`.

    The statements, and blocks and gaps among them, stay alive; the statement itself and the rest of it die. A block that
    contains the statement, or is just it, contains the statements from inside it instead.
    """
    inner: Block = get_field(get_stmt(proc, path), field)
    owner = block_of(path)
    if not inner:
        return delete(proc, owner, by=by)
    return splice(proc, owner, inner), _Unwrap(path, field, len(inner), by)


class _Unwrap(ByPaths):
    """The forwarding of `unwrap`."""

    __slots__ = ("field", "owner", "removed", "stmt")

    def __init__(self, stmt: Path, field: str, count: int, by: str) -> None:
        self.stmt, self.field, self.owner = stmt, field, block_of(stmt)
        run = Splice(self.owner.lo, self.owner.hi, count, succeeds=True)
        self.removed = Splices({(self.owner.parent, self.owner.field): (run,)}, by)

    def path(self, path: Path) -> Path | Dead:
        depth = len(self.stmt)
        if not starts_with(path, self.stmt):
            return self.removed.path(path)
        if len(path) > depth and path[depth][0] == self.field:
            _, index = path[depth]
            assert index is not None
            return (*stmt_path(self.owner, index), *path[depth + 1 :])
        return Dead(f"removed by {self.removed.by}")

    def block(self, other: BlockLoc) -> Loc:
        if (other.parent, other.field) == (self.stmt, self.field):
            start = self.owner.lo
            return BlockLoc(self.owner.parent, self.owner.field, start + other.lo, start + other.hi)
        if (other.parent, other.field) == (self.owner.parent, self.owner.field):
            return self.removed.block(other)
        return super().block(other)


def loc_path(loc: Loc) -> Path:
    """The path of a NodeLoc, which loc must be."""
    assert isinstance(loc, NodeLoc), f"a node is wanted here, not {loc}"
    return loc.path
