"""When Python's cyclic garbage collector runs: not in the midst of an operator or a check."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


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
            gc.enable()
