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
FILE = "calls-1.sqlite"
LIMIT = 128 << 20
"""Bytes of the file; above it half of the entries go."""
MANY = 16 << 20
"""Bytes that wait at most to be written."""
WAIT = 0.5
"""Seconds to wait for another process that writes."""
DAY = 24 * 3600

_SCHEMA = "CREATE TABLE IF NOT EXISTS entries (key BLOB PRIMARY KEY, value BLOB NOT NULL, used INTEGER NOT NULL) WITHOUT ROWID"


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

    def get(self, key: bytes) -> bytes | None:
        """The value that was put under key, if it is there and whole."""
        with self._lock:
            self._as_this_process()
            waiting = self._waiting.get(key)
            if waiting is not None:
                return waiting
            try:
                row = self._opened().execute("SELECT value, used FROM entries WHERE key = ?", (key,)).fetchone()
            except (sqlite3.Error, OSError) as error:
                self._broken(error)
                return None
            if row is None or not isinstance(row[0], bytes) or _checksum(row[0][16:]) != row[0][:16]:
                return None
            if not isinstance(row[1], int) or row[1] < time.time() - DAY:
                self._used.add(key)
            return row[0][16:]

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
        self._waiting, self._used, self._size = {}, set(), 0
        if not (rows or used):
            return
        try:
            with self._opened() as database:
                database.executemany("INSERT OR REPLACE INTO entries VALUES (?, ?, ?)", rows)
                database.executemany("UPDATE entries SET used = ? WHERE key = ?", used)
            if self.file.stat().st_size > LIMIT:
                self._shrink()
        except (sqlite3.Error, OSError) as error:
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
        self._waiting, self._used, self._size = {}, set(), 0
        if isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError):
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
_chosen: str | None = None
_is_on = True


def shelf() -> Shelf | None:
    """The shelf of this process; None where it is switched off."""
    global _shelf, _chosen
    if not _is_on or os.environ.get(VARIABLE, "").lower() in OFF:
        return None
    chosen = os.environ.get("USL_CACHE_DIR")
    if _shelf is None or _chosen != chosen:
        if _shelf is not None:
            _shelf.close()
        else:
            atexit.register(_close)
        _shelf, _chosen = Shelf(cache_folder() / FILE), chosen
    return _shelf


def _close() -> None:
    if _shelf is not None:
        _shelf.close()


def switch_off() -> None:
    """From now on this process remembers nothing: for `usl verify`."""
    global _is_on
    _is_on = False
