"""Arrays of numbers between NumPy and the heap, without a copy where nobody can tell.

An argument is lent: a block whose elements are NumPy's memory, with a reference of the caller's own during the call, so that
the program never finds it unique and copies it before it writes. What is still referred to after the call is copied then.

A result that only the caller refers to is handed over: the NumPy array is a view of the block's elements, and owns the
reference.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from usl_perceus.errors import PerceusError

if TYPE_CHECKING:
    from usl_perceus.python.heap import Heap

SMALL = 4096
"""Arrays of fewer bytes are copied: that is faster than what keeps track of them."""


class Owned:
    """The elements of a block that nothing else refers to, for `numpy.asarray`. The last view gives up the reference."""

    __slots__ = ("__array_interface__", "__weakref__", "_address", "_heap")

    def __init__(self, heap: Heap, address: int, elements: int, length: int, dtype: Any) -> None:
        self._heap, self._address = heap, address
        self.__array_interface__ = {"version": 3, "shape": (length,), "typestr": dtype.str, "data": (elements, False)}

    def __del__(self) -> None:
        self._heap.drop(self._address)


class Arrays:
    """Conversions of arrays of numbers. The heap's lock is held. lends: whether arguments may be lent; not to programs with
    threads or C functions, which might use them after the call."""

    def __init__(self, heap: Heap, ffi: Any, lends: bool) -> None:
        self._heap, self._ffi, self.lends = heap, ffi, lends
        self._lent: list[tuple[Any, int, Any]] = []
        """Blocks whose elements are NumPy's, the size of one, and the array that they belong to."""

    def to_heap(self, item: Any, dtype: Any, refuse: Callable[[str], PerceusError]) -> Any:
        """An owned reference to an array with the elements of item, of any rank, row by row. refuse makes the error.

        Raises:
            PerceusError: item is not an array of numbers that dtype holds.
        """
        import numpy as np

        try:
            given = np.asarray(item)
        except ValueError:  # rows of several lengths
            raise refuse(f"an array of {dtype}") from None
        if given.ndim == 0 or (given.size and not np.can_cast(given.dtype, dtype, "same_kind")):
            raise refuse(f"an array of {dtype}")
        heap, length = self._heap, given.size
        if self.lends and given.nbytes >= SMALL and given.dtype == dtype and given.flags.c_contiguous and given.flags.aligned:
            place = self._ffi.cast("void *", given.__array_interface__["data"][0])
            made = heap.lib.usl_raw_array_lent(length, place, heap.site, heap.context)
            self._lent.append((made, dtype.itemsize, given))
            return made
        made = heap.lib.usl_raw_array_new(length, dtype.itemsize, heap.site, heap.context)
        into = np.asarray(_Elements(self._elements(made), given.shape, dtype))
        with np.errstate(over="ignore", invalid="ignore"):
            into[...] = given
        if dtype.kind in "iu" and given.dtype != dtype and not np.array_equal(into, given):
            heap.release(made)
            raise refuse(f"an array of {dtype}: an element is out of range")
        return made

    def from_heap(self, array: Any, dtype: Any) -> Any:
        """The elements of an array, copied; it is only looked at."""
        import numpy as np

        length = self._ffi.cast("struct usl_raw_array *", array).length
        if length == 0:
            return np.empty(0, dtype)
        return np.asarray(_Elements(self._elements(array), (length,), dtype)).copy()

    def handed_over(self, array: Any, dtype: Any) -> Any:
        """The NumPy array of an owned reference."""
        import numpy as np

        length = self._ffi.cast("struct usl_raw_array *", array).length
        if array.count != 0 or length * dtype.itemsize < SMALL:
            made = self.from_heap(array, dtype)
            self._heap.release(array)
            return made
        address = int(self._ffi.cast("uintptr_t", array))
        return np.asarray(Owned(self._heap, address, self._elements(array), length, dtype))

    def returning(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """function, which gives back what was lent when it is over, whoever waits for it."""
        lent = self.lent()
        if not lent:
            return function

        def call(*args: Any) -> Any:
            try:
                return function(*args)
            finally:
                self.give_back(lent)

        return call

    def lent(self) -> list[tuple[Any, int, Any]]:
        """What was lent since this was asked last: it has to be returned after the call."""
        lent, self._lent = self._lent, []
        return lent

    def give_back(self, lent: list[tuple[Any, int, Any]]) -> None:
        """After the call."""
        for made, size, _ in lent:
            self._heap.lib.usl_raw_array_return(made, size, self._heap.context)

    def _elements(self, array: Any) -> int:
        return int(self._ffi.cast("uintptr_t", self._ffi.cast("struct usl_raw_array *", array).elements))


class _Elements:
    """Memory for `numpy.asarray`, for a moment."""

    __slots__ = ("__array_interface__",)

    def __init__(self, address: int, shape: tuple[int, ...], dtype: Any) -> None:
        self.__array_interface__ = {"version": 3, "shape": shape, "typestr": dtype.str, "data": (address, False)}
