"""Programs with running results and with counters, many of them in a way that is not quite alike."""

from __future__ import annotations

import random
from typing import Any

from tests.fuzz.actions import ACTIONS, At, Draft
from tests.fuzz.actions_statements import action
from tests.fuzz.kernels_operations import DECLARED
from tests.fuzz.sites import Site, expressions, loops, sites
from usl_core.cursors.path import Loc
from usl_core.ir.externs import IDX
from usl_core.ir.nodes import ExternCall, Pass, Proc, Read, Reduce
from usl_core.ir.printer import show_expr
from usl_core.ir.traverse import free_names, walk


def scan_program(rng: random.Random) -> Proc:
    """Running results of a loop, a scan in place, or elements that are kept; and what disturbs them, often."""
    from usl_core.procedure import proc_from_source

    text = rng.choice((_running, _running, _in_place, _counted, _counted))(rng)
    return proc_from_source(text, {op.name: op for op in DECLARED}).ir


def _reduction(rng: random.Random, typ: str) -> str:
    ways = ["{0} += {1}", "{0} += {1}", "{0} *= {1}", "{0} @= max({1})", "{0} @= min({1})"]
    ways += ["{0} ^= {1}", "{0} &= {1}"] if typ[0] in "iu" else []
    return rng.choice([*ways, *(f"{{0}} @= {op.name}({{1}})" for op in DECLARED if str(op.type) == typ)])


def _running(rng: random.Random) -> str:
    typ = rng.choice(("f32", "R", "i32", "u8", "i8"))
    s = rng.choice(("s", "s", "s", "z[1]", "w[0]", "z[i % 2]", "x[0]"))
    e = rng.choice(("x[i]", "x[i]", "x[n + 3 - i]", "x[i] * y[0]", "x[idx(k, 0, n)]", "s", "z[0]", "x[i] + x[i + 1]"))
    used = rng.choice((s, s, f"{s} * x[i + 1]", f"max({s}, y[1])", "z[1]", "w[0]", f"{s} - {s}"))
    place = rng.choice(("y[i]", "y[i]", "y[n - 1 - i]", "y[0]", "x[i]", "x[i + 1]", "z[i % 3]", "y[idx(k, 0, n)]"))
    after = [f"{place} {rng.choice(('=', '=', '=', '+='))} {used}"]
    after += rng.choice(([], [], [f"z[2] = {s}"], ["y[i] *= x[i]"], ["s = x[i]"], ["pass"]))
    before = rng.choice(([], [], [], [f"y[i] = {s}"], [f"z[0] = {s}"], [f"x[i] = {s}"], ["z[0] = x[i]"], ["pass"]))
    body = [*before, _reduction(rng, typ).format(s, e), *after]
    lines = "\n".join(f"        {line}" for line in body)
    low, high = rng.choice((("0", "n"), ("0", "n"), ("0", "4"), ("0", "n - 1"), ("1", "n"), ("0", "6")))
    return f"""def scan(n: size, x: {typ}[n + 8], y: {typ}[n + 8], z: {typ}[4], s: {typ}, k: i32):
    assert n < 100
    w = z[1:3]
    for i in {rng.choice(("seq", "seq", "seq", "seq", "seq", "par"))}({low}, {high}):
{lines}
    z[3] = {rng.choice((s.replace("i % 2", "1"), "x[2]", "y[0]"))}
"""


def _in_place(rng: random.Random) -> str:
    typ = rng.choice(("f32", "i32", "u8"))
    step, count = rng.choice((1, 1, 2, 3)), rng.choice((4, 6, 8, 5))
    here, there = rng.choice(
        (
            ("x[j]", f"x[j - {step}]"),
            ("x[j]", f"x[j - {step}]"),
            ("z[r, j]", f"z[r, j - {step}]"),
            ("x[2 * j]", f"x[2 * j - {2 * step}]"),
            ("x[8 - j]", f"x[8 - j + {step}]"),
            ("x[j / 2]", "x[j / 2 - 1]" if step > 1 else "x[0]"),
            ("x[j]", f"x[j + {step}]"),
            ("z[r, j]", f"z[0, j - {step}]"),
            ("w[j]", f"w[j - {step}]"),
            ("w[j]", f"x[j - {step}]"),
            ("z[j % 2, j]", f"z[j % 2, j - {step}]"),
        )
    )
    high = rng.choice((str(count), str(count), "n", "min(n, 8)"))
    return f"""def scan(n: size, r: index, x: {typ}[n + 20], z: {typ}[2, n + 10]):
    assert n > {rng.choice((step, 2 * step))} and n < 50
    assert 0 <= r and r < 2
    w = x[1:n + 19]
    for j in seq({rng.choice((step, step, step + 1))}, {high}):
        {_reduction(rng, typ).format(here, there)}
"""


def _counted(rng: random.Random) -> str:
    typ, least = rng.choice((("i32", "-2147483648"), ("i64", "0"), ("u8", "0"), ("i8", "-128")))
    start = rng.choice(("0", "0", "3", f"{typ}(n)", "120", least, "k"))
    grows = ["c += 1", "c += 1", "c += 2", "c += select(x[i], 2.0, 1, 0)", "c += select(x[0], x[i], 1, 3)", "c = c + 1"]
    grows += [
        "c += k",
        "c -= 1",
        "c = 0",
        f"c += select(x[i], 1.0, 1, {'-1' if typ[0] == 'i' else '255'})",
        "c *= 2",
        "d += 1",
        "pass",
    ]
    way = rng.choice(("{0}", "if x[i] > 1.0:\n            {0}", "if i < 3:\n            {0}\n        else:\n            {1}"))
    inner = rng.choice(("{0}", "{0}", "for j in seq(0, 2):\n            {0}", "for j in seq(0, i):\n            {0}"))
    change = way.format(rng.choice(grows), rng.choice(grows))
    change = inner.format(change) if "\n" not in change else change
    index = rng.choice(("c", "c", "c", "c + 1", f"{typ}(i) - c", "c + d", "d", f"{typ}(n) - c", "k"))
    limits = rng.choice(("0, n + 8", "0, n + 8", "0, 2 * n + 8", "0, n", "1, n + 8", "-3, 5", "0, 260"))
    use = rng.choice(
        (f"y[idx({index}, {limits}) + 3] = x[i]", f"s = y[idx({index}, {limits}) + 3]", f"y[idx({index}, {limits}) + 3] += 1.0")
    )
    before = rng.choice(("pass", "pass", "d = c", "for j in seq(0, n):\n        c += 1", "for j in seq(0, 3):\n        d += 1"))
    lines = [use, change]
    rng.shuffle(lines)
    return f"""def count(n: size, x: f32[n + 6], y: f32[2 * n + 300], k: {typ}, s: f32):
    assert n < {rng.choice(("100", "20", "1000"))}
    c: {typ}
    c = {start}
    d: {typ}
    d = {rng.choice(("0", "0", "1", "c"))}
    {before}
    for i in seq(0, {rng.choice(("n", "n", "n", "n - 1", "6"))}):
        {lines[0]}
        {lines[1]}
    y[0] = {rng.choice(("y[1]", "x[0]"))}
"""


# ---- arguments


def _scans(proc: Proc, rng: random.Random) -> Site | None:
    """A loop that begins with a reduction and goes on; now and then any other."""
    found = loops(proc)
    aimed = [s for s in found if _carries_a_result(s.stmt)]
    chosen = aimed or (found if rng.random() < 0.05 else [])
    return rng.choice(chosen) if chosen else None


def _carries_a_result(loop: Any) -> bool:
    code = [stmt for stmt in loop.body if not isinstance(stmt, Pass)]
    return any(isinstance(each, Reduce) and _is_read(each, code) and loop.iter not in free_names(*each.idx) for each in code)


def _is_read(start: Reduce, code: list[Any]) -> bool:
    others = (node for stmt in code if stmt is not start for node in walk(stmt))
    return any(isinstance(node, Read) and node.name is start.name for node in others)


@action
def block_scan(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    site = _scans(proc, rng)
    return Draft((At(site.loc), rng.choice(("t", "x")))) if site else None


@action
def recursive_doubling(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    site = _steps(proc, rng)
    return Draft((At(site.loc), rng.choice(("u", "x")))) if site else None


def _steps(proc: Proc, rng: random.Random) -> Site | None:
    """A loop that reduces elements of a buffer into others of it; now and then any other."""
    found = loops(proc)
    aimed = [s for s in found if _combines_elements(s.stmt)]
    chosen = aimed or (found if rng.random() < 0.03 else [])
    return rng.choice(chosen) if chosen else None


def _combines_elements(loop: Any) -> bool:
    return any(isinstance(stmt, Reduce) and isinstance(stmt.rhs, Read) and stmt.rhs.name is stmt.name for stmt in loop.body)


@action
def bound_counter(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    found: list[tuple[Loc, ExternCall]] = [
        (loc, expr)
        for s in sites(proc)
        for loc, expr in expressions(proc, s)
        if isinstance(expr, ExternCall) and expr.fn is IDX
    ]
    if not found:
        return None
    loc, expr = rng.choice(found)
    low, high = (show_expr(limit) for limit in expr.args[1:])
    limits = rng.choice(((), (), (low, high), (f"{low} - 1", high), (low, f"{high} - 1"), (low, f"{high} + 3"), (0, "n")))
    return Draft((At(loc), *limits))


def _of_scan(site: Site | None, *args: Any) -> Draft | None:
    return Draft((At(site.loc), *args)) if site else None


ACTIONS["scan_in_blocks"] = lambda proc, callees, rng: _of_scan(_scans(proc, rng), rng.choice((2, 3, 4, 8)))
ACTIONS["parallel_scan"] = lambda proc, callees, rng: _of_scan(_scans(proc, rng), rng.choice((2, 4, 5)))
ACTIONS["tree_scan"] = lambda proc, callees, rng: _of_scan(_steps(proc, rng))
