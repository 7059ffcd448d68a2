"""What networks are made of: the derived forms compute what the plain loops compute, in exact and in floating arithmetic."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest

from usl_avx512.networks.kernels_networks import attention, softmax
from usl_avx512.networks.online import blocked_attention, one_pass_attention, online_softmax
from usl_core import Procedure
from usl_core.interp import Buffer, run
from usl_core.ir.types import F32


def rows(rng: random.Random, *shape: int) -> Buffer:
    if len(shape) == 1:
        return Buffer.of(F32, [Fraction(rng.randint(-20, 20), 8) for _ in range(shape[0])])
    return Buffer.of(F32, [[Fraction(rng.randint(-20, 20), 8) for _ in range(shape[1])] for _ in range(shape[0])])


def test_online_softmax_gives_the_same_numbers() -> None:
    rng = random.Random(1)
    for n in (1, 2, 5, 9):
        x = rows(rng, n)
        plain, online = Buffer(F32, (n,)), Buffer(F32, (n,))
        run(softmax.ir, [n, x, plain], mode="exact")
        run(online_softmax().ir, [n, x, online], mode="exact")
        assert plain.values() == online.values()


@pytest.mark.parametrize("derived", [one_pass_attention(), blocked_attention(2)], ids=["one pass", "blocked"])
def test_attention_in_one_pass_gives_the_same_numbers(derived: Procedure) -> None:
    rng = random.Random(2)
    for m, n, d in ((1, 2, 1), (2, 4, 3), (1, 6, 2)):
        inputs = [rows(rng, m, d), rows(rng, n, d), rows(rng, n, d)]
        plain, one_pass = Buffer(F32, (m, d)), Buffer(F32, (m, d))
        run(attention.ir, [m, n, d, *inputs, plain], mode="exact")
        run(derived.ir, [m, n, d, *inputs, one_pass], mode="exact")
        assert plain.values() == one_pass.values()


@pytest.mark.parametrize("derived", [one_pass_attention(), blocked_attention(4)], ids=["one pass", "blocked"])
def test_large_scores_do_not_overflow_in_one_pass(derived: Procedure) -> None:
    rng = np.random.default_rng(3)
    q, k, v = (rng.standard_normal((n, 4)).astype(np.float32) for n in (3, 8, 8))
    q *= 300
    out = np.zeros((3, 4), np.float32)
    run(derived.ir, [3, 8, 4, q, k, v, out])
    s = q.astype(float) @ k.T.astype(float)
    p = np.exp(s - s.max(1, keepdims=True))
    assert np.allclose(out, p / p.sum(1, keepdims=True) @ v, rtol=1e-4, atol=1e-4)
