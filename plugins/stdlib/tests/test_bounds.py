"""infer_bounds and touched against the accesses that the interpreter records, and on what people write."""

from __future__ import annotations

import itertools
import random
from collections import defaultdict

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.fuzz.generate import generate
from tests.fuzz.inputs import Controls, control_vectors, random_inputs
from tests.primitives.equivalence import parse
from usl_core import Procedure, SchedulingError, divide_loop, rename, stage_mem
from usl_core.errors import InterpError, UsageError, UslError
from usl_core.interp import Access, Buffer, run
from usl_core.procedure import from_ir
from usl_stdlib import affine_range, infer_bounds, touched
from usl_stdlib.memory_traffic import Touched

Event = tuple[str, tuple[int, ...]]
"""The kind of an access and the element."""


def recorded(p: Procedure, controls: Controls, rng: random.Random) -> dict[str, list[Event]] | None:
    """The accesses of a run to the data formals, by name; None if the run stops early."""
    inputs = random_inputs(p.ir, controls, rng)
    args = inputs.fresh()
    elements = {
        id(value.data): (name, {value.at(point): point for point in itertools.product(*map(range, value.shape))})
        for name, value in args.items()
        if isinstance(value, Buffer)
    }
    events: dict[str, list[Event]] = defaultdict(list)

    def record(access: Access) -> None:
        if access.storage in elements:
            name, points = elements[access.storage]
            events[name].append((access.kind, points[access.offset]))

    try:
        run(p.ir, args, mode="exact", configs=inputs.configs(), trace=record, max_bits=3000)
    except InterpError:
        return None
    return events


def agree(found: Touched, events: list[Event], controls: Controls) -> None:
    """The box contains every access and counts are not exceeded; what is called exact is."""
    sizes = {name: value for name, value in controls.items() if not isinstance(value, bool)}
    here = found.at(**sizes)
    ranges = [(each.lo.value(), each.hi.value()) for each in here.bounds.ranges]
    for _, point in events:
        assert all(lo <= index < hi for index, (lo, hi) in zip(point, ranges, strict=True)), f"{point} is not in {found.bounds}"
    if found.bounds.exact and events:
        assert ranges == [(min(c), max(c) + 1) for c in zip(*(point for _, point in events), strict=True)]
    for kind, amount in (("read", here.reads), ("write", here.writes)):
        count = sum(event == kind or event.startswith("reduce") for event, _ in events)
        assert count == amount.value.value() if amount.exact else count <= amount.value.value()


@given(st.integers(0, 2**32))
@settings(max_examples=40)
def test_bounds_contain_every_access_of_random_programs_and_are_exact_where_they_say_so(seed: int) -> None:
    rng = random.Random(seed)
    try:
        p = from_ir(generate(rng))
    except UslError:
        assume(False)
    found = {each.buffer: each for each in touched(p)}
    for controls in control_vectors(p.ir, rng, 4, 3):
        events = recorded(p, controls, rng)
        for name, accesses in (events or {}).items():
            agree(found[name], accesses, controls)


AFFINE = {
    "stencil": """
        def f(n: size, x: f32[n + 2], y: f32[n]):
            for i in seq(0, n):
                y[i] = x[i] + x[i + 1] + x[i + 2]
    """,
    "downwards": """
        def f(n: size, m: size, x: f32[n + 2 * m], y: f32[m]):
            for i in seq(0, n):
                for j in seq(0, m):
                    y[m - 1 - j] = x[n - 1 - i + 2 * j]
    """,
    "triangle": """
        def f(n: size, x: f32[n, n], y: f32[n]):
            for i in seq(0, n):
                for j in seq(0, i + 1):
                    y[i] += x[i, j]
    """,
    "offset": """
        def f(n: size, start: index, x: f32[n + 8], y: f32[8]):
            assert start >= 0
            assert start < n
            for i in seq(2, 8):
                y[i] = x[start + i]
    """,
    "window": """
        def f(n: size, x: f32[n, n + 3], y: f32[n]):
            for i in seq(0, n):
                w = x[i, 1:n + 2]
                y[i] = w[0] + w[n]
    """,
}


@pytest.mark.parametrize("text", AFFINE.values(), ids=AFFINE.keys())
def test_bounds_of_affine_accesses_are_exact(text: str) -> None:
    p = parse(text)
    rng = random.Random(0)
    for found in touched(p):
        assert found.bounds.exact and found.reads.exact and found.writes.exact
        for controls in control_vectors(p.ir, rng, 4, 5):
            events = recorded(p, controls, rng)
            assert events is not None
            agree(found, events[found.buffer], controls)


def blur(tail: str) -> Procedure:
    return divide_loop(parse(AFFINE["stencil"]), "i", 32, ["io", "ii"], tail=tail)


def test_bounds_are_those_of_the_scope() -> None:
    p = blur("cut")
    outer = p.find_loop("io")
    assert str(infer_bounds(outer.body(), "x")) == "x[32 * io:32 * io + 34]"
    assert str(infer_bounds(outer.body()[0], "x")) == "x[32 * io:32 * io + 34]"
    assert str(infer_bounds(outer, "x")) == "x[0:32 * (n / 32) + 2]"
    assert str(infer_bounds(outer.next(), "x")) == "x[32 * (n / 32):n + 2]"
    assert str(infer_bounds(p, "x")) == "x[0:n + 2]"
    assert infer_bounds(outer, "x").exact and not infer_bounds(p, "x").exact


def test_conditions_narrow_bounds() -> None:
    p = blur("guard")
    inside = infer_bounds(p.find_loop("io").body(), "x")
    assert str(inside) == "x[32 * io:min(32 * io + 34, n + 2)]"
    assert str(infer_bounds(p, "y")) == "y[0:n]"


@pytest.mark.parametrize("op", ["<", "<=", ">", ">=", "==", "!="])
def test_both_branches_of_every_comparison_are_narrowed_soundly(op: str) -> None:
    p = parse(f"""
        def f(x: f32[8], y: f32[8]):
            for i in seq(0, 8):
                if i {op} 3:
                    x[i] = 0.0
                else:
                    y[i] = 0.0
    """)
    events = recorded(p, {}, random.Random(0))
    assert events is not None
    for found in touched(p):
        agree(found, events[found.buffer], {})
        hull = [(min(c), max(c) + 1) for c in zip(*(point for _, point in events[found.buffer]), strict=True)]
        assert op in ("==", "!=") or [(each.lo.value(), each.hi.value()) for each in found.bounds.ranges] == hull


def test_operands_that_may_not_be_evaluated_count_as_an_upper_bound() -> None:
    for text in ("z[i] = select(x[i], 0.0, y[i], 1.0)", "if x[i] < 0.0 and y[i] < 0.0:\n            z[i] = 0.0"):
        p = parse(f"def f(n: size, x: f32[n], y: f32[n], z: f32[n]):\n    for i in seq(0, n):\n        {text}")
        assert {each.buffer: str(each.reads) for each in touched(p)} == {"x": "<= n", "y": "<= n", "z": "0"}


def test_assertions_simplify_bounds() -> None:
    p = parse("""
        def f(n: size, x: f32[n]):
            assert n % 8 == 0
            assert n >= 16
            for io in seq(0, n / 8):
                for ii in seq(0, 8):
                    x[8 * io + ii] = 0.0
            for i in seq(0, 16):
                x[i] = 1.0
    """)
    assert str(infer_bounds(p.find_loop("io"), "x")) == "x[0:n]"
    assert str(infer_bounds(p, "x")) == "x[0:n]"


@pytest.mark.parametrize(("fact", "box"), [("n >= 16", "x[0:n]"), ("n > 15", "x[0:n]"), ("n >= 15", "x[0:max(16, n)]")])
def test_assertions_say_which_of_two_ends_is_the_greater(fact: str, box: str) -> None:
    p = parse(f"""
        def f(n: size, x: f32[n + 1]):
            assert {fact}
            for i in seq(0, n):
                x[i] = 0.0
            for i in seq(0, 16):
                x[i] = 1.0
    """)
    assert str(infer_bounds(p, "x")) == box


@pytest.mark.parametrize("tail", ["cut", "guard"])
def test_bounds_are_windows_that_stage_mem_takes(tail: str) -> None:
    p = blur(tail)
    body = p.find_loop("io").body()
    staged = stage_mem(p, body, str(infer_bounds(body, "x")), "xs")
    assert "xs: f32[" in str(staged)


def test_a_window_of_a_window_has_no_bounds_of_its_own() -> None:
    """It is bound inside of the code, as what it shows is: only the buffer can be asked about."""
    p = parse("""
        def f(n: size, x: f32[n]):
            for l in seq(0, n):
                t: f32[3, 4]
                v = t[0:3, 0:4]
                w = v[1:3, 1:3]
                w[0, 1] = 2.0
    """)
    with pytest.raises(SchedulingError, match=r"infer_bounds: the code does not read or reduce or write w"):
        infer_bounds(p.find_loop("l"), "w")
    assert str(infer_bounds(p.find("w[_] = _"), "t")) == "t[1:2, 2:3]"


def test_instructions_are_looked_into_and_kinds_are_told_apart() -> None:
    axpy = parse("""
        def axpy(k: size, a: f32, x: [f32][k], y: [f32][k]):
            for i in seq(0, k):
                y[i] += a * x[i]
    """)
    p = parse(
        """
        def f(n: size, x: f32[4, 8 * n], y: f32[8 * n], s: f32[4]):
            for i in seq(0, n):
                axpy(8, s[2], x[1, 8 * i:8 * i + 8], y[8 * i:8 * i + 8])
                axpy(8, 2.0, x[3, 8 * i:8 * i + 8], y[8 * i:8 * i + 8])
        """,
        axpy=axpy,
    )
    body = p.find_loop("i").body()
    assert [str(each.bounds) for each in touched(body)] == ["s[2:3]", "x[1:4, 8 * i:8 * i + 8]", "y[8 * i:8 * i + 8]"]
    assert str(infer_bounds(p, "y", ["reduce"])) == "y[0:8 * n]"
    with pytest.raises(SchedulingError, match="does not write y"):
        infer_bounds(p, "y", ["write"])


INEXACT = {
    "an inner loop is empty at the end": "for i in seq(0, n):\n    for j in seq(0, i):\n        x[i] = 0.0",
    "a condition": "for i in seq(0, n):\n    if i > 2:\n        x[i] = 0.0",
    "loops of which one may be empty": "x[0] = 0.0\nfor i in seq(0, n - 1):\n    x[i + 1] = 0.0",
    "a quotient": "for i in seq(0, n):\n    for j in seq(0, 4):\n        x[i / 2 + j % 2] = 0.0",
    "a step that overlaps": "for i in seq(0, n):\n    x[min(i, n - 1 - i)] = 0.0",
}


@pytest.mark.parametrize("body", INEXACT.values(), ids=INEXACT.keys())
def test_bounds_whose_ends_may_not_be_reached_are_not_called_exact(body: str) -> None:
    p = parse("def f(n: size, x: f32[n + 1]):\n" + "".join(f"    {line}\n" for line in body.splitlines()))
    rng = random.Random(0)
    (found,) = touched(p)
    assert not found.bounds.exact
    for controls in control_vectors(p.ir, rng, 4, 6):
        events = recorded(p, controls, rng)
        assert events is not None
        agree(found, events["x"], controls)


def test_an_index_that_depends_on_data_may_be_any() -> None:
    p = parse("""
        def histogram(n: size, d: i32[n], count: i32[10]):
            for i in seq(0, n):
                count[idx(d[i], 0, 10)] += 1
    """)
    found = infer_bounds(p, "count")
    assert (str(found), found.exact) == ("count[0:10]", False)


def test_buffers_of_one_name_are_told_apart_by_their_allocations() -> None:
    p = parse("""
        def f(n: size, x: f32[n]):
            if n > 3:
                t: f32[4]
                t[1] = x[0]
            else:
                t: f32[2]
                t[0] = x[0]
    """)
    with pytest.raises(SchedulingError, match="several buffers t"):
        infer_bounds(p, "t")
    later = rename(p, "g")
    assert [str(infer_bounds(later, alloc)) for alloc in p.find("t: _", many=True)] == ["t[1:2]", "t[0:1]"]


def test_bounds_of_what_is_not_accessed_or_not_code_are_refused() -> None:
    p = blur("cut")
    with pytest.raises(SchedulingError, match="does not read or reduce or write z"):
        infer_bounds(p, "z")
    with pytest.raises(UsageError, match="kinds are read, write, reduce"):
        infer_bounds(p, "x", ["load"])
    with pytest.raises(SchedulingError, match="a procedure, a statement or a block is wanted"):
        infer_bounds(p.find("x[_]"), "x")


def test_ranges_of_expressions_are_those_while_the_scope_runs() -> None:
    p = blur("cut")
    index = p.find("x[_ + 1]").idx()[0]
    assert str(affine_range(index)) == "1:32 * (n / 32) + 1"
    assert str(affine_range(index, p.find_loop("ii"))) == "32 * io + 1:32 * io + 33"
    with pytest.raises(UsageError, match="affine_range: expr must be an ExprCursor"):
        affine_range(p.find_loop("ii"))
    with pytest.raises(SchedulingError, match="not inside"):
        affine_range(index, p.find_loop("ii #1"))
