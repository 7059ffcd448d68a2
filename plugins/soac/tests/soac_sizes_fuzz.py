"""Random programs, the interpreter compared with the sized core after each pass: `make fuzz WHAT=soac_sizes PROGRAMS=10000`.

Compared are results with shapes, and failing. The work of the sized core must stay within the bound of docs/soac.md.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
from collections import Counter
from functools import partial

from soac_agree import Passes, bound
from soac_corners import corner_program
from soac_form_programs import random_form_program
from soac_loop_programs import random_loop_program
from soac_programs import random_program
from soac_size_programs import random_size_program
from soac_stage_programs import random_stage_program

from usl_core.deep import deep
from usl_soac import arguments
from usl_soac.errors import SoacError
from usl_soac.interp import OutOfFuel

KINDS = {
    "plain": random_program,
    "hard": random_size_program,
    "forms": random_form_program,
    "loops": random_loop_program,
    "stages": random_stage_program,
    "corners": corner_program,
}
LONG = 200
"""A run of more work counts for the largest ratio."""


def check(seed: int, *, exact: bool = False, kind: str = "plain") -> tuple[Counter[str], float, list[str]]:
    """What happened to the program of a seed: counts, the largest ratio of work, what is wrong."""
    return deep(partial(_check, seed, exact, kind))


def _check(seed: int, exact: bool, kind: str) -> tuple[Counter[str], float, list[str]]:
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    worst = 0.0
    program = KINDS[kind](seed)
    try:
        main = program.main()
        passes = Passes(main.core())
    except SoacError as error:
        return Counter({f"refused {error.code}": 1}), worst, wrong
    except Exception as error:
        return counts, worst, [f"program {seed}: {type(error).__name__}: {error}"]
    sized = passes.sized
    counts["programs"] += 1
    counts.update(each.mode.value for each in sized.functions.values())
    for args in program.inputs:
        values = arguments.converted(main.__usl_soac__.signature, args, exact)
        try:
            result = passes.runs(values, exact=exact)
        except OutOfFuel:
            counts["out of fuel"] += 1
            continue
        except Exception as error:  # Unguarded, or a mistake of ours
            wrong.append(f"program {seed}: {type(error).__name__}: {error}")
            continue
        counts["runs"] += 1
        counts["failing"] += result.expected.failure is not None
        wrong += [f"program {seed}: {name} differs" for name in result.differences]
        if result.expected.failure is None:
            # The call counts too.
            ratio = result.others["ext"].work / max(result.expected.work, 1)
            if ratio > bound(sized):
                wrong.append(f"program {seed}: {ratio:.1f} times the work")
            if result.expected.work > LONG:
                worst = max(worst, ratio)
    return counts, worst, wrong


def _summary(total: Counter[str], largest: float, failed: int) -> str:
    shown = ", ".join(f"{count} {what}" for what, count in sorted(total.items()))
    return f"{shown}; work at most {largest:.2f} times; {failed} wrong"


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--first", "--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--exact", action="store_true")
    parser.add_argument(
        "--kind",
        choices=KINDS,
        default="plain",
        help="hard: sizes depend on much; forms: what is rare elsewhere; loops: that end by data; corners: the same each time",
    )
    options = parser.parse_args()
    total: Counter[str] = Counter()
    largest = 0.0
    failed = 0
    with multiprocessing.Pool(options.jobs) as pool:
        seeds = range(options.first, options.first + options.programs)
        for counts, ratio, wrong in pool.imap_unordered(
            partial(check, exact=options.exact, kind=options.kind), seeds, chunksize=16
        ):
            total.update(counts)
            largest = max(largest, ratio)
            failed += len(wrong)
            for line in wrong:
                print(line, flush=True)
            if total["programs"] % 250 == 0:
                print(_summary(total, largest, failed), file=sys.stderr, flush=True)
    print(_summary(total, largest, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
