"""Forked processes that compute one value each. The parent has not imported the kernel, so that each imports its own."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Work = Callable[[], Any]
"""What a process does; its result is made of JSON."""


def run_all(tasks: Sequence[tuple[str, Work]], jobs: int, limit: float) -> Iterator[tuple[str, Any, float]]:
    """The keys and results of tasks as they come, with the seconds each took; `{"error": ...}` for a process that died."""
    waiting, running = list(reversed(tasks)), list[_Child]()
    with tempfile.TemporaryDirectory() as folder:
        try:
            while waiting or running:
                while waiting and len(running) < jobs:
                    key, work = waiting.pop()
                    running.append(_Child.start(key, work, limit, Path(folder) / f"{len(waiting)}.json"))
                for child in list(running):
                    found = child.result()
                    if found is not None:
                        running.remove(child)
                        yield child.key, found, time.monotonic() - child.started
                time.sleep(0.005)
        finally:
            for child in running:
                child.kill()


@dataclass
class _Child:
    key: str
    pid: int
    output: Path
    started: float
    limit: float

    @staticmethod
    def start(key: str, work: Work, limit: float, output: Path) -> _Child:
        pid = os.fork()
        if pid == 0:
            _live(work, output)
        return _Child(key, pid, output, time.monotonic(), limit)

    def result(self) -> Any | None:
        """The value once it is there, else None."""
        if time.monotonic() - self.started > self.limit:
            self.kill()
            return {"error": "timeout"}
        done, status = os.waitpid(self.pid, os.WNOHANG)
        if not done:
            return None
        if not self.output.exists():
            return {"error": f"exit status {os.waitstatus_to_exitcode(status)}"}
        return json.loads(self.output.read_text(encoding="utf-8"))

    def kill(self) -> None:
        """End the process and those that it started, which are a group of their own."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self.pid, 0)


def _live(work: Work, output: Path) -> None:
    """The whole life of a forked process, with nothing to read from and its output thrown away."""
    try:
        os.setpgid(0, 0)
        null = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(null, stream)
        try:
            text = json.dumps(work())
        except Exception as error:
            text = json.dumps({"error": f"{type(error).__name__}: {error}"})
        draft = output.with_suffix(".part")
        draft.write_text(text, encoding="utf-8")
        draft.rename(output)
    finally:
        os._exit(0)
