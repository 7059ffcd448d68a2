"""`usl plugin new NAME`: a complete package written from the files of `usl_conformance/template`."""

from __future__ import annotations

import importlib.metadata
import importlib.resources
import importlib.util
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from importlib.resources.abc import Traversable
from pathlib import Path, PurePosixPath
from string import Template

from usl_conformance.names import name_problem
from usl_core.errors import PluginError
from usl_core.plugins.manager import plugin_manager

BAD_NAME = "E820"
NOT_WRITTEN = "E821"
SUFFIX = ".tmpl"


SHARED = ("pyproject.toml", "package/py.typed", "tests/test_conformance.py")
KINDS = {
    "accelerator": ("template", ()),
    "cpu": ("template_cpu", SHARED),
    "schedules": ("template_schedules", ("package/py.typed",)),
    "backend": ("template_backend", ("package/py.typed",)),
}
"""By kind: the package of texts, and what is taken from `template` beside them."""


def write_package(name: str, directory: Path | None, kind: str = "accelerator") -> str:
    """Writes the package into directory (default: name in the current folder), which must not exist; the next steps as text.

    The folder appears complete or not at all.

    Raises:
        PluginError: the name cannot be used, the folder exists, or it cannot be written.
    """
    _check_name(name)
    target = directory if directory is not None else Path(name)
    if os.path.lexists(target):
        raise PluginError(
            f"{target} exists, and nothing is overwritten", notes=("hint: choose another folder with --dir",), code=NOT_WRITTEN
        )
    _write(target, dict(_texts(_values(name), kind)))
    check = "" if kind == "schedules" else f" && usl plugin check {name}"
    steps = f"pip install -e '{target}[test]' && pytest {target}{check}"
    return f"{target}: a plugin called {name}\n  next: {steps}"


def _check_name(name: str) -> None:
    problem = name_problem(name)
    if not problem and name.startswith("_"):
        problem = f"{name!r} begins with an underscore, which C reserves"
    if problem:
        raise PluginError(
            f"a plugin cannot be called so: {problem}",
            notes=("hint: use letters, digits and _, as in my_accel",),
            code=BAD_NAME,
        )
    if name in plugin_manager().installed():
        raise PluginError(f"a plugin called {name!r} is installed already", notes=("hint: choose another name",), code=BAD_NAME)
    if importlib.util.find_spec(f"usl_{name}") is not None:
        note = "hint: choose another name, or run this in another folder"
        raise PluginError(f"a Python package usl_{name} exists already", notes=(note,), code=BAD_NAME)


def _values(name: str) -> Mapping[str, str]:
    return {
        "name": name,
        "package": f"usl_{name}",
        "dist": f"usl-{name.replace('_', '-')}".lower().rstrip("-"),
        "registers": f"{name.upper()}_REGS",
        "requires": _requires(importlib.metadata.version("usl-core")),
    }


def _requires(version: str) -> str:
    """Bounds that accept this version's series, development versions included: `>=0.1.dev0,<0.2`."""
    match = re.match(r"(\d+)\.(\d+)", version)
    major, minor = (int(match[1]), int(match[2])) if match else (0, 1)
    return f">={major}.{minor}.dev0,<{major}.{minor + 1}"


def _texts(values: Mapping[str, str], kind: str) -> Iterator[tuple[PurePosixPath, str]]:
    """Each file's path in the new folder, and its text."""
    folder, shared = KINDS[kind]
    files = dict(_template_files(importlib.resources.files(f"usl_conformance.{folder}"), PurePosixPath()))
    for path, file in _template_files(importlib.resources.files("usl_conformance.template"), PurePosixPath()):
        if path.as_posix() in shared:
            files[path] = file
    for path, file in files.items():
        parts = [values["package"] if part == "package" else part for part in path.parts]
        yield PurePosixPath(*parts), Template(file.read_text(encoding="utf-8")).substitute(values)


def _template_files(folder: Traversable, below: PurePosixPath) -> Iterator[tuple[PurePosixPath, Traversable]]:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            yield from _template_files(entry, below / entry.name)
        elif entry.name.endswith(SUFFIX):
            yield below / entry.name.removesuffix(SUFFIX), entry


def _write(target: Path, texts: Mapping[PurePosixPath, str]) -> None:
    """Writes beside the target first, then renames."""
    work = None
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
        folder = work / "new"
        for path, text in texts.items():
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8", newline="\n")
        folder.rename(target)
    except OSError as error:
        raise PluginError(
            f"cannot write {target}: {error.strerror or error}",
            notes=("hint: choose a writable folder with --dir",),
            code=NOT_WRITTEN,
        ) from error
    finally:
        if work is not None:
            shutil.rmtree(work, ignore_errors=True)
