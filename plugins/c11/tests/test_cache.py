"""The build cache under racing and dying processes, and with damaged entries."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import c11_kernels as kernels
import pytest

from usl_c11 import cache
from usl_c11.calls.extension import entry_type
from usl_c11.compiler import find_compiler
from usl_c11.jit import jit

WORKER = """
import sys
sys.path.insert(0, {folder!r})
import numpy as np
import c11_kernels as kernels
from usl_c11.jit import jit
x = np.ones((4, 4), np.float32)
for proc in (kernels.SGEMM, kernels.SCALE):
    jitted = jit(proc)
c = np.zeros((4, 4), np.float32)
jit(kernels.SGEMM)(4, 4, 4, x, x, c)
assert (c == 4).all()
print("right")
"""


def entries(root: Path) -> list[Path]:
    folders = (root / "c11").iterdir()
    return [folder for folder in folders if not folder.name.startswith("tmp-") and folder.name != cache.NOTES]


def test_eight_processes_on_one_empty_cache_of_which_half_are_killed_leave_it_valid(tmp_path: Path) -> None:
    environment = {**os.environ, "USL_CACHE_DIR": str(tmp_path)}
    script = WORKER.format(folder=str(Path(__file__).parent))
    start = [sys.executable, "-c", script]
    workers = [subprocess.Popen(start, env=environment, stdout=subprocess.PIPE, start_new_session=True) for _ in range(8)]
    deadline = time.monotonic() + 120
    while not (tmp_path / "c11").exists() and time.monotonic() < deadline:  # then the first compilers are running
        time.sleep(0.01)
    rng = random.Random(0)
    for worker in workers[::2]:
        time.sleep(rng.random() * 0.2)
        os.killpg(worker.pid, signal.SIGKILL)  # and its compiler with it
    answers = [worker.communicate()[0] for worker in workers]
    assert answers[1::2] == [b"right\n"] * 4
    assert all(worker.returncode == 0 for worker in workers[1::2])
    assert len(entries(tmp_path)) == 2 + (entry_type() is not None)
    assert all(cache._is_valid(entry) for entry in entries(tmp_path))


@pytest.fixture
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("USL_CACHE_DIR", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("damage", [b"", b"not a library"])
def test_a_damaged_entry_is_built_again(damage: bytes, empty_cache: Path) -> None:
    jit(kernels.SGEMM, flags=["-O1"])
    (entry,) = entries(empty_cache)
    (entry / cache.LIBRARY).unlink()
    (entry / cache.LIBRARY).write_bytes(damage)
    assert not cache._is_valid(entry)
    jit(kernels.SGEMM, flags=["-O1"])
    assert cache._is_valid(entry)
    assert {folder.name for folder in (empty_cache / "c11").iterdir()} == {entry.name, cache.NOTES}


def test_an_entry_without_its_digest_is_built_again(empty_cache: Path) -> None:
    jit(kernels.SGEMM, flags=["-O1"])
    (entry,) = entries(empty_cache)
    (entry / cache.DIGEST).unlink()
    jit(kernels.SGEMM, flags=["-O1"])
    assert cache._is_valid(entry)


def test_old_unfinished_work_is_removed_and_fresh_work_left_alone(empty_cache: Path) -> None:
    old, fresh = empty_cache / "c11" / "tmp-old", empty_cache / "c11" / "tmp-fresh"
    for folder in (old, fresh):
        folder.mkdir(parents=True)
    os.utime(old, (0, 0))
    jit(kernels.SGEMM, flags=["-O1"])
    assert fresh.exists() and not old.exists()


def test_the_key_depends_on_text_flags_and_compiler() -> None:
    from usl_c11.compiler import Compiler

    gcc, other = Compiler(("gcc",), "12"), Compiler(("gcc",), "13")
    keys = {
        cache._key({"a.c": "x"}, gcc, ["-O3"]),
        cache._key({"a.c": "y"}, gcc, ["-O3"]),
        cache._key({"b.c": "x"}, gcc, ["-O3"]),
        cache._key({"a.c": "x"}, other, ["-O3"]),
        cache._key({"a.c": "x"}, gcc, ["-O", "3"]),
    }
    assert len(keys) == 5
    assert cache._key({"a.c": "x"}, gcc, ["-O3"]) in keys


def a_library(value: int) -> Path:
    text = f"int f(void);\nint f(void) {{ return {value}; }}\n"
    return cache.compiled({"f.c": text}, find_compiler(), ["-fPIC", "-shared"])


def forbidden() -> Path:
    raise AssertionError("it is in the cache")


def test_what_was_made_for_the_same_parts_is_found_without_making_it(empty_cache: Path) -> None:
    made = cache.remembered(["kernel", "1"], lambda: a_library(1))
    assert cache.remembered(["kernel", "1"], forbidden) == made
    other = cache.remembered(["kernel", "2"], lambda: a_library(2))
    assert other != made
    assert cache.remembered(["kernel1", ""], lambda: other) == other  # parts are kept apart
    assert not list((empty_cache / "c11").glob("tmp-*"))


@pytest.mark.parametrize("damage", [b"", b"../../tmp", b"\xff\xfe", b"0" * 40, b"0" * 41])
def test_a_damaged_note_is_ignored_and_written_again(damage: bytes, empty_cache: Path) -> None:
    made = cache.remembered(["kernel"], lambda: a_library(1))
    (note,) = (empty_cache / "c11" / cache.NOTES).iterdir()
    note.write_bytes(damage)
    assert cache.remembered(["kernel"], lambda: a_library(1)) == made
    assert cache.remembered(["kernel"], forbidden) == made


def test_a_note_does_not_lead_to_a_damaged_library(empty_cache: Path) -> None:
    made = cache.remembered(["kernel"], lambda: a_library(1))
    made.write_bytes(made.read_bytes()[:-100])
    assert cache.remembered(["kernel"], lambda: a_library(1)) == made
    assert cache._is_valid(made.parent)


def test_threads_that_make_the_same_thing_at_once_get_the_same(empty_cache: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(lambda _: cache.remembered(["kernel"], lambda: a_library(1)), range(16)))
    assert found == {cache.remembered(["kernel"], forbidden)}
