"""The two parts of the demonstration that are timed. Each returns its line of the summary and what went wrong."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from pathlib import Path

from bench import blur, pictures
from bench import sgemm as gemm
from demo.schedules import Plan, blur_plan, sgemm_plan
from demo.screen import Screen, function_text
from usl_c11.backend import C11
from usl_core import Procedure

OUT = Path("out")
N = 1024


@dataclass(frozen=True, slots=True)
class Outcome:
    summary: str
    problems: tuple[str, ...] = ()


def tour_sgemm(screen: Screen, *, portable: bool) -> Outcome:
    """Schedule, show, check and time the matrix product."""
    screen.heading("SGEMM: C += A * B")
    plan = sgemm_plan(portable=portable)
    fast = schedule(screen, plan)
    rounds, slow_rounds = (5, 1) if screen.quick else (15, gemm.SLOW_ROUNDS)
    with screen.rounds(f"checking and timing {N} x {N} matrices", rounds + slow_rounds) as on_round:
        report = gemm.measure(
            plan.plain, fast, options=plan.options, n=N, rounds=rounds, slow_rounds=slow_rounds, on_round=on_round
        )
    rates = {**report.gflops, "measured FMA peak": report.peak}
    rows = [(name, f"{rate:.1f}", f"{100 * rate / report.peak:.1f} %") for name, rate in rates.items()]
    screen.table(("", "GFLOP/s", "of peak"), rows)
    for shape, checked in (((N, N, N), report.accuracy), (gemm.ODD_SHAPE, report.odd_accuracy)):
        if checked.ok:
            screen.say(
                "{} x {} x {}: ".format(*shape) + f"each of {checked.elements} elements is within its error bound "
                f"(the worst uses {100 * checked.worst:.1f} % of it)"
            )
    summary = f"SGEMM {report.gflops[gemm.SCHEDULED]:.1f} GFLOP/s, {100 * report.of_peak:.0f} % of the FMA peak"
    return Outcome(summary, tuple(report.problems))


def tour_blur(screen: Screen, *, portable: bool) -> Outcome:
    """Schedule, show, check and time the blur, and write the blurred photograph."""
    screen.heading("3x3 box blur of a photograph")
    plan = blur_plan(portable=portable)
    fast = schedule(screen, plan)
    photo, wrong = blur_photograph(screen, plan, fast)
    rounds = 5 if screen.quick else 15
    with screen.rounds("timing {} x {} pixels".format(*pictures.FRAME), rounds) as on_round:
        report = blur.measure(
            plan.plain, fast, pictures.read_grey(photo), options=plan.options, rounds=rounds, on_round=on_round
        )
    screen.table(("", "ms"), [(name, f"{time:.2f}") for name, time in report.milliseconds.items()])
    screen.say(f"{report.gigabytes_per_second:.1f} GB/s of pixels read and written")
    for name, ratio in ((blur.UNVECTORISED, report.over_unvectorised), (blur.AUTOVECTORISED, report.over_autovectorised)):
        screen.say(f"{ratio.median:.2f} times as fast as {name} (at least {ratio.lower95:.2f} with 95 % confidence)")
    problems = [f"{count} pixels differ from SciPy's ({name})" for name, count in wrong.items() if count]
    problems += [] if report.same else ["the frames differ between compilations of one program"]
    ratios = f"{report.over_unvectorised.median:.1f}x unvectorised C, {report.over_autovectorised.median:.1f}x auto-vectorised"
    return Outcome(f"blur {report.milliseconds[blur.SCHEDULED]:.1f} ms at 8K, {ratios}", tuple(problems))


def schedule(screen: Screen, plan: Plan) -> Procedure:
    """Show the plain procedure, the schedule, and what becomes of the one by the other."""
    screen.listing("what to compute", str(plan.plain), "python")
    how = "\n\n".join(inspect.getsource(function).rstrip() for function in (plan.schedule, *plan.helpers))
    screen.listing("how: the schedule", how, "python")
    with screen.step("scheduling, every step proved"):
        fast = plan.schedule(plan.plain)
    screen.listing("the scheduled procedure", str(fast), "python")
    files = C11().emit([fast.ir], fast.name())
    OUT.mkdir(parents=True, exist_ok=True)
    for name in (f"{fast.name()}.c", f"{fast.name()}.h"):
        (OUT / name).write_text(files[name], encoding="utf-8")
    code = files[f"{fast.name()}.c"]
    title = f"its C (all of it, with the checks on entry, is in {OUT / fast.name()}.c)"
    screen.listing(title, function_text(code, f"{fast.name()}_body") or code, "c")
    with screen.step("compiling"):
        fast.jit(**plan.options)
    return fast


def blur_photograph(screen: Screen, plan: Plan, fast: Procedure) -> tuple[Path, dict[str, int]]:
    """Blur the photograph and random pixels; the file read, and wrong pixels by picture."""
    import numpy as np

    photo = pictures.photograph_file(OUT)
    blurred = photo.with_name(photo.stem + "_blurred.png")
    pixels = pictures.read_grey(photo)
    noise = np.random.default_rng(0).integers(0, 65535, (1001, 1003), np.uint16, endpoint=True)
    kernel = fast.jit(**plan.options)
    with screen.step(f"blurring {photo} ({pixels.shape[0]} x {pixels.shape[1]}) and comparing with SciPy"):
        wrong = {photo.name: blur.wrong_pixels(kernel, pixels), "random pixels": blur.wrong_pixels(kernel, noise)}
        pictures.write_grey(blur.blur(kernel, pixels), blurred)
    if not any(wrong.values()):
        screen.say(f"every pixel is SciPy's; written: {blurred}")
    return photo, wrong
