"""What refusals tell: what is left near dead code, the matches of a pattern, which assumption is missing, the error as data."""

from __future__ import annotations

import json

import pytest

from tests.primitives.equivalence import assert_equivalent, parse
from usl_core.errors import InvalidCursorError, PatternError, SchedulingError, Undecided, UslError
from usl_core.primitives.buffers.delete_buffer import delete_buffer
from usl_core.primitives.buffers.sink_alloc import sink_alloc
from usl_core.primitives.calls.extract_subproc import extract_subproc
from usl_core.primitives.loops.add_loop import add_loop
from usl_core.primitives.loops.divide_loop import divide_loop
from usl_core.primitives.loops.eliminate_dead_code import eliminate_dead_code
from usl_core.primitives.loops.remove_loop import remove_loop
from usl_core.primitives.loops.reorder_loops import reorder_loops
from usl_core.primitives.loops.shift_loop import shift_loop
from usl_core.primitives.loops.unroll_loop import unroll_loop
from usl_core.primitives.procs.rename import rename
from usl_core.primitives.stmts.delete_pass import delete_pass
from usl_core.procedure import Procedure


@pytest.fixture
def nest() -> Procedure:
    return parse("""
        def f(n: size, x: f32[n, 2], y: f32[n]):
            for i in seq(0, n):
                for j in seq(0, 2):
                    x[i, j] = 1.0
                y[i] = 2.0
            pass
            y[0] = 3.0
        """)


# ---- dead cursors


def test_a_dead_cursor_names_the_operator_and_the_code_around_it_that_is_left(nest: Procedure):
    loop = nest.find_loop("j")
    unrolled = rename(unroll_loop(nest, loop), "g")
    with pytest.raises(InvalidCursorError, match=r"remove_loop: .* is gone: it was removed by unroll_loop") as caught:
        remove_loop(unrolled, loop)
    assert caught.value.notes[0] == "the nearest code that is left: for i in seq(0, n):"
    assert "hint: take the cursor again with find()" in caught.value.notes[1]


def test_the_survivor_is_found_from_a_cursor_that_was_forwarded_before(nest: Procedure):
    loop = nest.find_loop("j")
    unrolled = unroll_loop(nest, loop)
    lost = unrolled.forward(loop)
    later = rename(divide_loop(unrolled, "i", 2, ["io", "ii"]), "g")
    with pytest.raises(InvalidCursorError) as caught:
        remove_loop(later, lost)
    assert caught.value.notes[0] == "the nearest code that is left: for io in seq(0, (n + 1) / 2):"
    with pytest.raises(InvalidCursorError) as caught:
        later.forward(lost).body()
    assert caught.value.notes[0] == "the nearest code that is left: for io in seq(0, (n + 1) / 2):"


def test_at_the_top_the_nearest_neighbour_is_left(nest: Procedure):
    lost = nest.find("pass")
    with pytest.raises(InvalidCursorError) as caught:
        delete_pass(delete_pass(nest, lost), lost)
    assert caught.value.notes[0] == "the nearest code that is left: for i in seq(0, n):"


def test_of_a_block_the_statements_that_are_left_come_first(nest: Procedure):
    block = nest.body()[0:2]
    torn = extract_subproc(nest, nest.body()[1:3], "rest")[0].forward(block)
    assert not torn
    assert torn.reason == "torn apart by extract_subproc"
    assert torn.notes() == ["the nearest code that is left: for i in seq(0, n):"]


def test_code_in_a_branch_that_never_runs_leaves_the_loop_around_it():
    p = parse("""
        def f(n: size, x: f32[n]):
            for i in seq(0, n):
                if n < 0:
                    x[i] = 1.0
        """)
    inner = p.find("x[_] = _")
    emptied = eliminate_dead_code(p, "if _: _")
    with pytest.raises(InvalidCursorError, match=r"(removed|replaced) by eliminate_dead_code") as caught:
        eliminate_dead_code(emptied, inner)
    assert caught.value.notes[0] == "the nearest code that is left: for i in seq(0, n):"


def test_a_place_that_navigation_did_not_find_has_no_survivor(nest: Procedure):
    nowhere = nest.find("y[0] = _").next()
    with pytest.raises(InvalidCursorError, match="delete_pass: invalid cursor: there is no statement 1 after") as caught:
        delete_pass(nest, nowhere)
    assert caught.value.notes == ()


# ---- patterns


def test_a_count_beyond_the_last_match_lists_the_matches_as_they_are_counted(nest: Procedure):
    with pytest.raises(PatternError, match=r"no match #2 of the pattern 'y\[_\] = _ #2' in f: it matches 2 times") as caught:
        nest.find("y[_] = _ #2")
    assert [note.split(": ", 1)[-1] for note in caught.value.notes[1:]] == ["y[i] = 2.0", "y[0] = 3.0"]
    assert [note.split()[0] for note in caught.value.notes[1:]] == ["#0", "#1"]
    with pytest.raises(PatternError, match="it matches once, counted from #0") as caught:
        nest.find_alloc_or_arg("x #1")
    assert "#0" in caught.value.notes[1]


def test_a_pattern_for_a_loop_that_matches_other_code_lists_it(nest: Procedure):
    with pytest.raises(PatternError, match="matches other code than loops") as caught:
        nest.find_loop("y[_] = _")
    assert len(caught.value.notes) == 3


def test_many_matches_are_cut_short():
    p = parse("def f(x: f32[20]):\n" + "".join(f"    x[{i}] = 0.0\n" for i in range(20)))
    with pytest.raises(PatternError) as caught:
        p.find("x[_] = _ #20")
    assert caught.value.notes[-1].strip() == "and 10 more"


# ---- what is missing


def notes_of(action) -> list[str]:
    with pytest.raises(SchedulingError) as caught:
        action()
    return list(caught.value.notes)


def test_a_condition_that_fails_names_the_assumption_that_is_missing():
    p = parse("""
        def f(n: size, m: size, x: f32[n + m]):
            for i in seq(0, n + m):
                x[i] = 1.0
            for j in seq(1, n):
                x[0] = 2.0
        """)
    perfect = notes_of(lambda: divide_loop(p, "i", 4, ["io", "ii"], perfect=True))
    assert perfect[-1] == "hint: assert (n + m) % 4 == 0, or use tail='cut' instead of perfect=True"
    assert notes_of(lambda: add_loop(p, "for j in _: _", "k", "n - 1"))[-1] == "hint: assert n - 1 >= 1"
    assert notes_of(lambda: shift_loop(p, "j", "n - 2"))[-1] == "hint: assert n - 2 >= 0"


def test_an_assumption_that_no_size_makes_true_is_not_proposed():
    p = parse("""
        def f(n: size, x: f32[6]):
            for i in seq(0, 6):
                x[i] = 1.0
        """)
    assert not any(note.startswith("hint: assert") for note in notes_of(lambda: shift_loop(p, "i", -1)))
    assert notes_of(lambda: divide_loop(p, "i", 4, ["io", "ii"], perfect=True))[-1] == (
        "hint: use tail='cut' instead of perfect=True"
    )


def test_a_sunk_allocation_shows_the_read_of_an_earlier_value_and_when():
    p = parse("""
        def f(n: size, x: f32[n], y: f32[n]):
            t: f32
            for i in seq(0, n):
                y[i] = t
                t = x[i]
        """)
    with pytest.raises(SchedulingError) as caught:
        sink_alloc(p, "t")
    assert "read of t in: t" in caught.value.notes
    assert caught.value.counterexample["i"] >= 1
    assert caught.value.counterexample["n"] >= 2


def test_a_used_buffer_shows_its_uses():
    p = parse("""
        def f(x: f32):
            t: f32
            t = 1.0
            x = t
        """)
    assert notes_of(lambda: delete_buffer(p, "t")) == ["used in: t = 1.0", "used in: t"]


# ---- the loop that runs once


def test_a_loop_that_may_run_once_or_repeat_harmlessly_is_removed_with_that_known():
    p = parse("""
        def f(n: size, x: f32[2]):
            for i in seq(0, n):
                x[0] = x[min(1, n - 1)] + 1.0
        """)
    q = remove_loop(p, "i")
    assert "for" not in str(q)
    assert_equivalent(p, q)
    assert_equivalent(q, add_loop(q, "x[0] = _", "k", "n"))


# ---- errors as data


def test_an_error_as_data_has_its_place_notes_and_values(nest: Procedure):
    p = parse("""
        def f(n: size, x: f32[n + 1, n + 1]):
            for i in seq(0, n):
                for j in seq(0, n):
                    x[i + 1, j] = x[i, j + 1]
        """)
    with pytest.raises(SchedulingError) as caught:
        reorder_loops(p, "i")
    found = caught.value.as_dict()
    assert list(found) == [*("code", "message", "file", "line", "column", "end_line", "end_column", "notes", "counterexample")]
    assert found["code"] == "E411"
    assert (found["file"], found["line"]) == (caught.value.span.file, caught.value.span.line)
    assert found["counterexample"].keys() == {"n", "i", "i'", "j", "j'"}
    assert found["counterexample"] == caught.value.counterexample
    assert json.loads(json.dumps(found)) == found


def test_an_error_without_place_and_values_has_null_and_nothing():
    found = Undecided("could not decide").as_dict()
    assert found["code"] == "E500"
    assert found["file"] is found["line"] is found["end_column"] is None
    assert found["notes"] == []
    assert found["counterexample"] == {}
    assert UslError("x").counterexample == {}
