"""From the funcs that a user holds to the algorithm: all that an output needs, in order of definition, checked as a whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from usl_halide_lib.lang.images import Image, ImageParam, first_of
from usl_halide_lib.lang.nodes import Algorithm, FuncDef, ImageRead, Name, Node, Op, Read, Sort, number, rebuilt, walk
from usl_halide_lib.lang.syntax import Func
from usl_halide_lib.lang.types import I32
from usl_halide_lib.lang.valid import check_algorithm
from usl_halide_lib.lang.variables import Param


@dataclass(frozen=True, slots=True)
class Program:
    """An algorithm and the objects whose values its runs take, by name."""

    algorithm: Algorithm
    funcs: tuple[Func, ...]
    images: dict[str, Image]
    params: dict[str, Param]


def collect(outputs: Sequence[Func]) -> Program:
    """The program whose outputs are given.

    Raises:
        AlgorithmError: a func has no definition, or a name stands for two things.
    """
    order: list[Func] = []
    images: dict[int, Image] = {}
    params: dict[int, Name] = {}
    done: set[int] = set()
    has_firsts = False
    pending: list[tuple[Func, bool]] = [(each, False) for each in reversed(outputs)]
    while pending:
        func, left = pending.pop()
        if left:
            order.append(func)
            continue
        if id(func) in done:
            continue
        done.add(id(func))
        pending.append((func, True))
        callees: dict[int, Func] = {}
        for node in nodes_of(func.defined(f"{func.name()} is needed")):
            if isinstance(node, Read) and node.source is not None:
                callees[id(node.source)] = node.source
            elif isinstance(node, ImageRead):
                images[id(node.source)] = node.source
            elif isinstance(node, Name) and node.sort is Sort.PARAM:
                if isinstance(node.source, Image):
                    images[id(node.source)] = node.source
                    has_firsts = has_firsts or node.name.partition(".")[2].startswith("first")
                else:
                    params[id(node.source)] = node
        # Halide's order: what a func reads by name, each after what it reads itself.
        pending += [(each, False) for each in sorted(callees.values(), key=lambda each: each.name(), reverse=True)]
    anywhere = {each.name(): each for each in images.values() if isinstance(each, ImageParam) and each.is_anywhere}
    funcs = tuple(each.defined(each.name()) for each in order)
    firsts = {first_of(each.name(), dim) for each in anywhere.values() for dim in range(each.dimensions())}
    algorithm = Algorithm(
        tuple(_placed(each, frozenset(firsts)) for each in funcs) if has_firsts or anywhere else funcs,
        tuple(each.name() for each in outputs),
        (*((each.name, each.type) for each in params.values()), *((each, I32) for each in sorted(firsts))),
        tuple((each.name(), each.dimensions(), each.type()) for each in images.values()),
    )
    check_algorithm(algorithm)
    return Program(algorithm, tuple(order), {i.name(): i for i in images.values()}, {p.name: p.source for p in params.values()})


def _placed(func: FuncDef, firsts: frozenset[str]) -> FuncDef:
    """The func reading images from 0 on: indices are less by the first place, where that is one of firsts; others are 0."""

    def change(node: Node) -> Node | None:
        match node:
            case Name(name=name, source=ImageParam()) if first_of(*_split(name)) == name and name not in firsts:
                return number(0)
            case Op(op="add" | "sub", args=(a, b), type=typ) if typ == I32:
                left, right = rebuilt(a, change), rebuilt(b, change)
                if right is not b and right == number(0):
                    return left
                if node.op == "add" and left is not a and left == number(0):
                    return right
                return node if left is a and right is b else replace(node, args=(left, right))
            case ImageRead(image=image, index=index) if first_of(image, 0) in firsts:
                first = [Name(first_of(image, dim), Sort.PARAM, I32, node.source) for dim in range(len(index))]
                moved = (Op("sub", (rebuilt(each, change), low), I32) for each, low in zip(index, first, strict=True))
                return replace(node, index=tuple(moved))
            case _:
                return None

    stages = []
    for stage in func.stages:
        rvars = [replace(each, min=rebuilt(each.min, change), extent=rebuilt(each.extent, change)) for each in stage.rvars]
        stages.append(replace(stage.mapped(lambda node: rebuilt(node, change)), rvars=tuple(rvars)))
    return replace(func, stages=tuple(stages))


def _split(name: str) -> tuple[str, int]:
    image, _, rest = name.rpartition(".first.")
    return image, int(rest) if image else 0


def nodes_of(func: FuncDef) -> Iterator[Node]:
    """All nodes of a func's expressions and of the bounds of its rdoms."""
    for stage in func.stages:
        for expression in stage.expressions():
            yield from walk(expression)
        for rvar in stage.rvars:
            yield from walk(rvar.min)
            yield from walk(rvar.extent)


def inputs_of(program: Program) -> dict[str, Any]:
    """The values that images and parameters have now, by name, None where there is none; the first places of images."""
    return {
        **{name: image.array() for name, image in program.images.items()},
        **{each: low for image in program.images.values() for each, low in image.firsts().items()},
        **{name: param.get() for name, param in program.params.items()},
    }
