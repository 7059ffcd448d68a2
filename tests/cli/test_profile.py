"""`usl profile`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from usl_core import SchedulingError, divide_loop, proc_from_source
from usl_core.cli.profile import Profile, profile_file
from usl_core.profiling import listening, profiled

SOURCE = """
from __future__ import annotations
from usl_core import SchedulingError, proc, divide_loop, reorder_loops

@proc
def scale(n: size, x: f32[n, n]):
    for i in seq(0, n):
        for j in seq(0, n):
            x[i, j] = 2.0 * x[i, j]

tiled = divide_loop(divide_loop(scale, "j", 8, ["jo", "ji"], tail="cut"), "i", 4, ["io", "ii"], tail="cut")
try:
    reorder_loops(tiled, "ji")
except SchedulingError:
    pass
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "kernels.py"
    path.write_text(SOURCE, encoding="utf-8")
    return path


def usl(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "usl_core.cli", *map(str, arguments)], capture_output=True, text=True)


def test_operators_obligations_and_solver_stages_are_counted(file: Path) -> None:
    result = usl("profile", file, "--json")
    assert result.returncode == 0, result.stderr
    data = json.loads(result.stdout)
    operators = data["operator"]
    assert {name: (row["calls"], row["failed"]) for name, row in operators.items()} == {
        "divide_loop": (2, 0),
        "reorder_loops": (1, 1),
    }
    assert data["obligation"]["bounds"]["calls"] > 0
    assert data["solver"]["syntactic"]["calls"] > 0
    assert data["frontend"]["parse"]["calls"] == 1
    assert 0 < sum(row["seconds"] for row in operators.values()) < data["seconds"]


def test_the_tables_are_text(file: Path) -> None:
    result = usl("profile", file)
    assert result.returncode == 0, result.stderr
    for words in ("operators", "divide_loop", "obligations", "solver stages", "median ms"):
        assert words in result.stdout
    assert "\x1b" not in result.stdout


def test_a_warm_profile_runs_the_file_twice_and_counts_it_once(file: Path) -> None:
    file.write_text(SOURCE + "print('run')\n", encoding="utf-8")
    result = usl("profile", file, "--warm", "--json")
    assert result.stderr.count("run\n") == 2
    assert json.loads(result.stdout)["operator"]["divide_loop"]["calls"] == 2


def test_the_flame_graph_is_one_page_that_needs_no_network(file: Path, tmp_path: Path) -> None:
    page = tmp_path / "made" / "flame.html"
    result = usl("profile", file, "--flame-graph", page)
    assert result.returncode == 0, result.stderr
    text = page.read_text(encoding="utf-8")
    assert "divide_loop" in text
    assert '<script src="http' not in text


def test_without_plotly_the_message_says_how_to_get_it(file: Path, tmp_path: Path) -> None:
    code = "import sys; sys.modules['plotly'] = None; from usl_core.cli.main import main; main(sys.argv[1:])"
    page = tmp_path / "flame.html"
    command = [sys.executable, "-c", code, "profile", str(file), "--flame-graph", str(page)]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 1
    assert result.stderr == "the flame graph needs plotly\n  hint: pip install 'usl-core[profile]'\n"
    assert not page.exists()


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("1 / 0\n", "kernels.py:1:1: ZeroDivisionError"),
        (SOURCE + 'divide_loop(scale, "k", 2, ["a", "b"])\n', "no match for the pattern 'k' in scale"),
    ],
)
def test_a_file_that_fails_is_one_message(file: Path, source: str, message: str) -> None:
    file.write_text(source, encoding="utf-8")
    result = usl("profile", file)
    assert result.returncode == 1
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout == ""


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    result = usl("profile", tmp_path / "none.py")
    assert (result.returncode, result.stderr) == (1, f"cannot read {tmp_path / 'none.py'}: No such file or directory\n")


# ---- spans


def test_own_times_add_up_to_the_whole(file: Path) -> None:
    profile = profile_file(file)

    def own(frame) -> int:  # type: ignore[no-untyped-def]
        return frame.own + sum(own(callee) for callee in frame.callees.values())

    assert own(profile.root) == profile.root.total


def test_a_span_inside_one_of_its_own_name_counts_once_in_total() -> None:
    @profiled("operator", "again")
    def again(n: int) -> int:
        return n and again(n - 1)

    profile = Profile()
    with listening(profile):
        again(3)
    row = profile.rows("operator")["again"]
    assert row.calls == 4
    assert row.total == profile.root.callees["operator", "again"].total == row.own


def test_an_error_ends_the_span_and_listening_ends_with_the_block() -> None:
    p = proc_from_source("def f(x: f32[8]):\n    for i in seq(0, 8):\n        x[i] = 0.0")
    profile = Profile()
    with listening(profile), pytest.raises(SchedulingError):
        divide_loop(p, "i", 3, ["a", "b"], perfect=True)
    divide_loop(p, "i", 4, ["a", "b"], perfect=True)
    row = profile.rows("operator")["divide_loop"]
    assert (row.calls, row.failed) == (1, 1)


def test_a_file_that_schedules_nothing_says_so(tmp_path: Path) -> None:
    path = tmp_path / "empty.py"
    path.write_text("x = 1\n", encoding="utf-8")
    assert "the file schedules nothing" in usl("profile", path).stdout
