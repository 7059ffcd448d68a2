"""`python -m tests.fuzz --steps N --seed S`: the random soundness test, with a table of what was accepted and refused."""

from __future__ import annotations

import argparse
import sys
import time

from tests.fuzz.harness import available, fuzz
from tests.fuzz.registry import ACTIONS
from tests.fuzz.shrink import shrink


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--steps", type=int, default=2000, help="operators to try (default 2000)")
    parser.add_argument("--seed", type=int, default=0, help="decides programs, steps and data (default 0)")
    parser.add_argument("--only", nargs="+", metavar="OPERATOR", help="try these operators only")
    parser.add_argument("--failures", type=int, default=1, help="stop after so many failures (default 1)")
    options = parser.parse_args()
    unknown = set(options.only or ()) - set(ACTIONS)
    if unknown:
        parser.error(f"no such operator: {', '.join(sorted(unknown))}")
    started = time.monotonic()

    def progress(done: int) -> None:
        if sys.stderr.isatty():
            print(f"\r{done}/{options.steps} steps", end="", file=sys.stderr, flush=True)

    tally = fuzz(options.steps, options.seed, options.only, stop_at=options.failures, progress=progress)
    if sys.stderr.isatty():
        print(file=sys.stderr)
    missing = [name for name in ACTIONS if name not in available()]
    print(tally.table())
    if missing:
        print(f"not there: {', '.join(missing)}")
    for failure in tally.failures:
        print()
        print(shrink(failure).report())
    verdict = "FAILED" if tally.failures else "passed"
    print(f"fuzz {verdict}: seed {options.seed}, {time.monotonic() - started:.0f} s")
    return 1 if tally.failures else 0


if __name__ == "__main__":
    sys.exit(main())
