"""The loop nest of a procedure in the words of the funcs that it was made of: their names, the ranges of their variables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from usl_core.errors import UslError
from usl_halide_lib.lang.collect import Program
from usl_halide_lib.lang.evaluate import evaluator
from usl_halide_lib.lang.images import Buffer
from usl_halide_lib.lang.inference import Bounds
from usl_halide_lib.lang.linear import number_of
from usl_halide_lib.lang.nodes import Node as Expression
from usl_halide_lib.nest import Node

GENERATED = re.compile(r"(sum|product|maximum|minimum|argmin|argmax)\d+")
"""Names of funcs that users did not choose."""


def in_funcs(nodes: Iterable[Node], owners: Mapping[str, str], program: Program, bounds: Bounds) -> list[Node]:
    """The nest with funcs for buffers, and loops as they are in the algorithm.

    Left out are scalars that stand for a part of an expression, and loops of one iteration, as Halide does.
    """
    variables: dict[str, str] = {}
    ranges: dict[tuple[str, str], tuple[int, int]] = {}
    env = _known(program)
    for func in program.algorithm.funcs:
        for rvar in (each for stage in func.stages for each in stage.rvars):
            name = rvar.name.replace("$", "_")
            variables[name] = rvar.name.partition("$")[0]
            low, extent = _value(rvar.min, env), _value(rvar.extent, env)
            if low is not None and extent is not None:
                ranges[func.name, name] = low, extent
    ranges |= _pure_ranges(bounds, env)
    return _renamed(list(nodes), owners, variables, ranges, "")


def _renamed(
    nodes: list[Node],
    owners: Mapping[str, str],
    variables: Mapping[str, str],
    ranges: Mapping[tuple[str, str], tuple[int, int]],
    own: str,
) -> list[Node]:
    result: list[Node] = []
    for node in nodes:
        func = owners.get(node.name)
        within = func if node.kind == "produce" and func is not None else own
        inside = _renamed(node.inside, owners, variables, ranges, within)
        if node.kind in ("produce", "consume", "store", "compute"):
            if func is not None:
                shown = GENERATED.fullmatch(func)
                result.append(replace(node, name=shown[1] if shown else func, inside=inside))
            else:
                result += inside
            continue
        if not inside and node.inside:
            continue  # the loops of another element of a tuple
        first, extent = ranges.get((own, node.name), (node.first, node.extent))
        base = node.name.partition(".")[0]
        if node.name == f"{base}.{base}" and len(inside) == 1 and inside[0].extent.isdecimal() and (own, base) in ranges:
            first, extent = 0, -(-ranges[own, base][1] // int(inside[0].extent))
        if str(extent) == "1" and node.kind == "for":
            result += inside
            continue
        name = ".".join(variables.get(part, part) for part in node.name.split("."))
        result.append(replace(node, name=name, first=first, extent=str(extent), inside=inside))
    return result


def _pure_ranges(bounds: Bounds, env: dict[str, Any]) -> dict[tuple[str, str], tuple[int, int]]:
    """The ranges of pure variables where they are numbers for the images that are given."""
    known = dict(env)
    for each in bounds.named:
        with suppress(KeyError):
            known[each.name] = number_of(each.value, known)
    found: dict[tuple[str, str], tuple[int, int]] = {}
    for family, box in bounds.boxes.items():
        if family.kind == "cpu":
            for arg, (low, high) in zip(bounds.target.algorithm.func(family.func).args, box, strict=True):
                with suppress(KeyError):
                    first = number_of(low, known)
                    found[family.func, arg] = first, number_of(high, known) - first + 1
    return found


def _known(program: Program) -> dict[str, Any]:
    """The extents of images that are given for good."""
    env: dict[str, Any] = {}
    for name, image in program.images.items():
        if isinstance(image, Buffer):
            env |= {f"{name}.extent.{dim}": extent for dim, (_, extent) in enumerate(image.box())}
    return env


def _value(node: Expression, env: Mapping[str, Any]) -> int | None:
    """A startup expression as a number, if it is known."""

    def access(*_: Any) -> Any:
        raise KeyError

    try:
        return int(evaluator(node, access, False)(dict(env)))
    except (KeyError, UslError):
        return None
