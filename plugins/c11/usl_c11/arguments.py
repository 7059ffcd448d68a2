"""The arguments of a compiled procedure in the form that its trampoline takes."""

from __future__ import annotations

import ctypes
from typing import Any

from usl_core.calling import Arguments


class Packed(Arguments):
    """Checked arguments as C values."""

    __slots__ = ()

    def pointers(self, context: Any = None) -> tuple[Any, Any, Any]:
        """The three arrays; the address of a context comes first among the data."""
        data = [ctypes.addressof(context)] if context is not None else []
        data += [array.__array_interface__["data"][0] for array in self.arrays]
        return (
            (ctypes.c_int64 * len(self.controls))(*self.controls),
            (ctypes.c_void_p * len(data))(*data),
            (ctypes.c_ssize_t * len(self.strides))(*self.strides),
        )
