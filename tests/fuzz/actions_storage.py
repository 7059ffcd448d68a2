"""Arguments for the operators on storage, and for those that make procedures of procedures."""

from __future__ import annotations

import random

from tests.fuzz.actions import At, Draft, _allocs, _data_formals, _pick, action
from tests.fuzz.sites import Site, enclosing, siblings, sites
from usl_core.cursors.path import ArgLoc
from usl_core.ir.nodes import Alloc, Assign, Expr, For, Literal, Proc, Read, Reduce, WindowStmt
from usl_core.ir.printer import show_expr
from usl_core.ir.traverse import same, walk
from usl_core.ir.types import TensorType, scalar_of


def _tensor(proc: Proc, rng: random.Random, rank: int = 1) -> tuple[Site, tuple[Expr, ...]] | None:
    found = [s for s in _allocs(proc, tensors=True) if len(_shape(s)) >= rank]
    site = _pick(rng, found)
    return (site, _shape(site)) if site else None


def _shape(site: Site) -> tuple[Expr, ...]:
    assert isinstance(site.stmt, Alloc)
    return site.stmt.type.shape if isinstance(site.stmt.type, TensorType) else ()


@action
def resize_dim(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    chosen = _tensor(proc, rng)
    if chosen is None:
        return None
    site, shape = chosen
    dim = rng.randrange(len(shape))
    extent = show_expr(shape[dim])
    if rng.random() < 0.4:
        return Draft((At(site.loc), dim, rng.randint(1, 5), rng.choice((0, 0, 1, 2))), {"fold": True})
    more, less = f"{extent} + 1", f"{extent} - 1"
    size, offset = rng.choice(((more, 0), (more, 0), (f"{extent} + 2", -1), (extent, 0), (less, 1), (4, 0), (extent, 1)))
    return Draft((At(site.loc), dim, size, offset))


@action
def mult_dim(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    chosen = _tensor(proc, rng, 2)
    if chosen is None:
        return None
    site, shape = chosen
    literal = [d for d, e in enumerate(shape) if isinstance(e, Literal)]
    lo = rng.choice(literal) if literal and rng.random() < 0.9 else rng.randrange(len(shape))
    return Draft((At(site.loc), rng.choice([d for d in range(len(shape)) if d != lo]), lo))


@action
def reuse_buffer(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    pairs = []
    for a in _allocs(proc):
        for b in _allocs(proc):
            inside = b.path[: len(a.path) - 1] == a.path[:-1] and b.path > a.path
            if inside and (_alike(a.stmt, b.stmt) or rng.random() < 0.05):
                pairs.append((a, b))
    pair = _pick(rng, pairs)
    return Draft((At(pair[0].loc), At(pair[1].loc))) if pair else None


def _alike(a: object, b: object) -> bool:
    assert isinstance(a, Alloc) and isinstance(b, Alloc)
    x, y = a.type, b.type
    if scalar_of(x) != scalar_of(y):
        return False
    shapes = [t.shape if isinstance(t, TensorType) else () for t in (x, y)]
    return len(shapes[0]) == len(shapes[1]) and all(same(e, f) for e, f in zip(*shapes, strict=True))


@action
def unroll_buffer(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    found = [(s, d) for s in _allocs(proc, tensors=True) for d, e in enumerate(_shape(s)) if isinstance(e, Literal)]
    good = [(s, d) for s, d in found if _literal_uses(proc, s, d)]
    chosen = _pick(rng, good) if good and rng.random() < 0.9 else _pick(rng, found)
    return Draft((At(chosen[0].loc), chosen[1])) if chosen else None


def _literal_uses(proc: Proc, site: Site, dim: int) -> bool:
    name = site.stmt.name  # type: ignore[attr-defined]
    uses = [n for n in walk(proc) if isinstance(n, Read | Assign | Reduce) and n.name is name]
    return all(len(n.idx) > dim and isinstance(n.idx[dim], Literal) for n in uses)


@action
def inline_window(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    site = _pick(rng, [s for s in sites(proc) if isinstance(s.stmt, WindowStmt)])
    return Draft((At(site.loc),)) if site else None


@action
def autolift_alloc(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    site = _pick(rng, [s for s in _allocs(proc) if any(isinstance(stmt, For) for stmt in enclosing(proc, s.path))])
    if site is None:
        return None
    options = {
        "n_lifts": rng.choice((1, 1, 2)),
        "mode": rng.choice(("row", "col")),
        "keep_dims": rng.choice((False, True, True, "dependent", "dependent")),
    }
    return Draft((At(site.loc),), options)


@action
def extract_subproc(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    site = _pick(rng, sites(proc))
    if site is None:
        return None
    length = rng.randint(1, min(3, len(siblings(proc, site)) - site.index))
    return Draft((At(site.block(length)), "extracted"))


@action
def make_instr(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    formals = " ".join(f"{{{arg.name.name}}}" for arg in proc.args)
    return Draft((rng.choice((f"f({formals});", "{wrong}", "g();")),))


@action
def transpose(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    def rank(loc: ArgLoc) -> int:
        typ = proc.args[loc.index].type
        return len(typ.shape) if isinstance(typ, TensorType) else 0

    formal = _pick(rng, [loc for loc in _data_formals(proc) if rank(loc) == 2 or rng.random() < 0.05])
    return Draft((At(formal),)) if formal else None
