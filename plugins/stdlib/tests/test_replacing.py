"""replace_all: every match, in the order given, and only where buffers live where the instruction wants them."""

from __future__ import annotations

from typing import Any

import pytest

from usl_core.errors import SchedulingError, UsageError
from usl_core.ir.memory import Memory
from usl_core.procedure import Procedure, proc_from_source
from usl_core.scheduling import replace
from usl_stdlib import replace_all


class Tile(Memory):
    """A memory that is not DRAM."""

    name = "Tile"


class BigTile(Tile):
    """What can stand for a Tile."""

    name = "BigTile"


MEMORIES: dict[str, Any] = {"Tile": Tile, "BigTile": BigTile}


def procedure(text: str) -> Procedure:
    return proc_from_source(text, MEMORIES)


def copy(name: str, dst: str, src: str) -> Procedure:
    return procedure(
        f"def {name}(dst: [f32][8] @ {dst}, src: [f32][8] @ {src}):\n    for i in seq(0, 8):\n        dst[i] = src[i]\n"
    )


LOAD, STORE = copy("load", "Tile", "DRAM"), copy("store", "DRAM", "Tile")


def through(memory: str) -> Procedure:
    return procedure(
        "def through(x: f32[8], y: f32[8]):\n"
        f"    t: f32[8] @ {memory}\n"
        "    for i in seq(0, 8):\n        t[i] = x[i]\n"
        "    for i in seq(0, 8):\n        y[i] = t[i]\n"
    )


@pytest.mark.parametrize("order", [(LOAD, STORE), (STORE, LOAD)], ids=["load first", "store first"])
@pytest.mark.parametrize("memory", ["Tile", "BigTile"])
def test_instructions_with_one_body_are_told_apart_by_the_memories_of_their_formals(
    memory: str, order: tuple[Procedure, ...]
) -> None:
    lines = [line.strip() for line in str(replace_all(through(memory), order)).splitlines()]
    assert lines[-2:] == ["load(t[0:8], x[0:8])", "store(y[0:8], t[0:8])"]


def test_a_block_whose_buffers_live_elsewhere_stays() -> None:
    before = through("DRAM")
    assert str(replace_all(before, [LOAD, STORE])) == str(before)


def test_what_no_instruction_matches_stays_and_a_single_one_need_not_be_in_a_list() -> None:
    p = procedure("def f(x: f32[8]):\n    for i in seq(0, 8):\n        x[i] = 1.0\n")
    assert str(replace_all(p, LOAD)) == str(p)
    with pytest.raises(SchedulingError, match="does not match"):
        replace(p, "i", LOAD)


def test_only_a_procedure_is_searched() -> None:
    with pytest.raises(UsageError, match="replace_all: the first argument must be a procedure, got str"):
        replace_all("f", LOAD)  # type: ignore[arg-type]


def test_blocks_in_both_branches_and_in_inner_loops_are_found() -> None:
    p = procedure(
        "def f(n: size, x: f32[8], y: f32[n, 8]):\n"
        "    for k in seq(0, n):\n"
        "        if k < 1:\n            for i in seq(0, 8):\n                y[k, i] = x[i]\n"
        "        else:\n            pass\n            for i in seq(0, 8):\n                y[k, i] = x[i]\n"
    )
    lines = [line.strip() for line in str(replace_all(p, copy("move", "DRAM", "DRAM"))).splitlines()]
    assert [line for line in lines if "move" in line] == ["move(y[k, 0:8], x[0:8])"] * 2
