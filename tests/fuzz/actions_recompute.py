"""Arguments for the operators that repeat work, aimed at the programs of `tests.fuzz.stages`."""

from __future__ import annotations

import random
from typing import Any

from tests.fuzz.actions import At, Draft, _pick, action
from tests.fuzz.sites import Site, enclosing, loops, sites
from usl_core.ir.nodes import Alloc, Assign, For, If, Proc, Stmt
from usl_core.ir.printer import show_expr
from usl_core.ir.traverse import names_used, walk


@action
def divide_loop(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    site = _pick(rng, loops(proc))
    if site is None:
        return None
    factor = rng.choice((1, 2, 2, 3, 4, 4, 5))
    options: dict[str, Any] = {"perfect": True}
    if rng.random() < 0.8:
        options = {"tail": rng.choice(("guard", "bound", "cut", "cut_and_guard", "shift_inwards", "shift_inwards", "round_up"))}
    return Draft((At(site.loc), factor, ["io", "ii"]), options)


@action
def divide_with_recompute(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    site = _pick(rng, loops(proc))
    if site is None:
        return None
    assert isinstance(site.stmt, For)
    extent, stride, halo = show_expr(site.stmt.hi), rng.choice((1, 1, 2, 2, 3, 4)), rng.choice((0, 1, 2, 2))
    part = f"({extent})" if halo == 0 else f"({extent} - {halo})"
    tiles = rng.choice((f"({part} + {stride - 1}) / {stride}", f"{part} / {stride}", f"{part}", "1", "2"))
    base, length = rng.choice(
        (
            (None, None),
            (f"min({stride} * io, {part} - {stride})", stride + halo),
            (None, f"min({stride + halo}, {extent} - {stride} * io)"),
            (None, stride + halo),
            ("io", halo + 1),
            (None, f"{extent} - {stride} * io"),
        )
    )
    options = {key: value for key, value in (("base", base), ("extent", length)) if value is not None}
    return Draft((At(site.loc), tiles, stride, ["io", "ii"]), options)


@action
def guard_redundant(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    found = [(site, around) for site in sites(proc) if _writes(site) and (around := _loops_around(proc, site))]
    chosen = _pick(rng, found)
    if chosen is None:
        return None
    new = [(site, around) for site, around in found if _rewrites_places(site.stmt, around)]
    if new and rng.random() < 0.5:  # of a window that moves on by one, only the last place is new
        site, around = rng.choice(new)
        outer, inner = around[-2:]
        bounds = show_expr(outer.lo), show_expr(inner.hi)
        return Draft((At(site.loc), f"{outer.iter.name} == {bounds[0]} or {inner.iter.name} == {bounds[1]} - 1"))
    site, around = chosen
    outer = rng.choice(around)
    first = rng.choice((f"{outer.iter.name} == {show_expr(outer.lo)}", f"{outer.iter.name} <= {show_expr(outer.lo)}"))
    inner = around[-1]
    last = rng.choice((f"{inner.iter.name} == {show_expr(inner.hi)} - 1", f"{inner.iter.name} >= 1", f"{inner.iter.name} == 0"))
    return Draft((At(site.loc), rng.choice((first, f"{first} or {last}", f"{first} or {last}", last))))


def _rewrites_places(stmt: Stmt, around: list[For]) -> bool:
    """Whether it assigns to `b[i + k]` in loops over i and k."""
    if not isinstance(stmt, Assign) or len(around) < 2:
        return False
    used = {name for index in stmt.idx for name in names_used(index)}
    return {loop.iter for loop in around[-2:]} <= used


def _writes(site: Site) -> bool:
    code = isinstance(site.stmt, Assign | For | If)
    return code and not any(isinstance(node, Alloc) for node in walk(site.stmt))


def _loops_around(proc: Proc, site: Site) -> list[For]:
    return [stmt for stmt in enclosing(proc, site.path) if isinstance(stmt, For)]
