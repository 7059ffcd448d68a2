"""Random programs in compiled C, compared with the interpreter: `make fuzz WHAT=soac_c PROGRAMS=200 SEED=7`.

Compared are results with shapes and types, and failing; after each run nothing is left on the heap. With `--hard` the programs
are those whose sizes depend on much. A statement that could have been a kernel but for a refusal of the core is counted.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
from collections import Counter
from functools import partial
from typing import Any

from soac_programs import RandomProgram, interpreted, outcome, random_program
from soac_size_programs import random_size_program

from usl_perceus import live_blocks
from usl_soac import arguments
from usl_soac.errors import SoacError
from usl_soac.modes import sizes_of_program
from usl_soac.running import Compiled


def check(seed: int, *, hard: bool = False, **options: Any) -> tuple[Counter[str], list[str]]:
    """What happened to the program of a seed: counts, and what is wrong. options are those of `Compiled`."""
    program = random_size_program(seed) if hard else random_program(seed)
    try:
        return compared(program, **options)
    except SoacError as error:
        return Counter({f"refused {error.code}": 1}), []
    except Exception as error:
        return Counter(), [f"program {seed}: {type(error).__name__}: {error}"]


def compared(program: RandomProgram, **options: Any) -> tuple[Counter[str], list[str]]:
    """Runs a program on its inputs."""
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    main = program.main()
    signature = main.__usl_soac__.signature
    invariant = sizes_of_program(main.core()).invariant
    compiled = Compiled(main.core(), **options)
    why = [each for reasons in compiled.outer.not_kernels.values() for each in reasons]
    counts += Counter(programs=1, kernels=len(compiled.outer.kernels), refused=sum("refused" in each for each in why))
    for args in program.inputs:
        expected = interpreted(main, args, invariant=invariant)
        if expected is None:
            counts["late"] += 1
            continue
        counts["failed" if expected == "failed" else "well"] += 1
        before = live_blocks()

        def run(args: tuple[Any, ...] = args) -> Any:
            results = compiled(arguments.converted(signature, args, False, lent=True))
            return arguments.given_back(signature.result, iter(results))

        found = outcome(run)
        if found != expected:
            wrong.append(f"program {program.seed}, input {args}: {found}, not {expected}")
        if live_blocks() != before:
            wrong.append(f"program {program.seed}, input {args}: {live_blocks() - before} blocks are left")
    return counts, wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--hard", action="store_true")
    given = parser.parse_args()
    total: Counter[str] = Counter()
    wrong: list[str] = []
    with multiprocessing.get_context("spawn").Pool(given.jobs, maxtasksperchild=50) as pool:
        seeds = range(given.seed, given.seed + given.programs)
        for counts, found in pool.imap_unordered(partial(check, hard=given.hard), seeds):
            total += counts
            wrong += found
            for each in found:
                print(each, flush=True)
    print(", ".join(f"{count} {what}" for what, count in sorted(total.items())), f"{len(wrong)} wrong", sep=", ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
