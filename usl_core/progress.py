"""Long work says on a terminal what it does: scheduling and compiling that take longer than a second.

One line on standard error, which goes when the work is done. Nothing is said where standard error is no terminal.
`USL_PROGRESS=0` in the environment silences it, `USL_PROGRESS=1` makes it say what it does, a line each, elsewhere too.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from usl_core import profiling

PATIENCE = 1.0
"""Seconds of work after which something is said."""
PAUSE = 0.3
"""Seconds without work after which the next begins from nothing."""
TICK = 0.1


class Activity:
    """What is being done, told by `begin` and `end` as a listener of `profiling`, and shown by a thread of its own.

    The line is taken away whenever the outermost piece of work ends, so that what the program prints then meets no line.
    """

    kinds = frozenset({"operator"})

    def __init__(self, console: Any, lines: bool) -> None:
        self._console, self._lines = console, lines
        self._lock = threading.Lock()
        self._labels: list[str] = []
        self._count = 0
        self._began = self._ended = -PAUSE - 1
        self._shown = self._said = False
        self._thread: threading.Thread | None = None

    def begin(self, kind: str, name: str) -> None:
        """A piece of work begins."""
        with self._lock:
            if not self._labels:
                now = time.monotonic()
                if now - self._ended > PAUSE:
                    self._began, self._count, self._said = now, 0, False
                self._count += 1
            self._labels.append(name if kind == "work" else f"scheduling: {name}")
            if self._thread is None:
                self._thread = threading.Thread(target=self._watch, name="usl progress", daemon=True)
                self._thread.start()

    def end(self, error: BaseException | None = None) -> None:
        """The innermost piece of work ends."""
        with self._lock:
            self._labels.pop()
            if not self._labels:
                self._ended = time.monotonic()
                self._clear()

    def _watch(self) -> None:
        while self.look():
            time.sleep(TICK)

    def look(self) -> bool:
        """Show what is being done, if that takes long; whether there is something to watch."""
        with self._lock:
            now = time.monotonic()
            if self._labels and now - self._began >= PATIENCE:
                self._show(now - self._began)
            elif not self._labels and now - self._ended > PAUSE:
                self._thread = None
                return False
            return True

    def _show(self, seconds: float) -> None:
        label = self._labels[-1]
        if self._lines:
            if not self._said:
                self._said = True
                self._console.print(f"usl: {label} ...", style="dim", markup=False, highlight=False)
            return
        from rich.spinner import Spinner
        from rich.text import Text

        self._clear()
        steps = f", {self._count} operators" if self._count > 1 else ""
        text = Text(f" {label} ({seconds:.0f} s{steps})", style="dim", no_wrap=True, overflow="ellipsis")
        frame = Spinner("dots").render(seconds)
        line = Text.assemble(frame if isinstance(frame, Text) else "", text)
        line.truncate(max(self._console.width - 1, 1), overflow="ellipsis")
        self._console.print(line, end="")
        self._shown = True

    def _clear(self) -> None:
        if self._shown:
            from rich.control import Control
            from rich.segment import ControlType

            self._console.control(Control(ControlType.CARRIAGE_RETURN, (ControlType.ERASE_IN_LINE, 2)))
            self._shown = False


_activity: Activity | None = None


def install() -> None:
    """Say what operators do, if there is somebody to say it to."""
    wanted = os.environ.get("USL_PROGRESS", "")
    terminal = sys.stderr is not None and sys.stderr.isatty()
    if wanted == "0" or not (terminal or wanted == "1"):
        return
    from rich.console import Console

    global _activity
    _activity = Activity(Console(stderr=True), lines=not terminal)
    profiling.listen(_activity)


@contextmanager
def doing(what: str) -> Iterator[None]:
    """Say, if it takes long, that this is being done in the body of the `with`: "compiling sgemm"."""
    activity = _activity
    if activity is None:
        yield
        return
    activity.begin("work", what)
    try:
        yield
    finally:
        activity.end()
