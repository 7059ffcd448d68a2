"""Answers of the solver on disk, shared by processes: `usl cache` shows them, `usl verify` never reads them.

A row is a question's whole key, its verdict, the version of the code that reached it (a digest of the sources of all modules
that decide, with z3's version where z3 did), and a checksum over these. What is damaged, of another version, or not to be read
at all is as good as absent. Rows are written a batch at a time and at the end of the process. The first trouble with the disk
switches this module off for the process; no question ever fails because of it.

Files are never renamed or removed while others may have them open: a file that is no database, or a broken one, is left
as it is, and its successor, with the next number in its name, is used instead.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from usl_core.analysis import verdicts
from usl_core.analysis.verdicts import Verdict

if TYPE_CHECKING:
    import sqlite3

T = TypeVar("T")

SWITCH = "USL_PROOF_CACHE"
"""Environment: `off`, or the folder to use."""

FORMAT = "1"
"""Part of every version; changed with the meaning of keys, of verdicts, or of the table."""

DECIDERS = ("affine", "formula", "linear", "models", "bounding", "solver", "questions", "verdicts")
"""The modules of this package that decide answers or what a key means."""

BATCH = 64
MAX_BYTES = 64 << 20
"""Of the file, log not counted. When there is more, the oldest quarter of the rows goes."""
BUSY_SECONDS = 2.0
STALE_SECONDS = 24 * 3600
"""Damaged files are removed when nothing has written to them for this long."""

_IMPORTED = time.time()

TABLES = """
CREATE TABLE IF NOT EXISTS proofs (question BLOB, version BLOB, z3 BLOB, verdict BLOB, age INTEGER, checksum BLOB,
    PRIMARY KEY (question, version)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS counters (name BLOB PRIMARY KEY, count INTEGER) WITHOUT ROWID;
"""
INSERT = "INSERT OR REPLACE INTO proofs VALUES (?, ?, ?, ?, ?, ?)"
SELECT = "SELECT z3, verdict, checksum FROM proofs WHERE question = ? AND version = ?"
COUNT = "INSERT INTO counters VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET count = count + excluded.count"
TRIM = "DELETE FROM proofs WHERE age <= (SELECT age FROM proofs ORDER BY age LIMIT 1 OFFSET (SELECT count(*) FROM proofs) / 4)"


def folder() -> Path | None:
    """Where the file is, or None where the environment says `off`: `$USL_PROOF_CACHE`, else beside the other caches of USL."""
    chosen = os.environ.get(SWITCH, "")
    if chosen.lower() in ("off", "0"):
        return None
    if chosen.lower() not in ("", "on", "1"):
        return Path(chosen)
    root = os.environ.get("USL_CACHE_DIR")
    if root:
        return Path(root) / "proofs"
    import platformdirs

    return Path(platformdirs.user_cache_dir("usl", appauthor=False)) / "proofs"


# ---- versions


@cache
def version() -> str | None:
    """Names the code that decides, as this process runs it; None if its sources cannot be read, or have changed since."""
    import hashlib

    digest = hashlib.sha256(FORMAT.encode())
    try:
        for name in DECIDERS:
            path = Path(__file__).with_name(f"{name}.py")
            if path.stat().st_mtime > _IMPORTED:
                return None
            source = path.read_bytes()
            digest.update(len(source).to_bytes(8, "little") + source)
    except OSError:
        return None
    return digest.hexdigest()[:32]


@cache
def z3_version() -> str | None:
    """The version of the z3 that would be imported, read from the name of its metadata, which takes far less time."""
    from importlib.util import find_spec

    spec = find_spec("z3")
    try:
        beside = [path.name for path in Path(str(spec.origin)).parent.parent.iterdir()] if spec is not None else []
    except OSError:
        return None
    found = [n for n in beside if n.startswith("z3_solver-") and n.endswith(".dist-info")]
    return found[0].removeprefix("z3_solver-").removesuffix(".dist-info") if len(found) == 1 else None


def checksum(*fields: bytes) -> bytes:
    """Of a row; damage, not malice, is what it finds."""
    import hashlib

    digest = hashlib.blake2b(digest_size=12)
    for each in fields:
        digest.update(len(each).to_bytes(8, "little") + each)
    return digest.digest()


# ---- files


def current_file(where: Path) -> Path:
    """The file to use: the last one."""
    return max(_files(where), key=_number, default=where / "proofs-0.sqlite3")


def damaged_files(where: Path) -> list[Path]:
    """Those that were given up."""
    return sorted(_files(where), key=_number)[:-1]


def _files(where: Path) -> list[Path]:
    return [path for path in where.glob("proofs-*.sqlite3") if path.stem.removeprefix("proofs-").isdigit()]


def _number(path: Path) -> int:
    return int(path.stem.removeprefix("proofs-"))


def give_up(path: Path) -> None:
    """From now on the file after this one is used."""
    path.with_name(f"proofs-{_number(path) + 1}.sqlite3").touch()


def is_damage(error: BaseException) -> bool:
    """Whether the file is to blame, rather than its folder, the disk, or whoever holds a lock."""
    import sqlite3

    # 1: the tables are not ours; 11: malformed; 26: no database
    return isinstance(error, sqlite3.DatabaseError) and getattr(error, "sqlite_errorcode", 0) & 0xFF in (1, 11, 26)


def connect(where: Path) -> tuple[sqlite3.Connection, Path]:
    """An open database in a folder, which is made if it is missing, and its path. A damaged file is given up for a new one.

    Raises:
        sqlite3.Error, OSError: it cannot be had.
    """
    import sqlite3

    where.mkdir(parents=True, exist_ok=True)
    for attempt in range(4):
        path = current_file(where)
        connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        try:
            connection.text_factory = bytes
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = OFF")  # after a crash of the machine, checksums tell
            connection.executescript(TABLES)
            connection.execute(SELECT, (b"", b"")).fetchone()
            _remove_stale(where)
            return connection, path
        except sqlite3.Error as error:
            connection.close()
            if is_damage(error):
                give_up(path)
            elif attempt == 3:
                raise
            else:  # others may be opening a new file, which locks it without regard to the time we would wait
                time.sleep(0.01 * 4**attempt)
    raise sqlite3.OperationalError(f"no usable database in {where}")


def _remove_stale(where: Path) -> None:
    limit = time.time() - STALE_SECONDS
    remove_files(path for path in damaged_files(where) if path.stat().st_mtime < limit)


def remove_files(paths: Iterable[Path]) -> None:
    """Removes databases with their logs."""
    for path in paths:
        for each in (path, path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")):
            each.unlink(missing_ok=True)


# ---- this process's view


class ProofStore:
    """The file of this process, opened when it is needed."""

    def __init__(self) -> None:
        self._off = False
        self._connection: sqlite3.Connection | None = None
        self._path: Path | None = None
        self._unsaved: list[tuple[str, Verdict]] = []
        self._counts: dict[bytes, int] = {}
        self._lock = threading.RLock()
        self._left: list[Any] = []

    @property
    def is_open(self) -> bool:
        return self._connection is not None

    def switch_off(self) -> None:
        """For the rest of this process."""
        with self._lock:
            self._off = True
            self._unsaved.clear()
            self._close()

    def find(self, question: str, names: int) -> Verdict | None:
        """The verdict on a question with so many names, if some process has kept one. Opens the file."""
        return self._guarded(lambda: self._find(question.encode(), names))

    def keep(self, question: str, verdict: Verdict) -> None:
        """To be written some time; before the file is open it is only remembered."""
        if self._off:
            return
        self._unsaved.append((question, verdict))
        if self._connection is not None and len(self._unsaved) >= BATCH:
            self.flush()

    def flush(self) -> None:
        """Writes what is to be written, if the file is open."""
        if self._connection is not None:
            self._guarded(self._write)

    def _guarded(self, action: Callable[[], T]) -> T | None:
        if self._off:
            return None
        with self._lock:
            try:
                for _ in range(2):
                    try:
                        self._open()
                        return action() if self._connection is not None else None
                    except Exception as error:
                        self._rollback()
                        if not is_damage(error):
                            raise
                        self._close()
                        if self._path is not None:
                            give_up(self._path)
            except Exception:  # whatever it is, questions are answered without
                pass
            self.switch_off()
            return None

    def _open(self) -> None:
        if self._connection is not None:
            return
        where = folder()
        if where is None or version() is None:
            self.switch_off()
            return
        self._connection, self._path = connect(where)
        _at_exit(self)

    def _close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            try:
                connection.close()
            except Exception:
                self._left.append(connection)

    def _rollback(self) -> None:
        with contextlib.suppress(Exception):
            if self._connection is not None and self._connection.in_transaction:
                self._connection.execute("ROLLBACK")

    def _find(self, question: bytes, names: int) -> Verdict | None:
        assert self._connection is not None
        code = str(version()).encode()
        row = self._connection.execute(SELECT, (question, code)).fetchone()
        verdict = None
        if row is not None:
            verdict = read(question, code, row, names)
            if verdict is None:
                self._count(b"damaged")
            elif verdict.how == "z3" and row[0] != (z3_version() or "?").encode():
                verdict = None
        self._count(b"misses" if verdict is None else b"hits")
        return verdict

    def _count(self, name: bytes) -> None:
        self._counts[name] = self._counts.get(name, 0) + 1

    def _write(self) -> None:
        connection = self._connection
        assert connection is not None
        rows = [row for position, (q, v) in enumerate(self._unsaved) if (row := new_row(q, v, position)) is not None]
        if not rows and not self._counts:
            return
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany(INSERT, rows)
        connection.executemany(COUNT, list(self._counts.items()))
        trim(connection)
        connection.execute("COMMIT")
        self._unsaved.clear()
        self._counts.clear()

    def finish(self) -> None:
        """At the end of the process."""
        self.flush()
        with self._lock:
            self._close()

    def forget_after_fork(self) -> None:
        """In a child: the connection is the parent's, and not even to be closed; what is not written the parent writes."""
        self._left.append(self._connection)
        self._connection = None
        self._unsaved.clear()
        self._counts.clear()
        self._lock = threading.RLock()


def read(question: bytes, code: bytes, row: tuple[Any, Any, Any], names: int) -> Verdict | None:
    """The verdict in a row, or None if the row is damaged."""
    z3, verdict, found = row
    if not (isinstance(z3, bytes) and isinstance(verdict, bytes)) or found != checksum(question, code, z3, verdict):
        return None
    try:
        return verdicts.decode(verdict.decode("ascii"), names)
    except UnicodeDecodeError:
        return None


def now() -> int:
    """The age of a row that is written now; rows of one batch add their positions, so that no two are equal."""
    return time.time_ns()


def new_row(question: str, verdict: Verdict, position: int = 0) -> tuple[bytes, bytes, bytes, bytes, int, bytes] | None:
    """A row of the table, or None if the verdict is not to be kept."""
    text = verdicts.encode(verdict)
    z3 = z3_version() if verdict.how == "z3" else ""
    if text is None or z3 is None:
        return None
    fields = question.encode(), str(version()).encode(), z3.encode(), text.encode()
    return (*fields, now() + position, checksum(*fields))


def used_bytes(connection: sqlite3.Connection) -> int:
    """Of the file, without pages that are free."""
    names = ("page_count", "freelist_count", "page_size")
    pages, free, size = (int(connection.execute(f"PRAGMA {name}").fetchone()[0]) for name in names)
    return (pages - free) * size


def trim(connection: sqlite3.Connection) -> None:
    """Drops the oldest quarter of the rows of a file that has grown too big; its pages are used again."""
    if used_bytes(connection) > MAX_BYTES:
        connection.execute(TRIM)


@cache
def _at_exit(store: ProofStore) -> None:
    atexit.register(store.finish)
    os.register_at_fork(after_in_child=store.forget_after_fork)


STORE = ProofStore()
