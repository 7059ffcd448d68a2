"""What C needs beside itself: drivers that plugins declare, flags of the caller, what a file says of its own needs."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import c11_kernels as kernels
import numpy as np
import pytest

from tests.plugins.sites import Site, on_the_path
from usl_c11.backend import C11
from usl_c11.compiler import Compiler, compile_library, find_compiler
from usl_c11.jit import jit
from usl_core.errors import BackendError, JitError
from usl_core.ir.nodes import Proc
from usl_core.plugins import manager as managing
from usl_core.plugins.manager import Kind

PLUGIN = """
from pathlib import Path
from usl_core.plugins.hookspecs import Driver
HERE = Path(__file__).parent / "drv"
@hookimpl
def usl_drivers():
    return {"unit": Driver(("drv_unit.h",), include_dirs=(HERE,), flags=("-DDRV_SCALE=2",), sources=(HERE / "drv_unit.c",),
                           library_dirs=(HERE / "lib",), libraries=("drvbase",))}
"""


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """A plugin with a driver: a header, a C file and a library of its own."""
    monkeypatch.setattr(managing, "_default", None)
    with on_the_path(tmp_path / "site", monkeypatch) as made:
        made.add("drv", PLUGIN)
        folder = made.folder / "drv"
        (folder / "lib").mkdir(parents=True)
        (folder / "drv_unit.h").write_text("void drv_scale(float *x);\n")
        source = '#include "drv_unit.h"\nfloat drv_base(void);\nvoid drv_scale(float *x) { *x *= DRV_SCALE * drv_base(); }\n'
        (folder / "drv_unit.c").write_text(source)
        base_library(folder / "lib", 10)
        yield made


def base_library(folder: Path, value: int, name: str = "drvbase") -> None:
    base = folder / f"{name}.c"
    base.write_text(f"float drv_base(void);\nfloat drv_base(void) {{ return {value}.0f; }}\n")
    compile_library(find_compiler(), base, folder / f"lib{name}.so", ["-fPIC", "-shared"])


def scaler(header: str = '"drv_unit.h"') -> Proc:
    scale = kernels.instruction("def scale(x: f32):\n    x = x * 20.0\n", "drv_scale({x.ptr});", includes=(header,))
    return kernels.parse("def user(x: f32[4]):\n    for i in seq(0, 4):\n        scale(x[i])\n", scale=scale)


def result(call: Any) -> list[float]:
    x = np.arange(4, dtype=np.float32)
    call(x)
    return x.tolist()  # type: ignore[no-any-return]


def test_jit_compiles_and_links_what_the_plugin_of_an_included_header_declares(site: Site) -> None:
    call = jit(scaler())
    assert result(call) == [0, 20, 40, 60]
    assert "-DDRV_SCALE=2" in call.command and "-ldrvbase" in call.command


def test_a_driver_that_changed_is_compiled_again(site: Site) -> None:
    assert result(jit(scaler())) == [0, 20, 40, 60]
    source = site.folder / "drv" / "drv_unit.c"
    source.write_text(source.read_text().replace("*x *=", "*x = 1 + *x *"))
    assert result(jit(scaler())) == [1, 21, 41, 61]
    header = site.folder / "drv" / "drv_unit.h"
    library = jit(scaler()).library
    header.write_text(header.read_text() + "/* other */\n")
    assert jit(scaler()).library != library


def test_the_header_says_what_the_file_is_compiled_and_linked_with(site: Site) -> None:
    header = C11().emit([scaler()], "lib")["lib.h"]
    note = "lib.c: compile drv_unit.c too; link with -ldrvbase; `usl compile --make-variables` writes where all that is."
    assert f"/* {note} */" in header


def test_a_makefile_builds_what_usl_compile_writes(site: Site, tmp_path: Path) -> None:
    file = tmp_path / "kernels_of_user.py"
    file.write_text("""\
from __future__ import annotations
from usl_core import instr, proc
@instr("drv_scale({x.ptr});", includes=["drv_unit.h"])
def scale(x: f32):
    x = x * 20.0
@proc
def user(x: f32[4]):
    for i in par(0, 4):
        scale(x[i])
""")
    done = site.usl("compile", str(file), "-o", str(tmp_path / "out"), "--name", "lib", "--make-variables")
    assert done.returncode == 0, done.stderr
    assert str(tmp_path / "out" / "lib.mk") in done.stdout
    main = '#include "lib.h"\nint main(void) { float x[4] = {1, 2, 3, 4}; return user(x) + (x[3] != 80.0f); }\n'
    (tmp_path / "out" / "main.c").write_text(main)
    (tmp_path / "out" / "Makefile").write_text("""\
include lib.mk
main: main.c $(lib_SOURCES)
\tcc $(lib_CFLAGS) -o $@ $^ $(lib_LDLIBS)
run: main
\t./main
""")
    made = subprocess.run(["make", "run"], cwd=tmp_path / "out", capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr


def test_two_drivers_of_one_header_are_refused_with_both_names(site: Site) -> None:
    site.add("other", PLUGIN)
    with pytest.raises(BackendError, match=r"the drivers drv\.unit and other\.unit both declare the header drv_unit\.h"):
        jit(scaler())


def test_no_plugin_is_loaded_for_the_headers_of_the_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("usl_c11.drivers.plugin_manager", lambda: pytest.fail("a plugin was asked for"))
    C11().emit([scaler("<immintrin.h>"), kernels.SGEMM, kernels.CHECKED], "lib")


@pytest.mark.parametrize(
    ("driver", "problem"),
    [
        ('Driver("drv.h")', "headers of driver 'd' must be a tuple of str, not 'drv.h'"),
        ('Driver(("drv.h",), libraries=["drv"])', r"libraries of driver 'd' must be a tuple of str, not \['drv'\]"),
        ('Driver(("drv.h",), sources=("drv.c",))', r"sources of driver 'd' must be a tuple of Path, not \('drv.c',\)"),
        ('Driver(("drv.h",), sources=(Path("/no/drv.c"),))', "driver 'd' names /no/drv.c, which is no absolute path"),
        ('"drv.h"', "driver 'd' is not a Driver"),
    ],
)
def test_malformed_drivers_are_left_out_with_a_sentence(driver: str, problem: str, site: Site) -> None:
    source = f"""
        from pathlib import Path
        from usl_core.plugins.hookspecs import Driver
        @hookimpl
        def usl_drivers():
            return {{"d": {driver}}}
        """
    site.add("wrong", source)
    plugin = managing.plugin_manager().get("wrong")
    assert plugin.declared(Kind.DRIVERS) == {}
    with pytest.raises(AssertionError, match=problem):
        raise AssertionError(*plugin.problems)


def test_the_callers_flags_may_link_a_library(tmp_path: Path) -> None:
    base_library(tmp_path, 7, "mine")
    base = kernels.instruction(
        "def base(x: f32):\n    x = 7.0\n", "*{x.ptr} = drv_base();", c_global="float drv_base(void);", includes=()
    )
    proc = kernels.parse("def user(x: f32):\n    base(x)\n", base=base)
    x = np.zeros((), np.float32)
    jit(proc, flags=(f"-L{tmp_path}", f"-Wl,-rpath,{tmp_path}", "-lmine", "-Wl,--no-undefined"))(x)
    assert x == 7


def test_a_library_that_is_missing_is_an_error_of_jit_not_of_the_call() -> None:
    base = kernels.instruction("def base(x: f32):\n    x = 7.0\n", "*{x.ptr} = no_such();", c_global="float no_such(void);")
    with pytest.raises(JitError, match=r"cannot load the compiled user: .*no_such"):
        jit(kernels.parse("def user(x: f32):\n    base(x)\n", base=base))


def test_a_file_names_all_the_flags_that_it_needs_at_once(tmp_path: Path) -> None:
    fma = kernels.instruction("def wide(x: f32):\n    x = 0.0\n", "*{x.ptr} = 0.0f;", features=("avx2", "fma", "avx512f"))
    proc = kernels.parse("def f(x: f32):\n    wide(x)\n", wide=fma)
    files = C11().emit([proc], "lib")
    assert "/* lib.c: compile with -mavx2 -mfma -mavx512f. */" in files["lib.h"]
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    command = [*find_compiler().command, "-std=c11", "-fsyntax-only", str(tmp_path / "lib.c")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stderr.count("#error") == 2  # as the compiler's message, and as the line that it quotes
    assert 'compile this file with -mavx2 -mfma -mavx512f"' in done.stderr


def test_a_callable_says_how_it_was_built_and_whether_its_parallel_loops_use_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    from usl_c11 import build
    from usl_c11.compiler import openmp_flags

    plain, parallel = jit(kernels.SGEMM), jit(kernels.PARALLEL)
    assert plain.parallel is None and "-O3" in plain.command.split()
    if openmp_flags(find_compiler()):
        assert parallel.parallel is True and "-fopenmp" in parallel.command.split()
        assert repr(parallel).endswith("with threads>")
    without: Any = lambda compiler: ()  # noqa: E731
    monkeypatch.setattr(build, "openmp_flags", without)
    in_order = jit(kernels.PARALLEL)
    assert in_order.parallel is False
    assert repr(in_order).endswith("its parallel loops in order: no -fopenmp>")


def test_the_compiler_sees_the_source_before_the_libraries(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    commands: list[list[str]] = []

    def run(command: list[str]) -> subprocess.CompletedProcess[str]:
        commands.append(command)
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr("usl_c11.compiler._run", run)
    compile_library(Compiler(("cc",), "1"), tmp_path / "a.c", tmp_path / "a.so", ["-lm2"])
    assert commands[0].index(str(tmp_path / "a.c")) < commands[0].index("-lm2")
