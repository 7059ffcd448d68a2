"""The parser: where names come from, what statements mean, how operators are typed."""

from __future__ import annotations

import warnings
from fractions import Fraction
from pathlib import Path
from textwrap import dedent

import pytest

from tests.frontend import kernels
from usl_core.errors import ParseError, TypeError_, UslError
from usl_core.frontend.parser import parse_function, parse_source
from usl_core.ir.externs import MAX
from usl_core.ir.memory import DRAM
from usl_core.ir.nodes import Assign, Call, Cast, ExternCall, For, If, InstrTemplate, Literal, LoopMode, Read, Reduce
from usl_core.ir.printer import show
from usl_core.ir.traverse import same
from usl_core.ir.types import F32, INDEX, SIZE, U16, Kind, ScalarType, TensorType
from usl_core.ir.verify import verify


def line_of(text: str) -> int:
    lines = Path(kernels.__file__).read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


def rhs_of(expr: str, args: str = "n: size, k: index, x: f32, y: i32, A: f32[n]", target: str = "x") -> str:
    """The text of the right side after parsing."""
    proc = parse_source(f"def f({args}):\n    {target} = {expr}")
    verify(proc)
    stmt = proc.body[0]
    assert isinstance(stmt, Assign)
    return show(proc).splitlines()[-1].split(" = ", 1)[1]


def index_of(expr: str) -> str:
    proc = parse_source(f"def f(n: size, k: index, A: f32[n]):\n    A[{expr}] = 0.0")
    verify(proc)
    return show(proc).splitlines()[-1].strip()[2 : -len("] = 0.0")]


def cond_of(expr: str) -> str:
    proc = parse_source(f"def f(n: size, k: index, b: bool, x: f32, r: R, v: u16):\n    if {expr}:\n        pass")
    verify(proc)
    return show(proc).splitlines()[2].strip()[len("if ") : -1]


# ---- functions


def test_a_function_is_parsed_with_the_lines_and_columns_of_its_file() -> None:
    proc = parse_function(kernels.copy)
    assert [arg.name.name for arg in proc.args] == ["n", "x", "y"]
    assert len(proc.preds) == 1
    loop = proc.body[0]
    assert isinstance(loop, For)
    line = line_of("y[i] = x[i]")
    assert (loop.body[0].span.file, loop.body[0].span.line) == (kernels.__file__, line)
    assert (loop.body[0].span.column, loop.body[0].span.end_column) == (9, 20)
    assert proc.span.line == line_of("def copy")
    assert proc.span.end_line == proc.span.line


def test_an_error_in_a_function_shows_the_line_of_the_file() -> None:
    with pytest.raises(TypeError_) as caught:
        parse_function(kernels.ill_typed)
    assert str(caught.value).startswith(f"{kernels.__file__}:{line_of('x[0] = n')}:12: ")
    assert "    x[0] = n\n           ^" in str(caught.value)


def test_an_indented_function_keeps_its_columns() -> None:
    with pytest.raises(TypeError_) as caught:
        parse_function(kernels.Holder.method)
    assert caught.value.span is not None
    assert (caught.value.span.line, caught.value.span.column) == (line_of("x[n] = n"), 16)


def test_constants_come_from_the_module() -> None:
    text = show(parse_function(kernels.uses_constants))
    assert "x: f32[16, 3]" in text
    assert "seq(0, 8)" in text
    assert "x[2 * i, 3 - 1] = 0.1" in text
    assert "check(True)" in text


def test_constants_come_from_the_closure_and_from_the_given_locals() -> None:
    nested, local_names = kernels.make_nested()
    text = show(parse_function(nested, locals=local_names))
    assert "x: f32[7]" in text
    assert "x[5] = 2.0" in text


def test_a_closure_wins_over_the_given_locals() -> None:
    nested, local_names = kernels.make_nested()
    assert "x[5] = 2.0" in show(parse_function(nested, locals={**local_names, "captured": 6}))


def test_a_function_without_source_text_is_refused() -> None:
    with pytest.raises(ParseError, match="the source text of gone is not available"):
        parse_function(kernels.made_by_exec["gone"])


def test_a_lambda_is_refused() -> None:
    make = lambda n: None  # noqa: E731
    with pytest.raises(ParseError, match="a procedure is a plain function"):
        parse_function(make)


def test_what_the_decorators_declare_is_kept() -> None:
    template = InstrTemplate("copy({n}, {x.ptr}, {y.stride0});", features=("avx",))
    proc = parse_function(kernels.copy, instr=template, aliasable=("x", "y"))
    assert proc.instr is template
    assert proc.aliasable == ("x", "y")
    assert same(parse_source(show(proc)), proc)


# ---- types


def test_formals_have_their_types_and_memories() -> None:
    proc = parse_source("def f(n: size, s: f32, A: f32[n, 4], B: [u16][n] @ DRAM):\n    pass")
    n, s, a, b = proc.args
    assert (n.type, n.mem) == (SIZE, None)
    assert (s.type, s.mem) == (F32, DRAM)
    assert isinstance(a.type, TensorType) and not a.type.window and len(a.type.shape) == 2
    assert isinstance(b.type, TensorType) and b.type.window and b.type.scalar == U16


def test_a_type_of_a_plugin_is_found_in_the_scope() -> None:
    e4m3 = ScalarType("e4m3", Kind.FLOAT, 8)
    proc = parse_source(
        "def f(x: mod.e4m3[4], y: mod.e4m3):\n    y = mod.e4m3(1) + x[0]", {"mod": type("mod", (), {"e4m3": e4m3})}
    )
    assert isinstance(proc.args[0].type, TensorType)
    assert proc.args[0].type.scalar is e4m3


# ---- literals and operators


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("2", "2.0"),
        ("x + 2", "x + 2.0"),
        ("1 - (2 * x)", "1.0 - 2.0 * x"),
        ("0.1000", "0.1"),
        ("-3", "-3.0"),
        ("+x", "x"),
        ("7 // 2", "3.0"),
        ("f32(3)", "3.0"),
        ("f32(k)", "f32(k)"),
        ("f32(k + 1)", "f32(k + 1)"),
        ("f32(1 + 2)", "1.0 + 2.0"),
        ("f32(y / 2)", "f32(y / 2)"),
        ("f32(y // 2)", "f32(y / 2)"),
        ("max(1, x)", "max(1.0, x)"),
        ("max(1, 2)", "max(1.0, 2.0)"),
        ("select(y, 3, x, 1)", "select(y, 3, x, 1.0)"),
        ("A[min(k, 3)]", "A[min(k, 3)]"),
        ("A[idx(y, 0, n)]", "A[idx(y, 0, n)]"),
        ("f32(idx(y, 0, n))", "f32(idx(y, 0, n))"),
    ],
)
def test_literals_take_the_type_of_what_they_meet(written: str, meant: str) -> None:
    assert rhs_of(written) == meant


def test_a_decimal_is_the_number_as_written_and_not_the_nearest_double() -> None:
    proc = parse_source("def f(x: R):\n    x = 0.1000000000000000000001")
    assert isinstance(proc.body[0], Assign)
    assert isinstance(proc.body[0].rhs, Literal)
    assert proc.body[0].rhs.value == Fraction(1, 10) + Fraction(1, 10**22)


def test_a_float_of_the_scope_means_the_decimal_that_python_shows() -> None:
    proc = parse_source("def f(x: R):\n    x = c", {"c": 0.1})
    assert isinstance(proc.body[0], Assign)
    assert isinstance(proc.body[0].rhs, Literal)
    assert proc.body[0].rhs.value == Fraction(1, 10)


@pytest.mark.parametrize("value", [float("inf"), float("nan"), Fraction(1, 3)])
def test_a_number_without_a_decimal_is_refused(value: object) -> None:
    with pytest.raises(TypeError_, match="literal"):
        parse_source("def f(x: R):\n    x = c", {"c": value})


def test_a_cast_of_a_literal_is_a_literal_and_a_cast_of_an_index_is_a_cast() -> None:
    proc = parse_source("def f(x: f32):\n    x = f32(3)\n    x = f32(index(3))")
    first, second = proc.body
    assert isinstance(first, Assign) and isinstance(first.rhs, Literal)
    assert isinstance(second, Assign) and isinstance(second.rhs, Cast)
    assert second.rhs.arg.type is INDEX


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("k // 4", "k / 4"),
        ("k / -4", "-k / 4"),
        ("k % -4", "-(-k % 4)"),
        ("7 / -2", "-7 / 2"),
        ("k % (2 + 2)", "k % 4"),
        ("k * (2 + 2)", "k * 4"),
        ("(2 + 2) * k", "4 * k"),
        ("2 * 3 * k", "6 * k"),
        ("2 * (k + 3)", "2 * (k + 3)"),
        ("k - -3", "k - -3"),
        ("min(k, n) + max(0, 3)", "min(k, n) + max(0, 3)"),
    ],
)
def test_index_arithmetic_has_constant_factors_and_positive_divisors(written: str, meant: str) -> None:
    assert index_of(written) == meant


@pytest.mark.parametrize("dividend", range(-9, 10))
@pytest.mark.parametrize("divisor", [-4, -3, -1])
def test_rewritten_negative_divisors_give_what_python_gives(dividend: int, divisor: int) -> None:
    for op in ("//", "%"):
        text = index_of(f"{dividend} {op} {divisor}").replace("/", "//")
        assert eval(text) == eval(f"{dividend} {op} {divisor}")


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("0 <= k < n", "0 <= k and k < n"),
        ("0 <= k < n < 9", "0 <= k and k < n and n < 9"),
        ("not k < n", "k >= n"),
        ("not k == n", "k != n"),
        ("not b", "b == False"),
        ("not not b", "b != False"),
        ("not True", "False"),
        ("not (b and k < n)", "b == False or k >= n"),
        ("not (b or k < n)", "b == False and k >= n"),
        ("not x == 1", "x != 1.0"),
        ("not v < 3", "v >= 3"),
        ("not r < 3", "r >= 3.0"),
        ("b and x < 1", "b and x < 1.0"),
        ("1 < x", "1.0 < x"),
        ("b == (k < n)", "b == (k < n)"),
    ],
)
def test_conditions_are_rewritten_without_not_and_without_chains(written: str, meant: str) -> None:
    assert cond_of(written) == meant


def test_the_language_s_min_is_meant_even_where_python_has_another() -> None:
    proc = parse_source("def f(x: f32):\n    x = max(x, 1.0)", {"max": max})
    assert isinstance(proc.body[0], Assign)
    assert isinstance(proc.body[0].rhs, ExternCall)
    assert proc.body[0].rhs.fn is MAX


# ---- statements


def test_minus_equals_adds_the_negation() -> None:
    proc = parse_source("def f(x: f32, u: u16, A: f32[4]):\n    x -= A[0]\n    x -= 1\n    u -= 1")
    assert all(isinstance(stmt, Reduce) for stmt in proc.body)
    assert show(proc).splitlines()[2:] == ["    x += -A[0]", "    x += -1.0", "    u += -(+1)"]


def test_reductions_have_an_operation() -> None:
    proc = parse_source("def f(x: f32, A: i8[4]):\n    x += 1.0\n    x *= 2\n    x @= max(x + 1)\n    A[2] @= min(A[0])")
    assert [stmt.op for stmt in proc.body if isinstance(stmt, Reduce)] == ["+", "*", "max", "min"]
    assert show(proc).splitlines()[2:] == ["    x += 1.0", "    x *= 2.0", "    x @= max(x + 1.0)", "    A[2] @= min(A[0])"]


def test_reductions_of_bits_are_for_integers() -> None:
    proc = parse_source("def f(x: u8, A: i8[4]):\n    x &= 7\n    x |= ~x\n    A[2] ^= A[0] << 1")
    assert [stmt.op for stmt in proc.body if isinstance(stmt, Reduce)] == ["&", "|", "^"]
    assert show(proc).splitlines()[2:] == ["    x &= 7", "    x |= ~x", "    A[2] ^= A[0] << 1"]
    with pytest.raises(TypeError_, match=r"`\|=` is defined on integer data only, not on f32"):
        parse_source("def f(x: f32):\n    x |= x")
    with pytest.raises(ParseError, match=r"no `<<=`; write x = x << ..."):
        parse_source("def f(x: i32):\n    x <<= 1")


BITS = {
    "x = x | n": "`|` mixes i32 data and an index (control) value; convert it explicitly with i32(n)",
    "x = i32(n & 1)": "`&` is defined on integer data only, not on an index (control) value; write `and` on truth values",
    "x = i32(y << 2.0)": "`<<` is defined on integer data only, not on f32 data",
    "x = ~3": "the type of this literal is not known; write ~i32(...)",
    "x = i32(~y)": "`~` is defined on integer data only, not on f32 data",
    "z[1 << 70] = 0.0": "1 << 70 is no number; numbers are shifted by 0 to 64",
    "x = i32(bits(h))": "bits: the argument must be f32 or f64, got f16",
    "y = from_bits(x)": "from_bits: the argument must be u32 or u64, got i32",
}


@pytest.mark.parametrize("line", BITS)
def test_operations_on_bits_have_their_types(line: str) -> None:
    with pytest.raises(TypeError_) as caught:
        parse_source(f"def f(n: size, x: i32, y: f32, h: f16, z: f32[n]):\n    {line}")
    assert caught.value.message == BITS[line]


def test_plain_numbers_with_bits_are_numbers_of_what_they_meet() -> None:
    proc = parse_source("def f(x: u16, y: f32[4096]):\n    x = x & (1 << 4 | 3)\n    y[(1 << 12) - 1] = 0.0")
    assert show(proc).splitlines()[2:] == ["    x = x & (1 << 4 | 3)", "    y[4096 - 1] = 0.0"]


def test_a_reduction_has_the_type_of_its_target() -> None:
    with pytest.raises(TypeError_, match=r"the right side of `@= max` must be f32 data, not i32 data"):
        parse_source("def f(x: f32, n: i32):\n    x @= max(n)")


def test_open_ends_of_a_window_come_from_the_shape() -> None:
    proc = parse_source("def f(n: size, x: f32[n, 8]):\n    w = x[2:, 1]\n    v = w[:4]\n    u = x[:, :]")
    assert show(proc).splitlines()[2:] == ["    w = x[2:n, 1]", "    v = w[0:4]", "    u = x[0:n, 0:8]"]


def test_an_inner_name_hides_an_outer_one_until_its_block_ends() -> None:
    proc = parse_source(
        dedent(
            """\
            def f(x: f32):
                if 1 < 2:
                    x: i32
                    x = 3
                x = 3
            """
        )
    )
    branch, last = proc.body
    assert isinstance(branch, If) and isinstance(last, Assign)
    inner = branch.body[1]
    assert isinstance(inner, Assign)
    assert inner.name is not proc.args[0].name
    assert last.name is proc.args[0].name
    assert inner.rhs.type != last.rhs.type


def test_a_name_may_be_declared_again_in_the_same_block() -> None:
    proc = parse_source("def f():\n    t: f32\n    t = 1\n    t: i32\n    t = 1")
    assert show(proc).splitlines()[2:] == ["    t: f32", "    t = 1.0", "    t_1: i32", "    t_1 = 1"]


def test_a_window_may_take_the_name_of_what_it_looks_at() -> None:
    proc = parse_source("def f(w: f32[8]):\n    w = w[2:6]\n    w[0] = 1")
    assert show(proc).splitlines()[2:] == ["    w_1 = w[2:6]", "    w_1[0] = 1.0"]


def test_par_loops_and_else_branches() -> None:
    proc = parse_source(
        "def f(n: size):\n    for i in par(0, n):\n        if i < 3:\n            pass\n        elif i < 4:\n            pass"
    )
    loop = proc.body[0]
    assert isinstance(loop, For)
    assert loop.mode is LoopMode.PAR
    assert isinstance(loop.body[0], If)
    assert isinstance(loop.body[0].orelse[0], If)


def test_calls_take_windows_whole_buffers_elements_and_control_values() -> None:
    callee = parse_source("def g(x: [f32][4], s: f32, b: bool, n: index):\n    x[0] = s")
    text = "def f(A: f32[8, 4], B: f32[4]):\n    m.g(A[3, :], A[0, 0], 2 < 3, stride(A, 0))\n    m.g(B, 1, True, -4)"
    proc = parse_source(text, {"m": type("m", (), {"g": type("P", (), {"ir": callee})})})
    first, second = proc.body
    assert isinstance(first, Call) and isinstance(second, Call)
    assert first.proc is callee
    assert show(first) == "g(A[3, 0:4], A[0, 0], 2 < 3, stride(A, 0))"
    assert show(second) == "g(B, 1.0, True, -4)"
    assert isinstance(second.args[0], Read) and isinstance(second.args[0].type, TensorType)


def test_a_written_argument_is_found_through_windows_and_calls() -> None:
    inner = parse_source("def inner(x: [f32][4], s: f32):\n    x[0] = 1.0")
    outer = parse_source("def outer(A: f32[8, 4], s: f32):\n    w = A[0, :]\n    v = w[0:4]\n    inner(v, s)", {"inner": inner})
    assert isinstance(parse_source("def f(A: f32[8, 4]):\n    outer(A, 2.0)", {"outer": outer}).body[0], Call)
    writer = parse_source("def writer(s: f32):\n    s += 1.0")
    through = parse_source("def through(s: f32):\n    writer(s)", {"writer": writer})
    with pytest.raises(TypeError_, match="argument s of through is written there"):
        parse_source("def f():\n    through(2.0)", {"through": through})


def test_an_empty_body_after_assertions_is_pass() -> None:
    proc = parse_source("def f(n: size):\n    assert n > 3")
    assert show(proc).splitlines()[1:] == ["def f(n: size):", "    assert n > 3", "    pass"]


def test_a_name_of_the_procedure_hides_a_constant_but_never_a_callee() -> None:
    callee = parse_source("def g(n: size):\n    pass")
    text = "def f(g: size, seq: size, c: size):\n    for f32 in seq(0, g):\n        g(c + 1)"
    proc = parse_source(text, {"g": callee, "c": 5})
    assert show(proc).splitlines()[1:] == text.splitlines()
    verify(proc)


@pytest.mark.parametrize("odd", ["x = 1if n else 2", "x = 0x1for y in z", "x = '\\d'", "n is 3"])
def test_a_text_at_which_python_wonders_is_refused_without_its_warning(odd):
    with warnings.catch_warnings(record=True) as said, pytest.raises(UslError):
        warnings.simplefilter("always")
        parse_source(f"def f(n: size, x: f32):\n    {odd}")
    assert not said


def test_warnings_of_others_are_as_before():
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        parse_source("def f(x: f32):\n    x = 1.0")
        warnings.warn("mine", stacklevel=1)
    assert [str(each.message) for each in said] == ["mine"]


CHOICES = {
    "select(a < b, a, 3)": "select(a, b, a, 3)",
    "select(a > b, a, b)": "select(b, a, a, b)",
    "select(a <= b, a, b)": "select(b, a, b, a)",
    "select(a >= 2, a, b)": "select(a, 2, b, a)",
    "select(a == b, 1, 2)": "select(a, b, 2, select(b, a, 2, 1))",
    "select(a != b, 1, 2)": "select(a, b, 1, select(b, a, 1, 2))",
    "select(a < 3 and b < 4, a, 7)": "select(a, 3, select(b, 4, a, 7), 7)",
    "select(a < 3 or x > y, a, 7)": "select(a, 3, a, select(y, x, a, 7))",
    "select(0 <= a < 9, a, 0)": "select(a, 0, 0, select(a, 9, a, 0))",
}
NO_CHOICES = {
    "select(n < 3, a, b)": "select chooses by a comparison of data; n < 3 is none, which an `if` may test",
    "select(a < b or n < 3, a, b)": "select chooses by a comparison of data; n < 3 is none, which an `if` may test",
    "select(a, a, b)": "select chooses by a comparison of data; a is none, which an `if` may test",
    "select(x <= y, a, b)": "select compares f32 data by `<` and `>` only, as neither holds where a side is NaN",
    "select(x == y, a, b)": "select compares f32 data by `<` and `>` only, as neither holds where a side is NaN",
    "select(a < b, a, x)": "select: arguments must have one type, got i32, f32; use an explicit cast",
}


@pytest.mark.parametrize("text", CHOICES)
def test_a_choice_by_any_condition_is_made_of_those_by_less(text: str) -> None:
    proc = parse_source(f"def f(n: size, a: i32, b: i32, x: f32, y: f32):\n    a = {text}")
    assert show(proc).splitlines()[2:] == [f"    a = {CHOICES[text]}"]


@pytest.mark.parametrize("text", NO_CHOICES)
def test_a_choice_needs_a_condition_on_data(text: str) -> None:
    with pytest.raises(TypeError_) as caught:
        parse_source(f"def f(n: size, a: i32, b: i32, x: f32, y: f32):\n    a = {text}")
    assert caught.value.message == NO_CHOICES[text]
