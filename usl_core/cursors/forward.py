"""Forwarding functions: where a location of one tree is in the next, and in one thousands of steps later.

A `Forward` takes a location of a tree to its place in the edited tree, or to `Dead` if the edit removed it; dead stays dead. A
`Lineage` is one version of a procedure. It forwards a location from an ancestor by composing the steps in between. Over many
steps it remembers where a location went, so that the next question takes a time that grows with the logarithm of the distance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from usl_core.cursors.path import ArgLoc, BlockLoc, Dead, GapLoc, Loc, NodeLoc, Path, anchor_path, gap_at

Forward = Callable[[Loc], Loc]


def identity(loc: Loc) -> Loc:
    """The forwarding of an edit that moves nothing."""
    return loc


def forward_through(chain: Iterable[Forward], loc: Loc) -> Loc:
    """loc forwarded through each step of chain in turn, the oldest first."""
    for forward in chain:
        if isinstance(loc, Dead):
            return loc
        loc = forward(loc)
    return loc


def compose(*chain: Forward) -> Forward:
    """The forwarding of chain's steps one after another, the oldest first."""
    steps = tuple(forward for forward in chain if forward is not identity)
    if not steps:
        return identity
    if len(steps) == 1:
        return steps[0]
    return partial(forward_through, steps)


class ByPaths:
    """A forwarding that is given by where paths and blocks are afterwards; formals stay."""

    __slots__ = ()

    def __call__(self, loc: Loc) -> Loc:
        match loc:
            case NodeLoc(old):
                new = self.path(old)
                if new is old:
                    return loc
                return new if isinstance(new, Dead) else NodeLoc(new)
            case BlockLoc():
                return self.block(loc)
            case GapLoc():
                return self.gap(loc)
            case ArgLoc() | Dead():
                return loc

    def path(self, path: Path) -> Path | Dead:
        """Where a node is, or why it is gone; path itself if it did not move."""
        raise NotImplementedError

    def block(self, block: BlockLoc) -> Loc:
        """Where a block is: at the same statements of the list that its owner has taken along."""
        parent = self.path(block.parent)
        return parent if isinstance(parent, Dead) else BlockLoc(parent, block.field, block.lo, block.hi)

    def gap(self, gap: GapLoc) -> Loc:
        """Where a gap is: it follows the statement that it hangs on."""
        anchor = self.path(anchor_path(gap))
        return anchor if isinstance(anchor, Dead) else gap_at(anchor, gap.side)


_SHORT = 32
"""Spans of up to so many steps are forwarded step by step: that is faster than to remember their results."""


class Lineage:
    """A version of a procedure: how it was made from its parent, for forwarding locations.

    Versions form a tree, as a user may schedule one procedure in several ways. Each version knows its parent and one more
    ancestor, to which it jumps. The jump skips either the parent alone, or the parent and two jumps of equal length; then any
    ancestor is O(log n) hops away. A long jump remembers where it took each location, and a version what it was asked.
    Reference: Myers 1983, "An applicative random-access stack", Information Processing Letters 17(5).
    """

    __slots__ = ("__weakref__", "_asked", "_jump", "_jumped", "depth", "forward", "parent")

    def __init__(self, parent: Lineage | None = None, forward: Forward = identity) -> None:
        self.parent = parent
        self.forward = forward
        self.depth: int = 0 if parent is None else parent.depth + 1
        self._jump: Lineage = self if parent is None else _jump_target(parent)
        self._asked: dict[tuple[int, Loc], Loc] | None = None
        self._jumped: dict[Loc, Loc] | None = None

    def step(self, forward: Forward) -> Lineage:
        """The version that an edit with this forwarding makes of this one."""
        return Lineage(self, forward)

    def descends_from(self, ancestor: Lineage) -> bool:
        """Whether ancestor is this version or one that it was made from."""
        version = self
        while version.depth > ancestor.depth:
            jump = version._jump
            if jump.depth >= ancestor.depth:
                version = jump
            else:
                assert version.parent is not None
                version = version.parent
        return version is ancestor

    def forward_from(self, ancestor: Lineage, loc: Loc) -> Loc:
        """Where loc, a location of the ancestor's tree, is in this version's tree.

        Raises:
            ValueError: ancestor is not an ancestor of this version.
        """
        if not self.descends_from(ancestor):
            raise ValueError("not an ancestor of this version")
        if isinstance(loc, Dead) or self is ancestor:
            return loc
        if self.depth - ancestor.depth <= _SHORT:
            return forward_through(self.steps_since(ancestor), loc)
        asked = (ancestor.depth, loc)
        known = self._remembered(asked, ancestor)
        if known is None:
            known = self._by_hops(ancestor, loc)
        if self._asked is None:
            self._asked = {}
        self._asked[asked] = known
        return known

    def steps_since(self, ancestor: Lineage) -> list[Forward]:
        """The forwarding of each step from ancestor to this version, the oldest first."""
        steps: list[Forward] = []
        version: Lineage = self
        while version is not ancestor:
            if version.forward is not identity:
                steps.append(version.forward)
            assert version.parent is not None
            version = version.parent
        steps.reverse()
        return steps

    def _remembered(self, asked: tuple[int, Loc], ancestor: Lineage) -> Loc | None:
        """What this version, or one not long before it, was asked already, forwarded to here."""
        version: Lineage | None = self
        for _ in range(_SHORT):
            if version is None or version is ancestor:
                return None
            if version._asked is not None and (known := version._asked.get(asked)) is not None:
                return forward_through(self.steps_since(version), known)
            version = version.parent
        return None

    def _by_hops(self, ancestor: Lineage, loc: Loc) -> Loc:
        hops: list[tuple[Lineage, Lineage]] = []
        version = self
        while version is not ancestor:
            target = version._jump
            if target.depth < ancestor.depth:
                assert version.parent is not None
                target = version.parent
            hops.append((version, target))
            version = target
        for version, target in reversed(hops):
            if isinstance(loc, Dead):
                return loc
            loc = version._over_jump(loc) if target is version._jump else version.forward(loc)
        return loc

    def _over_jump(self, loc: Loc) -> Loc:
        """From the tree of the jump pointer's target to this version's."""
        if isinstance(loc, Dead):
            return loc
        if self.depth - self._jump.depth <= _SHORT:
            return forward_through(self.steps_since(self._jump), loc)
        if self._jumped is None:
            self._jumped = {}
        known = self._jumped.get(loc)
        if known is None:
            assert self.parent is not None  # a jump this long skips three shorter hops
            here = self.parent._over_jump(self.parent._jump._over_jump(loc))
            known = self._jumped[loc] = here if isinstance(here, Dead) else self.forward(here)
        return known


def _jump_target(parent: Lineage) -> Lineage:
    """Where a child of parent jumps to: over two equally long jumps at once, or one step."""
    once = parent._jump
    twice = once._jump
    return twice if parent.depth - once.depth == once.depth - twice.depth else parent
