"""Random schedules that make no sense: a DirectiveError with a line, or what the procedure computes, and never a traceback.

`python plugins/halide_lib/tests/halide_fuzz.py --nonsense 5000` runs many; `test_halide_nonsense.py` a sample.
"""

from __future__ import annotations

import random

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


OPTIONAL = ("split", "parallel", "vectorize", "unroll", "tile")
"""Directives that may be given a tail as well."""


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


def attempt(seed: str) -> str:
    """Apply one schedule of nonsense: "applied", or the code and the beginning of the message.

    Raises:
        AssertionError: a refusal is not at the line of a directive here. Any other exception is a failure as well.
    """
    rng = random.Random(seed)
    s = schedule(rng.choice((blur, histogram, scaled)), default=rng.choice(("root", "inline")))
    try:
        for _ in range(rng.randint(1, 5)):
            func = s[rng.choice(list(s._funcs))]
            stage = rng.choice((func, func.update(rng.randrange(2))))
            name = rng.choice(list(CALLS))
            args = [nonsense(rng, kind) for kind in CALLS[name]]
            if name in OPTIONAL and "i" not in CALLS[name] and rng.random() < 0.3:
                args.append(nonsense(rng, "i"))
            getattr(stage if hasattr(type(stage), name) else func, name)(*args)
        s.apply()
    except DirectiveError as error:
        assert error.span is not None and error.span.file == __file__ and error.span.line > 0
        assert error.code.startswith(("E77", "E78")) and error.code != "E789", error.code
        assert str(error).startswith(__file__)
        return f"{error.code} {error.message.partition(': ')[2][:50]}"
    return "applied"
