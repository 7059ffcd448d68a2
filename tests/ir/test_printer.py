"""The printer: names, parentheses, literals."""

from __future__ import annotations

from fractions import Fraction
from textwrap import dedent

import pytest

from usl_core.frontend.parser import parse_source
from usl_core.ir.literal_text import decimal_text
from usl_core.ir.memory import Memory
from usl_core.ir.nodes import (
    BinaryOp,
    Call,
    For,
    InstrTemplate,
    Literal,
    Pass,
    Proc,
    Read,
    UnaryMinus,
    index_literal,
    index_read,
)
from usl_core.ir.printer import Printer, show, show_block, show_expr, show_with_scope
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import same
from usl_core.ir.types import F32, INDEX


class VecReg(Memory):
    name = "VecReg"


def printed(text: str, **scope: object) -> str:
    return show(parse_source(dedent(text), scope)) + "\n"


def assert_prints_as_written(text: str, **scope: object) -> None:
    text = dedent(text)
    assert show(parse_source(text, scope)) + "\n" == text


def test_a_procedure_with_every_statement_prints_as_it_was_written() -> None:
    inner = parse_source("def inner(n: size, x: [f32][n, 4], s: f32):\n    x[0, 0] = s")
    assert_prints_as_written(
        """\
        @proc
        def outer(M: size, k: index, b: bool, A: f32[M, 4], B: [f32][M], q: i32[M] @ VecReg, alpha: f32):
            assert M % 16 == 0
            assert stride(A, 1) == 1
            acc: f32[16, M] @ VecReg
            t: f32
            w = A[0:M, 3]
            for i in seq(0, M):
                if i < 4 and b:
                    A[i, 0] = 2.0
                elif k == 3:
                    pass
                else:
                    t = f32(q[i]) * alpha
                    A[i, 0] += f32(i) * 2.0
            for j in par(1, M / 4):
                w[j] = max(w[j], 0.0)
            inner(M, A[0:M, 0:4], alpha)
            check(M > 3)
        """,
        VecReg=VecReg,
        inner=inner,
    )


def test_dram_is_left_out_because_it_is_the_default() -> None:
    assert "def f(x: f32[4]):" in printed("def f(x: f32[4] @ DRAM):\n    x[0] = 1.0")


def test_a_name_bound_inside_another_of_its_spelling_gets_a_suffix() -> None:
    text = printed(
        """\
        def f(i: size, x: f32[i]):
            for i in seq(0, i):
                for i in seq(0, i):
                    x[i] = 0.0
            for i in seq(0, 1):
                pass
        """
    )
    assert "for i_1 in seq(0, i):" in text
    assert "for i_2 in seq(0, i_1):" in text
    assert "x[i_2] = 0.0" in text
    assert text.endswith("    for i_1 in seq(0, 1):\n        pass\n")


def test_siblings_reuse_a_spelling() -> None:
    i, j = Sym("i"), Sym("i")
    block = tuple(For(sym, index_literal(0), index_literal(2), (Pass(),)) for sym in (i, j))
    assert show_block(block) == "for i in seq(0, 2):\n    pass\nfor i in seq(0, 2):\n    pass"


def test_a_free_name_keeps_its_spelling_and_a_second_one_is_told_apart() -> None:
    expr = BinaryOp("+", index_read(Sym("n")), index_read(Sym("n")), type=INDEX)
    assert show_expr(expr) == "n + n_1"


def test_a_printer_that_knows_names_uses_them() -> None:
    n = Sym("n")
    assert show_expr(index_read(n), Printer({n: "rows"})) == "rows"


def test_a_keyword_is_never_printed_as_a_name() -> None:
    assert show_expr(index_read(Sym("in"))) == "in_"


@pytest.mark.parametrize(
    "text",
    [
        "a - (b - c)",
        "a - b - c",
        "-(a + b)",
        "-a + b",
        "-a * 3",
        "3 * -a",
        "2 * (a + b) / 3 % 4",
        "a / 3 * 2",
        "2 * (a / 3)",
        "a + -3",
        "a - -3",
        "-(-a)",
        "-(-3)",
        "-(+3)",
        "min(a, b + 1)",
    ],
)
def test_index_expressions_print_with_the_fewest_parentheses(text: str) -> None:
    source = f"def f(a: index, b: index, c: index, x: f32[4]):\n    x[{text}] = 0.0"
    assert f"x[{text}] = 0.0" in show(parse_source(source))


@pytest.mark.parametrize(
    "text",
    [
        "a < 3 and b or a == 4",
        "a < 3 and (b or a == 4)",
        "b and (b and b)",
        "b == (a < 3)",
        "(a < 3) == b",
        "u < 1.0 and b",
        "f32(1.0) < 2.0",
        "-f32(1.0) < 2.0",
        "f32(1.0) + 3.0 < 2.0",
        "1.0 + u < 2.0",
        "select(u, 1.0, f32(2.0), 3.0) < 4.0",
        "select(f32(1.0), 2.0, u, 3.0) < 4.0",
        "f32(index(3)) < u",
        "f32(i32(3)) < u",
        "f32(v) < u",
        "f32(v + 3) < u",
        "max(f32(1.0), 2.0) < 1e-30",
        "3 < 4",
        "sqrt(u) < -0.5",
    ],
)
def test_conditions_print_so_that_literals_keep_their_type(text: str) -> None:
    source = f"def f(a: index, b: bool, u: f32, v: i32):\n    if {text}:\n        pass"
    proc = parse_source(source)
    assert f"if {text}:" in show(proc)
    assert same(proc, parse_source(show(proc)))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(0), "0.0"),
        (Fraction(1, 10), "0.1"),
        (Fraction(-1, 8), "-0.125"),
        (Fraction(2), "2.0"),
        (Fraction(1200), "1200.0"),
        (Fraction(10) ** 30, "1e30"),
        (Fraction(3, 10**30), "3e-30"),
        (Fraction(123456, 1000), "123.456"),
        (Fraction(1, 2**40), "0.0000000000009094947017729282379150390625"),
    ],
)
def test_decimals_are_exact(value: Fraction, text: str) -> None:
    assert Fraction(decimal_text(value)) == value
    if len(text) < 30:
        assert decimal_text(value) == text


def test_a_negated_literal_and_a_negative_literal_print_differently() -> None:
    three = Literal(Fraction(3), type=F32)
    assert show(UnaryMinus(three, type=F32)) == "-(+3.0)"
    assert show(Literal(Fraction(-3), type=F32)) == "-3.0"


def test_an_instruction_prints_what_differs_from_the_defaults() -> None:
    proc = parse_source(
        '@instr("op({x.ptr});", includes=("immintrin.h",), special="unspecified")\ndef op(x: f32):\n    x = 0.0'
    )
    assert proc.instr == InstrTemplate("op({x.ptr});", ("immintrin.h",), special="unspecified")
    assert show(proc).splitlines()[0] == "@instr('op({x.ptr});', includes=('immintrin.h',), special='unspecified')"


def test_callees_of_one_name_are_told_apart_and_found_again() -> None:
    first, second = (parse_source(f"def g(x: f32):\n    x = {value}.0") for value in (1, 2))
    x = Sym("x")
    outer = parse_source("def f(x: f32):\n    g(x)", {"g": first})
    x = outer.args[0].name
    both = Proc("f", outer.args, (), (*outer.body, Call(second, (Read(x, (), type=F32),))))
    text, scope = show_with_scope(both)
    assert text.splitlines()[-2:] == ["    g(x)", "    g_1(x)"]
    assert same(parse_source(text, scope), both)


def test_a_callee_with_the_name_of_a_language_word_is_renamed() -> None:
    callee = parse_source("def check(x: f32):\n    x = 1.0")
    outer = parse_source("def f(x: f32):\n    callee(x)", {"callee": callee})
    text, scope = show_with_scope(outer)
    assert text.splitlines()[-1] == "    check_1(x)"
    assert same(parse_source(text, scope), outer)
