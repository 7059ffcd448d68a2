"""For each operator, how to draw arguments that have a fair chance of being accepted.

A `Draft` is a call not yet bound to a procedure: cursors in it are locations (`At`), so that the same call can be replayed on
a smaller program.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.fuzz.configured import STEADY
from tests.fuzz.sites import Site, enclosing, expressions, loops, scopes, siblings, sites
from usl_core.cursors.path import ArgLoc, Loc, NodeLoc
from usl_core.ir.memory import DRAM
from usl_core.ir.nodes import Alloc, Assign, Call, For, If, Literal, Pass, Proc, Read, Reduce, Stmt
from usl_core.ir.printer import show_expr
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import names_used, same, same_block, walk
from usl_core.ir.types import BOOL, INDEX, SIZE, ControlType, ScalarType, TensorType
from usl_core.primitives.calls.rearranging import alike


class Scratch(DRAM):
    """A second memory, for set_memory."""

    name = "Scratch"


@dataclass(frozen=True)
class At:
    """A cursor, given by its location."""

    loc: Loc


@dataclass(frozen=True)
class Callee:
    """A procedure that the program may call; scheduled: a rewritten version of it, for call_eqv, and which one."""

    proc: Proc
    scheduled: bool = False
    version: int = 0


@dataclass(frozen=True)
class Draft:
    """The arguments of an operator after the procedure."""

    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)


Propose = Callable[[Proc, tuple[Proc, ...], random.Random], Draft | None]
ACTIONS: dict[str, Propose] = {}
"""By the name of the operator."""


def action(propose: Propose) -> Propose:
    ACTIONS[propose.__name__] = propose
    return propose


def _pick(rng: random.Random, items: list[Any]) -> Any:
    return rng.choice(items) if items else None


# ---- loops


@action
def divide_loop(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    site = _pick(rng, loops(proc))
    if site is None:
        return None
    options: dict[str, Any] = {"tail": rng.choice(("guard", "bound", "cut", "cut_and_guard"))}
    if rng.random() < 0.25:
        options = {"perfect": True}
    return Draft((At(site.loc), rng.choice((1, 2, 2, 3, 4, 4, 5)), ["io", "ii"]), options)


@action
def reorder_loops(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    nests = [site for site in loops(proc) if len(site.stmt.body) == 1 and isinstance(site.stmt.body[0], For)]  # type: ignore[attr-defined]
    site = _pick(rng, nests)
    return Draft((At(site.loc),)) if site else None


@action
def cut_loop(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    site = _pick(rng, loops(proc))
    return Draft((At(site.loc), _bound_text(site.stmt, rng))) if site else None


def _bound_text(loop: For, rng: random.Random) -> str | int:
    lo, hi = show_expr(loop.lo), show_expr(loop.hi)
    return rng.choice((rng.randint(0, 4), f"({hi}) / 2", f"{hi} - 1", f"{lo} + 1", hi, f"min({lo} + 2, {hi})"))


@action
def shift_loop(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    site = _pick(rng, loops(proc))
    return Draft((At(site.loc), rng.choice((0, 0, 1, 2, 3, -1)))) if site else None


@action
def widen_loop(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    local = {s.stmt.name for s in sites(proc) if isinstance(s.stmt, Alloc)}
    fitting = [s for s in loops(proc) if any(isinstance(n, Assign) and n.name in local for n in walk(s.stmt))]
    site = _pick(rng, fitting)
    if site is None or not isinstance(site.stmt, For):
        return None
    hi = show_expr(site.stmt.hi)
    return Draft((At(site.loc), rng.choice((f"{hi} + 1", f"{hi} + 2", f"4 * (({hi} + 3) / 4)", hi))))


@action
def rename_loop(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    site = _pick(rng, loops(proc))
    return Draft((At(site.loc), rng.choice(("i", "j", "n", "other")))) if site else None


@action
def fission(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    inner = [s for s in sites(proc) if len(s.path) > 1 and s.index + 1 < len(siblings(proc, s))]
    site = _pick(rng, inner)
    return Draft((At(site.after()),), {"n_lifts": rng.choice((1, 1, 1, 2))}) if site else None


@action
def rotate_loop(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    around = {s.path for s in loops(proc)}
    inner = [s for s in sites(proc) if s.path[:-1] in around and s.index + 1 < len(siblings(proc, s))]
    site = _pick(rng, inner)
    return Draft((At(site.after()),)) if site else None


@action
def fuse(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    pairs = []
    for site in scopes(proc):
        block = siblings(proc, site)
        if site.index + 1 < len(block) and (_fusible(site.stmt, block[site.index + 1]) or rng.random() < 0.05):
            pairs.append(site)
    site = _pick(rng, pairs)
    if site is None:
        return None
    following = Site((*site.path[:-1], (site.field, site.index + 1)), siblings(proc, site)[site.index + 1])
    return Draft((At(site.loc), At(following.loc)))


def _fusible(first: Stmt, second: Stmt) -> bool:
    match first, second:
        case For(), For():
            return same(first.lo, second.lo) and same(first.hi, second.hi)
        case If(), If():
            return same(first.cond, second.cond)
        case _:
            return False


@action
def join_loops(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    pairs = []
    for site in loops(proc):
        following = siblings(proc, site)[site.index + 1 : site.index + 2]
        if following and isinstance(following[0], For) and (_same_bodies(site.stmt, following[0]) or rng.random() < 0.05):
            pairs.append((site.loc, NodeLoc((*site.path[:-1], (site.field, site.index + 1)))))
    pair = _pick(rng, pairs)
    return Draft((At(pair[0]), At(pair[1]))) if pair else None


def _same_bodies(first: Stmt, second: For) -> bool:
    assert isinstance(first, For)
    return same_block(first.body, second.body, {first.iter: second.iter})


@action
def unroll_loop(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    def numbered(loop: For, site: Site) -> bool:
        """Whether it looks like a number of iterations: literal limits, or code that a condition is around."""
        literal = isinstance(loop.hi, Literal) and isinstance(loop.lo, Literal)
        return literal or any(isinstance(stmt, If) for stmt in enclosing(proc, site.path)) or rng.random() < 0.1

    site = _pick(rng, [s for s in loops(proc) if isinstance(s.stmt, For) and numbered(s.stmt, s)])
    return Draft((At(site.loc),)) if site else None


@action
def remove_loop(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    def unused(loop: For) -> bool:
        return not any(isinstance(n, Read) and n.name is loop.iter for stmt in loop.body for n in walk(stmt))

    found = [s for s in loops(proc) if isinstance(s.stmt, For) and (unused(s.stmt) or rng.random() < 0.1)]
    site = _pick(rng, found)
    return Draft((At(site.loc),)) if site else None


@action
def add_loop(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    site = _pick(rng, sites(proc))
    if site is None:
        return None
    length = rng.randint(1, min(2, len(siblings(proc, site)) - site.index))
    his = [rng.randint(1, 4), *(arg.name.name for arg in proc.args if arg.type is SIZE)]
    return Draft((At(site.block(length)), "rep", rng.choice(his)), {"guard": rng.random() < 0.4})


@action
def parallelize_loop(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    site = _pick(rng, loops(proc))
    return Draft((At(site.loc),)) if site else None


@action
def lift_scope(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    site = _pick(rng, [s for s in scopes(proc) if len(s.path) > 1])
    return Draft((At(site.loc),)) if site else None


@action
def specialize(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    site = _pick(rng, sites(proc))
    if site is None:
        return None
    if rng.random() < 0.1:
        return Draft((At(site.loc), rng.choice(("Steady.go", "Steady.k < 2"))), {"configs": [STEADY]})
    conds = [text for _ in range(rng.randint(1, 2)) if (text := _condition_text(proc, site, rng))]
    return Draft((At(site.loc), conds)) if conds else None


def _condition_text(proc: Proc, site: Site, rng: random.Random) -> str | None:
    names = [stmt.iter.name for stmt in enclosing(proc, site.path) if isinstance(stmt, For)]
    names += [arg.name.name for arg in proc.args if arg.type is SIZE or arg.type is INDEX]
    if not names:
        return None
    name = rng.choice(names)
    return rng.choice(
        (f"{name} < {rng.randint(1, 5)}", f"{name} % {rng.choice((2, 4))} == 0", f"{name} == {rng.randint(0, 4)}")
    )


@action
def eliminate_dead_code(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    never_run = [s for s in loops(proc) if rng.random() < 0.1 or same(s.stmt.lo, s.stmt.hi)]  # type: ignore[attr-defined]
    site = _pick(rng, never_run + [s for s in sites(proc) if isinstance(s.stmt, If)])
    return Draft((At(site.loc),)) if site else None


# ---- statements, expressions


@action
def reorder_stmts(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    site = _pick(rng, [s for s in sites(proc) if s.index + 1 < len(siblings(proc, s))])
    if site is None or rng.random() < 0.7:
        return Draft((At(site.block(2)),)) if site else None
    length = rng.randint(2, len(siblings(proc, site)) - site.index)
    return Draft((At(site.block(length)), rng.randint(1, length - 1)))


@action
def insert_pass(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    site = _pick(rng, sites(proc))
    return Draft((At(site.after()),)) if site else None


@action
def delete_pass(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    site = _pick(rng, [s for s in sites(proc) if any(isinstance(node, Pass) for node in walk(s.stmt))])
    return None if site is None else Draft((At(site.loc),) if rng.random() < 0.7 else ())


@action
def bind_expr(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    site = _pick(rng, [s for s in sites(proc) if isinstance(s.stmt, Assign | Reduce)])
    if site is None:
        return None
    found = [loc for loc, expr in expressions(proc, site) if isinstance(expr.type, ScalarType)]
    return Draft(([At(loc) for loc in rng.sample(found, min(len(found), rng.choice((1, 1, 2))))], "bound"))


@action
def simplify(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    return Draft((), {"keep_unit_loops": True} if rng.random() < 0.2 else {})


# ---- buffers


@action
def stage_mem(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    accum = rng.random() < 0.3
    around = [s for s in sites(proc) if not accum or any(isinstance(n, Reduce) for n in walk(s.stmt))]
    site = _pick(rng, around)
    if site is None:
        return None
    length = rng.randint(1, min(3, len(siblings(proc, site)) - site.index))
    block = siblings(proc, site)[site.index : site.index + length]
    kinds = Reduce if accum and rng.random() < 0.9 else Assign | Reduce | Read
    accesses = [n for stmt in block for n in walk(stmt) if isinstance(n, kinds) and n.idx]
    access = _pick(rng, accesses)
    if access is None:
        return None
    shape = _shape_of(proc, access.name, len(access.idx))
    entries = [_window_entry(show_expr(index), extent, rng) for index, extent in zip(access.idx, shape, strict=True)]
    staged = (At(site.block(length)), f"{access.name.name}[{', '.join(entries)}]", "staged")
    outer = [s for s in loops(proc) if s.path == site.path[: len(s.path)]]
    if accum and outer and rng.random() < 0.4:
        return Draft((*staged, True, At(rng.choice(outer).loc)))
    return Draft(staged, {"accum": True} if accum else {})


def _window_entry(index: str, extent: str | None, rng: random.Random) -> str:
    choices = [index, f"{index}:{index} + 1", f"{index}:{index} + 2", f"0:{rng.randint(1, 4)}"]
    return rng.choice(choices + [f"0:{extent}"] * 4 if extent else choices)


def _shape_of(proc: Proc, name: Sym, rank: int) -> list[str | None]:
    """The extents of a buffer as text; None where it is a window."""
    for node in walk(proc):
        typ = getattr(node, "type", None)
        if getattr(node, "name", None) is name and not isinstance(node, Read) and isinstance(typ, TensorType):
            return [show_expr(extent) for extent in typ.shape]
    return [None] * rank


def _allocs(proc: Proc, tensors: bool = False) -> list[Site]:
    return [s for s in sites(proc) if isinstance(s.stmt, Alloc) and (not tensors or isinstance(s.stmt.type, TensorType))]


@action
def expand_dim(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    site = _pick(rng, _allocs(proc))
    if site is None:
        return None
    around = [stmt for stmt in enclosing(proc, site.path) if isinstance(stmt, For)]
    loop = _pick(rng, around)
    if loop is None or rng.random() < 0.2:
        return Draft((At(site.loc), rng.randint(1, 4), rng.choice(("0", "1"))))
    return Draft((At(site.loc), rng.choice((show_expr(loop.hi), f"{show_expr(loop.hi)} + 1")), loop.iter.name))


@action
def lift_alloc(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    site = _pick(rng, [s for s in _allocs(proc) if len(s.path) > 1])
    return Draft((At(site.loc),), {"n_lifts": rng.choice((1, 1, 2))}) if site else None


@action
def sink_alloc(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    site = _pick(rng, [s for s in _allocs(proc) if _one_scope_uses(proc, s) or rng.random() < 0.05])
    return Draft((At(site.loc),)) if site else None


def _one_scope_uses(proc: Proc, alloc: Site) -> bool:
    """Whether one loop or `if` after an allocation has all the uses of the buffer."""
    name = alloc.stmt.name  # type: ignore[attr-defined]
    users = [stmt for stmt in siblings(proc, alloc)[alloc.index + 1 :] if name in names_used(stmt)]
    return len(users) == 1 and isinstance(users[0], For | If)


@action
def delete_buffer(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    used = set(names_used(proc))
    site = _pick(rng, [s for s in _allocs(proc) if s.stmt.name not in used or rng.random() < 0.1])  # type: ignore[attr-defined]
    return Draft((At(site.loc),)) if site else None


@action
def divide_dim(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    site = _pick(rng, _allocs(proc, tensors=True))
    if site is None:
        return None
    options = {"pad": True} if rng.random() < 0.4 else {}
    return Draft((At(site.loc), rng.randrange(len(site.stmt.type.shape)), rng.choice((1, 2, 2, 3, 4))), options)


@action
def rearrange_dim(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    site = _pick(rng, [s for s in _allocs(proc, tensors=True) if len(s.stmt.type.shape) > 1 or rng.random() < 0.1])  # type: ignore[attr-defined]
    if site is None:
        return None
    rank = len(site.stmt.type.shape)
    return Draft((At(site.loc), rng.sample(range(rank), rank)))


def _data_formals(proc: Proc) -> list[ArgLoc]:
    return [ArgLoc(k) for k, arg in enumerate(proc.args) if not isinstance(arg.type, ControlType)]


def _buffer(proc: Proc, rng: random.Random) -> At | None:
    places: list[Loc] = [*(site.loc for site in _allocs(proc)), *_data_formals(proc)]
    place = _pick(rng, places)
    return At(place) if place else None


@action
def set_memory(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    buffer = _buffer(proc, rng)
    return Draft((buffer, rng.choice((Scratch, DRAM)))) if buffer else None


@action
def set_precision(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    buffer = _buffer(proc, rng)
    return Draft((buffer, rng.choice(("f32", "f64", "f32", "i32")))) if buffer else None


@action
def set_window(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    formal = _pick(rng, [loc for loc in _data_formals(proc) if isinstance(proc.args[loc.index].type, TensorType)])
    return Draft((At(formal), rng.random() < 0.7)) if formal else None


# ---- procedures


@action
def inline(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    site = _pick(rng, [s for s in sites(proc) if isinstance(s.stmt, Call)])
    return Draft((At(site.loc),)) if site else None


@action
def replace(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    if not callees:
        return None
    callee = rng.choice(callees)
    count = len(callee.body)
    fitting = [s for s in sites(proc) if alike(callee.body, tuple(siblings(proc, s)[s.index : s.index + count]))]
    site = _pick(rng, fitting or [s for s in loops(proc) if rng.random() < 0.03])
    return Draft((At(site.block(count if fitting else 1)), Callee(callee))) if site else None


@action
def call_eqv(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    site = _pick(rng, [s for s in sites(proc) if isinstance(s.stmt, Call)])
    return Draft((At(site.loc), Callee(site.stmt.proc, True, rng.randrange(8)))) if site else None


@action
def rename(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    return Draft(("renamed",))


@action
def partial_eval(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    formal = _pick(rng, [arg for arg in proc.args if isinstance(arg.type, ControlType)])
    if formal is None:
        return None
    return Draft((), {formal.name.name: rng.random() < 0.5 if formal.type is BOOL else rng.randint(1, 8)})


@action
def add_assertion(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    formal = _pick(rng, [arg for arg in proc.args if arg.type is SIZE])
    if formal is None:
        return None
    name = formal.name.name
    return Draft((rng.choice((f"{name} % 2 == 0", f"{name} >= 3", f"{name} % 4 == 0", f"{name} == 4")),))
