"""Instructions that are alike, made from tables: `families` says how, the modules in `TABLES` are the tables.

An instruction is parsed when it is first asked for, so that importing this costs little. Every instruction is printed with its
body in the manual (docs/avx512.md), and by `print`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from usl_core.errors import UsageError

if TYPE_CHECKING:
    from usl_core import Procedure

TABLES = {
    "basics": "f32 and f64: loads, stores, multiply-adds",
    "floats": "f32 and f64 arithmetic",
    "integers": "Integers of 8 to 64 bits",
    "conversions": "Conversions",
    "dot_products": "Dot products of short types",
    "avx2": "AVX2",
    "movement": "Permutations, transpositions, prefetches",
    "tiles": "Edges of matrix products",
}
"""The modules of this package that hold a TABLE, and what is in it."""


def names() -> tuple[str, ...]:
    """The names of all instructions of the tables. None is parsed."""
    return tuple(name for module in TABLES for name in import_module(f"{__name__}.{module}").TABLE.names)


def instructions(module: str) -> tuple[Procedure, ...]:
    """All instructions of one of the tables, by its name in `TABLES`.

    Raises:
        UsageError: there is no such table.
    """
    if module not in TABLES:
        raise UsageError(f"instructions: the tables are {', '.join(map(repr, TABLES))}, got {module!r}")
    found: tuple[Procedure, ...] = import_module(f"{__name__}.{module}").TABLE.all()
    return found


def __getattr__(name: str) -> Any:
    if not name.startswith("_"):
        for module in TABLES:
            table = import_module(f"{__name__}.{module}").TABLE
            if name in table.names:
                return table.find(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """The instructions, and the functions that list them."""
    return sorted({*names(), "TABLES", "names", "instructions", *(each for each in globals() if each.startswith("__"))})
