"""Schedules of the image kernels. They read as Halide's do; what they may not do is change a pixel."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module

from usl_core import Procedure
from usl_core.cursors import ForCursor
from usl_core.scheduling import extract_subproc
from usl_halide_lib.applying import Schedule, schedule
from usl_halide_lib.directives import TailStrategy
from usl_halide_lib.streaming import at_least, past_the_cache
from usl_stdlib import walk

SHIFT, GUARD, ROUND = TailStrategy.ShiftInwards, TailStrategy.GuardWithIf, TailStrategy.RoundUp


def box_blur_schedule(p: Procedure) -> Schedule:
    """Tiles of one vector and twelve rows, whose sums along rows stay in registers: memory is the limit."""
    s = schedule(p)
    s["blur_y"].tile("x", "y", "xi", "yi", 32, 12, SHIFT).parallel("y").vectorize("xi").unroll("yi")
    s["blur_x"].compute_at("blur_y", "x").vectorize("x", 32).unroll("y")
    return s


def unsharp_schedule(p: Procedure) -> Schedule:
    """Strips of rows in parallel; in each, two rows at a time, for which eight grey rows are kept.

    The ratio stays in registers. Rows to be written are fetched while the one before is computed, since memory is slower
    than the arithmetic.
    """
    s = schedule(p, default="inline", small="plain")
    s["output"].split("y", "yo", "y", 32, SHIFT).parallel("yo").split("y", "yi", "yu", 2).split("x", "xo", "xi", 16, SHIFT)
    s["output"].reorder("xi", "c", "xo", "yu", "yi", "yo").vectorize("xi").unroll("c").unroll("yu")
    s["output"].prefetch("output", "xo", "yu", 1)
    s["gray"].compute_at("output", "yi").store_at("output", "yo").align_storage("x", 16).vectorize("x", 16)
    s["blur_y"].compute_at("output", "yi").store_at("output", "yo").align_storage("x", 16)
    s["blur_y"].split("x", "xo", "xi", 16, SHIFT).reorder("xi", "y", "xo").vectorize("xi").unroll("y")
    s["ratio"].compute_at("output", "xo").vectorize("x", 16)
    return s


def harris_schedule(p: Procedure) -> Schedule:
    """Strips of rows in parallel; in each, rows of the gradients slide, and their products stay in registers.

    Two rows at a time, which share most of the gradients. Rows of the image are fetched before they are needed.
    """
    s = schedule(p, default="inline")
    s["response"].split("y", "yo", "y", 32, SHIFT).parallel("yo").split("y", "yi", "yu", 2).split("x", "xo", "xi", 16, SHIFT)
    s["response"].reorder("xi", "yu", "xo", "yi", "yo").vectorize("xi").unroll("yu")
    for gradient in ("gx", "gy"):
        s[gradient].compute_at("response", "yi").store_at("response", "yo").align_storage("x", 16)
        s[gradient].split("x", "xo", "xi", 16, SHIFT).vectorize("xi")
    s["gx"].prefetch("inp", "xo", "y", 4)
    return s


def bilateral_grid_schedule(p: Procedure) -> Schedule:
    """Rows of the grid in parallel, blurred as they are made; then rows of the image in parallel."""
    s = schedule(p)
    s["out"].split("y", "yo", "yi", 16, GUARD).parallel("yo").vectorize("x", 16, SHIFT)
    for func in ("level", "above", "at", "total", "count"):
        s[func].compute_at("out", "yi").vectorize("x", 16)
    s["cells"].compute_at("out", "yi").vectorize("z", 16)
    s["blur_y"].parallel("y").vectorize("z", 16)
    s["blur_x"].compute_at("blur_y", "y").vectorize("z", 16)
    s["blur_z"].parallel("y").vectorize("z", 16)
    for func in ("grid", "bright", "place"):
        s[func].compute_at("blur_z", "y")
    s["place"].vectorize("x", 16)
    s["bright"].vectorize("x", 16)
    return s


def demosaic_schedule(p: Procedure) -> Schedule:
    """Strips of rows in parallel; in each, rows of the four kinds of pixels and of green slide."""
    s = schedule(p, default="inline")
    s["colours"].split("y", "yo", "yi", 32, GUARD).parallel("yo").vectorize("x", 32, SHIFT)
    for func in ("gr", "r", "b", "gb", "g_r", "g_b"):
        s[func].compute_at("colours", "yi").store_at("colours", "yo").vectorize("x", 32)
    return s


def resize_schedule(p: Procedure) -> Schedule:
    """Strips of 16 rows in parallel, whose pixels of a column are neighbours in memory: look-ups load vectors of 16 rows.

    The image is read in blocks of 512 columns. Loops over look-ups are left to the C compiler.
    """
    s = schedule(p)
    s["out"].split("y", "yo", "yi", 16, SHIFT).parallel("yo").split("x", "xo", "xi", 16, SHIFT).reorder("xi", "yi", "xo", "yo")
    s["wide"].compute_at("out", "xo").reorder_storage("y", "x").reorder("y", "x").vectorize("y", 16)
    s["wide"].update().reorder("y", "u", "x")
    s["tall"].compute_at("out", "yo").reorder_storage("y", "x").split("x", "xo", "xi", 512, GUARD).reorder("y", "xi", "xo")
    s["high"].compute_at("tall", "xo").update().reorder("x", "v", "y")
    return s


def separable_convolution_schedule(p: Procedure) -> Schedule:
    """Rows in parallel; in each, sums of 8 pixels times 32 channels at once."""
    s = schedule(p)
    s["out"].parallel("y").split("x", "xo", "xi", 8, SHIFT).split("k", "ko", "ki", 32, SHIFT)
    s["out"].reorder("ki", "xi", "ko", "xo", "y").vectorize("ki", 16).unroll("xi")
    s["mixed"].compute_at("out", "ko").split("k", "ko", "ki", 16, GUARD).vectorize("ki", 16).unroll("ko").unroll("x")
    s["mixed"].update().split("k", "ko", "ki", 16, GUARD).reorder("ki", "ko", "x", "c")
    s["mixed"].update().vectorize("ki", 16).unroll("ko").unroll("x")
    s["deep"].compute_at("out", "y").reorder("x", "c", "y").vectorize("c", 16)
    return s


def local_laplacian_schedule(p: Procedure) -> Schedule:
    """Each level in strips of rows in parallel; what a row of a level is made of is computed with it."""
    s = schedule(p)
    s["place"].compute_inline()
    s["in0"].parallel("y").vectorize("x", 16)
    for level in range(1, 5):
        for rows, found in ((f"iny{level}", f"in{level}"), (f"gy{level}", f"g{level}")):
            s[found].split("y", "yo", "yi", 16, GUARD).parallel("yo").vectorize("x", 16)
            s[rows].compute_at(found, "yi").vectorize("x", 16)
        s[f"g{level}"].reorder("x", "yi", "k", "yo")
    s["g0"].compute_at("g1", "yi").store_at("g1", "k").vectorize("x", 16)
    for level in range(3, -1, -1):
        s[f"ug{level}"].compute_at(f"o{level}", "k").vectorize("x", 16, GUARD)
        s[f"o{level}"].vectorize("x", 16, GUARD).update().vectorize("x", 16, GUARD)
    for level in range(3, 0, -1):
        s[f"uo{level}"].compute_at(f"o{level}", "y").vectorize("x", 16)
        s[f"o{level}"].parallel("y").update().rename("y", "rows").parallel("rows")
    s["out"].split("y", "yo", "yi", 16, GUARD).reorder("x", "c", "yi", "yo").parallel("yo").vectorize("x", 16, SHIFT)
    s["o0"].update().reorder("x", "k", "y")
    for func in ("uo0", "o0", "own", "low", "mapped", "factor"):
        s[func].compute_at("out", "yi")
    for func in ("uo0", "own", "low", "mapped", "factor"):
        s[func].vectorize("x", 16)
    return s


How = Callable[[Procedure], Schedule]


class Kernels(Mapping[str, tuple[Procedure, How]]):
    """By name what is computed, and how. What is computed is read, checked and proved when it is first asked for."""

    def __init__(self, given: Mapping[str, tuple[str, How]]) -> None:
        self.given = given

    def __getitem__(self, name: str) -> tuple[Procedure, How]:
        module, how = self.given[name]
        algorithm: Procedure = getattr(import_module(f"usl_halide_lib.{module}"), name)
        return algorithm, how

    def __iter__(self) -> Iterator[str]:
        return iter(self.given)

    def __len__(self) -> int:
        return len(self.given)


KERNELS = Kernels(
    {
        "box_blur": ("kernels_images", box_blur_schedule),
        "unsharp": ("kernels_images", unsharp_schedule),
        "harris": ("kernels_images", harris_schedule),
        "bilateral_grid": ("kernels_bilateral", bilateral_grid_schedule),
        "demosaic": ("kernels_demosaic", demosaic_schedule),
        "local_laplacian": ("kernels_laplacian", local_laplacian_schedule),
        "resize": ("kernels_resize", resize_schedule),
        "separable_convolution": ("kernels_convolution", separable_convolution_schedule),
    }
)


APART = frozenset({"separable_convolution"})
"""Kernels in which iterations of parallel loops are procedures of their own.

GCC puts the body of a parallel loop into a function that knows no `restrict`, and loads the same filter for each pixel again.
"""


STREAMED = {
    "box_blur": ("blur_y", at_least(8 << 20)),
    "unsharp": ("output", at_least(2 << 20)),
    "demosaic": ("colours", at_least(3 << 18)),
}
"""Kernels that store large results past the cache: the result, and what is large. They begin at 16 to 25 MB, about from where
two threads gain too."""


@cache
def scheduled(name: str) -> Procedure:
    """A kernel after its schedule."""
    algorithm, how = KERNELS[name]
    p = how(algorithm).apply()
    if name in STREAMED:
        p = past_the_cache(p, *STREAMED[name])
    return iterations_apart(p) if name in APART else p


def iterations_apart(p: Procedure) -> Procedure:
    """Make a procedure of the body of each parallel loop."""
    loops = [loop for loop in walk(p, ForCursor) if loop.mode() == "par"]
    for number, loop in enumerate(loops):
        p, _ = extract_subproc(p, p.forward(loop).body(), f"{p.name()}_iteration{number or ''}")
    return p
