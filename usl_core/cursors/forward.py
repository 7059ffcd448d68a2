"""Forwarding functions: where a location of one tree is in the next, and in one thousands of steps later.

A `Forward` maps every location of a tree to one of the edited tree, or to `Dead`; dead stays dead. `Lineage` composes the
forwarding functions of a procedure's versions: it remembers, for each location asked about, where spans of many steps lead, so
that asking again from a newer version costs the logarithm of the distance and not the distance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from usl_core.cursors.path import ArgLoc, BlockLoc, Dead, GapLoc, Loc, NodeLoc, Path, anchor_path

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
    return lambda loc: forward_through(steps, loc)


def by_paths(loc: Loc, path: Callable[[Path], Path | Dead], block: Callable[[BlockLoc], Loc]) -> Loc:
    """loc forwarded by a map of paths and a map of blocks; a gap follows the statement that it hangs on."""
    match loc:
        case NodeLoc(old):
            new = path(old)
            return new if isinstance(new, Dead) else NodeLoc(new)
        case BlockLoc():
            return block(loc)
        case GapLoc(side=side):
            anchor = path(anchor_path(loc))
            if isinstance(anchor, Dead):
                return anchor
            field, index = anchor[-1]
            assert index is not None
            return GapLoc(anchor[:-1], field, index, side)
        case ArgLoc() | Dead():
            return loc


class Lineage:
    """A version of a tree among its descendants and ancestors, as far as forwarding is concerned.

    Versions form a tree (a user may schedule one procedure in several ways). Each has a jump pointer besides its parent,
    placed so that any ancestor is O(log n) hops away and each jump is made of three shorter ones (a skew-binary number
    system); a hop remembers where it sent each location.
    Reference: Myers 1983, "An applicative random-access stack", Information Processing Letters 17(5).
    """

    __slots__ = ("__weakref__", "_jump", "_jumped", "_stepped", "depth", "forward", "parent")

    def __init__(self, parent: Lineage | None = None, forward: Forward = identity) -> None:
        self.parent = parent
        self.forward = forward
        self.depth: int = 0 if parent is None else parent.depth + 1
        self._jump: Lineage = self if parent is None else _jump_target(parent)
        self._stepped: dict[Loc, Loc] = {}
        self._jumped: dict[Loc, Loc] = {}

    def step(self, forward: Forward) -> Lineage:
        """The version that an edit with this forwarding makes of this one."""
        return Lineage(self, forward)

    def descends_from(self, ancestor: Lineage) -> bool:
        """Whether ancestor is this version or one that it was made from."""
        return self._hops(ancestor) is not None

    def forward_from(self, ancestor: Lineage, loc: Loc) -> Loc:
        """Where loc, a location of the ancestor's tree, is in this version's tree.

        Raises:
            ValueError: ancestor is not an ancestor of this version.
        """
        hops = self._hops(ancestor)
        if hops is None:
            raise ValueError("not an ancestor of this version")
        for version, long in reversed(hops):
            loc = version._over_jump(loc) if long else version._over_step(loc)
        return loc

    def _hops(self, ancestor: Lineage) -> list[tuple[Lineage, bool]] | None:
        """The hops up to ancestor: which version each leaves, and whether by its jump pointer."""
        hops: list[tuple[Lineage, bool]] = []
        version = self
        while version.depth > ancestor.depth:
            long = version._jump.depth >= ancestor.depth
            hops.append((version, long))
            if long:
                version = version._jump
            else:
                assert version.parent is not None
                version = version.parent
        return hops if version is ancestor else None

    def _over_step(self, loc: Loc) -> Loc:
        if isinstance(loc, Dead):
            return loc
        known = self._stepped.get(loc)
        if known is None:
            known = self._stepped[loc] = self.forward(loc)
        return known

    def _over_jump(self, loc: Loc) -> Loc:
        """From the tree of the jump pointer's target to this version's."""
        if isinstance(loc, Dead):
            return loc
        known = self._jumped.get(loc)
        if known is None:
            assert self.parent is not None
            here: Loc = loc
            if self._jump is not self.parent:  # the jump skips three shorter hops
                here = self.parent._jump._over_jump(here)
                here = self.parent._over_jump(here)
            known = self._jumped[loc] = self._over_step(here)
        return known


def _jump_target(parent: Lineage) -> Lineage:
    """Where a child of parent jumps to: over two equally long jumps at once, or one step."""
    once = parent._jump
    twice = once._jump
    return twice if parent.depth - once.depth == once.depth - twice.depth else parent
