"""`replace`: what it finds, what it proves, what it refuses."""

from __future__ import annotations

import random

import numpy as np
import pytest

from tests.fuzz.refine import refinement_failure
from usl_core.cursors.cursor import InvalidCursor
from usl_core.errors import SchedulingError
from usl_core.interp import run
from usl_core.ir.config import Config, ConfigField
from usl_core.ir.memory import Memory
from usl_core.ir.types import INDEX
from usl_core.primitives.calls.inline import inline
from usl_core.primitives.calls.replace import replace
from usl_core.primitives.procs.rename import rename
from usl_core.procedure import Procedure, proc_from_source


class REG(Memory):
    name = "REG"
    addressable = False


def parse(text: str, **scope: object) -> Procedure:
    return proc_from_source(text, {"REG": REG, **scope})


STORE = parse("""
def store(dst: [f32][16], src: [f32][16] @ REG):
    assert stride(dst, 0) == 1
    for i in seq(0, 16):
        dst[i] = src[i]
""")
FMA = parse("""
def fma(dst: [f32][16] @ REG, a: f32, b: [f32][16] @ REG):
    for i in seq(0, 16):
        dst[i] += a * b[i]
""")
MASKED = parse("""
def masked(n: size, dst: [f32][n], src: [f32][16] @ REG):
    assert n <= 16
    for i in seq(0, 16):
        if i < n:
            dst[i] = src[i]
""")


def assert_same_meaning(before: Procedure, after: Procedure) -> None:
    assert refinement_failure(before.ir, after.ir, random.Random(1)) is None


def lines(p: Procedure) -> list[str]:
    return [line.strip() for line in str(p).strip().splitlines()]


def test_replace_finds_the_window_of_each_argument():
    p = parse("""
def foo(M: size, N: size, A: f32[M, 16 * N], R: [f32][4, 16] @ REG):
    for m in seq(0, M):
        for io in seq(0, N):
            for ii in seq(0, 16):
                A[m, 16 * io + ii] = R[2, ii]
""")
    q = replace(p, "for ii in _: _", STORE)
    assert "store(A[m, 16 * io:16 * io + 16], R[2, 0:16])" in lines(q)
    assert_same_meaning(p, q)
    assert_same_meaning(p, inline(q, "store(_)"))


def test_replace_matches_a_loop_that_starts_elsewhere():
    p = parse("""
def foo(A: f32[64], R: [f32][16] @ REG):
    for i in seq(8, 24):
        A[i + 8] = R[i - 8]
""")
    assert "store(A[16:32], R[0:16])" in lines(replace(p, "i", STORE))


def test_a_literal_and_an_element_stand_for_a_scalar_formal():
    p = parse("""
def foo(x: f32[8], D: [f32][16] @ REG, B: [f32][16] @ REG):
    for i in seq(0, 16):
        D[i] += 2.5 * B[i]
    for i in seq(0, 16):
        D[i] += x[3] * B[i]
""")
    q = replace(replace(p, "i", FMA), "i", FMA)
    assert lines(q)[-2:] == ["fma(D[0:16], 2.5, B[0:16])", "fma(D[0:16], x[3], B[0:16])"]
    assert_same_meaning(p, q)


def test_control_arguments_are_solved_from_guards():
    p = parse("""
def foo(N: size, A: f32[N], R: [f32][16] @ REG):
    assert N % 16 == 7
    for ii in seq(0, 16):
        if 16 * (N / 16) + ii < N:
            A[16 * (N / 16) + ii] = R[ii]
""")
    q = replace(p, "ii", MASKED)
    assert any(line.startswith("masked(") for line in lines(q))
    assert_same_meaning(p, q)


def test_a_guard_that_exceeds_the_instructions_size_is_refused_with_a_counter_example():
    p = parse("""
def foo(N: size, A: f32[N], R: [f32][16] @ REG):
    for ii in seq(0, 16):
        if ii < N:
            A[ii] = R[ii]
""")
    with pytest.raises(SchedulingError, match="may break its assertion n <= 16") as caught:
        replace(p, "ii", MASKED)
    assert "counter-example: N = 17" in str(caught.value)


def test_a_stride_that_the_instruction_relies_on_is_proved():
    p = parse("""
def foo(A: f32[32, 32], W: [f32][32], R: [f32][16] @ REG):
    for i in seq(0, 16):
        A[i, 3] = R[i]
    for j in seq(0, 16):
        W[j] = R[j]
""")
    for loop in ("i", "j"):
        with pytest.raises(SchedulingError, match=r"may break its assertion stride\(dst, 0\) == 1"):
            replace(p, loop, STORE)
    assert "store(W[0:16], R[0:16])" in lines(
        replace(parse(str(p).replace("for i in", "assert stride(W, 0) == 1\n    for i in", 1)), "j", STORE)
    )


def test_overlapping_arguments_are_refused():
    p = parse("""
def foo(D: [f32][32] @ REG, x: f32):
    for i in seq(0, 16):
        D[i + 1] += x * D[i]
""")
    with pytest.raises(SchedulingError, match="arguments dst and b of fma may overlap"):
        replace(p, "i", FMA)
    apart = parse("""
def foo(D: [f32][32] @ REG, x: f32):
    for i in seq(0, 16):
        D[i + 16] += x * D[i]
""")
    assert "fma(D[16:32], x, D[0:16])" in lines(replace(apart, "i", FMA))


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("A[i] = R[0, i] + 0.0", "the expressions differ"),
        ("A[i] += R[0, i]", "the statements are of different kinds"),
        ("A[i] = R[0, 15 - i]", "no window of R explains all accesses"),
        ("A[2 * i] = R[0, i]", "no window of A explains all accesses"),
        ("A[i] = B[i]", "src is f32, but B is f64|one is f32, the other f64"),
    ],
)
def test_a_block_that_differs_is_refused_with_the_reason(body: str, reason: str):
    typed = "f64" if "B[i]" in body else "f32"
    p = parse(f"""
def foo(A: {typed}[64], B: {typed}[64], R: [f32][4, 16] @ REG):
    for i in seq(0, 16):
        {body}
""")
    with pytest.raises(SchedulingError, match=reason):
        replace(p, "i", STORE)


def test_a_range_of_another_length_is_refused():
    p = parse("""
def foo(A: f32[64], R: [f32][64] @ REG):
    for i in seq(0, 15):
        A[i] = R[i]
""")
    with pytest.raises(SchedulingError, match="the control expressions differ"):
        replace(p, "i", STORE)


def test_a_formal_that_the_callee_writes_takes_no_literal():
    scale = parse("""
def bump(a: f32, x: [f32][4]):
    for i in seq(0, 4):
        x[i] = a
    a = 0.0
""")
    p = parse("""
def foo(x: f32[4], y: f32):
    for i in seq(0, 4):
        x[i] = 1.0
    y = 0.0
""")
    with pytest.raises(SchedulingError, match="a constant and a buffer"):
        replace(p, p.body(), scale)


def test_cursors_to_the_block_move_to_the_call_and_inner_ones_die():
    p = parse("""
def foo(A: f32[64], R: [f32][16] @ REG):
    A[0] = 1.0
    for i in seq(0, 16):
        A[i] = R[i]
    A[1] = 2.0
""")
    loop, inner, after = p.find_loop("i"), p.find("A[i] = _"), p.find("A[1] = _")
    q = replace(p, loop, STORE)
    assert q.forward(after).node is q.find("A[1] = _").node
    assert q.forward(loop).node is q.find("store(_)").node
    assert isinstance(q.forward(inner), InvalidCursor)


def refusal(p: Procedure, where: object, callee: Procedure) -> SchedulingError:
    with pytest.raises(SchedulingError) as caught:
        replace(p, where, callee)
    assert caught.value.code == "E430"
    return caught.value


TWO = parse("""
def two(x: [f32][16], y: [f32][16]):
    for i in seq(0, 16):
        x[i] = 1.0
        if i < 4:
            y[i] = x[i] + 2.0
""")


def test_a_failed_match_names_the_innermost_statements_that_differ_and_what_differs_in_them():
    p = parse("""
def foo(a: f32[16], b: f32[16]):
    for i in seq(0, 16):
        a[i] = 1.0
        if i < 4:
            b[i] = a[i] + 3.0
""")
    error = refusal(p, "i", TWO)
    assert list(error.notes) == [
        "in the callee: y[i] = x[i] + 2.0",
        "in the block:  b[i] = a[i] + 3.0",
        "what differs:  2.0 against 3.0",
    ]
    assert error.span is not None
    assert error.span.line == p.find("b[_] = _").node.span.line


def test_a_failed_match_of_ranges_names_the_loops_and_conditions():
    p = parse("""
def foo(a: f32[16], b: f32[16]):
    for i in seq(0, 16):
        a[i] = 1.0
        if i < 5:
            b[i] = a[i] + 2.0
""")
    error = refusal(p, "i", TWO)
    assert list(error.notes) == ["in the callee: if i < 4:", "in the block:  if i < 5:", "what differs:  i < 4 against i < 5"]


def test_of_several_accesses_the_first_that_no_window_explains_is_named():
    p = parse("""
def foo(a: f32[17], b: f32[16]):
    for i in seq(0, 16):
        a[i] = 1.0
        if i < 4:
            b[i] = a[i + 1] + 2.0
""")
    error = refusal(p, "i", TWO)
    assert error.notes[:2] == ("in the callee: y[i] = x[i] + 2.0", "in the block:  b[i] = a[i + 1] + 2.0")
    assert error.notes[2] == "what differs:  x[i] against a[i + 1]"


def test_a_block_with_more_or_fewer_statements_names_the_first_without_a_partner():
    longer = parse("""
def foo(a: f32[16], b: f32[16]):
    for i in seq(0, 16):
        a[i] = 1.0
        if i < 4:
            b[i] = a[i] + 2.0
        b[i] = 7.0
""")
    error = refusal(longer, "i", TWO)
    assert "the callee has 2 statements where the block has 3" in error.message
    assert error.notes == ("in the block:  b[i] = 7.0",)
    other = parse("""
def foo(a: f32[16], b: f32[16]):
    for i in seq(0, 16):
        a[i] = 1.0
        pass
        if i < 4:
            b[i] = a[i] + 2.0
""")
    error = refusal(other, "i", TWO)
    assert error.notes == ("in the callee: if i < 4:", "in the block:  pass")


def test_a_version_of_the_procedure_itself_can_be_called():
    p = parse("def axpy(n: size, x: f32[n]):\n    for i in seq(0, n):\n        x[i] = 1.0\n")
    q = replace(p, "i", rename(p, "axpy2"))
    assert lines(q)[-1] == "axpy2(n, x)"


def test_a_loop_may_start_at_an_expression_of_a_size_that_another_loop_determines():
    p = parse("""
def solve(n: size, A: f32[n, n], x: f32[n]):
    for d in seq(0, n):
        for j in seq(n - d, n):
            x[n - 1 - d] += -A[n - 1 - d, j] * x[j]
""")
    q = replace(rename(p, "again"), "for d in _: _", p)
    assert lines(q)[-1] == "solve(n, A, x)"
    assert_same_meaning(p, q)


def test_control_conditions_within_a_condition_on_data_are_compared() -> None:
    callee = parse("def callee(m: index, y: [f32][2]):\n    if y[0] < 1.0 and m < 3: y[1] = 1.0")
    caller = "def foo(m: index, y: f32[2]):\n    if y[0] < 1.0 and {}: y[1] = 1.0"
    assert "callee(m, y[0:2])" in str(replace(parse(caller.format("m < 3")), "if _: _", callee))
    for other in ("m == 3", "m < 3 and m == 2"):
        with pytest.raises(SchedulingError, match="does not match the block") as caught:
            replace(parse(caller.format(other)), "if _: _", callee)
        assert caught.value.code == "E430"


REG_FIELDS = Config("RegFields", {"a": ConfigField("a", INDEX), "b": ConfigField("b", INDEX)})
AT_A = parse(
    """
def at_a(v: index, dst: [f32][1]):
    assert RegFields.a == v
    dst[0] = 1.0
""",
    RegFields=REG_FIELDS,
)


def test_an_argument_that_a_field_determines_is_read_from_it_although_earlier_iterations_may_have_written_it():
    p = parse(
        """
def foo(n: size, m: index, x: f32[n]):
    assert m >= 0
    for i in seq(0, m):
        RegFields.a = n
    x[0] = 1.0
""",
        RegFields=REG_FIELDS,
    )
    q = replace(p, "x[0] = _", AT_A)
    assert lines(q)[-1] == "at_a(RegFields.a, x[0:1])"
    run(q.ir, {"n": 2, "m": 1, "x": np.zeros(2, np.float32)}, configs={(REG_FIELDS, "a"): 5, (REG_FIELDS, "b"): 0})
    assert_same_meaning(p, q)


def test_what_a_field_held_before_is_an_argument_only_while_a_field_holds_it():
    text = """
def foo(n: size, m: index, x: f32[n]):
    assert m >= 0
    for i in seq(0, m):
        RegFields.b = n
    RegFields.a = RegFields.b + 1
    {}
    x[0] = 1.0
"""
    held = parse(text.format("pass"), RegFields=REG_FIELDS)
    q = replace(held, "x[0] = _", AT_A)
    assert lines(q)[-1] == "at_a(RegFields.b + 1, x[0:1])"
    assert_same_meaning(held, q)
    gone = parse(text.format("RegFields.b = 0"), RegFields=REG_FIELDS)
    with pytest.raises(SchedulingError, match=r"would need what RegFields\.b held before"):
        replace(gone, "x[0] = _", AT_A)


def test_replace_decides_quotients_of_iterators_by_the_loops_around_them():
    blocks = parse("""
def blocks(n: size, dst: [f32][(n + 3) / 4, 4], src: [f32][n]):
    assert n <= 16
    for c in seq(0, n):
        dst[c / 4, c % 4] = src[c]
""")
    p = parse("""
def f(x: f32[4], y: f32[2, 4]):
    for i in seq(0, 4):
        y[1, i] = x[i]
""")
    replaced = replace(p, "i", blocks)
    assert lines(replaced)[-1] == "blocks(4, y[1:2, 0:4], x[0:4])"
    assert_same_meaning(p, replaced)
