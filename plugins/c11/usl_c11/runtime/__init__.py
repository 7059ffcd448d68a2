"""The run-time system of programs with counted references: usl_rt.h and usl_rt.c. Any front end may generate C against it."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

FILES = ("usl_rt.h", "usl_rt.c")


@cache
def runtime_files() -> dict[str, str]:
    """The text of the header and of the source, by file name."""
    folder = files(__name__)
    return {name: (folder / name).read_text(encoding="utf-8") for name in FILES}
