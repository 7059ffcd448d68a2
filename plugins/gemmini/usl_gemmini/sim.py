"""The simulator of a chip: it runs commands, and says what it would not do."""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Iterator

import numpy as np

from usl_gemmini.decode import decode
from usl_gemmini.errors import SimulatorError
from usl_gemmini.library import load
from usl_gemmini.params import GemminiParams
from usl_gemmini.trace import Trace
from usl_gemmini.words import ACC

READ, WRITE, CLAIM, RELEASE = range(4)


class Simulator:
    """The chip of this process with given parameters: all objects of the same parameters, and C linked with it, share it.

    It is not safe for threads.
    """

    def __init__(self, params: GemminiParams | None = None) -> None:
        self.params = params or GemminiParams()
        self._library = load(self.params)

    def reset(self) -> None:
        """Power-up: nothing is configured or written, no buffer lives, nothing is in flight, any failure is forgotten."""
        self._library.gemmini_sim_reset()

    @contextlib.contextmanager
    def session(self, *, record: bool = False, execute: bool = True) -> Iterator[Simulator]:
        """From power-up; what C does in between is checked at the end, as by `check`.

        record keeps the commands for `trace`. Without execute nothing is moved or computed: for time alone. After a failure,
        also one of Python, nothing of it is left but these commands: what runs next starts from power-up.

        Raises:
            SimulatorError: a command that hardware would fail on.
        """
        self.reset()
        self._library.gemmini_sim_record(int(record), int(execute))
        try:
            yield self
            self.check()
        finally:
            self._library.gemmini_sim_record(0, 1)
            self._library.gemmini_sim_recover()

    def check(self) -> None:
        """Raises the first failure since the last reset, if there was one.

        Raises:
            SimulatorError: a command that hardware would fail on.
        """
        index, words = ctypes.c_int64(), (ctypes.c_uint64 * 3)()
        reason = self._library.gemmini_sim_error(ctypes.byref(index), words)
        if reason is None:
            return
        text = reason.decode()
        if index.value < 0:
            raise SimulatorError(f"the host, after {self.count} commands: {text}")
        error = SimulatorError(f"command {index.value}: {decode(words[0], words[1], words[2])}: {text}")
        error.index = index.value
        raise error

    def run(self, trace: Trace) -> None:
        """Executes commands; their addresses must be those of live buffers in this process.

        Raises:
            SimulatorError: a command that hardware would fail on; those after it are not executed.
        """
        words = np.ascontiguousarray(trace, dtype=np.uint64)
        self._library.gemmini_sim_run(words.ctypes.data, len(words))
        self.check()

    def allow(self, *arrays: np.ndarray) -> None:
        """Lets commands touch the bytes of these arrays and no others in main memory, until the next reset."""
        for array in arrays:
            low, high = np.lib.array_utils.byte_bounds(array)
            self._library.gemmini_sim_allow(low, high - low)

    def host_reads(self, array: np.ndarray) -> None:
        """Says that the host is about to read array.

        Raises:
            SimulatorError: an mvout may still be writing there.
        """
        self._host(READ, array)

    def host_writes(self, array: np.ndarray) -> None:
        """Says that the host is about to write to array.

        Raises:
            SimulatorError: a command may still be reading or writing there.
        """
        self._host(WRITE, array)

    def _host(self, event: int, array: np.ndarray) -> None:
        low, high = np.lib.array_utils.byte_bounds(array)
        self._library.gemmini_sim_host(self.params.hash, event, low, high - low)
        self.check()

    def claim(self, local: int, rows: int) -> None:
        """A buffer takes rows from a local address on; what they held is forgotten.

        Raises:
            SimulatorError: a live buffer has one of them.
        """
        self._library.gemmini_sim_host(self.params.hash, CLAIM, local, rows)
        self.check()

    def release(self, local: int, rows: int) -> None:
        """A buffer gives its rows back."""
        self._library.gemmini_sim_host(self.params.hash, RELEASE, local, rows)
        self.check()

    @property
    def count(self) -> int:
        """Commands since the last reset, a failing one included."""
        return int(self._library.gemmini_sim_count())

    def trace(self) -> Trace:
        """The commands of the last session that recorded them."""
        start = ctypes.c_void_p()
        count = self._library.gemmini_sim_trace(ctypes.byref(start))
        if count == 0:
            return np.empty((0, 3), np.uint64)
        words = ctypes.cast(start, ctypes.POINTER(ctypes.c_uint64))
        return np.ctypeslib.as_array(words, (count, 3)).copy()

    def local(self, local: int, rows: int) -> np.ma.MaskedArray:
        """Rows of the scratchpad (int8) or, from address `words.ACC` on, of the accumulator (int32); unwritten ones masked.

        Raises:
            SimulatorError: there are no such rows.
        """
        values = np.empty((rows, self.params.dim), np.int32)
        known = np.empty(rows, np.uint32)
        if not self._library.gemmini_sim_local(local, rows, values.ctypes.data, known.ctypes.data):
            raise SimulatorError(f"there are no {rows} rows from {local:#x} on")
        mask = (known[:, None] >> np.arange(self.params.dim, dtype=np.uint32)) & 1 == 0
        return np.ma.MaskedArray(values if local & ACC else values.astype(np.int8), mask)
