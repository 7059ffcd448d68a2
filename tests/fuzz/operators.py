"""The operators that the fuzzer knows by name."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from functools import cache
from typing import Any

import usl_core.primitives
from tests.fuzz.library import library


@cache
def operators() -> dict[str, Callable[..., Any]]:
    """Every operator by name, each from a module of its own name, and the functions of the schedule library."""
    found: dict[str, Callable[..., Any]] = {}
    for module in pkgutil.walk_packages(usl_core.primitives.__path__, "usl_core.primitives."):
        name = module.name.rpartition(".")[2]
        function = getattr(importlib.import_module(module.name), name, None)
        if callable(function):
            found[name] = function
    return found | library()
