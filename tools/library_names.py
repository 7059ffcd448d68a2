"""The names that programs take from the C library: `python tools/library_names.py` writes them for the C backend.

They are the functions and objects that the GNU C library of this machine exports to programs that are linked today, without
those that belong to the implementation (`_...`). ISO C and POSIX are in it.
"""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

OUT = Path(__file__).resolve().parent.parent / "plugins" / "c11" / "usl_c11" / "library_names.txt"


def exported(library: str) -> set[str]:
    """What a shared library defines for new programs; versions kept for old ones alone (`step@GLIBC_2.2.5`) are left out."""
    lines = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    found = set()
    for line in lines.splitlines():
        *_, kind, symbol = line.split()
        name, _, version = symbol.partition("@")
        if kind != "A" and version.startswith("@") and not name.startswith("_"):
            found.add(name)
    return found


def main(libraries: list[str]) -> None:
    names = set[str]().union(*map(exported, libraries))
    OUT.write_text(textwrap.fill(" ".join(sorted(names)), 128, break_on_hyphens=False) + "\n", encoding="ascii")


if __name__ == "__main__":
    main(sys.argv[1:] or [f"/lib/x86_64-linux-gnu/{name}" for name in ("libc.so.6", "libm.so.6")])
