"""What array programs cost beyond their work: beside procedures written by hand, with and without tests, in memory.

The procedures by hand have the same schedules and are called from Python with results made by NumPy. Without tests are the same
programs compiled with `checked=False`, which is there for this only. Peak memory is what a call adds to a process at most that
gives each large array back to the system when it is freed: `python -m bench.soac.overheads NAME …` says it.
"""

from __future__ import annotations

import ctypes
import json
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bench.measure import Ratio, take_turns, timed
from bench.soac import kernels_by_hand as by_hand
from bench.soac.cases import CASES, Case
from usl_perceus import program as functional_program
from usl_soac import schedules
from usl_soac.decorators import Function
from usl_soac.running import Compiled

Call = Callable[..., Any]
EMPTY = np.empty
MEASURED_CALLS = 200_000
LARGE = 1 << 21
"""Bytes from which on peaks are compared: pages of the system are lost in less."""


@dataclass(frozen=True, slots=True)
class Overheads:
    """Of one program: how fast beside a procedure by hand, if there is one, and beside itself without tests; whether all gave
    the same."""

    case: Case
    by_hand: Ratio | None
    unchecked: Ratio
    agree: bool


def _matmul() -> Call:
    from usl_soac.schedules import soac_default

    run = soac_default(by_hand.matmul).jit()

    def call(a: Any, b: Any) -> Any:
        t = EMPTY((a.shape[0], b.shape[1]), np.float32)
        run(a.shape[0], b.shape[1], a.shape[1], a, b, t)
        return t

    return call


def _fig7() -> Call:
    run = schedules.soac_default(by_hand.fig7).jit()

    def call(a: Any) -> Any:
        t = EMPTY((a.shape[0], 2, a.shape[1]), np.float32)
        run(*a.shape, a, t)
        return t.reshape(a.shape[0], -1)

    return call


def _sobol() -> Call:
    run = schedules.in_vectors(by_hand.sobol, "i").jit()

    def call(n: int, v: Any) -> Any:
        t = EMPTY((n, len(v)), np.uint32)
        run(n, len(v), v, t)
        return t

    return call


def _scanned() -> Call:
    run = schedules.soac_default(by_hand.scanned).jit()

    def call(x: Any) -> Any:
        t = EMPTY(len(x), np.float32)
        run(len(x), x, t)
        return t

    return call


def _filtered() -> Call:
    run = schedules.soac_default(by_hand.filtered).jit()

    def call(x: Any) -> Any:
        k, t = EMPTY(1, np.int64), EMPTY(len(x), np.float32)
        run(len(x), x, k, t)
        return t[: k[0]]

    return call


def _nbody() -> Call:
    run = schedules.in_vectors(by_hand.nbody, "i").jit()

    def call(*bodies: Any) -> Any:
        n = len(bodies[0])
        results = tuple(EMPTY(n, np.float32) for _ in range(3))
        run(n, *bodies, *results)
        return results

    return call


BY_HAND: Mapping[str, Callable[[], Call]] = {
    "matmul": _matmul,
    "fig7": _fig7,
    "sobol": _sobol,
    "scanned": _scanned,
    "filtered": _filtered,
    "nbody": _nbody,
}


def measure(case: Case, rounds: int) -> Overheads:
    """One program."""
    data = [*case.data(np.random.default_rng(20))]
    fast = tuned(case, case.program())
    without = case.program().copied()
    without._compiled = Compiled(case.program().core(), checked=False)
    without = tuned(case, without)
    found = fast(*data)
    agree = _same(found, without(*data))
    contestants = {"USL": timed(lambda: fast(*data)), "unchecked": timed(lambda: without(*data))}
    hand = BY_HAND[case.name]() if case.name in BY_HAND else None
    if hand is not None:
        agree = agree and _same(found, hand(*data), case.tolerance)
        contestants["by hand"] = timed(lambda: hand(*data))
    del found
    timings = take_turns(contestants, rounds)
    return Overheads(
        case,
        timings.speedup("USL", "by hand") if hand is not None else None,
        timings.speedup("USL", "unchecked"),
        agree,
    )


def tuned(case: Case, program: Function) -> Any:
    """The program with its schedules."""
    schedule = getattr(case.source(), "tuned", None)
    return schedule(program) if schedule is not None else program


def _same(a: Any, b: Any, tolerance: float = 0) -> bool:
    first, second = (each if isinstance(each, tuple) else (each,) for each in (a, b))
    return all(np.allclose(x, y, rtol=tolerance, atol=tolerance) for x, y in zip(first, second, strict=True))


def peak(call: Callable[[], Any]) -> int:
    """The bytes that a call adds to the process at most: the second call, as the first one compiles.

    Raises:
        OSError: the system does not say.
    """
    status, reset = Path("/proc/self/status"), Path("/proc/self/clear_refs")
    call()
    reset.write_text("5", encoding="ascii")  # the peak is what there is now
    before = _kilobytes(status, "VmHWM")
    kept = call()
    added = 1024 * (_kilobytes(status, "VmHWM") - before)
    del kept
    return added


def peaks(names: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Bytes at the peak, ours and by hand, of programs in a process of their own; nothing where the system does not say."""
    asked = [sys.executable, "-m", "bench.soac.overheads", *names]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    found: dict[str, tuple[int, int]] = json.loads(done.stdout) if done.returncode == 0 else {}
    return found


def main() -> int:
    """Prints the peaks."""
    try:
        ctypes.CDLL(None).mallopt(-3, 1 << 20)  # M_MMAP_THRESHOLD: arrays of 1 MiB are given back when they are freed
        found = {}
        for name in sys.argv[1:]:
            case = next(each for each in CASES if each.name == name)
            data, fast, hand = case.data(np.random.default_rng(20)), tuned(case, case.program()), BY_HAND[name]()
            found[name] = [peak(partial(each, *data)) for each in (fast, hand)]
    except (OSError, AttributeError) as error:
        print(error, file=sys.stderr)
        return 1
    print(json.dumps(found))
    return 0


def _kilobytes(status: Path, what: str) -> int:
    for line in status.read_text(encoding="ascii").splitlines():
        if line.startswith(what + ":"):
            return int(line.split()[1])
    raise OSError(f"{status} has no {what}")


SMALL = """
@fun
def repeated(times: i64, x: array[f32]) -> f32:
    total = f32(0.0)
    for i in range(times):
        (n, y) = {function}(4, x)
        total = total + y[i % n]
    return total
"""


def nanoseconds_per_call(case: Case, *, checked: bool) -> float:
    """What a call from compiled code takes on four elements: sizes, tests, a new array, the kernel."""
    compiled = Compiled(case.program().core(), checked=checked)
    name = f"{compiled.function.name}_ext"
    text = compiled.outer.text + SMALL.format(function=name)
    repeated = functional_program(text, compiled.names, file="<calls>")["repeated"]
    x = np.array([1, 2, 3, 4], np.float32)
    seconds = []
    for _ in range(9):
        begin = time.perf_counter()
        repeated(MEASURED_CALLS, x)
        seconds.append(time.perf_counter() - begin)
    return 1e9 * sorted(seconds)[4] / MEASURED_CALLS


def everything(
    rounds: int, names: Sequence[str] = (), on_case: Callable[[Overheads], None] = lambda found: None
) -> list[Overheads]:
    """All programs, or those of these names."""
    results = []
    for case in CASES:
        if not names or case.name in names:
            results.append(measure(case, rounds))
            on_case(results[-1])
    return results


def small_calls() -> dict[str, tuple[float, float]]:
    """Nanoseconds per call on four elements, with tests and without."""
    cases = [each for each in CASES if each.name in ("filtered", "scanned")]
    return {each.title: (nanoseconds_per_call(each, checked=True), nanoseconds_per_call(each, checked=False)) for each in cases}


def goals(
    measured: Sequence[Overheads], calls: Mapping[str, tuple[float, float]], memory: Mapping[str, Sequence[int]]
) -> tuple[list[tuple[str, str, bool]], dict[str, Any]]:
    """What is wanted, what was reached, whether that is enough; and all numbers."""
    hand = {each.case.name: each.by_hand for each in measured if each.by_hand is not None}
    tests = {each.case.name: 1 - each.unchecked.median for each in measured}
    least, most = min(hand, key=lambda name: hand[name].median), max(tests, key=lambda name: tests[name])
    slowest = max(calls, key=lambda name: calls[name][0])
    text = f"least {hand[least].median:.2f} ({least}), of {len(hand)} programs"
    found = [("(c) 0.95 of a procedure by hand with the same schedule", text, hand[least].median >= 0.95)]
    text = f"most {100 * tests[most]:.1f} % ({most})"
    found.append(("(d) tests at most 1 % of the time", text, tests[most] <= 0.01))
    with_tests, without = calls[slowest]
    text = f"{with_tests:.0f} ns with all else, {without:.0f} ns without tests ({slowest})"
    found.append(("(d) sizes and tests of a call on 4 elements at most 100 ns", text, with_tests <= 100))
    large = {name: ours / by_hand for name, (ours, by_hand) in memory.items() if by_hand >= LARGE}
    if large:
        worst = max(large, key=lambda name: large[name])
        text = f"most {large[worst]:.2f} ({worst}), of {len(large)} programs"
        found.append(("(e) peak memory at most 1.1 of that by hand", text, large[worst] <= 1.1))
    numbers = {
        "by_hand": {name: {"median": each.median, "lower95": each.lower95} for name, each in hand.items()},
        "tests": tests,
        "calls_ns": calls,
        "peak_bytes": memory,
    }
    return found, numbers


def line(found: Overheads) -> str:
    """What is printed as soon as a program is measured."""
    hand = f"{found.by_hand.median:.2f} of it by hand, " if found.by_hand is not None else ""
    wrong = "" if found.agree else ", DIFFERENT RESULTS"
    return f"{found.case.title}: {hand}{found.unchecked.median:.3f} of it without tests{wrong}"


if __name__ == "__main__":
    sys.exit(main())
