"""Facts about a node, computed once: nodes never change, and a fact lives as long as its node.

A fact may refer to the node itself (an access names its statement), so it is stored in the node and not in a table.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Generic, Self, TypeVar, overload

from usl_core.ir.nodes import Node

N = TypeVar("N", bound=Node)
T = TypeVar("T")


def memo_of(node: Node) -> dict[Any, Any]:
    """What is known of node, by a key of whoever found it out."""
    known = node.memo
    if known is None:
        known = {}
        object.__setattr__(node, "memo", known)
    return known


def per_node(compute: Callable[[N], T]) -> Callable[[N], T]:
    """Decorator: a function of one node alone is computed once for each node. An error is not remembered."""

    @wraps(compute)
    def remembered(node: N) -> T:
        known = node.memo
        if known is None:
            known = {}
            object.__setattr__(node, "memo", known)
        elif compute in known:
            found: T = known[compute]
            return found
        result = known[compute] = compute(node)
        return result

    return remembered


class lazy(Generic[T]):
    """Decorator: an attribute that is worked out when it is first asked for. `functools.cached_property` does so under a lock
    up to Python 3.11, which takes longer than most of what is worked out here."""

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self.compute = compute
        self.name = compute.__name__
        self.__doc__ = compute.__doc__

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: type | None = None) -> T: ...
    def __get__(self, instance: object | None, owner: type | None = None) -> Self | T:
        if instance is None:
            return self
        found = instance.__dict__[self.name] = self.compute(instance)
        return found
