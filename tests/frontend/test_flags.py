"""Truth values as data, of type b8: what may be written, how it is printed, what it means."""

from __future__ import annotations

import pytest

from tests.primitives.equivalence import assert_body, assert_equivalent, assert_refines, parse
from usl_core import Procedure
from usl_core.errors import SchedulingError, TypeError_
from usl_core.frontend.config_class import parse_config
from usl_core.interp import POISON, Buffer, run
from usl_core.ir.traverse import same, update
from usl_core.ir.types import B8, F32, I32
from usl_core.ir.verify import problems
from usl_core.procedure import proc_from_source
from usl_core.scheduling import (
    fission,
    fold_into_reduce,
    if_to_select,
    replace,
    simplify,
    stage_mem,
)
from usl_stdlib import interleave, parallelize_reduction

FORMALS = "n: size, x: f32[n], y: f32[n], m: b8[n], k: b8[n], every: b8, c: bool"


def within(line: str) -> Procedure:
    """A procedure with a statement in a loop."""
    return proc_from_source(f"def f({FORMALS}):\n    for i in seq(0, n):\n        {line}\n", file="<test>")


def body(line: str) -> str:
    """How the statement is printed; what is printed says the same."""
    p = within(line)
    assert same(proc_from_source(str(p)).ir, p.ir)
    return str(p).split("\n", 3)[3].strip()


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ("m[i] = x[i] < y[i]", "m[i] = x[i] < y[i]"),
        ("m[i] = x[i] >= 0.5", "m[i] = 0.5 <= x[i]"),
        ("m[i] = x[i] != y[i]", "m[i] = ~(x[i] == y[i])"),
        ("m[i] = 0.0 < x[i] <= 1.0", "m[i] = (0.0 < x[i]) & (x[i] <= 1.0)"),
        ("m[i] = m[i] and not k[i] or x[i] > y[i]", "m[i] = m[i] & ~k[i] | (y[i] < x[i])"),
        ("m[i] = k[i] == (x[i] < y[i])", "m[i] = k[i] == (x[i] < y[i])"),
        ("m[i] = True", "m[i] = True"),
        ("m[i] = True ^ (False | True)", "m[i] = True ^ (False | True)"),
        ("m[i] = ~(x[i] < y[i])", "m[i] = ~(x[i] < y[i])"),
        ("m[i] = b8(f32(1.0) < 2.0)", "m[i] = f32(1.0) < 2.0"),
        ("m[i] = select(k[i], m[i], False)", "m[i] = select(False, k[i], m[i], False)"),
        ("m[i] = select(x[i], y[i], True, False)", "m[i] = select(x[i], y[i], True, False)"),
        ("every &= x[i] < y[i]", "every &= x[i] < y[i]"),
        ("x[i] = f32(m[i] and k[i]) + f32(x[i] < y[i])", "x[i] = f32(m[i] & k[i]) + f32(x[i] < y[i])"),
        ("x[idx(m[i], 0, 1)] = y[i]", "x[idx(m[i], 0, 1)] = y[i]"),
    ],
)
def test_comparisons_and_what_is_made_of_them_are_values(written: str, printed: str) -> None:
    assert body(written) == printed


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ("m[i]", "m[i] != False"),
        ("not m[i]", "~m[i] != False"),
        ("m[i] and k[i]", "m[i] & k[i] != False"),
        ("m[i] and i < 2 and x[i] < y[i]", "m[i] != False and i < 2 and x[i] < y[i]"),
        ("m[i] != k[i]", "m[i] != k[i]"),
        ("c and m[i]", "c and m[i] != False"),
    ],
)
def test_flags_are_conditions(written: str, printed: str) -> None:
    assert body(f"if {written}:\n            x[i] = 0.0").splitlines()[0] == f"if {printed}:"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("m[i] = m[i] + k[i]", r"`\+` needs numbers, not b8 data; convert it explicitly, as i32\(b\) does"),
        ("m[i] = -m[i]", r"`-` needs a number, not b8 data\n"),
        ("m[i] = m[i] << k[i]", "`<<` is defined on integer data only, not on b8 data"),
        ("m[i] = m[i] < k[i]", "`<` cannot compare truth values"),
        ("m[i] = max(m[i], k[i])", "max: arguments must be numbers, got b8"),
        ("m[i] += k[i]", r"`\+=` is defined on numbers only, not on b8"),
        ("m[i] @= max(k[i])", "`@= max` is defined on numbers only, not on b8"),
        ("m[i] = 1", "1 is not of type b8; write True or False"),
        ("m[i] = x[i]", "must be b8 data, not f32 data; compare it, as `x != 0` does"),
        ("m[i] = b8(x[i])", r"the argument of b8\(...\) must be b8 data, not f32 data; compare it"),
        ("x[i] = m[i]", r"must be f32 data, not b8 data; convert it explicitly with f32\(m\[i\]\)"),
        ("m[i] = c", "what depends on control values only is stored with `if`"),
        ("m[i] = x[i] < y[i] and i < 3", "i < 3 depends on control values only; test it in `if`"),
        ("check(m[i])", "must be a truth value"),
        ("t: bool[4]", "bool is a control type; buffers hold data, truth values are b8"),
    ],
)
def test_what_flags_are_not_is_refused_in_words(line: str, message: str) -> None:
    with pytest.raises(TypeError_, match=message):
        within(line)


def test_a_field_of_a_configuration_is_no_flag() -> None:
    with pytest.raises(TypeError_, match="field on cannot have type b8; write index, size, bool"):
        parse_config(type("C", (), {"__annotations__": {"on": "b8"}, "__module__": __name__}))


def test_no_rewrite_may_calculate_with_flags() -> None:
    p = within("m[i] = m[i] & k[i]").ir
    (loop,) = p.body
    (store,) = loop.body  # type: ignore[union-attr]
    for op, well in (("&", True), ("+", False), ("*", False), ("<<", False)):
        other = update(store, rhs=update(store.rhs, op=op))  # type: ignore[union-attr]
        assert (not problems(update(p, body=(update(loop, body=(other,)),)))) is well


def values(line: str, *given: object) -> list[object]:
    """m afterwards, of x, y, m and k."""
    x, y, m, k = given
    buffers = {"x": Buffer.of(F32, x), "y": Buffer.of(F32, y), "m": Buffer.of(B8, m), "k": Buffer.of(B8, k)}
    p = proc_from_source(f"def f(x: f32[4], y: f32[4], m: b8[4], k: b8[4]):\n    for i in seq(0, 4):\n        {line}\n")
    run(p.ir, dict(buffers), mode="exact")
    return list(buffers["m"].values())


def test_values_are_exact_and_poison_stays_poison() -> None:
    x, y, k = [0, 1, 2, POISON], [1, 1, 1, 1], [0, 1, 0, 1]
    m = [1, 1, 1, 1]
    assert values("m[i] = x[i] < y[i]", x, y, m, k) == [1, 0, 0, POISON]
    assert values("m[i] = x[i] <= y[i]", x, y, m, k) == [1, 1, 0, POISON]
    assert values("m[i] = x[i] == y[i]", x, y, m, k) == [0, 1, 0, POISON]
    assert values("m[i] = x[i] != y[i]", x, y, m, k) == [1, 0, 1, POISON]
    assert values("m[i] = not k[i]", x, y, m, k) == [1, 0, 1, 0]
    assert values("m[i] ^= k[i]", x, y, m, k) == [1, 0, 1, 0]
    assert values("m[i] &= k[i]", x, y, m, k) == k
    assert values("m[i] = y[i] == 1.0 or k[i]", x, y, m, k) == [1, 1, 1, 1]


MASKED = """
    def f(n: size, x: f32[n], y: f32[n], m: b8[n], every: b8, some: b8, odd: b8):
        for i in seq(0, n):
            m[i] = x[i] < y[i]
            every &= m[i]
            some |= m[i]
            odd ^= m[i]
            if m[i]:
                x[i] = y[i]
    """


def test_operators_keep_their_meaning() -> None:
    p = parse(MASKED)
    for q in (
        fission(p, p.find("every &= _").before()),
        stage_mem(p, "for i in _:_", "every", "t", accum=True),
        stage_mem(p, "every &= _", "m[i]", "t"),
        simplify(p),
    ):
        assert_equivalent(p, q)
    assert_refines(p, if_to_select(p, p.find("if _: _")))


def test_reductions_of_flags_are_shared_and_interleaved() -> None:
    p = parse("""
        def f(n: size, m: b8[n], odd: b8):
            for i in seq(0, n):
                odd ^= m[i]
        """)
    for way in (parallelize_reduction, interleave):
        q, _ = way(p, "i", 4)
        assert_equivalent(p, q)
    written_out = parse("""
        def f(n: size, m: b8[n], odd: b8):
            for i in seq(0, n):
                odd = odd ^ m[i]
        """)
    assert_body(fold_into_reduce(written_out, "odd = _"), "for i in seq(0, n):\n    odd ^= m[i]")
    chosen = parse("""
        def f(n: size, m: b8[n], odd: b8):
            for i in seq(0, n):
                odd = select(odd, m[i], odd, m[i])
        """)
    with pytest.raises(SchedulingError):  # which would be `@= min`
        fold_into_reduce(chosen, "odd = _")


@pytest.mark.parametrize("pattern", ["m[_] = x[_] < y[_]", "x[_] < y[_]", "y[_] > _", "k[_] = True", "if m[_] != False: _"])
def test_patterns_find_what_is_printed(pattern: str) -> None:
    p = proc_from_source(f"""
def f({FORMALS}):
    for i in seq(0, n):
        m[i] = x[i] < y[i]
        k[i] = True
        if m[i]:
            x[i] = 0.0
""")
    assert len(p.find_all(pattern)) == 1
    assert not p.find_all(
        pattern.replace("x[_]", "k[_]").replace("y[_] >", "x[_] >").replace("True", "False").replace("!=", "==")
    )


def test_a_comparison_is_an_instruction() -> None:
    compare = parse("""
        def compare(m: [b8][4], x: [f32][4], y: [f32][4]):
            for i in seq(0, 4):
                m[i] = x[i] < y[i]
        """)
    p = parse("""
        def f(x: f32[8], y: f32[8], m: b8[8], k: b8[8]):
            for i in seq(0, 4):
                m[i + 4] = x[i] < y[i + 4]
            for i in seq(0, 4):
                k[i] = x[i] <= y[i]
        """)
    q = replace(p, "for i in _:_", compare)
    assert "compare(m[4:8], x[0:4], y[4:8])" in str(q)
    assert_equivalent(p, q)
    with pytest.raises(SchedulingError):
        replace(q, "for i in _:_", compare)


def test_conversions_count() -> None:
    p = proc_from_source("""
def count(x: i32[5], total: i32):
    for i in seq(0, 5):
        total += i32(x[i] > 2)
""")
    total = Buffer.of(I32, 10)
    run(p.ir, {"x": Buffer.of(I32, [1, 5, 4, 2, 3]), "total": total}, mode="exact")
    assert total.values() == [13]
