"""The names in surface syntax, whatever they mean, and its size."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from usl_perceus.front import syntax as sx


def free_names(functions: Sequence[sx.Function]) -> list[str]:
    """The names in the bodies of functions, each once: a superset of the variables that they capture."""
    nodes = (node for function in functions for node in _walk(function.body))
    return list(dict.fromkeys(node.name for node in nodes if isinstance(node, sx.Name)))


def names_in(node: sx.Expr) -> Iterator[sx.Name]:
    """Each use of a name."""
    return (each for each in _walk(node) if isinstance(each, sx.Name))


def size(node: sx.Expr) -> int:
    """The number of nodes."""
    return sum(1 for _ in _walk(node))


def _walk(node: object) -> Iterator[sx.Node]:
    stack = [node]
    while stack:
        top = stack.pop()
        if isinstance(top, sx.Node):
            yield top
        if isinstance(top, tuple):
            stack.extend(reversed(top))
        elif isinstance(top, sx.Node):
            stack.extend(getattr(top, field.name) for field in dataclasses.fields(top))
