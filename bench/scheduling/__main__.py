"""`python -m bench.scheduling [shapes|growth|limits|all]`: measure, print, write bench/results/scheduling.json and a picture.

`--only gemm` (or the name of an operator) measures just that and writes nothing. `--markdown` measures nothing and writes the
tables of docs/performance.md from the last results.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench import report
from bench.scheduling import markdown, plot, run

NAME = "scheduling"
PARTS = ("shapes", "growth", "limits")


def measure(parts: Sequence[str] = PARTS, only: Sequence[str] = (), processes: int = run.PROCESSES) -> dict[str, Any]:
    """The measurements of these parts; a line is printed for each as it comes."""
    found: dict[str, Any] = {}
    if "shapes" in parts:
        found["shapes"] = run.shapes(only, processes, lambda line: print(line, flush=True))
    if "growth" in parts:
        found["growth"] = run.growth(only)
        for name, operator in found["growth"].items():
            print(growth_line(name, operator))
    if "limits" in parts:
        found["limits"] = run.limits(only, lambda line: print(line, flush=True))
    return found


def growth_line(name: str, operator: dict[str, Any]) -> str:
    shown = [
        f"{way} {curve['times_20']:6.2f}x (n^{curve['exponent']:.2f})" if "exponent" in curve else f"{way} refused"
        for way, curve in operator["curves"].items()
    ]
    return f"{name:24} {operator['class']:10} {'   '.join(shown)}"


def stored() -> dict[str, Any]:
    """The last results, or nothing."""
    file = report.RESULTS / f"{NAME}.json"
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.scheduling", description="Measure how long scheduling takes.")
    parser.add_argument("part", nargs="?", choices=[*PARTS, "all"], default="all")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="only these shapes, operators, or limits")
    parser.add_argument("--processes", type=int, default=run.PROCESSES, metavar="N", help="cold runs of each schedule")
    parser.add_argument("--markdown", action="store_true", help="write the tables of docs/performance.md from the last results")
    chosen = parser.parse_args(arguments)
    if chosen.markdown:
        write_page(Path("docs"), stored())
        return 0
    parts = PARTS if chosen.part == "all" else (chosen.part,)
    found = measure(parts, chosen.only, chosen.processes)
    if not chosen.only:
        write(found)
    return 0


def write(found: dict[str, Any]) -> None:
    """Store what was measured; parts that were not keep their last results."""
    before = {part: value for part, value in stored().items() if part in PARTS}
    print(f"written: {report.write(NAME, before | found)}")
    write_plots(found)


def write_page(docs: Path, results: dict[str, Any]) -> None:
    print(f"written: {markdown.refresh(docs / 'performance.md', results)}")
    if "growth" in results:
        print(f"written: {plot.growth(results['growth'], docs / 'scheduling-growth.svg')}")


def write_plots(found: dict[str, Any]) -> None:
    if "growth" in found:
        print(f"written: {plot.growth(found['growth'], report.RESULTS / f'{NAME}-growth.svg')}")


if __name__ == "__main__":
    sys.exit(main())
