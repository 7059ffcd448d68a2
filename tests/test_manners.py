"""What Python users expect of a package: short tracebacks, rich display, pickles, a line of progress where work is long."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

import usl_core
from tests.kernels_manners import clear, nameless_instruction, user
from tests.primitives.equivalence import parse
from usl_core import (
    Memory,
    Procedure,
    SchedulingError,
    UsageError,
    diff,
    divide_loop,
    rewrite_expr,
    unroll_loop,
)
from usl_core.progress import Activity

HEAD = """
from __future__ import annotations
from usl_core import proc, unroll_loop
from usl_stdlib import chain

@proc
def shift(n: size, x: f32[n]):
    for i in seq(0, n):
        x[i] += 1.0
"""

MISTAKE = HEAD + "\ndef schedule(p):\n    return chain(lambda q: unroll_loop(q, 'i'))(p)\n"


def run(code: str, tmp_path: Path, *command: str, **environment: str) -> str:
    """What Python prints on standard error, or pytest on standard output."""
    file = tmp_path / "test_script.py"
    file.write_text(dedent(code))
    variables = {key: value for key, value in os.environ.items() if not key.startswith("USL_")} | environment
    result = subprocess.run(
        [sys.executable, *command, str(file)], capture_output=True, text=True, env=variables, cwd=tmp_path, check=False
    )
    return result.stdout + result.stderr


# ---- tracebacks


def test_an_uncaught_error_in_a_script_shows_the_users_frames_only(tmp_path: Path) -> None:
    shown = run(MISTAKE + "\nschedule(shift)\n", tmp_path)
    assert "unroll_loop: the limit n is not a constant" in shown
    assert shown.count('File "') == 3 and "test_script.py" in shown
    assert "usl_core/" not in shown and "usl_stdlib/" not in shown


def test_the_whole_traceback_is_there_for_whoever_wants_it(tmp_path: Path) -> None:
    assert "usl_core/" in run(MISTAKE + "\nschedule(shift)\n", tmp_path, USL_TRACEBACK="full")


def test_the_users_own_errors_keep_all_frames(tmp_path: Path) -> None:
    shown = run(HEAD + "\nchain(lambda q: 1 / 0)(shift)\n", tmp_path)
    assert "ZeroDivisionError" in shown and "usl_stdlib/" in shown


def test_an_error_while_another_is_handled_shows_both(tmp_path: Path) -> None:
    code = MISTAKE + "\ntry:\n    schedule(shift)\nexcept Exception:\n    unroll_loop(shift, 'nowhere')\n"
    shown = run(code, tmp_path)
    assert "not a constant" in shown and "During handling" in shown and "nowhere" in shown
    assert "usl_core/" not in shown


def test_pytest_shows_the_users_frames_only(tmp_path: Path) -> None:
    shown = run(MISTAKE + "\ndef test_it():\n    schedule(shift)\n", tmp_path, "-m", "pytest", "-q", "-p", "no:cacheprovider")
    assert "unroll_loop: the limit n is not a constant" in shown and "1 failed" in shown
    assert "usl_core/primitives" not in shown and "usl_stdlib/" not in shown


def test_pytest_shows_the_users_frames_only_when_a_module_fails(tmp_path: Path) -> None:
    shown = run(MISTAKE + "\nschedule(shift)\n", tmp_path, "-m", "pytest", "-q", "-p", "no:cacheprovider")
    assert "unroll_loop: the limit n is not a constant" in shown
    assert "usl_core/primitives" not in shown and "usl_stdlib/" not in shown


@pytest.mark.parametrize(
    "head",
    [
        "from usl_core import proc\n@proc\ndef f(n: size, x: f32[n]):\n    pass\n",
        "import usl_core\n\n@usl_core.proc\ndef f(\n    n: size,\n    x: f32[n],\n):\n    pass\n",
        "from usl_core import instr\n@instr('nothing')\ndef f(x: [f32][8]):\n    pass\n",
        "from usl_core import config\n@config\nclass F:\n    stride: stride\n",
    ],
)
def test_a_missing_future_import_is_said(head: str, tmp_path: Path) -> None:
    shown = run(head, tmp_path)
    assert "NameError" in shown and "hint: begin the file with `from __future__ import annotations`" in shown


def test_other_names_that_are_missing_get_no_hint(tmp_path: Path) -> None:
    assert "__future__" not in run("from usl_core import proc\nprint(size)\n", tmp_path)
    assert "__future__" not in run(HEAD + "\nprint(size)\n", tmp_path).rpartition("NameError")[2]


IN_IPYTHON = """
import sys
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance(colors="nocolor")
shell.run_cell({first!r})
shell.run_cell({second!r})
"""


@pytest.mark.parametrize(
    ("second", "expected"),
    [
        ("schedule(shift)", "not a constant"),
        ("from usl_core import proc\n@proc\ndef f(n: size):\n    pass", "hint: begin the file with"),
    ],
)
def test_ipython_shows_the_users_frames_only(second: str, expected: str, tmp_path: Path) -> None:
    pytest.importorskip("IPython", reason="IPython is not installed")
    (tmp_path / "mine.py").write_text(MISTAKE)
    first = "from usl_core import unroll_loop\nfrom mine import schedule, shift"
    shown = run(IN_IPYTHON.format(first=first, second=second), tmp_path, IPYTHONDIR=str(tmp_path))
    assert expected in shown
    assert "usl_core/" not in shown and "usl_stdlib/" not in shown


# ---- display


def test_a_notebook_shows_text_history_and_the_last_change() -> None:
    p = parse(HEAD.partition("@proc")[2])
    q = divide_loop(p, "i", 8, ["io", "ii"], tail="cut")
    shown = getattr(q, "_repr_mimebundle_")()  # noqa: B009
    assert shown["text/plain"] == str(q)
    html = shown["text/html"]
    assert "<script" not in html and "http" not in html
    assert "1 steps" in html and "divide_loop" in html and "<details>" in html and "io" in html
    assert "<details>" not in getattr(p, "_repr_html_")()  # noqa: B009


def test_html_is_escaped() -> None:
    p = parse("def f(n: size, x: f32[n]):\n    for i in seq(0, n):\n        if i < 3:\n            x[i] = 0.0")
    assert "i < 3" not in getattr(p, "_repr_html_")() and "&lt;" in getattr(p, "_repr_html_")()  # noqa: B009


def test_a_difference_prints_as_a_unified_diff() -> None:
    p = parse("def f(x: f32[2]):\n    for i in seq(0, 2):\n        x[i] = 0.0")
    q = unroll_loop(p, "i")
    text = str(diff(p, q))
    assert text.startswith("--- f\n+++ f\n") and "\n-    for i in seq(0, 2):" in text and "\n+    x[1] = 0.0" in text
    assert "<span" in diff(p, q)._repr_html_()
    assert str(diff(p, p)) == "" and repr(diff(p, p)) == "<no difference>"


# ---- pickles


def test_a_procedure_of_a_module_is_itself() -> None:
    assert pickle.loads(pickle.dumps(user)) is user


def test_a_scheduled_procedure_travels_as_its_text() -> None:
    scheduled = divide_loop(user, "i", 4, ["io", "ii"], tail="cut")
    copy = pickle.loads(pickle.dumps(scheduled))
    assert copy is not scheduled and str(copy) == str(scheduled)
    assert [step.operator for step in copy.history()] == ["written"]
    assert copy.find("clear(_)").subproc() is clear


def test_an_instruction_without_a_name_is_refused() -> None:
    with pytest.raises(UsageError, match="cannot be pickled"):
        pickle.dumps(nameless_instruction())


def _in_another_process(p: Procedure) -> tuple[str, Procedure]:
    return str(unroll_loop(p, "ii")), unroll_loop(p, "ii")


def test_process_pools_take_and_give_procedures() -> None:
    p = parse("def f(n: size, x: f32[n]):\n    for i in seq(0, n):\n        x[i] = 0.0")
    q = divide_loop(p, "i", 4, ["io", "ii"], tail="cut")
    with ProcessPoolExecutor(1, mp_context=get_context("fork")) as pool:
        text, made = pool.submit(_in_another_process, q).result()
    assert text == str(made) == str(unroll_loop(q, "ii"))


# ---- names, numbers


def test_import_star_gives_what_is_documented() -> None:
    names: dict[str, Any] = {}
    exec("from usl_core import *", names)
    assert set(usl_core.__all__) <= set(names)
    for name in ("proc", "divide_loop", "Procedure", "JitError", "BoundsError", "PatternError", "diff", "Memory", "Extern"):
        assert name in names
    assert names["Memory"] is Memory


def test_floats_are_expressions_where_data_is_meant() -> None:
    numpy = pytest.importorskip("numpy")
    p = parse("def f(x: f32[1]):\n    x[0] = 0.25 + 0.25")
    for half in (0.5, numpy.float64(0.5)):
        assert "x[0] = 0.5\n" in str(rewrite_expr(p, "0.25 + 0.25", half)) + "\n"
    with pytest.raises(SchedulingError):
        rewrite_expr(p, "0.25 + 0.25", float("nan"))


# ---- progress


class Console:
    """A terminal that remembers."""

    width = 80

    def __init__(self) -> None:
        self.events: list[str] = []

    def print(self, text: Any, **_: Any) -> None:
        self.events.append(str(text))

    def control(self, *_: Any) -> None:
        self.events.append("clear")


def watched(monkeypatch: pytest.MonkeyPatch, lines: bool, times: list[float]) -> list[str]:
    """What is said of two operators, the second of which is looked at so many seconds after it began."""
    now = [0.0]
    monkeypatch.setattr("usl_core.progress.time.monotonic", lambda: now[0])
    monkeypatch.setattr("usl_core.progress.threading.Thread", lambda **_: type("T", (), {"start": lambda self: None})())
    console = Console()
    activity = Activity(console, lines)
    activity.begin("operator", "fission")
    activity.end()
    activity.begin("operator", "divide_loop")
    for seconds in times:
        now[0] = seconds
        activity.look()
    activity.end()
    return console.events


def test_long_scheduling_says_on_one_line_what_it_does(monkeypatch: pytest.MonkeyPatch) -> None:
    first, clear, second, last = watched(monkeypatch, False, [0.5, 1.5, 2.6])
    assert "scheduling: divide_loop (2 s, 2 operators)" in first or "(1 s, 2 operators)" in first
    assert clear == last == "clear" and "(3 s" in second


def test_short_work_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert watched(monkeypatch, False, [0.2, 0.9]) == []


def test_without_a_terminal_there_is_one_line_for_each_piece_of_work(monkeypatch: pytest.MonkeyPatch) -> None:
    assert watched(monkeypatch, True, [1.5, 2.5, 3.5]) == ["usl: scheduling: divide_loop ..."]


@pytest.mark.parametrize(("variable", "said"), [("", False), ("0", False), ("1", True)])
def test_where_there_is_no_terminal_the_variable_decides(variable: str, said: bool, tmp_path: Path) -> None:
    code = """
    import time
    from usl_core import proc, progress
    with progress.doing("compiling f"):
        time.sleep(1.3)
    """
    assert ("usl: compiling f ..." in run(code, tmp_path, USL_PROGRESS=variable)) is said
