"""Uncaught errors are shown without the frames of this package: in scripts, in pytest, and in IPython and notebooks.

Whoever catches a `UslError` sees all of its frames; only what is shown to a user at the end is shorter. `USL_TRACEBACK=full` in
the environment shows all of them, for work on the package itself.
"""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

from usl_core.errors import LIBRARIES, UslError

HINT = (
    "hint: begin the file with `from __future__ import annotations`: the annotations of a procedure are those of the object "
    "language, which Python must not evaluate"
)
DECORATORS = {"proc", "instr", "config"}
"""What stands above declarations in the object language. Other languages in Python's syntax add theirs."""


def install() -> None:
    """Let Python, and IPython where it runs, show errors so. What handled uncaught errors before still prints them."""
    if sys.excepthook is not _excepthook:
        global _before
        _before, sys.excepthook = sys.excepthook, _excepthook
        setattr(UslError, "_render_traceback_", _as_ipython_shows)  # noqa: B010  IPython looks for it
        shell = _shell()
        if shell is not None:
            shell.events.register("post_run_cell", _after_cell)


_before: Callable[[type[BaseException], BaseException, TracebackType | None], Any] = sys.excepthook


def shorten(error: BaseException) -> None:
    """Drop the frames of this package from an error that is about to be shown, and causes that lie wholly inside of it."""
    if os.environ.get("USL_TRACEBACK") == "full":
        return
    if isinstance(error, NameError | TypeError) and _annotations_were_evaluated(error) and HINT not in _notes(error):
        error.add_note(HINT)
    if not isinstance(error, UslError):
        return
    error.__traceback__ = _outside(error.__traceback__)
    earlier = error.__cause__ or error.__context__
    if earlier is None or (error.__suppress_context__ and error.__cause__ is None):
        return
    if _outside(earlier.__traceback__) is None:
        error.__cause__, error.__suppress_context__ = None, True
    else:
        shorten(earlier)


def _outside(traceback: TracebackType | None) -> TracebackType | None:
    """The frames that are the user's, or other libraries'."""
    kept = []
    while traceback is not None:
        if str(traceback.tb_frame.f_globals.get("__name__")).partition(".")[0] not in LIBRARIES:
            kept.append(traceback)
        traceback = traceback.tb_next
    shorter: TracebackType | None = None
    for each in reversed(kept):
        shorter = TracebackType(shorter, each.tb_frame, each.tb_lasti, each.tb_lineno)
    return shorter


def _notes(error: BaseException) -> list[str]:
    return getattr(error, "__notes__", [])


def _annotations_were_evaluated(error: BaseException) -> bool:
    """Whether Python failed in the annotations of what has one of our decorators."""
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    if traceback is None:
        return False
    line = traceback.tb_lineno
    try:
        tree = ast.parse(_source(traceback))
    except (OSError, SyntaxError, ValueError):
        return False
    heads = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and any(map(_is_ours, node.decorator_list))
    ]
    return any(node.lineno <= line <= _last_line(node) for node in heads)


def _last_line(node: ast.FunctionDef | ast.ClassDef) -> int:
    """The last one that Python runs when it gets there: of a class all of them."""
    if isinstance(node, ast.ClassDef):
        return node.end_lineno or node.lineno
    return max(node.lineno, node.body[0].lineno - 1)


def _source(traceback: TracebackType) -> str:
    import linecache

    file = traceback.tb_frame.f_code.co_filename
    lines = linecache.getlines(file, traceback.tb_frame.f_globals)
    return "".join(lines) if lines else Path(file).read_text(encoding="utf-8")


def _is_ours(decorator: ast.expr) -> bool:
    if isinstance(decorator, ast.Call):
        decorator = decorator.func
    return getattr(decorator, "id", getattr(decorator, "attr", None)) in DECORATORS


def _excepthook(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
    error.__traceback__ = traceback
    shorten(error)
    _before(kind, error, error.__traceback__)


# ---- IPython


def _shell() -> Any:
    """The IPython shell that runs this code, if there is one."""
    ipython = sys.modules.get("IPython")
    return None if ipython is None else ipython.get_ipython()


def _as_ipython_shows(error: UslError) -> list[str]:
    shorten(error)
    lines: list[str] = _shell().InteractiveTB.structured_traceback(type(error), error, error.__traceback__)
    return lines


def _after_cell(result: Any) -> None:
    """Tell a cell whose annotations Python evaluated what was missing."""
    error = getattr(result, "error_in_exec", None)
    if isinstance(error, NameError | TypeError) and HINT not in _notes(error) and _annotations_were_evaluated(error):
        print(HINT, file=sys.stderr)
