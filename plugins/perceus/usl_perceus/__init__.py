"""Functional programs with precise reference counting (Perceus), compiled to C11.

from __future__ import annotations
from usl_perceus import data, fun

@data
class Tree:
    Leaf: ()
    Node: ("Tree", i64, "Tree")

@fun
def insert(t: Tree, k: i64) -> Tree:
    match t:
        case Leaf():
            return Node(Leaf, k, Leaf)
        case Node(l, x, r) if k < x:
            return Node(insert(l, k), x, r)
        case Node(l, x, r):
            return Node(l, x, insert(r, k))
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from usl_perceus.decorators import Foreign as Foreign
    from usl_perceus.decorators import Function as Function
    from usl_perceus.decorators import data as data
    from usl_perceus.decorators import exception as exception
    from usl_perceus.decorators import fbip as fbip
    from usl_perceus.decorators import foreign as foreign
    from usl_perceus.decorators import fun as fun
    from usl_perceus.decorators import inline as inline
    from usl_perceus.decorators import no_alloc as no_alloc
    from usl_perceus.decorators import order as order
    from usl_perceus.decorators import record as record
    from usl_perceus.decorators import specialize as specialize
    from usl_perceus.errors import PerceusError as PerceusError
    from usl_perceus.explain import Allocation as Allocation
    from usl_perceus.front.definitions import Ord as Ord
    from usl_perceus.generated import not_empty as not_empty
    from usl_perceus.generated import not_written as not_written
    from usl_perceus.generated import program as program
    from usl_perceus.python import Handle as Handle
    from usl_perceus.python import live_blocks as live_blocks

_HOMES = {
    "Allocation": "usl_perceus.explain",
    "Ord": "usl_perceus.front.definitions",
    "PerceusError": "usl_perceus.errors",
    **dict.fromkeys(("not_empty", "not_written", "program"), "usl_perceus.generated"),
    **dict.fromkeys(("Foreign", "Function"), "usl_perceus.decorators"),
    **dict.fromkeys(("Handle", "live_blocks"), "usl_perceus.python"),
    **dict.fromkeys(
        (
            "Foreign",
            "Function",
            "data",
            "exception",
            "fbip",
            "foreign",
            "fun",
            "inline",
            "no_alloc",
            "order",
            "record",
            "specialize",
        ),
        "usl_perceus.decorators",
    ),
}

__all__ = [
    "Allocation",
    "Foreign",
    "Function",
    "Handle",
    "Ord",
    "PerceusError",
    "data",
    "exception",
    "fbip",
    "foreign",
    "fun",
    "inline",
    "live_blocks",
    "no_alloc",
    "not_empty",
    "not_written",
    "order",
    "program",
    "record",
    "specialize",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(home), name)
