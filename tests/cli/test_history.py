"""`usl history` and `usl verify`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from usl_core import proc_from_source
from usl_core.scheduling import fission

SOURCE = """
from __future__ import annotations
from usl_core import proc, divide_loop, reorder_loops

@proc
def scale(n: size, x: f32[n, n]):
    for i in seq(0, n):
        for j in seq(0, n):
            x[i, j] = 2.0 * x[i, j]

tiled = reorder_loops(divide_loop(scale, "j", 8, ["jo", "ji"], tail="cut"), "jo ji")
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "kernels.py"
    path.write_text(SOURCE, encoding="utf-8")
    return path


def usl(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "usl_core.cli", *map(str, arguments)], capture_output=True, text=True)


def test_history_lists_the_steps_with_their_proofs(file: Path) -> None:
    result = usl("history", f"{file}:tiled", "--json")
    assert result.returncode == 0
    (entry,) = json.loads(result.stdout)
    assert [step["operator"] for step in entry["steps"]] == ["written", "divide_loop", "reorder_loops"]
    assert entry["steps"][1]["arguments"] == "'j', 8, ['jo', 'ji'], tail='cut'"
    assert sum(entry["steps"][1]["proofs"].values()) > 0
    assert entry["assurance"] == "every step proved"
    assert "2 steps; every step proved" in usl("history", f"{file}:tiled").stdout


def test_a_gap_is_shown_by_the_statement_that_it_is_at_and_a_step_as_a_call(file: Path) -> None:
    text = "def two(x: f32[4], y: f32[4]):\n    for i in seq(0, 4):\n        x[i] = 1.0\n        y[i] = 2.0\n"
    p = proc_from_source(text, {})
    assert str(fission(p, p.find("x[_] = _").after()).history()[-1]) == "fission(after x[i] = 1.0)"


def test_what_the_file_prints_is_not_part_of_the_output(file: Path) -> None:
    file.write_text(SOURCE + "print('tiled')\n", encoding="utf-8")
    for command, what in (("history", f"{file}:tiled"), ("profile", file)):
        result = usl(command, what, "--json")
        json.loads(result.stdout)
        assert "tiled" in result.stderr


def test_verify_replays_without_any_cache(file: Path) -> None:
    result = usl("verify", f"{file}:tiled", "--json")
    assert result.returncode == 0
    (entry,) = json.loads(result.stdout)
    assert not any("cache" in step["proofs"] for step in entry["steps"])
    assert "2 steps replayed, every step proved" in usl("verify", f"{file}:tiled").stdout


def test_verify_fails_where_a_step_is_refused(file: Path) -> None:
    file.write_text(SOURCE.replace(', tail="cut"', ", perfect=True"), encoding="utf-8")
    result = usl("verify", file)
    assert result.returncode == 1
    assert "divide_loop: cannot prove that 8 divides n" in result.stderr
    assert "Traceback" not in result.stderr


def test_an_unknown_procedure_is_named_with_those_there_are(file: Path) -> None:
    result = usl("history", f"{file}:tyled")
    assert result.returncode == 1
    assert "no procedure 'tyled'" in result.stderr
    assert "scale, tiled" in result.stderr
