"""3x3 box blur of u16 pixels: compared with SciPy to the pixel, timed against the plain C, auto-vectorised and not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from bench.measure import Ratio, Timings, take_turns, timed
from bench.native import NATIVE, SCALAR, native
from bench.pictures import FRAME, repeat_to, scipy_blur, with_border

if TYPE_CHECKING:
    from bench.pictures import Pixels
    from usl_core import Procedure

Kernel = Callable[..., object]
"""Called with H, W, the picture with its border, and the result."""

UNVECTORISED = "unscheduled C, -O3 -fno-tree-vectorize"
AUTOVECTORISED = "unscheduled C, -O3 -march=native"
SCHEDULED = "scheduled C"


@dataclass(frozen=True, slots=True)
class BlurReport:
    """Milliseconds of each contestant on one frame, and how much faster the scheduled code is."""

    shape: tuple[int, int]
    milliseconds: dict[str, float]
    over_unvectorised: Ratio
    over_autovectorised: Ratio
    same: bool
    timings: Timings

    @property
    def gigabytes_per_second(self) -> float:
        """Pixels read and written, in useful bytes; what the caches move besides is not counted."""
        return 4e-6 * self.shape[0] * self.shape[1] / self.milliseconds[SCHEDULED]


def blur(kernel: Kernel, pixels: Pixels) -> Pixels:
    """The blurred picture; its edge pixels are repeated outwards."""
    import numpy as np

    result = np.empty_like(pixels)
    kernel(*pixels.shape, with_border(pixels), result)
    return result


def wrong_pixels(kernel: Kernel, pixels: Pixels) -> int:
    """How many pixels differ from SciPy's."""
    import numpy as np

    return int(np.count_nonzero(blur(kernel, pixels) != scipy_blur(pixels)))


def measure(
    unscheduled: Procedure,
    scheduled: Procedure,
    picture: Pixels,
    *,
    options: Mapping[str, Any] = MappingProxyType({}),
    shape: tuple[int, int] = FRAME,
    rounds: int = 15,
    on_round: Callable[[int], None] = lambda done: None,
) -> BlurReport:
    """Time all contestants in turns on the picture repeated to shape; options are those of the scheduled kernel's `jit`."""
    import numpy as np

    frame = with_border(repeat_to(picture, shape))
    kernels: dict[str, Kernel] = {
        UNVECTORISED: native(unscheduled, SCALAR),
        AUTOVECTORISED: native(unscheduled, NATIVE),
        SCHEDULED: scheduled.jit(**options),
    }
    results = {name: np.zeros(shape, np.uint16) for name in kernels}

    def contestant(name: str) -> Callable[[], float]:
        return timed(lambda: kernels[name](*shape, frame, results[name]))

    timings = take_turns({name: contestant(name) for name in kernels}, rounds, on_round=on_round)
    return BlurReport(
        shape,
        {name: 1e3 * timings.median(name) for name in kernels},
        timings.speedup(SCHEDULED, UNVECTORISED),
        timings.speedup(SCHEDULED, AUTOVECTORISED),
        all(np.array_equal(results[name], results[UNVECTORISED]) for name in kernels),
        timings,
    )
