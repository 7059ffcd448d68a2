"""Arguments for the functions of the schedule library."""

from __future__ import annotations

import random
from fractions import Fraction
from types import UnionType
from typing import Any

from tests.fuzz.actions import ACTIONS, At, Callee, Draft, _pick, action
from tests.fuzz.library import BASIC, COMBINATORS
from tests.fuzz.sites import Site, loops, siblings, sites
from usl_core.ir.memory import DRAM
from usl_core.ir.nodes import Assign, AssignConfig, For, If, Literal, Proc, Read, Reduce
from usl_core.ir.printer import show_expr
from usl_core.ir.traverse import walk
from usl_core.primitives.calls.rearranging import alike

_TAILS = ("cut", "cut", "guard", "perfect")


def _buffers(site: Site) -> list[str]:
    """The buffers that a statement accesses by elements."""
    found = {node.name.name for node in walk(site.stmt) if isinstance(node, Assign | Reduce | Read) and node.idx}
    return sorted(found)


def _one_loop(proc: Proc, rng: random.Random, *args: Any, **options: Any) -> Draft | None:
    site = _pick(rng, loops(proc))
    return Draft((At(site.loc), *args), options) if site else None


@action
def tile_loops(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    nests = [s for s in loops(proc) if isinstance(s.stmt, For) and any(isinstance(stmt, For) for stmt in s.stmt.body)]
    outer = _pick(rng, nests)
    if outer is None:
        return None
    inner = _pick(rng, [s for s in loops(proc) if s.path[:-1] == outer.path])
    return Draft(([At(outer.loc), At(inner.loc)], [rng.choice((2, 3)), rng.choice((2, 4))]), {"tail": rng.choice(_TAILS[:3])})


@action
def auto_stage_mem(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    site = _pick(rng, [s for s in sites(proc) if _buffers(s)])
    if site is None:
        return None
    return Draft((At(site.loc), rng.choice(_buffers(site))), {"accum": rng.random() < 0.2})


@action
def vectorize(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    return _one_loop(proc, rng, rng.choice((2, 4)), DRAM, tail=rng.choice(_TAILS))


@action
def interleave(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    return _one_loop(proc, rng, rng.choice((2, 3)), rng.choice(_TAILS), rng.random() < 0.3)


@action
def unroll_and_jam(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    return _one_loop(proc, rng, rng.choice((2, 3)), rng.choice(_TAILS), rng.random() < 0.3)


@action
def parallelize_reduction(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    sums = [s for s in loops(proc) if any(isinstance(node, Reduce) for node in walk(s.stmt))]
    site = _pick(rng, sums)
    return Draft((At(site.loc), rng.choice((2, 3, 4))), {"tail": rng.choice(_TAILS)}) if site else None


@action
def hoist_from_loop(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    return _one_loop(proc, rng)


@action
def cse(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    site = _pick(rng, sites(proc))
    if site is None:
        return None
    return Draft((At(site.block(rng.randint(1, len(siblings(proc, site)) - site.index))),))


def _pipelined(proc: Proc, rng: random.Random, *args: Any) -> Draft | None:
    found = [s for s in sites(proc) if len(s.path) > 1 and s.field == "body" and s.index + 1 < len(siblings(proc, s))]
    inner = [s for s in found if any(loop.path == s.path[:-1] for loop in loops(proc))]
    site = _pick(rng, inner)
    if site is None:
        return None
    loop = next(loop for loop in loops(proc) if loop.path == site.path[:-1])
    return Draft((At(loop.loc), At(site.after()), *args), {"tail": rng.choice(("cut", "guard"))})


@action
def software_pipeline(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    return _pipelined(proc, rng, rng.choice((1, 1, 2)))


@action
def double_buffer(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    return _pipelined(proc, rng)


@action
def hoist_config(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    return Draft()


@action
def max_config_writes(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    return Draft((rng.choice((0, 1, 2, 5)),))


@action
def holds_at_end(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    written = [s.stmt for s in sites(proc) if isinstance(s.stmt, AssignConfig) and isinstance(s.stmt.rhs, Literal)]
    write = rng.choice(written) if written else None
    if write is None:
        return None
    value = write.rhs.value
    return Draft((write.config, write.field, float(value) if isinstance(value, Fraction) else value))


@action
def spread_into(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    pairs = [
        (a, b)
        for a in loops(proc)
        for b in loops(proc)
        if (*a.path[:-1], a.field) == (*b.path[:-1], b.field) and a.index < b.index
    ]
    pair = rng.choice(pairs) if pairs else None
    return Draft((At(pair[0].loc), At(pair[1].loc))) if pair else None


@action
def replace_with_config(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    setting = [callee for callee in callees if any(isinstance(stmt, AssignConfig) for stmt in callee.body)]
    if not setting:
        return None
    callee = rng.choice(setting)
    body = tuple(stmt for stmt in callee.body if not isinstance(stmt, AssignConfig))
    fitting = [s for s in sites(proc) if body and alike(body, tuple(siblings(proc, s)[s.index : s.index + len(body)]))]
    site = _pick(rng, fitting or loops(proc))
    return Draft((At(site.block(len(body) if fitting else 1)), Callee(callee))) if site else None


@action
def replace_all(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    return Draft(([Callee(callee) for callee in callees],)) if callees else None


@action
def inspect(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    site = _pick(rng, [s for s in loops(proc) if _buffers(s)])
    return Draft((At(site.loc), rng.choice(_buffers(site)))) if site else None


# ---- functions that users of comparable systems know


def _one_statement(proc: Proc, rng: random.Random, kinds: type | UnionType) -> Draft | None:
    site = _pick(rng, [s for s in sites(proc) if isinstance(s.stmt, kinds)])
    return Draft((At(site.loc),)) if site else None


@action
def round_loop(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    return _one_loop(proc, rng, rng.choice((1, 2, 3, 4)), up=rng.random() < 0.7)


@action
def undo_divide_and_guard_loop(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    nests = [s for s in loops(proc) if isinstance(s.stmt, For) and isinstance(s.stmt.body[0], For)]
    site = _pick(rng, nests)
    return Draft((At(site.loc),)) if site else None


@action
def bound_loop_by_if(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    guarded = [s for s in loops(proc) if isinstance(s.stmt, For) and isinstance(s.stmt.body[0], If)]
    site = _pick(rng, guarded)
    return Draft((At(site.loc),)) if site else None


@action
def divide_loop_recursive(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    return _one_loop(proc, rng, rng.choice((2, 3, 4, 5)), rng.choice(_TAILS))


@action
def cut_loop_and_unroll(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    return _one_loop(proc, rng, rng.choice((1, 1, 2)))


def _everywhere_or_in_a_loop(proc: Proc, rng: random.Random, **options: Any) -> Draft:
    site = _pick(rng, loops(proc))
    return Draft((At(site.loc),) if site and rng.random() < 0.5 else (), options)


@action
def unroll_loops(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    return _everywhere_or_in_a_loop(proc, rng, threshold=rng.choice((1, 2, 4)))


@action
def unroll_buffers(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    return _everywhere_or_in_a_loop(proc, rng)


@action
def fission_into_singles(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    return _one_loop(proc, rng)


@action
def stage_compute(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    return _one_statement(proc, rng, Assign | Reduce)


@action
def dealias(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    return _one_statement(proc, rng, Assign | Reduce)


@action
def reorder_stmt_forward(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    site = _pick(rng, [s for s in sites(proc) if s.index + 1 < len(siblings(proc, s))])
    return Draft((At(site.loc),)) if site else None


@action
def reorder_stmt_backwards(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    site = _pick(rng, [s for s in sites(proc) if s.index])
    return Draft((At(site.loc),)) if site else None


@action
def binary_specialize(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    site = _pick(rng, loops(proc))
    if site is None or not isinstance(site.stmt, For):
        return None
    return Draft((At(site.loc), f"{show_expr(site.stmt.hi)}", rng.sample(range(1, 9), rng.choice((1, 2, 3)))))


@action
def cleanup(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    return Draft()


@action
def replace_once(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    return replace_all(proc, callees, rng)


def _combinator(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    site = _pick(rng, loops(proc))
    return Draft((rng.choice(sorted(BASIC)), rng.choice(sorted(BASIC)), At(site.loc))) if site else None


ACTIONS.update(dict.fromkeys(COMBINATORS, _combinator))
