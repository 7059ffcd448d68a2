"""How the time of one operator call grows with the procedure, for every operator.

Three ways to grow: `beside`, more statements that have nothing to do with the place; `deeper`, more loops around it; `uses`,
more statements that use the buffer or field that the operator works on. The procedure is new each time, so that only what
parsing it has left behind is known of it; what solvers remember of equal questions is warm.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
import time
from collections.abc import Sequence
from typing import Any

from bench.scheduling.cases import CASES, FORMALS, Case
from bench.scheduling.kernels_growth import Cfg, ones
from usl_core import Procedure, proc_from_source
from usl_core.errors import UslError

SIZES = {"beside": (1, 5, 20, 100), "deeper": (1, 5, 20), "uses": (1, 5, 20, 100)}
"""How many times the statements of the block there are: n = 20 is a procedure twenty times as long."""
REPEATS = 5
FACTOR = 1.5
"""A procedure twenty times as long may take this much longer for an operator whose check stays at its place."""

FILLER = "for q in seq(0, 8):\n    for r in seq(0, 8):\n        g{0}[8 * q + r] = g{1}[8 * q + r] + 1.0"
FILLERS = 4


def program(case: Case, way: str, n: int) -> tuple[Procedure, Sequence[Any]]:
    """The procedure of size n, and cursors to the statements of the case's block."""
    extra = [FILLER.format(k % FILLERS, (k + 1) % FILLERS) for k in range(n - 1)] if way == "beside" else []
    uses = [case.use] * (n - 1) if way == "uses" else []
    before, after = extra[: len(extra) // 2], [*uses, *extra[len(extra) // 2 :]]
    body, depth = "\n".join([*before, case.block, *after]), n - 1 if way == "deeper" else 0
    for level in range(depth):
        body = f"for d{level} in seq(0, 2):\n{indent(body)}"
    formals = ", ".join([FORMALS, *(f"g{k}: f32[64]" for k in range(FILLERS))])
    p = proc_from_source(f"def grown({formals}):\n{indent(body)}\n", {"Cfg": Cfg, "ones": ones})
    block = p.body()
    for _ in range(depth):
        block = block[0].body()
    statements = sum(not line.startswith(" ") for line in case.block.split("\n"))
    return p, [block[len(before) + k] for k in range(statements)]


def indent(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.split("\n"))


def seconds(case: Case, way: str, n: int) -> float:
    """CPU time of one call, on a procedure that is new."""
    p, at = program(case, way, n)
    began = time.process_time_ns()
    case.apply(p, at)
    return (time.process_time_ns() - began) / 1e9


def curve(case: Case, way: str, repeats: int = REPEATS) -> dict[str, Any]:
    """Median milliseconds by size; the exponent of the power that fits them, and what twenty times the size costs."""
    sizes = SIZES[way]
    seconds(case, way, 1)  # what is imported or compiled at the first use
    times = {n: [] for n in sizes}  # type: ignore[var-annotated]
    for _ in range(repeats):
        for n in sizes:
            times[n].append(seconds(case, way, n))
    medians = {n: 1e3 * statistics.median(values) for n, values in times.items()}
    return {"milliseconds": medians, "exponent": exponent(medians), "times_20": medians[20] / medians[1]}


def exponent(values: dict[int, float]) -> float:
    """The slope of the line through the logarithms, by least squares."""
    xs, ys = [math.log(n) for n in values], [math.log(value) for value in values.values()]
    return statistics.linear_regression(xs, ys).slope


def classify(curves: dict[str, Any]) -> str:
    """`local`, `uses` (of the buffer or field), or `procedure`, by what twenty times the size costs, depth apart."""
    for way, kind in (("beside", "procedure"), ("uses", "uses")):
        if curves.get(way, {}).get("times_20", 0.0) > FACTOR:
            return kind
    return "local"


def measure(operators: Sequence[str] = (), repeats: int = REPEATS) -> dict[str, Any]:
    """All curves of the operators named, or of all, with each one's class."""
    found: dict[str, Any] = {}
    for case in CASES:
        if operators and case.operator not in operators:
            continue
        curves: dict[str, Any] = {}
        for way in SIZES:
            if way == "uses" and not case.use:
                continue
            try:
                curves[way] = curve(case, way, repeats)
            except UslError as error:
                curves[way] = {"refused": error.message}
        found[case.operator] = {"class": classify(curves), "curves": curves}
    return found


def uncovered() -> set[str]:
    """Operators without a case."""
    from usl_core.scheduling import OPERATORS

    return {operator.__name__ for operator in OPERATORS} - {case.operator for case in CASES}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.scheduling.growth", description="Print the curves as JSON.")
    parser.add_argument("operators", nargs="*")
    parser.add_argument("--repeats", type=int, default=REPEATS)
    chosen = parser.parse_args(arguments)
    json.dump(measure(chosen.operators, chosen.repeats), sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
