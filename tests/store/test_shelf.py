"""A file that is damaged, taken, or cannot be written makes the store forget, and nothing else."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
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


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[bytes]:
    file = tmp_path_factory.mktemp("shelf") / "file"
    filled(file)
    yield file.read_bytes()


@given(st.data())
def test_a_damaged_file_gives_right_values_or_none(
    whole: bytes, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    damaged = bytearray(whole)
    if data.draw(st.booleans(), "cut"):
        del damaged[data.draw(st.integers(0, len(whole))) :]
    for _ in range(data.draw(st.integers(0, 30))):
        start = data.draw(st.integers(0, len(whole)))
        damaged[start : start + 8] = data.draw(st.binary(min_size=8, max_size=8))
    file = tmp_path_factory.getbasetemp() / "damaged"
    file.with_name("damaged-journal").unlink(missing_ok=True)
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
