"""Buffers of whole programs: alive from the first write to the last use, over loops and calls."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.placement import kernels_placed as kernels
from usl_core import BackendError, Procedure, proc_from_source
from usl_core.backend import callees_first
from usl_core.placement import Placed, Placement, place

SCOPE = {name: getattr(kernels, name) for name in ("PAD", "PAD_ROW_100", "PAD_BANK_2", "BLOCK", "put", "get", "both", "hold")}


def made(source: str, **more: object) -> Procedure:
    return proc_from_source(source, {**SCOPE, **more})


def placement(p: Procedure) -> Placement:
    return place([each for each in callees_first([p.ir]) if each.instr is None], [p.ir])


def buffers(p: Procedure) -> dict[str, Placed]:
    return {name.name: placed for found in placement(p).buffers.values() for name, placed in found.items()}


def rows(placed: Placed) -> set[int]:
    return {row for piece in placed.pieces for row in piece}


def banks(placed: Placed) -> set[int]:
    return {row // 64 for row in rows(placed)}


# ---- random programs against their traces


@dataclass
class Program:
    """A random program: its text, and the names of buffers as they are bound and used when it runs."""

    lines: list[str] = field(default_factory=list)
    count: int = 0


Block = list[tuple]


def blocks(draw: st.DrawFn, depth: int, visible: tuple[str, ...], names: itertools.count) -> Block:
    found: Block = []
    for _ in range(draw(st.integers(1, 4))):
        kind = draw(st.sampled_from(["alloc", "use", "use", "loop", "if", "view"] if depth else ["alloc", "use", "use"]))
        if kind == "alloc" or not visible:
            name = f"b{next(names)}"
            found.append(("alloc", name, draw(st.integers(1, 3))))
            visible = (*visible, name)
        elif kind == "use":
            found.append(("use", draw(st.sampled_from(visible)), draw(st.sampled_from(["put", "get"]))))
        elif kind == "view":
            found.append(("view", draw(st.sampled_from(visible)), f"w{next(names)}"))
        else:
            found.append((kind, draw(st.integers(0, 2)), blocks(draw, depth - 1, visible, names)))
    return found


@st.composite
def programs(draw: st.DrawFn) -> Block:
    return blocks(draw, 3, (), itertools.count())


def text(block: Block, depth: int = 1) -> list[str]:
    pad, lines = "    " * depth, []
    for each in block:
        match each:
            case ("alloc", name, extent):
                lines.append(f"{pad}{name}: i32[{extent}, 4] @ PAD")
            case ("use", name, what):
                lines.append(f"{pad}{what}(1, {name}[0:1, 0:4], v)")
            case ("view", name, view):
                lines += [f"{pad}{view} = {name}[0:1, 0:4]", f"{pad}put(1, {view}[0:1, 0:4], v)"]
            case ("loop", trips, body):
                lines += [f"{pad}for i{depth} in seq(0, {trips}):", *text(body, depth + 1)]
            case ("if", _, body):
                lines += [f"{pad}if n > 3:", *text(body, depth + 1)]
    return lines


def trace(block: Block, scope: dict[str, tuple[str, int]], made: itertools.count) -> list[tuple[str, int]]:
    """The uses in the order of a run, of allocations told apart by the run of their statement."""
    found: list[tuple[str, int]] = []
    scope = dict(scope)
    for each in block:
        match each:
            case ("alloc", name, _):
                scope[name] = (name, next(made))
            case ("use" | "view", name, _):
                found.append(scope[name])
            case ("loop", trips, body):
                for _ in range(trips):
                    found += trace(body, scope, made)
            case ("if", _, body):
                found += trace(body, scope, made)
    return found


@settings(max_examples=60, deadline=None)
@given(programs())
def test_no_two_buffers_overlap_that_a_run_has_alive_at_the_same_time(block):
    p = made("def f(n: size, v: i32):\n" + "\n".join(text(block)) + "\n")
    found = buffers(p)
    used = trace(block, {}, itertools.count())
    lives = {instance: (used.index(instance), len(used) - 1 - used[::-1].index(instance)) for instance in used}
    for (a, (first, last)), (b, (start, stop)) in itertools.combinations(lives.items(), 2):
        if first <= stop and start <= last and a[0] != b[0]:
            assert not rows(found[a[0]]) & rows(found[b[0]]), (a, b)


# ---- lives


def test_rows_are_used_again_after_the_last_use():
    p = made("""
def f(v: i32):
    a: i32[200, 4] @ PAD
    b: i32[200, 4] @ PAD
    put(200, a[0:200, 0:4], v)
    get(200, a[0:200, 0:4], v)
    put(200, b[0:200, 0:4], v)
""")
    assert {name: placed.row for name, placed in buffers(p).items()} == {"a": 0, "b": 0}


def test_a_buffer_from_outside_a_loop_lives_through_it_and_one_from_inside_does_not():
    p = made("""
def f(v: i32):
    kept: i32[100, 4] @ PAD
    for i in seq(0, 8):
        get(100, kept[0:100, 0:4], v)
        a: i32[150, 4] @ PAD
        put(150, a[0:150, 0:4], v)
        b: i32[150, 4] @ PAD
        put(150, b[0:150, 0:4], v)
""")
    found = buffers(p)
    assert not rows(found["kept"]) & (rows(found["a"]) | rows(found["b"]))
    assert rows(found["a"]) == rows(found["b"])


def test_buffers_of_a_caller_live_while_a_callee_runs():
    inner = made("""
def inner(s: i32[40, 4] @ PAD, v: i32):
    t: i32[100, 4] @ PAD
    put(100, t[0:100, 0:4], v)
    both(40, s[0:40, 0:4], t[0:40, 0:4], v)
""")
    p = made(
        """
def f(v: i32):
    a: i32[40, 4] @ PAD
    put(40, a[0:40, 0:4], v)
    waits: i32[100, 4] @ PAD
    put(100, waits[0:100, 0:4], v)
    inner(a, v)
    get(100, waits[0:100, 0:4], v)
    later: i32[200, 4] @ PAD
    put(200, later[0:200, 0:4], v)
""",
        inner=inner,
    )
    found = buffers(p)
    for one, other in itertools.combinations(("a", "waits", "t"), 2):
        assert not rows(found[one]) & rows(found[other])
    assert rows(found["later"]) & rows(found["t"])


def test_two_calls_of_one_procedure_use_the_same_rows_and_chains_of_calls_do_not():
    leaf = made("""
def leaf(v: i32):
    x: i32[60, 4] @ PAD
    put(60, x[0:60, 0:4], v)
""")
    middle = made(
        """
def middle(v: i32):
    y: i32[60, 4] @ PAD
    put(60, y[0:60, 0:4], v)
    leaf(v)
    get(60, y[0:60, 0:4], v)
""",
        leaf=leaf,
    )
    p = made(
        """
def f(v: i32):
    z: i32[60, 4] @ PAD
    leaf(v)
    put(60, z[0:60, 0:4], v)
    middle(v)
    get(60, z[0:60, 0:4], v)
    leaf(v)
""",
        leaf=leaf,
        middle=middle,
    )
    found = buffers(p)
    assert len(rows(found["x"]) | rows(found["y"]) | rows(found["z"])) == 180


# ---- banks and strides


DOUBLE = """
def f(v: i32):
    a: i32[2, 3, 4, 4] @ PAD
    b: i32[10, 4] @ PAD
    for t in seq(0, 9):
        for k in seq(0, 3):
            both(4, a[t % 2, k, 0:4, 0:4], b[0:4, 0:4], v)
            put(4, a[(t + 1) % 2, k, 0:4, 0:4], v)
"""


def test_halves_of_a_double_buffer_and_what_is_used_with_it_lie_in_three_banks():
    found = buffers(made(DOUBLE))
    assert len(banks(found["a"])) == 2 and len(banks(found["b"])) == 1 and not banks(found["a"]) & banks(found["b"])
    assert found["a"].strides[1:] == (16, 4, 1) and found["a"].strides[0] % (64 * 4) == 0
    assert found["b"].strides == (4, 1)


@pytest.mark.parametrize(
    "use",
    [
        "w = a[0:2, 0, 0, 0:4]\n    put(2, w[0:2, 0:4], v)",
        "put(2, a[0:2, 1, 0, 0:4], v)",
        "if stride(a, 0) == 48:\n        put(4, a[0, 0, 0:4, 0:4], v)",
    ],
)
def test_a_dimension_that_somebody_sees_whole_keeps_its_stride(use):
    found = buffers(made(DOUBLE + f"    {use}\n"))
    assert found["a"].strides == (48, 16, 4, 1)


def test_operands_of_one_instruction_lie_in_different_banks():
    p = made("""
def f(v: i32):
    a: i32[8, 4] @ PAD
    b: i32[8, 4] @ PAD
    put(8, a[0:8, 0:4], v)
    put(8, b[0:8, 0:4], v)
    both(8, a[0:8, 0:4], b[0:8, 0:4], v)
""")
    found = buffers(p)
    assert not banks(found["a"]) & banks(found["b"])


def test_pinned_buffers_lie_where_their_class_says():
    p = made("""
def f(v: i32):
    a: i32[8, 4] @ PAD_ROW_100
    b: i32[8, 4] @ PAD_BANK_2
    c: i32[100, 4] @ PAD
    put(100, c[0:100, 0:4], v)
    both(8, a[0:8, 0:4], b[0:8, 0:4], v)
    get(100, c[0:100, 0:4], v)
""")
    found = buffers(p)
    assert found["a"].row == 100 and banks(found["b"]) == {2} and not rows(found["c"]) & (rows(found["a"]) | rows(found["b"]))


# ---- refusals


def refused(p: Procedure) -> BackendError:
    with pytest.raises(BackendError) as caught:
        p.c_code()
    return caught.value


def test_what_does_not_fit_is_refused_with_a_picture():
    p = made("""
def f(v: i32):
    a: i32[150, 4] @ PAD
    put(150, a[0:150, 0:4], v)
    b: i32[2, 60, 4] @ PAD
    put(60, b[0, 0:60, 0:4], v)
    get(150, a[0:150, 0:4], v)
    get(60, b[1, 0:60, 0:4], v)
""")
    error = refused(p)
    assert error.code == "E621"
    assert error.message == (
        "b does not fit into memory PAD: it takes 120 of its 256 rows, and others that live at the same time take the rest"
    )
    assert error.span is not None and error.span.line == 5
    assert "0 .. 63 |aa.|" in str(error) and "no place |.bb|" in str(error) and "b = b, 2 x 60 rows" in str(error)


def test_two_blocks_alive_in_a_memory_of_one_are_refused():
    p = made("""
def f(v: i32):
    w: i32[4, 4] @ BLOCK
    x: i32[4, 4] @ BLOCK
    for i in seq(0, 3):
        hold(w[0:4, 0:4], v)
        hold(x[0:4, 0:4], v)
""")
    assert "does not fit into memory BLOCK" in refused(p).message


@pytest.mark.parametrize(
    ("type_", "use", "message"),
    [
        ("i32[8, 8]", "put(8, a[0:8, 0:4], v)", "ends in 4, the lanes of a row"),
        ("i32[n, 4]", "put(1, a[0:1, 0:4], v)", "constant shape"),
        ("i32[8, n, 4]", "put(1, a[0, 0:1, 0:4], v)", "constant shape"),
        ("i32", "pass", "is a scalar"),
    ],
)
def test_a_shape_that_is_no_rows_is_refused(type_, use, message):
    assert message in refused(made(f"def f(n: size, v: i32):\n    a: {type_} @ PAD\n    {use}\n")).message


def test_rows_up_to_a_bound_are_taken_for_an_extent_that_varies():
    p = made("""
def f(n: size, v: i32):
    assert n <= 9
    a: i32[n, 4] @ PAD
    put(n, a[0:n, 0:4], v)
""")
    assert len(rows(buffers(p)["a"])) == 9


def test_a_parallel_loop_cannot_allocate_rows():
    p = made("""
def f(x: i32[8]):
    for i in par(0, 8):
        a: i32[4, 4] @ PAD
        put(4, a[0:4, 0:4], x[i])
""")
    assert "is allocated in the parallel loop i" in refused(p).message


def test_an_exported_procedure_cannot_take_rows_but_one_that_is_called_can():
    inner = made("""
def inner(n: size, s: i32[8, 4] @ PAD, w: [i32][n, 4] @ PAD, v: i32):
    assert stride(w, 1) == 1
    put(n, w[0:n, 0:4], v)
    put(3, s[2:5, 0:4], v)
""")
    assert "inline the procedure" in str(refused(inner))
    p = made(
        """
def f(v: i32):
    a: i32[2, 8, 4] @ PAD
    b: i32[8, 4] @ PAD
    for i in seq(0, 2):
        inner(3, b, a[i, 1:4, 0:4], v)
""",
        inner=inner,
    )
    code = p.c_code()
    assert "static void inner(int64_t n, uint32_t s, uint32_t w, int64_t w_stride0, const int32_t *restrict v)" in code
    assert "put((s + 2), 3, *v);" in code
    found = buffers(p)
    stride = found["a"].strides[0] // 4
    assert f"inner(3, b, (uint32_t)(a + i * {stride} + 1), 4, v);" in code
    assert f"enum {{ b = {found['b'].row} }};" in code
