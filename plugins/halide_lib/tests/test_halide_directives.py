"""Directives on procedures: what each is for, seen in the procedure that comes out, which computes what it did before."""

from __future__ import annotations

import math
import random

import pytest
from kernels_halide import reduced

from usl_core import Procedure
from usl_core.interp import Buffer, run
from usl_halide_lib import schedule
from usl_halide_lib.places import text_of


def random_arguments(p: Procedure, sizes: dict[str, int], seed: int) -> dict[str, object]:
    """Arguments of these sizes, with random data."""
    rng = random.Random(seed)
    data: dict[str, object] = dict(sizes)
    for arg in p.args():
        if arg.mem() is not None:
            extents = [eval(text_of(each), {}, sizes) for each in arg.shape()]
            data[arg.name()] = Buffer.of(arg.type(), [rng.randrange(200) for _ in range(math.prod(extents))], extents)
    return data


def require_same(p: Procedure, scheduled: Procedure, output: str, *sizes: dict[str, int]) -> None:
    """Both compute the same for these sizes."""
    for number, each in enumerate(sizes):
        before, after = random_arguments(p, each, number), random_arguments(p, each, number)
        run(p.ir, before, mode="exact")
        run(scheduled.ir, after, mode="exact")
        assert before[output].data == after[output].data, each


def sizes_of(*names: str):
    """Some sizes from 1 on."""
    return [dict(zip(names, each, strict=False)) for each in ((1, 1), (5, 3), (9, 18), (33, 2))]


@pytest.mark.parametrize("scalar", ["f32", "i32"])
@pytest.mark.parametrize("update", ["+= {}", "*= {}", "@= max({})", "@= min({})"])
def test_rfactor_is_for_every_reduction(scalar, update):
    p = reduced(scalar, update)
    s = schedule(p)
    s["a"].update().rfactor("r", "u")
    s["a_intm"].update().parallel("u")
    q = s.apply()
    assert "for u in par(0, 3)" in str(q)
    require_same(p, q, "out", *sizes_of("N"))
