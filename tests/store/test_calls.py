"""Which calls are answered from the store, and which are not."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

from usl_core import Procedure, proc_from_source, procedure
from usl_core.analysis.last_check import last_check
from usl_core.cli.verify import verify_text
from usl_core.cursors.edits import replace as edited
from usl_core.cursors.path import BlockLoc, get
from usl_core.errors import BoundsError, SchedulingError
from usl_core.ir.memory import DRAM, Memory
from usl_core.ir.nodes import Assign, index_literal
from usl_core.ir.traverse import update
from usl_core.scheduling import call_eqv, divide_loop, inline, rename, reorder_loops, replace, set_memory, simplify, unroll_loop
from usl_core.store import shelf, stamps
from usl_core.store.calls import asked

SOURCE = """
def scaled(n: size, x: f32[n, 8], y: f32[n, 8]):
    for i in seq(0, n):
        for j in seq(0, 8):
            y[i, j] = 2.0 * x[i, j]
"""
NewProcess = Callable[[], None]


def source(text: str = SOURCE) -> Procedure:
    return proc_from_source(dedent(text).lstrip())


def schedule(p: Procedure, factor: int = 4) -> Procedure:
    columns = p.find_loop("j")
    p = divide_loop(p, columns, factor, ["jo", "ji"], perfect=True)
    p = reorder_loops(p, "i jo")
    p = unroll_loop(p, p.forward(columns).body()[0].body()[0])
    return rename(simplify(p), "fast")


def test_an_unchanged_script_is_answered_from_the_store(new_process: NewProcess, worked_out: list[str]) -> None:
    first = schedule(source())
    assert len(worked_out) == 5
    new_process()
    again = schedule(source())
    assert len(worked_out) == 5
    assert str(again) == str(first)
    assert again.assurance() == first.assurance()
    assert [(str(s), s.seconds, s.proofs) for s in again.history()][1:] == [
        (str(s), s.seconds, s.proofs) for s in first.history()
    ][1:]


def test_after_a_change_only_what_follows_is_worked_out(new_process: NewProcess, worked_out: list[str]) -> None:
    schedule(source())
    new_process()
    worked_out.clear()
    p = source()
    columns = p.find_loop("j")
    p = divide_loop(p, columns, 4, ["jo", "ji"], perfect=True)
    p = rename(reorder_loops(p, "i jo"), "between")
    p = unroll_loop(p, p.forward(columns).body()[0].body()[0])
    assert worked_out == ["rename", "unroll_loop"]


def test_a_source_that_moved_down_its_file_is_the_same_and_shows_where_it_is_now(
    new_process: NewProcess, worked_out: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    spans = []
    for name, before in (("above", ""), ("below", "\n\n\n")):
        text = f"from __future__ import annotations\nfrom usl_core import *\n{before}@proc{SOURCE}"
        (tmp_path / f"{name}.py").write_text(text)
        made = unroll_loop(__import__(name).scaled, "j")
        spans.append(made.body()[0].body()[0].node.span)
        new_process()
    assert worked_out == ["unroll_loop"]
    assert [(Path(span.file).name, span.line) for span in spans] == [("above.py", 7), ("below.py", 10)]


def test_arguments_of_other_types_are_other_calls(new_process: NewProcess) -> None:
    unroll_loop(source(), "j")
    divide_loop(source(), "j", 2, ["a", "b"], perfect=True)
    new_process()
    assert "seq(0, 4)" in str(divide_loop(source(), "j", 2, ["a", "b"], perfect=True))
    with pytest.raises(SchedulingError):
        divide_loop(source(), "j", 3, ["a", "b"], perfect=True)


def test_a_source_is_checked_once(new_process: NewProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    checked: list[str] = []
    check = procedure.check_proc
    monkeypatch.setattr(procedure, "check_proc", lambda ir: (checked.append(ir.name), check(ir)))
    for text in (SOURCE, SOURCE, SOURCE.replace("2.0", "3.0")):
        source(text)
        new_process()
    wrong = SOURCE.replace("x[i, j]", "x[i, j + 1]")
    for _ in range(2):
        with pytest.raises(BoundsError):
            source(wrong)
        new_process()
    assert len(checked) == 4


def test_refusals_are_not_kept(new_process: NewProcess, store: Path) -> None:
    for _ in range(2):
        with pytest.raises(SchedulingError):
            divide_loop(source(), "j", 3, ["jo", "ji"], perfect=True)
        new_process()
    assert rows(store) == 1, "that the source is legal, and nothing else"


def rows(file: Path) -> int:
    import sqlite3

    with sqlite3.connect(file) as database:
        found: int = database.execute("SELECT count(*) FROM entries").fetchone()[0]
    return found


def test_two_procedures_that_only_look_alike_stay_apart(store: Path) -> None:
    """`call_eqv` takes versions of one procedure, and two sources are two, with the store as without."""
    for _ in range(2):
        inner, other = source(), source()
        fast, strange = rename(inner, "fast"), rename(other, "fast")
        caller = proc_from_source("def caller(n: size, x: f32[n, 8], y: f32[n, 8]):\n    scaled(n, x, y)\n", {"scaled": inner})
        assert "fast(" in str(call_eqv(caller, "scaled(_)", fast))
        with pytest.raises(SchedulingError):
            call_eqv(caller, "scaled(_)", strange)
        found = shelf.shelf()
        assert found is not None
        found.flush()


def test_a_callee_from_the_store_is_a_version_of_what_it_was_made_from(new_process: NewProcess, worked_out: list[str]) -> None:
    for _ in range(2):
        worked_out.clear()
        inner = source()
        caller = replace(rename(source(), "caller"), "for i in _: _", inner)
        caller = call_eqv(caller, "scaled(_)", schedule(inner))
        assert "fast(" in str(caller)
        new_process()
    assert worked_out == []


INNER = """
def inner(x: f32[8]):
    for i in seq(0, 8):
        x[i] = 0.0
"""
OUTER = """
def outer(x: f32[8], y: f32[8], z: f32[8]):
    {callee}(x)
    for i in seq(0, 8):
        y[i] = 0.0
    for i in seq(0, 8):
        z[i] = 1.0
"""


def test_a_callee_that_came_along_with_inlined_code_is_not_taken_for_another(new_process: NewProcess) -> None:
    """The copy of it that the store gives is none of the callees that the next calls name."""
    texts = []
    for _ in range(3):
        zeros, ones = source(INNER.replace("inner", "zeros")), source(INNER.replace("inner", "ones").replace("0.0", "1.0"))
        inner = source(INNER)
        calls = replace(inner, "for i in _: _", zeros)
        p = proc_from_source(OUTER.format(callee="inner").lstrip(), {"inner": inner})
        p = inline(call_eqv(p, "inner(_)", calls), "inner(_)")
        p = replace(p, "for i in _: _", zeros)
        p = replace(p, "for i in _: _", ones)
        last_check(p.ir)
        texts.append(str(p))
        new_process()
    assert texts[1:] == texts[:1] * 2
    assert [line.strip() for line in texts[0].splitlines()[2:]] == ["zeros(x)", "zeros(y)", "ones(z)"]


def test_switched_off_nothing_is_read_or_written(
    store: Path, monkeypatch: pytest.MonkeyPatch, worked_out: list[str], new_process: NewProcess
) -> None:
    for setting, ran in (("off", 5), ("on", 10), ("off", 15), ("on", 15)):
        monkeypatch.setenv(shelf.VARIABLE, setting)
        new_process()
        schedule(source())
        assert len(worked_out) == ran


def test_another_version_of_usl_starts_anew(
    new_process: NewProcess, worked_out: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    schedule(source())
    new_process()
    monkeypatch.setattr(stamps, "FORMAT", "another")
    schedule(source())
    assert len(worked_out) == 10


def test_a_plugin_whose_source_changes_in_place_starts_anew(
    new_process: NewProcess, worked_out: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "usl_of_a_test"
    package.mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    text = "from usl_core.ir.memory import DRAM\nclass NEAR(DRAM):\n    name = 'NEAR'\n"
    (package / "__init__.py").write_text(text)
    for changed in (False, False, True):
        if changed:
            (package / "__init__.py").write_text(text + "    features = ('near',)\n")
        near = __import__("usl_of_a_test").NEAR
        set_memory(source(), "y", near)
        new_process()
        sys.modules.pop("usl_of_a_test")
    assert worked_out == ["set_memory", "set_memory"]


def test_a_memory_of_the_script_itself_is_told_by_its_name_and_those_that_it_derives_from(
    new_process: NewProcess, worked_out: list[str]
) -> None:
    def near(base: type) -> type:
        return type("NEAR", (base,), {"name": "NEAR", "__module__": "a_script", "__qualname__": "NEAR"})

    for _ in range(2):
        assert "@ NEAR" in str(set_memory(source(), "y", near(DRAM)))
        new_process()
    assert worked_out == ["set_memory"]
    assert "@ NEAR" in str(set_memory(source(), "y", near(Memory)))
    assert worked_out == ["set_memory", "set_memory"]


def test_a_forged_entry_is_found_by_the_last_check(new_process: NewProcess) -> None:
    """The store is trusted for what a procedure computes; that it is safe is proved again before C is made."""
    p = source()
    found = asked(p, *call_of_rename(p))
    assert found is not None
    path = p.find("y[_] = _").path
    write = get(p.ir, path)
    assert isinstance(write, Assign)
    wrong = update(write, idx=(write.idx[0], index_literal(8)))
    forged, forward = edited(p.ir, BlockLoc(path[:-1], "body", 0, 1), (wrong,))
    honest = rename(p, "scaled_2")
    found.keep(Procedure(forged, p, honest._step, forward))
    new_process()
    made = rename(source(), "scaled_2")
    assert "y[i, 8]" in str(made)
    with pytest.raises(BoundsError), last_check([made.ir]):
        pass


def call_of_rename(p: Procedure) -> tuple[str, str, list[str], dict[str, object]]:
    """What the decorator of the operator asks for `rename(p, "scaled_2")`."""
    from usl_core.primitives.procs import rename as module

    return f"{module.__name__}.rename, =", module.__name__, ["scaled_2"], {}


def test_verify_does_without_the_store(tmp_path: Path, store: Path, new_process: NewProcess) -> None:
    file = tmp_path / "scheduled.py"
    file.write_text(
        f"from __future__ import annotations\nfrom usl_core import *\nfrom usl_core.scheduling import *\n@proc{SOURCE}\n"
        "fast = unroll_loop(scaled, 'j')\n"
    )
    assert "1 steps replayed" in verify_text(f"{file}:fast", as_json=False)
    assert not store.exists()


SCRIPT = f"""
from __future__ import annotations
from usl_core import proc_from_source
from usl_core.primitives import base
from usl_core.scheduling import *
ran = []
derive = base.derive
base.derive = lambda *args: (ran.append(args[3]), derive(*args))[1]
p = proc_from_source({SOURCE.lstrip()!r})
for factor in (1, 2, 4, 8):
    q = divide_loop(p, "j", factor, ["jo", "ji"], perfect=True)
    q = unroll_loop(simplify(q), "ji" if factor > 1 else "jo")
print(len(ran), q)
"""


def test_processes_share_the_store(store: Path) -> None:
    environment = {**os.environ, "USL_CACHE_DIR": str(store.parent), shelf.VARIABLE: "on"}
    run = [sys.executable, "-c", SCRIPT]
    both = [subprocess.Popen(run, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    texts = [process.communicate()[0] for process in both]
    assert all(process.returncode == 0 for process in both)
    third = subprocess.run(run, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout
    assert third.partition(" ")[0] == "0"
    assert {text.partition(" ")[2] for text in texts} == {third.partition(" ")[2]}
