"""inline_assign: the value stands wherever it is read, and is the same there."""

from __future__ import annotations

import pytest

from tests.primitives.equivalence import assert_body, assert_equivalent, parse
from usl_core.errors import SchedulingError
from usl_core.primitives.stmts.inline_assign import inline_assign
from usl_core.procedure import Procedure


def program(*lines: str) -> Procedure:
    body = "\n            ".join(lines)
    return parse(
        f"""
        def f(n: size, x: R[n + 4], y: R[n + 4], k: i32[4], s: R):
            {body}
        """,
        put=parse("def put(d: R, s: R):\n    d = s"),
    )


def accepted(*lines: str, at: str = "t = _") -> str:
    p = program(*lines)
    q = inline_assign(p, at)
    assert_equivalent(p, q)
    return "\n".join(line[4:] for line in str(q).splitlines()[2:])


def refused(*lines: str, at: str = "t = _") -> str:
    with pytest.raises(SchedulingError) as caught:
        inline_assign(program(*lines), at)
    return str(caught.value)


def test_every_read_gets_the_value():
    p = program("t: R", "for i in seq(0, n):", "    t = x[i] * 2.0", "    y[i] = t + t", "    if i < 3:", "        y[i] += t")
    q = inline_assign(p, "t = _")
    assert_body(
        q,
        """
        t: R
        for i in seq(0, n):
            y[i] = x[i] * 2.0 + x[i] * 2.0
            if i < 3:
                y[i] += x[i] * 2.0
        """,
    )
    assert_equivalent(p, q)


def test_a_use_may_overwrite_what_the_value_reads_after_reading_it():
    assert accepted("t: R", "t = x[0] + 1.0", "x[0] = t") == "t: R\nx[0] = x[0] + 1.0"


def test_the_next_assignment_of_the_location_ends_the_value():
    text = accepted("t: R", "t = x[0]", "y[0] = t", "t = x[1] + t", "y[1] = t")
    assert text == "t: R\ny[0] = x[0]\nt = x[1] + x[0]\ny[1] = t"


def test_an_argument_overwritten_in_the_same_block_may_be_inlined():
    assert accepted("y[0] = s", "x[0] = y[0]", "y[0] = 1.0", at="y[_] = _") == "x[0] = s\ny[0] = 1.0"


def test_other_elements_of_the_buffer_are_left_alone():
    text = accepted("t: R[4]", "t[0] = x[0]", "t[1] = x[1]", "y[0] = t[1] + t[0]", at="t[0] = _")
    assert text == "t: R[4]\nt[1] = x[1]\ny[0] = t[1] + x[0]"


def test_an_element_read_through_a_window_gets_the_value():
    text = accepted("t: R[4]", "t[2] = x[0]", "w = t[1:3]", "y[0] = w[1]", at="t[_] = _")
    assert text == "t: R[4]\nw = t[1:3]\ny[0] = x[0]"


def test_a_value_that_nothing_reads_is_dropped():
    assert accepted("t: R", "t = x[0]", "y[0] = s") == "t: R\ny[0] = s"


def test_an_assignment_alone_in_a_branch_leaves_pass():
    assert accepted("t: R", "if n > 3:", "    t = x[0]") == "t: R\nif n > 3:\n    pass"


def test_a_change_of_what_the_value_reads_is_refused():
    text = refused("t: R", "t = x[0]", "x[0] = 1.0", "y[0] = t")
    assert "what the right side reads may be modified before its last use" in text
    text = refused("t: R", "t = x[1]", "for i in seq(0, n):", "    y[i] = t", "    x[i] = 0.0")
    assert "may be modified before its last use" in text and "counter-example: i = 1" in text


def test_a_change_through_a_window_is_seen():
    assert "may be modified" in refused("t: R", "w = x[0:2]", "t = x[1]", "w[1] = 0.0", "y[0] = t")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("t += 1.0", r"the location may be changed in: t \+= 1.0"),
        ("if n > 3:\n                t = 1.0", "the location may be changed in: t = 1.0"),
        ("for j in seq(0, n):\n                t = 1.0", "the location may be changed in: t = 1.0"),
        ("put(t, s)", "the location may be used by a call"),
        ("put(y[1], t)", "the location may be used by a call"),
    ],
)
def test_changes_and_calls_in_between_are_refused(line: str, message: str):
    with pytest.raises(SchedulingError, match=message):
        inline_assign(program("t: R", "t = x[0]", line, "y[0] = t"), "t = x[_]")


def test_a_read_that_may_be_of_the_location_is_refused_with_values():
    text = refused("t: R[8]", "t[2] = x[0]", "for j in seq(0, 8):", "    y[0] += t[j]", at="t[_] = _")
    assert "the location may be read in: t[j]" in text and "counter-example: j = 2" in text
    assert "may be read" in refused("t: R[4]", "t[2] = x[0]", "y[0] = t[idx(k[0], 0, 4)]", at="t[_] = _")


def test_a_value_read_in_a_later_iteration_is_refused():
    text = refused("t: R", "t = 0.0", "for i in seq(0, n):", "    y[i] = t", "    t = x[i]", at="t = x[_]")
    assert "the value may still be read after its block, or in a later iteration" in text


def test_a_value_read_after_its_branch_is_refused():
    text = refused("t: R", "t = 0.0", "if n > 3:", "    t = x[0]", "    y[0] = t", "y[1] = t", at="t = x[_]")
    assert "the value may still be read after its block" in text


def test_an_earlier_read_outside_of_loops_does_not_matter():
    text = accepted("t: R", "t = x[0]", "y[0] = t", "t = x[1]", "y[1] = t", at="t = x[1]")
    assert text == "t: R\nt = x[0]\ny[0] = t\ny[1] = x[1]"


def test_a_buffer_of_the_caller_is_refused():
    assert "y is not allocated in the procedure" in refused("y[0] = s", "x[0] = y[0]", at="y[_] = _")
    assert "a `check` may stop the run" in refused("y[0] = s", "check(n > 3)", "y[0] = 1.0", at="y[_] = _")


def test_a_value_that_reads_its_own_target_is_refused():
    assert "the right side reads t itself" in refused("t: R", "t = 0.0", "t = t + 1.0", "y[0] = t", at="t = t + _")


def test_an_index_made_of_data_is_evaluated_as_often_as_before():
    text = accepted("t: R", "t = x[idx(k[0], 0, 4)]", "y[0] = t")
    assert text == "t: R\ny[0] = x[idx(k[0], 0, 4)]"
    assert "index made of data" in refused("t: R", "t = x[idx(k[0], 0, 4)]", "if n > 3:", "    y[0] = t")
    assert "index made of data" in refused("t: R", "t = x[idx(k[0], 0, 4)]", "y[0] = s")
    assert "index made of data" in refused("t: R[4]", "t[idx(k[0], 0, 4)] = s", "y[0] = s", at="t[_] = _")


def test_the_type_of_the_value_is_not_changed():
    p = parse("def f(x: u8[2], y: i32[1]):\n    t: u8\n    t = x[0] + x[1]\n    y[0] = i32(t)")
    q = inline_assign(p, "t = _")
    assert_body(q, "t: u8\ny[0] = i32(x[0] + x[1])")
    assert_equivalent(p, q)


def test_cursors_to_reads_go_to_the_value():
    p = program("t: R", "t = x[0] * 2.0", "y[0] = t + 1.0")
    q = inline_assign(p, "t = _")
    assert not q.forward(p.find("t = _"))
    assert q.forward(p.find("y[_] = _")) == q.find("y[_] = _")
    assert q.forward(p.find("t + 1.0").lhs()) == q.find("x[_] * 2.0")


def test_a_read_at_an_index_made_of_data_stays_even_where_the_data_does_not_matter():
    """Uninitialised data stops the run there."""
    text = refused("t: R[4]", "t[2] = x[0]", "y[0] = t[2 + 0 * idx(k[0], 0, 4)]", at="t[_] = _")
    assert "the location may be read in: t[" in text
