"""Locations in a procedure's tree, and rebuilding the tree along the way to some of them.

A location is plain data: it means nothing without the `Proc` it was taken from. Everything here shares what it does not touch:
an edit rebuilds the spine from the root to the edited places and keeps every other node as the very same object, so that
analyses memoised by identity stay valid. Reference: Qian 2024, §3.1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeVar

from usl_core.ir.nodes import Block, Node, Proc, Stmt, StmtBase
from usl_core.ir.traverse import Step, child_fields, get_field, with_field
from usl_core.records import dataclass

Path = tuple[Step, ...]
"""Steps from the `Proc` down; the empty path is the procedure itself."""

Side = Literal["before", "after"]

N = TypeVar("N", bound=Node)


@dataclass(frozen=True, slots=True)
class NodeLoc:
    """One statement or expression."""

    path: Path


@dataclass(frozen=True, slots=True)
class BlockLoc:
    """The statements lo..hi-1 of the list `field` ("body" or "orelse") of the node at parent; lo < hi."""

    parent: Path
    field: str
    lo: int
    hi: int


@dataclass(frozen=True, slots=True)
class GapLoc:
    """The place just before or after the statement at index. Index 0 of an empty `orelse` is a gap without an anchor."""

    parent: Path
    field: str
    index: int
    side: Side


@dataclass(frozen=True, slots=True)
class ArgLoc:
    """A formal of the procedure."""

    index: int


@dataclass(frozen=True, slots=True)
class Dead:
    """What a location becomes whose code is gone. reason completes "the code it pointed to was ..."."""

    reason: str


Loc = NodeLoc | BlockLoc | GapLoc | ArgLoc | Dead
ListKey = tuple[Path, str]
"""Names a list of statements: the path of its owner and the field."""


# ---- relations between locations


def starts_with(path: Path, prefix: Path) -> bool:
    """Whether path is prefix or leads below it."""
    return path[: len(prefix)] == prefix


def gap_position(gap: GapLoc) -> int:
    """How many statements of its list stand before the gap."""
    return gap.index + (gap.side == "after")


def anchor_path(gap: GapLoc) -> Path:
    """The path of the statement that the gap hangs on."""
    return (*gap.parent, (gap.field, gap.index))


def stmt_path(block: BlockLoc, offset: int) -> Path:
    """The path of the statement at offset (from 0) in block."""
    return (*block.parent, (block.field, block.lo + offset))


def offset_in(block: BlockLoc, path: Path) -> int | None:
    """Which statement of block, counted from 0, path leads to or into; None if to none of them."""
    depth = len(block.parent)
    if len(path) > depth and starts_with(path, block.parent):
        field, index = path[depth]
        if field == block.field and index is not None and block.lo <= index < block.hi:
            return index - block.lo
    return None


def block_of(path: Path) -> BlockLoc:
    """The block that holds just the statement at path."""
    parent, field, index = _place(path)
    return BlockLoc(parent, field, index, index + 1)


def _place(path: Path) -> tuple[Path, str, int]:
    field, index = path[-1]
    assert index is not None, f"{path} does not lead to a statement"
    return path[:-1], field, index


def next_place(path: Path) -> Path:
    """Just after the statement at path, which may be the end of its block."""
    return stmt_path(block_of(path), 1)


def body_of(path: Path, length: int, field: str = "body") -> BlockLoc:
    """The whole list `field` of the node at path, which holds length statements."""
    return BlockLoc(path, field, 0, length)


def gap_at(path: Path, side: Side) -> GapLoc:
    """The gap on that side of the statement at path."""
    return GapLoc(*_place(path), side)


def before(path: Path) -> GapLoc:
    """The gap before the statement at path."""
    return gap_at(path, "before")


def after(path: Path) -> GapLoc:
    """The gap after the statement at path."""
    return gap_at(path, "after")


def paths_of(loc: Loc) -> tuple[Path, ...]:
    """The paths of the nodes that a location stands for; a gap is where its anchor is."""
    match loc:
        case NodeLoc(path):
            return (path,)
        case BlockLoc(lo=lo, hi=hi):
            return tuple(stmt_path(loc, offset) for offset in range(hi - lo))
        case GapLoc():
            return (anchor_path(loc),)
        case ArgLoc(index):
            return ((("args", index),),)
        case Dead():
            return ()


# ---- reading

_FIELDS: dict[type[Node], dict[str, bool]] = {}
"""`child_fields` by kind of node, as far as asked for."""


def child(node: Node, step: Step) -> Node:
    """The child of node that step leads to. Raises LookupError where there is none."""
    field, index = step
    if (fields := _FIELDS.get(type(node))) is None:
        fields = _FIELDS[type(node)] = dict(child_fields(node))
    if fields.get(field) is (index is not None):
        value: Any = get_field(node, field)
        if index is None or 0 <= index < len(value):
            found: Node = value if index is None else value[index]
            return found
    raise LookupError(f"{type(node).__name__} has no child at {step}")


def get(proc: Node, path: Path) -> Node:
    """The node at path. Raises LookupError if the path leads nowhere."""
    node = proc
    for step in path:
        node = child(node, step)
    return node


def get_stmt(proc: Proc, path: Path) -> Stmt:
    """The statement at path."""
    node = get(proc, path)
    assert isinstance(node, StmtBase), f"{path} leads to a {type(node).__name__}, not to a statement"
    return node


def exists(proc: Node, loc: Loc) -> bool:
    """Whether loc means something in proc."""
    try:
        match loc:
            case NodeLoc(path):
                get(proc, path)
                return True
            case BlockLoc(parent, field, lo, hi):
                return 0 <= lo < hi <= len(get_field(get(proc, parent), field))
            case GapLoc(parent, field, index, side):
                length = len(get_field(get(proc, parent), field))
                return 0 <= index < length or (length == 0 and index == 0 and side == "before")
            case ArgLoc(index):
                return isinstance(proc, Proc) and 0 <= index < len(proc.args)
            case Dead():
                return False
    except (LookupError, AttributeError):
        return False


def stmt_list(proc: Proc, parent: Path, field: str) -> Block:
    """All statements of a list."""
    result: Block = get_field(get(proc, parent), field)
    return result


def stmts(proc: Proc, block: BlockLoc) -> Block:
    """The statements of a block."""
    return stmt_list(proc, block.parent, block.field)[block.lo : block.hi]


# ---- rebuilding


def rebuild(node: N, changes: Mapping[Path, Callable[[Any], Node]]) -> N:
    """node with each function applied at its path, deeper paths first, every shared part of their spines rebuilt once."""
    below: dict[Step, dict[Path, Callable[[Any], Node]]] = {}
    for path, change in changes.items():
        if path:
            below.setdefault(path[0], {})[path[1:]] = change
    result: Any = node
    fields: dict[str, list[tuple[int | None, dict[Path, Callable[[Any], Node]]]]] = {}
    for (field, index), inner in below.items():
        fields.setdefault(field, []).append((index, inner))
    for field, places in fields.items():
        result = _rebuild_field(result, field, places)
    if () in changes:
        result = changes[()](result)
    return result  # type: ignore[no-any-return]


def _rebuild_field(node: N, field: str, places: list[tuple[int | None, dict[Path, Callable[[Any], Node]]]]) -> N:
    old = get_field(node, field)
    if not isinstance(old, tuple):
        new: Any = rebuild(old, places[0][1])
        return node if new is old else with_field(node, field, new)
    items = list(old)
    changed = False
    for index, inner in places:
        assert index is not None
        items[index] = rebuild(items[index], inner)
        changed = changed or items[index] is not old[index]
    return with_field(node, field, tuple(items)) if changed else node


def splice(proc: Proc, block: BlockLoc, new: Block) -> Proc:
    """proc with the statements of block replaced by new; lo == hi inserts."""

    def change(owner: Node) -> Node:
        old: Block = get_field(owner, block.field)
        return with_field(owner, block.field, old[: block.lo] + new + old[block.hi :])

    return rebuild(proc, {block.parent: change})
