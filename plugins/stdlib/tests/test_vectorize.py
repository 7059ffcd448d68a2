"""vectorize: what it makes of typical bodies, the tails, and that any body it accepts keeps its meaning."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stdlib_vector_machine import LANES, MACHINE, PLAIN, Half, Reg, instruction, program

from tests.primitives.equivalence import assert_body, assert_refines
from usl_core import DRAM, SchedulingError, UsageError, add_assertion
from usl_core.cursors.kinds import CallCursor, ForCursor
from usl_core.procedure import Procedure, proc_from_source
from usl_stdlib import abs_rule, fma_rule, replace_all, select_rule, vectorize
from usl_stdlib.rules import Cut

AXPY = program("""
def axpy(n: size, a: f32, x: f32[n], y: f32[n]):
    for i in seq(0, n):
        y[i] += a * x[i]
""")
DOT = program("""
def dot(n: size, x: f32[n], y: f32[n], out: f32):
    for i in seq(0, n):
        out += x[i] * y[i]
""")


EVEN = add_assertion(AXPY, "n % 8 == 0")


# ---- what comes out


@pytest.mark.parametrize("machine", [[], MACHINE], ids=["without instructions", "with instructions"])
@pytest.mark.parametrize("tail", ["cut", "guard", "masked"])
@pytest.mark.parametrize("body", ["y[i] += x[i]", "y[i] = y[i] * x[i]", "y[i] = 1.0", "s += x[i]"])
def test_a_loop_shorter_than_a_vector_keeps_its_meaning(body: str, tail: str, machine: list[Procedure]) -> None:
    short = program(f"def f(x: f32[8], y: f32[8], s: f32):\n    for i in seq(0, 3):\n        {body}\n")
    assert_refines(short, vectorize(short, "i", LANES, Reg, machine, tail=tail)[0])


def test_a_loop_shorter_than_a_vector_has_no_full_vectors() -> None:
    short = program("def f(x: f32[8], y: f32[8]):\n    for i in seq(0, 3):\n        y[i] += x[i]\n")
    with pytest.raises(SchedulingError, match="cannot prove that 4 divides 3"):
        vectorize(short, "i", LANES, Reg, MACHINE, tail="perfect")


@pytest.mark.parametrize("tail", ["cut", "guard", "masked"])
@pytest.mark.parametrize("program_text", [
    "def f(n: size, x: f32[n], y: f32[n]):\n    assert n == 8\n    for i in seq(0, n):\n        y[i] += x[i]\n",
    "def f(n: size, x: f32[n], y: f32[n]):\n    if n == 8:\n        for i in seq(0, n):\n            y[i] += x[i]\n",
    "def f(x: f32[8], y: f32[8]):\n    for i in seq(0, 8):\n        y[i] += x[i]\n",
])  # fmt: skip
def test_a_number_of_iterations_that_is_known_to_fill_all_vectors_leaves_nothing(program_text: str, tail: str) -> None:
    p = program(program_text)
    q, made = vectorize(p, "i", LANES, Reg, MACHINE, tail=tail)
    assert made.tail is None and [call.subproc().name() for call in made.calls] == ["load", "load", "accumulate", "store"]
    assert_refines(p, q)


def test_full_vectors_by_instructions_and_a_loop_for_the_rest() -> None:
    q, made = vectorize(AXPY, "i", LANES, Reg, MACHINE)
    assert_body(
        q,
        """
        for io in seq(0, n / 4):
            y_v: f32[4] @ Reg
            a_v: f32[4] @ Reg
            x_v: f32[4] @ Reg
            load(y_v[0:4], y[4 * io:4 * io + 4])
            set1(a_v[0:4], a)
            load(x_v[0:4], x[4 * io:4 * io + 4])
            fma(y_v[0:4], a_v[0:4], x_v[0:4])
            store(y[4 * io:4 * io + 4], y_v[0:4])
        for ii in seq(0, n % 4):
            y[ii + n / 4 * 4] += a * x[ii + n / 4 * 4]
        """,
    )
    assert_refines(AXPY, q)
    assert made.loop == q.find_loop("io") and made.tail == q.find_loop("ii")
    assert [each.name() for each in made.registers] == ["y_v", "a_v", "x_v"]
    assert [each.subproc().name() for each in made.calls] == ["load", "set1", "load", "fma", "store"]


def test_sums_get_partial_sums_that_are_added_up_after_the_loop() -> None:
    q, made = vectorize(DOT, "i", LANES, Reg, MACHINE)
    assert_body(
        q,
        """
        out_sum: f32[4] @ Reg
        set1(out_sum[0:4], 0.0)
        for io in seq(0, n / 4):
            x_v: f32[4] @ Reg
            y_v: f32[4] @ Reg
            load(x_v[0:4], x[4 * io:4 * io + 4])
            load(y_v[0:4], y[4 * io:4 * io + 4])
            fma(out_sum[0:4], x_v[0:4], y_v[0:4])
        out_sum_lanes: f32[4]
        store(out_sum_lanes[0:4], out_sum[0:4])
        for ii in seq(0, 4):
            out += out_sum_lanes[ii]
        for ii in seq(0, n % 4):
            out += x[ii + n / 4 * 4] * y[ii + n / 4 * 4]
        """,
    )
    assert_refines(DOT, q)
    assert made.reduction is not None and made.reduction.sums == (q.find("out_sum: _"),)


def test_an_instruction_that_adds_lanes_up_is_used() -> None:
    add_up = program(f"""
def add_up(dst: f32, src: [f32][{LANES}] @ Reg):
    assert stride(src, 0) == 1
    for i in seq(0, {LANES}):
        dst += src[i]
""")
    q, _ = vectorize(DOT, "i", LANES, Reg, [*MACHINE, add_up])
    assert "add_up(out, out_sum[0:4])" in str(q)
    assert_refines(DOT, q)


@pytest.mark.parametrize("before", [AXPY, DOT], ids=["axpy", "dot"])
@pytest.mark.parametrize("tail", ["guard", "masked"])
def test_masked_tails_leave_no_scalar_loop(before: Procedure, tail: str) -> None:
    q, made = vectorize(before, "i", LANES, Reg, MACHINE, tail=tail)
    assert_refines(before, q)
    loops = [made.loop, made.tail] if tail == "masked" else [made.loop]
    assert (made.tail is None) == (tail == "guard")
    for loop in loops:
        assert isinstance(loop, ForCursor)
        assert all(isinstance(stmt, CallCursor) for stmt in loop.body() if not hasattr(stmt, "shape"))
    assert any(each.subproc().name() == "mask_load" for each in made.calls)


def test_a_perfect_tail_is_proved() -> None:
    q, made = vectorize(EVEN, "i", LANES, Reg, MACHINE, tail="perfect")
    assert made.tail is None and made.loop.hi().op() == "/"
    assert_refines(EVEN, q, factor=8)
    with pytest.raises(SchedulingError, match=r"vectorize: divide_loop: cannot prove that 4 divides"):
        vectorize(AXPY, "i", LANES, Reg, MACHINE, tail="perfect")


def test_locals_become_registers_and_the_lanes_go_inside_of_inner_loops() -> None:
    before = program("""
def f(n: size, m: size, A: f32[m, n], x: f32[m], y: f32[n]):
    for i in seq(0, n):
        total: f32
        total = 0.0
        for k in seq(0, m):
            total += A[k, i] * x[k]
        y[i] = max(total, 0.0)
""")
    q, made = vectorize(before, "i", LANES, Reg, MACHINE, tail="masked")
    assert_refines(before, q)
    assert made.loop.find("fma(_)").parent().name() == "k"


def test_values_that_the_loop_does_not_change_are_computed_before_it() -> None:
    before = program("""
def f(m: size, n: size, a: f32, A: f32[m, n + 1], x: f32[m], y: f32[n + 1]):
    for i in seq(0, m):
        for j in seq(1, n + 1):
            A[i, j] += a * x[i] * y[j]
""")
    q, made = vectorize(before, "j", LANES, Reg, MACHINE, tail="masked")
    assert_refines(before, q)
    (value,) = made.values
    assert value.parent().name() == "i" and value.next().rhs().op() == "*"
    assert str(q).count("fma(") == 2 and " mul(" not in str(q)


def test_narrow_lanes_widen_in_registers_of_their_own() -> None:
    memories: dict[str, Any] = {"Reg": Reg, "Half": Half}
    machine = [
        proc_from_source(text, memories)
        for text in (
            "def load16(dst: [u16][4] @ Half, src: [u16][4]):\n    for i in seq(0, 4):\n        dst[i] = src[i]\n",
            "def widen(dst: [u32][4] @ Reg, src: [u16][4] @ Half):\n    for i in seq(0, 4):\n        dst[i] = u32(src[i])\n",
            "def add(dst: [u32][4] @ Reg, src: [u32][4] @ Reg):\n    for i in seq(0, 4):\n        dst[i] += src[i]\n",
            "def clear(dst: [u32][4] @ Reg):\n    for i in seq(0, 4):\n        dst[i] = 0\n",
            "def store(dst: [u32][4], src: [u32][4] @ Reg):\n    for i in seq(0, 4):\n        dst[i] = src[i]\n",
        )
    ]
    before = program("""
def f(n: size, x: u16[n + 2], y: u32[n]):
    for i in seq(0, n):
        total: u32
        total = 0
        for k in seq(0, 3):
            total += u32(x[i + k])
        y[i] = total
""")
    q, made = vectorize(before, "i", 4, {"u16": Half, "u32": Reg}, machine)
    assert_refines(before, q)
    assert {(each.name(), each.mem()) for each in made.registers} == {("total", Reg), ("v", Reg), ("x_v", Half)}
    with pytest.raises(SchedulingError, match="memory names none for u32"):
        vectorize(before, "i", 4, {"u16": Half}, machine)


# ---- rules


def test_without_instructions_every_operation_is_by_itself_and_replace_all_maps_them() -> None:
    q, made = vectorize(AXPY, "i", LANES, Reg)
    assert made.calls == ()
    assert "v[ii] = a_v[ii] * x_v[ii]" in str(q) and "y_v[ii] += v[ii]" in str(q)
    assert_refines(AXPY, replace_all(q, PLAIN))


def test_the_multiply_add_rule_keeps_a_product_and_its_sum_together() -> None:
    before = program("""
def f(n: size, a: f32[n], b: f32[n], c: f32[n], y: f32[n]):
    for i in seq(0, n):
        y[i] = a[i] * b[i] + c[i]
""")
    q, _ = vectorize(before, "i", LANES, Reg, rules=(fma_rule,))
    assert "v[ii] = c[4 * io + ii]" in str(q) and "v[ii] += a_v[ii] * b_v[ii]" in str(q)
    assert_refines(before, q)


def test_the_rules_for_select_and_abs_put_their_operands_into_registers() -> None:
    before = program("""
def f(n: size, x: f32[n], y: f32[n]):
    for i in seq(0, n):
        y[i] = select(abs(x[i]), 1.0, x[i], y[i])
""")
    q, _ = vectorize(before, "i", LANES, Reg, rules=(select_rule, abs_rule))
    assert "select(v1[ii], v2[ii], x_v1[ii], y_v[ii])" in str(q) and "abs(x_v[ii])" in str(q)
    assert_refines(before, q)
    q, _ = vectorize(before, "i", LANES, Reg, PLAIN, rules=(select_rule, abs_rule))
    assert "choose(" in str(q) and "absolute(" in str(q)


def test_sums_of_several_types_live_in_the_registers_of_their_types() -> None:
    before = program("""
def f(n: size, x: f32[n], k: u16[n], s: f32, c: u16):
    for i in seq(0, n):
        s += x[i]
        c += k[i]
""")
    q, made = vectorize(before, "i", LANES, {"f32": Reg, "u16": Half})
    assert made.reduction is not None
    assert {(each.name(), each.mem()) for each in made.reduction.sums} == {("s_sum", Reg), ("c_sum", Half)}
    assert_refines(before, q)


def test_vectors_may_live_in_plain_memory() -> None:
    q, made = vectorize(AXPY, "i", LANES, DRAM, rules=(fma_rule,), tail="guard")
    assert {each.mem() for each in made.registers} == {DRAM} and "y_v[ii] += a_v[ii] * x_v[ii]" in str(q)
    assert_refines(AXPY, q)


# ---- refusals


def test_a_rule_without_end_is_an_error() -> None:
    with pytest.raises(SchedulingError, match=r"no instruction computes") as caught:
        vectorize(AXPY, "i", LANES, Reg, rules=(lambda write, lanes: Cut(((write.rhs(), None),)),))
    assert "a rule wants it in a register before it is in one, which has no end" in caught.value.notes


def test_a_statement_that_no_instruction_computes_is_shown() -> None:
    before = program("def f(n: size, x: f32[n]):\n    for i in seq(0, n):\n        x[i] = x[i] / 3.0\n")
    with pytest.raises(SchedulingError, match=r"vectorize: no instruction computes `x\[4 \* io \+ ii\] = x") as caught:
        vectorize(before, "i", LANES, Reg, MACHINE)
    assert caught.value.code == "E461" and any("no combination" in note for note in caught.value.notes)


def test_lanes_that_are_not_neighbours_are_no_vector() -> None:
    before = program("def f(n: size, x: f32[2 * n], y: f32[n]):\n    for i in seq(0, n):\n        y[i] = x[2 * i]\n")
    with pytest.raises(SchedulingError, match="no instruction computes") as caught:
        vectorize(before, "i", LANES, Reg, MACHINE)
    assert "are not neighbours in memory, but 2 elements apart" in str(caught.value)
    before = program("def f(n: size, x: f32[n, 8], y: f32[n]):\n    for i in seq(0, n):\n        y[i] = x[i, 3]\n")
    with pytest.raises(SchedulingError, match="no instruction computes") as caught:
        vectorize(before, "i", LANES, Reg, MACHINE)
    assert "are not neighbours in memory, but a step in dimension 0 apart" in str(caught.value)


def test_the_reason_why_no_instruction_fits_is_told() -> None:
    head = "def f(n: size, x: {0}, y: {0}):\n    for i in seq(0, n):\n        "
    window = program(head.format("[f32][n]") + "y[i] = 2.0 * x[i]\n")
    with pytest.raises(SchedulingError, match=r"hint: assert stride\(x, 0\) == 1 in the procedure, or specialize"):
        vectorize(window, "i", LANES, Reg, MACHINE)
    dense = program(head.format("f32[n]") + "y[i] = 2.0 * x[i]\n")
    with pytest.raises(SchedulingError, match="none of the given instructions works on 3 lanes in Reg") as caught:
        vectorize(dense, "i", 3, Reg, MACHINE)
    assert caught.value.notes == ("they have 4 lanes",)
    doubles = program(head.format("f64[n]") + "y[i] = 2.0 * x[i]\n")
    with pytest.raises(SchedulingError, match="of this width compute f32, and this is f64"):
        vectorize(doubles, "i", LANES, Reg, MACHINE)
    branch = program(head.format("f32[n]") + "if x[i] < 0.0:\n            y[i] = 0.0\n")
    with pytest.raises(SchedulingError, match="hint: compute both sides and choose by `select"):
        vectorize(branch, "i", LANES, Reg, MACHINE)


def test_sums_of_a_loop_that_never_runs_are_refused() -> None:
    never = program("def f(n: size, x: f32[n], s: f32):\n    if False:\n        for i in seq(0, n):\n            s += x[i]\n")
    with pytest.raises(SchedulingError, match=r"the loop never runs, .*\n(.|\n)*hint: eliminate_dead_code removes it"):
        vectorize(never, "i", LANES, Reg, MACHINE)


def test_iterations_that_depend_on_each_other_are_refused() -> None:
    before = program("def f(n: size, x: f32[n + 1]):\n    for i in seq(0, n):\n        x[i + 1] = x[i] * 2.0\n")
    with pytest.raises(SchedulingError, match=r"vectorize: fission: .* does not commute"):
        vectorize(before, "i", LANES, Reg, MACHINE)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("i", 1, Reg, MACHINE), "the width must be at least 2 lanes, got 1"),
        (("i", 4, Reg, ["load"]), "instructions must be a list of which each is a Procedure"),
        (("y[_] += _", 4, Reg, MACHINE), "loop"),
    ],
)
def test_arguments_of_the_wrong_kind(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(UsageError if "must be a list" in message else SchedulingError, match=message):
        vectorize(AXPY, *arguments)
    with pytest.raises(UsageError, match="tail is one of 'perfect', 'cut', 'guard', 'masked', got 'mask'"):
        vectorize(AXPY, "i", LANES, Reg, MACHINE, tail="mask")
    with pytest.raises(UsageError, match=r"memory must be a subclass of Memory or a mapping .*, got 'Reg'"):
        vectorize(AXPY, "i", LANES, "Reg", MACHINE)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="got tuple") as caught:
        vectorize(vectorize(AXPY, "i", LANES, Reg, MACHINE), "ii", LANES, Reg, MACHINE)  # type: ignore[arg-type]
    assert "`p, record = ...`" in str(caught.value)


def test_a_missing_masked_form_is_an_error_only_where_it_is_needed() -> None:
    vectorize(AXPY, "i", LANES, Reg, PLAIN)
    with pytest.raises(SchedulingError, match="no instruction computes"):
        vectorize(AXPY, "i", LANES, Reg, [*PLAIN, instruction("load", "dst[i] = src[i]", True)], tail="masked")


# ---- any body

LEAVES = st.sampled_from(["x[i]", "y[i]", "x[i + 1]", "w[j, i]", "a", "x[i] * 2.0", "t"])


def expressions(leaves: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    def larger(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        binary = st.tuples(inner, st.sampled_from("+-*"), inner).map(lambda e: f"({e[0]} {e[1]} {e[2]})")
        two = st.tuples(st.sampled_from(["min", "max"]), inner, inner).map(lambda e: f"{e[0]}({e[1]}, {e[2]})")
        one = st.tuples(st.sampled_from(["abs({})", "-{}"]), inner).map(lambda e: e[0].format(e[1]))
        four = st.tuples(inner, inner, inner, inner).map(lambda e: f"select({', '.join(e)})")
        return st.one_of(binary, two, one, four)

    return st.recursive(leaves, larger, max_leaves=4)


WRITES = st.tuples(st.sampled_from(["z[i]", "v[j, i]", "t", "s"]), st.sampled_from(["=", "+="]), expressions(LEAVES)).filter(
    lambda write: (write[0] != "s" or write[1] == "+=") and write != ("t", "=", "t")
)


@settings(max_examples=8, deadline=None)
@given(st.lists(WRITES, min_size=1, max_size=2), st.sampled_from(["cut", "guard", "masked"]))
def test_every_body_of_element_wise_writes_keeps_its_meaning(writes: list[tuple[str, str, str]], tail: str) -> None:
    body = "\n".join(f"        {' '.join(write)}" for write in [("t", "=", "x[i]"), *writes])
    formals = "n: size, j: size, a: f32, s: f32, x: f32[n + 1], y: f32[n], w: f32[n, n], z: f32[n], v: f32[n, n]"
    before = program(f"def f({formals}):\n    assert j < n\n    for i in seq(0, n):\n        t: f32\n{body}\n")
    q, made = vectorize(before, "i", LANES, Reg, MACHINE, tail=tail)
    assert_refines(before, q, vectors=3)
    assert all(isinstance(stmt, CallCursor) for stmt in made.loop.body() if not hasattr(stmt, "shape"))


def test_what_was_created_prints_a_line_for_each_place():
    p = proc_from_source("def twice(x: f32[32]):\n    for i in seq(0, 32):\n        x[i] = 2.0 * x[i]\n")
    _, made = vectorize(p, "i", 8, DRAM)
    lines = repr(made).splitlines()
    assert lines[:3] == ["Vectorized(", "    loop=<ForCursor `for io in seq(0, 4):` in twice>,", "    tail=None,"]
    assert len(lines) == 12
