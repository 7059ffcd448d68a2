"""The two parts of the demonstration. Each returns its line of the summary and what went wrong."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench import blur, pictures
from bench import sgemm as gemm
from demo import schedules
from demo.screen import Screen
from usl_avx512 import blur_schedule, has_avx512, sgemm_schedule
from usl_core import Procedure

OUT = Path("out")
N = 1024


@dataclass(frozen=True, slots=True)
class Outcome:
    summary: str
    problems: tuple[str, ...] = ()


def tour_sgemm(screen: Screen) -> Outcome:
    """Schedule, show, check and time the matrix product."""
    screen.heading("SGEMM: C += A * B")
    plan = sgemm_schedule if has_avx512() else schedules.portable_sgemm
    fast = schedule(screen, schedules.sgemm, plan)
    rounds = 5 if screen.quick else 15
    with screen.rounds(f"timing {N} x {N} matrices", rounds) as on_round:
        report = gemm.measure(schedules.sgemm, fast, n=N, rounds=rounds, on_round=on_round)
    rates = {**report.gflops, "measured FMA peak": report.peak}
    rows = [(name, f"{rate:.1f}", f"{100 * rate / report.peak:.0f} %") for name, rate in rates.items()]
    screen.table(("", "GFLOP/s", "of peak"), rows)
    screen.say(
        f"every one of {report.accuracy.elements} elements is within the error bound of a sum of {N} products "
        f"(the worst uses {100 * report.accuracy.worst:.1f} % of it)"
        if report.accuracy.ok
        else "[red]a result is outside its error bound[/red]"
    )
    summary = f"SGEMM {report.gflops[gemm.SCHEDULED]:.1f} GFLOP/s, {100 * report.of_peak:.0f} % of the FMA peak"
    return Outcome(summary, tuple(report.problems))


def tour_blur(screen: Screen) -> Outcome:
    """Schedule, show, check and time the blur, and write the blurred photograph."""
    screen.heading("3x3 box blur of a photograph")
    plan = blur_schedule if has_avx512() else schedules.portable_blur
    fast = schedule(screen, schedules.box_blur, plan)
    photo, blurred, wrong = blur_photograph(screen, fast)
    rounds = 5 if screen.quick else 15
    with screen.rounds("timing {} x {} pixels".format(*pictures.FRAME), rounds) as on_round:
        report = blur.measure(schedules.box_blur, fast, pictures.read_grey(photo), rounds=rounds, on_round=on_round)
    screen.table(("", "ms"), [(name, f"{time:.2f}") for name, time in report.milliseconds.items()])
    screen.say(f"{report.gigabytes_per_second:.1f} GB/s of pixels read and written; the blurred photograph is {blurred}")
    problems = [f"{count} pixels differ from SciPy's ({name})" for name, count in wrong.items() if count]
    problems += [] if report.same else ["the frames differ between compilations of one program"]
    ratios = f"{report.over_unvectorised.median:.1f}x unvectorised C, {report.over_autovectorised.median:.1f}x auto-vectorised"
    return Outcome(f"blur {report.milliseconds[blur.SCHEDULED]:.1f} ms at 8K, {ratios}", tuple(problems))


def schedule(screen: Screen, plain: Procedure, plan: Callable[[Procedure], Procedure]) -> Procedure:
    """Show the plain procedure, the schedule, and what becomes of the one by the other."""
    screen.listing("what to compute", str(plain), "python")
    screen.listing("how: the schedule", inspect.getsource(plan), "python", limit=80)
    with screen.step("scheduling, every step proved"):
        fast = plan(plain)
    screen.listing("the scheduled procedure", str(fast), "python", limit=80)
    screen.listing("its C", fast.c_code(), "c")
    with screen.step("compiling"):
        fast.jit()
    return fast


def blur_photograph(screen: Screen, fast: Procedure) -> tuple[Path, Path, dict[str, int]]:
    """Blur the photograph and random pixels; the file read, the one written, and wrong pixels by picture."""
    import numpy as np

    photo = pictures.photograph_file(OUT)
    blurred = photo.with_name(photo.stem + "_blurred.png")
    pixels = pictures.read_grey(photo)
    noise = np.random.default_rng(0).integers(0, 65535, (1001, 1003), np.uint16, endpoint=True)
    kernel = fast.jit()
    with screen.step(f"blurring {photo} ({pixels.shape[0]} x {pixels.shape[1]}) and comparing with SciPy"):
        wrong = {photo.name: blur.wrong_pixels(kernel, pixels), "random pixels": blur.wrong_pixels(kernel, noise)}
        pictures.write_grey(blur.blur(kernel, pixels), blurred)
    return photo, blurred, wrong
