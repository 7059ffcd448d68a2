"""count_config_writes and the contract max_config_writes."""

from __future__ import annotations

import re

import pytest
from stdlib_config_programs import CFG, A, B, program

from usl_core import Procedure, SchedulingError, UslError, delete_config, make_instr
from usl_core.errors import InterpError
from usl_core.procedure import proc_from_source
from usl_stdlib import count_config_writes, hoist_config, holds_at_end, max_config_writes, replace_with_config


def test_writes_of_callees_count_once_for_each_call() -> None:
    twice = program("def twice(n: size):\n    set_a(n)\n    for i in seq(0, n):\n        set_a(i)\n")
    p = proc_from_source("def f(n: size):\n    twice(n)\n    twice(n + 1)\n", {"twice": twice})
    writes = count_config_writes(p, {"n": 3})
    assert writes.static == {A: 4} and writes.per_run == {A: 1 + 3 + 1 + 4}
    assert str(writes) == "Cfg.a: 4 in the text, 9 in a run with n = 3"


def test_a_run_counts_what_branches_and_data_decide() -> None:
    p = program(
        "def f(n: size, m: index, x: f32[n + m / 2, max(n, 3)]):\n    assert m >= 0\n    if m > 1:\n        Cfg.a = m\n"
    )
    assert count_config_writes(p, {"n": 2, "m": 1}).per_run == {A: 0}
    assert count_config_writes(p, {"n": 2, "m": 2}).per_run == {A: 1}


def test_a_run_may_need_what_fields_hold_at_the_start() -> None:
    p = program("def f(n: size, x: f32[4]):\n    assert Cfg.a == n\n    use_a(n, x[0:4])\n    Cfg.b = n\n")
    with pytest.raises(InterpError):
        count_config_writes(p, {"n": 2})
    assert count_config_writes(p, {"n": 2}, {A: 2}).per_run == {B: 1}


# ---- the contract


def refusal(p: Procedure, n: int) -> str:
    with pytest.raises(SchedulingError) as caught:
        max_config_writes(p, n)
    assert caught.value.code == "E441"
    return re.sub(r"<string \w+>", "<string>", str(caught.value))


def test_the_contract_gives_the_procedure_back() -> None:
    p = program("def f(n: size):\n    Cfg.a = n\n    if n > 1:\n        Cfg.b = 1\n    else:\n        Cfg.b = 2\n")
    assert max_config_writes(p, 1) is p


def test_the_contract_shows_the_loop_that_keeps_a_write_inside() -> None:
    p = program("""
def f(n: size):
    for i in seq(0, n):
        for j in seq(0, 1):
            if i > 2:
                set_a(i)
""")
    assert refusal(p, 9) == (
        "<string>:3:5: max_config_writes: Cfg.a may be written more than 9 times in a run\n"
        "    for i in seq(0, n):\n"
        "    ^^^^^^^^^^^^^^^^^^^\n"
        "  the loop `for i in seq(0, n)` keeps a write inside: set_a(i)\n"
        "  it cannot leave: insert_noop_call: i uses i, which is not in scope there"
    )


def test_the_contract_says_that_a_write_could_be_moved() -> None:
    p = program("def f(n: size):\n    for i in seq(0, n):\n        set_a(n)\n")
    assert refusal(p, 1).splitlines()[-1] == "  hint: hoist_config moves out what it can"
    assert max_config_writes(hoist_config(p)[0], 1)


def test_a_loop_of_a_literal_length_counts_as_often_as_it_runs() -> None:
    p = program("def f(n: size):\n    for i in seq(2, 5):\n        set_a(i)\n        set_ab(i, i)\n")
    assert max_config_writes(p, 6) is p
    assert "the loop `for i in seq(2, 5)` keeps a write inside: set_a(i)" in refusal(p, 5)


def test_writes_that_follow_each_other_are_all_named() -> None:
    p = program("def f(n: size):\n    set_a(1)\n    Cfg.a = n\n")
    assert refusal(p, 1).splitlines()[-2:] == ["  it is written by: set_a(1)", "  it is written by: Cfg.a = n"]


def test_a_loop_inside_a_callee_is_found() -> None:
    inner = program("def inner(n: size):\n    for i in seq(0, n):\n        set_a(i)\n")
    p = proc_from_source("def f(n: size):\n    inner(n)\n", {"inner": inner})
    assert "the loop `for i in seq(0, n)` keeps a write inside: set_a(i)" in refusal(p, 1)


def test_no_write_at_all_can_be_demanded() -> None:
    assert "Cfg.a may be written at all in a run" in refusal(program("def f(n: size):\n    Cfg.a = n\n"), 0)


@pytest.mark.parametrize("n", [-1, True, "1"])
def test_the_limit_is_a_number(n: object) -> None:
    with pytest.raises(UslError, match=r"a number|must be an int"):
        max_config_writes(program("def f(n: size):\n    Cfg.a = n\n"), n)  # type: ignore[arg-type]


# ---- what holds at the end


@pytest.mark.parametrize("value", [3, "n"])
def test_a_field_that_certainly_holds_a_value_at_the_end_keeps_the_contract(value: int | str) -> None:
    p = program(f"def f(n: size, x: f32[4]):\n    set_a(1)\n    for i in seq(0, n):\n        set_a({value})\n")
    assert holds_at_end(p, CFG, "a", value) is p
    q = program("def f(y: f32):\n    Cfg.s = 2.0\n")
    assert holds_at_end(q, CFG, "s", 2.0) is q


def test_a_field_that_may_hold_something_else_at_the_end_breaks_the_contract() -> None:
    p = program("def f(n: size):\n    Cfg.a = 0\n    if n > 3:\n        set_a(1)\n")
    with pytest.raises(SchedulingError) as caught:
        holds_at_end(p, CFG, "a", 0)
    assert caught.value.code == "E443"
    assert caught.value.message == "holds_at_end: Cfg.a may hold something else than 0 at the end of f"
    assert caught.value.notes[0] == "it is written last by: set_a(1)"


def test_a_deleted_write_at_the_end_breaks_the_contract() -> None:
    p = program("def f(n: size):\n    Cfg.a = 1\n    Cfg.a = 0\n")
    q = delete_config(p, p.body()[1])
    assert holds_at_end(p, CFG, "a", 0) is p
    with pytest.raises(SchedulingError, match="may hold something else"):
        holds_at_end(q, CFG, "a", 0)
    with pytest.raises(SchedulingError, match="may hold something else"):
        holds_at_end(program("def f(n: size):\n    pass\n"), CFG, "a", 0)


# ---- replacing code by what also sets fields


def test_an_instruction_that_sets_constants_takes_the_place_of_code_without_them() -> None:
    text = """
def store(x: [f32][4], y: [f32][4]):
    Cfg.a = 1
    for i in seq(0, 4):
        y[i] = x[i]
    Cfg.s = 2.0
"""
    p = program("""
def f(n: size, x: f32[n, 4], y: f32[n, 4]):
    for k in seq(0, n):
        for i in seq(0, 4):
            y[k, i] = x[k, i]
""")
    q = replace_with_config(p, "for i in _: _", make_instr(program(text), "store({x.ptr}, {y.ptr});"))
    assert "store(x[k, 0:4], y[k, 0:4])" in str(q) and "Cfg" not in str(q)
    assert q.assurance() == "every step proved, up to: the values at the end of Cfg.a, Cfg.s"


def test_a_field_that_depends_on_the_call_is_to_be_written_first() -> None:
    store = program("def store(v: index, x: [f32][4]):\n    Cfg.a = v\n    for i in seq(0, 4):\n        x[i] = 0.0\n")
    p = program("def f(x: f32[4]):\n    for i in seq(0, 4):\n        x[i] = 0.0\n")
    with pytest.raises(SchedulingError, match="depends on the arguments of the call: v"):
        replace_with_config(p, "for i in _: _", store)
