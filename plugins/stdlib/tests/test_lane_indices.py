"""vectorize and lanes that are not side by side in memory: which instruction is taken, and that the meaning stays."""

from __future__ import annotations

import pytest
from stdlib_vector_machine import LANES, MACHINE, MEMORIES, Reg, program

from tests.primitives.equivalence import assert_refines
from usl_core import Procedure, SchedulingError, proc_from_source
from usl_core.cursors.kinds import CallCursor
from usl_stdlib import vectorize


def move(name: str, formals: str, statement: str, masked: bool, known: str = "") -> Procedure:
    """An instruction on the lanes of registers dst, k, and memory src, mem."""
    n = "n" if masked else str(LANES)
    size, guard = ("n: size, ", "if i < n:\n            ") if masked else ("", "")
    asserts = "".join(f"    assert {each}\n" for each in known.split("; ") if each)
    return proc_from_source(
        f"def {'mask_' if masked else ''}{name}({size}{formals.replace('N', n)}):\n{asserts}"
        f"    for i in seq(0, {LANES}):\n        {guard}{statement.replace('N', n)}\n",
        MEMORIES,
    )


R = f"[f32][{LANES}] @ Reg"
DENSE = "stride(src, 0) == 1"
LIMITS = "0 <= lo and lo <= hi and hi < m"
MOVES = [
    each
    for masked in (False, True)
    for each in (
        move("load2", f"dst: {R}, src: [f32][2 * N - 1]", "dst[i] = src[2 * i]", masked, DENSE),
        move("reversed", f"dst: {R}, src: [f32][N]", "dst[i] = src[N - 1 - i]", masked, DENSE),
        move("halved", f"dst: {R}, src: [f32][N]", "dst[i] = src[i / 2]", masked, DENSE),
        move("apart3", f"dst: {R}, src: [f32][N]", "dst[i] = src[i]", masked, "stride(src, 0) == 3"),
        move("apart", f"dst: {R}, src: [f32][N]", "dst[i] = src[i]", masked),
        move("put2", f"mem: [f32][2 * N - 1], src: {R}", "mem[2 * i] = src[i]", masked, "stride(mem, 0) == 1"),
        move("put_apart", f"mem: [f32][N], src: {R}", "mem[i] = src[i]", masked),
        move(
            "clamped",
            f"first: index, lo: index, hi: index, m: size, dst: {R}, src: [f32][m]",
            "dst[i] = src[min(max(first + i, lo), hi)]",
            masked,
            f"{LIMITS}; {DENSE}",
        ),
        move(
            "table",
            f"lo: index, hi: index, m: size, dst: {R}, src: [f32][m], k: [i32][{LANES}] @ Reg",
            "dst[i] = src[idx(k[i], lo, hi)]",
            masked,
            f"0 <= lo and lo < hi and hi <= m; {DENSE}",
        ),
        move("loadi", f"dst: [i32][{LANES}] @ Reg, src: [i32][N]", "dst[i] = src[i]", masked, DENSE),
        move("counted", f"first: index, dst: {R}", "dst[i] = f32(first + i)", masked),
    )
]

HEAD = "def f(n: size, x: f32[2 * n + 1], y: f32[2 * n], z: f32[n], c: f32[n, 3], b: f32[n + 2, n], t: f32[8], k: i32[n]):\n"
CASES = {
    "z[i] = x[2 * i + 1]": "load2",
    "z[i] = x[2 * i] + x[i + n]": "load2 load add",
    "z[i] = x[n - 1 - i]": "reversed",
    "z[i] = x[i / 2 + 1]": "halved",
    "z[i] = c[i, 2]": "apart3",
    "z[i] = b[i, 0]": "apart",
    "z[i] = x[i]": "load",
    "y[2 * i + 1] = x[i]": "load put2",
    "y[2 * i] = 2.0 * x[i]": "set1 load mul put2",
    "c[i, 1] = x[i]": "load put_apart",
    "z[i] = x[min(max(i - 1, 0), n - 1)]": "clamped",
    "z[i] = b[min(j, 1), min(n - 1, max(0, i + 1))]": "clamped",
    "z[i] = t[idx(k[i], 0, 8)] * 2.0": "loadi table set1 mul",
    "z[i] = t[idx(k[i], 1, 5)] + t[idx(k[i], 0, 8)]": "loadi table loadi table add",
    "z[i] = f32(i + 1)": "counted",
    "c[i, 1] += c[i, 0]": "apart3 apart3 accumulate put_apart",
}


def in_loop(body: str) -> Procedure:
    if "[min(j" in body:
        return program(HEAD.replace("n: size", "n: size, j: size") + f"    for i in seq(0, n):\n        {body}\n")
    return program(HEAD + f"    for i in seq(0, n):\n        {body}\n")


@pytest.mark.parametrize("body", CASES)
def test_the_instruction_for_the_kind_of_access_is_taken(body: str) -> None:
    before = in_loop(body)
    q, made = vectorize(before, "i", LANES, Reg, [*MACHINE, *MOVES], tail="masked")
    assert_refines(before, q, vectors=2)
    calls = [call.subproc().name() for call in made.loop.body() if isinstance(call, CallCursor)]
    wanted = CASES[body].split()
    assert calls == (wanted if calls[-1] in ("put2", "put_apart") else [*wanted, "store"])
    assert made.tail is not None
    assert all(isinstance(stmt, CallCursor) for stmt in made.tail.body() if not hasattr(stmt, "shape"))


@pytest.mark.parametrize(
    "body",
    ["z[i] = x[2 * n - 2 * i]", "z[i] = x[i % 3]", "z[i] = x[(i + 1) / 2]", "z[i] = x[max(i - 1, 0)]", "z[i] = f32(2 * i)"],
)
def test_an_access_of_a_kind_that_no_instruction_has_is_refused(body: str) -> None:
    with pytest.raises(SchedulingError, match="no instruction computes"):
        vectorize(in_loop(body), "i", LANES, Reg, [*MACHINE, *MOVES])


def test_data_in_an_index_is_not_the_same_in_all_lanes_once_it_is_in_a_register() -> None:
    before = in_loop("z[i] = t[idx(k[i], 0, 8)] * t[idx(k[i], 0, 8)]")
    q, _ = vectorize(before, "i", LANES, Reg, [*MACHINE, *MOVES])
    assert "set1(" not in str(q)
    assert_refines(before, q, vectors=2)


def test_without_instructions_every_element_is_copied_to_a_register_of_its_own() -> None:
    before = in_loop("z[i] = x[2 * i] * c[i, 1]")
    q, made = vectorize(before, "i", LANES, Reg)
    assert_refines(before, q, vectors=2)
    assert {each.mem() for each in made.registers} == {Reg}
