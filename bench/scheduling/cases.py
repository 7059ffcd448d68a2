"""For every operator a small block, and the operator's application to it, to be put into procedures of any length."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from bench.scheduling.kernels_growth import Cfg, clear, ones, prefetch
from usl_core import DRAM, Procedure
from usl_core import scheduling as ops

Apply = Callable[[Procedure, Sequence[Any]], object]
"""Applies the operator, given the procedure and cursors to the statements of the block."""

FORMALS = "m: size, x: f32[64], y: f32[64], z: f32[8, 8], s: f32"
USE = "for q in seq(0, 8):\n    x[q] = x[q] + 1.0"


@dataclass(frozen=True, slots=True)
class Case:
    """block is where the operator works; use is one more use of the buffer or field it works on, "" if that makes no sense."""

    operator: str
    block: str
    apply: Apply
    use: str = USE


def one(p: Procedure) -> Procedure:
    return ops.rename(p, "ones_again")


_ONES = one(ones)
_LOOP = "for i in seq(0, 64):\n    x[i] = x[i] + 1.0"
_NEST = "for i in seq(0, 8):\n    for j in seq(0, 8):\n        z[i, j] = 1.0"
_TWO = "for i in seq(0, 64):\n    x[i] = 1.0\n    y[i] = 2.0"
_LOCAL = "t: f32[8]\nfor i in seq(0, 8):\n    t[i] = x[i]\nfor i in seq(0, 8):\n    y[i] = t[i]"
_LOCAL_USE = "for q in seq(0, 8):\n    y[q] = t[q]"
_MATRIX = "t: f32[8, 8]\nfor i in seq(0, 8):\n    for j in seq(0, 8):\n        t[i, j] = x[i + j]\nz[0, 0] = t[1, 2]"
_MATRIX_USE = "z[0, 0] = t[2, 1]"
_SUM = "x[0] = y[0] + (y[1] + y[2])"
_Z_USE = "for q in seq(0, 8):\n    z[q, 0] = z[q, 0] + 1.0"

CASES: tuple[Case, ...] = (
    Case("divide_loop", _LOOP, lambda p, at: ops.divide_loop(p, at[0], 8, ["io", "ii"], perfect=True)),
    Case(
        "divide_with_recompute",
        "t: f32[34]\nfor i in seq(0, 34):\n    t[i] = x[i]\nfor i in seq(0, 32):\n    y[i] = t[i] + t[i + 2]",
        lambda p, at: ops.divide_with_recompute(p, at[1], 4, 8, ["io", "ii"]),
        _LOCAL_USE,
    ),
    Case(
        "guard_redundant",
        "t: f32[10]\nfor i in seq(0, 8):\n    for j in seq(0, 3):\n        t[i + j] = x[i + j]\n    y[i] = t[i] + t[i + 2]",
        lambda p, at: ops.guard_redundant(p, at[1].body()[0].body()[0], "i == 0 or j == 2"),
        _LOCAL_USE,
    ),
    Case("reorder_loops", _NEST, lambda p, at: ops.reorder_loops(p, at[0]), _Z_USE),
    Case("cut_loop", _LOOP, lambda p, at: ops.cut_loop(p, at[0], 8)),
    Case(
        "join_loops",
        "for i in seq(0, 8):\n    x[i] = 1.0\nfor i in seq(8, 16):\n    x[i] = 1.0",
        lambda p, at: ops.join_loops(p, at[0], at[1]),
    ),
    Case("mult_loops", _NEST, lambda p, at: ops.mult_loops(p, at[0], "k"), _Z_USE),
    Case("shift_loop", _LOOP, lambda p, at: ops.shift_loop(p, at[0], 2)),
    Case("rotate_loop", _TWO, lambda p, at: ops.rotate_loop(p, at[0].body()[0].after())),
    Case("rename_loop", _LOOP, lambda p, at: ops.rename_loop(p, at[0], "other")),
    Case(
        "widen_loop",
        "t: f32[10]\nfor i in seq(0, 8):\n    t[i] = 2.0\ny[0] = t[0]",
        lambda p, at: ops.widen_loop(p, at[1], 10),
        _LOCAL_USE,
    ),
    Case("fission", _TWO, lambda p, at: ops.fission(p, at[0].body()[0].after())),
    Case(
        "fuse",
        "for i in seq(0, 64):\n    x[i] = 1.0\nfor i in seq(0, 64):\n    y[i] = x[i]",
        lambda p, at: ops.fuse(p, at[0], at[1]),
    ),
    Case("unroll_loop", "for i in seq(0, 4):\n    x[i] = 1.0", lambda p, at: ops.unroll_loop(p, at[0])),
    Case("remove_loop", "for i in seq(0, 8):\n    x[0] = 1.0", lambda p, at: ops.remove_loop(p, at[0])),
    Case(
        "lift_scope",
        "for i in seq(0, 8):\n    if m < 4:\n        x[i] = 1.0",
        lambda p, at: ops.lift_scope(p, at[0].body()[0]),
    ),
    Case("specialize", _LOOP, lambda p, at: ops.specialize(p, at[0], ["m < 4"])),
    Case(
        "eliminate_dead_code",
        "for i in seq(0, 8):\n    if i < 8:\n        x[i] = 1.0",
        lambda p, at: ops.eliminate_dead_code(p, at[0].body()[0]),
    ),
    Case("add_loop", "x[0] = 1.0", lambda p, at: ops.add_loop(p, at[0], "i", 4)),
    Case("parallelize_loop", _LOOP, lambda p, at: ops.parallelize_loop(p, at[0])),
    Case("reorder_stmts", "x[0] = 1.0\ny[0] = 2.0", lambda p, at: ops.reorder_stmts(p, at[0].expand(0, 1))),
    Case("insert_pass", "x[0] = 1.0", lambda p, at: ops.insert_pass(p, at[0].before())),
    Case("delete_pass", "x[0] = 1.0\npass", lambda p, at: ops.delete_pass(p, at[1])),
    Case("insert_noop_call", "x[0] = 1.0", lambda p, at: ops.insert_noop_call(p, at[0].before(), prefetch, [8, "x[0:8]"])),
    Case("merge_writes", "x[0] = 1.0\nx[0] += y[0]", lambda p, at: ops.merge_writes(p, at[0].expand(0, 1))),
    Case("split_write", "x[0] = y[0] + y[1]", lambda p, at: ops.split_write(p, at[0])),
    Case("if_to_select", "if x[0] < y[0]:\n    x[1] = y[1]", lambda p, at: ops.if_to_select(p, at[0])),
    Case("fold_into_reduce", "x[0] = x[0] + y[0]", lambda p, at: ops.fold_into_reduce(p, at[0])),
    Case(
        "fold_into_argreduce",
        "k: i32\nk = 0\nfor i in seq(0, 8):\n    if x[i] > y[0]:\n        y[0] = x[i]\n        k = i32(i)",
        lambda p, at: ops.fold_into_argreduce(p, at[2]),
    ),
    Case(
        "scale_accumulator",
        "m: f32\nt: f32\nm = x[0]\nt = 0.0\nm @= max(x[1])\nt += x[2]\ny[0] = t * exp(-m)",
        lambda p, at: ops.scale_accumulator(p, at[1], "exp(-m)"),
    ),
    Case(
        "block_scan",
        "t: f32\nt = 0.0\nfor i in seq(0, 8):\n    t += x[i]\n    y[i] = t",
        lambda p, at: ops.block_scan(p, at[2], "b"),
    ),
    Case(
        "recursive_doubling", "for i in seq(1, 8):\n    x[i] += x[i - 1]", lambda p, at: ops.recursive_doubling(p, at[0], "u")
    ),
    Case(
        "bound_counter",
        "c: i32\nc = 0\nfor i in seq(0, 8):\n    y[idx(c, 0, 64)] = x[i]\n    c += 1",
        lambda p, at: ops.bound_counter(p, at[2].body()[0].idx()[0]),
    ),
    Case("inline_assign", "t: f32\nt = x[0]\ny[0] = t", lambda p, at: ops.inline_assign(p, at[1]), "y[0] = t"),
    Case("delete_dead_writes", "t: f32\nt = x[0]\nt = y[0]", lambda p, at: ops.delete_dead_writes(p, at[1]), "y[0] = t"),
    Case(
        "inline_producer",
        "t: f32[8]\nfor i in seq(0, 8):\n    t[i] = x[i]\nfor i in seq(0, 8):\n    y[i] = t[7 - i]",
        lambda p, at: ops.inline_producer(p, at[0]),
        "y[0] = t[3]",
    ),
    Case(
        "clone_buffer",
        "t: f32\nt = x[0]\ny[0] = t",
        lambda p, at: ops.clone_buffer(p, at[0], at[2], "u"),
        "y[0] = t",
    ),
    Case(
        "lift_reduce_constant",
        "x[0] = 0.0\nfor i in seq(0, 8):\n    x[0] += s * y[i]",
        lambda p, at: ops.lift_reduce_constant(p, at[0].expand(0, 1)),
    ),
    Case("commute_expr", _SUM, lambda p, at: ops.commute_expr(p, [at[0].rhs()])),
    Case("left_reassociate_expr", _SUM, lambda p, at: ops.left_reassociate_expr(p, at[0].rhs())),
    Case("rewrite_expr", _SUM, lambda p, at: ops.rewrite_expr(p, at[0].rhs(), "y[2] + y[1] + y[0]")),
    Case("bind_expr", _SUM, lambda p, at: ops.bind_expr(p, [at[0].rhs().lhs()], "t")),
    Case("stage_mem", _LOOP, lambda p, at: ops.stage_mem(p, at[0], "x[0:64]", "t")),
    Case(
        "expand_dim",
        "for i in seq(0, 8):\n    t: f32\n    t = x[i]\n    y[i] = t",
        lambda p, at: ops.expand_dim(p, at[0].body()[0], 8, "i"),
        "",
    ),
    Case(
        "lift_alloc",
        "for i in seq(0, 8):\n    t: f32\n    t = x[i]\n    y[i] = t",
        lambda p, at: ops.lift_alloc(p, at[0].body()[0]),
        "",
    ),
    Case(
        "sink_alloc",
        "t: f32\nfor i in seq(0, 8):\n    t = x[i]\n    y[i] = t",
        lambda p, at: ops.sink_alloc(p, at[0]),
        "",
    ),
    Case("delete_buffer", "t: f32[8]\nx[0] = 1.0", lambda p, at: ops.delete_buffer(p, at[0]), ""),
    Case("divide_dim", _LOCAL, lambda p, at: ops.divide_dim(p, at[0], 0, 4), _LOCAL_USE),
    Case("rearrange_dim", _MATRIX, lambda p, at: ops.rearrange_dim(p, at[0], [1, 0]), _MATRIX_USE),
    Case("mult_dim", _MATRIX, lambda p, at: ops.mult_dim(p, at[0], 0, 1), _MATRIX_USE),
    Case("resize_dim", _LOCAL, lambda p, at: ops.resize_dim(p, at[0], 0, 16, 0), _LOCAL_USE),
    Case(
        "reuse_buffer",
        "t: f32[8]\nfor i in seq(0, 8):\n    t[i] = x[i]\nfor i in seq(0, 8):\n    y[i] = t[i]\n"
        "u: f32[8]\nfor i in seq(0, 8):\n    u[i] = x[i]\nfor i in seq(0, 8):\n    y[i] = u[i]",
        lambda p, at: ops.reuse_buffer(p, at[0], at[3]),
        "for q in seq(0, 8):\n    y[q] = u[q]",
    ),
    Case(
        "unroll_buffer",
        "t: f32[2]\nt[0] = x[0]\nt[1] = x[1]\ny[0] = t[0]",
        lambda p, at: ops.unroll_buffer(p, at[0], 0),
        "y[1] = t[1]",
    ),
    Case("inline_window", "w = x[8:16]\nw[0] = 1.0", lambda p, at: ops.inline_window(p, at[0]), "w[1] = 1.0"),
    Case("set_memory", _LOCAL, lambda p, at: ops.set_memory(p, at[0], DRAM), _LOCAL_USE),
    Case("set_precision", _LOCAL, lambda p, at: ops.set_precision(p, at[0], "f64"), _LOCAL_USE),
    Case("set_window", _LOOP, lambda p, at: ops.set_window(p, "x", True)),
    Case("inline", "ones(x[0:8])", lambda p, at: ops.inline(p, at[0])),
    Case("replace", "for i in seq(0, 8):\n    x[8 + i] = 0.0", lambda p, at: ops.replace(p, at[0], clear)),
    Case("call_eqv", "ones(x[0:8])", lambda p, at: ops.call_eqv(p, at[0], _ONES)),
    Case("extract_subproc", _LOOP, lambda p, at: ops.extract_subproc(p, at[0], "part")),
    Case("simplify", "for i in seq(0, 8):\n    x[i + 0] = 1.0 * y[i]", lambda p, at: ops.simplify(p), ""),
    Case("rename", _LOOP, lambda p, at: ops.rename(p, "other"), ""),
    Case("partial_eval", _LOOP, lambda p, at: ops.partial_eval(p, m=8), "if m < 4:\n    x[0] = 1.0"),
    Case("add_assertion", _LOOP, lambda p, at: ops.add_assertion(p, "m > 2"), ""),
    Case("make_instr", _LOOP, lambda p, at: ops.make_instr(p, "nothing();"), ""),
    Case("transpose", _NEST, lambda p, at: ops.transpose(p, "z"), _Z_USE),
    Case("bind_config", "x[0] = f32(m)", lambda p, at: ops.bind_config(p, at[0].rhs().arg(), Cfg, "a"), "Cfg.b = m"),
    Case("write_config", "x[0] = 1.0", lambda p, at: ops.write_config(p, at[0].before(), Cfg, "a", "m"), "Cfg.b = m"),
    Case("delete_config", "Cfg.a = m\nx[0] = 1.0", lambda p, at: ops.delete_config(p, at[0]), "Cfg.b = m"),
)
