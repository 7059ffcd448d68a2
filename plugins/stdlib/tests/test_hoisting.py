"""hoist_config: what moves and what stays, the report, and that the meaning is kept."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stdlib_config_programs import CFG, A, B, S, program, programs

from usl_core import Procedure, SchedulingError, UslError
from usl_core.interp import Buffer, ConfigKey, run
from usl_core.ir.types import F32
from usl_stdlib import count_config_writes, hoist_config


def hoisted(text: str) -> list[str]:
    """The lines of the body, without indentation of the procedure."""
    q, _ = hoist_config(program(text))
    return [line.removeprefix("    ") for line in str(q).splitlines()[2:] if not line.startswith("    assert")]


# ---- what moves


def test_a_write_moves_in_front_of_the_outermost_loop_as_the_instruction_that_did_it() -> None:
    assert hoisted("""
def f(n: size, x: f32[n, n, 4]):
    for i in seq(0, n):
        for j in seq(0, n):
            set_a(n)
            use_a(n, x[i, j, 0:4])
""") == [
        "set_a(n)",
        "for i in seq(0, n):",
        "    for j in seq(0, n):",
        "        use_a(n, x[i, j, 0:4])",
    ]


def test_a_write_moves_only_as_far_as_its_value_can_be_computed() -> None:
    assert hoisted("""
def f(n: size, x: f32[n, n, 4]):
    for i in seq(0, n):
        for j in seq(0, n):
            Cfg.a = i
            use_a(i, x[i, j, 0:4])
""") == [
        "for i in seq(0, n):",
        "    Cfg.a = i",
        "    for j in seq(0, n):",
        "        use_a(i, x[i, j, 0:4])",
    ]


def test_phases_that_need_different_values_keep_a_write_each() -> None:
    assert hoisted("""
def f(n: size, x: f32[n, 4]):
    for t in seq(0, n):
        for i in seq(0, n):
            set_a(1)
            use_a(1, x[i, 0:4])
        for i in seq(0, n):
            set_a(2)
            use_a(2, x[i, 0:4])
""") == [
        "for t in seq(0, n):",
        "    set_a(1)",
        "    for i in seq(0, n):",
        "        use_a(1, x[i, 0:4])",
        "    set_a(2)",
        "    for i in seq(0, n):",
        "        use_a(2, x[i, 0:4])",
    ]


def test_writes_of_what_a_field_holds_already_go() -> None:
    assert hoisted("""
def f(n: size, x: f32[n, 4]):
    for i in seq(0, n - 1):
        if i < 3:
            set_a(1)
            use_a(1, x[i, 0:4])
        else:
            Cfg.a = 1
            use_a(1, x[i, 0:4])
    set_a(1)
    use_a(1, x[0, 0:4])
""") == [
        "set_a(1)",
        "for i in seq(0, n - 1):",
        "    if i < 3:",
        "        use_a(1, x[i, 0:4])",
        "    else:",
        "        use_a(1, x[i, 0:4])",
        "use_a(1, x[0, 0:4])",
    ]


def test_what_the_caller_may_see_at_the_end_is_still_written() -> None:
    text = "def f(n: size, x: f32[n, 4]):\n    set_a(1)\n    use_a(1, x[0, 0:4])\n    set_a(2)\n    Cfg.b = 5\n"
    assert hoisted(text) == ["set_a(1)", "use_a(1, x[0, 0:4])", "set_a(2)", "Cfg.b = 5"]


def test_a_write_that_is_overwritten_unread_goes() -> None:
    assert hoisted("def f(n: size, x: f32[4]):\n    Cfg.a = 1\n    x[0] = 0.0\n    Cfg.a = 2\n") == ["x[0] = 0.0", "Cfg.a = 2"]


def test_an_instruction_that_sets_two_fields_moves_as_one() -> None:
    assert hoisted("""
def f(n: size, x: f32[n, 4]):
    for i in seq(0, n):
        set_ab(1, 2)
        use_a(1, x[i, 0:4])
        use_b(2, x[i, 0:4])
""")[:2] == ["set_ab(1, 2)", "for i in seq(0, n):"]


def test_an_instruction_stays_if_one_of_its_fields_must() -> None:
    text = """
def f(n: size, x: f32[n, 4]):
    for i in seq(0, n):
        set_ab(1, 2)
        use_a(1, x[i, 0:4])
        use_b(2, x[i, 0:4])
        set_a(5)
        use_a(5, x[i, 0:4])
"""
    assert hoisted(text) == [line.removeprefix("    ") for line in str(program(text)).splitlines()[2:]]


def test_data_from_memory_moves_by_fission() -> None:
    """The analysis does not track what an element holds, but the write may be repeated and the loop may go."""
    assert hoisted("""
def f(n: size, z: f32[4], x: f32[n, 4]):
    for i in seq(0, n):
        t: f32
        t = x[i, 1]
        Cfg.s = z[2]
        use_s(x[i, 0:4])
        x[i, 0] += t
""")[:2] == ["Cfg.s = z[2]", "for i in seq(0, n):"]


def test_an_instruction_that_writes_on_a_condition_moves_by_fission() -> None:
    text = "def f(n: size, c: bool, x: f32[n]):\n    for i in seq(0, n):\n        set_a_if(c, 3)\n        x[i] = 0.0\n"
    assert hoisted(text)[0] == "set_a_if(c, 3)"


def test_a_loop_that_only_wrote_configuration_goes() -> None:
    loops = "    for i in seq(0, n):\n        for j in seq(0, n):\n            Cfg.a = n\n"
    assert hoisted(f"def f(n: size, x: f32[n]):\n    x[0] = 1.0\n{loops}") == ["x[0] = 1.0", "Cfg.a = n"]


# ---- what stays


@pytest.mark.parametrize(
    "body",
    [
        "Cfg.a = 1\n        use_a(1, x[i, 0:4])\n        Cfg.a = 2\n        use_a(2, x[i, 0:4])",  # two values in turn
        "mix(x[i, 0:4])\n        Cfg.a = 1",  # the first iteration reads what was there before
        "Cfg.a = i\n        use_a(i, x[i, 0:4])",  # the value is the iteration's own
        "Cfg.s = x[i, 0]\n        use_s(x[i, 0:4])",  # so is this one
        "x[0, 0] = 2.0 * x[0, 0]\n        Cfg.s = x[0, 0]\n        use_s(x[i, 0:4])",  # changed by the loop
        "if i < 1:\n            use_s(x[i, 0:4])\n        else:\n            Cfg.s = y\n            use_s(x[i, 0:4])",
    ],
)
def test_a_write_stays_where_another_value_is_needed(body: str) -> None:
    text = f"def f(n: size, y: f32, x: f32[n, 4]):\n    for i in seq(0, n):\n        {body}\n"
    q, report = hoist_config(program(text))
    assert str(q) == str(program(text))
    assert report.before == report.after and not report.modulo
    assert report.kept and all("stays in the loop `for i in seq(0, n)`" in line for line in report.kept)


def test_a_scalar_that_a_loop_reads_through_a_field_stays_written() -> None:
    lines = hoisted(
        "def f(n: size, y: f32, x: f32[n, 4]):\n    for i in seq(0, n):\n        Cfg.s = y\n        use_s(x[i, 0:4])\n"
    )
    assert lines == ["Cfg.s = y", "for i in seq(0, n):", "    use_s(x[i, 0:4])"]


# ---- the report


NEST = """
def f(n: size, m: size, x: f32[n, m, 4]):
    for i in seq(0, n):
        set_ab(m, i)
        for j in seq(0, m):
            Cfg.a = m
            use_a(m, x[i, j, 0:4])
            use_b(i, x[i, j, 0:4])
"""


def test_the_report_counts_writes_in_the_text_and_in_a_run() -> None:
    q, report = hoist_config(program(NEST), {"n": 3, "m": 4})
    assert report.before.static == {A: 2, B: 1} and report.before.per_run == {A: 3 + 12, B: 3}
    assert report.after.static == {A: 1, B: 1} and report.after.per_run == {A: 3, B: 3}
    assert report.after == count_config_writes(q, {"n": 3, "m": 4})
    assert str(report).splitlines() == [
        "field  writes in the text  in a run with n = 3, m = 4",
        "Cfg.a  2 -> 1              15 -> 3",
        "Cfg.b  1 -> 1              3 -> 3",
        "set_ab(m, i) stays in the loop `for i in seq(0, n)`: insert_noop_call: i uses i, which is not in scope there",
    ]


def test_without_sizes_only_the_text_is_counted() -> None:
    _, report = hoist_config(program(NEST))
    assert [line.split("  ") for line in str(report).splitlines()[1:3]] == [["Cfg.a", "2 -> 1"], ["Cfg.b", "1 -> 1"]]


def test_a_loop_that_may_not_run_is_reported() -> None:
    text = "def f(n: size, x: f32[n, 4]):\n    for i in seq(0, n - 1):\n        set_a(1)\n        use_a(1, x[i, 0:4])\n"
    q, report = hoist_config(program(text))
    assert report.modulo == {CFG.sym("a")}
    assert str(report).splitlines()[-1] == "equivalent modulo Cfg.a"
    assert q.assurance() == "every step proved, up to: the values at the end of Cfg.a"


def test_a_procedure_without_configuration_stays_itself() -> None:
    p = program("def f(n: size, x: f32[n]):\n    for i in seq(0, n):\n        x[i] = 0.0\n")
    q, report = hoist_config(p, {"n": 2})
    assert q is p and report.before.static == {} and report.after.per_run == {}


def test_sizes_must_name_every_control_formal() -> None:
    with pytest.raises(SchedulingError, match=r"sizes must give a value to n, m, got \{'n': 3\}"):
        hoist_config(program(NEST), {"n": 3})


# ---- the meaning


def outcome(p: Procedure, n: int, start: dict[ConfigKey, object]) -> tuple[list[object], dict[ConfigKey, object]]:
    buffers = {
        "y": Buffer(F32, (), [Fraction(7)]),
        "z": Buffer(F32, (4,), [Fraction(11 + i) for i in range(4)]),
        "x": Buffer(F32, (4,), [Fraction(i, 3) for i in range(4)]),
    }
    result = run(p.ir, {"n": n, **buffers}, mode="exact", configs=start)
    return [buffer.data for buffer in buffers.values()], result.configs


@settings(max_examples=30)
@given(programs(), st.integers(1, 3))
def test_hoisting_keeps_the_meaning_and_adds_no_write_to_the_text(p: Procedure, n: int) -> None:
    q, report = hoist_config(p)
    start: dict[ConfigKey, object] = {A: 5, B: 6, S: Fraction(13)}
    data, fields = outcome(p, n, start)
    data_after, fields_after = outcome(q, n, start)
    assert data == data_after, f"{p}\n{q}"
    differing = {CFG.sym(name) for (_, name) in fields if fields[CFG, name] != fields_after[CFG, name]}
    assert differing <= report.modulo, f"{p}\n{q}"
    assert all(report.after.static.get(key, 0) <= count for key, count in report.before.static.items())


def test_a_value_is_known_after_loops_in_loops_that_all_run() -> None:
    """Each of the inner loops may be empty as far as its own bounds say, which the place after them knows better."""
    text = """
def f(n: size, x: f32[n, 4]):
    for i in seq(0, n):
        for j in seq(0, n):
            for k in seq(0, n):
                set_a(3)
    use_a(3, x[0, 0:4])
"""
    assert hoisted(text)[-1] == "use_a(3, x[0, 0:4])"
    with pytest.raises(UslError, match="may break its assertion"):
        program(text.replace("for j in seq(0, n)", "for j in seq(0, n - 1)"))
    with pytest.raises(UslError, match="may break its assertion"):
        program(text.replace("set_a(3)", "set_a(j)"))
