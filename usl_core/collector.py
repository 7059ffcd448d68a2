"""When Python's cyclic garbage collector runs: not in the midst of an operator or a check, seldom over what these have made.

What an operator makes is part of a version, which lives as long as somebody holds that or one made from it. It is put among
the old objects at once. Python would look through all of these whenever there is a quarter more; here that happens when as
many were made as there were after the last time, so that all passes together take time in proportion to what is made.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

SEVERAL = 1_000_000
"""Objects made since the last pass over all, below which there is none: so many take some 120 MB."""


@contextmanager
def collected_later() -> Iterator[None]:
    """The collector waits in the body of the `with`: it would find next to nothing there and look through all versions.

    Its settings are the user's: one that is switched off stays so.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            _ages.grow()
            gc.enable()


@dataclass
class _Ages:
    """What is known of the objects that are alive; there is one collector in a process."""

    made: int = 0
    """How many were added since the last pass over all, or a few more."""
    limit: int = 0
    """After how many there is another."""
    frozen: bool = False
    """Whether the user has had some frozen since the last pass: these would come back with the others."""

    def grow(self) -> None:
        """Put all objects among the old ones, and look through these if it is time."""
        self.made += gc.get_count()[0]
        if self.made > self.limit:
            if self.limit:
                gc.collect()
            self.made, self.limit, self.frozen = 0, max(SEVERAL, len(gc.get_objects())), gc.get_freeze_count() > 0
        self.frozen = self.frozen or gc.get_freeze_count() > 0  # which takes time only where there are some
        if not self.frozen:
            gc.freeze()
            gc.unfreeze()


_ages = _Ages()
