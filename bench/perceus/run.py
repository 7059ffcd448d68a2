"""The programs of Reinking 2022, §4.4: our C against other systems, CPU time and peak memory, in turns, medians.

Times are CPU seconds of all threads of the process, start-up included. Goals are ratios of medians in the same run.
"""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.perceus import programs
from bench.perceus.contestants import FLAGS, OURS, PROGRAMS, Contestant, build_ours, peers, with_mimalloc
from bench.perceus.process import Run, available_gigabytes, build_launcher, run
from usl_core import probe

SIZES: Mapping[str, tuple[int, ...]] = {
    "rbtree": (4_200_000,),
    "rbtree_i64": (4_200_000,),
    "rbtree_random": (1_000_000,),
    "rbtree_ck": (4_200_000,),
    "deriv": (10,),
    "nqueens": (13,),
    "cfold": (20,),
    "tmap_fbip": (100_000, 1000),
    "tmap_plain": (100_000, 1000),
    "list_map": (100_000, 1000),
    "list_map_shared": (100_000, 1000),
    "hash_numbers": (1_000_000,),
    "tree_numbers": (1_000_000,),
    "hash_words": (3_000_000,),
}

LARGE: Mapping[str, tuple[int, ...]] = {"rbtree": (42_000_000,), "rbtree_ck": (42_000_000,)}
"""The sizes of Reinking 2022, §4.4, where they differ."""
LARGE_GIGABYTES: Mapping[str, int] = {"rbtree": 4, "rbtree_ck": 16}
"""What the most wasteful contestant needs for them."""
OFF_ROUNDS = 2
"""Each optimisation that is switched off is measured that often: there are many, and their differences are large."""


@dataclass(frozen=True, slots=True)
class Goal:
    """Our median time is to be at most this part of the peer's."""

    program: str
    peer: str
    ratio: float


GOALS = (
    Goal("rbtree", "OCaml", 0.47),
    Goal("rbtree", "C++", 0.55),
    Goal("rbtree_random", "C++", 0.6),
    Goal("rbtree_ck", "OCaml", 0.40),
    Goal("deriv", "OCaml", 0.90),
    Goal("nqueens", "OCaml", 0.45),
    Goal("cfold", "OCaml", 0.31),
    Goal("list_map", "C++", 1.1),
    Goal("tmap_fbip", "OCaml", 0.18),
)
PEAK_MEGABYTES: Mapping[str, float] = {"rbtree": 131, "rbtree_ck": 1149, "deriv": 456, "nqueens": 96, "cfold": 155}
"""What Koka 3.1.1 takes at most, measured on a machine of the same kind at these sizes.

Its rbtree has keys of 32 bits, its rbtree-ck of 64."""


@dataclass(slots=True)
class Result:
    """Of one program: the runs of each contestant, and who is missing and why."""

    program: str
    runs: dict[str, list[Run]] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)
    sizes: tuple[int, ...] = ()

    def seconds(self, name: str) -> float:
        return statistics.median(one.seconds for one in self.runs[name])

    def megabytes(self, name: str) -> float:
        return statistics.median(one.megabytes for one in self.runs[name])


def measure(
    names: Sequence[str] = PROGRAMS,
    *,
    sizes: Mapping[str, tuple[int, ...]] = SIZES,
    rounds: int = 5,
    off: Sequence[str] | None = None,
    on_program: Callable[[Result], None] = lambda result: None,
) -> list[Result]:
    """Runs each program that sizes has in all systems, taking turns.

    off: which optimisations to switch off, one at a time; None: each.
    """
    from usl_perceus.passes import OPTIONAL

    switches = sorted(OPTIONAL) if off is None else list(off)
    results = []
    with tempfile.TemporaryDirectory(prefix="usl-perceus-") as temporary:
        folder = Path(temporary)
        launcher = build_launcher(folder)
        others = peers(folder / "peers", java_gigabytes=max(LARGE_GIGABYTES.values()) if sizes is LARGE else None)
        for name in (name for name in names if name in sizes):
            results.append(_measure(name, sizes[name], rounds, switches, others, launcher, folder))
            on_program(results[-1])
    return results


def _measure(
    name: str,
    sizes: tuple[int, ...],
    rounds: int,
    switches: Sequence[str],
    others: Sequence[Contestant],
    launcher: Path,
    folder: Path,
) -> Result:
    program = getattr(programs, name)
    result = Result(name, sizes=sizes)
    commands: dict[str, list[str]] = {OURS: [str(build_ours(program, folder / name / "all"))]}
    commands[f"{OURS} with malloc"] = [str(build_ours(program, folder / name / "malloc", flags=(*FLAGS, "-DUSL_MALLOC")))]
    if probe.program("clang") is not None:
        commands[f"{OURS} with clang"] = [str(build_ours(program, folder / name / "clang", command=("clang",)))]
    mimalloc = with_mimalloc(commands[f"{OURS} with malloc"])
    if mimalloc is not None:
        commands[f"{OURS} with mimalloc"] = list(mimalloc)
    for switch in switches:
        commands[f"{OURS} without {switch}"] = [str(build_ours(program, folder / name / switch, off=[switch]))]
    if switches:
        commands[f"{OURS} without any"] = [str(build_ours(program, folder / name / "none", off=switches))]
    for other in others:
        if name not in other.programs:
            result.missing[other.name] = "there is no such program"
        elif other.command is None:
            result.missing[other.name] = other.missing
        else:
            commands[other.name] = list(other.command)
    arguments = [name, *map(str, sizes)]
    order = list(commands)
    for turn in range(rounds + 1):  # the first does not count
        for contestant in order if turn % 2 == 0 else reversed(order):
            if contestant in result.missing or (" without " in contestant and turn > OFF_ROUNDS):
                continue
            check = ["check"] if turn == 0 and contestant.startswith(OURS) else []
            one = run(launcher, [*commands[contestant], *arguments, *check])
            if one is None:
                result.missing[contestant] = "the run failed"
                result.runs.pop(contestant, None)
            elif turn > 0:
                result.runs.setdefault(contestant, []).append(one)
    return result


def large(*, rounds: int = 3, on_program: Callable[[Result], None] = lambda result: None) -> tuple[list[Result], list[str]]:
    """The programs with large sizes, as far as there is memory for them, and what is left out."""
    free = available_gigabytes()
    left_out = [f"{name}: needs {need} GB, {free:.0f} are free" for name, need in LARGE_GIGABYTES.items() if free < need]
    names = [name for name, need in LARGE_GIGABYTES.items() if free >= need]
    results = measure(names, sizes=LARGE, rounds=rounds, off=(), on_program=on_program) if names else []
    return results, left_out


def problems(results: Sequence[Result]) -> list[str]:
    """What must not be: a program of ours that fails, or systems that disagree."""
    found = []
    for result in results:
        if OURS not in result.runs:
            found.append(f"{result.program}: our program fails")
            continue
        outputs = {one.output for runs in result.runs.values() for one in runs}
        if len(outputs) > 1:
            found.append(f"{result.program}: the results differ: {', '.join(sorted(outputs))}")
        found += [f"{result.program}: {name}: {why}" for name, why in result.missing.items() if name.startswith(OURS)]
    return found


def goals(results: Sequence[Result]) -> list[dict[str, Any]]:
    """Each goal that can be judged: the ratio reached, and whether it is enough."""
    found: list[dict[str, Any]] = []
    by_name = {result.program: result for result in results}
    for goal in GOALS:
        result = by_name.get(goal.program)
        if result is not None and OURS in result.runs and goal.peer in result.runs:
            reached = result.seconds(OURS) / result.seconds(goal.peer)
            text = f"{goal.program} at most {goal.ratio} of {goal.peer}"
            found.append({"goal": text, "reached": reached, "met": reached <= goal.ratio})
    for name, most in PEAK_MEGABYTES.items():
        result = by_name.get(name)
        if result is not None and OURS in result.runs:
            peak = result.megabytes(OURS)
            found.append({"goal": f"{name} in at most {most:.0f} MB", "reached": peak, "met": peak <= most})
    return found


def table(result: Result) -> list[str]:
    """The rows of one program, ours first: seconds, ratio to ours, megabytes."""
    base = result.seconds(OURS) if OURS in result.runs else None
    lines = [f"{result.program} {' '.join(map(str, result.sizes))}"]
    for name in sorted(result.runs, key=lambda name: (not name.startswith(OURS), name)):
        ratio = f"{result.seconds(name) / base:6.2f} x" if base else " " * 8
        lines.append(f"  {name:48} {result.seconds(name):8.3f} s {ratio} {result.megabytes(name):8.0f} MB")
    return lines + [f"  {name:48} {why}" for name, why in result.missing.items()]


def summary(results: Sequence[Result]) -> dict[str, Any]:
    """What goes into the JSON file."""
    return {
        "programs": {
            result.program: {
                "sizes": result.sizes,
                "runs": {
                    name: {
                        "seconds": result.seconds(name),
                        "megabytes": result.megabytes(name),
                        "all": [one.seconds for one in runs],
                    }
                    for name, runs in result.runs.items()
                },
                "missing": result.missing,
            }
            for result in results
        },
        "goals": goals(results),
    }
