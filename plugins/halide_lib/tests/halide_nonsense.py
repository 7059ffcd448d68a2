"""Schedules that make no sense: one message with a line, or a program; no traceback, and no C before all is well.

`make fuzz WHAT=halide_nonsense PROGRAMS=20000 SEED=0`; every 100th also goes to the procedure's operators.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from pathlib import Path
from typing import Any
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).parent))

from usl_core import Procedure
from usl_core.errors import UslError
from usl_halide_lib import LoopAlignStrategy, TailStrategy, hl
from usl_halide_lib.directives import Collected
from usl_halide_lib.directives import Func as Given
from usl_halide_lib.lang.collect import collect
from usl_halide_lib.lang.inference import infer
from usl_halide_lib.lang.scheduling import scheduled

CALLS = {
    "split": "vnnki", "tile": "vvnnkk", "fuse": "vvn", "reorder": "vv", "rename": "vn", "serial": "v", "parallel": "vki",
    "vectorize": "vki", "unroll": "vki", "compute_at": "fv", "compute_root": "", "compute_inline": "", "store_at": "fv",
    "store_root": "", "hoist_storage": "fv", "store_in": "m", "fold_storage": "vk", "align_storage": "vk",
    "bound_storage": "vk", "bound": "vkk", "bound_extent": "vk", "align_bounds": "vkk", "align_extent": "vk",
    "specialize": "c", "rfactor": "vn", "in_": "f", "clone_in": "f", "compute_with": "fva", "prefetch": "fvvk",
    "gpu_tile": "vv", "memoize": "", "no_such_thing": "v", "atomic": "", "allow_race_conditions": "", "partition": "v",
}  # fmt: skip
"""Directives, and what their arguments are."""


def junk(rng: random.Random, kind: str) -> Any:
    """An argument of a kind, right or wrong."""
    return {
        "v": lambda: rng.choice(("x", "y", "xi", "r_x", "r_y", "q", "", "x", "y")),
        "n": lambda: rng.choice(("xo", "xi", "x", "y", "r_x", "u", "f")),
        "k": lambda: rng.choice((-1, 0, 1, 2, 3, 16, "x", 2.5, None, 10**12)),
        "i": lambda: rng.choice(list(TailStrategy)),
        "a": lambda: rng.choice(list(LoopAlignStrategy)),
        "f": lambda: rng.choice(("f", "g", "h", "im", "nothing", "")),
        "m": lambda: rng.choice(("Stack", "Heap", "Register", "GPU", 3)),
        "c": lambda: rng.choice((hl.Param(hl.Int(32), "p") > 2, 1, "p > 2", hl.Var("x") > 3, None)),
    }[kind]()


def programs() -> list[Any]:
    """Outputs of pipelines of three funcs each, with stages of all kinds."""
    x, y = hl.vars("x y")
    made = []
    for number in range(3):
        f, g, h = hl.Func("f"), hl.Func("g"), hl.Func("h")
        r = hl.RDom([(0, 4), (0, 3)], "r")
        f[x, y] = x + 2 * y
        g[x, y] = f[x, y] + f[x + 1, y]
        if number == 0:
            g[x, y] += r.x * y + r.y
        elif number == 1:
            g[x, y] = g[x, y] * 2
            g[r.x, y] = g[r.x, y] + f[r.y, y]
        h[x, y] = g[x, y] + g[x, y + 2]
        made.append((h, [f, g, h]))
    return made


def steps(rng: random.Random, func_of: Any) -> None:
    """Up to four directives.

    Raises:
        UslError: one is refused where it is given.
    """
    for _ in range(rng.randint(1, 4)):
        func = func_of(rng.choice("fgh"))
        name = rng.choice(list(CALLS))
        stage = func.update() if rng.random() < 0.2 else func
        getattr(stage, name)(*(junk(rng, kind) for kind in CALLS[name]))


def trial(seed: int, made: list[Any]) -> str:
    """What became of one schedule: the code of its one message, or "applied".

    Raises:
        Exception: anything else is a failure.
    """
    rng = random.Random(seed)
    output, _ = rng.choice(made)
    collected = Collected()
    try:
        steps(rng, lambda name: Given(collected, name))
        infer(scheduled(collect([output]).algorithm, collected.directives))
    except UslError as error:
        return judged(error)
    return "applied"


def judged(error: UslError) -> str:
    """The code of a message that is one.

    Raises:
        AssertionError: it has no line in this file, or no code of halide.md §12.
    """
    assert error.span is not None and error.span.file == __file__ and error.span.column > 0, f"{error} has no place"
    assert error.code.startswith(("E77", "E78")) and error.code != "E789", error.code
    assert str(error).startswith(f"{__file__}:{error.span.line}:{error.span.column}: ") and error.message.count("\n") == 0
    return error.code


def by_operators(seed: int) -> str:
    """The same through the procedure's operators. Nothing may be compiled, so `jit` fails.

    Raises:
        Exception: what is no message.
    """

    def compiles(*args: Any, **kwargs: Any) -> Any:
        raise AssertionError("C was made")

    rng = random.Random(seed)
    output, funcs = rng.choice(programs())
    named = {each.name(): each for each in funcs}
    with patch.object(Procedure, "jit", compiles):
        try:
            steps(rng, lambda name: named[name])
            output.procedure()
        except UslError as error:
            return judged(error)
    return "applied by operators"


def run(count: int, seed: int, by_operators_each: int = 100) -> Counter[str]:
    """Counts by what became of each schedule.

    Raises:
        Exception: a failure, after its seed is printed.
    """
    counts: Counter[str] = Counter()
    made = programs()
    for number in range(seed * 1_000_003, seed * 1_000_003 + count):
        try:
            counts[trial(number, made)] += 1
            if number % by_operators_each == 0:
                counts["operators: " + by_operators(number)] += 1
        except Exception:
            print(f"seed {number}", flush=True)
            raise
    return counts


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    counts = run(given.programs, given.seed)
    print(", ".join(f"{what}: {n}" for what, n in sorted(counts.items())))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
