"""Programs that look for the greatest or least element and where it is, nearly all of them in a way that is not quite alike."""

from __future__ import annotations

import random

from tests.fuzz.actions import At, Draft
from tests.fuzz.actions_statements import action
from tests.fuzz.sites import sites
from usl_core.ir.nodes import For, If, Proc


def search_program(rng: random.Random) -> Proc:
    """A loop around `if e > m: m = e; k = g`, with other orders, places, comparisons, positions and statements."""
    from usl_core.procedure import proc_from_source

    typ, of_k = rng.choice((("f32", "i32"), ("R", "i64"), ("i8", "i8"), ("i32", "i32"), ("f32", "i8")))
    element = rng.choice(("x[i]", "x[i]", "x[n + 3 - i]", "-x[i]", "x[i] + y[1]", "x[idx(k, 0, n)]", "x[idx(z[0], 0, n)]"))
    m = rng.choice(("m", "m", "y[1]", "w[0]", "x[0]", "y[i % 2]"))
    k = rng.choice(("k", "k", "z[0]", "z[1]", *(("w[1]", "y[1]", "y[0]") if typ == of_k else ())))
    compared = f"{element} {rng.choice(('>', '>', '<', '<', '>='))} {m}"
    if rng.random() < 0.3:
        compared = f"{m} {rng.choice(('<', '>'))} {element}"
    position = rng.choice(("i", "i", "2 * i + 1", "i / 2", "i - 2", "3 - i", "i % 2", "i + 125", "n + i"))
    writes = [f"{m} = {element}", f"{k} = {of_k}({position})"]
    rng.shuffle(writes)
    other = rng.choice((*20 * ("pass",), "y[0] = x[i]", "m = x[0]", "z[1] += z[0]"))
    text = f"""def search(n: size, x: {typ}[n + 4], y: {typ}[4], z: {of_k}[4], m: {typ}, k: {of_k}):
    assert n <= 100
    w = y[1:3]
    for i in seq({rng.choice(("0", "0", "1"))}, {rng.choice(("n", "n", "n", "3"))}):
        if {compared}:
            {writes[0]}
            {writes[1]}
        {other}
    y[3] = {rng.choice(("m", "y[1]", "x[0]"))}
"""
    return proc_from_source(text).ir


@action
def fold_into_argreduce(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    loops = [s for s in sites(proc) if isinstance(s.stmt, For)]
    aimed = [s for s in loops if any(isinstance(stmt, If) for stmt in s.stmt.body)]  # type: ignore[attr-defined]
    found = aimed if aimed and rng.random() < 0.95 else loops
    return Draft((At(rng.choice(found).loc),)) if found else None
