"""Combinators: what they apply, where, and that they take nothing but a refusal for a refusal."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from tests.primitives.equivalence import assert_body, assert_refines, parse
from usl_core import (
    Procedure,
    SchedulingError,
    Undecided,
    UsageError,
    UslError,
    divide_loop,
    extract_subproc,
    parallelize_loop,
    rename,
    reorder_loops,
    simplify,
    unroll_loop,
)
from usl_stdlib import attempt, bottom_up, chain, classify, each, first_of, repeat, to_fixpoint, top_down, unroll_and_jam
from usl_stdlib.classification import LoopKind

NEST = """
    def f(n: size, x: f32[n, 2, 3], s: f32):
        for i in seq(0, n):
            for j in seq(0, 2):
                for k in seq(0, 3):
                    x[i, j, k] = 1.0
        for l in seq(0, 4):
            s += 1.0
"""


def nest() -> Procedure:
    return parse(NEST)


def refuse(p: Procedure, *_: Any) -> Procedure:
    raise SchedulingError("no")


def undecided(p: Procedure, *_: Any) -> Procedure:
    raise Undecided("do not know")


def broken(p: Procedure, *_: Any) -> Procedure:
    raise ZeroDivisionError


COMBINED: dict[str, Callable[[Callable[..., Any]], Callable[..., Procedure]]] = {
    "chain": lambda s: chain(simplify_there, s),
    "attempt": attempt,
    "first_of": lambda s: first_of(refuse, s, simplify_there),
    "repeat": repeat,
    "each": lambda s: each(s, "for _ in _: _"),
    "each attempt": lambda s: each(attempt(s), "for _ in _: _"),
    "top_down": top_down,
    "bottom_up": bottom_up,
    "to_fixpoint": to_fixpoint,
}


def simplify_there(p: Procedure, *_: Any) -> Procedure:
    return simplify(p)


@pytest.mark.parametrize("name", COMBINED)
@pytest.mark.parametrize(("schedule", "error"), [(undecided, Undecided), (broken, ZeroDivisionError)])
def test_what_is_undecided_or_a_bug_is_never_swallowed(name: str, schedule: Callable[..., Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        COMBINED[name](schedule)(nest())


def test_undecided_is_no_scheduling_error() -> None:
    assert not issubclass(Undecided, SchedulingError)  # or `except SchedulingError` would swallow it


@pytest.mark.parametrize("name", ["attempt", "repeat", "each attempt", "top_down", "bottom_up", "to_fixpoint"])
def test_a_refusal_leaves_the_procedure_as_it_is(name: str) -> None:
    p = nest()
    assert COMBINED[name](refuse)(p) is p


@pytest.mark.parametrize("name", ["chain", "first_of", "each"])
def test_a_refusal_that_is_not_wanted_is_raised(name: str) -> None:
    schedule = first_of(refuse, refuse) if name == "first_of" else COMBINED[name](refuse)
    with pytest.raises(SchedulingError):
        schedule(nest())


def test_chain_follows_a_place_through_its_steps() -> None:
    p = nest()
    tile = chain(partial(divide_loop, factor=4, names=["io", "ii"], tail="cut"), parallelize_loop)
    q = tile(p, p.find_loop("i"))
    assert q.find_loop("io").mode() == "par"
    assert_refines(p, q)
    assert chain()(p) is p


def test_schedules_get_places_of_the_procedure_that_they_get() -> None:
    p = nest()

    def is_current(q: Procedure, loop: Any) -> Procedure:
        assert loop.proc() is q and loop.name() == "io"
        return q

    divide = partial(divide_loop, factor=4, names=["io", "ii"], tail="cut")
    chain(divide, is_current)(p, p.find_loop("i"))
    each(is_current, lambda q, loop: [loop])(divide(p, "i"), p.find_loop("i"))


def test_attempt_says_why_it_did_nothing() -> None:
    refused: list[SchedulingError] = []
    p = nest()
    assert attempt(parallelize_loop, refused.append)(rename(p, "g"), "for _ in _: _ #9").name() == "g"
    assert [error.code for error in refused] == ["E401"]


def test_first_of_takes_the_first_that_applies_and_else_lists_the_reasons() -> None:
    p = nest()
    divide = partial(divide_loop, factor=4, names=["o", "i"])
    divided = first_of(partial(divide, perfect=True), partial(divide, tail="cut"))
    assert "for o in seq(0, n / 4):" in str(divided(p, "i"))
    assert "for o in seq(0, 1):" in str(divided(p, "l"))
    with pytest.raises(SchedulingError, match="no schedule applies") as caught:
        first_of(refuse, partial(divide, perfect=True))(p, "i")
    assert caught.value.notes == ("no", "divide_loop: cannot prove that 4 divides n")


def test_repeat_moves_a_loop_in_as_far_as_it_goes() -> None:
    p = nest()
    inward = repeat(reorder_loops)(p, p.find_loop("i"))
    assert [loop.name() for loop in inward.find("for _ in _: _", many=True)] == ["j", "k", "i", "l"]
    assert_refines(p, inward)


def test_repeat_stops_where_nothing_changes_and_gives_up_on_what_never_ends() -> None:
    p = simplify(nest())
    assert repeat(simplify)(p) is p
    forever = partial(divide_loop, factor=1, names=["i", "z"], tail="cut")
    with pytest.raises(SchedulingError, match="after 3 applications"):
        repeat(forever, limit=3)(p, "i")
    assert str(repeat(unroll_loop, limit=2)(p, "for _ in seq(0, 3): _")) == str(unroll_loop(p, "k"))


def test_each_place_is_taken_in_turn_and_what_is_gone_is_left_out() -> None:
    p = nest()
    inner = [p.find_loop("k"), p.find_loop("j")]
    assert_body(
        each(unroll_loop, inner)(p),
        """
        for i in seq(0, n):
            x[i, 0, 0] = 1.0
            x[i, 0, 1] = 1.0
            x[i, 0, 2] = 1.0
            x[i, 1, 0] = 1.0
            x[i, 1, 1] = 1.0
            x[i, 1, 2] = 1.0
        for l in seq(0, 4):
            s += 1.0
        """,
    )
    gone = unroll_loop(p, "l")
    assert each(refuse, [p.find_loop("l")])(gone) is gone


def test_each_looks_for_a_pattern_where_it_is_told_to() -> None:
    p = nest()
    seen: list[str] = []

    def note(q: Procedure, loop: Any) -> Procedure:
        seen.append(loop.name())
        return q

    each(note, "for _ in _: _")(p, p.find_loop("j"))
    each(note, lambda q, *_: q.find("for _ in seq(0, 4): _", many=True))(p)
    assert seen == ["j", "k", "l"]
    with pytest.raises(SchedulingError, match="no match"):
        each(note, "for q in _: _")(p)


@pytest.mark.parametrize(("traversal", "order"), [(top_down, "ijkl"), (bottom_up, "kjil")])
def test_traversals_differ_in_what_comes_first(traversal: Callable[..., Any], order: str) -> None:
    p = nest()
    seen: list[str] = []

    def note(q: Procedure, loop: Any) -> Procedure:
        seen.append(loop.name())
        raise SchedulingError("seen")

    assert traversal(note)(p) is p
    assert "".join(seen) == order
    traversal(note)(p, p.find_loop("j"))
    assert "".join(seen[4:]) == order.replace("i", "").replace("l", "")


def test_a_traversal_of_statements_or_of_expressions_meets_these() -> None:
    p = nest()
    counts: dict[str, int] = {}

    def count(q: Procedure, place: Any) -> Procedure:
        counts[type(place).__name__] = counts.get(type(place).__name__, 0) + 1
        return q

    top_down(count, "statements")(p)
    assert counts == {"ForCursor": 4, "AssignCursor": 1, "ReduceCursor": 1}
    counts.clear()
    top_down(count, "expressions")(p)
    assert counts == {"LiteralCursor": 9, "ReadCursor": 4}


def test_the_outer_loops_that_are_maps_become_parallel() -> None:
    p = nest()

    def outermost(q: Procedure, loop: Any) -> Procedure:
        if loop.parent() or classify(loop).kind is not LoopKind.MAP:
            raise SchedulingError("not an outer map")
        return parallelize_loop(q, loop)

    modes = [loop.mode() for loop in top_down(outermost)(p).find("for _ in _: _", many=True)]
    assert modes == ["par", "seq", "seq", "seq"]


def test_a_fixpoint_reaches_what_the_schedule_makes() -> None:
    p = nest().partial_eval(n=2)

    def halve(q: Procedure, loop: Any) -> Procedure:
        return divide_loop(q, loop, 2, [f"{loop.name()}o", f"{loop.name()}i"], perfect=True)

    def halve_long(q: Procedure, loop: Any) -> Procedure:
        if loop.hi().value() <= 2:
            raise SchedulingError("short")
        return halve(q, loop)

    q = to_fixpoint(halve_long)(p, p.find_loop("l"))
    assert [loop.hi().value() for loop in q.find("for _ in _: _", many=True)] == [2, 2, 3, 2, 2]
    with pytest.raises(SchedulingError, match=r"to_fixpoint: .* after 2 applications"):
        to_fixpoint(halve, limit=2)(p, p.find_loop("l"))
    assert "for" not in str(to_fixpoint(unroll_loop)(p))


def test_a_schedule_may_return_what_it_made_after_the_procedure_but_must_return_a_procedure() -> None:
    p = nest()
    outlined = chain(lambda q, where: extract_subproc(q, where, "inner"))(p, p.find_loop("j"))
    assert "inner(" in str(outlined)
    with pytest.raises(UslError, match="must return a procedure, not NoneType"):
        attempt(lambda q: None)(p)
    with pytest.raises(UsageError, match="chain: schedules must be a function on procedures, got 'simplify'"):
        chain("simplify")  # type: ignore[arg-type]


@pytest.mark.parametrize("name", [name for name in COMBINED if name != "each"])
@pytest.mark.parametrize(
    ("schedule", "message"),
    [
        (divide_loop, "divide_loop: missing a required argument: 'factor'"),
        (partial(divide_loop, factr=4, names=["a", "b"]), "divide_loop: .*argument"),
        (
            partial(divide_loop, factor=4, names=["a", "b"], tail="cutt"),
            "unknown tail 'cutt': use .*perfect",
        ),
        (partial(unroll_and_jam, factor=2, tail="cutt"), "unroll_and_jam: tail is one of 'perfect', .*, got 'cutt'"),
        (partial(unroll_and_jam, 2), "unroll_and_jam: the first argument must be a procedure, got int"),
        (lambda p, *where: parallelize_loop(p, 3), "parallelize_loop: loop must be a cursor or a pattern, got 3"),
    ],
)
def test_a_wrong_call_ends_every_combinator(name: str, schedule: Callable[..., Any], message: str) -> None:
    p = nest()
    with pytest.raises(UsageError, match=message) as caught:
        COMBINED[name](schedule)(p, *([] if "each" in name else [p.find_loop("k")]))
    assert caught.value.span is not None and caught.value.span.file == __file__
    assert not isinstance(caught.value, SchedulingError)


@pytest.mark.parametrize("name", COMBINED)
def test_what_is_no_procedure_is_not_scheduled(name: str) -> None:
    with pytest.raises(UsageError, match=r"the first argument must be a procedure, got str"):
        COMBINED[name](unroll_loop)("k", nest())


def test_a_schedule_without_a_place_works_on_the_whole_procedure() -> None:
    p = nest()
    two = partial(divide_loop, factor=2, names=["a", "b"], tail="cut")
    assert str(chain(two, simplify)(p, "i")) == str(simplify(two(p, "i")))
    for combinator in (repeat, top_down, to_fixpoint, attempt):
        assert str(combinator(simplify)(p, p.find_loop("i"))) == str(simplify(p))


def test_a_fixpoint_of_a_schedule_that_always_applies_stops_after_its_limit() -> None:
    growing = partial(divide_loop, factor=4, names=["a", "b"], tail="cut")
    with pytest.raises(SchedulingError, match=r"to_fixpoint: .* after 5 applications") as refused:
        to_fixpoint(growing, limit=5)(nest())
    assert "needs a condition of its own" in str(refused.value)
