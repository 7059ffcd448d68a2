"""Argument generators for the operators on configuration state. They use fields of `configured`, in any program."""

from __future__ import annotations

import random
from typing import Any

from tests.fuzz.actions import At, Draft, action
from tests.fuzz.configured import REGISTERS
from tests.fuzz.instructions import UNIT
from tests.fuzz.sites import Site, enclosing, expressions, sites
from usl_core.analysis.effects import proc_summary, summary
from usl_core.cursors.path import GapLoc
from usl_core.ir.config import Config
from usl_core.ir.nodes import AssignConfig, Call, For, Proc
from usl_core.ir.types import BOOL, F32, I32, INDEX, SIZE, Type

_FIELDS: dict[Type, tuple[str, ...]] = {INDEX: ("a", "b", "mode", "len"), BOOL: ("on",), F32: ("scale",), I32: ("count",)}
"""The fields of REGISTERS that hold expressions of a type."""


@action
def write_config(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    site = rng.choice(sites(proc))
    gap = GapLoc(site.path[:-1], site.field, site.index, rng.choice(("before", "after")))
    config = _config(proc)
    written = [node for node in _writes(proc) if node.config is config]
    if written and rng.random() < 0.5:  # a field that is in use
        field = rng.choice(written).field
    else:
        field = rng.choice(sorted(config.fields))
    return Draft((At(gap), config, field, _value(proc, site, config.fields[field].type, rng)))


def _config(proc: Proc) -> Config:
    """The registers of the instructions' unit where proc uses them."""
    return UNIT if any(field.config is UNIT for field in proc_summary(proc).fields) else REGISTERS


def _writes(proc: Proc) -> list[AssignConfig]:
    return [site.stmt for site in sites(proc) if isinstance(site.stmt, AssignConfig)]


def _value(proc: Proc, site: Site, typ: Type, rng: random.Random) -> Any:
    iters = [loop.iter.name for loop in enclosing(proc, site.path) if isinstance(loop, For)]
    sizes = [arg.name.name for arg in proc.args if arg.type is SIZE]
    match typ:
        case _ if typ is BOOL:
            return rng.choice((True, False, *(f"{name} > 2" for name in sizes)))
        case _ if typ == F32:
            return rng.choice((1.0, 2, "1.0 + 2.0"))
        case _ if typ == I32:
            return rng.choice((1, 2))
        case _ if typ is SIZE:
            return rng.choice((1, 3, *sizes))
        case _:
            return rng.choice((0, 1, 3, *sizes, *iters, *(f"{name} + 1" for name in sizes)))


@action
def bind_config(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    places = [(loc, expr) for site in sites(proc) for loc, expr in expressions(proc, site) if _FIELDS.get(expr.type)]
    if not places:
        return None
    loc, expr = rng.choice(places)
    config = _config(proc)
    fields = ("gain", "lane") if config is UNIT and expr.type is INDEX else _FIELDS[expr.type]
    return Draft((At(loc), config if expr.type is INDEX else REGISTERS, rng.choice(fields)))


@action
def delete_config(proc: Proc, callees: tuple[Proc, ...], rng: random.Random) -> Draft | None:
    places = [site for site in sites(proc) if _deletable(site)]
    return Draft((At(rng.choice(places).loc),)) if places else None


def _deletable(site: Site) -> bool:
    return isinstance(site.stmt, AssignConfig | Call) and bool(summary(site.stmt).config_writes)
