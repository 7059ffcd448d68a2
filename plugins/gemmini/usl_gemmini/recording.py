"""The commands of a kernel, without the work: for traces in files, for time, and for pictures."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from usl_core import Procedure
from usl_core.cursors import ArgCursor
from usl_gemmini.errors import GemminiError
from usl_gemmini.params import GemminiParams
from usl_gemmini.sim import Simulator
from usl_gemmini.trace import Trace
from usl_stdlib import affine_range

LINE = 64
"""Bytes of a transfer: arrays begin at a multiple, so that no row of one is split."""
_ELEMENTS = {"i8": np.int8, "i32": np.int32, "f32": np.float32}


def record(p: Procedure, params: GemminiParams | None = None) -> Trace:
    """The commands that a kernel sends to a chip, with data that are all zero and a scale of 1.

    Its sizes are numbers (`partial_eval`); data do not decide what it sends. Nothing is moved or computed, so that whatever
    hardware would fail on is not found: `sim.session` does that.

    Raises:
        GemminiError: p has a formal whose size is no number, or of another type than i8, i32 and f32.
    """
    compiled, sim = p.jit(), Simulator(params)
    arrays = arguments(p)
    with sim.session(record=True, execute=False):
        compiled(*arrays)
    return sim.trace()


def arguments(p: Procedure) -> list[Any]:
    """Arrays for the formals of a kernel, all zero, each from a multiple of 64 bytes on; scalars are 1."""
    return [_argument(p, arg) for arg in p.args()]


def _argument(p: Procedure, arg: ArgCursor) -> Any:
    element = _ELEMENTS.get(str(arg.type()))
    found = [affine_range(each).lo.constant for each in arg.shape()]
    extents = [int(each) for each in found if each is not None]
    if element is None or len(extents) < len(found):
        raise GemminiError(
            f"{p.name()}: {arg.name()} must be data of type {', '.join(_ELEMENTS)} whose sizes are numbers",
            notes=("partial_eval gives sizes values",),
        )
    if not extents:
        return element(1)
    room = np.zeros(math.prod(extents) * np.dtype(element).itemsize + LINE, np.uint8)
    start = -room.ctypes.data % LINE
    return room[start : start + room.nbytes - LINE].view(element).reshape(extents)
