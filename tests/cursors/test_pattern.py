"""Patterns: what each form matches, in which order, and what a user reads when nothing does."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cursors.programs import Owner, owner
from usl_core import UslError, proc_from_source
from usl_core.cursors.display import head_line
from usl_core.cursors.pattern import find_all, find_alloc_or_arg, find_expr, find_loop, find_stmt
from usl_core.cursors.pattern_syntax import compile_pattern
from usl_core.cursors.search import find_locs
from usl_core.errors import ParseError, PatternError
from usl_core.frontend.parser import parse_source
from usl_core.ir.config import Config, ConfigField
from usl_core.ir.types import INDEX

CFG = Config("Cfg", {"k": ConfigField("k", INDEX), "stride": ConfigField("stride", INDEX)})
CALLEE = parse_source("def callee(n: size, a: [f32][n]):\n    pass", {}, "callee.py")
OTHER = parse_source("def other():\n    pass", {}, "other.py")


@pytest.fixture(scope="module")
def foo() -> Owner:
    body = """
        t: f32[n, m]
        s: f64
        for i in seq(0, n):
            for j in seq(0, m):
                t[i, j] = A[i, j] * 2.0
                x += t[i, j]
            for k in seq(0, 8):
                x = -1.5
        for i in par(0, n):
            if i < 3:
                y = max(x, z) + 3.0
            if i >= 3:
                y = 0.0
            else:
                y = x
        w = A[2:6, 0]
        callee(4, w)
        other()
        check(n > 2)
        Cfg.k = Cfg.stride
        pass
        s = f64(x)
        if stride(A, 0) == 1 and n > 2:
            pass
    """
    formals = "n: size, m: size, A: f32[n, m], x: f32, y: f32, z: f32"
    return owner(body, formals, {"Cfg": CFG, "callee": CALLEE, "other": OTHER})


def heads(foo: Owner, text: str) -> list[str]:
    """The first lines of all matches; of a block, those of its statements."""
    found = []
    for cursor in find_all(foo, None, text):
        nodes = [cursor.node] if hasattr(cursor, "node") else [stmt.node for stmt in cursor]
        found.append(" ; ".join(head_line(foo.ir, node) for node in nodes))
    return found


LOOPS = ["for i in seq(0, n):", "for j in seq(0, m):", "for k in seq(0, 8):", "for i in par(0, n):"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("for _ in _: _", LOOPS),
        ("for i in _: _", [LOOPS[0], LOOPS[3]]),
        ("for _ in par(_, _): _", [LOOPS[3]]),
        ("for _ in par(_): _", [LOOPS[3]]),
        ("for _ in seq(0, 8): _", [LOOPS[2]]),
        ("for _ in seq(0, _): _", LOOPS[:3]),
        ("for _ in _: x = _", [LOOPS[2]]),
        ("for _ in _:\n    t[_] = _\n    x += _", [LOOPS[1]]),
        ("for _ in _:\n    _\n    _", [LOOPS[0], LOOPS[1], LOOPS[3]]),
        ("i", [LOOPS[0], LOOPS[3]]),
        ("i #1", [LOOPS[3]]),
        ("i j", [LOOPS[0]]),
        ("i k", [LOOPS[0]]),
        ("_ j", [LOOPS[0]]),
        ("t: _", ["t: f32[n, m]"]),
        ("_: _", ["t: f32[n, m]", "s: f64"]),
        ("_: f32[_] @ DRAM", ["t: f32[n, m]"]),
        ("_: f32[n, m]", ["t: f32[n, m]"]),
        ("_: f64", ["s: f64"]),
        ("_: _[_]", ["t: f32[n, m]"]),
        ("x = _", ["x = -1.5"]),
        ("t = _", ["t[i, j] = A[i, j] * 2.0"]),
        ("t[_] = _", ["t[i, j] = A[i, j] * 2.0"]),
        ("t[i, _] = _", ["t[i, j] = A[i, j] * 2.0"]),
        ("t[j, _] = _", []),
        ("x[_] = _", []),
        ("_[_] = _", ["t[i, j] = A[i, j] * 2.0"]),
        ("_ = A[_] * 2", ["t[i, j] = A[i, j] * 2.0"]),
        ("x += _", ["x += t[i, j]"]),
        ("_ += _", ["x += t[i, j]"]),
        ("y = _", ["y = max(x, z) + 3.0", "y = 0.0", "y = x"]),
        ("if _: _", ["if i < 3:", "if i >= 3:", "if stride(A, 0) == 1 and n > 2:"]),
        ("if _ >= 3: _", ["if i >= 3:"]),
        ("if _:\n    _\nelse:\n    _", ["if i >= 3:"]),
        ("_ += _ ; _", []),
        ("t[_] = _ ; x += _", ["t[i, j] = A[i, j] * 2.0 ; x += t[i, j]"]),
        ("for j in _: _ ; for k in _: _", ["for j in seq(0, m): ; for k in seq(0, 8):"]),
        ("w = _", ["w = A[2:6, 0]"]),
        ("w = A[_:_, 0]", ["w = A[2:6, 0]"]),
        ("w = A[_:_, 1]", []),
        ("callee(_)", ["callee(4, w)"]),
        ("callee(_, _)", ["callee(4, w)"]),
        ("callee(4, _)", ["callee(4, w)"]),
        ("callee(_, _, _)", []),
        ("other(_)", ["other()"]),
        ("other()", ["other()"]),
        ("max(_)", ["max(x, z)"]),
        ("max(x, _)", ["max(x, z)"]),
        ("f64(_)", ["f64(x)"]),
        ("stride(A, 0)", ["stride(A, 0)"]),
        ("stride(_)", ["stride(A, 0)"]),
        ("stride(A, 1)", []),
        ("check(_)", ["check(n > 2)"]),
        ("pass", ["pass", "pass"]),
        ("Cfg.k = _", ["Cfg.k = Cfg.stride"]),
        ("Cfg.stride", ["Cfg.stride"]),
        ("_._", ["Cfg.stride"]),
        ("A[_] * _", ["A[i, j] * 2.0"]),
        ("_ * A[_]", []),
        ("A[_]", ["A[i, j]", "A[2:6, 0]"]),
        ("A[_:_, _]", ["A[2:6, 0]"]),
        ("A", ["A[i, j]", "A[2:6, 0]"]),
        ("_ + 3", ["max(x, z) + 3.0"]),
        ("_ < _", ["i < 3"]),
        ("_ and _", ["stride(A, 0) == 1 and n > 2"]),
        ("2.0", ["2.0", "2", "2", "2"]),
        ("-1.5", ["-1.5"]),
        ("True", []),
    ],
)
def test_a_pattern_matches(foo, text, expected):
    assert heads(foo, text) == expected


def test_an_underscore_matches_statements_before_the_expressions_in_them():
    foo = owner("x = y\nz = 1.0")
    assert heads(foo, "_") == ["x = y", "y", "z = 1.0", "1.0"]
    assert [head_line(foo.ir, c.node) for c in find_all(foo, None, "_", "stmt")] == ["x = y", "z = 1.0"]
    assert heads(foo, "_ ; _") == ["x = y ; z = 1.0"]


def test_find_gives_the_first_match_and_with_many_all(foo):
    assert foo.find("y = _").rhs().op() == "+"
    assert len(foo.find("y = _", many=True)) == 3
    assert foo.find("y = _ #2") == foo.find("y = _", many=True)[2]


def test_a_bare_name_is_a_loop_and_where_there_is_none_a_variable(foo):
    assert foo.find("j").hi().name() == "m"
    assert find_expr(foo, "j").parent() == foo.find("t[_] = _")
    assert foo.find("z").parent() == foo.find("max(_)")


def test_searching_from_a_cursor_stays_inside_it_and_includes_it(foo):
    second = foo.find("i #1")
    assert second.find("for _ in _: _") == second
    assert second.find("y = _").rhs() == foo.find("max(_) + _")
    assert len(second.find("_ = _", many=True)) == 3
    assert foo.find("y = x").parent().orelse().find("y = _") == foo.find("y = x")
    assert foo.find("max(_) + _").find("_") == foo.find("max(_) + _")
    with pytest.raises(PatternError, match="in the given code of foo"):
        second.find("t[_] = _")


def test_a_search_in_a_block_does_not_look_past_its_end(foo):
    block = foo.find("for _ in _: x = _").prev().as_block()
    with pytest.raises(PatternError):
        block.find("for j in _: _ ; for k in _: _")
    assert block.expand(0, 1).find("for j in _: _ ; for k in _: _") == block.expand(0, 1)


def test_printed_names_count_as_names():
    foo = owner("for i in seq(0, n):\n    x = 1.0\nfor i_1 in seq(0, n):\n    pass")
    assert foo.find("i_1").name() == "i_1"
    assert len(foo.find("i", many=True)) == 1


def test_loops_are_found_by_name_or_pattern(foo):
    assert find_loop(foo, "i #1") == find_loop(foo, "for i in par(_): _")
    assert find_loop(foo, "i j").body()[0] == find_loop(foo, "j")
    assert len(find_loop(foo, "for _ in _: _", many=True)) == 4
    with pytest.raises(PatternError, match="other code than loops"):
        find_loop(foo, "x = _")
    assert find_stmt(foo, "x = _").name() == "x"


def test_formals_and_allocations_are_found_by_name(foo):
    assert find_alloc_or_arg(foo, "A").name() == "A"
    assert find_alloc_or_arg(foo, "t") == foo.find("t: _")
    assert find_alloc_or_arg(foo, "t: f32[_]") == foo.find("t: _")
    assert find_alloc_or_arg(foo, "n").type().name == "size"
    twice = owner("x: f32\nx = 1.0")
    assert find_alloc_or_arg(twice, "x #1") == twice.find("x: _")
    with pytest.raises(PatternError, match="it matches 2 times"):
        find_alloc_or_arg(twice, "x #2")


def test_an_unknown_buffer_lists_what_there_is(foo):
    with pytest.raises(PatternError, match="no formal or allocation 'q'") as caught:
        find_alloc_or_arg(foo, "q")
    assert "  foo.py:2: t: f32[n, m]" in caught.value.notes
    with pytest.raises(ParseError, match="does not name a formal or allocation"):
        find_alloc_or_arg(foo, "x + y")


def test_no_match_lists_at_most_five_near_misses_with_their_places(foo):
    with pytest.raises(PatternError, match=r"no match for the pattern 'for q in _: _' in foo") as caught:
        foo.find("for q in _: _")
    assert caught.value.notes == (
        "nearest code:",
        "  foo.py:4: for i in seq(0, n):",
        "  foo.py:5: for j in seq(0, m):",
        "  foo.py:8: for k in seq(0, 8):",
        "  foo.py:10: for i in par(0, n):",
    )
    assert caught.value.code == "E401"
    with pytest.raises(PatternError) as caught:
        foo.find("nothing = _")
    assert len(caught.value.notes) == 1 + 5


def test_a_similar_name_comes_first_among_the_near_misses():
    foo = owner("acc: f32\nacc = 0.0\nfor i in seq(0, n):\n    acc += x\ny = 1.0")
    with pytest.raises(PatternError) as caught:
        foo.find("ac = _")
    assert caught.value.notes[1:3] == ("  foo.py:3: acc = 0.0", "  foo.py:5: acc += x")


def test_a_count_past_the_last_match_says_how_often_it_matches(foo):
    with pytest.raises(PatternError, match=r"no match #2 of the pattern 'i #2' in foo: it matches 2 times") as caught:
        foo.find("i #2")
    assert caught.value.notes[0] == "matches:"
    assert len(caught.value.notes) == 3
    with pytest.raises(PatternError, match="it matches once"):
        foo.find("x += _ #1")


def test_all_matches_may_be_none(foo):
    assert find_all(foo, None, "q") == []
    assert find_locs(foo.ir, None, "i #7") == []
    with pytest.raises(PatternError):
        foo.find("q", many=True)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "it is empty"),
        ("for i in", "invalid syntax"),
        ("for i in _:", "expected an indented block"),
        ("while _: _", "`while _:` is no statement or expression"),
        ("for i in range(8): _", "`range\\(8\\)` is no range; write `_`, `seq"),
        ("lambda: _", "is no statement or expression"),
        ("_ < _ < _", "is no statement or expression"),
        ("x + 1 ; y = _", "is no statement or expression"),
        ("'text'", "is no statement or expression"),
        ("a.b.c", "is no statement or expression"),
        ("x = y = _", "is no statement or expression"),
        ("x -= _", "is no statement or expression"),
        ("x: f32[0:4]", "is no statement or expression"),
        ("x: 'f32'", "is no statement or expression"),
        ("f(_, n=_)", "is no statement or expression"),
    ],
)
def test_what_is_no_pattern_is_refused_with_examples(text, reason):
    with pytest.raises(ParseError, match=reason) as caught:
        compile_pattern(text)
    assert "patterns look like code" in caught.value.notes[0]


def test_a_pattern_is_compiled_once():
    assert compile_pattern("for i in _: _") is compile_pattern("for i in _: _")


@pytest.mark.parametrize("text", ["1e400", "i #99999999999999999999999999", ["i"], {}])
def test_numbers_beyond_all_bounds_and_what_is_no_text_are_one_message(text: Any) -> None:
    p = proc_from_source("def f(x: f32[4]):\n    for i in seq(0, 4):\n        x[i] = 1.0\n")
    for find in (p.find, p.find_loop, p.body().find):
        with pytest.raises(UslError):
            find(text)


def test_a_loop_or_allocation_is_sought_only_where_its_name_is_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    from usl_core.cursors.matching import Matcher

    body = "\n".join(f"    for i{k} in seq(0, 4):\n        t{k}: f32\n        t{k} = x[i{k}]" for k in range(20))
    p = proc_from_source(f"def foo(x: f32[4]):\n{body}")
    seen: list[object] = []
    stmt, nest = Matcher.stmt, Matcher.nest
    monkeypatch.setattr(Matcher, "stmt", lambda self, pattern, node: seen.append(node) or stmt(self, pattern, node))
    monkeypatch.setattr(Matcher, "nest", lambda self, names, node: seen.append(node) or nest(self, names, node))
    assert p.find_loop("i7").name() == "i7" and p.find("for i9 in _: _").name() == "i9"
    assert p.find_alloc_or_arg("t11").name() == "t11"
    assert len(seen) < 8


def test_reductions_are_found_by_their_operation() -> None:
    p = proc_from_source("""
def f(x: f32, y: f32):
    x += 1.0
    x *= 2.0
    x @= max(y)
    y @= min(3.0)
""")
    shown = {text: [each.op() for each in p.find_all(text)] for text in PATTERNS}
    assert shown == PATTERNS
    q = proc_from_source("def f(x: u8, y: u8):\n    x |= y & 3\n    y ^= x << 1 >> 2")
    assert [q.find(text).op() for text in ("x |= _", "y ^= _", "y & 3", "_ << _", "_ >> 2")] == ["|", "^", "&", "<<", ">>"]


PATTERNS = {"x += _": ["+"], "x *= _": ["*"], "_ @= max(_)": ["max"], "_ @= _": ["+", "*", "max", "min"], "y @= max(_)": []}
