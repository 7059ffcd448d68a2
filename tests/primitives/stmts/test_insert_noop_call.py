"""insert_noop_call: a call that does nothing, legal where it stands."""

from __future__ import annotations

import pytest

from tests.primitives.equivalence import assert_body, assert_equivalent, parse
from usl_core.errors import SchedulingError, UsageError
from usl_core.ir.config import Config, ConfigField
from usl_core.ir.memory import Memory
from usl_core.ir.types import INDEX
from usl_core.primitives.config.write_config import write_config
from usl_core.primitives.stmts.insert_noop_call import insert_noop_call
from usl_core.procedure import Procedure


class Registers(Memory):
    """A memory of its own."""

    name = "Registers"


PREFETCH = """
    def prefetch(k: size, x: [f32][k]):
        assert k <= 16
        for i in seq(0, k):
            pass
"""


def program() -> Procedure:
    return parse("""
        def f(n: size, x: f32[n, 32], y: f32[n]):
            for i in seq(0, n):
                y[i] = x[i, 0]
    """)


def test_a_prefetch_is_inserted_and_does_nothing():
    p = program()
    q = insert_noop_call(p, p.find("y[_] = _").before(), parse(PREFETCH), [16, "x[i, 0:16]"])
    assert_body(
        q,
        """
        for i in seq(0, n):
            prefetch(16, x[i, 0:16])
            y[i] = x[i, 0]
        """,
    )
    assert_equivalent(p, q)
    assert q.forward(p.find("y[_] = _")) == q.find("y[_] = _")


def test_scalars_and_truth_values_are_passed():
    g = parse("def g(c: bool, a: f32, k: index, x: f32[8]):\n    if c:\n        pass")
    p = parse("def f(n: size, x: f32[8]):\n    x[0] = 0.0")
    q = insert_noop_call(p, p.body()[0].after(), g, ["n > 3", 2.0, "n - 1", "x"])
    assert "g(n > 3, 2.0, n - 1, x)" in str(q)
    assert_equivalent(p, q)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([32, "x[i, 0:32]"], "an assertion of prefetch|k <= 16"),
        ([16, "x[i, 0:8]"], "extent 0 of argument x of prefetch may differ"),
        ([8, "x[i + 1, 0:8]"], "may be out of bounds"),
        (["n - n", "x[i, 0:1]"], "size k of prefetch may be below 1"),
        ([8, "z[i, 0:8]"], "z"),
        ([8], "takes 2 arguments, got 1"),
        ([8, 3], "the buffer for x is wanted as text"),
        ([8, "x[0:n, 0:8]"], "dimension"),
        ("xy", "args must be a list"),
    ],
)
def test_arguments_that_are_not_legal_are_refused(args: list[object], message: str):
    p = program()
    with pytest.raises(UsageError if isinstance(args, str) else SchedulingError, match=message):
        insert_noop_call(p, p.find("y[_] = _").before(), parse(PREFETCH), args)


@pytest.mark.parametrize(
    "body",
    ["x[0] = 0.0", "check(k > 3)", "t: f32\n        t = x[0]", "if x[0] < 1.0:\n            pass"],
)
def test_a_body_that_may_do_something_is_refused(body: str):
    g = parse(f"""
    def g(k: size, x: [f32][k]):
        {body}
    """)
    p = program()
    with pytest.raises(SchedulingError, match="the body of g is not a no-op"):
        insert_noop_call(p, p.find("y[_] = _").before(), g, [8, "x[i, 0:8]"])


def test_a_call_of_something_that_is_not_a_no_op_is_refused():
    h = parse("def h(x: [f32][8]):\n    x[0] = 0.0")
    g = parse("def g(x: [f32][8]):\n    h(x)", h=h)
    p = program()
    with pytest.raises(SchedulingError, match="the body of g is not a no-op"):
        insert_noop_call(p, p.find("y[_] = _").before(), g, ["x[i, 0:8]"])
    with pytest.raises(UsageError, match="instr must be a Procedure, got 'prefetch'"):
        insert_noop_call(p, p.find("y[_] = _").before(), "prefetch", [])  # type: ignore[arg-type]


def test_what_a_callee_asserts_on_configuration_is_proved():
    config = Config("Cfg", {"n": ConfigField("n", INDEX)})
    g = parse("def g(x: [f32][8]):\n    assert Cfg.n > 0\n    pass", Cfg=config)
    p = program()
    with pytest.raises(SchedulingError, match=r"call of g may break its assertion Cfg.n > 0") as caught:
        insert_noop_call(p, p.find("y[_] = _").before(), g, ["x[i, 0:8]"])
    assert caught.value.code == "E410"
    set_before = write_config(p, p.body()[0].before(), config, "n", 2)
    assert "g(x[i, 0:8])" in str(insert_noop_call(set_before, set_before.find("y[_] = _").before(), g, ["x[i, 0:8]"]))


CFG = Config("Cfg", {"n": ConfigField("n", INDEX), "m": ConfigField("m", INDEX)})
SET = parse("def set_both(a: index, b: index):\n    Cfg.n = a\n    Cfg.m = b", Cfg=CFG)


def setting(text: str) -> Procedure:
    return parse(text, Cfg=CFG, set_both=SET)


def test_a_call_that_only_writes_fields_goes_where_these_are_written_again_before_they_are_read():
    p = setting("""
        def f(n: size, x: f32[n]):
            for i in seq(0, n):
                set_both(n, 3)
                x[i] = f32(Cfg.n + Cfg.m)
    """)
    q = insert_noop_call(p, p.find_loop("i").before(), SET, ["n", 3])
    assert_body(
        q,
        """
        set_both(n, 3)
        for i in seq(0, n):
            set_both(n, 3)
            x[i] = f32(Cfg.n + Cfg.m)
        """,
    )
    assert_equivalent(p, q)
    assert q.history()[-1].modulo == frozenset()
    late = insert_noop_call(p, p.find_loop("i").after(), SET, [1, 2])
    assert {field.name for field in late.history()[-1].modulo} == {"Cfg.n", "Cfg.m"}


def test_a_call_that_sets_fields_to_what_they_hold_goes_anywhere_and_arguments_may_be_cursors():
    p = setting("""
        def f(n: size, x: f32[n]):
            set_both(n, 3)
            x[0] = f32(Cfg.n + Cfg.m)
    """)
    args = p.find("set_both(_)").args()
    q = insert_noop_call(p, p.body()[1].before(), SET, list(args))
    assert str(q).count("set_both(n, 3)") == 2 and not q.history()[-1].modulo


@pytest.mark.parametrize("args", [["n", 4], ["n + 1", 3]])
def test_a_field_that_is_read_before_it_is_written_again_keeps_its_value(args):
    p = setting("""
        def f(n: size, x: f32[n]):
            set_both(n, 3)
            x[0] = f32(Cfg.n + Cfg.m)
    """)
    with pytest.raises(SchedulingError, match="may be read before it is written again") as caught:
        insert_noop_call(p, p.body()[1].before(), SET, args)
    assert caught.value.code == "E440"


def test_the_iterations_of_a_parallel_loop_write_no_field():
    p = setting("""
        def f(n: size, x: f32[n]):
            for i in par(0, n):
                x[i] = 0.0
    """)
    with pytest.raises(SchedulingError) as caught:
        insert_noop_call(p, p.find("x[_] = _").before(), SET, [1, 2])
    assert caught.value.code == "E442"


def test_a_body_that_reads_a_field_and_does_nothing_is_a_noop():
    g = parse("def g(x: [f32][8]):\n    for i in seq(0, max(0, Cfg.n)): pass", Cfg=CFG)
    p = program()
    assert "g(x[i, 0:8])" in str(insert_noop_call(p, p.find("y[_] = _").before(), g, ["x[i, 0:8]"]))


def test_a_buffer_in_another_memory_is_refused():
    g = parse("def g(a: f32, x: [f32][8] @ Registers):\n    pass", Registers=Registers)
    p = program()
    with pytest.raises(SchedulingError, match=r"x of g is in Registers, but x\[i, 0:8\] is in DRAM"):
        insert_noop_call(p, p.find("y[_] = _").before(), g, [1.0, "x[i, 0:8]"])
