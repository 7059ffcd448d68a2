"""Softmax and attention that read their input once, derived from the plain loops by operators, each of which proves its step.

The maximum of all scores stands in each term of the sums, so that the sums must wait for it. As a factor, e^-m, it leaves them;
then nothing waits, and all loops become one. What is left, sums of e^x that overflow, is mended by a change of variables: the
sums hold e^-m times what they held, for the greatest score so far.
Reference: Milakov and Gimelshein 2018, arXiv:1805.02867; Rabe and Staats 2021, arXiv:2112.05682; Dao et al. 2022,
arXiv:2205.14135, where the results are written down and shown to be right.
"""

from __future__ import annotations

from usl_avx512.networks.kernels_networks import attention, softmax
from usl_core import Procedure, SchedulingError
from usl_core.scheduling import (
    bind_expr,
    delete_buffer,
    divide_loop,
    expand_dim,
    fission,
    fuse,
    inline_assign,
    lift_alloc,
    lift_reduce_constant,
    rename,
    reorder_loops,
    resize_dim,
    rewrite_expr,
    scale_accumulator,
    sink_alloc,
    stage_mem,
    unroll_buffer,
)
from usl_stdlib import reorder_stmt_backwards


def online_softmax() -> Procedure:
    """`softmax` whose maximum and sum are computed in one loop."""
    p = sum_without_maximum(softmax, "x")
    p = raised(p, "z: _", "z = _", "m: _", "m = _")
    p = fuse(p, "j", "j #1")
    p = running_sum(p, "x[j]")
    return rename(p, "online_softmax")


def one_pass_attention() -> Procedure:
    """`attention` in one loop over keys and values, of which it keeps one score at a time."""
    p = weights_without_maximum(sum_without_maximum(attention, "s"))
    p = together(p)
    p = running_output(running_sum(p, "s[j]"), "s[j]")
    p = one_score_at_a_time(p)
    return rename(p, "one_pass_attention")


def blocked_attention(block: int) -> Procedure:
    """`attention` in one loop over blocks of keys and values, with one change of the maximum for each.

    The number of keys, N, must be a multiple of block.
    """
    p = attention.add_assertion(f"N % {block} == 0")
    p = weights_without_maximum(sum_without_maximum(p, "s"))
    for _ in range(4):  # whichever was the first is then divided
        p = divide_loop(p, "j", block, ["jo", "ji"], perfect=True)
    p = together(p, "jo")
    score = f"s[{block} * jo + ji]"
    p = running_output(running_sum(p, score), score)
    p = sink_alloc(p, "s")
    p = resize_dim(p, "s", 0, block, f"{block} * jo")
    return rename(p, "blocked_attention")


# ---- steps


def sum_without_maximum(p: Procedure, scores: str) -> Procedure:
    """The sum of exponentials takes no account of the maximum, which becomes a factor behind it, in `total`."""
    p = rewrite_expr(p, f"exp({scores}[j] - m)", f"exp(-m) * exp({scores}[j])")
    p = lift_reduce_constant(p, p.find("z = 0.0").expand(0, 1))
    p = bind_expr(p, "exp(-m) * z", "total")
    return inline_assign(p, "z = total")


def weights_without_maximum(p: Procedure) -> Procedure:
    """So does the sum of values, which goes into `o`, one for each column, before it is divided by the total."""
    p = rewrite_expr(p, p.find("out[_] += _").rhs(), "exp(-m) / total * (exp(s[j]) * v[j, d])")
    p = stage_mem(p, p.find("out[_] = 0.0").expand(0, 1), "out[i, d]", "o")
    p = lift_reduce_constant(p, p.find("o = 0.0").expand(0, 1))
    p = bind_expr(p, "exp(-m) / total * o", "share")
    p = inline_assign(p, "o = share")
    p = delete_buffer(inline_assign(p, "share = _"), "share")
    p = lift_alloc(expand_dim(p, "o", "D", "d"), "o")
    p = fission(p, p.find("o[_] = 0.0").after())
    p = fission(p, p.find("out[_] = _").before())
    return reorder_loops(p, p.find_loop("d #2"))


def together(p: Procedure, loop: str = "j") -> Procedure:
    """The loops over keys become one: none needs what another one has at its end."""
    p = raised(p, "o: _", "for d in _: _ #1", "z: _", "z = _", "m: _", "m = _")
    p = fuse(p, loop, f"{loop} #1")
    p = fuse(p, loop, f"{loop} #1")
    p = up(p, f"for {loop} in _: _ #1")
    return fuse(p, loop, f"{loop} #1")


def running_sum(p: Procedure, score: str) -> Procedure:
    """The sum holds e^-m times what it held, m the maximum so far, so that no exponent is above 0."""
    p = scale_accumulator(p, "z", "exp(-m)")
    p = rewrite_expr(p, p.find("z = _").rhs(), "0.0")
    p = rewrite_expr(p, p.find("z *= _").rhs(), "exp(m_old - m)")
    p = rewrite_expr(p, p.find("z += _").rhs(), f"exp({score} - m)")
    p = rewrite_expr(p, p.find("total = _").rhs(), "z")
    return delete_buffer(inline_assign(p, "total = _"), "total")


def running_output(p: Procedure, score: str) -> Procedure:
    """So do the sums of values; dividing by the total is all that is left at the end."""
    p = scale_accumulator(p, "o", "exp(-m)")
    p = rewrite_expr(p, p.find("o[_] = _").rhs(), "0.0")
    p = rewrite_expr(p, p.find("o[_] *= _").rhs(), "exp(m_old - m)")
    p = rewrite_expr(p, p.find("o[_] += _").rhs(), f"exp({score} - m) * v[{score[2:-1]}, d]")
    return rewrite_expr(p, p.find("out[_] = _").rhs(), "o[d] / z")


def one_score_at_a_time(p: Procedure) -> Procedure:
    """Of the scores, only that of the iteration is kept."""
    p = sink_alloc(p, "s")
    return unroll_buffer(resize_dim(p, "s", 0, 1, "j"), "s", 0)


# ---- moving


def raised(p: Procedure, *patterns: str) -> Procedure:
    """Statements moved up one after the other as far as they can be, each past the ones before."""
    for pattern in patterns:
        p = up(p, pattern)
    return p


def up(p: Procedure, pattern: str) -> Procedure:
    """A statement moved up, past everything that it does not depend on."""
    stmt = p.find(pattern)
    try:
        while p.forward(stmt).prev():
            p = reorder_stmt_backwards(p, stmt)
    except SchedulingError:
        pass
    return p
