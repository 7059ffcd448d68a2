"""Results that are larger than the caches are stored past them.

An ordinary store reads a line of the cache before it changes it, also one that is written whole. Of a result that stays in the
cache until it is read that costs little; of a larger one, a third of the traffic. Stores past the cache do without where a line
is written by one instruction, so rows must begin at multiples of 64 bytes; other addresses are stored to as usual.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from usl_core import Procedure
from usl_core.cursors import CallCursor, ForCursor
from usl_core.scheduling import delete_pass, inline, replace, specialize
from usl_halide_lib.avx512_operations import BITS
from usl_stdlib import walk

LINE = 64
"""Bytes in a line of the cache, which are no fewer than its elements."""

LARGE = 1 << 24
"""Bytes of the least array that is looked at."""

NARROWEST, WIDEST = 9, 14
"""Logarithms of the least and the greatest width at which a rectangle is counted as so many elements."""


def at_least(pixels: int) -> str:
    """A condition on H and W, both of which it bounds: H x W is so many at least. It misses some of up to twice as many."""
    return " or ".join(f"H >= {pixels >> k} and W >= {1 << k}" for k in range(NARROWEST, WIDEST + 1))


def past_the_cache(p: Procedure, output: str, large: str) -> Procedure:
    """Make a copy of the parallel loop that stores whole registers into output, for images for which large holds and whose rows
    are multiples of 64 bytes apart: it stores past the cache, and does not fetch what it stores to."""
    (arg,) = (each for each in p.args() if each.name() == output)
    lanes = 512 // BITS[str(arg.type())]
    apart = [f"stride({output}, {dim}) % {lanes} == 0" for dim in range(len(arg.shape()) - 1)]
    large = " and ".join([f"({large})", *apart])
    loop = next(loop for loop in walk(p, ForCursor) if loop.mode() == "par" and _stores(loop, output))
    p = specialize(p, loop, large)
    for call, instruction in _stores(p.forward(loop), output):
        p = inline(p, call)
        p = replace(p, call, instruction)
    for call in walk(p.forward(loop), CallCursor):
        if call.subproc().name().startswith("mm_prefetch_") and _first_tensor(call) == output:
            p = inline(p, call)
            p = delete_pass(p, call)
    return p


def aligned_empty(shape: Sequence[int], dtype: Any, zeros: bool = False) -> Any:
    """A new array that begins at a multiple of 64 bytes, as those of NumPy do by chance; of zeros, or of anything."""
    import numpy as np

    size = math.prod(shape) * np.dtype(dtype).itemsize
    raw = (np.zeros if zeros else np.empty)(size + LINE, np.uint8)
    begin = -raw.ctypes.data % LINE
    return raw[begin : begin + size].view(dtype).reshape(shape)


def aligned_parts(result: Any) -> list[slice]:
    """Columns of an array to be computed apart: the first ones of a large array whose rows begin within lines of the cache, and
    all from where a line begins, an even number of columns later. Some are in both."""
    width, before = result.shape[-1], -result.ctypes.data % LINE
    whole = all(stride % LINE == 0 for stride in result.strides[:-1]) and result.strides[-1] == result.itemsize
    if result.nbytes < LARGE or width < 2 * LINE or not whole or before == 0 or before % (2 * result.itemsize):
        return [slice(0, width)]
    return [slice(0, LINE), slice(before // result.itemsize, width)]


def _stores(loop: Any, output: str) -> list[tuple[Any, Procedure]]:
    """The calls in a loop that store registers side by side into output, and the instructions that do so past the cache."""
    calls = [call for call in walk(loop, CallCursor) if _first_tensor(call) == output]
    return [(call, instruction) for call in calls if (instruction := _streaming(call)) is not None]


def _streaming(call: Any) -> Procedure | None:
    """The instruction that does what a call does, past the cache."""
    from usl_avx512 import isa

    name = call.subproc().name()
    for ordinary, streaming in (("mm512_storeu_", "mm512_streamu_"), ("mm512_store_pairs_", "mm512_streamu_pairs_")):
        if name.startswith(ordinary):
            found: Procedure | None = getattr(isa, streaming + name.removeprefix(ordinary), None)
            return found
    return None


def _first_tensor(call: Any) -> str:
    """The buffer that a call is given first."""
    return next((each.name() for each in call.args() if hasattr(each, "idx")), "")
