"""The import hook that puts changed code in place of a kernel module, in a process that has not imported the kernel yet.

`USL_MUTATE=ID python -m pytest -p tests.mutation.hook tests/primitives` runs any tests with one condition disabled.
"""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Callable, Sequence
from functools import cache
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from tests.mutation import conditions
from tests.mutation.conditions import FIRED, SEEN
from tests.mutation.kernel import PACKAGE, kernel_modules, path_of

Codes = Callable[[str], CodeType | None]
"""The code of a module by its name in the package; None leaves it as it is."""


def disable(name: str) -> None:
    """Disable one condition for the rest of this process.

    Raises:
        KeyError: there is no such condition.
    """
    module = conditions.condition(name).module
    code = _compiled(module, conditions.mutated(module, name))
    _install(lambda found: code if found == module else None, None)


def record(note: Callable[[str], object]) -> None:
    """Call note with the id of each condition whenever it makes a difference."""
    _install(recorded_code().get, note)


@cache
def recorded_code() -> dict[str, CodeType]:
    """The code of the kernel that records, by module; a process that forks others makes it once for all of them."""
    return {module: _compiled(module, conditions.recorded(module)) for module in kernel_modules()}


def _compiled(module: str, tree: ast.Module) -> CodeType:
    return compile(tree, str(path_of(module)), "exec", dont_inherit=True)


def _install(codes: Codes, note: Callable[[str], object] | None) -> None:
    if any(name.startswith(f"{PACKAGE}.") for name in sys.modules):
        raise AssertionError(f"{PACKAGE} is imported already")
    sys.meta_path.insert(0, _Finder(codes, note))


class _Finder(MetaPathFinder):
    def __init__(self, codes: Codes, note: Callable[[str], object] | None) -> None:
        self.codes, self.note = codes, note

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if not fullname.startswith(f"{PACKAGE}."):
            return None
        name = fullname.removeprefix(f"{PACKAGE}.")
        code = self.codes(name)
        spec = PathFinder.find_spec(fullname, path, target) if code is not None else None
        if spec is None or code is None or spec.origin is None:
            return None
        assert Path(spec.origin) == path_of(name), f"{fullname} is imported from {spec.origin}"
        spec.loader = _Loader(fullname, spec.origin, code, _helpers(name, self.note))
        return spec


def _helpers(module: str, note: Callable[[str], object] | None) -> dict[str, Any]:
    """What a recorded module calls."""
    if note is None:
        return {}
    ids = [condition.id for condition in conditions.conditions(module)]

    def seen(number: int, value: Any, neutral: bool | None) -> Any:
        if (value is not None) if neutral is None else (bool(value) is not neutral):
            note(ids[number])
        return value

    return {SEEN: seen, FIRED: lambda number: note(ids[number])}


class _Loader(SourceFileLoader):
    """Gives certain code instead of the file's; nothing is cached on disk."""

    def __init__(self, fullname: str, path: str, code: CodeType, names: dict[str, Any]) -> None:
        super().__init__(fullname, path)
        self.code, self.names = code, names

    def get_code(self, fullname: str) -> CodeType:
        return self.code

    def exec_module(self, module: ModuleType) -> None:
        vars(module).update(self.names)
        super().exec_module(module)


if "USL_MUTATE" in os.environ:
    disable(os.environ["USL_MUTATE"])
