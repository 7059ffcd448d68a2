"""A refusal points at a line of the program, whatever the operator found wrong."""

from __future__ import annotations

import pytest

from tests.primitives.equivalence import parse
from usl_core.errors import SchedulingError, Span
from usl_core.procedure import Procedure
from usl_core.scheduling import autolift_alloc, divide_loop, fission, insert_pass, remove_loop, rename, unroll_loop

TEXT = """
def f(n: size, x: f32[n]):
    for i in seq(0, 4):
        pass
    for j in seq(0, n):
        t: f32
        t = x[j]
        x[j] = t
"""


def line_of(step: object) -> str:
    """The source line that the refusal of step shows."""
    assert callable(step)
    with pytest.raises(SchedulingError) as caught:
        step()
    span = caught.value.span
    assert isinstance(span, Span) and span.line > 0 and "^" in str(caught.value)
    return str(caught.value).splitlines()[1].strip()


def test_a_wrong_argument_is_refused_at_the_code_that_was_given() -> None:
    p = parse(TEXT)
    assert line_of(lambda: insert_pass(p, p.find("t = _"))) == "t = x[j]"
    assert line_of(lambda: fission(p, p.find_loop("i").after())) == "for i in seq(0, 4):"
    assert line_of(lambda: autolift_alloc(p, "t", 4)) == "t: f32"


def test_where_no_code_was_given_the_refusal_is_at_the_procedure() -> None:
    p = parse(TEXT)
    assert line_of(lambda: rename(p, "for")).startswith("def f(")


def test_code_that_is_gone_is_shown_where_it_was() -> None:
    p = parse(TEXT)
    q = unroll_loop(p, "i")
    assert line_of(lambda: remove_loop(q, p.find_loop("i"))) == "for i in seq(0, 4):"


def test_code_that_an_operator_made_is_shown_where_it_comes_from() -> None:
    p = parse(TEXT)
    q = divide_loop(p, "j", 4, ["jo", "ji"], tail="guard")
    inner: Procedure = q
    assert line_of(lambda: insert_pass(inner, inner.find("if _: _"))) == "for j in seq(0, n):"
