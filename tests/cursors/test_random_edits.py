"""Random edits of random trees, against a specification in which every statement has an identity.

The specification works on lists of tagged items and knows no paths. A forwarded location must stand at the statement of the
same tag, or be dead exactly if the edit removed that statement.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count

from hypothesis import given, settings
from hypothesis import strategies as st

from usl_core.cursors.edit import Edit, Now
from usl_core.cursors.forward import Forward
from usl_core.cursors.path import BlockLoc, Dead, GapLoc, Loc, NodeLoc, Path, get, stmts
from usl_core.errors import Span
from usl_core.ir.nodes import Block, For, If, Pass, Proc, Stmt, bool_literal, index_literal
from usl_core.ir.sym import Sym

LISTS = ("body", "orelse")


@dataclass(eq=False)
class Item:
    """A statement of the specification; kind is `pass`, `for` or `if`."""

    tag: int
    kind: str = "pass"
    body: list[Item] = field(default_factory=list)
    orelse: list[Item] = field(default_factory=list)


FILLER = -1
"""The tag of the `pass` that keeps a body from being empty."""


def to_stmt(item: Item) -> Stmt:
    span = Span("tag", item.tag, 1, item.tag, 2)
    body = tuple([to_stmt(inner) for inner in item.body])
    match item.kind:
        case "for":
            return For(Sym("i"), index_literal(0), index_literal(8), body, span=span)
        case "if":
            return If(bool_literal(True), body, tuple([to_stmt(inner) for inner in item.orelse]), span=span)
        case _:
            return Pass(span=span)


def to_proc(top: list[Item]) -> Proc:
    return Proc("p", (), (), tuple([to_stmt(item) for item in top]))


def tag(proc: Proc, path: Path) -> int:
    return get(proc, path).span.line


def same_tree(block: Block, items: list[Item]) -> bool:
    """Whether the IR has the specification's shape and tags (fillers, which the edits make, have no tag of their own)."""
    return len(block) == len(items) and all(
        (item.tag == FILLER or stmt.span.line == item.tag)
        and same_tree(getattr(stmt, "body", ()), item.body)
        and same_tree(getattr(stmt, "orelse", ()), item.orelse)
        for stmt, item in zip(block, items, strict=True)
    )


@dataclass
class Tree:
    """The specification: the items, and where each tag's list is."""

    top: list[Item]
    fresh: count[int]

    def lists(self) -> Iterator[tuple[Path, str, list[Item]]]:
        """Every non-empty list with its place."""
        yield from self._lists((), "body", self.top)

    def _lists(self, parent: Path, name: str, items: list[Item]) -> Iterator[tuple[Path, str, list[Item]]]:
        if items:
            yield parent, name, items
        for index, item in enumerate(items):
            for inner in LISTS:
                yield from self._lists((*parent, (name, index)), inner, getattr(item, inner))

    def tags(self) -> set[int]:
        return {item.tag for _, _, items in self.lists() for item in items}

    def new(self, number: int) -> list[Item]:
        return [Item(next(self.fresh)) for _ in range(number)]


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    fresh = count(1)

    def items(depth: int, least: int) -> list[Item]:
        return [item(depth) for _ in range(draw(st.integers(least, 3)))]

    def item(depth: int) -> Item:
        kind = draw(st.sampled_from(["pass", "for", "if"])) if depth < 3 else "pass"
        made = Item(next(fresh), kind)
        if kind != "pass":
            made.body = items(depth + 1, 1)
        if kind == "if":
            made.orelse = items(depth + 1, 0)
        return made

    return Tree(items(0, 1), fresh)


Block_ = tuple[Path, str, list[Item], int, int]


def draw_block(draw: st.DrawFn, tree: Tree) -> Block_:
    parent, name, items = draw(st.sampled_from(list(tree.lists())))
    lo = draw(st.integers(0, len(items) - 1))
    return parent, name, items, lo, draw(st.integers(lo + 1, len(items)))


def draw_gap(draw: st.DrawFn, tree: Tree, near: list[Item] | None = None) -> tuple[GapLoc, list[Item], int]:
    """A gap, in the list `near` in half of the cases."""
    close = near is not None and draw(st.booleans())
    parent, name, items = draw(st.sampled_from([place for place in tree.lists() if not close or place[2] is near]))
    index = draw(st.integers(0, len(items) - 1))
    side = draw(st.sampled_from(["before", "after"]))
    return GapLoc(parent, name, index, side), items, index + (side == "after")


def inside(item: Item, items: list[Item]) -> bool:
    """Whether items is a list somewhere in item."""
    return any(getattr(item, name) is items or any(inside(sub, items) for sub in getattr(item, name)) for name in LISTS)


def fill(items: list[Item], name: str) -> None:
    if not items and name == "body":
        items.append(Item(FILLER))


@dataclass
class Step:
    """What an edit did: the tags that are gone, and the single statements that others now stand for."""

    removed: set[int]
    stands_for: dict[int, int]
    description: str


def all_tags(items: list[Item]) -> set[int]:
    return {item.tag for item in items} | {t for item in items for name in LISTS for t in all_tags(getattr(item, name))}


def apply(draw: st.DrawFn, tree: Tree, edit: Edit) -> tuple[Edit, Step, dict[tuple[int, ...], tuple[int, ...] | None]]:
    """A random edit of both. Blocks that change more than their place are listed: their old tags, and the new (None: dead)."""
    kind = draw(st.sampled_from(["insert", "delete", "replace", "move", "move", "wrap", "unwrap"]))
    if kind == "insert":
        gap, items, at = draw_gap(draw, tree)
        new = tree.new(draw(st.integers(1, 2)))
        edit = edit.insert(Now(gap), tuple([to_stmt(item) for item in new]))
        old = tags_of(items)
        blocks = {tuple(old[a:b]): (*old[a:at], *tags_of(new), *old[at:b]) for a, b in runs(old) if a < at < b}
        items[at:at] = new
        return edit, Step(set(), {}, f"insert at {gap}"), blocks
    parent, name, items, lo, hi = draw_block(draw, tree)
    block, old = BlockLoc(parent, name, lo, hi), tags_of(items)
    if kind == "delete":
        edit = edit.delete(Now(block))
        blocks = replaced_blocks(old, lo, hi, (), stands=False)
        step = Step(all_tags(items[lo:hi]), {}, f"delete {block}")
        items[lo:hi] = []
        fill(items, name)
        return edit, step, blocks
    if kind == "replace":
        new = tree.new(draw(st.integers(1, 3)))
        edit = edit.replace(Now(block), tuple([to_stmt(item) for item in new]))
        blocks = replaced_blocks(old, lo, hi, tuple(tags_of(new)), stands=True)
        successor = {items[lo].tag: new[0].tag} if hi == lo + 1 else {}
        step = Step(all_tags(items[lo:hi]) - successor.keys(), successor, f"replace {block}")
        items[lo:hi] = new
        return edit, step, blocks
    if kind == "wrap":
        outer = Item(next(tree.fresh), "for", items[lo:hi])
        span = to_stmt(outer).span
        edit = edit.wrap(Now(block), lambda body: For(Sym("w"), index_literal(0), index_literal(8), body, span=span))
        blocks = {
            tags: None if new is None else new
            for tags, new in replaced_blocks(old, lo, hi, (outer.tag,), stands=True).items()
            if not set(tags) <= set(old[lo:hi])
        }
        items[lo:hi] = [outer]
        return edit, Step(set(), {}, f"wrap {block}"), blocks
    if kind == "unwrap":
        wrapper = items[lo]
        if wrapper.kind == "pass":
            return edit, Step(set(), {}, "nothing"), {}
        edit = edit.unwrap(Now(NodeLoc((*parent, (name, lo)))))
        blocks = replaced_blocks(old, lo, lo + 1, tuple(tags_of(wrapper.body)), stands=True)
        step = Step({wrapper.tag} | all_tags(wrapper.orelse), {}, f"unwrap {block}")
        items[lo : lo + 1] = wrapper.body
        return edit, step, blocks
    gap, to_items, at = draw_gap(draw, tree, items)
    if any(inside(item, to_items) for item in items[lo:hi]) or (to_items is items and lo < at < hi):
        return edit, Step(set(), {}, "nothing"), {}
    edit = edit.move(Now(block), Now(gap))
    blocks = moved_blocks(items, lo, hi, to_items, at)
    moved = items[lo:hi]
    if to_items is items:
        items[:] = [*items[: min(lo, at)], *reordered(items, lo, hi, at), *items[max(hi, at) :]]
    else:
        to_items[at:at] = moved
        items[lo:hi] = []
        fill(items, name)
    return edit, Step(set(), {}, f"move {block} to {gap}"), blocks


def tags_of(items: list[Item]) -> list[int]:
    return [item.tag for item in items]


def runs(items: list[int]) -> Iterator[tuple[int, int]]:
    for a in range(len(items)):
        for b in range(a + 1, len(items) + 1):
            yield a, b


def reordered(items: list[Item], lo: int, hi: int, at: int) -> list[Item]:
    return items[lo:hi] + items[at:lo] if at <= lo else items[hi:at] + items[lo:hi]


def replaced_blocks(
    old: list[int], lo: int, hi: int, new: tuple[int, ...], *, stands: bool
) -> dict[tuple[int, ...], tuple[int, ...] | None]:
    """Blocks of a list whose items lo..hi-1 became new: those around have the new ones; those inside or across are dead."""
    result: dict[tuple[int, ...], tuple[int, ...] | None] = {}
    for a, b in runs(old):
        if b <= lo or hi <= a:
            continue
        around = a <= lo and hi <= b and ((a, b) != (lo, hi) or stands)
        result[tuple(old[a:b])] = (*old[a:lo], *new, *old[hi:b]) if around else None
    return result


def moved_blocks(
    items: list[Item], lo: int, hi: int, to_items: list[Item], at: int
) -> dict[tuple[int, ...], tuple[int, ...] | None]:
    result: dict[tuple[int, ...], tuple[int, ...] | None] = {}
    old, moved = tags_of(items), tags_of(items[lo:hi])
    same = to_items is items
    if same and at in (lo, hi):
        return result
    for a, b in runs(old):
        tags = tuple(old[a:b])
        if b <= lo or hi <= a:
            if same and a < at < b:
                result[tags] = (*old[a:at], *moved, *old[at:b])
        elif a <= lo and hi <= b and (a, b) != (lo, hi):
            if same and a <= at <= b:
                new = [*items[: min(lo, at)], *reordered(items, lo, hi, at), *items[max(hi, at) :]]
                result[tags] = tuple(tags_of(new)[a:b])
            else:
                result[tags] = (*old[a:lo], *old[hi:b])
        elif not (lo <= a and b <= hi):
            result[tags] = None
    if not same:
        target = tags_of(to_items)
        for a, b in runs(target):
            if a < at < b:
                result[tuple(target[a:b])] = (*target[a:at], *moved, *target[at:b])
    return result


def stmt_locs(proc: Proc) -> Iterator[Path]:
    def below(parent: Path, node: object) -> Iterator[Path]:
        for name in LISTS:
            for index, inner in enumerate(getattr(node, name, ())):
                path = (*parent, (name, index))
                yield path
                yield from below(path, inner)

    yield from below((), proc)


def check_nodes(before: Proc, after: Proc, forward: Forward, removed: set[int], stands_for: dict[int, int]) -> None:
    for path in stmt_locs(before):
        old_tag = tag(before, path)
        name, index = path[-1]
        places: list[Loc] = [NodeLoc(path), GapLoc(path[:-1], name, index or 0, "before")]
        for loc in places:
            new = forward(loc)
            if old_tag in removed:
                assert isinstance(new, Dead) or isinstance(loc, GapLoc), (loc, new)
                continue
            assert isinstance(new, NodeLoc | GapLoc), (loc, new)
            where = new.path if isinstance(new, NodeLoc) else (*new.parent, (new.field, new.index))
            assert tag(after, where) == stands_for.get(old_tag, old_tag)


def check_blocks(before: Proc, after: Proc, forward: Forward, step: Step, special: dict) -> None:
    for path in [(), *stmt_locs(before)]:
        node = get(before, path)
        for name in LISTS:
            all_ = [stmt.span.line for stmt in getattr(node, name, ())]
            for lo, hi in runs(all_):
                tags = tuple(all_[lo:hi])
                new = forward(BlockLoc(path, name, lo, hi))
                expected = special[tags] if tags in special else None if set(tags) & step.removed else tags
                if expected is None:
                    assert isinstance(new, Dead), (step, path, lo, hi, new)
                else:
                    assert isinstance(new, BlockLoc), (step, path, lo, hi, new)
                    assert tuple(stmt.span.line for stmt in stmts(after, new)) == expected


def check_inside_died(before: Proc, forward: Forward, step: Step) -> None:
    """A single replaced statement lives on, but nothing that was in it."""
    for path in stmt_locs(before):
        if tag(before, path) in step.stands_for and isinstance(get(before, path), For):
            assert isinstance(forward(NodeLoc((*path, ("hi", None)))), Dead)


@settings(max_examples=250, deadline=None)
@given(st.data(), trees())
def test_every_edit_forwards_as_the_identities_of_statements_say(data, tree):
    before = to_proc(tree.top)
    edit, step, special = apply(data.draw, tree, Edit.of(before))
    assert same_tree(edit.proc.body, tree.top), step
    check_nodes(before, edit.proc, edit.forward, step.removed, step.stands_for)
    check_blocks(before, edit.proc, edit.forward, step, special)
    check_inside_died(before, edit.forward, step)


@settings(max_examples=100, deadline=None)
@given(st.data(), trees(), st.integers(2, 12))
def test_the_composition_of_edits_forwards_as_the_identities_of_statements_say(data, tree, length):
    before = to_proc(tree.top)
    edit = Edit.of(before)
    original = tree.tags()
    now = {each: each for each in original}
    for _ in range(length):
        edit, step, _ = apply(data.draw, tree, edit)
        now = {old: step.stands_for.get(new, new) for old, new in now.items() if new not in step.removed}
    assert same_tree(edit.proc.body, tree.top)
    for path in stmt_locs(before):
        new = edit.forward(NodeLoc(path))
        if tag(before, path) in now:
            assert isinstance(new, NodeLoc)
            assert tag(edit.proc, new.path) == now[tag(before, path)]
        else:
            assert isinstance(new, Dead)


@settings(max_examples=60, deadline=None)
@given(st.data(), trees())
def test_an_edit_shares_every_statement_whose_inside_it_does_not_change(data, tree):
    before = to_proc(tree.top)
    shapes = {item.tag: shape(item) for _, _, items in tree.lists() for item in items}
    old = {tag(before, path): get(before, path) for path in stmt_locs(before)}
    edit, _, _ = apply(data.draw, tree, Edit.of(before))
    for _, _, items in tree.lists():
        for item in items:
            if shapes.get(item.tag) == shape(item):
                found = [path for path in stmt_locs(edit.proc) if tag(edit.proc, path) == item.tag]
                assert any(get(edit.proc, path) is old[item.tag] for path in found)


def shape(item: Item) -> object:
    return item.tag, [shape(inner) for inner in item.body], [shape(inner) for inner in item.orelse]
