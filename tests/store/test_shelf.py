"""A file that is damaged, taken, or cannot be written makes the store forget, and nothing else."""

from __future__ import annotations

import functools
import os
import sqlite3
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from usl_core.store import shelf
from usl_core.store.shelf import Shelf

ENTRIES = {bytes([n]) * 16: bytes([n]) * (100 * n) for n in range(1, 40)}


def filled(file: Path) -> Shelf:
    made = Shelf(file)
    for key, value in ENTRIES.items():
        made.put(key, value)
    made.close()
    return made


def test_what_is_put_is_there_in_this_process_and_the_next(tmp_path: Path) -> None:
    made = Shelf(tmp_path / "new" / "file")
    made.put(b"key", b"value")
    assert made.get(b"key") == b"value"
    made.close()
    assert Shelf(tmp_path / "new" / "file").get(b"key") == b"value"
    assert made.get(b"other") is None


@functools.cache
def whole() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        filled(Path(folder, "file"))
        return Path(folder, "file").read_bytes()


@example(False, [(4047, b"\x00\x01\x00\x00\x00\x00\x00\x80")])  # in a text: a UnicodeDecodeError
@given(st.booleans(), st.lists(st.tuples(st.integers(0, 40_000), st.binary(min_size=8, max_size=8)), max_size=30))
def test_a_damaged_file_gives_right_values_or_none(is_cut: bool, damage: list[tuple[int, bytes]]) -> None:
    damaged = bytearray(whole())
    if is_cut and damage:
        del damaged[damage[0][0] % len(damaged) :]
    for start, text in damage:
        damaged[start : start + 8] = text
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "file")
        file.write_bytes(bytes(damaged))
        made = Shelf(file)
        assert all(made.get(key) in (None, value) for key, value in ENTRIES.items())
        made.put(b"key", b"value")
        made.close()
        assert Shelf(file).get(b"key") in (None, b"value")


def test_a_file_that_is_no_database_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"not a database at all" * 100)
    assert Shelf(tmp_path / "file").get(b"key") is None
    Shelf(tmp_path / "file").put(b"key", b"value")
    made = filled(tmp_path / "file")
    assert made.get(b"\1" * 16) == ENTRIES[b"\1" * 16]


def test_an_entry_of_a_killed_or_careless_writer_is_not_used(tmp_path: Path) -> None:
    filled(tmp_path / "file")
    with sqlite3.connect(tmp_path / "file") as database:
        database.execute("UPDATE entries SET value = substr(value, 1, 40) WHERE key = ?", (b"\2" * 16,))
        database.execute("UPDATE entries SET value = 7 WHERE key = ?", (b"\3" * 16,))
    made = Shelf(tmp_path / "file")
    assert [made.get(bytes([n]) * 16) for n in (2, 3, 4)] == [None, None, ENTRIES[b"\4" * 16]]


def test_a_file_that_another_process_writes_for_long_is_done_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shelf, "WAIT", 0.01)
    filled(tmp_path / "file")
    with sqlite3.connect(tmp_path / "file", isolation_level=None) as other:
        other.execute("BEGIN EXCLUSIVE")
        made = Shelf(tmp_path / "file")
        assert made.get(b"\1" * 16) is None
        made.put(b"key", b"value")
        made.flush()
        other.execute("COMMIT")
    assert made.get(b"\1" * 16) == ENTRIES[b"\1" * 16]


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write anywhere")
def test_a_folder_that_cannot_be_written_is_done_without(tmp_path: Path) -> None:
    filled(tmp_path / "file")
    tmp_path.chmod(0o500)
    (tmp_path / "file").chmod(0o400)
    try:
        made = Shelf(tmp_path / "file")
        assert made.get(b"\1" * 16) == ENTRIES[b"\1" * 16]
        made.put(b"key", b"value")
        made.close()
        assert Shelf(tmp_path / "none" / "file").get(b"key") is None
    finally:
        tmp_path.chmod(0o700)


def test_a_folder_that_is_a_file_is_done_without(tmp_path: Path) -> None:
    (tmp_path / "folder").write_text("")
    made = Shelf(tmp_path / "folder" / "file")
    assert made.get(b"key") is None
    made.put(b"key", b"value")
    made.close()


def test_half_goes_when_the_file_is_too_large_and_what_was_used_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(tmp_path / "file")
    with sqlite3.connect(tmp_path / "file") as database:
        database.execute("UPDATE entries SET used = 0")
    used = Shelf(tmp_path / "file")
    assert used.get(b"\5" * 16) is not None
    used.close()
    monkeypatch.setattr(shelf, "LIMIT", 1000)
    made = Shelf(tmp_path / "file")
    made.put(b"key", b"value")
    made.close()
    after = Shelf(tmp_path / "file")
    assert after.get(b"key") == b"value"
    assert after.get(b"\5" * 16) == ENTRIES[b"\5" * 16]
    assert sum(after.get(key) is not None for key in ENTRIES) == 19
