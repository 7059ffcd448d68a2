"""Source spans, the exception family and how a message is shown to a user.

A user's mistake is one `UslError` whose text names the place (file:line:column), the source line with a caret,
the reason and what to do. Python's own exceptions are for bugs in this package.
"""

from __future__ import annotations

import linecache
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from itertools import islice
from types import FrameType
from typing import Any, Self

from usl_core.records import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """A place in a source file. Lines count from 1, columns from 1, `end_column` is one past the last character."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    way: tuple[str, Span] | None = field(default=None, compare=False)
    """How the code got where it is, and from where: "in the fragment relu, used" and the place of its use."""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"

    def or_else(self, other: Span) -> Span:
        """This place, or else other where no source text stands for it."""
        return self if self.line else other


NOWHERE = Span("<generated>", 0, 0, 0, 0)
"""The span of nodes that no source text stands for."""


def source_line(span: Span) -> str | None:
    """The text of the first line of span without its line end, or None if the file cannot be read."""
    text = linecache.getline(span.file, span.line) if span.line > 0 else ""
    return text.rstrip("\n") if text else None


def render(message: str, span: Span | None, notes: Sequence[str] = ()) -> str:
    """The message as users see it: place, message, source line, caret, then each note indented by two."""
    lines = [message if span is None or span is NOWHERE else f"{span}: {message}"]
    text = source_line(span) if span is not None else None
    if span is not None and text is not None:
        end = span.end_column if span.end_line == span.line else len(text) + 1
        indent = len(text) - len(text.lstrip())
        width = max(1, min(end, len(text) + 1) - span.column)
        lines.append("    " + text.lstrip())
        lines.append("    " + " " * max(0, span.column - 1 - indent) + "^" * width)
    while span is not None and span.way is not None:
        what, span = span.way
        lines.append(f"  {what} at {span}: {(source_line(span) or '').strip()}")
    lines.extend(f"  {note}" for note in notes)
    return "\n".join(lines)


_MOST_VALUES = 24
"""How many values of a counter-example are shown; those that decide come first."""


class CounterExample(str):
    """A note that shows values of sizes and iterators for which an obligation fails: `counter-example: n = 6, i = 3`."""

    values: Mapping[str, int | bool]
    """The same by name. A name that occurs twice (two iterations of one loop) has primes."""

    def __new__(cls, values: Mapping[str, int | bool]) -> CounterExample:
        shown = [f"{name} = {value}" for name, value in values.items()]
        if len(shown) > _MOST_VALUES:
            shown[_MOST_VALUES:] = [f"and {len(shown) - _MOST_VALUES} more"]
        note = super().__new__(cls, "counter-example: " + ", ".join(shown))
        note.values = dict(values)
        return note

    def __reduce__(self) -> Any:
        return CounterExample, (self.values,)


def counterexample(values: Mapping[str, int | bool]) -> list[str]:
    """The note that shows values, or none if there is nothing to show."""
    return [CounterExample(values)] if values else []


class UslError(Exception):
    """A mistake in a user's program, schedule or call. `code` is stable (docs/errors.md) and meant for machines.

    message is one sentence without the place; notes are further lines (counter-examples, hints).
    """

    code = "E000"

    def __init__(self, message: str, *, span: Span | None = None, notes: Sequence[str] = (), code: str | None = None) -> None:
        self.message = message
        self.span = span
        self.notes = tuple(notes)
        if code is not None:
            self.code = code
        super().__init__(message)

    @classmethod
    def deferred(cls, explain: Callable[[], tuple[str, Span | None, Sequence[str]]], code: str | None = None) -> Self:
        """An error whose message, span and notes are found when somebody looks at them: it may be made to be caught."""
        error = cls.__new__(cls)
        Exception.__init__(error)
        error._explain = explain
        if code is not None:
            error.code = code
        return error

    _explain: Callable[[], tuple[str, Span | None, Sequence[str]]]

    def place(self, find: Callable[[], Span | None]) -> None:
        """Give the error the place that find knows, unless it has one in a source; a deferred one when it is looked at."""
        if "_explain" in self.__dict__:
            explain = self.__dict__["_explain"]

            def explained() -> tuple[str, Span | None, Sequence[str]]:
                message, span, notes = explain()
                return message, span if span is not None and span.line > 0 else find(), notes

            self._explain = explained
        elif self.span is None or not self.span.line:
            self.span = find()

    def __getattr__(self, name: str) -> Any:
        if name not in ("message", "span", "notes") or "_explain" not in self.__dict__:
            raise AttributeError(name)
        self.message, self.span, notes = self.__dict__.pop("_explain")()
        self.notes = tuple(notes)
        self.args = (self.message,)
        return getattr(self, name)

    def __reduce__(self) -> Any:
        self.message  # noqa: B018  what explains a deferred error does not travel
        return super().__reduce__()

    def __str__(self) -> str:
        return render(self.message, self.span, self.notes)

    @property
    def counterexample(self) -> Mapping[str, int | bool]:
        """Values for which the refused obligation fails, by the names that the message shows; empty if none are known."""
        return next((note.values for note in self.notes if isinstance(note, CounterExample)), {})

    def as_dict(self) -> dict[str, Any]:
        """The error as plain data for editors and scripts; docs/cli.md describes it. There is no place without a source."""
        span = self.span if self.span is not None and self.span.line > 0 else None
        return {
            "code": self.code,
            "message": self.message,
            "file": span.file if span is not None else None,
            "line": span.line if span is not None else None,
            "column": span.column if span is not None else None,
            "end_line": span.end_line if span is not None else None,
            "end_column": span.end_column if span is not None else None,
            "notes": [str(note) for note in self.notes],
            "counterexample": dict(self.counterexample),
        }


class ParseError(UslError):
    """The text of a procedure, fragment or pattern is not in the object language."""

    code = "E100"


class TypeError_(UslError):
    """A procedure is ill-typed: an unknown name, mixed types, a non-affine index."""

    code = "E200"


class BoundsError(UslError):
    """A possible out-of-bounds access, an empty or negative range, or a call that may break a precondition."""

    code = "E300"


class SchedulingError(UslError):
    """An operator does not apply: the check failed, and the input procedure is unchanged."""

    code = "E400"


class PatternError(SchedulingError):
    """A pattern matches nothing, or not often enough."""

    code = "E401"


class InvalidCursorError(SchedulingError):
    """A cursor to code that an operator has removed was used."""

    code = "E402"


class UsageError(UslError):
    """A function is called in a way that suits no program: the number, the names or the kinds of arguments, or an unknown
    option. A mistake in Python rather than a condition of the code, so `attempt` does not swallow it.

    Its place is the line that made the call, outside of this package.
    """

    code = "E405"

    def __init__(self, message: str, *, span: Span | None = None, notes: Sequence[str] = (), code: str | None = None) -> None:
        super().__init__(message, span=span or calling_line(), notes=notes, code=code)


LIBRARIES = {"usl_core", "functools", "contextlib", "threading"}
"""Packages whose calls are not the user's. A library of schedules adds its own name, so that a message points past it."""

threads = threading.local()
"""`threads.caller`: in a thread that works for another (`usl_core.deep`), the call that waits there."""


def calling_line() -> Span | None:
    """The innermost call in progress that is made neither by this package nor by a library of schedules."""
    frame = _outside(sys._getframe(1)) or _outside(getattr(threads, "caller", None))
    if frame is None:
        return None
    positions = next(islice(frame.f_code.co_positions(), frame.f_lasti // 2, None), (None,) * 4)
    line, end_line, column, end_column = positions
    if line is None or end_line is None or column is None or end_column is None:
        return Span(frame.f_code.co_filename, frame.f_lineno, 1, frame.f_lineno, 1)
    return Span(frame.f_code.co_filename, line, column + 1, end_line, end_column + 1)


def _outside(frame: FrameType | None) -> FrameType | None:
    while frame is not None and str(frame.f_globals.get("__name__")).partition(".")[0] in LIBRARIES:
        frame = frame.f_back
    return frame


class Undecided(UslError):
    """The solver could not decide an obligation. Never success, and not swallowed by `attempt`."""

    code = "E500"


class BackendError(UslError):
    """A procedure cannot be turned into code: precision, memory, or an instruction's requirements."""

    code = "E600"


class JitError(UslError):
    """A compiler is missing or failed, or an argument of a compiled procedure has the wrong type, shape or place."""

    code = "E700"


class PluginError(UslError):
    """A plugin cannot be loaded, clashes with another, or declares something ill-formed."""

    code = "E800"


class InterpError(UslError):
    """The interpreter met an out-of-bounds access, a failed `check`, or a wrong argument."""

    code = "E900"
