"""Facts about a node, computed once: nodes never change, and a fact lives as long as its node.

A fact may refer to the node itself (an access names its statement), so it is stored in the node and not in a table.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

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
