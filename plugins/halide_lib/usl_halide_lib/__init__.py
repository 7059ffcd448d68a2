"""Halide's scheduling directives on any procedure, as compositions of operators: no schedule can change a result.

from usl_halide_lib import TailStrategy, schedule

s = schedule(blur)
s["blur_y"].tile("x", "y", "xi", "yi", 256, 32).vectorize("xi", 16).parallel("y")
s["blur_x"].compute_at("blur_y", "x").vectorize("x", 16)
p = s.apply()
"""

from usl_halide_lib import hl
from usl_halide_lib.directives import LoopAlignStrategy, PrefetchBoundStrategy, TailStrategy
from usl_halide_lib.errors import DirectiveError
from usl_halide_lib.schedule import Schedule, schedule
from usl_halide_lib.vector import Target

__all__ = [
    "DirectiveError",
    "LoopAlignStrategy",
    "PrefetchBoundStrategy",
    "Schedule",
    "TailStrategy",
    "Target",
    "hl",
    "schedule",
]
