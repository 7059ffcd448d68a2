"""From the funcs that a user holds to the algorithm: all that an output needs, in order of definition, checked as a whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from usl_halide_lib.lang.images import Image
from usl_halide_lib.lang.nodes import Algorithm, FuncDef, ImageRead, Name, Node, Read, Sort, walk
from usl_halide_lib.lang.syntax import Func
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
                else:
                    params[id(node.source)] = node
        # Halide's order: what a func reads by name, each after what it reads itself.
        pending += [(each, False) for each in sorted(callees.values(), key=lambda each: each.name(), reverse=True)]
    algorithm = Algorithm(
        tuple(each.defined(each.name()) for each in order),
        tuple(each.name() for each in outputs),
        tuple((each.name, each.type) for each in params.values()),
        tuple((each.name(), each.dimensions(), each.type()) for each in images.values()),
    )
    check_algorithm(algorithm)
    return Program(algorithm, tuple(order), {i.name(): i for i in images.values()}, {p.name: p.source for p in params.values()})


def nodes_of(func: FuncDef) -> Iterator[Node]:
    """All nodes of a func's expressions and of the bounds of its rdoms."""
    for stage in func.stages:
        for expression in stage.expressions():
            yield from walk(expression)
        for rvar in stage.rvars:
            yield from walk(rvar.min)
            yield from walk(rvar.extent)


def inputs_of(program: Program) -> dict[str, Any]:
    """The values that images and parameters have now, by name; None where there is none."""
    return {
        **{name: image.array() for name, image in program.images.items()},
        **{name: param.get() for name, param in program.params.items()},
    }
