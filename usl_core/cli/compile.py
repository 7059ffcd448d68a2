"""`usl compile`: a Python file in, C files out."""

from __future__ import annotations

import re
import sys
import sysconfig
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

from usl_core.cli.files import write_all
from usl_core.cli.modules import exported, import_file
from usl_core.errors import UslError
from usl_core.plugins.manager import backend


def compile_file(
    file: Path, directory: Path, *, name: str | None, backend_name: str, entry_checks: bool, make: bool = False
) -> list[Path]:
    """Runs file, turns what it exports into code and writes that into directory; returns the paths written.

    Raises:
        UslError: any of this fails; then nothing is written.
    """
    library = _library_name(file, name)
    before = set(sys.modules)
    procedures = exported(import_file(file))
    irs, chosen = [each.ir for each in procedures], backend(backend_name)
    texts = dict(chosen.emit(irs, library, entry_checks=entry_checks))
    if make:
        texts[f"{library}.mk"] = _make_variables(chosen, backend_name)(irs, library)
    _require_plain_names(backend_name, texts)
    depfile = f"{library}.d"
    texts.pop(depfile, None)  # a backend knows procedures only, not the files that running FILE has read
    texts[depfile] = _depfile([directory / target for target in texts], _dependencies(file, before))
    return write_all(directory, texts)


def _make_variables(chosen: Any, backend_name: str) -> Any:
    if not hasattr(chosen, "make_variables"):
        raise UslError(f"backend {backend_name!r} has no variables for make")
    return chosen.make_variables


def _library_name(file: Path, name: str | None) -> str:
    library = file.stem if name is None else name
    if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", library):
        return library
    if name is None:
        raise UslError(f"{library!r}, the name of {file}, is no C identifier", notes=("hint: choose another with --name",))
    raise UslError(f"--name must be a C identifier, not {name!r}")


def _require_plain_names(backend_name: str, texts: Iterable[str]) -> None:
    for text_name in texts:
        if Path(text_name).name != text_name:
            raise UslError(f"backend {backend_name!r} wants to write outside the output directory: {text_name!r}")


def _dependencies(file: Path, before: Collection[str]) -> list[Path]:
    """The files that the output depends on: FILE, what it imported (Python's standard library left out), and our packages."""
    standard = [Path(sysconfig.get_path(key)).resolve() for key in ("stdlib", "platstdlib")]
    used = [module for name, module in list(sys.modules.items()) if name not in before or name.startswith("usl_")]
    loaded = {Path(origin).resolve() for module in used if (origin := getattr(module, "__file__", None))}
    others = {path for path in loaded if not any(_is_standard(path, root) for root in standard)}
    return [file, *sorted(others - {file.resolve()})]


def _is_standard(path: Path, root: Path) -> bool:
    return path.is_relative_to(root) and "site-packages" not in path.parts and "dist-packages" not in path.parts


def _depfile(targets: Sequence[Path], dependencies: Sequence[Path]) -> str:
    """A rule for make; a rule without prerequisites for each dependency, so that removing a file does not break the build."""
    rule = " ".join(_escaped(path) for path in targets) + ":" + "".join(f" \\\n  {_escaped(path)}" for path in dependencies)
    return "\n".join([rule, *(f"{_escaped(path)}:" for path in dependencies[1:])]) + "\n"


def _escaped(path: Path) -> str:
    """path as make and ninja read it in a depfile."""
    return str(path).replace("\\", "\\\\").replace(" ", "\\ ").replace("#", "\\#").replace("$", "$$")
