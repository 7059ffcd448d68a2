"""Control, stores, poison, aliasing, calls, configuration: one test for each rule."""

from __future__ import annotations

import gc
import random
import weakref
from typing import Any

import numpy as np
import pytest

from tests.interp.programs import program
from usl_core.errors import InterpError
from usl_core.interp import POISON, Access, Buffer, PoisonBranch, ValueTooLarge, run
from usl_core.ir.config import Config, ConfigField
from usl_core.ir.nodes import AssignConfig, Proc, ReadConfig
from usl_core.ir.traverse import update
from usl_core.ir.types import I32, INDEX, R


def ints(*values: int) -> Buffer:
    return Buffer.of(I32, list(values))


def final(ir: Proc, *args: object) -> list[object]:
    """What the first data argument holds after an exact run."""
    run(ir, args, mode="exact")
    return list(next(arg.values() for arg in args if isinstance(arg, Buffer)))


# ---- control


def test_control_division_and_remainder_round_to_minus_infinity() -> None:
    ir = program("def f(x: i32[2], k: index):\n    x[0] = i32(k / 4)\n    x[1] = i32(k % 4)\n")
    assert final(ir, ints(0, 0), -5) == [-2, 3]


def test_minimum_and_maximum_bound_loops() -> None:
    ir = program("def f(n: size, x: i32[n]):\n    for i in seq(max(n - 3, 0), min(n, 4)):\n        x[i] = 1\n")
    assert final(ir, 5, ints(0, 0, 0, 0, 0)) == [0, 0, 1, 1, 0]


def test_idx_stays_between_its_limits_whatever_the_data_is() -> None:
    ir = program("def f(n: size, x: i32[n], k: i32[n]):\n    for i in seq(0, n):\n        x[idx(k[i], 1, n)] += 1\n")
    assert final(ir, 4, ints(0, 0, 0, 0), ints(-9, 2, 1000, 0)) == [0, 2, 1, 1]


def test_an_if_on_data_decides_by_the_data() -> None:
    ir = program(
        "def f(x: i32[3]):\n    for i in seq(0, 3):\n        if x[i] < 2 and x[i] != 0:\n"
        "            x[i] = 9\n        else:\n            x[i] += 1\n"
    )
    assert final(ir, ints(0, 1, 2)) == [1, 9, 3]


def test_a_boolean_argument_and_a_chain_of_conditions_choose_one_branch() -> None:
    text = "def f(x: i32, k: index, flag: bool):\n    if flag:\n        x = 0\n"
    for k in range(3):
        text += "    " * (k + 1) + "else:\n" + "    " * (k + 2) + f"if k == {k}:\n" + "    " * (k + 3) + f"x = {k + 10}\n"
    ir = program(text)
    assert final(ir, Buffer(I32), 1, True) == [0]
    assert final(ir, Buffer(I32), 2, False) == [12]
    assert final(ir, Buffer(I32), 7, False) == [POISON]


def test_a_loop_whose_lower_bound_is_above_the_upper_is_an_error() -> None:
    ir = program("def f(k: index, x: i32):\n    for i in seq(3, k):\n        x = 1\n")
    with pytest.raises(InterpError, match="loop from 3 to 2"):
        run(ir, [2, Buffer(I32)], mode="exact")


def test_a_failed_check_stops_with_its_place_and_iterators() -> None:
    ir = program("def f(n: size, x: i32[n]):\n    for i in seq(0, n):\n        x[i] = 1\n        check(i < 2)\n")
    x = ints(0, 0, 0, 0)
    with pytest.raises(InterpError, match="check failed: i < 2") as caught:
        run(ir, [4, x], mode="exact")
    assert caught.value.span is not None and caught.value.span.line == 4
    assert caught.value.notes == ("where i = 2",)
    assert x.values() == [1, 1, 1, 0]


def test_a_par_loop_runs_each_iteration_once_in_any_order() -> None:
    ir = program(
        "def f(n: size, x: i32[n], order: i32[n], t: i32):\n    for i in par(0, n):\n"
        "        x[i] += 1\n        order[i] = t\n        t += 1\n"
    )
    x, order = ints(*[0] * 8), ints(*[0] * 8)
    run(ir, [8, x, order, Buffer.of(I32, 0)], mode="exact", permute=random.Random(1))
    assert x.values() == [1] * 8
    assert sorted(order.values()) == list(range(8)) != order.values()
    run(ir, [8, x, order, Buffer.of(I32, 0)], mode="exact")
    assert order.values() == list(range(8))


# ---- out of bounds


def test_an_access_out_of_bounds_names_buffer_index_extents_and_iterators() -> None:
    ir = program(
        "def f(n: size, x: i32[n, 4]):\n    for i in seq(0, n):\n        for j in seq(0, 4):\n"
        "            x[i, j] = x[i + 1, j]\n"
    )
    with pytest.raises(InterpError, match=r"out of bounds: x\[2, 0\] of x\[2, 4\]") as caught:
        run(ir, [2, Buffer.of(I32, [[0] * 4] * 2)], mode="exact")
    assert caught.value.notes == ("where i = 1, j = 0",)
    assert caught.value.span is not None and caught.value.span.line == 4


def test_a_negative_index_is_out_of_bounds_and_not_counted_from_the_end() -> None:
    with pytest.raises(InterpError, match=r"x\[-1\]"):
        run(program("def f(x: i32[3]):\n    for i in seq(0, 3):\n        x[i - 1] += 1\n"), [ints(0, 0, 0)], mode="exact")


def test_an_index_beyond_its_dimension_is_refused_though_the_memory_is_there() -> None:
    ir = program("def f(x: i32[2, 3]):\n    x[0, 3] = 1\n")
    with pytest.raises(InterpError, match=r"x\[0, 3\] of x\[2, 3\]"):
        run(ir, [Buffer.of(I32, [[0] * 3] * 2)], mode="exact")


def test_a_window_out_of_range_or_empty_is_refused_where_it_is_made() -> None:
    ir = program("def f(x: i32[4], lo: index, hi: index):\n    w = x[lo:hi]\n    w[0] = 1\n")
    for lo, hi in ((-1, 2), (2, 5), (2, 2)):
        with pytest.raises(InterpError, match="window of x: the interval") as caught:
            run(ir, [ints(0, 0, 0, 0), lo, hi], mode="exact")
        assert caught.value.span is not None and caught.value.span.line == 2


def test_the_error_in_a_deep_nest_still_knows_every_iterator() -> None:
    depth = 15
    text = "def f(x: i32[2]):\n" + "".join("    " * (k + 1) + f"for i{k} in seq(0, 2):\n" for k in range(depth))
    ir = program(text + "    " * (depth + 1) + f"x[i0 + i{depth - 1}] = 1\n")
    with pytest.raises(InterpError) as caught:
        run(ir, [ints(0, 0)], mode="exact")
    assert caught.value.notes[0].count("=") == depth


# ---- windows and strides


def test_windows_of_windows_compose_and_drop_the_dimensions_of_points() -> None:
    ir = program(
        "def f(x: i32[3, 4]):\n    w = x[1:3, 1:4]\n    v = w[1, 0:2]\n    v[1] = 7\n"
        "    if stride(v, 0) + 10 * stride(w, 0) == 41:\n        w[0, 0] = 41\n"
    )
    assert final(ir, Buffer.of(I32, [[0] * 4] * 3)) == [0, 0, 0, 0, 0, 41, 0, 0, 0, 0, 7, 0]


# ---- poison


def test_a_fresh_allocation_is_poison_in_every_iteration() -> None:
    ir = program("def f(x: i32[2]):\n    for i in seq(0, 2):\n        t: i32\n        x[i] = t\n        t = 5\n")
    assert final(ir, ints(1, 2)) == [POISON, POISON]


@pytest.mark.parametrize(
    "expression", ["t + 1", "2 * t", "t - t", "-t", "t / 2", "t % 2", "min(t, 1)", "select(t, 1, 2, 2)", "u8(t)", "abs(t)"]
)
@pytest.mark.parametrize("mode", ["exact", "machine"])
def test_poison_goes_through_every_operation(expression: str, mode: Any) -> None:
    typ = "u8" if expression.startswith("u8") else "i32"
    ir = program(f"def f(x: {typ}[1]):\n    t: i32\n    x[0] = {expression}\n")
    x = Buffer(ir.args[0].type.scalar, (1,), [3])  # type: ignore[union-attr]
    run(ir, [x], mode=mode)
    assert x.data == [POISON]


@pytest.mark.parametrize(
    "expression", ["t + 1.0", "t / 0.0", "-t", "sqrt(t)", "max(1.0, t)", "f32(f64(t))", "f32(i8(t))", "relu(t)"]
)
@pytest.mark.parametrize("mode", ["exact", "machine"])
def test_poison_goes_through_every_operation_on_floats(expression: str, mode: Any) -> None:
    ir = program(f"def f(x: f32[1]):\n    t: f32\n    x[0] = {expression}\n")
    result = run(ir, [Buffer(ir.args[0].type.scalar, (1,))], mode=mode)  # type: ignore[union-attr]
    assert result.buffers["x"].data == [POISON]


def test_select_takes_on_the_poison_of_the_chosen_value_only() -> None:
    ir = program("def f(x: i32[2]):\n    t: i32\n    x[0] = select(i32(1), 2, 5, t)\n    x[1] = select(i32(2), 1, 5, t)\n")
    assert final(ir, ints(0, 0)) == [5, POISON]


def test_a_reduction_into_poison_is_poison_and_an_assignment_ends_it() -> None:
    ir = program("def f(x: i32[2]):\n    t: i32\n    t += 1\n    x[0] = t\n    t = 1\n    x[1] = t\n")
    assert final(ir, ints(0, 0)) == [POISON, 1]


def test_reductions_wrap_or_choose() -> None:
    ir = program("def f(x: u8[3]):\n    x[0] *= x[1]\n    x[1] @= min(x[2])\n    x[2] @= max(x[0])\n")
    result = run(ir, [Buffer(ir.args[0].type.scalar, (3,), [200, 7, 3])], mode="exact")  # type: ignore[union-attr]
    assert result.buffers["x"].data == [200 * 7 % 256, 3, 120]


@pytest.mark.parametrize("mode", ["exact", "machine"])
@pytest.mark.parametrize("statement", ["t *= 0", "t @= max(x[0])", "x[0] @= min(t)\n    t = x[0]"])
def test_a_reduction_with_poison_is_poison(statement: str, mode: str) -> None:
    ir = program(f"def f(x: i32[2]):\n    t: i32\n    {statement}\n    x[1] = t\n")
    assert run(ir, [ints(0, 0)], mode=mode).buffers["x"].data[1] is POISON  # type: ignore[arg-type]


@pytest.mark.parametrize("statement", ["if t < 1:\n        x[0] = 1", "if t == 1:\n        x[0] = 1", "x[idx(t, 0, 2)] = 1"])
def test_control_that_depends_on_poison_is_an_error_of_its_own(statement: str) -> None:
    ir = program(f"def f(x: i32[2]):\n    t: i32\n    {statement}\n")
    with pytest.raises(PoisonBranch, match="uninitialised data") as caught:
        run(ir, [ints(0, 0)], mode="exact")
    assert caught.value.span is not None and caught.value.span.line == 3


def test_exact_numbers_may_be_limited_in_length() -> None:
    ir = program("def f(n: size, x: R):\n    for i in seq(0, n):\n        x = x * x\n")
    with pytest.raises(ValueTooLarge, match="more than the limit of 1000") as caught:
        run(ir, [64, Buffer.of(R, 3)], mode="exact", max_bits=1000)
    assert caught.value.notes == ("where i = 9",)
    assert run(ir, [3, x := Buffer.of(R, 3)], mode="exact", max_bits=1000) and x.data == [3**8]


# ---- entry and calls


def test_sizes_shapes_and_preconditions_are_checked_on_entry() -> None:
    ir = program("def f(n: size, x: i32[n]):\n    assert n % 2 == 0\n    x[0] = 1\n")
    with pytest.raises(InterpError, match="size n must be at least 1, got 0"):
        run(ir, [0, Buffer(I32, (0,))], mode="exact")
    with pytest.raises(InterpError, match=r"argument x must have shape \(4,\), got \(3,\)"):
        run(ir, [4, ints(1, 2, 3)], mode="exact")
    with pytest.raises(InterpError, match="the precondition `n % 2 == 0` does not hold") as caught:
        run(ir, [3, ints(1, 2, 3)], mode="exact")
    assert caught.value.span is not None and caught.value.span.line == 2


def test_arguments_that_do_not_fit_are_named() -> None:
    ir = program("def f(n: size, x: i32[n]):\n    x[0] = 1\n")
    with pytest.raises(InterpError, match="x is missing, there is no formal y"):
        run(ir, {"n": 1, "y": ints(1)}, mode="exact")
    with pytest.raises(InterpError, match="takes 2 arguments"):
        run(ir, [1], mode="exact")
    with pytest.raises(InterpError, match="size needs a Python int"):
        run(ir, [1.5, ints(1)], mode="exact")
    with pytest.raises(InterpError, match="must have elements of type i32, got R"):
        run(ir, [1, Buffer(R, (1,))], mode="exact")
    with pytest.raises(InterpError, match="argument x must be a Buffer, got ndarray"):
        run(ir, [1, np.zeros(1, np.int32)], mode="exact")


CALLEE = """
def double(n: size, dst: [i32][n], src: [i32][n], a: i32):
    assert n >= 2
    for i in seq(0, n):
        dst[i] = src[i] * 2 + a
"""


def test_a_call_runs_the_body_on_views_of_the_arguments() -> None:
    double = program(CALLEE)
    ir = program(
        "def f(x: i32[4, 2], y: i32[4]):\n    double(3, x[0:3, 1], y[1:4], y[0])\n    double(2, x[0:2, 0], y[0:2], 1)\n",
        double=double,
    )
    assert final(ir, Buffer.of(I32, [[0, 0]] * 4), ints(100, 1, 2, 3)) == [201, 102, 3, 104, 0, 106, 0, 0]


def test_a_broken_precondition_of_a_callee_is_reported_at_the_call() -> None:
    ir = program(
        "def f(n: size, x: i32[n], y: i32[n]):\n    for i in seq(0, n):\n        double(1, x[i:i + 1], y[i:i + 1], 0)\n",
        double=program(CALLEE),
    )
    with pytest.raises(InterpError, match="precondition `n >= 2`") as caught:
        run(ir, [3, ints(1, 2, 3), ints(1, 2, 3)], mode="exact")
    assert caught.value.span is not None and caught.value.span.line == 3
    assert "in double, called from f" in caught.value.notes[0] or "in double, called from f" in caught.value.notes[-1]


def test_a_scalar_argument_is_passed_by_reference() -> None:
    bump = program("def bump(a: i32):\n    a += 1\n")
    ir = program("def f(x: i32[3]):\n    t: i32\n    t = 5\n    bump(t)\n    bump(x[1])\n    x[2] = t\n", bump=bump)
    assert final(ir, ints(0, 0, 0)) == [0, 1, 6]


def test_overlapping_arguments_are_refused_if_one_is_written_unless_declared() -> None:
    double = program(CALLEE)
    text = "def f(x: i32[4]):\n    double(2, x[0:2], x[1:3], 0)\n"
    with pytest.raises(InterpError, match="arguments dst and src overlap, and dst is written"):
        run(program(text, double=double), [ints(0, 1, 2, 3)], mode="exact")
    apart = program("def f(x: i32[4]):\n    double(2, x[0:2], x[2:4], 0)\n", double=double)
    assert final(apart, ints(0, 0, 2, 3)) == [4, 6, 2, 3]
    declared = update(double, aliasable=("dst", "src"))
    assert final(program(text, double=declared), ints(0, 1, 2, 3)) == [2, 4, 2, 3]


def test_interleaved_windows_of_one_buffer_do_not_overlap() -> None:
    ir = program("def f(x: i32[3, 2]):\n    double(3, x[0:3, 0], x[0:3, 1], 0)\n", double=program(CALLEE))
    assert final(ir, Buffer.of(I32, [[0, 1], [0, 2], [0, 3]])) == [2, 1, 4, 2, 6, 3]


def test_aliasing_of_arrays_is_seen_on_entry() -> None:
    x = np.zeros(4, np.int32)
    with pytest.raises(InterpError, match="overlap"):
        run(program(CALLEE), [3, x[0:3], x[1:4], 0])
    assert x.tolist() == [0, 0, 0, 0]


# ---- configuration


def test_configuration_fields_live_through_the_run_and_are_poison_before_they_are_set() -> None:
    config = Config("Cfg", {"k": ConfigField("k", INDEX)})
    base = program("def f(n: size, x: i32[n]):\n    x[n - 1] = 3\n    check(0 < n)\n")
    store, _check = base.body
    read = ReadConfig(config, "k", type=INDEX)
    reading = update(base, body=(update(store, idx=(read,)),))
    with pytest.raises(PoisonBranch):
        run(reading, [2, ints(0, 0)], mode="exact")
    x = ints(0, 0)
    run(reading, [2, x], mode="exact", configs={(config, "k"): 1})
    assert x.values() == [0, 3]
    writing = update(base, body=(AssignConfig(config, "k", store.idx[0]), update(store, idx=(read,))))  # type: ignore[attr-defined]
    result = run(writing, [2, x], mode="exact", configs={(config, "k"): 7})
    assert result.configs == {(config, "k"): 1}


def test_a_select_gives_poison_where_a_branch_on_the_same_data_stops() -> None:
    """Why no operator makes an `if` of a `select`."""
    head = "def f(x: i32[2]):\n    t: i32\n    x[1] = 1\n    "
    x = ints(0, 0)
    run(program(head + "x[0] = select(t, 3, 1, 2)\n"), [x], mode="exact")
    assert x.values() == [POISON, 1]
    with pytest.raises(PoisonBranch):
        run(program(head + "if t < 3:\n        x[0] = 1\n    else:\n        x[0] = 2\n"), [x], mode="exact")


# ---- tracing and caching


def test_a_trace_sees_every_access_with_the_element_behind_the_window() -> None:
    ir = program("def f(x: i32[4]):\n    w = x[1:3]\n    w[1] += x[0]\n    x[3] = 1\n")
    seen: list[Access] = []
    run(ir, [ints(0, 1, 2, 3)], mode="exact", trace=seen.append)
    assert [(a.kind, a.name.name, a.index, a.offset) for a in seen] == [
        ("read", "x", (0,), 0),
        ("reduce", "w", (1,), 2),
        ("write", "x", (3,), 3),
    ]
    assert len({a.storage for a in seen}) == 1


def test_compiled_procedures_are_forgotten_with_their_procedure() -> None:
    ir = program("def f(x: i32[1]):\n    x[0] = 1\n")
    run(ir, [ints(0)], mode="exact")
    alive = weakref.ref(ir)
    del ir
    gc.collect()
    assert alive() is None
