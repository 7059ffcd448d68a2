"""How paths and blocks move when runs of statements are replaced by other runs, in one or many lists at once.

Insertion is the replacement of an empty run, deletion the replacement by nothing (or by the `pass` that keeps a body from
becoming empty). All runs are given in the old tree and are disjoint, so the map of a batch is found from the root down without
composing one map per edit. Reference: Qian 2024, §3.2.1.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from itertools import accumulate

from usl_core.cursors.forward import ByPaths
from usl_core.cursors.path import BlockLoc, Dead, GapLoc, ListKey, Loc, Path
from usl_core.ir.traverse import Step
from usl_core.records import dataclass


@dataclass(frozen=True, slots=True)
class Splice:
    """Statements lo..hi-1 of a list became count statements.

    succeeds: the new ones stand for the old ones (a replacement). joins: they are inserted and what the statement before them
    became too, so a block that holds that one holds them.
    """

    lo: int
    hi: int
    count: int
    succeeds: bool = False
    joins: bool = False

    @property
    def growth(self) -> int:
        """How many more entries the list has."""
        return self.count - (self.hi - self.lo)


class ListMap:
    """The splices of one list, in order, and where its positions went."""

    __slots__ = ("_ends", "_growth", "_starts", "splices")

    def __init__(self, splices: tuple[Splice, ...]) -> None:
        self.splices = tuple(sorted(splices, key=lambda splice: (splice.lo, splice.hi)))
        for left, right in zip(self.splices, self.splices[1:], strict=False):
            assert left.hi <= right.lo, "edits of one batch must not overlap"
        self._starts = [splice.lo for splice in self.splices]
        self._ends = [splice.hi for splice in self.splices]
        self._growth = list(accumulate((splice.growth for splice in self.splices), initial=0))

    def growth_before(self, index: int) -> int:
        """How far the statement at index moved on account of splices that end at or before it."""
        return self._growth[bisect_right(self._ends, index)]

    def covering(self, index: int) -> Splice | None:
        """The splice that took the statement at index away."""
        position = bisect_right(self._starts, index) - 1
        if position >= 0 and self.splices[position].lo <= index < self.splices[position].hi:
            return self.splices[position]
        return None

    def block(self, lo: int, hi: int) -> tuple[int, int] | None:
        """Where statements lo..hi-1 are; None if the block was removed or torn.

        A block that contains all of a replaced run contains what came instead; an insertion at its edge stays outside, unless
        it joins the last statement.
        """
        new_lo, length = lo + self.growth_before(lo), hi - lo
        for splice in self.splices:
            if splice.lo == splice.hi:
                length += splice.count if lo < splice.lo < hi + splice.joins else 0
            elif splice.lo < hi and lo < splice.hi:
                if not (lo <= splice.lo and splice.hi <= hi):
                    return None
                length += splice.growth
                if (splice.lo, splice.hi) == (lo, hi) and not splice.succeeds:
                    return None
        return (new_lo, new_lo + length) if length > 0 else None


class Splices(ByPaths):
    """The forwarding of one batch of splices. by: the operator, for the reasons of deaths."""

    __slots__ = ("_depths", "_lists", "by")

    def __init__(self, splices: Mapping[ListKey, tuple[Splice, ...]], by: str) -> None:
        self._lists = {key: ListMap(runs) for key, runs in splices.items()}
        self._depths = sorted({len(parent) for parent, _ in splices})
        self.by = by

    def path(self, path: Path) -> Path | Dead:
        """Where the node at path is: path itself if it did not move.

        A single replaced statement is the first of those that stand for it.
        """
        new: list[Step] | None = None
        for depth in self._depths:
            if depth >= len(path):
                break
            field, index = path[depth]
            runs = self._lists.get((path[:depth], field)) if index is not None else None
            if runs is None or index is None:
                continue
            splice = runs.covering(index)
            if splice is not None and (depth + 1 < len(path) or not splice.succeeds or splice.hi - splice.lo != 1):
                return Dead(f"{'replaced' if splice.succeeds else 'removed'} by {self.by}")
            shift = runs.growth_before(index)
            if shift:
                new = new if new is not None else list(path)
                new[depth] = (field, index + shift)
        return path if new is None else tuple(new)

    def block(self, block: BlockLoc) -> Loc:
        """Where a block is afterwards."""
        parent = self.path(block.parent) if block.parent else ()
        if isinstance(parent, Dead):
            return parent
        if self._owner_replaced(block.parent):
            return Dead(f"replaced by {self.by}")
        runs = self._lists.get((block.parent, block.field))
        if runs is None:
            return BlockLoc(parent, block.field, block.lo, block.hi)
        span = runs.block(block.lo, block.hi)
        if span is None:
            return Dead(self._block_death(runs, block))
        return BlockLoc(parent, block.field, *span)

    def gap(self, gap: GapLoc) -> Loc:
        """A gap follows its anchor; at the outer edges of a replaced run it stays at the edges of what replaced it."""
        if self._owner_replaced(gap.parent):
            return Dead(f"replaced by {self.by}")
        runs = self._lists.get((gap.parent, gap.field))
        splice = runs.covering(gap.index) if runs is not None else None
        if runs is not None and splice is not None and splice.succeeds:
            parent = self.path(gap.parent)
            if isinstance(parent, Dead):
                return parent
            start = splice.lo + runs.growth_before(splice.lo)
            if gap.side == "before" and gap.index == splice.lo:
                return GapLoc(parent, gap.field, start, "before")
            if gap.side == "after" and gap.index == splice.hi - 1:
                return GapLoc(parent, gap.field, start + splice.count - 1, "after")
        return super().gap(gap)

    def _owner_replaced(self, owner: Path) -> bool:
        """Whether the statement at owner is itself a replaced one, so that its lists are gone though its place lives on."""
        if not owner or owner[-1][1] is None:
            return False
        field, index = owner[-1]
        runs = self._lists.get((owner[:-1], field))
        return runs is not None and index is not None and runs.covering(index) is not None

    def _block_death(self, runs: ListMap, block: BlockLoc) -> str:
        indices = range(block.lo, block.hi)
        if all(runs.covering(index) is not None for index in indices):
            succeeds = any(splice.succeeds for index in indices if (splice := runs.covering(index)) is not None)
            return f"{'replaced' if succeeds else 'removed'} by {self.by}"
        return f"torn apart by {self.by}"
