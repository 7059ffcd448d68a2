"""Calls of kernels from Python at the cost of a C function: `quick.c` takes what is plainly right.

The function in Python stays: it takes the first call, which builds the kernel, and whatever the extension does not take, so
that errors and conversions are its own. Where Python's or NumPy's headers or a C compiler are missing it takes all calls.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from usl_avx512.kernels.arguments import DOUBLE, SINGLE, foreign
from usl_avx512.short_products import TYPES

SOURCE = Path(__file__).with_name("quick.c")
NETWORKS = SOURCE.with_name("quick_networks.c")
NUMPY_TYPES = {"s": "NPY_FLOAT32", "d": "NPY_FLOAT64"}

Function = TypeVar("Function", bound=Callable[..., Any])


def quick(slowly: Function, form: str, address: Callable[[], Any], refused: Callable[[int], NoReturn]) -> Function:
    """A function that does what slowly does, in less time from its second call on.

    form: one of those in `quick.c`. address: gives the kernel, as cffi has it, or a dictionary of the addresses of several, to
    which slowly adds those that it builds. refused: raises the error for a status.
    """

    call: Callable[..., Any]

    def first(*args: Any, **kwargs: Any) -> Any:
        nonlocal call
        result = slowly(*args, **kwargs)  # with what is wrong with arguments said before anything is built
        call = _entry(slowly, form, address, refused)
        return result

    call = first

    @functools.wraps(slowly)
    def routine(*args: Any, **kwargs: Any) -> Any:
        return call(*args, **kwargs)

    return routine  # type: ignore[return-value]


def _entry(slowly: Callable[..., Any], form: str, address: Callable[[], Any], refused: Callable[[int], NoReturn]) -> Any:
    """The extension's callable; slowly where there is none."""
    entry = _entry_type()
    if entry is None:
        return slowly
    names = tuple(sys.intern(name) for name in inspect.signature(slowly).parameters)
    kernel = address()
    return entry(form, kernel if isinstance(kernel, dict) else address_of(kernel), slowly, refused, names)


def address_of(function: Any) -> int:
    """Where a function is that cffi has."""
    return int(foreign().cast("uintptr_t", function))


@functools.cache
def _entry_type() -> Any:
    """The type `Quick` of the extension; None where it cannot be had."""
    from usl_c11.calls.extension import extension, may_load

    if not may_load():
        return None
    import numpy as np

    module = extension("usl_quick", source(), (np.get_include(),), f"NumPy {np.__version__}")
    return None if module is None else module.Quick


def source() -> str:
    """The extension's C: the types of kernels as their own C declares them, and the forms in both precisions."""
    from usl_avx512.kernels import blas_library, level3_library, network_entries, short_library

    text = SOURCE.read_text(encoding="utf-8").replace("/* @networks */\n", NETWORKS.read_text(encoding="utf-8").lstrip())
    head, _, rest = text.partition("/* @precision */\n")
    both, _, end = rest.partition("/* @end */\n")
    networks = network_entries.ENTRIES | network_entries.POOLING
    types = [f"typedef int {name}({parameters});" for name, parameters in networks.items()]
    types += [f"typedef {short_library.prototype(short_library.gemm_entry(kind))};" for kind in TYPES]
    forms = []
    for precision in (SINGLE, DOUBLE):
        words = {"T": precision.ctype, "P": precision.letter, "N": NUMPY_TYPES[precision.letter]}
        prototypes = [blas_library.prototype(routine) for routine in blas_library.KERNELS]
        prototypes += [level3_library.prototype(routine) for routine in level3_library.ROUTINES]
        types += [f"typedef {blas_library.filled(each, words)};" for each in prototypes]
        forms.append(blas_library.filled(both, words))
    return head.replace("/* @types */", "\n".join(types)) + "".join(forms) + end
