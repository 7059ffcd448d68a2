"""Versions of the code that decides what a call gives: of USL, of plugins, of the solver, of Python.

A package's version is the list of its source files with their sizes and times, so that an editable installation that changes
in place is another version at once. Python itself tells by the same whether a file in `__pycache__` is stale.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import os
import sys
from importlib.machinery import PathFinder
from pathlib import Path

FORMAT = "1"
"""Changed when what is kept is written in another way."""


def digest(value: object) -> bytes:
    """A digest of a value whose `repr` says all of it: texts, numbers and tuples of such."""
    return hashlib.blake2b(repr(value).encode(), digest_size=16).digest()


@functools.cache
def stamp() -> bytes:
    """The version of what decides in every call."""
    z3 = PathFinder.find_spec("z3")
    folders = (str(Path(__file__).parent.parent), *(z3.submodule_search_locations or () if z3 is not None else ()))
    return digest((FORMAT, sys.version, [_files(folder) for folder in folders]))


@functools.cache
def stamp_of(module: str) -> bytes | None:
    """The version of the package that a module is in; None of a module that is no part of a package, for what it may import."""
    top = module.partition(".")[0]
    if top == __name__.partition(".")[0]:
        return stamp()
    found = sys.modules.get(top) or importlib.util.find_spec(top)
    folders = list(getattr(found, "__path__", None) or getattr(found, "submodule_search_locations", None) or ())
    return digest((top, [_files(folder) for folder in folders])) if folders else None


def _files(folder: str) -> list[tuple[str, int, int]]:
    """The files below folder with their sizes and times."""
    found = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                found += _files(entry.path) if entry.name != "__pycache__" else []
            else:
                known = entry.stat()
                found.append((entry.path, known.st_size, known.st_mtime_ns))
    return sorted(found)
