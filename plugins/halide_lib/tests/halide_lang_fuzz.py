"""Theorem 2.2 by testing: `make fuzz WHAT=halide_lang PROGRAMS=20000 SEED=0`, and `--report` for what was counted so far.

PROGRAMS counts pairs of a random pipeline and a random schedule whose program, run state by state, computes what the oracle
says, exactly. The next pair is for a cell with few (halide_confluence.py says what a cell is). Every 40th pipeline is
also compared unscheduled with the bounds of both engines, and under rewrites in any order; every 20th pair goes through the
procedure, its operators and C. Counts add up in .cache/halide_lang.json (--file another one, --fresh from nothing).
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import sys
import time
import traceback
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from halide_confluence import Cell, cells, check, pair
from halide_pipelines import pipeline
from halide_through_c import compiled
from test_halide_bounds import check_confluence, exactness
from test_halide_rewrites import check_schedule

WANTED = 200
"""How many pairs are wanted of each cell."""

SLOW = 10
"""A trial that takes so many seconds of processor time is shown."""


class Counts:
    """What was counted, in a file."""

    def __init__(self, path: Path, fresh: bool) -> None:
        self.path = path
        old: dict[str, Any] = json.loads(path.read_text()) if path.exists() and not fresh else {}
        self.cells: Counter[str] = Counter(old.get("cells", {}))
        self.refused: Counter[str] = Counter(old.get("refused", {}))
        self.totals: Counter[str] = Counter(old.get("totals", {}))
        self.compiled: Counter[str] = Counter(old.get("compiled", {}))

    def save(self) -> None:
        """Write the file."""
        self.path.parent.mkdir(exist_ok=True)
        content = {"cells": self.cells, "refused": self.refused, "totals": self.totals, "compiled": self.compiled}
        self.path.write_text(json.dumps(content, indent=0, sort_keys=True))

    def report(self) -> str:
        """The counts as a table."""
        known = {str(cell): self.cells[str(cell)] for cell in cells()}
        reached = {each: n for each, n in known.items() if n}
        lines = [f"{'directive':14} {'tail':6} {'stage':8} predicate  equal  refused"]
        lines += [f"{each:41} {n:6} {self.refused[each]:8}" for each, n in sorted(known.items())]
        low = sum(n < WANTED for n in reached.values())
        lines.append(f"{len(reached)} of {len(known)} cells were reached, {low} of them less than {WANTED} times")
        lines.append(", ".join(f"{n} {what}" for what, n in sorted(self.totals.items())))
        lines.append("through C: " + ", ".join(f"{n} {what}" for what, n in self.compiled.most_common(30)))
        return "\n".join(lines)

    def poorest(self, chosen: random.Random) -> Cell:
        """One of the cells with few pairs; those that are refused again and again come last."""

        def order(cell: Cell) -> tuple[int, float]:
            text = str(cell)
            return min(self.cells[text], WANTED) + self.refused[text] // 40, chosen.random()

        return min(cells(), key=order)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--file", type=Path, default=Path(".cache/halide_lang.json"))
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--no-c", action="store_true")
    given = parser.parse_args()
    counts = Counts(given.file, given.fresh)
    if given.report:
        print(counts.report())
        return 0
    start, failures, done = time.monotonic(), 0, 0
    for number in itertools.count():
        if done >= given.programs or time.monotonic() - start > given.seconds:
            break
        seed = given.seed * 10_000_019 + number
        cell, began = counts.poorest(random.Random(seed)), time.process_time()
        try:
            done += one(counts, seed, cell, done, given.no_c)
        except Exception:
            failures += 1
            counts.totals["failures"] += 1
            print(f"FAILED seed {seed}, {cell}", flush=True)
            traceback.print_exc(limit=-5)
        if time.process_time() - began > SLOW:
            print(f"slow: seed {seed}, {cell}: {time.process_time() - began:.0f} s", flush=True)
        if number % 50 == 0:
            counts.save()
    counts.save()
    rate = exactness(500, given.seed)
    print(counts.report())
    print(f"{done} pairs in {time.monotonic() - start:.0f} s; {failures} failures; exact on {100 * rate:.1f} % of expressions")
    return 1 if failures else 0


def one(counts: Counts, seed: int, cell: Cell, done: int, no_c: bool) -> int:
    """One trial; 1 if it is a pair.

    Raises:
        AssertionError: something is computed wrongly. Whatever else is no UslError is a failure too.
    """
    if seed % 40 == 0:
        check_confluence(pipeline(seed))
        check_schedule(seed)
        counts.totals["unscheduled pipelines"] += 1
    made = pair(seed, cell)
    if made is None or not check(made, seed):
        counts.refused[str(cell)] += 1
        return 0
    counts.cells.update({str(each): 1 for each in made.cells})
    counts.refused[str(cell)] += cell not in made.cells  # nothing slides
    counts.totals["pairs"] += 1
    if done % 20 == 0 and not no_c:
        counts.compiled.update(compiled(seed, cell))
    return 1


if __name__ == "__main__":
    raise SystemExit(main())
