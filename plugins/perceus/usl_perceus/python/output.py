"""What programs print: `sys.stdout.write` is called in the thread that prints, while somebody else may hold the heap's lock."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Output:
    """Writes to whatever `sys.stdout` is then. What writing raises is raised when the call of Python's that prints is over."""

    def __init__(self) -> None:
        self._printing: set[int] = set()
        """The threads that write now."""
        self.failure: BaseException | None = None

    def is_printing(self) -> bool:
        """Whether this is asked by what `sys.stdout.write` does."""
        return threading.get_ident() in self._printing

    def busy(self) -> bool:
        """Whether any thread writes."""
        return bool(self._printing)

    def write(self, text: str) -> bool:
        """Whether it was written; else `failure` says why it was not."""
        try:
            with self._marked():
                if sys.stdout is not None:  # Python has none where there is no terminal
                    sys.stdout.write(text)
        except BaseException as error:  # it cannot pass through the program
            self.failure = self.failure or error
            return False
        return True

    @contextmanager
    def _marked(self) -> Iterator[None]:
        own = threading.get_ident()
        if own in self._printing:
            yield
            return
        self._printing.add(own)
        try:
            yield
        finally:
            self._printing.remove(own)
