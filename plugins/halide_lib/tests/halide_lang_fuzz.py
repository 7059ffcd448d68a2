"""Random pipelines in Halide's language: `make fuzz WHAT=halide_lang PROGRAMS=1000 SEED=0`.

Each is evaluated by the oracle, by the target machine with either engine's bounds, and under a random
schedule of target rewrites; every tenth is compiled and run. Everything has to agree exactly (floats only in the exact modes).
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections import Counter
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from halide_pipelines import pipeline
from test_halide_bounds import check_confluence, exactness
from test_halide_rewrites import check_schedule


def compiled(seed: int) -> str:
    """Compile and run one pipeline of integers, and compare."""
    made = pipeline(seed, floats=False)
    got, want = made.output.realize(made.window), made.output.interpret(made.window, exact=False)
    pairs = zip(got, want, strict=True) if isinstance(got, tuple) else [(got, want)]
    for a, b in pairs:
        np.testing.assert_array_equal(np.asarray(a), b)
    return "compiled"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    counts: Counter[str] = Counter()
    start = time.time()
    for seed in range(given.seed, given.seed + given.programs):
        try:
            check_confluence(pipeline(seed))
            counts["confluent"] += 1
            counts.update(check_schedule(seed))
            if seed % 10 == 0:
                counts[compiled(seed)] += 1
        except Exception as error:
            code = getattr(error, "code", None)
            counts[code or "failed"] += 1
            if code not in ("E500", "E784"):
                print(f"seed {seed}:")
                traceback.print_exc()
                counts["failures"] += 1
    rate = exactness(given.programs, given.seed)
    print(f"{dict(counts)} in {time.time() - start:.0f} s; the engine is exact on {100 * rate:.1f} % of random expressions")
    return 1 if counts["failures"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
