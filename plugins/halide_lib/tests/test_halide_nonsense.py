"""Schedules that make no sense end in one DirectiveError with a line, or do what the procedure does: never in a traceback."""

from __future__ import annotations

import random

import pytest
from kernels_halide import blur, histogram, scaled

from usl_halide_lib import DirectiveError, TailStrategy, schedule

CALLS = {
    "split": "vnnki",
    "fuse": "vvn",
    "reorder": "vv",
    "rename": "vn",
    "parallel": "vk",
    "vectorize": "vk",
    "unroll": "vk",
    "compute_at": "fv",
    "store_at": "fv",
    "hoist_storage": "fv",
    "compute_root": "",
    "compute_inline": "",
    "store_in": "m",
    "fold_storage": "vk",
    "align_storage": "vk",
    "bound_storage": "vk",
    "reorder_storage": "vv",
    "bound": "vkk",
    "align_bounds": "vk",
    "specialize": "c",
    "rfactor": "vn",
    "in_": "f",
    "clone_in": "f",
    "compute_with": "fv",
    "prefetch": "fv",
    "tile": "vvnnkk",
}


def nonsense(rng: random.Random, kind: str) -> object:
    return {
        "v": lambda: rng.choice(("x", "y", "xi", "b", "q", "")),
        "n": lambda: rng.choice(("xo", "xi", "x", "y", "out")),
        "k": lambda: rng.choice((-1, 0, 1, 2, 3, 16, "x", 2.5)),
        "i": lambda: rng.choice(list(TailStrategy)),
        "f": lambda: rng.choice(("out", "blur_x", "inp", "hist", "a", "c", "nothing")),
        "m": lambda: rng.choice(("Stack", "Heap", "Register", "GPU", 3)),
        "c": lambda: rng.choice(("H >= 8", "H +", "x > 3", "")),
    }[kind]()


@pytest.mark.parametrize("seed", range(60))
def test_nonsense_ends_in_one_error_of_a_directive(seed):
    rng = random.Random(seed)
    s = schedule(rng.choice((blur, histogram, scaled)), default=rng.choice(("root", "inline")))
    try:
        for _ in range(rng.randint(1, 4)):
            func = s[rng.choice(list(s._funcs))]
            stage = rng.choice((func, func.update(rng.randrange(2))))
            name = rng.choice(list(CALLS))
            getattr(stage if hasattr(type(stage), name) else func, name)(*(nonsense(rng, kind) for kind in CALLS[name]))
        s.apply()
    except DirectiveError as error:
        assert error.span is not None and error.span.file == __file__
        assert str(error).startswith(__file__)
