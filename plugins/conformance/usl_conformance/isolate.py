"""Code that may crash runs in a child process: a template can write anywhere, and a memory can free what it never had."""

from __future__ import annotations

import contextlib
import faulthandler
import os
import pickle
import resource
import signal
import struct
import tempfile
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, BinaryIO, NoReturn

SECONDS = 120
"""After this much time of the processor the child is stopped, and after ten times that in any case."""

_FATAL = ("SIGALRM", "SIGPROF", "SIGSEGV", "SIGBUS", "SIGABRT", "SIGILL", "SIGFPE")

Progress = Callable[[Any], None]
"""Tells the parent what is about to run."""


@dataclass(frozen=True, slots=True)
class Stopped:
    """The child ended by a signal; `at` is what it said last, `said` the end of what it wrote to standard error."""

    signal: str
    at: Any
    said: str


def run_isolated(function: Callable[[Progress], Any], seconds: int = SECONDS) -> Any | Stopped:
    """What function gives in a child process that sees a copy of this one; its result must be picklable.

    Raises:
        RuntimeError: function raised; the message is the child's traceback.
    """
    read, write = os.pipe()
    with tempfile.TemporaryFile() as errors:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # the child uses no lock that another thread may hold
            child = os.fork()
        if child == 0:
            os.close(read)
            _child(function, write, errors.fileno(), seconds)
        os.close(write)
        last = None
        with os.fdopen(read, "rb") as stream:
            while (message := _receive(stream)) is not None:
                kind, content = message
                if kind != "at":
                    break
                last = content
        _, status = os.waitpid(child, 0)
        errors.seek(0)
        said = errors.read().decode(errors="replace").strip().splitlines()
    if message is None:
        name = (
            signal.Signals(os.WTERMSIG(status)).name
            if os.WIFSIGNALED(status)
            else f"status {os.waitstatus_to_exitcode(status)}"
        )
        return Stopped(name, last, said[-1] if said else "")
    if kind == "failed":
        raise RuntimeError(content)
    return content


def _child(function: Callable[[Progress], Any], write: int, errors: int, seconds: int) -> NoReturn:
    status = 1
    try:
        os.dup2(errors, 2)
        faulthandler.disable()
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        for name in _FATAL:
            signal.signal(signal.Signals[name], signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, seconds)
        signal.alarm(10 * seconds)
        try:
            result = ("done", function(lambda content: _send(write, ("at", content))))
        except Exception:
            result = ("failed", traceback.format_exc())
        _send(write, result)
        status = 0
    finally:
        with contextlib.suppress(OSError):
            os.close(write)
        os._exit(status)


def _send(write: int, message: tuple[str, Any]) -> None:
    content = pickle.dumps(message)
    data = struct.pack("<Q", len(content)) + content
    while data:
        data = data[os.write(write, data) :]


def _receive(stream: BinaryIO) -> tuple[str, Any] | None:
    head = stream.read(8)
    if len(head) < 8:
        return None
    (length,) = struct.unpack("<Q", head)
    content = stream.read(length)
    if len(content) < length:
        return None
    message: tuple[str, Any] = pickle.loads(content)
    return message
