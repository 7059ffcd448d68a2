"""Mutable cells that may come to contain themselves, whose memory reference counts alone never release.

Data is built bottom up, so that only a cell can close a circle (Reinking 2022, §4.2.7, cycles). A closure contains what it
captures; which types those are, the lambdas of the program say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from usl_core.errors import Span
from usl_perceus.ir import (
    ArrayType,
    DataType,
    FunType,
    Lambda,
    Prim,
    Program,
    RefType,
    ThreadType,
    Type,
)
from usl_perceus.traverse import lambda_type, walk


@dataclass(frozen=True, slots=True)
class Cycle:
    """A type of cells, the types on the way back to it (it comes first and last), and a place that makes such a cell."""

    path: tuple[Type, ...]
    span: Span


def cycles(program: Program) -> tuple[Cycle, ...]:
    """One circle for each type of cells that the program makes and that can contain itself."""
    captured = _captured(program)
    found: dict[Type, Cycle] = {}
    for fun in program.funs.values():
        for node in walk(fun.body):
            if isinstance(node, Prim) and node.op == "ref_new" and node.type not in found:
                path = _way_back(node.type, program, captured)
                if path is not None:
                    found[node.type] = Cycle(path, node.span)
    return tuple(found.values())


def _captured(program: Program) -> Mapping[Type, tuple[Type, ...]]:
    """What closures of each type capture."""
    found: dict[Type, dict[Type, None]] = {}
    for fun in program.funs.values():
        for node in walk(fun.body):
            if isinstance(node, Lambda):
                found.setdefault(lambda_type(node), {}).update(dict.fromkeys(var.type for var in node.captures))
    return {type_: tuple(types) for type_, types in found.items()}


def _way_back(start: Type, program: Program, captured: Mapping[Type, tuple[Type, ...]]) -> tuple[Type, ...] | None:
    """The shortest path of contents from start to start."""
    before: dict[Type, Type] = {}
    waiting = [start]
    for type_ in waiting:
        for content in _contents(type_, program, captured):
            if content == start:
                path = [type_]
                while path[-1] != start:
                    path.append(before[path[-1]])
                return (*reversed(path), start)
            if content not in before:
                before[content] = type_
                waiting.append(content)
    return None


def _contents(type_: Type, program: Program, captured: Mapping[Type, tuple[Type, ...]]) -> Iterator[Type]:
    match type_:
        case RefType(elem=elem) | ArrayType(elem=elem) | ThreadType(result=elem):
            yield elem
        case DataType(name=name):
            for con in program.datas[name].cons:
                yield from (field for _, field in con.fields)
        case FunType():
            yield from captured.get(type_, ())
        case _:
            return
