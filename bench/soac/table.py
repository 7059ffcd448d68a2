"""The table of array programs, and the goals: ratios against each peer with the lower ends of their 95 % intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import geometric_mean
from typing import Any

from bench.soac.run import NOT_WRITTEN, OURS, Result

PEERS = ("JAX", "Numba", "NumPy")


@dataclass(frozen=True, slots=True)
class Goal:
    """A goal, what was reached, and whether that is enough."""

    text: str
    reached: str
    met: bool


def line(result: Result) -> str:
    """What is printed as soon as a program is measured."""
    times = ", ".join(f"{name} {result.milliseconds(name):.2f} ms" for name in result.timings.seconds)
    missing = "".join(f"; {name}: {why}" for name, why in result.missing.items() if why != NOT_WRITTEN)
    return f"{result.case.title}: {times}{missing}"


def _ratio(result: Result, peer: str) -> str:
    found = result.speedup(peer)
    return f"{found.median:.2f} ({found.lower95:.2f})" if found is not None else "–"


def _best(result: Result) -> float | None:
    peer = result.best_peer()
    found = result.speedup(peer) if peer is not None else None
    return found.median if found is not None else None


def rates(result: Result) -> str:
    """Operations and bytes a second."""
    seconds = result.timings.median(OURS)
    parts = [f"{result.case.work / seconds / 1e9:.0f} G/s"] if result.case.work else []
    parts += [f"{result.case.moved / seconds / 1e9:.1f} GB/s"] if result.case.moved else []
    return ", ".join(parts) or "–"


def goals(results: Sequence[Result]) -> list[Goal]:
    """The goals that these measurements decide."""
    jax = [found.median for each in results if (found := each.speedup("JAX")) is not None]
    best = [found for each in results if (found := _best(each)) is not None]
    found: list[Goal] = []
    if jax:
        twice = sum(ratio >= 2 for ratio in jax)
        enough = twice >= 11 and geometric_mean(jax) >= 3 and min(jax) >= 1
        reached = f"{twice} of {len(jax)}, mean {geometric_mean(jax):.2f}, least {min(jax):.2f}"
        found.append(Goal("(a) twice as fast as JAX on 11 programs, mean 3, none slower", reached, enough))
    if best:
        mean = geometric_mean(best)
        found.append(Goal("(b) mean 1.5 over the best peer of each row", f"{mean:.2f}", mean >= 1.5))
    loops = [each.case.name for each in results if each.in_loops]
    sizes = [each.case.name for each in results if each.existential]
    found.append(Goal("(e) no allocation in a loop", ", ".join(loops) or "none", not loops))
    found.append(
        Goal("(e) no size that comes with a result but that of filter", ", ".join(sizes) or "none", sizes in ([], ["filtered"]))
    )
    slowest = max(results, key=lambda each: each.compiling)
    text = "(g) Python's part of compiling at most 0.5 s, without schedules"
    found.append(Goal(text, f"{slowest.compiling:.2f} s for {slowest.case.name}", slowest.compiling <= 0.5))
    return found


def markdown(results: Sequence[Result], versions: Mapping[str, str], reached: Sequence[Goal]) -> str:
    """The table as a page."""
    head = [
        "program",
        "lines",
        "ours, ms",
        *(f"{peer}, ms" for peer in PEERS),
        *(f"× {peer}" for peer in PEERS),
        "rate",
        "goal",
    ]
    rows = [head, ["---"] * len(head)]
    for each in results:
        times = [f"{each.milliseconds(peer):.2f}" if peer in each.timings.seconds else "–" for peer in PEERS]
        ratios = [_ratio(each, peer) for peer in PEERS]
        rows.append(
            [
                each.case.title,
                str(each.lines),
                f"{each.milliseconds(OURS):.2f}",
                *times,
                *ratios,
                rates(each),
                f"{each.case.goal:g}",
            ]
        )
    told = ", ".join(f"{name} {version}" for name, version in versions.items()) or "no peers"
    lines = [
        "# Array programs",
        "",
        f"One core, medians of turns; × is how many times faster, with the lower end of 95 %. {told}.",
        "",
    ]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    missing = [f"- {each.case.title}: {name}: {why}" for each in results for name, why in each.missing.items()]
    lines += ["", *missing, *(f"- {'met' if each.met else 'missed'}: {each.text}: {each.reached}" for each in reached), ""]
    return "\n".join(lines)


def summary(results: Sequence[Result], versions: Mapping[str, str], reached: Sequence[Goal]) -> dict[str, Any]:
    """What goes into the JSON file."""
    return {
        "versions": dict(versions),
        "goals": [{"goal": each.text, "reached": each.reached, "met": each.met} for each in reached],
        "programs": [
            {
                "name": each.case.name,
                "title": each.case.title,
                "lines": each.lines,
                "milliseconds": {name: each.milliseconds(name) for name in each.timings.seconds},
                "ratios": {
                    peer: {"median": found.median, "lower95": found.lower95}
                    for peer in PEERS
                    if (found := each.speedup(peer)) is not None
                },
                "first_call_s": each.first,
                "python_compiling_s": each.compiling,
                "allocations_in_loops": each.in_loops,
                "goal": each.case.goal,
                "missing": each.missing,
                "wrong": each.wrong,
            }
            for each in results
        ],
    }
