"""Which accesses of an input reach beyond it, for the message that says so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from usl_halide_lib.lang.inference import Bounds
from usl_halide_lib.lang.linear import Facts, ends, number_of
from usl_halide_lib.lang.lower import hole_stage, in_target, loop_keys
from usl_halide_lib.lang.nodes import FuncDef, ImageRead, show, walk
from usl_halide_lib.lang.normal import Normal
from usl_halide_lib.lang.query import Family

MOST = 4
"""How many accesses a message names."""


def accesses_beyond(bounds: Bounds, env: Mapping[str, Any], image: str, extents: Sequence[int]) -> list[str]:
    """A line for each access of an image that may reach beyond its extents, where env has the values of all that is known."""
    algorithm = bounds.target.algorithm
    found: dict[str, None] = {}
    for func in algorithm.funcs:
        for index, stage in enumerate(func.stages):
            normal = Normal(algorithm, _ranges(bounds, env, func, index), lambda hole: None)
            for written, expression in zip(stage.expressions(), in_target(func, index).expressions(), strict=True):
                for plain, read in zip(walk(written), walk(expression), strict=True):
                    if isinstance(read, ImageRead) and read.image == image and not _inside(normal, read, extents):
                        place = f"{read.span.file}:{read.span.line}: " if read.span else ""
                        found[f"{place}{func.name} reads {show(plain)}"] = None
    return list(found)[:MOST]


def _inside(normal: Normal, read: ImageRead, extents: Sequence[int]) -> bool:
    places = [ends(normal.form(each), normal.facts) for each in read.index]
    return all(a is not None and b is not None and a >= 0 and b < n for (a, b), n in zip(places, extents, strict=True))


def _ranges(bounds: Bounds, env: Mapping[str, Any], func: FuncDef, index: int) -> Facts:
    """The numbers that the variables of a stage, and parameters, have."""
    facts, keys = Facts({name: (value, value) for name, value in env.items() if isinstance(value, int)}), loop_keys(func, index)
    for dim, arg in enumerate(func.args):
        low, high = bounds.interval(Family("cpu", func.name, hole_stage(func, index)), dim)
        facts[str(keys[arg])] = number_of(low, env), number_of(high, env)
    normal = Normal(bounds.target.algorithm, facts, lambda hole: None)
    for rvar in func.stages[index].rvars:
        first, count = (ends(normal.form(each), facts)[0] for each in (rvar.min, rvar.extent))
        facts[str(keys[rvar.name])] = first, None if first is None or count is None else first + count - 1
    return facts


__all__ = ["accesses_beyond"]
