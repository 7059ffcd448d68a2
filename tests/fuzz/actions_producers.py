"""Arguments for the operators on code that fills a local buffer for other code."""

from __future__ import annotations

import random

from tests.fuzz.actions import At, Draft, _allocs, _pick, action
from tests.fuzz.sites import Site, siblings, sites
from usl_core.ir.nodes import Alloc, Assign, For, If, Proc, Reduce, Stmt
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import mentioned, walk


def _writes(stmt: Stmt, name: Sym) -> bool:
    return any(isinstance(node, Assign | Reduce) and node.name is name for node in walk(stmt))


def _users(proc: Proc, site: Site) -> list[Site]:
    """The statements in the scope of an allocation that mention it."""
    assert isinstance(site.stmt, Alloc)
    depth = len(site.path) - 1
    after = [each for each in sites(proc) if each.path[:depth] == site.path[:depth] and each.path > site.path]
    return [each for each in after if site.stmt.name in mentioned(each.stmt)]


@action
def inline_producer(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    found = _allocs(proc)
    filled = [site for site in found if _is_filled_by_assignments(proc, site)]
    site = _pick(rng, filled if filled and rng.random() < 0.9 else found)
    return Draft((At(site.loc),)) if site else None


def _is_filled_by_assignments(proc: Proc, site: Site) -> bool:
    assert isinstance(site.stmt, Alloc)
    name, rest = site.stmt.name, siblings(proc, site)[site.index + 1 :]
    writers = [stmt for stmt in rest if _writes(stmt, name)]
    return bool(writers) and not any(isinstance(node, Reduce) and node.name is name for stmt in writers for node in walk(stmt))


@action
def clone_buffer(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    site = _pick(rng, _allocs(proc))
    if site is None:
        return None
    users = _users(proc, site)
    readers = [each for each in users if not _writes(each.stmt, site.stmt.name)]
    block = _pick(rng, readers if readers and rng.random() < 0.9 else users)
    return Draft((At(site.loc), At(block.loc), "clone")) if block else None


@action
def delete_dead_writes(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    local = {site.stmt.name for site in _allocs(proc) if isinstance(site.stmt, Alloc)}
    code = [s for s in sites(proc) if isinstance(s.stmt, Assign | Reduce | For | If)]
    good = [s for s in code if all(n.name in local for n in walk(s.stmt) if isinstance(n, Assign | Reduce))]
    site = _pick(rng, good if good and rng.random() < 0.9 else code)
    return Draft((At(site.block() if rng.random() < 0.2 else site.loc),)) if site else None
