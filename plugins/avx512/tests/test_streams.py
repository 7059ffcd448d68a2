"""Stores of registers past the caches: at every address, natively and emulated, and never chosen by accident."""

from __future__ import annotations

from importlib import import_module

import numpy as np
import pytest
from avx512_build import HOW, require

import usl_avx512
from usl_avx512 import isa
from usl_avx512.emulation import FEATURES, FLAGS
from usl_avx512.memories import AVX512
from usl_c11.batch import jit_all
from usl_conformance import instructions as conformance
from usl_conformance.check import toolchain
from usl_core import Procedure, proc_from_source
from usl_core.plugins.manager import plugin_manager

NAMES = [name for name in isa.names() if "_streamu_" in name]
TYPES = {"f32": ("ps", 16), "u16": ("epu16", 32), "i8": ("epi8", 64)}


@pytest.mark.parametrize("how", HOW)
def test_they_store_what_they_are_given(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    require(how)
    assert len(NAMES) == 14
    monkeypatch.setattr(conformance, "MOST_WORK", -1)
    procs = [getattr(isa, name).ir for name in NAMES[:: 3 if how == "simde" else 2]]
    manager = plugin_manager()
    found = list(conformance.check_instructions(procs, procs, toolchain(manager.get("avx512"), manager, "c11", how == "simde")))
    assert {outcome.status for outcome in found} == {"passed"}, [str(each) for each in found if each.status != "passed"]


def rows_copied(typ: str) -> Procedure:
    """A copy of rows that lie anywhere, by as many threads as there are."""
    suffix, lanes = TYPES[typ]
    text = f"""
def copied_{typ}(n: size, m: size, x: [{typ}][n, {lanes} * m], y: [{typ}][n, {lanes} * m]):
    assert stride(x, 1) == 1
    assert stride(y, 1) == 1
    for i in par(0, n):
        for j in seq(0, m):
            v: {typ}[{lanes}] @ AVX512
            load(v[0:{lanes}], x[i, {lanes} * j:{lanes} * j + {lanes}])
            stream(y[i, {lanes} * j:{lanes} * j + {lanes}], v[0:{lanes}])
"""
    given = {name: getattr(usl_avx512, f"mm512_{name}u_{suffix}") for name in ("load", "stream")}
    return proc_from_source(text, {"AVX512": AVX512, **given})


@pytest.mark.parametrize("how", HOW)
def test_rows_may_begin_at_any_address_and_neighbours_keep_what_they_hold(how: str) -> None:
    require(how)
    emulated = how == "simde"
    procs = [rows_copied(typ).ir for typ in TYPES]
    run = jit_all(procs, "streams", flags=FLAGS if emulated else (), emulated=emulated)
    for dtype, (typ, (_, lanes)) in zip(("f4", "u2", "i1"), TYPES.items(), strict=True):
        size = np.dtype(dtype).itemsize
        rows, columns = 5, 3 * lanes
        x = np.random.default_rng(0).integers(0, 99, (rows, columns)).astype(dtype)
        for begin in range(0, 64, size):
            for apart in (columns, columns + 1, columns + 64 // size):
                space = np.full(64 + begin + rows * apart * size + 64, 77, np.uint8)
                start = -space.ctypes.data % 64 + begin
                y = np.ndarray((rows, columns), dtype, space, start, (apart * size, size))
                expected = space.copy()
                np.ndarray((rows, columns), dtype, expected, start, (apart * size, size))[...] = x
                run[f"copied_{typ}"](rows, 3, x, y)
                assert (space == expected).all()


def test_a_vectorised_loop_does_not_store_past_the_caches() -> None:
    tables = [import_module(f"usl_avx512.isa.{table}").TABLE for table in isa.TABLES]
    names = [name for table in tables for lanes in (8, 16, 32, 64) for name in table.of_lanes(lanes, frozenset(FEATURES))]
    assert "mm512_storeu_ps" in names and not [name for name in names if "stream" in name]
