"""C that is kept between processes is the C that would be made, or it is made."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from usl_c11 import emit
from usl_core import Procedure, proc_from_source
from usl_core.cursors.edits import replace as edited
from usl_core.cursors.path import BlockLoc, get
from usl_core.errors import BoundsError
from usl_core.ir.nodes import index_literal
from usl_core.ir.traverse import update
from usl_core.plugins.manager import PluginManager
from usl_core.scheduling import parallelize_loop, rename, unroll_loop
from usl_core.store import calls, shelf

SOURCE = """
def shifted(n: size, x: f32[n, 2], y: f32[n, 2]):
    check(n > 2)
    for i in seq(0, n):
        for j in seq(0, 2):
            y[i, j] = x[i, j]
"""


@pytest.fixture
def new_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], None]]:
    """Forgets what a new process would not know: only the file is left, which is empty at first."""

    def forget() -> None:
        shelf.reopen()
        calls._sources.clear()

    monkeypatch.setenv(shelf.VARIABLE, "on")
    monkeypatch.setenv("USL_CACHE_DIR", str(tmp_path))
    forget()
    yield forget
    monkeypatch.undo()
    forget()


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The libraries that were made, after their last check."""
    names: list[str] = []
    prove = emit._proved

    def noting(procs: Any, name: str, *options: Any) -> Any:
        names.append(name)
        return prove(procs, name, *options)

    monkeypatch.setattr(emit, "_proved", noting)
    return names


def source(above: str = "") -> Procedure:
    return proc_from_source(above + SOURCE.lstrip(), file="shifted.usl")


def test_c_of_an_unchanged_procedure_is_kept(new_process: Callable[[], None], made: list[str]) -> None:
    first = unroll_loop(source(), "j").c_code()
    new_process()
    assert unroll_loop(source(), "j").c_code() == first
    assert made == ["shifted"]
    assert source().c_code() != first
    assert unroll_loop(source(), "j").c_code(entry_checks=False) != first


def test_c_names_the_line_where_the_source_is_now(new_process: Callable[[], None], made: list[str]) -> None:
    assert "shifted.usl:2" in source().c_code()
    new_process()
    assert "shifted.usl:4" in source("\n\n").c_code()
    assert len(made) == 2


def test_c_of_parallel_loops_is_made_again_when_a_plugin_sets_their_form(
    new_process: Callable[[], None], made: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for template in (None, None, "of_a_plugin({iter}, {lo}, {hi}) {{\n{body}\n}}"):
        monkeypatch.setattr(PluginManager, "parallel_template", lambda *_, text=template: text)
        parallelize_loop(proc_from_source(SOURCE.replace("    check(n > 2)\n", "").lstrip()), "i").c_code()
        new_process()
    assert len(made) == 2


def test_an_unsafe_entry_of_the_store_is_refused_before_c(new_process: Callable[[], None]) -> None:
    p = source()
    asked = calls.asked(p, "usl_core.primitives.procs.rename.rename, =", "usl_core.primitives.procs.rename", ["other"], {})
    assert asked is not None
    path = p.find("y[_] = _").path
    write = get(p.ir, path)
    forged, forward = edited(p.ir, BlockLoc(path[:-1], "body", 0, 1), (update(write, idx=(write.idx[0], index_literal(2))),))
    asked.keep(Procedure(forged, p, rename(p, "other")._step, forward))
    new_process()
    unsafe = rename(source(), "other")
    assert "y[i, 2] = " in str(unsafe), "the entry was not used"
    with pytest.raises(BoundsError):
        unsafe.c_code()
