"""The parts of the demonstration that show what schedules may do and are not timed: a halo, and code that depends on data.

Each is a procedure, a schedule, and a check of the compiled result on the photograph against NumPy or SciPy.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bench import blur, pictures
from demo.data_dependent import argmax_schedule, histogram_schedule
from demo.kernels import argmax, histogram, two_stage_blur
from demo.schedules import Schedule
from demo.screen import Screen
from demo.tour import OUT, Outcome
from demo.two_stage_blur import two_stage_blur_schedule
from usl_avx512 import has_avx512
from usl_core import Procedure
from usl_halide_lib import TailStrategy, kernels_images, schedule

if TYPE_CHECKING:
    from bench.blur import Kernel
    from bench.pictures import Pixels

PROVED = "every step proved"
"""What `Procedure.assurance` says of a schedule without a step that changes precision, interface or admitted inputs."""

BINS = 256
"""Bins of the histogram: the upper eight bits of a pixel."""

LISTING = 30
"""Lines of a scheduled procedure to show."""


@dataclass(frozen=True, slots=True)
class Section:
    """check runs the compiled procedure on a picture and counts values that are not the reference's, which expected names."""

    name: str
    heading: str
    plain: Procedure
    schedule: Schedule
    check: Callable[[Kernel, Pixels], int]
    expected: str


def tour_section(screen: Screen, section: Section) -> Outcome:
    """Show, schedule and check one procedure, on the photograph and on pieces of it that fill no tile."""
    screen.heading(section.heading)
    screen.listing("what to compute", str(section.plain), "python")
    with screen.step("scheduling"):
        scheduled = section.schedule(section.plain)
    screen.listing("the scheduled procedure", str(scheduled), "python", LISTING)
    steps = len(scheduled.history()) - 1  # the first entry is the procedure as written
    assurance = scheduled.assurance()
    screen.say(f"{steps} steps, {assurance}: {proofs(scheduled)}")
    problems = [] if assurance == PROVED else [f"{section.name}: {assurance}"]
    wrong = check_pictures(screen, section, scheduled)
    if wrong:
        problems.append(f"{section.name}: {wrong} values differ from {section.expected}")
    else:
        screen.say(f"the result is that of {section.expected}")
    return Outcome(f"{section.name} {steps} steps", tuple(problems))


def check_pictures(screen: Screen, section: Section, scheduled: Procedure) -> int:
    """Wrong values in all pictures together."""
    photo = pictures.photograph_file(OUT)
    pixels = pictures.read_grey(photo)
    kernel = scheduled.jit()
    with screen.step(f"running on {photo} and on {len(PIECES)} pieces of it, comparing with {section.expected}"):
        return sum(section.check(kernel, picture) for picture in (pixels, *pieces(pixels)))


PIECES = ((1, 1), (3, 200), (31, 64), (32, 64), (33, 65), (100, 7))
"""Rows and columns, among them those of images smaller than a tile, of one tile, and a little larger."""


def pieces(pixels: Pixels) -> list[Pixels]:
    """Pieces from the middle of the picture."""
    top, left = pixels.shape[0] // 2, pixels.shape[1] // 2
    return [pixels[top : top + rows, left : left + columns] for rows, columns in PIECES]


def proofs(proc: Procedure) -> str:
    """How many obligations were settled by each means, most first."""
    counts: Counter[str] = Counter()
    for step in proc.history():
        counts.update(step.proofs)
    return f"{counts.total()} obligations (" + ", ".join(f"{how} {count}" for how, count in counts.most_common()) + ")"


def wrong_counts(kernel: Kernel, pixels: Pixels) -> int:
    """Bins whose count is not NumPy's."""
    import numpy as np

    values = (pixels >> 8).astype(np.int32).ravel()
    counts = np.full(BINS, -1, np.int32)
    kernel(values.size, BINS, values, counts)
    return int(np.count_nonzero(counts != np.bincount(values, minlength=BINS)))


def wrong_place(kernel: Kernel, pixels: Pixels) -> int:
    """1 if the place of the first brightest pixel is not NumPy's, else 0."""
    import numpy as np

    values = pixels.astype(np.float32).ravel()
    best = np.full((), -1, np.int32)
    kernel(values.size, values, best)
    return int(int(best) != int(np.argmax(values)))


def halides_blur(p: Procedure) -> Procedure:
    """The schedule of Halide's first example, by its directives; without AVX-512 the loops over lanes are left to C."""
    s = schedule(p)
    s["blur_y"].tile("x", "y", "xi", "yi", 128, 8, TailStrategy.ShiftInwards).parallel("y")
    s["blur_x"].store_at("blur_y", "x").compute_at("blur_y", "yi")
    if has_avx512():
        s["blur_y"].vectorize("xi", 32)
        s["blur_x"].vectorize("x", 32)
    return s.apply()


def wrong_sums(kernel: Kernel, pixels: Pixels) -> int:
    """Pixels that are not NumPy's sums of three along rows and columns, each divided by 3."""
    import numpy as np

    image = pictures.with_border(pixels // np.uint16(4))  # sums of three fit sixteen bits
    rows = (image[:, :-2] + image[:, 1:-1] + image[:, 2:]) // 3
    found = np.zeros_like(pixels)
    kernel(*pixels.shape, image, found)
    return int(np.count_nonzero(found != (rows[:-2] + rows[1:-1] + rows[2:]) // 3))


SECTIONS = (
    Section(
        "two-stage blur",
        "A blur of two stages, the first computed per tile with its halo",
        two_stage_blur,
        two_stage_blur_schedule,
        blur.wrong_pixels,
        "SciPy's correlate",
    ),
    Section(
        "Halide's blur",
        "The same by Halide's directives: tile, compute_at, store_at, vectorize, parallel",
        kernels_images.box_blur,
        halides_blur,
        wrong_sums,
        "NumPy's sums",
    ),
    Section(
        "histogram",
        "Histogram: indices that depend on data",
        histogram,
        histogram_schedule,
        wrong_counts,
        "NumPy's bincount",
    ),
    Section(
        "argmax",
        "Argmax: branches that depend on data",
        argmax,
        argmax_schedule,
        wrong_place,
        "NumPy's argmax",
    ),
)
