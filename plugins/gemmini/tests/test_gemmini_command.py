"""The command, recorded kernels, and pictures of what controllers do."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from usl_core import proc_from_source
from usl_gemmini import GemminiError, GemminiParams
from usl_gemmini.__main__ import main
from usl_gemmini.matmul import matmul
from usl_gemmini.picture import timeline
from usl_gemmini.recording import arguments, record
from usl_gemmini.sim import Simulator
from usl_gemmini.timing import UNITS, simulate
from usl_gemmini.trace import read

RECT = "{http://www.w3.org/2000/svg}rect"


def test_what_is_recorded_is_what_a_run_sends():
    p, sim = matmul(40, 20, 36), Simulator()
    arrays = arguments(p)
    with sim.session(record=True):
        p.jit()(*arrays)
    ran, recorded = sim.trace(), record(p)
    assert (ran[:, [0, 2]] == recorded[:, [0, 2]]).all() and len(recorded) > 20
    assert all(each.ctypes.data % 64 == 0 for each in arrays[1:]) and arrays[1].shape == (40, 36)


def test_a_kernel_of_any_size_cannot_be_recorded():
    p = proc_from_source("def f(n: size, x: i8[n]):\n    for i in seq(0, n):\n        x[i] = 0\n")
    with pytest.raises(GemminiError, match="whose sizes are numbers"):
        arguments(p)


def test_a_picture_has_each_command_that_is_in_its_cycles_once():
    timing = simulate(record(matmul(64, 64, 64)))
    whole = ET.fromstring(timeline(timing, 0, timing.cycles, "a <product> & more"))
    texts = [each.text or "" for each in whole.iter("{http://www.w3.org/2000/svg}text")]
    assert texts[0] == f"a <product> & more: {timing.cycles} cycles, {timing.utilisation:.1%} of peak"
    assert set(UNITS) <= set(texts)
    rows = [each for each in whole.iter(RECT) if each.get("height") == "6"]
    assert len(rows) == sum(each.begun < timing.cycles and each.released > 0 for each in timing.timeline())
    by_row: dict[str, list[tuple[float, float]]] = {}
    for each in rows:
        by_row.setdefault(each.get("y", ""), []).append((float(each.get("x", "")), float(each.get("width", ""))))
    for row in by_row.values():
        assert all(a + wide <= b + 0.11 for (a, wide), (b, _) in zip(sorted(row), sorted(row)[1:], strict=False))


@pytest.mark.parametrize(("first", "cycles"), [(-1, 10), (10**9, 10), (0, 0), (0, 5000)])
def test_cycles_that_a_picture_does_not_have_are_refused(first, cycles):
    with pytest.raises(GemminiError):
        timeline(simulate(record(matmul(16, 16, 16))), first, cycles)


def test_the_command_writes_a_trace_and_a_picture(tmp_path, capsys):
    trace, picture = tmp_path / "m.trace", tmp_path / "m.svg"
    assert main(["matmul", "32", "32", "32", "--trace", str(trace), "--timeline", str(picture), "--issue", "8"]) == 0
    assert re.match(r"\d+ cycles, utilisation ", capsys.readouterr().out)
    found = read(GemminiParams(), trace)
    assert np.array_equal(found[:, [0, 2]], record(matmul(32, 32, 32))[:, [0, 2]])
    assert "matmul 32 x 32 x 32" in picture.read_text()


def test_the_command_refuses_in_one_line(capsys):
    assert main(["matmul", "0", "32", "32"]) == 1
    assert "M must be at least 1" in capsys.readouterr().err
    with pytest.raises(SystemExit, match="matmul takes 3 sizes, got 2"):
        main(["matmul", "1", "2"])
