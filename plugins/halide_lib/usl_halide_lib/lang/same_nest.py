"""Whether the loops of a procedure are those that the theory gives the schedule (halide.md, the drawing at its beginning).

The two come about in different ways: operators change a procedure, rewrites the lowered program. For each func the loops around
its stages and around its buffer are compared, before vectors are made and loops are cut. A difference is a mistake of ours.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from usl_core.errors import UslError
from usl_halide_lib.directives import Directive
from usl_halide_lib.lang.errors import refuse
from usl_halide_lib.lang.lower import lower
from usl_halide_lib.lang.nodes import Algorithm, ImageRead, Op, Read, walk
from usl_halide_lib.lang.nodes import Node as Expression
from usl_halide_lib.lang.scheduling import Scheduling
from usl_halide_lib.lang.target import Allocate, Assign, For, If, Stmt, Target, below, mapped
from usl_halide_lib.lang.types import BOOL
from usl_halide_lib.nest import Node

Loop = tuple[str, int, str]
"""A func, the number of a stage, and a variable; `x#` is a part of x that is done together: lanes, copies of a body, a task."""
Path = tuple[Loop, ...]
"""Loops, the outermost first."""

_GROUP = re.compile(r"_(task|lanes|vectorize|unroll|parallel)$")
_LANES = re.compile(r"v\d+")


@dataclass(slots=True)
class Nest:
    """The loops around the stages of each func, in the order of the text, and around its buffer."""

    stages: dict[str, list[Path]] = field(default_factory=dict)
    buffers: dict[str, Path] = field(default_factory=dict)


def require_same_nest(
    algorithm: Algorithm,
    points: frozenset[str],
    directives: Sequence[Directive],
    nodes: Iterable[Node],
    owners: Mapping[str, str],
) -> None:
    """Compare the nest of a procedure, whose buffers belong to owners, with that of the theory.

    Not compared are schedules that the theory refuses while operators do not, funcs that are specialised or computed with
    others, as operators cut off what is beyond the common range, and hoisted buffers, of which the theory knows nothing.

    Raises:
        AlgorithmError: E789, they differ.
    """
    given = [each for each in directives if each.name != "compute_inline"]
    try:
        target = Scheduling(algorithm, given, points).nest(skeleton(lower(algorithm)))
    except UslError:
        return
    expected, found = of_target(target.body), of_procedure(nodes, owners, given)
    several = {func.name for func in target.algorithm.funcs if len(func.stages) > 1}
    leave = points | {each.func for each in given if each.name in ("specialize", "compute_with")}
    leave |= {each.args[0] for each in given if each.name == "compute_with"}
    first = {(each.func, each.args[1]): each.args[0] for each in given if each.name == "rename"}
    hoisted = {each.func for each in given if each.name.startswith("hoist_storage")}
    for func in (each.name for each in target.algorithm.funcs if each.name not in leave):
        stages = [[_plain(path, several, first) for path in nest.stages.get(func, [])] for nest in (found, expected)]
        if stages[0] != stages[1]:
            raise _differ(func, "its stages are", *stages)
        buffers = [[_plain(nest.buffers[func], several, first)] if func in nest.buffers else [] for nest in (found, expected)]
        if buffers[0] != buffers[1] and func not in {*hoisted, *algorithm.outputs}:
            raise _differ(func, "its buffer is", *buffers)


def _differ(func: str, what: str, found: list[list[str]], expected: list[list[str]]) -> UslError:
    shown = [" | ".join(" ".join(path) or "the root" for path in paths) or "nowhere" for paths in (found, expected)]
    notes = ("please report this", f"in the procedure {what} in {shown[0]}", f"in the theory in {shown[1]}")
    return refuse(f"{func}: its loops are not those of the schedule", code="E789", notes=notes)


def skeleton(target: Target) -> Target:
    """The program with nothing but what is read for values and conditions, so that rewrites of it take little time."""

    def change(stmt: Stmt) -> Stmt:
        match stmt:
            case Assign():
                return replace(stmt, index=(), values=_accesses((*stmt.index, *stmt.values)))
            case If(cond=cond):
                return replace(stmt, cond=Op("or", _accesses((cond,)), BOOL))
            case _:
                return stmt

    return replace(target, body=mapped(target.body, change))


def _accesses(expressions: Iterable[Expression]) -> tuple[Expression, ...]:
    found = (node for each in expressions for node in walk(each) if isinstance(node, Read | ImageRead))
    return tuple({replace(each, index=()): None for each in found})


def of_target(body: Stmt) -> Nest:
    """The nest of a program of the theory."""
    found = Nest()
    _target(body, (), found)
    return found


def _target(stmt: Stmt, path: Path, found: Nest) -> None:
    match stmt:
        case Assign(func=func):
            found.stages.setdefault(func, []).append(path)
        case Allocate(func=func):
            found.buffers[func] = path
        case For(key=key, body=body):
            _target(body, (*path, (key.func, key.stage, _named(key.var))), found)
        case _:
            for each in below(stmt):
                _target(each, path, found)


def of_procedure(nodes: Iterable[Node], owners: Mapping[str, str], directives: Iterable[Directive]) -> Nest:
    """The nest of a procedure; owners has the func of each buffer."""
    found = Nest()
    _procedure(nodes, owners, (), "", found)
    pairs = [each for each in directives if each.name == "fuse"]
    stages = {func: [_fused(path, pairs) for path in paths] for func, paths in found.stages.items()}
    return Nest(stages, {func: _fused(path, pairs) for func, path in found.buffers.items()})


def _procedure(nodes: Iterable[Node], owners: Mapping[str, str], path: Path, own: str, found: Nest) -> None:
    for node in nodes:
        func = owners.get(node.name, "")
        match node.kind:
            case "compute":
                if func:
                    found.stages.setdefault(func, []).append(path)
            case "produce" | "consume" | "store":
                if func and node.kind != "consume":
                    found.buffers.setdefault(func, path)
                _procedure(node.inside, owners, path, func if func and node.kind == "produce" else own, found)
            case _:
                name = node.name.rpartition(".")[2]
                if _LANES.fullmatch(name) and path:
                    name = f"{path[-1][2]}#"
                _procedure(node.inside, owners, (*path, (own, node.stage, _named(name))), own, found)


def _named(variable: str) -> str:
    return _GROUP.sub("#", variable.replace("$", "_"))


def _fused(path: Path, directives: Iterable[Directive]) -> Path:
    """The loops where two that `fuse` names as one, and leaves two, are one."""
    for each in directives:
        inner, outer, name = each.args
        for place in range(len(path) - 1):
            if path[place : place + 2] == ((each.func, each.stage, outer), (each.func, each.stage, inner)):
                path = (*path[:place], (each.func, each.stage, name), *path[place + 2 :])
    return path


def _plain(path: Path, several: Collection[str], first: Mapping[tuple[str, str], str]) -> list[str]:
    """The loops by func and variable, without those of lanes, copies of a body and tasks, which are made later.

    Stages that are computed in a loop of another func share the loops over places that all of them have, so that these stand
    first, and the loops of such a func are compared without their order, and by the names that they had first.
    """
    result: list[str] = []
    for func, loops in groupby(path, lambda loop: loop[0]):
        names = [name for _, _, name in loops if not name.endswith("#")]
        if result and func in several:
            names = sorted(_first(func, name, first) for name in names)
        result += [f"{func}.{name}" for name in names]
    return result


def _first(func: str, name: str, first: Mapping[tuple[str, str], str]) -> str:
    for _ in first:
        name = first.get((func, name), name)
    return name


__all__ = ["of_procedure", "of_target", "require_same_nest"]
