"""What `usl cache` does: the proofs kept on disk (`analysis/proof_store`) as a whole, and as a file for others.

An exported file has a line of JSON that says what it is and how many lines follow, then a line for each row.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from usl_core.analysis import proof_store
from usl_core.errors import UslError

FORMAT = "usl proofs 1"

ROWS = "SELECT question, version, z3, verdict, checksum FROM proofs"
ADD = "INSERT OR IGNORE INTO proofs VALUES (?, ?, ?, ?, ?, ?)"

Row = tuple[bytes, bytes, bytes, bytes, bytes]
"""question, version, z3's version or nothing, verdict, checksum."""


@dataclass(frozen=True, slots=True)
class Info:
    """entries are undamaged and of the version of this code; hits, misses and damaged_entries_met add up all processes."""

    folder: str
    file: str
    bytes: int
    version: str | None
    entries: int
    entries_of_other_versions: int
    damaged_entries: int
    damaged_files: int
    hits: int
    misses: int
    damaged_entries_met: int


@dataclass(frozen=True, slots=True)
class Imported:
    """How many proofs of a file are new here, known already, or left out: another version's, or damaged."""

    new: int
    known: int
    other_versions: int
    damaged: int


def place() -> Path:
    """The folder of the proofs.

    Raises:
        UslError: they are switched off.
    """
    where = proof_store.folder()
    if where is None:
        raise UslError(f"the proof cache is switched off by {proof_store.SWITCH}", notes=(f"hint: unset {proof_store.SWITCH}",))
    return where


def info_text(*, as_json: bool) -> str:
    found = info()
    if as_json:
        return json.dumps(asdict(found), indent=2)
    lines = [
        f"folder: {found.folder}",
        f"file: {Path(found.file).name}, {found.bytes / 1024:.0f} KiB",
        f"proofs: {found.entries} of this version ({found.version}), {found.entries_of_other_versions} of others",
        f"used: {found.hits} hits, {found.misses} misses",
        f"damaged: {found.damaged_entries} proofs, {found.damaged_files} files; {found.damaged_entries_met} met and ignored",
    ]
    return "\n".join(lines)


def info() -> Info:
    """Reads every row; makes nothing that is not there."""
    where = place()
    code = proof_store.version()
    if not where.is_dir():
        return Info(str(where), str(proof_store.current_file(where)), 0, code, *[0] * 7)
    with _opened(where) as (connection, path):
        rows = list(connection.execute(ROWS))
        intact = [row for row in rows if _is_intact(row)]
        ours = sum(row[1] == str(code).encode() for row in intact)
        counts = {bytes(name): int(count) for name, count in connection.execute("SELECT name, count FROM counters")}
        return Info(
            folder=str(where),
            file=str(path),
            bytes=proof_store.used_bytes(connection),
            version=code,
            entries=ours,
            entries_of_other_versions=len(intact) - ours,
            damaged_entries=len(rows) - len(intact),
            damaged_files=len(proof_store.damaged_files(where)),
            hits=counts.get(b"hits", 0),
            misses=counts.get(b"misses", 0),
            damaged_entries_met=counts.get(b"damaged", 0),
        )


def clear() -> int:
    """Removes all proofs, counts and damaged files; returns how many proofs there were."""
    where = place()
    if not where.is_dir():
        return 0
    with _opened(where) as (connection, _):
        removed = int(connection.execute("SELECT count(*) FROM proofs").fetchone()[0])
        connection.execute("DELETE FROM proofs")
        connection.execute("DELETE FROM counters")
        with contextlib.suppress(sqlite3.OperationalError):  # somebody reads: the space is used again later
            connection.execute("VACUUM")
        proof_store.remove_files(proof_store.damaged_files(where))
        return removed


def export_file(file: Path) -> int:
    """Writes all undamaged proofs to a file; returns how many.

    Raises:
        UslError: the proofs cannot be read.
        OSError: the file cannot be written.
    """
    where = place()
    rows: list[Row] = []
    if where.is_dir():
        with _opened(where) as (connection, _):
            rows = [row for row in connection.execute(ROWS) if _is_intact(row)]
    lines = [json.dumps({"format": FORMAT, "proofs": len(rows)})]
    lines += [json.dumps([*(field.decode() for field in row[:4]), row[4].hex()]) for row in rows]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return len(rows)


def import_text(file: Path, *, as_json: bool) -> str:
    done = import_file(file)
    if as_json:
        return json.dumps(asdict(done))
    left_out = f"{done.other_versions} of other versions and {done.damaged} damaged ones left out"
    return f"imported {done.new} proofs ({done.known} known already, {left_out})"


def import_file(file: Path) -> Imported:
    """Adds the undamaged proofs of this version in an exported file.

    Raises:
        UslError: it is no exported file, or the proofs cannot be written.
        OSError: it cannot be read.
    """
    header, *lines = file.read_bytes().split(b"\n")
    expected = _expected(header)
    if expected is None:
        raise UslError(f"{file} was not written by `usl cache export` of this version of the format ({FORMAT})")
    rows = [row for line in lines if (row := _parse(line)) is not None]
    code = str(proof_store.version()).encode()
    ours = [row for row in rows if row[1] == code]
    with _opened(place()) as (connection, _):
        connection.execute("BEGIN IMMEDIATE")
        before = connection.total_changes
        age = proof_store.now()
        connection.executemany(ADD, [(*row[:4], age + position, row[4]) for position, row in enumerate(ours)])
        new = connection.total_changes - before
        proof_store.trim(connection)
        connection.execute("COMMIT")
    return Imported(new, len(ours) - new, len(rows) - len(ours), max(0, expected - len(rows)))


def _expected(header: bytes) -> int | None:
    """How many proofs follow the first line of an exported file; None if it is none."""
    try:
        match json.loads(header):
            case {"format": str(form), "proofs": int(count)} if form == FORMAT:
                return count
            case _:
                return None
    except ValueError:
        return None


def _parse(line: bytes) -> Row | None:
    try:
        fields = json.loads(line)
        if not (isinstance(fields, list) and len(fields) == 5):
            return None
        question, version, z3, verdict, found = (str(field) for field in fields)
        row = question.encode(), version.encode(), z3.encode(), verdict.encode(), bytes.fromhex(found)
    except (ValueError, RecursionError):
        return None
    return row if _is_intact(row) else None


def _is_intact(row: tuple[object, ...]) -> bool:
    fields = [field for field in row if isinstance(field, bytes)]
    return len(fields) == 5 and proof_store.checksum(*fields[:4]) == fields[4]


@contextlib.contextmanager
def _opened(where: Path) -> Iterator[tuple[sqlite3.Connection, Path]]:
    path = None
    try:
        connection, path = proof_store.connect(where)
        with contextlib.closing(connection):
            yield connection, path
    except (sqlite3.Error, OSError) as error:
        hint = f"hint: set {proof_store.SWITCH} to a folder that you may write"
        if path is not None and proof_store.is_damage(error):
            proof_store.give_up(path)
            hint = f"hint: {path.name} is damaged; a new file is used from now on"
        raise UslError(f"cannot use the proof cache {where}: {error}", notes=(hint,)) from None
