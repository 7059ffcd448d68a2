"""All scheduling operators under one roof: `from usl_core.scheduling import divide_loop`.

An operator is a file of `usl_core.primitives` that defines a function of its own name; nothing else names it. `OPERATORS` are
the trusted primitives, of which the manual is generated; those of `COMPOSED` do several of them at once. Each is loaded when it
is first asked for, as most programs use a few. The schedule library is a package of its own, `usl_stdlib`.

`scheduling.pyi` tells type checkers the same: `python tools/manual.py` writes it.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parent / "primitives"


@cache
def _files() -> dict[str, Path]:
    """Every file by its name without the ending."""
    return {path.stem: path for path in sorted(_FOLDER.rglob("*.py"))}


@cache
def homes() -> dict[str, str]:
    """The module of each operator, by folders."""
    return {name: _module(path) for name, path in _files().items() if _defines_itself(path)}


def _module(path: Path) -> str:
    return ".".join(("usl_core", "primitives", *path.relative_to(_FOLDER).with_suffix("").parts))


def _defines_itself(path: Path) -> bool:
    return re.search(rf"^def {path.stem}\(", path.read_text(encoding="utf-8"), re.MULTILINE) is not None


def operator(name: str) -> Callable[..., Any] | None:
    """The operator of that name, if there is one; the files of others are not looked at."""
    file = _files().get(name)
    return _load(name, _module(file)) if file is not None and _defines_itself(file) else None


def _load(name: str, home: str) -> Callable[..., Any]:
    function: Callable[..., Any] = getattr(importlib.import_module(home), name)
    return function


def __getattr__(name: str) -> Any:
    value: Any
    if name == "__all__":
        value = [*homes(), "COMPOSED", "OPERATORS"]
    elif name in ("OPERATORS", "COMPOSED"):
        composed = name == "COMPOSED"
        value = tuple(_load(each, home) for each, home in homes().items() if (".composed." in home) == composed)
    elif (value := operator(name)) is None:
        raise AttributeError(f"module 'usl_core.scheduling' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *homes(), "OPERATORS", "COMPOSED"})
