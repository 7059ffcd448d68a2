"""Arrays with guards around them, so that a write outside is seen and an access far outside stops the process.

The elements lie between two pages that nobody may touch. In zone mode a stretch of known bytes is on either side of them, and
the bytes between strided elements are known too; afterwards all must be as they were. In the other modes the first or the last
element touches such a page, so that even a read outside ends in a signal.
"""

from __future__ import annotations

import ctypes
import functools
import mmap
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np

PAGE = mmap.PAGESIZE
ZONE = 256
"""Bytes of known content on either side."""
PROT_NONE = 0


class Place(Enum):
    """Where an argument lies in its arena, and so how an access outside of it is noticed: a changed byte, or a fault."""

    ZONE = "in the middle of known bytes"
    LEFT = "just after a page that must not be touched"
    RIGHT = "just before a page that must not be touched"


@dataclass(frozen=True, slots=True)
class Extent:
    """The bytes that a strided tensor spans: from the first to the last element, strides not negative."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    itemsize: int

    @property
    def size(self) -> int:
        """In bytes; every extent is at least 1."""
        return self.itemsize * (1 + sum((n - 1) * s for n, s in zip(self.shape, self.strides, strict=True)))


class Arena:
    """Storage for one argument, or for arguments that share elements; reused for every run of a case."""

    def __init__(self, size: int, itemsize: int) -> None:
        self.itemsize = itemsize
        self._inner = -(-(size + 2 * ZONE) // PAGE) * PAGE
        self._map = mmap.mmap(-1, self._inner + 2 * PAGE)
        self._bytes = np.frombuffer(self._map, dtype=np.uint8)
        base = self._bytes.__array_interface__["data"][0]
        _forbid(base)
        _forbid(base + PAGE + self._inner)
        self._used = self._bytes[PAGE : PAGE + self._inner]
        self._before = np.empty(0, np.uint8)

    def fill(self, salt: int) -> None:
        """Known bytes everywhere, others for each salt. They repeat with a period that no vector has."""
        self._used[:] = _pattern(self._inner + 256)[salt % 256 :][: self._inner]

    def start(self, size: int, place: Place, offset: int) -> int:
        """Where an argument of that many bytes begins; in zone mode offset bytes past a boundary of 64."""
        match place:
            case Place.ZONE:
                return ZONE + offset
            case Place.LEFT:
                return 0
            case Place.RIGHT:
                return self._inner - size

    def view(self, dtype: Any, shape: Sequence[int], strides: Sequence[int], start: int) -> Any:
        """The elements as an array; strides in elements."""
        item = np.dtype(dtype).itemsize
        steps = [stride * item for stride in strides]
        return np.ndarray(tuple(shape), dtype, buffer=self._map, offset=PAGE + start, strides=steps)

    def snapshot(self) -> None:
        """Remembers every byte, for `changed_outside` to compare with."""
        self._before = self._used.copy()

    def changed_outside(self, views: Sequence[Any]) -> list[int]:
        """Bytes that differ from the snapshot and belong to none of the views, as distances from the first view's start."""
        own = np.zeros(self._inner, bool)
        base = self._used.__array_interface__["data"][0]
        for view in views:
            first = view.__array_interface__["data"][0] - base
            spots = np.full(view.shape, first, np.int64)
            for dim, stride in enumerate(view.strides):
                steps = np.arange(view.shape[dim], dtype=np.int64) * stride
                spots += steps.reshape([-1 if d == dim else 1 for d in range(view.ndim)])
            for byte in range(view.itemsize):
                own[spots.ravel() + byte] = True
        places = np.flatnonzero((self._used != self._before) & ~own)
        origin = views[0].__array_interface__["data"][0] - base
        return [int(place) - origin for place in places]


@functools.cache
def _pattern(length: int) -> Any:
    return (np.arange(length, dtype=np.uint32) * 37 % 251 + 3).astype(np.uint8)


@functools.cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _forbid(address: int) -> None:
    if _libc().mprotect(ctypes.c_void_p(address), ctypes.c_size_t(PAGE), PROT_NONE) != 0:
        raise OSError(ctypes.get_errno(), "mprotect")
