"""Random schedules of random procedures against the interpreter: `make fuzz WHAT=halide STEPS=1000 SEED=0`.

STEPS counts the schedules that were applied for each cell: a directive, with each tail if it divides loops. A refusal counts
apart; it must be one DirectiveError with a line. Whatever else happens is a failure, and is shown with its seed.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
import traceback
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from halide_programs import CELLS, outputs, random_program, random_schedule

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


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cell", default="")
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--refusals", action="store_true")
    options = parser.parse_args()
    cells = [cell for cell in CELLS if options.cell in ("", cell[0])]
    applied: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    why: Counter[str] = Counter()
    failures = 0
    start = time.monotonic()
    number = 0
    while cells and time.monotonic() - start < options.seconds:
        for cell in list(cells):
            label = cell[0] + (f" {cell[1].name}" if cell[1] else "")
            seed = f"{options.seed}/{number}/{label}"
            try:
                outcome = trial(seed, cell)
            except (Exception, Undecided):
                failures += 1
                print(f"FAILED {seed}\n{traceback.format_exc(limit=-4)}", flush=True)
                outcome = "failed"
            (applied if outcome == "applied" else refused)[label] += 1
            if outcome != "applied":
                why[f"{label}: {outcome}"] += 1
            if applied[label] >= options.steps or refused[label] > 20 * options.steps + 100:
                cells.remove(cell)
        number += 1
    width = max(map(len, {*applied, *refused}), default=0)
    for label in sorted({*applied, *refused}):
        print(f"{label:{width}}  {applied[label]:6} applied  {refused[label]:6} refused")
    if options.refusals:
        for text, count in why.most_common(60):
            print(f"{count:5}  {text}")
    print(f"{sum(applied.values())} applied and equal, {sum(refused.values())} refused, {failures} failed", flush=True)
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
