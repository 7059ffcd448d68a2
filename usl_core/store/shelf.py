"""Texts of bytes by key in a file that processes share: an SQLite database in the cache folder.

What is wrong with the file (damaged, locked for long, of another kind, not writable) makes the shelf forget, never fail. Every
entry has a checksum. What was not used for longest goes when the file is too large. New entries are written when the process
ends, or when there are many.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import os
import sqlite3
import threading
import time
from pathlib import Path

from usl_core.cache_folder import cache_folder

VARIABLE = "USL_STORE"
OFF = ("0", "off", "no")
"""What switches it off as the value of that variable."""
FILE = "calls-2.sqlite"
"""Another name for each form of the table."""
LIMIT = 128 << 20
"""Bytes of the file; above it half of the entries go."""
MANY = 16 << 20
"""Bytes that wait at most to be written."""
WAIT = 0.5
"""Seconds to wait for another process that writes."""
DAY = 24 * 3600
FAILURES = (sqlite3.Error, OSError, ValueError)
"""Raised by work on the file; a ValueError where damage is in a text."""

NEIGHBOURS = 64
"""Entries that are read at once: who asks for one will ask for those that were written after it."""

_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS entries "
    "(place INTEGER PRIMARY KEY, key BLOB UNIQUE NOT NULL, value BLOB NOT NULL, used INTEGER NOT NULL)"
)


class Shelf:
    """The entries in one file."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._lock = threading.Lock()
        self._process = os.getpid()
        self._database: sqlite3.Connection | None = None
        self._is_broken = False
        self._waiting: dict[bytes, bytes] = {}
        self._size = 0
        self._used: set[bytes] = set()
        """Entries that were last used on an earlier day."""
        self._near: dict[bytes, tuple[object, object]] = {}
        """Entries that were read with others: their values, and when they were used."""

    def get(self, key: bytes) -> bytes | None:
        """The value that was put under key, if it is there and whole."""
        with self._lock:
            self._as_this_process()
            waiting = self._waiting.get(key)
            if waiting is not None:
                return waiting
            row = self._near.get(key) or self._read(key)
            if row is None:
                return None
            value, used = row
            if not isinstance(value, bytes) or _checksum(value[16:]) != value[:16]:
                return None
            if not isinstance(used, int) or used < time.time() - DAY:
                self._used.add(key)
            return value[16:]

    def _read(self, key: bytes) -> tuple[object, object] | None:
        """What is kept under key; its neighbours are near from now on."""
        try:
            database = self._opened()
            found = database.execute("SELECT place FROM entries WHERE key = ?", (key,)).fetchone()
            if found is None:
                return None
            several = "SELECT key, value, used FROM entries WHERE place >= ? ORDER BY place LIMIT ?"
            self._near = {row[0]: row[1:] for row in database.execute(several, (*found, NEIGHBOURS))}
        except FAILURES as error:
            self._broken(error)
        return self._near.get(key)

    def put(self, key: bytes, value: bytes) -> None:
        """Keep value under key, instead of what was there."""
        with self._lock:
            self._as_this_process()
            self._waiting[key] = value
            self._size += len(value)
            if self._size > MANY:
                self._flush()

    def flush(self) -> None:
        """Write what waits."""
        with self._lock:
            self._as_this_process()
            self._flush()

    def close(self) -> None:
        """Write what waits, and let go of the file."""
        with self._lock:
            self._as_this_process()
            self._flush()
            if self._database is not None:
                self._database.close()
            self._database = None

    def _flush(self) -> None:
        now = int(time.time())
        rows = [(key, _checksum(value) + value, now) for key, value in self._waiting.items()]
        used = [(now, key) for key in self._used]
        self._waiting, self._used, self._near, self._size = {}, set(), {}, 0
        if not (rows or used):
            return
        try:
            with self._opened() as database:
                database.executemany("INSERT OR REPLACE INTO entries (key, value, used) VALUES (?, ?, ?)", rows)
                database.executemany("UPDATE entries SET used = ? WHERE key = ?", used)
            if self.file.stat().st_size > LIMIT:
                self._shrink()
        except FAILURES as error:
            self._broken(error)

    def _shrink(self) -> None:
        """Half of the entries go, those that were not used for longest."""
        database = self._opened()
        with database:
            half = "SELECT key FROM entries ORDER BY used LIMIT (SELECT count(*) / 2 FROM entries)"
            database.execute(f"DELETE FROM entries WHERE key IN ({half})")
        database.execute("VACUUM")

    def _opened(self) -> sqlite3.Connection:
        if self._is_broken:
            raise sqlite3.OperationalError("the file could not be used before")
        if self._database is None:
            with contextlib.suppress(OSError):
                self.file.parent.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(self.file, timeout=WAIT, check_same_thread=False)
            self._database.execute("PRAGMA synchronous = OFF")  # entries are checked, and may get lost
            if not self._database.execute("SELECT name FROM sqlite_master WHERE name = 'entries'").fetchone():
                self._database.execute(_SCHEMA)
        return self._database

    def _broken(self, error: Exception) -> None:
        """This process does without the file from now on; a damaged one is removed, so that the next has a new one."""
        if isinstance(error, sqlite3.OperationalError) and "locked" in str(error):
            return
        if self._database is not None:
            with contextlib.suppress(sqlite3.Error):
                self._database.close()
        self._database, self._is_broken = None, True
        self._waiting, self._used, self._near, self._size = {}, set(), {}, 0
        if not isinstance(error, sqlite3.OperationalError | OSError):
            with contextlib.suppress(OSError):
                self.file.unlink()

    def _as_this_process(self) -> None:
        """A connection does not survive a fork, and what waited in the parent is the parent's to write."""
        if self._process != os.getpid():
            self._process, self._database = os.getpid(), None
            self._waiting, self._used, self._size = {}, set(), 0


def _checksum(value: bytes) -> bytes:
    return hashlib.blake2b(value, digest_size=16).digest()


_shelf: Shelf | None = None
_is_open = False


def shelf() -> Shelf | None:
    """The shelf of this process; None where it is switched off. The variables are read once."""
    global _shelf, _is_open
    if not _is_open:
        _is_open = True
        if os.environ.get(VARIABLE, "").lower() not in OFF:
            _shelf = Shelf(cache_folder() / FILE)
            atexit.register(_shelf.close)
    return _shelf


def reopen() -> None:
    """From now on the shelf is the one that the variables name now."""
    global _shelf, _is_open
    if _shelf is not None:
        _shelf.close()
        atexit.unregister(_shelf.close)
    _shelf, _is_open = None, False


def switch_off() -> None:
    """From now on this process remembers nothing: for `usl verify`."""
    global _shelf, _is_open
    reopen()
    _shelf, _is_open = None, True
