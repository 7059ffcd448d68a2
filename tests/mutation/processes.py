"""Forked processes that compute one value each. The parent has not imported the kernel, so that each imports its own."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import signal
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Work = Callable[[], Any]
"""What a process does; its result is made of JSON."""

STUCK = 20
"""A process that has got nowhere in so many times its limit of processor time waits for something that never comes."""


def run_all(tasks: Sequence[tuple[str, Work]], jobs: int, limit: int) -> Iterator[tuple[str, Any, float]]:
    """The keys and results of tasks as they come, with the seconds each took.

    A process may use limit seconds of processor time. The result of one that died is `{"error": what}`, which is "timeout"
    if it used up its time.
    """
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
    limit: int

    @staticmethod
    def start(key: str, work: Work, limit: int, output: Path) -> _Child:
        pid = os.fork()
        if pid == 0:
            _live(work, limit, output)
        return _Child(key, pid, output, time.monotonic(), limit)

    def result(self) -> Any | None:
        """The value once it is there, else None."""
        if time.monotonic() - self.started > self.limit * STUCK:
            self.kill()
            return {"error": "it waits for something that never comes"}
        done, status = os.waitpid(self.pid, os.WNOHANG)
        if not done:
            return None
        if not self.output.exists():
            code = os.waitstatus_to_exitcode(status)
            return {"error": "timeout" if code == -signal.SIGXCPU else f"exit status {code}"}
        return json.loads(self.output.read_text(encoding="utf-8"))

    def kill(self) -> None:
        """End the process and those that it started, which are a group of their own."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self.pid, 0)


def _live(work: Work, limit: int, output: Path) -> None:
    """The whole life of a forked process, with nothing to read from and its output thrown away."""
    try:
        os.setpgid(0, 0)
        # Processor time, so that what becomes of a process does not depend on what else the machine does.
        resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
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
