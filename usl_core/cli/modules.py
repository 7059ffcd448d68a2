"""Running a user's file and collecting the procedures that it exports."""

from __future__ import annotations

import contextlib
import importlib.util
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import FrameType, ModuleType

from usl_core.errors import UslError
from usl_core.ir.types import CONTROLS, SCALARS
from usl_core.plugins.blame import blamed_span, describe, notes_of
from usl_core.procedure import Procedure

_TOO_DEEP = ("too many statically nested blocks", "too many levels of indentation")
"""What Python says of a file with more than 20 nested loops (21 from 3.13), and of one with a hundred levels of indentation."""


def import_file(path: Path) -> ModuleType:
    """The module that running path gives; like `python path`, with its folder first on the import path while it runs.

    What it prints goes to the standard error stream: the standard output is for what the command says.

    Raises:
        UslError: the file cannot be read, or running it fails; the message points at the line in the file.
    """
    module = _new_module(path)
    code = _read(path)
    sys.modules[module.__name__] = module
    with _first_on_path(path.parent.resolve()), contextlib.redirect_stdout(sys.stderr):
        try:
            exec(compile(code, str(path), "exec", dont_inherit=True), module.__dict__)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise _located(path, error) from error
    return module


@contextlib.contextmanager
def _first_on_path(folder: Path) -> Iterator[None]:
    """Only while the file runs, so that a `json.py` beside it does not become ours when we need Python's."""
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        with contextlib.suppress(ValueError):  # the file may have changed the path itself
            sys.path.remove(str(folder))


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UslError(f"cannot read {path}: {error.strerror}") from error


def _new_module(path: Path) -> ModuleType:
    """An empty module for path. Its name is its own, so that a file called `random.py` does not replace Python's."""
    spec = importlib.util.spec_from_loader(f"usl_compile_{path.stem}", loader=None, origin=str(path))
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    module.__file__ = str(path)
    return module


def _located(path: Path, error: BaseException) -> UslError:
    def in_file(frame: FrameType) -> bool:
        return frame.f_code.co_filename == str(path)

    span = blamed_span(error, in_file)
    kind = type(error) if isinstance(error, UslError) else UslError
    code = error.code if isinstance(error, UslError) else None
    text = describe(error) if span is not None else f"{path}: {describe(error)}"
    return kind(text, span=span, notes=[*notes_of(error), *_hints(error)], code=code)


def _hints(error: BaseException) -> list[str]:
    """What helps where Python refuses the file: it evaluates annotations, and nests blocks no deeper than 20."""
    if isinstance(error, NameError) and error.name in {*SCALARS, *CONTROLS}:
        return ["hint: begin the file with `from __future__ import annotations`"]
    if isinstance(error, SyntaxError) and error.msg in _TOO_DEEP:
        return ["hint: give the procedure's text to `proc_from_source`, or build it with `usl_core.build`: they nest deeper"]
    return []


def exported(module: ModuleType) -> list[Procedure]:
    """The procedures that a module exports, in the order of its `__all__` or of their definition.

    Raises:
        UslError: there are none, `__all__` names what does not exist, or two of them have one name.
    """
    names = _names(module)
    procedures = [value for name in names if isinstance(value := module.__dict__[name], Procedure) and not value.is_instr()]
    if not hasattr(module, "__all__"):
        elsewhere = _bound_elsewhere(module)
        procedures = [procedure for procedure in procedures if id(procedure) not in elsewhere]
    unique = list({id(procedure): procedure for procedure in procedures}.values())
    if not unique:
        raise UslError(
            f"{module.__file__} exports no procedure",
            notes=("hint: define one with @proc at module level, or list it in __all__",),
        )
    _require_distinct_names(module, unique)
    return unique


def _names(module: ModuleType) -> Iterable[str]:
    if not hasattr(module, "__all__"):
        return list(module.__dict__)
    listed = module.__all__
    if not isinstance(listed, list | tuple):
        raise UslError(f"{module.__file__}: __all__ is no list of names")
    for name in listed:
        if name not in module.__dict__:
            raise UslError(f"{module.__file__}: __all__ names {name!r}, which the file does not define")
    return listed


def _bound_elsewhere(module: ModuleType) -> set[int]:
    """What other modules hold: a procedure that the file merely imported is theirs to export."""
    others: list[Mapping[str, object]] = [
        namespace
        for other in list(sys.modules.values())
        if other is not module and (namespace := getattr(other, "__dict__", None))
    ]
    return {id(value) for namespace in others for value in list(namespace.values()) if isinstance(value, Procedure)}


def _require_distinct_names(module: ModuleType, procedures: Iterable[Procedure]) -> None:
    seen: set[str] = set()
    for procedure in procedures:
        if procedure.name() in seen:
            raise UslError(
                f"{module.__file__} exports two procedures called {procedure.name()!r}",
                notes=("hint: rename one of them, or list those to export in __all__",),
            )
        seen.add(procedure.name())
