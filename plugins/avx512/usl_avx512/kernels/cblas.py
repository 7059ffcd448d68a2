"""CBLAS: a library that programs link instead of another one, with the standard's names and arguments.

    python -m usl_avx512.kernels.cblas FOLDER

writes libusl_cblas.so, libusl_cblas.a, cblas.h and the C they are made of. Levels 1, 2 and 3 are in it, in single and double
precision.
"""

from __future__ import annotations

import argparse
import functools
import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from subprocess import run
from typing import TYPE_CHECKING

from usl_avx512.kernels.blas_library import CTYPES, TYPES, WHOLE, blas_library, filled
from usl_avx512.kernels.level3_library import gemm_library, require_known
from usl_avx512.kernels.level3_library import words as words_of_level3
from usl_avx512.kernels.sources import FLAGS
from usl_core.errors import JitError, UslError

if TYPE_CHECKING:
    from usl_c11.emit import Library

HERE = Path(__file__).parent
ENUMS = {
    "layout": "CBLAS_LAYOUT",
    "transA": "CBLAS_TRANSPOSE",
    "transB": "CBLAS_TRANSPOSE",
    "trans": "CBLAS_TRANSPOSE",
    "uplo": "CBLAS_UPLO",
    "diag": "CBLAS_DIAG",
    "side": "CBLAS_SIDE",
}
"""The types of options in the header."""


def text(name: str) -> str:
    """One of the C templates beside this module."""
    return (HERE / name).read_text(encoding="utf-8")


def words_of_vectors(letter: str) -> dict[str, str]:
    """What stands in the templates of levels 1 and 2 for the words in them."""
    found = {"T": CTYPES[letter], "P": letter}
    for rank in (1, 2):
        found |= {
            f"READ{rank}": f"struct usl_win_{rank}{TYPES[letter]}c",
            f"WRITE{rank}": f"struct usl_win_{rank}{TYPES[letter]}",
        }
    return found


@functools.cache
def cblas_libraries(letters: str = "sd") -> tuple[Library, ...]:
    """The C of the library: a file for each precision and for vectors and matrices, and one for what they share."""
    found = []
    for letter in letters:
        for plain, words, own in (
            (blas_library(WHOLE, letter), words_of_vectors(letter), ("cblas12.c", "cblas2_rows.c")),
            (gemm_library(f"usl_{letter}gemm"), words_of_level3(require_known(f"usl_{letter}gemm")), ("cblas3.c",)),
        ):
            name = f"{plain.name}.c"
            source = plain.files[name] + "".join(filled(text(file), words) for file in ("cblas_errors.c", *own))
            found.append(replace(plain, files=plain.files | {name: source}))
    shared = {"cblas.c": text("cblas.c"), "cblas.h": header()}
    return (*found, replace(found[0], files=shared, features=()))


def header() -> str:
    """The header, with the prototypes that the templates have."""
    found = []
    for letter in TYPES:
        for name in ("cblas12.c", "cblas2_rows.c", "cblas3.c"):
            lines = re.findall(r"^(?:void|size_t|@T@) cblas_[^(]*\([^)]*\)$", text(name), flags=re.MULTILINE)
            found += [f"{filled(line, words_of_vectors(letter))};" for line in lines]
    prototypes = re.sub(r"\bint (\w+)", lambda word: f"{ENUMS.get(word[1], 'int')} {word[1]}", "\n".join(found))
    return filled(text("cblas.h"), {"PROTOTYPES": prototypes})


def build(folder: Path, flags: Sequence[str] = (), letters: str = "sd") -> Path:
    """Write the C into a folder and make the shared and the static library of it there; the shared one.

    flags are given to the compiler after its usual ones. letters are those of the precisions that are wanted.

    Raises:
        JitError: there is no C compiler, or it refuses. OSError: the folder cannot be written.
    """
    from usl_c11.build import compile_flags
    from usl_c11.compiler import find_compiler

    compiler = find_compiler()
    folder.mkdir(parents=True, exist_ok=True)
    objects = []
    for library in cblas_libraries(letters):
        for name, content in library.files.items():
            (folder / name).write_text(content, encoding="utf-8")
    for library in cblas_libraries(letters):
        for name in library.files:
            if name.endswith(".c"):
                objects.append(folder / f"{Path(name).stem}.o")
                own = compile_flags(library, compiler, (*FLAGS, *flags))
                _run([*compiler.command, *own, "-fPIC", "-c", str(folder / name), "-o", str(objects[-1])])
    shared, static = folder / "libusl_cblas.so", folder / "libusl_cblas.a"
    static.unlink(missing_ok=True)
    stays = ("-Wl,-z,nodelete",) if sys.platform == "linux" else ()  # its threads outlive calls
    _run([*compiler.command, "-shared", *map(str, objects), "-lm", "-pthread", *stays, "-o", str(shared)])
    _run(["ar", "rcs", str(static), *map(str, objects)])
    for file in objects:
        file.unlink()
    return shared


def _run(command: Sequence[str]) -> None:
    done = run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise JitError(f"{command[0]} ended with status {done.returncode}", notes=(" ".join(command), done.stderr))


def main(arguments: Sequence[str] | None = None) -> int:
    """Builds the library from the command line; the exit status."""
    parser = argparse.ArgumentParser("python -m usl_avx512.kernels.cblas", description="Build a CBLAS library.")
    parser.add_argument("folder", type=Path, help="what to write it into")
    folder = parser.parse_args(arguments).folder
    try:
        shared = build(folder)
    except (UslError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{shared} and {shared.with_suffix('.a')}; {folder / 'cblas.h'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
