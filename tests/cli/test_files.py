"""All files are written, or none."""

from __future__ import annotations

from pathlib import Path

import pytest

from usl_core.cli.files import write_all
from usl_core.errors import UslError


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_the_files_are_written_into_a_new_directory(tmp_path):
    written = write_all(tmp_path / "a" / "b", {"x.h": "head", "x.c": "código\n"})
    assert written == [tmp_path / "a/b/x.c", tmp_path / "a/b/x.h"]
    assert (tmp_path / "a/b/x.c").read_bytes() == "código\n".encode()
    assert names(tmp_path / "a" / "b") == ["x.c", "x.h"]


def test_new_files_get_the_permissions_of_any_new_file(tmp_path):
    (tmp_path / "ordinary").write_text("")
    write_all(tmp_path, {"x.c": ""})
    assert (tmp_path / "x.c").stat().st_mode == (tmp_path / "ordinary").stat().st_mode


def test_a_target_that_is_a_directory_stops_everything_before_the_first_write(tmp_path):
    (tmp_path / "x.h").mkdir()
    with pytest.raises(UslError, match=r"cannot write to .*: is a directory: .*x\.h"):
        write_all(tmp_path, {"x.c": "new", "x.h": "new"})
    assert names(tmp_path) == ["x.h"]


@pytest.mark.parametrize("failing", ["x.c", "x.d", "x.h"])
def test_a_rename_that_fails_takes_back_those_before_it(tmp_path, monkeypatch, failing):
    (tmp_path / "x.c").write_text("old")
    rename = Path.replace

    def replace(self, target):
        if Path(target).name == failing:
            raise OSError(28, "No space left on device", str(target))
        return rename(self, target)

    monkeypatch.setattr(Path, "replace", replace)
    with pytest.raises(UslError, match="No space left on device"):
        write_all(tmp_path, {"x.c": "new", "x.d": "new", "x.h": "new"})
    assert names(tmp_path) == ["x.c"]
    assert (tmp_path / "x.c").read_text() == "old"


def test_an_interrupt_leaves_no_temporary_file_and_no_new_directory(tmp_path, monkeypatch):
    def interrupted(self, mode):
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "chmod", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_all(tmp_path / "new", {"x.c": "text"})
    assert names(tmp_path) == []
