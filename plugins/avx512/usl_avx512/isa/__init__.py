"""Instructions that are alike, made from tables: `families` says how, the modules in `TABLES` are the tables.

An instruction is parsed when it is first asked for, so that importing this costs little. Every instruction is printed with its
body in the manual (docs/avx512.md), and by `print`.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from usl_core.errors import UsageError

if TYPE_CHECKING:
    from usl_core import Procedure

TABLES = {
    "basics": "f32 and f64: loads, stores, multiply-adds",
    "widening": "Every second or fourth element, widened",
    "floats": "f32 and f64 arithmetic",
    "exponents": "Exponents, mantissas and powers of two",
    "functions": "Functions",
    "fours": "Functions of four registers at once",
    "integers": "Integers of 8 to 64 bits",
    "bits": "Operations on bits, shifts",
    "conversions": "Conversions",
    "dot_products": "Dot products of short types",
    "avx2": "AVX2",
    "movement": "Permutations, transpositions, prefetches",
    "tiles": "Edges of matrix products",
    "narrow": "Integers of 8 and 16 bits: parts of registers, sums that saturate",
    "casts": "Casts between any two types",
    "choices": "select of any types",
    "flags": "Truth values in mask registers",
    "divisions": "Integers divided by one number",
    "lanes_apart": "Elements that are not side by side",
    "bytes_table": "Tables of 256 bytes in registers",
    "lookups": "Tables, and the lanes' numbers",
    "scans": "Steps of scans, single lanes",
}
"""The modules of this package that hold a TABLE, and what is in it."""

PLAIN = ("avx", "avx2", "fma", "avx512f", "avx512bw", "avx512vl")


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


def for_lanes(width: int, features: Collection[str] = PLAIN, types: Collection[str] | None = None) -> tuple[Procedure, ...]:
    """The instructions of all tables that work on width lanes, one statement in each, for `vectorize`.

    features: what the processor has; by default what every processor with AVX-512 has that the schedules of this package run
    on (`has_avx512`). `cpu_features()` adds what this one has besides. types: the types of all data, if these are known;
    then only what works on them. No others are parsed, and `vectorize` tries no others, each of which takes time.

        p, _ = vectorize(p, "i", 32, AVX512, isa.for_lanes(32))

    Raises:
        UsageError: there are none of that width.
    """
    found = _for_lanes(width, frozenset(features), None if types is None else frozenset(types))
    if not found:
        raise UsageError(f"for_lanes: no instruction works on {width!r} lanes; there are 8, 16, 32 and 64")
    return found


@cache
def _for_lanes(width: int, features: frozenset[str], types: frozenset[str] | None) -> tuple[Procedure, ...]:
    from usl_avx512 import kernels_int

    by_hand = [each for each in kernels_int.INSTRUCTIONS if f"seq(0, {width})" in str(each)]
    tables = [import_module(f"{__name__}.{module}").TABLE for module in TABLES]
    return (*by_hand, *(table.find(name) for table in tables for name in table.of_lanes(width, features, types)))


def __getattr__(name: str) -> Any:
    if not name.startswith("_"):
        for module in TABLES:
            table = import_module(f"{__name__}.{module}").TABLE
            if name in table.names:
                return table.find(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """The instructions, and the functions that list them."""
    return sorted(
        {*names(), "TABLES", "names", "instructions", "for_lanes", *(each for each in globals() if each.startswith("__"))}
    )
