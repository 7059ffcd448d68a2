"""Python in procedures: families, conditions, types and fragments; names keep their meaning, errors show both places."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from tests.frontend import kernels_expansion as kernels
from tests.primitives.equivalence import assert_body, assert_equivalent, parse
from usl_core import DRAM, BoundsError, Memory, ParseError, SchedulingError, UslError, unroll_loop
from usl_core.cli.modules import import_file
from usl_core.errors import TypeError_
from usl_core.ir.types import F32, F64


class Scratch(Memory):
    """Another memory."""

    name = "Scratch"


def defined(text: str, tmp_path: Path) -> ModuleType:
    """The module of a file."""
    file = tmp_path / "mine.py"
    file.write_text("from __future__ import annotations\nfrom usl_core import *\n" + text)
    return import_file(file)


# ---- what is made


def test_a_loop_of_python_makes_a_family_with_names_of_its_own() -> None:
    assert_body(
        kernels.unrolled,
        """
        acc_1: f32
        acc_1 = x[0] * 0.5
        x[2] += acc_1 * 1.0
        x[3] += acc_1 * 0.0
        acc_2: f32
        acc_2 = x[1] * 1.5
        x[2] += acc_2 * 1.0
        x[3] += acc_2 * 1.0
        t = 1.0""",
    )


def test_conditions_types_and_memories_make_a_kernel_generic() -> None:
    wide, narrow = kernels.typed(F32, DRAM, True), kernels.typed(F64, Scratch, False)
    assert "acc: f64" in str(wide) and "x[i] = acc" not in str(wide)
    assert "x: f64[n] @ Scratch, w: [f64][n]" in str(narrow) and "acc: f64" in str(narrow) and "x[i] = acc" in str(narrow)


def test_what_is_made_is_what_somebody_could_have_written() -> None:
    again = parse(str(kernels.hygienic))
    assert_equivalent(kernels.hygienic, again)


def test_statements_are_spliced_in_their_order() -> None:
    assert_body(kernels.with_body(kernels.body_of(1.0, 1), kernels.body_of(2.0, 2)), "pass\npass\npass")
    with pytest.raises(BoundsError):
        kernels.with_bad_index()


# ---- hygiene


def test_the_names_of_a_fragment_do_not_meet_those_of_its_use() -> None:
    assert_body(
        kernels.hygienic,
        """
        for i in seq(0, n):
            t_1: f32
            t_1 = max(t[i] + LANES, 0.0)
            t[i] = min(t_1, t[i] * t[i])
        t_2: f32
        t_2 = max(t[0], 0.0)
        LANES = min(t_2, 1.0)""",
    )


def test_fragments_take_fragments_and_python_values() -> None:
    assert_body(
        kernels.higher,
        """
        for i_1 in seq(0, 4):
            x[i_1] = x[i_1] * x[i_1]
        for i in seq(0, 4):
            x[i] = x[i] * (x[i] * (x[i] * 1.0))""",
    )


def test_a_name_of_the_object_language_hides_one_of_python() -> None:
    assert_body(kernels.nested_loop_name(), "for k in seq(0, 4):\n    x[k] = 0.0\nx[0] = 1.0")


def test_a_fragment_does_not_see_the_names_of_its_use(tmp_path: Path) -> None:
    text = "@fragment\ndef bad(x):\n    x = n\n\n@proc\ndef f(n: f32, x: f32):\n    bad(x)\n"
    with pytest.raises(TypeError_, match=r"unknown name bad\.n"):
        defined(text, tmp_path)


# ---- errors


def test_an_error_in_a_fragment_shows_where_it_is_used(tmp_path: Path) -> None:
    text = "@fragment\ndef first(x, n):\n    x[n] = 0.0\n\n@proc\ndef f(n: size, x: f32[n]):\n    first(x, n)\n"
    with pytest.raises(BoundsError) as caught:
        defined(text, tmp_path)
    shown = str(caught.value)
    assert "mine.py:9:14: index 0 of x may be out of bounds" in shown
    assert f"as n in first at {tmp_path / 'mine.py'}:5:7: x[n] = 0.0" in shown
    assert f"in the fragment first, used at {tmp_path / 'mine.py'}:9:5: first(x, n)" in shown


def test_an_error_in_the_text_of_a_fragment_is_at_its_place(tmp_path: Path) -> None:
    text = "@fragment\ndef first(x):\n    x[4] = 0.0\n\n@proc\ndef f(n: size, x: f32[n]):\n    first(x)\n"
    with pytest.raises(
        BoundsError, match=r"mine.py:5:7: .*\n.*\n.*\n  in the fragment first, used at .*mine.py:9:5: first\(x\)"
    ):
        defined(text, tmp_path)


def test_an_error_in_a_copy_shows_the_values_of_the_loop(tmp_path: Path) -> None:
    text = "@proc\ndef f(x: f32[4]):\n    for k in {range(6)}:\n        x[k] = 0.0\n"
    with pytest.raises(BoundsError) as caught:
        defined(text, tmp_path)
    assert "mine.py:6:" in str(caught.value) and "with k = 4 in the loop at" in str(caught.value)


def test_operators_show_both_places_too(tmp_path: Path) -> None:
    text = "@fragment\ndef clear(x, n):\n    for i in seq(0, n):\n        x[i] = 0.0\n"
    text += "\n@proc\ndef f(n: size, x: f32[n]):\n    clear(x, n)\n"
    module = defined(text, tmp_path)
    with pytest.raises(SchedulingError) as caught:
        unroll_loop(module.f, "i")
    assert "mine.py:5:5" in str(caught.value) and "in the fragment clear, used at" in str(caught.value)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("x[{1 / 0}] = 0.0", "ZeroDivisionError"),
        ("x[{i}] = 0.0", "i belongs to the object language"),
        ("x[{nowhere}] = 0.0", "name 'nowhere' is not defined"),
        ("x[{'0'}] = 0.0", "is a Python str, which is no code"),
        ("x[{1, 2}] = 0.0", "one Python expression stands in braces"),
        ("for k in {3}:\n            x[k] = 0.0", "nothing that Python can loop over"),
        ("for k, l in {[1]}:\n            x[k] = 0.0", "is not 2 values"),
        ("for x[0] in {[1]}:\n            pass", "sets names here"),
        ("for k in {[1]}:\n            pass\n        else:\n            pass", "no `else`"),
        ("{3}", "is a Python int, not statements"),
        ("x[0] = one(x[1])", "takes 0 arguments"),
        ("x[0] = two(x[1], c=x[0])", "has no parameter c left"),
        ("x[0] = two(x[1])", "takes 2 arguments"),
        ("x[0] = nothing()", "is no expression"),
        ("endless()", "uses itself without end"),
    ],
)
def test_mistakes_are_errors_with_a_place(body: str, message: str, tmp_path: Path) -> None:
    text = f"""
@fragment
def one():
    return 1.0

@fragment
def two(a, b):
    return a

@fragment
def nothing():
    pass

@fragment
def endless():
    endless()

@proc
def f(x: f32[4]):
    for i in seq(0, 4):
        {body}
"""
    with pytest.raises(ParseError, match=message) as caught:
        defined(text, tmp_path)
    assert caught.value.span is not None and caught.value.span.file.endswith("mine.py") and caught.value.span.line > 8


@pytest.mark.parametrize(
    "head", ["async def f(x):\n    pass", "def f(*x):\n    pass", "def f(x=1):\n    pass", "class f:\n    pass"]
)
def test_a_fragment_is_a_plain_function(head: str, tmp_path: Path) -> None:
    with pytest.raises(ParseError, match="a fragment"):
        defined(f"@fragment\n{head}\n    pass\n", tmp_path)


def test_python_does_not_run_a_fragment() -> None:
    with pytest.raises(UslError, match="square is a fragment"):
        kernels.square(1)


def test_a_procedure_without_python_is_read_as_it_stands(tmp_path: Path) -> None:
    module = defined("@proc\ndef f(x: f32):\n    x = 0.0\n", tmp_path)
    assert module.f.ir.span.way is None
