"""near_misses: which instruction comes closest to a loop that stays, and the operator after which it matches."""

from __future__ import annotations

from typing import Any

import pytest

from usl_core.ir.memory import Memory
from usl_core.procedure import Procedure, proc_from_source
from usl_stdlib import NearMiss, near_misses, replace_all


class Lanes(Memory):
    """A memory that is not DRAM."""

    name = "Lanes"


SCOPE: dict[str, Any] = {"Lanes": Lanes}


def procedure(head: str, body: str) -> Procedure:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return proc_from_source(f"def {head}:\n{lines}", SCOPE)


MUL = procedure("mul4(d: [f32][4], a: [f32][4], b: [f32][4])", "for k in seq(0, 4):\n    d[k] = a[k] * b[k]")
SUM = procedure("sum4(d: [f32][4], a: [f32][4], b: [f32][4])", "for k in seq(0, 4):\n    d[k] = a[k] - b[k] + 1.0 - 2.0")
LOAD = procedure("load4(d: [f32][4] @ Lanes, a: [f32][4])", "for k in seq(0, 4):\n    d[k] = a[k]")
HEAD = "f(n: size, x: f32[8], y: f32[8], z: f32[8], w: f32[n])"


def only(body: str, *instructions: Procedure) -> NearMiss:
    (miss,) = near_misses(procedure(HEAD, body), instructions)
    return miss


@pytest.mark.parametrize(
    ("body", "instruction", "helps"),
    [
        ("for i in seq(0, 8):\n    x[i] = y[i] * z[i]", MUL, "divide_loop by 4, perfect=True"),
        ("for i in seq(0, n):\n    w[i] = y[0] * y[0]", MUL, ""),
        ("for i in seq(0, 4):\n    x[i] = y[i] * z[i]\n    z[i + 4] = y[i]", MUL, "fission after `x[i] = y[i] * z[i]`"),
        ("t: f32[4]\nfor i in seq(0, 4):\n    t[i] = y[i]", LOAD, "set_memory of t to Lanes"),
    ],
    ids=["too long", "nothing alone", "two statements", "the memory"],
)
def test_the_operator_after_which_the_instruction_matches_is_found(body: str, instruction: Procedure, helps: str) -> None:
    miss = only(body, instruction)
    assert miss.helps == helps
    assert miss.instruction is instruction


def test_the_closest_instruction_is_shown_with_what_differs() -> None:
    miss = only("for i in seq(0, 4):\n    x[i] = y[i] * 2.0", LOAD, MUL)
    assert (miss.instruction, miss.matched, miss.of) == (MUL, 5, 5)
    shown = str(miss)
    assert "mul4 has 5 of 5 parts" in shown
    assert "what differs:  b[k] against 2.0" in shown


def test_what_matches_is_said_to_and_what_has_nothing_in_common_is_left_out() -> None:
    matching = procedure(HEAD, "for i in seq(0, 4):\n    x[i] = y[i] * z[i]")
    assert [miss.reason for miss in near_misses(matching, MUL)] == ["it matches"]
    assert near_misses(procedure(HEAD, "for i in seq(0, 4):\n    pass"), SUM) == []


def test_replace_all_reports_what_is_left() -> None:
    left = procedure(HEAD, "for i in seq(0, 4):\n    x[i] = y[i] * z[i]\nfor i in seq(0, 8):\n    x[i] = y[i] * z[i]")
    seen: list[NearMiss] = []
    q = replace_all(left, MUL, report=seen.append)
    assert "mul4(x[0:4], y[0:4], z[0:4])" in str(q)
    assert [miss.helps for miss in seen] == ["divide_loop by 4, perfect=True"]


def test_replace_all_finds_operands_in_another_order_and_sums_into_their_own_target() -> None:
    fma = procedure("fma4(d: [f32][4], a: f32, b: [f32][4])", "for k in seq(0, 4):\n    d[k] += a * b[k]")
    q = replace_all(procedure(HEAD, "for i in seq(0, 4):\n    x[i] = y[i] * z[0] + x[i]"), fma)
    assert "fma4(x[0:4], z[0], y[0:4])" in str(q)
