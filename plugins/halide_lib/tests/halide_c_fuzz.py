"""Pairs through compiled C in batches: `make fuzz WHAT=halide_c PROGRAMS=2000 SEED=0`.

As `halide_through_c`, but many programs make one C file, which gcc compiles once at -O1: the subject is what directives make of
a pipeline. Loops are cut at borders in one of twenty, as the proofs of that take most of the time. PROGRAMS counts pairs.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).parent))

from halide_confluence import Cell, cells
from halide_through_c import Trial, trial

from usl_c11.batch import jit_all
from usl_core import Procedure
from usl_halide_lib.lang import realize

TOGETHER = 40
"""How many programs are one C file."""

SLOW = 5
"""Seconds of processor time after which a program is left out: it is the number of pairs that counts."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--file", type=Path, default=Path(".cache/halide_c.json"))
    given = parser.parse_args()
    signal.signal(signal.SIGVTALRM, _ring)
    start, numbers = time.monotonic(), itertools.count(given.seed * 10_000_019)
    counts: Counter[str] = Counter(json.loads(given.file.read_text()) if given.file.exists() else {})
    done, failures = 0, 0
    waiting: Waiting = []
    while done < given.programs and time.monotonic() - start < given.seconds:
        equal, wrong = batch(numbers, counts, waiting)
        done, failures = done + equal, failures + wrong
        given.file.parent.mkdir(exist_ok=True)
        given.file.write_text(json.dumps(counts, indent=0, sort_keys=True))
        print(f"{done} equal, {failures} failures, {time.monotonic() - start:.0f} s", flush=True)
    print(", ".join(f"{n} {what}" for what, n in counts.most_common(60)))
    return 1 if failures else 0


class TooSlow(BaseException):
    """Scheduling a program takes too long."""


def _ring(*_: object) -> None:
    raise TooSlow


class Another(Exception):
    """A directive was refused when the program ran, so that it is another program: one for the next batch."""


Waiting = list[tuple[int, Cell, Trial]]


def batch(numbers: itertools.count[int], counts: Counter[str], waiting: Waiting) -> tuple[int, int]:
    """Compile and run some programs: how many were equal, and how many failed. waiting are those from the batch before."""
    made, failures, equal = [*waiting], 0, 0
    waiting.clear()
    while len(made) < TOGETHER:
        seed = next(numbers)
        cell = random.Random(seed).choice(cells())
        signal.setitimer(signal.ITIMER_VIRTUAL, SLOW)
        try:
            found = trial(seed, cell, most=3 if cell.directive == "compute_with" or seed % 8 == 0 else 2, cut=0.05)
            counts["programs" if found else "no pair"] += 1
            if found and found.attempt(found.output.procedure) is not None:
                made.append((seed, cell, found))
        except TooSlow:
            counts["left out, as scheduling takes long"] += 1
        except Exception:
            failures += failed(seed, cell, counts)
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    procedures = [found.output.procedure() for _, _, found in made]
    named = [replace(each.ir, name=f"p{number}") for number, each in enumerate(procedures)]
    compiled = jit_all(named, "halide_batch", flags=["-O1"])
    known = {each: compiled[f"p{number}"] for number, each in enumerate(procedures)}

    def jitted(procedure: Procedure) -> Callable[..., object]:
        if procedure not in known:
            raise Another
        return known[procedure]

    with patch.object(realize, "jitted", jitted):
        for seed, cell, found in made:
            try:
                counts.update(found.run())
                equal += 1
            except Another:
                waiting.append((seed, cell, found))
            except Exception:
                failures += failed(seed, cell, counts)
    return equal, failures


def failed(seed: int, cell: Cell, counts: Counter[str]) -> int:
    """Show a failure."""
    counts["failures"] += 1
    print(f"FAILED seed {seed}, {cell}", flush=True)
    traceback.print_exc(limit=-5)
    return 1


if __name__ == "__main__":
    raise SystemExit(main())
