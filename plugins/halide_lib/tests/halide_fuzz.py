"""Random schedules of random procedures against the interpreter: `make fuzz WHAT=halide STEPS=1000 SEED=0`.

STEPS counts the schedules that were applied for each cell: a directive, with each tail if it divides loops. A refusal counts
apart; it must be one DirectiveError with a line. Whatever else happens is a failure, and is shown with its seed.
"""

from __future__ import annotations

import argparse
import itertools
import random
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from halide_programs import CELLS, outputs, random_program, random_schedule
from halide_senseless import attempt

from usl_core.errors import Undecided
from usl_halide_lib import DirectiveError


def trial(seed: str, cell) -> str:
    """Apply one schedule and compare: "applied", or what kind of refusal it was.

    Raises:
        AssertionError: the results differ, or a refusal has no line. Any other exception is a failure as well.
    """
    rng = random.Random(seed)
    program = random_program(rng, *cell)
    p = program.procedure()
    try:
        s = random_schedule(rng, program, p, cell)
        scheduled = s.apply()
    except DirectiveError as error:
        assert error.span is not None and error.span.line > 0, "a refusal without a line"
        assert error.code.startswith("E77") or error.code.startswith("E78"), error.code
        str(error)
        return f"{error.code} {error.message[error.message.index(':') + 2 if ':' in error.message else 0 :][:60]}"
    for _ in range(3):
        sizes, number = program.sizes(rng), rng.randrange(1 << 30)
        found = outputs(scheduled, program, sizes, number)
        assert found is not None, f"the assertions exclude the sizes {sizes}"
        assert found == outputs(p, program, sizes, number), f"sizes {sizes}"
    return "applied"


class Tally:
    """What came of trials, by cell."""

    def __init__(self) -> None:
        self.applied: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self.why: Counter[str] = Counter()
        self.failures = 0

    def count(self, label: str, seed: str, run: Callable[[str], str]) -> None:
        """Run one trial and count what came of it."""
        try:
            outcome = run(seed)
        except (Exception, Undecided):
            self.failures += 1
            print(f"FAILED {seed}\n{traceback.format_exc(limit=-4)}", flush=True)
            outcome = "failed"
        (self.applied if outcome == "applied" else self.refused)[label] += 1
        if outcome != "applied":
            self.why[f"{label}: {outcome}"] += 1

    def show(self, refusals: bool) -> None:
        """Print the counts."""
        width = max(map(len, {*self.applied, *self.refused}), default=0)
        for label in sorted({*self.applied, *self.refused}):
            print(f"{label:{width}}  {self.applied[label]:6} applied  {self.refused[label]:6} refused")
        if refusals:
            for text, count in self.why.most_common(60):
                print(f"{count:5}  {text}")
        totals = sum(self.applied.values()), sum(self.refused.values())
        print(f"{totals[0]} applied and equal, {totals[1]} refused, {self.failures} failed", flush=True)


def run_cells(tally: Tally, options: argparse.Namespace) -> None:
    """Trials of each cell in turn, until so many schedules of it were applied, or most of many were refused."""
    cells = [cell for cell in CELLS if options.cell in ("", cell[0])]
    start = time.monotonic()
    for number in itertools.count():
        if not cells:
            return
        for cell in list(cells):
            if time.monotonic() - start > options.seconds:
                return
            label = cell[0] + (f" {cell[1].name}" if cell[1] else "")
            tally.count(label, f"{options.seed}/{number}/{label}", partial(trial, cell=cell))
            if tally.applied[label] >= options.steps or tally.refused[label] > 20 * options.steps + 100:
                cells.remove(cell)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cell", default="")
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--refusals", action="store_true", help="show what was refused most")
    parser.add_argument("--nonsense", type=int, default=0, metavar="N", help="instead run N schedules that make no sense")
    options = parser.parse_args()
    tally = Tally()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        if options.nonsense:
            for number in range(options.nonsense):
                tally.count("nonsense", f"{options.seed}/{number}", attempt)
        else:
            run_cells(tally, options)
    except KeyboardInterrupt:
        print("stopped")
    tally.show(options.refusals)
    return bool(tally.failures)


if __name__ == "__main__":
    sys.exit(main())
