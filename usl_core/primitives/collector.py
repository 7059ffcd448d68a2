"""When Python's cyclic collector runs while procedures are scheduled: seldom, as what an operator makes lives long.

During an operator it waits: in its midst it would find next to nothing, take what is in use for old, and so look through all
versions of a procedure far too often. Just after, it looks through what the operator has made, once. The rest is part of a
version, which lives as long as somebody holds that or one made from it, and is put among the old objects. Python would look
through all of these whenever there is a quarter more; here that happens when as many have been made as there were after the
last time, so that all passes together take time in proportion to what is made. The collector's settings are the user's: none
is changed for longer than an operator runs, and a collector that is switched off stays so.
"""

from __future__ import annotations

import gc
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager

SEVERAL = 400_000
"""Objects made since the last pass over all, below which there is none: so many take some 50 MB."""
_PATIENCE = 1000
"""Operators for which objects that the user has frozen are taken to stay so: counting them takes time for each."""
_HAS_GENERATIONS = sys.implementation.name == "cpython" and not sysconfig.get_config_var("Py_GIL_DISABLED")


class _Ages:
    """What is known of the objects alive; there is one collector in a process."""

    def __init__(self) -> None:
        self.made = 0
        """At most so many objects were added since the last pass over all."""
        self.alive = 0
        """How many there were after it."""
        self.passes = _passes()
        """How many passes over all there had been then."""
        self.frozen_for = 0
        """Operators to wait before it is asked again whether the user has frozen objects."""

    def take_for_old(self) -> None:
        """Collect what the operator has made and nobody holds, put the rest among the old objects, and look through all if
        it is time."""
        if self.frozen_for:
            self.frozen_for -= 1
            return
        if gc.get_freeze_count():  # these would come back with the others
            self.frozen_for = _PATIENCE
            return
        youngest, young, old = gc.get_count()
        many, times, _ = gc.get_threshold()
        self.made += youngest + many * (young + times * old) - gc.collect(0)
        gc.freeze()
        gc.unfreeze()
        if self.made >= max(SEVERAL, self.alive):
            self.look_through_all()

    def look_through_all(self) -> None:
        """A pass over all objects, unless there has been one for another reason."""
        if _passes() == self.passes:
            gc.collect()
        self.made, self.alive, self.passes = 0, len(gc.get_objects()), _passes()


def _passes() -> int:
    """How many passes over all objects there have been in this process."""
    passes: int = gc.get_stats()[2]["collections"]
    return passes


_AGES = _Ages()


@contextmanager
def collected_later() -> Iterator[None]:
    """The collector waits while an operator runs; what that leaves is old for it."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
        if collects and _HAS_GENERATIONS and gc.get_threshold()[0]:
            _AGES.take_for_old()
    finally:
        if collects:
            gc.enable()
