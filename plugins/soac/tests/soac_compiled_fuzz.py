"""Random programs in compiled C, compared with the interpreter: `make fuzz WHAT=soac_c PROGRAMS=200 SEED=7`.

Compared are results with shapes and types, and failing; a call leaves its arguments as they are and nothing on the heap, and
calls at the same time do not disturb each other. One of eight has its kernels in vectors, where there are any. Many are
compiled together, as one run of the C compiler costs most. `--kind` chooses programs as in `soac_sizes_fuzz`. Counted, too, are
statements that are no kernels as the core refuses them.
"""

from __future__ import annotations

import argparse
import copy
import multiprocessing
import re
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from soac_programs import RandomProgram, interpreted, outcome, plain
from soac_sizes_fuzz import KINDS

from usl_perceus import live_blocks
from usl_perceus import program as functional_program
from usl_soac import arguments, core, pipeline, schedules
from usl_soac.decorators import Function
from usl_soac.errors import SoacError
from usl_soac.modes import sizes_of_program
from usl_soac.running import Compiled
from usl_soac.traverse import walk

TOGETHER = 8
"""So many programs are compiled at once."""
_EXCEPTION = re.compile(r"@exception\nclass (Failed\d+):\n(?:    .*\n)+")


@dataclass
class Made:
    """A program with its outer code."""

    program: RandomProgram
    main: Function
    compiled: Compiled


def check(seed: int, *, kind: str = "plain", **options: Any) -> tuple[Counter[str], list[str]]:
    """What happened to the program of a seed: counts, and what is wrong. options are those of `Compiled`."""
    return checked([KINDS[kind](seed)], **options)


def checked(programs: Sequence[RandomProgram], **options: Any) -> tuple[Counter[str], list[str]]:
    """The same for some programs, compiled together."""
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    made: list[Made] = []
    for program in programs:
        try:
            main = apart(program).functions()[f"main_{program.seed}"]
            compiled = Compiled(main.core(), **options)
            if program.seed % TOGETHER == TOGETHER - 1 and schedules.has_vectors():
                parallel, kernels = program.seed // TOGETHER % 2 == 1, compiled.kernels.items()
                compiled = compiled.scheduled({name: schedules.soac_default(each, parallel=parallel) for name, each in kernels})
                counts["scheduled"] += len(compiled.kernels)
            made.append(Made(program, main, compiled))
        except SoacError as error:
            counts[f"refused {error.code}"] += 1
        except Exception as error:
            wrong.append(f"program {program.seed}: {type(error).__name__}: {error}")
    if len(made) > 1:
        try:
            compile_together([each.compiled for each in made])
        except Exception as error:  # each by itself says which
            print(f"programs {[each.program.seed for each in made]}: {type(error).__name__}: {error}", flush=True)
    for each in made:
        try:
            wrong += compared(each, counts)
        except Exception as error:
            wrong.append(f"program {each.program.seed}: {type(error).__name__}: {error}")
    return counts, wrong


def apart(program: RandomProgram) -> RandomProgram:
    """The program with names of functions that no other has."""
    names = re.findall(r"^def (\w+)\(", program.text, re.MULTILINE)
    pattern = re.compile(rf"\b({'|'.join(names)})\b")
    return replace(program, text=pattern.sub(lambda found: f"{found[1]}_{program.seed}", program.text))


def compile_together(programs: Sequence[Compiled]) -> None:
    """The outer codes of programs as one program."""
    exceptions: dict[str, str] = {}
    texts: list[str] = []
    names: dict[str, object] = {}
    for each in programs:
        exceptions |= {found[1]: found[0] for found in _EXCEPTION.finditer(each.outer.text)}
        texts.append(_EXCEPTION.sub("", each.outer.text))
        names |= each.names
    text = "\n".join([*exceptions.values(), *texts])
    definitions = functional_program(text, names, file="<outer code>")
    for each in programs:
        each.__dict__["definitions"] = definitions


def compared(made: Made, counts: Counter[str]) -> list[str]:
    """Runs a program on its inputs; what is wrong."""
    signature = made.main.__usl_soac__.signature
    invariant = sizes_of_program(made.main.core()).invariant
    why = [each for reasons in made.compiled.outer.not_kernels.values() for each in reasons]
    counts.update(programs=1, kernels=len(made.compiled.outer.kernels), refused=sum("refused" in each for each in why))
    done = [each.value for function in made.compiled.program.functions for each in walk(function.body)]
    counts["filters in two stages"] += sum(isinstance(each, core.Count) for each in done)
    counts["calls in two stages"] += sum(isinstance(each, core.Call) and each.part is core.Part.HEAD for each in done)
    wrong: list[str] = []

    def run(args: tuple[Any, ...]) -> Any:
        results = made.compiled(arguments.converted(signature, args, False, lent=True))
        return arguments.given_back(signature.result, iter(results))

    for args in made.program.inputs:
        expected = interpreted(made.main, args, invariant=invariant)
        if expected is None:
            counts["late"] += 1
            continue
        counts["failed" if expected == "failed" else "well"] += 1
        kept, before = copy.deepcopy(args), live_blocks()
        where = f"program {made.program.seed}, input {args}"
        found = outcome(partial(run, args))
        if found != expected:
            wrong.append(f"{where}: {found}, not {expected}")
        if live_blocks() != before:
            wrong.append(f"{where}: {live_blocks() - before} blocks are left")
        with ThreadPoolExecutor(3) as pool:
            again = list(pool.map(lambda _: outcome(partial(run, args)), range(3)))  # noqa: B023
        if again != [expected] * 3:
            wrong.append(f"{where}: {again} in three threads, not {expected}")
        if _plain(args) != _plain(kept):
            wrong.append(f"{where}: the arguments were {kept}")
    return wrong


def _plain(args: Any) -> Any:
    return [_plain(each) if isinstance(each, tuple) else plain(np.asarray(each)) for each in args]


def _batch(seeds: Sequence[int], kind: str) -> tuple[Counter[str], list[str]]:
    if kind == "stages":  # functions that stand in no caller, so that it is called for what they give, in every other batch
        pipeline.MOST_COPIED = 4 if seeds[0] // TOGETHER % 2 else 128
    return checked([KINDS[kind](seed) for seed in seeds])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--kind", choices=KINDS, default="plain")
    given = parser.parse_args()
    total: Counter[str] = Counter()
    wrong: list[str] = []
    last = given.seed + given.programs
    batches = [range(seed, min(seed + TOGETHER, last)) for seed in range(given.seed, last, TOGETHER)]
    with multiprocessing.get_context("spawn").Pool(given.jobs, maxtasksperchild=20) as pool:
        for counts, found in pool.imap_unordered(partial(_batch, kind=given.kind), batches):
            total += counts
            wrong += found
            for each in found:
                print(each, flush=True)
    print(", ".join(f"{count} {what}" for what, count in sorted(total.items())), f"{len(wrong)} wrong", sep=", ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
