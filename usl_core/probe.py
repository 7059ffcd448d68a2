"""What this machine has beyond what USL needs: programs, headers, Python packages, features of the processor.

Packages and tests ask here, so that `USL_HIDE` can make a machine look bare: each name in it hides the Python package of that
name and every program, header and CPU feature whose name begins with it (letters and digits count), `USL_HIDE="clang simde
avx512"`; a group in GROUPS stands for its members. tests/test_probes.py finds those who ask elsewhere.
"""

from __future__ import annotations

import functools
import os
import re
import shutil
from collections.abc import Iterable
from pathlib import Path

VARIABLE = "USL_HIDE"
GROUPS = {"graphics": ("matplotlib", "plotly", "PIL", "skimage")}
CPUINFO = Path("/proc/cpuinfo")

_LIST = re.compile(r"^(?:flags|Features)\s*:(.*)$", re.MULTILINE)

found: set[str] = set()
"""The names that were asked for and are there, so that tests can tell what they depended on."""


def plain(name: str) -> str:
    """A name for comparison: Linux writes avx512_vnni and sse4_2, compilers avx512vnni and sse4.2."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def hidden(name: str) -> bool:
    """Whether `USL_HIDE` hides a program, header or CPU feature."""
    return any(plain(name).startswith(plain(prefix)) for prefix in _listed_names() if plain(prefix))


def hidden_package(name: str) -> bool:
    """Whether `USL_HIDE` hides a Python package."""
    return name in _listed_names()


def _listed_names() -> list[str]:
    listed = re.split(r"[\s,]+", os.environ.get(VARIABLE, ""))
    return [member for each in listed for member in GROUPS.get(each, (each,))]


def program(name: str) -> str | None:
    """The path of a program that is installed."""
    path = None if hidden(Path(name).name) else shutil.which(name)
    if path is not None:
        found.add(name)
    return path


def cpu_flags() -> frozenset[str] | None:
    """The processor's features, in lower case and as Linux spells them; None on systems without that list."""
    listed = _flags_in(CPUINFO)
    return None if listed is None else visible(listed)


def visible(names: Iterable[str]) -> frozenset[str]:
    """Those of the names that are not hidden."""
    return frozenset(name for name in names if not hidden(name))


@functools.lru_cache
def _flags_in(file: Path) -> frozenset[str] | None:
    try:
        match = _LIST.search(file.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return None
    return frozenset(match[1].lower().split()) if match else None
