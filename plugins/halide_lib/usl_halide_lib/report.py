"""What `usl halide` prints and writes."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path

from usl_core.cli.files import write_all
from usl_core.cli.modules import import_file
from usl_core.errors import NOWHERE
from usl_halide_lib.lang.errors import AlgorithmError
from usl_halide_lib.lang.library import c_files
from usl_halide_lib.lang.pipeline import Pipeline
from usl_halide_lib.lang.syntax import Func

PASSES = "alg", "tgt?", "query", "bounds", "tgt", "p0"


def pipeline(place: str) -> tuple[Pipeline, str]:
    """The pipeline of `FILE:FUNC`, and its name. FILE is imported, which runs it.

    Raises:
        UslError: it cannot be run, or has no such pipeline.
    """
    file, colon, name = place.rpartition(":")
    if not colon or not file:
        raise _wrong(f"{place}: FILE:FUNC is wanted, the name of a Func, a Pipeline or a function after the colon")
    module = import_file(Path(file))
    if not hasattr(module, name):
        known = [each for each, value in vars(module).items() if isinstance(value, Func | Pipeline)]
        close = get_close_matches(name, known, n=1)
        hints = [f"did you mean {close[0]}?"] if close else []
        hints += [f"the funcs of the file are {', '.join(known)}"] if known else []
        raise _wrong(f"{file} has no {name}", hints)
    value = getattr(module, name)
    if callable(value) and not isinstance(value, Func | Pipeline | type):
        value = value()
    if isinstance(value, Func | list | tuple):
        value = Pipeline(value)
    if not isinstance(value, Pipeline):
        raise _wrong(f"{name} of {file} is neither a Func nor a Pipeline, nor a function that returns one")
    return value, name


def shown(chosen: Pipeline, form: str) -> str:
    """A stage of compilation as text."""
    if form in PASSES:
        return chosen.lowered(form)
    if form == "procedure":
        return f"{chosen.procedure()}\n"
    if form == "c":
        return chosen.procedure().c_code()
    raise _wrong(f"--show {form}: {', '.join((*PASSES, 'procedure', 'c'))} can be shown")


def written(chosen: Pipeline, directory: Path, name: str) -> list[Path]:
    """Write the C of a pipeline: all files, or none."""
    return write_all(directory, c_files(chosen, name))


def _wrong(message: str, notes: list[str] | None = None) -> AlgorithmError:
    return AlgorithmError(message, code="E788", span=NOWHERE, notes=notes or [])
