"""`python -m bench NAME`: measure (BENCHMARKS has the names, `all` is all of them), print, and write bench/results/NAME.json.

`perceus-large` is perceus with the largest trees, for which all needs 16 GB; it is not part of `all`.
Exit status 1 if a result is wrong or a figure cannot be trusted (above the measured peak, say).
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from bench import report

Outcome = tuple[dict[str, Any], list[str]]
"""What goes into the JSON file, and what is wrong with it."""


def run_peak(rounds: int) -> Outcome:
    from bench.peak import best_variant, fma_peak
    from usl_avx512.cpu import cpu_features

    features = cpu_features()
    peak = fma_peak(features, repeats=rounds)
    print(f"FMA peak of one core, {best_variant(features).name}: {peak:.1f} GFLOP/s")
    return {"gflops": peak, "registers": best_variant(features).name}, []


def run_gemm(name: str, rounds: int) -> Outcome:
    from bench import gemm, versus

    result = versus.run_pinned("bench.gemm", name, "--rounds", str(max(rounds, 15)))
    result["parallel"] = run_threads(name, rounds)
    return against_libraries(name, f"{name.upper()} on one core", result, gemm.judge(result))


def run_threads(name: str, rounds: int) -> dict[str, Any]:
    """Products on two threads; writes their table."""
    from bench import gemm, versus

    result = versus.run_pinned("bench.gemm", name, "--rounds", str(max(rounds, 15)), "--threads", "2")
    report.RESULTS.mkdir(parents=True, exist_ok=True)
    (report.RESULTS / f"{name}_threads.md").write_text(gemm.threads_markdown(result), encoding="utf-8")
    return result


def run_products(rounds: int) -> Outcome:
    from bench import products, versus

    results: dict[str, Any] = {}
    problems: list[str] = []
    report.RESULTS.mkdir(parents=True, exist_ok=True)
    for name in ("sgemm", "dgemm"):
        result = versus.run_pinned("bench.products", name, "--rounds", str(max(rounds, 7)))
        (report.RESULTS / f"gemm_{name}_behind.md").write_text(products.behind(result), encoding="utf-8")
        for missing in result["missing"]:
            print(f"not compared with {missing}")
        for goal in (missed := products.judge(result)):
            print(f"{name} missed: {goal}")
        results[name] = result | {"missed": missed, "threads": run_threads(name, rounds)}
        problems += result["wrong"]
    return results, problems


def against_libraries(name: str, title: str, result: dict[str, Any], missed: list[str]) -> Outcome:
    """Write the table and the plot of a measurement by `bench.versus`, and print the goals that were missed."""
    from bench import versus

    rows = [versus.Row.from_json(row) for row in result["rows"]]
    table = versus.markdown(rows, result["peak_gflops"])
    report.RESULTS.mkdir(parents=True, exist_ok=True)
    (report.RESULTS / f"{name}.md").write_text(table, encoding="utf-8")
    versus.roofline(rows, result["peak_gflops"], result["bandwidth_gbs"], title, report.RESULTS / f"{name}.png")
    for missing in result["missing"]:
        print(f"not compared with {missing}")
    for goal in missed:
        print(f"missed: {goal}")
    above = [f"{row.case.name} is above the measured peak" for row in rows if row.gflops(versus.OURS) > result["peak_gflops"]]
    return result | {"missed": missed}, above


def run_sgemm(rounds: int) -> Outcome:
    return run_gemm("sgemm", rounds)


def run_dgemm(rounds: int) -> Outcome:
    return run_gemm("dgemm", rounds)


def run_conv(rounds: int) -> Outcome:
    from bench import conv

    result = conv.in_environment(max(rounds, 15))
    return against_libraries("conv", "Convolutions on one core", result, conv.judge(result))


def run_lowp(rounds: int) -> Outcome:
    from bench import versus

    result = versus.run_pinned("bench.lowp", "--rounds", str(max(rounds, 15)))
    report.RESULTS.mkdir(parents=True, exist_ok=True)
    for missing in result["missing"]:
        print(f"not compared with {missing}")
    for kind, table in result["tables"].items():
        rows = [versus.Row.from_json(row) for row in table["rows"]]
        (report.RESULTS / f"lowp_{kind}.md").write_text(versus.markdown(rows, table["peak_gflops"]), encoding="utf-8")
        for goal in table["missed"]:
            print(f"{kind} missed: {goal}")
    return result, result["problems"]


def run_nn(rounds: int) -> Outcome:
    from bench import nn, versus

    result = versus.run_pinned("bench.nn", "--rounds", str(max(rounds, 15)))
    report.RESULTS.mkdir(parents=True, exist_ok=True)
    (report.RESULTS / "nn.md").write_text(nn.markdown(result["rows"]), encoding="utf-8")
    for missing in result["missing"]:
        print(f"not compared with {missing}")
    for goal in (missed := nn.missed(result["rows"])):
        print(f"missed: {goal}")
    return result | {"missed": missed}, result["problems"]


def run_compilers(rounds: int) -> Outcome:
    from bench import compilers, instructions

    result = compilers.measure()
    report.RESULTS.mkdir(parents=True, exist_ok=True)
    (report.RESULTS / "compilers.md").write_text(table := compilers.markdown(result["rows"]), encoding="utf-8")
    print(table)
    single = [row | {"compiler": Path(each).name} for each in compilers.commands() for row in instructions.measure(each)]
    (report.RESULTS / "compilers_instructions.md").write_text(instructions.markdown(single), encoding="utf-8")
    print(instructions.summary(single))
    result["instructions"] = single
    return result, compilers.problems(result["rows"])


def run_functions(rounds: int) -> Outcome:
    from bench import functions, versus

    result = versus.run_pinned("bench.functions", "--rounds", str(max(rounds, 15)))
    report.RESULTS.mkdir(parents=True, exist_ok=True)
    (report.RESULTS / "functions.md").write_text(functions.markdown(result["rows"]), encoding="utf-8")
    for missing in result["missing"]:
        print(f"not compared with {missing}")
    for goal in (missed := functions.missed(result["rows"])):
        print(f"missed: {goal}")
    return result | {"missed": missed}, result["problems"]


def run_blas(rounds: int) -> Outcome:
    from bench import blas12, versus

    results, problems = {}, []
    report.RESULTS.mkdir(parents=True, exist_ok=True)
    for letter, name in (("s", "single"), ("d", "double")):
        result = versus.run_pinned("bench.blas12", letter, "--rounds", str(max(rounds, 15)))
        rows = [versus.Row.from_json(row) for row in result["rows"]]
        file = report.RESULTS / f"blas_{name}"
        file.with_suffix(".md").write_text(blas12.markdown(rows, result["bandwidth_gbs"]), encoding="utf-8")
        counted = [row for row in rows if row.case.flops > 0]
        bandwidth = max(result["bandwidth_gbs"].values())
        title = f"BLAS level 1 and 2 on one core, {name} precision"
        versus.roofline(counted, result["peak_gflops"], bandwidth, title, file.with_suffix(".png"))
        for missing in result["missing"]:
            print(f"not compared with {missing}")
        means = {group: (ratio.median, ratio.lower95) for group, ratio in blas12.means(rows).items()}
        for group, (median, lower) in means.items():
            print(f"{name} precision, {group}: {median:.3f} of the best peer in geometric mean (lower bounds: {lower:.3f})")
        for goal in (missed := blas12.judge(result)):
            print(f"missed: {goal}")
        results[name] = result | {"means": means, "missed": missed}
        problems += [
            f"{row.case.name} is above the measured peak" for row in rows if row.gflops(versus.OURS) > result["peak_gflops"]
        ]
    return results, problems


def run_blur(rounds: int) -> Outcome:
    from bench import blur, pictures
    from demo.schedules import blur_plan
    from usl_avx512 import has_avx512

    plan = blur_plan(portable=not has_avx512())
    picture = pictures.read_grey(pictures.photograph_file(Path("out")))
    result = blur.measure(plan.plain, plan.schedule(plan.plain), picture, options=plan.options, rounds=rounds)
    for name, time in result.milliseconds.items():
        print(f"{name:40} {time:8.2f} ms")
    for name, ratio in (("-fno-tree-vectorize", result.over_unvectorised), ("-march=native", result.over_autovectorised)):
        print(f"scheduled over {name}: {ratio.median:.2f} (lower 95 % bound {ratio.lower95:.2f})")
    summary = {
        "shape": result.shape,
        "milliseconds": result.milliseconds,
        "useful_gigabytes_per_second": result.gigabytes_per_second,
        "over_unvectorised": {"median": result.over_unvectorised.median, "lower95": result.over_unvectorised.lower95},
        "over_autovectorised": {"median": result.over_autovectorised.median, "lower95": result.over_autovectorised.lower95},
        "seconds": dict(result.timings.seconds),
    }
    return summary, [] if result.same else ["the contestants' pictures differ"]


def run_perceus(rounds: int) -> Outcome:
    from bench.perceus import calls
    from bench.perceus.run import goals, measure, problems, summary, table

    figures = calls.measure(min(rounds, 5))
    print("\n".join(["from Python", *calls.table(figures)]), flush=True)
    results = measure(rounds=min(rounds, 5), on_program=lambda result: print("\n".join(table(result)), flush=True))
    for goal in goals(results):
        print(f"{'met   ' if goal['met'] else 'missed'} {goal['goal']}: {goal['reached']:.2f}")
    return summary(results) | {"calls": {each.what: each.value for each in figures}}, problems(results)


def run_perceus_large(rounds: int) -> Outcome:
    from bench.perceus.run import large, problems, summary, table

    results, left_out = large(rounds=min(rounds, 3), on_program=lambda result: print("\n".join(table(result)), flush=True))
    for line in left_out:
        print(f"left out: {line}")
    return summary(results), problems(results)


def run_soac(rounds: int) -> Outcome:
    from bench.soac import overheads, run, table

    rounds = min(rounds, 15)
    results, versions = run.everything(rounds, on_case=lambda each: print(table.line(each), flush=True))
    beside = overheads.everything(rounds, on_case=lambda each: print(overheads.line(each), flush=True))
    reached, further = overheads.goals(beside, overheads.small_calls(), overheads.peaks(list(overheads.BY_HAND)))
    goals = [*table.goals(results), *(table.Goal(*each) for each in reached)]
    for goal in goals:
        print(f"{'met   ' if goal.met else 'missed'} {goal.text}: {goal.reached}")
    report.RESULTS.mkdir(parents=True, exist_ok=True)
    (report.RESULTS / "soac.md").write_text(table.markdown(results, versions, goals), encoding="utf-8")
    wrong = [wrong for each in results for wrong in each.wrong]
    wrong += [f"{each.case.name}: other results by hand or without tests" for each in beside if not each.agree]
    return {**table.summary(results, versions, goals), "overheads": further}, wrong


def run_calls(rounds: int) -> Outcome:
    from bench import calls

    figures = calls.measure(rounds)
    report.RESULTS.mkdir(parents=True, exist_ok=True)
    (report.RESULTS / "calls.md").write_text(table := calls.markdown(figures), encoding="utf-8")
    print(table)
    for goal in (missed := calls.judge(figures)):
        print(f"missed: {goal}")
    return {"microseconds": {each.what: each.microseconds for each in figures}, "missed": missed}, []


def run_rerun(rounds: int) -> Outcome:
    from bench import rerun

    figures, problems = rerun.measure(min(rounds, 5))
    report.RESULTS.mkdir(parents=True, exist_ok=True)
    (report.RESULTS / "rerun.md").write_text(table := rerun.markdown(figures), encoding="utf-8")
    print(table)
    for goal in (missed := rerun.judge(figures)):
        print(f"missed: {goal}")
    return {**rerun.summary(figures), "missed": missed}, problems


def run_scheduling(rounds: int) -> Outcome:
    from bench.scheduling.__main__ import measure, write_plots

    found = measure(processes=min(rounds, 3))
    write_plots(found)
    return found, []


def run_gallery(rounds: int) -> Outcome:
    for library in ("OPENBLAS", "MKL", "OMP"):  # one core for everybody; they look when NumPy is loaded
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")
    from bench import gallery

    return gallery.run(rounds)


def run_gemmini(rounds: int) -> Outcome:
    from bench import gemmini

    rows = gemmini.measure()
    table = gemmini.markdown(rows)
    report.RESULTS.mkdir(parents=True, exist_ok=True)
    (report.RESULTS / "gemmini.md").write_text(table, encoding="utf-8")
    print(table)
    return gemmini.as_json(rows), gemmini.judge(rows)


def run_resnet(rounds: int) -> Outcome:
    from bench import resnet

    result = resnet.measure()
    table = resnet.markdown(result)
    report.RESULTS.mkdir(parents=True, exist_ok=True)
    (report.RESULTS / "resnet.md").write_text(table, encoding="utf-8")
    print(table)
    return resnet.as_json(result), resnet.judge(result)


def run_images(rounds: int) -> Outcome:
    from bench import images

    rows = images.measure(rounds)
    table = images.markdown(rows)
    report.RESULTS.mkdir(parents=True, exist_ok=True)
    (report.RESULTS / "images.md").write_text(table, encoding="utf-8")
    print(table)
    for goal in (missed := images.judge(rows)):
        print(f"missed: {goal}")
    return {"rows": rows, "missed": missed}, []


def run_halide(rounds: int) -> Outcome:
    from bench import halide

    rows = halide.measure(rounds, halide.chosen())
    seconds = halide.chain()
    measured = [row for row in rows if "error" not in row]
    print(f"geometric mean {halide.geometric_mean(measured):.2f}; bounds of a chain of 100 stages {seconds:.2f} s")
    for goal in (missed := halide.judge(rows, seconds)):
        print(f"missed: {goal}")
    return {"rows": rows, "chain": seconds, "missed": missed}, []


BENCHMARKS: dict[str, Callable[[int], Outcome]] = {
    "peak": run_peak,
    "gemm": run_products,
    "sgemm": run_sgemm,
    "dgemm": run_dgemm,
    "conv": run_conv,
    "lowp": run_lowp,
    "nn": run_nn,
    "functions": run_functions,
    "compilers": run_compilers,
    "blas": run_blas,
    "blur": run_blur,
    "perceus": run_perceus,
    "scheduling": run_scheduling,
    "calls": run_calls,
    "soac": run_soac,
    "rerun": run_rerun,
    "gallery": run_gallery,
    "gemmini": run_gemmini,
    "resnet": run_resnet,
    "images": run_images,
    "halide": run_halide,
}
LARGE: dict[str, Callable[[int], Outcome]] = {"perceus-large": run_perceus_large}
"""What takes so much memory that it is only done if it is asked for."""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure kernels against the machine and others.")
    parser.add_argument("what", nargs="?", choices=[*BENCHMARKS, *LARGE, "all"], default="all")
    parser.add_argument("--rounds", type=int, default=25, metavar="N", help="how often each contestant runs (default 25)")
    chosen = parser.parse_args(arguments)
    if chosen.rounds < 1:
        parser.error("--rounds must be at least 1")
    problems: list[str] = []
    for name in BENCHMARKS if chosen.what == "all" else [chosen.what]:
        result, found = (BENCHMARKS | LARGE)[name](chosen.rounds)
        print(f"written: {report.write(name, result | {'problems': found})}\n")
        problems += [f"{name}: {problem}" for problem in found]
    for problem in problems:
        print(f"problem: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
