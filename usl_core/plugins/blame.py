"""The place in somebody's source file that an exception points at.

A plugin, or a file given to the `usl` command, may fail with any exception. The user needs the line of that file, not the
innermost frame of a library that it called.
"""

from __future__ import annotations

import linecache
import traceback
from collections.abc import Callable
from types import FrameType, TracebackType

from usl_core.errors import NOWHERE, Span, UslError


def describe(error: BaseException) -> str:
    """The exception's kind and text on one line; the text alone for an error of ours and for a syntax error."""
    if isinstance(error, UslError):
        return error.message
    if isinstance(error, SyntaxError):
        return f"{type(error).__name__}: {error.msg}"
    try:
        text = str(error).strip()
    except Exception:  # the exception is the user's, and so is its text
        text = ""
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def notes_of(error: BaseException) -> tuple[str, ...]:
    """The further lines of an error of ours, and the notes that anybody else added to an exception."""
    own = error.notes if isinstance(error, UslError) else ()
    return (*own, *getattr(error, "__notes__", ()))


def blamed_span(error: BaseException, owned: Callable[[FrameType], bool]) -> Span | None:
    """Where error happened: its own span, the place of a syntax error, or the innermost owned frame of its traceback."""
    if isinstance(error, UslError) and error.span is not None and error.span is not NOWHERE:
        return error.span
    if isinstance(error, SyntaxError):
        return _syntax_error_span(error)
    return _frame_span(error.__traceback__, owned)


def _syntax_error_span(error: SyntaxError) -> Span | None:
    if error.filename is None or error.lineno is None:
        return None
    column = max(1, error.offset or 1)
    end_column = error.end_offset or 0
    return Span(error.filename, error.lineno, column, error.end_lineno or error.lineno, max(end_column, column + 1))


def _frame_span(trace: TracebackType | None, owned: Callable[[FrameType], bool]) -> Span | None:
    frames = [(frame, line) for frame, line in traceback.walk_tb(trace)]
    summaries = traceback.extract_tb(trace)
    for (frame, _), summary in zip(reversed(frames), reversed(summaries), strict=True):
        if owned(frame):
            return _summary_span(summary)
    return None


def _summary_span(summary: traceback.FrameSummary) -> Span:
    first = summary.lineno or 1
    last = summary.end_lineno or first
    column = _characters(summary.filename, first, summary.colno)
    end_column = _characters(summary.filename, last, summary.end_colno)
    return Span(summary.filename, first, column, last, end_column)


def _characters(file: str, line: int, offset: int | None) -> int:
    """The 1-based column of a byte offset into the UTF-8 text of a line (what code objects record)."""
    text = linecache.getline(file, line)
    if offset is None:
        return len(text) - len(text.lstrip()) + 1
    return len(text.encode()[:offset].decode(errors="replace")) + 1
