"""Schedules made from schedules: one after another, again and again, or the first that applies; everywhere in a procedure.

A schedule is a function from a procedure, and any places in it, to a procedure. A combinator takes schedules and returns one.
It forwards the places before each use, so that they may be cursors of an earlier version. A schedule may also return a tuple
that starts with the procedure; the rest is dropped. One that takes nothing but a procedure, such as `simplify`, is given no
place.

What does not apply raises `SchedulingError`, and that is all that combinators catch. `Undecided` is not an answer, so it ends
the whole schedule, as do `UsageError` and other mistakes in Python.
Reference: Hagedorn et al. 2020, Achieving High-Performance the Functional Way (ELEVATE).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Annotated, Any

from usl_core import Procedure
from usl_core.arguments import checked
from usl_core.cursors import Cursor
from usl_core.errors import SchedulingError, UsageError
from usl_stdlib.inspection import Kind, walk

Schedule = Annotated[Callable[..., Any], "a function on procedures"]
"""From a procedure and places (cursors or patterns) to a procedure, or a tuple that starts with one."""

Combined = Callable[..., Procedure]
"""A schedule that a combinator made."""

Places = str | Iterable[Cursor | str] | Callable[..., Iterable[Cursor | str]]
"""A pattern, cursors or patterns, or a function that finds them in a procedure."""


@checked
def chain(*schedules: Schedule) -> Combined:
    """One schedule after another, at the same place.

        tile = chain(partial(divide_loop, factor=8, names=["io", "ii"], tail="cut"), parallelize_loop)
        p = tile(p, "i")

    Raises:
        SchedulingError: one of them does not apply. UsageError: a schedule is not callable, or called with what it does not
        take. A pattern is found anew for each of them.
    """

    def chained(p: Procedure, *where: Any) -> Procedure:
        for schedule in schedules:
            p = _apply(schedule, p, where)
        return p

    return _combined("chain", chained)


@checked
def attempt(schedule: Schedule, refused: Callable[[SchedulingError], object] | None = None) -> Combined:
    """A schedule where it applies, and otherwise nothing: the procedure stays as it is.

    refused, such as a list's `append`, is told why it did not apply.

    Raises:
        Undecided: the solver could not tell; this is never taken for a refusal. UsageError: it is called with what it does not
        take.
    """

    def attempted(p: Procedure, *where: Any) -> Procedure:
        try:
            return _apply(schedule, p, where)
        except SchedulingError as error:
            if refused is not None:
                refused(error)
            return p

    return _combined("attempt", attempted)


@checked
def first_of(*schedules: Schedule) -> Combined:
    """The first schedule that applies.

    Raises:
        SchedulingError: none does; the notes say why. Undecided: the solver could not tell for one of those tried.
    """

    def chosen(p: Procedure, *where: Any) -> Procedure:
        reasons: list[SchedulingError] = []
        for schedule in schedules:
            try:
                return _apply(schedule, p, where)
            except SchedulingError as error:
                reasons.append(error)
        span = reasons[-1].span if reasons else None
        raise SchedulingError("first_of: no schedule applies", span=span, notes=[error.message for error in reasons])

    return _combined("first_of", chosen)


@checked
def repeat(schedule: Schedule, limit: int = 1000, *, n_times: int | None = None) -> Combined:
    """A schedule again and again, until it does not apply or changes nothing. That may be at once.

    With n_times it is applied so many times, and has to apply each time.

    Raises:
        SchedulingError: it still changes something after limit applications; with n_times, it does not apply. UsageError: limit
        or n_times is negative. Undecided: the solver could not tell whether it applies.
    """
    _require_limit("repeat", limit)
    if n_times is not None:
        _require_limit("repeat", n_times, "n_times")
        return _combined("repeat", chain(*[schedule] * n_times))

    def repeated(p: Procedure, *where: Any) -> Procedure:
        for _ in range(limit + 1):
            try:
                new = _apply(schedule, p, where)
            except SchedulingError:
                return p
            if _same(new, p):
                return p
            p = new
        raise _endless("repeat", limit)

    return _combined("repeat", repeated)


@checked
def each(schedule: Schedule, places: Places) -> Combined:
    """A schedule at each of several places, one after another: `each(unroll_loop, "for ii in _: _")(p)`.

    places is a pattern, of which all matches count; cursors and patterns; or a function from the procedure (and where) to
    these. With a place to look in, `each(...)(p, where)`, a pattern is matched there only. What an earlier application has
    removed is left out.

    Raises:
        SchedulingError: the schedule does not apply at one of them (use `attempt` inside); a pattern matches nothing.
    """

    def at_each(p: Procedure, *where: Any) -> Procedure:
        return _at_all(schedule, p, _found(p, places, where))

    return _combined("each", at_each)


# ---- traversals


@checked
def top_down(schedule: Schedule, over: Kind = "loops") -> Combined:
    """A schedule at every place where it applies, what contains other places before these.

    over says what the places are, as in `walk`: "loops", "statements", "expressions" or others. With a place to look in,
    `top_down(...)(p, where)`, they are those in it and itself. Places are those of the procedure as it was given; what the
    schedule makes is left to the next round (`to_fixpoint`).

    Raises:
        Undecided: the solver could not tell whether it applies somewhere.
    """

    def descend(p: Procedure, *where: Any) -> Procedure:
        return _at_all(attempt(schedule), p, list(_places(p, where, over)))

    return _combined("top_down", descend)


@checked
def bottom_up(schedule: Schedule, over: Kind = "loops") -> Combined:
    """A schedule at every place where it applies, what a place contains before itself. As `top_down` otherwise."""

    def ascend(p: Procedure, *where: Any) -> Procedure:
        return _at_all(attempt(schedule), p, _inner_first(list(_places(p, where, over))))

    return _combined("bottom_up", ascend)


@checked
def to_fixpoint(schedule: Schedule, over: Kind = "loops", limit: int = 1000) -> Combined:
    """A schedule wherever it applies, also in what it makes, until it applies nowhere or changes nothing.

    Rounds of `bottom_up` are repeated. limit is the number of applications that change something, in all rounds together.

    Raises:
        SchedulingError: limit applications are not enough. Undecided: the solver could not tell whether it applies somewhere.
    """
    _require_limit("to_fixpoint", limit)
    tried = attempt(schedule)

    def settle(p: Procedure, *where: Any) -> Procedure:
        changes, before = 0, None
        while before is None or not _same(p, before):
            before = p
            for place in _inner_first(list(_places(p, where, over))):
                new = _at_all(tried, p, [place])
                changes += not _same(new, p)
                if changes > limit:
                    raise _endless("to_fixpoint", limit)
                p = new
        return p

    return _combined("to_fixpoint", settle)


# ---- helpers


def _combined(name: str, function: Combined) -> Combined:
    """What a combinator returns: a schedule that insists on a procedure."""

    def combined(p: Procedure, *where: Any) -> Procedure:
        return function(p, *where)

    return checked(combined, name)


def _apply(schedule: Schedule, p: Procedure, where: tuple[Any, ...]) -> Procedure:
    """A schedule at places that may be of an earlier version."""
    if not _takes_places(schedule):
        where = ()
    result = schedule(p, *(p.forward(place) if isinstance(place, Cursor) else place for place in where))
    new = result[0] if isinstance(result, tuple) and result else result
    if not isinstance(new, Procedure):
        shown = getattr(schedule, "__name__", repr(schedule))
        raise UsageError(f"the schedule {shown} must return a procedure, not {type(result).__name__}")
    return new


def _takes_places(schedule: Schedule) -> bool:
    """Whether a schedule can be given more than a procedure."""
    try:
        parameters = inspect.signature(schedule).parameters.values()
    except ValueError:
        return True
    positional = [each for each in parameters if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]
    return len(positional) != 1 or any(each.kind is each.VAR_POSITIONAL for each in parameters)


def _at_all(schedule: Schedule, p: Procedure, places: Iterable[Cursor | str]) -> Procedure:
    """A schedule at each place that is still there."""
    for place in places:
        if not isinstance(place, Cursor) or p.forward(place):
            p = _apply(schedule, p, (place,))
    return p


def _found(p: Procedure, places: Places, where: tuple[Any, ...]) -> list[Cursor | str]:
    if callable(places):
        return list(places(p, *(p.forward(place) if isinstance(place, Cursor) else place for place in where)))
    if not isinstance(places, str):
        return list(places)
    scopes = [_cursor(p, place) for place in where] or [p]
    return [match for scope in scopes for match in scope.find(places, many=True)]


def _places(p: Procedure, where: tuple[Any, ...], over: Kind) -> Iterable[Cursor]:
    for scope in [_cursor(p, place) for place in where] or [p]:
        yield from walk(scope, over)


def _cursor(p: Procedure, place: Any) -> Any:
    return p.forward(place) if isinstance(place, Cursor) else p.find(place)


def _inner_first(places: list[Cursor]) -> list[Cursor]:
    """Places in source order, what a place contains before itself."""
    order = sorted(range(len(places)), key=lambda position: (_end_of(places, position), -position))
    return [places[position] for position in order]


def _end_of(places: list[Cursor], position: int) -> int:
    """The position of the last place inside of one; places come in source order, the outer first."""
    last = position
    while last + 1 < len(places) and places[position].is_ancestor_of(places[last + 1]):
        last += 1
    return last


def _same(a: Procedure, b: Procedure) -> bool:
    return a is b or str(a) == str(b)


def _endless(combinator: str, limit: int) -> SchedulingError:
    return SchedulingError(
        f"{combinator}: the schedule still changes the procedure after {limit} applications",
        notes=["hint: a schedule that always applies, such as one that divides a loop, needs a condition of its own"],
    )


def _require_limit(combinator: str, limit: int, name: str = "limit") -> None:
    if limit < 0:
        raise UsageError(f"{combinator}: {name} must be a number of applications, got {limit!r}")
