"""The thread in which calls run that may take long: it has a large stack, and Ctrl-C reaches the thread that waits for it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from queue import SimpleQueue
from typing import Any

from usl_core.deep import started
from usl_perceus.python.output import Output


class Task:
    """One call. `running` is locked until it is over; who waits for that may then hold it, so `over` says whether it is."""

    __slots__ = ("args", "discard", "error", "function", "over", "result", "running")

    def __init__(self, function: Callable[..., Any], args: tuple[Any, ...], discard: Callable[[Any], None]) -> None:
        self.function, self.args, self.discard = function, args, discard
        self.result: Any = None
        self.error: BaseException | None = None
        self.over = False
        self.running = threading.Lock()
        self.running.acquire()

    def work(self) -> None:
        """Makes the call, once; its result or exception is kept for the thread that waits."""
        if self.over:
            return
        try:
            self.result = self.function(*self.args)
        except BaseException as error:  # handed on to the thread that waits
            self.error = error
        self.over = True
        self.running.release()


class HeapLock:
    """The reentrant lock of a heap. While a call goes on that was given up, by Ctrl-C, nobody gets it."""

    def __init__(self, output: Output) -> None:
        self.output = output
        self._lock = threading.RLock()
        self.abandoned: Any = None
        """What nobody waits for any more: a `Task`, or the worker in C. `entry.c` looks at it, too."""

    def __enter__(self) -> None:
        if not self._lock.acquire(blocking=False):
            if self.output.is_printing():
                raise RuntimeError(
                    "sys.stdout.write calls a @fun, or looks at what one gave, and would wait for the @fun that prints"
                )
            self._lock.acquire()
        if self._is_occupied():
            self._lock.release()
            message = "the call of a @fun that was interrupted still runs, and uses the heap; no other can, until it ends"
            raise RuntimeError(message)

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def try_acquire(self) -> bool:
        """Whether nobody had it, so that it is held now."""
        if not self._lock.acquire(blocking=False):
            return False
        if self._is_occupied():
            self._lock.release()
            return False
        return True

    def release(self) -> None:
        """Undoes one `try_acquire`."""
        self._lock.release()

    def bare(self) -> tuple[HeapLock, Callable[[], object], Callable[[], object], Callable[[], bool]]:
        """This, what acquires and releases the lock without looking at what was abandoned, and whether anybody prints, for
        `entry.c`."""
        return self, self._lock.acquire, self._lock.release, self.output.busy

    def abandon(self, task: Any) -> None:
        """Nobody waits for the task any more: until it is over, nobody gets the lock."""
        self.abandoned = task

    def _is_occupied(self) -> bool:
        """Whether a call that was given up still goes on; if one is over, what it gave is given up."""
        task = self.abandoned
        if task is not None and task.over:
            self.abandoned = self.output.failure = None
            if task.error is None:
                task.discard(task.result)
        return self.abandoned is not None


class Waiting:
    """Stands for a call that goes on while handlers of signals run: nobody gets the lock."""

    over = False


@dataclass(frozen=True, slots=True)
class Limit:
    """Of the time of a call, None for any; interrupt asks a program to end its call, or takes that back."""

    seconds: float | None
    interrupt: Callable[[bool], object]

    def wait(self, task: Task, start: Callable[[], object]) -> None:
        """Starts the task and waits until it is over; asks it to end when its time is up, or Ctrl-C is pressed.

        Raises:
            KeyboardInterrupt: Ctrl-C was pressed; the task is over, unless it was pressed again.
        """
        try:
            start()
            if task.running.acquire(timeout=-1 if self.seconds is None else min(self.seconds, threading.TIMEOUT_MAX)):
                return
            self.interrupt(True)
            task.running.acquire()
        except BaseException:
            self.interrupt(True)
            if not task.over:
                start()  # the first may not have come about
                task.running.acquire()
            raise
        finally:
            if task.over:
                self.interrupt(False)


class Worker:
    """Runs one call after another; whoever asks holds `lock`."""

    def __init__(self, lock: HeapLock, begin: Callable[[], object]) -> None:
        self._lock, self._begin = lock, begin
        self._tasks: SimpleQueue[Task] = SimpleQueue()
        self._thread: threading.Thread | None = None

    def __call__(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        discard: Callable[[Any], None],
        limit: Limit | None = None,
    ) -> Any:
        """function(*args), in the worker. discard takes the result if nobody waits for it any more; the lock is held then.
        limit: of a function that can be ended.

        Raises:
            KeyboardInterrupt: Ctrl-C was pressed; a call without limit goes on, and the lock is given to nobody until it ends.
        """
        if self._thread is None or not self._thread.is_alive():  # a fork leaves it behind
            self._tasks = SimpleQueue()
            self._thread = started(self._work)
        task = Task(function, args, discard)
        try:
            if limit is None:
                self._tasks.put(task)
                task.running.acquire()
            else:
                limit.wait(task, partial(self._tasks.put, task))
        except BaseException:
            if not task.over:
                self._lock.abandon(task)
            elif task.error is None:
                discard(task.result)
            raise
        if task.error is not None:
            raise task.error
        return task.result

    def _work(self) -> None:
        self._begin()
        tasks = self._tasks
        while True:
            tasks.get().work()


def started_worker(begin: Callable[[], object], work: Callable[[], object]) -> None:
    """Starts a thread with a large stack for a worker in C."""

    def run() -> None:
        begin()
        work()

    started(run)
