"""The C of a few procedures, letter for letter, and that compilers have nothing to say about it.

With `USL_UPDATE_GOLDEN=1` the files are written instead; the commit then says why the new text is right.
"""

from __future__ import annotations

import os
from pathlib import Path

import c11_kernels as kernels
import pytest
from c11_compile import compiles, require, write

from usl_c11.emit import library
from usl_core.ir.nodes import Proc

GOLDEN = Path(__file__).parent / "golden"

LIBRARIES: dict[str, list[Proc]] = {
    "sgemm": [kernels.SGEMM],
    "blur": [kernels.BLUR],
    "tiles": [kernels.TILES],
    "row_sums": [kernels.PARALLEL],
    "checks": [kernels.CALLS_CHECKED, kernels.CHECKED],
}


@pytest.mark.parametrize("name", LIBRARIES)
def test_generated_files_are_letter_for_letter_the_golden_ones(name: str) -> None:
    files = library(LIBRARIES[name], name).files
    for file in (f"{name}.c", f"{name}.h"):
        if os.environ.get("USL_UPDATE_GOLDEN"):
            GOLDEN.mkdir(exist_ok=True)
            (GOLDEN / file).write_text(files[file])
        assert files[file] == (GOLDEN / file).read_text(), f"{file} differs from tests/golden/{file}"


@pytest.mark.parametrize("name", LIBRARIES)
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_generated_files_compile_without_a_warning(name: str, compiler: str, tmp_path: Path) -> None:
    require(compiler)
    write(library(LIBRARIES[name], name).files, tmp_path)
    for flags in ([], ["-DUSL_NO_ENTRY_CHECKS"]):
        assert compiles(compiler, tmp_path / f"{name}.c", flags) == ""


def test_files_without_entry_checks_compile_and_say_so_in_the_header(tmp_path: Path) -> None:
    files = library([kernels.TILES], "tiles", entry_checks=False).files
    assert "trust their arguments" in files["tiles.h"]
    assert "must hold" not in files["tiles.c"] and "usl_footprint" not in files["tiles.c"]
    write(files, tmp_path)
    assert compiles(require("gcc"), tmp_path / "tiles.c") == ""


def test_parallel_loops_compile_with_openmp(tmp_path: Path) -> None:
    write(library([kernels.PARALLEL], "row_sums").files, tmp_path)
    assert compiles(require("gcc"), tmp_path / "row_sums.c", ["-fopenmp"]) == ""


def test_headers_can_be_included_together_and_from_cpp(tmp_path: Path) -> None:
    require("g++")
    for name, procs in LIBRARIES.items():
        write(library(procs, name).files, tmp_path)
    user = tmp_path / "user.cpp"
    user.write_text("".join(f'#include "{name}.h"\n' for name in [*LIBRARIES, *LIBRARIES]))
    from subprocess import run

    answer = run(
        ["g++", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", str(user)], capture_output=True, check=False
    )
    assert answer.stderr == b""


def test_the_depfile_names_the_source_of_every_procedure(tmp_path: Path) -> None:
    from usl_core.frontend.parser import parse_source

    source = tmp_path / "my kernels.py"
    text = "def f(x: f32[4]):\n    x[0] = 1.0\n"
    source.write_text(text)
    files = library([parse_source(text, {}, str(source))], "lib").files
    assert files["lib.d"] == f"lib.c lib.h: \\\n  {str(source).replace(' ', chr(92) + ' ')}\n"
