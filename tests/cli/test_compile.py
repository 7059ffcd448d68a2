"""`usl compile`: what is exported, what is written, and one message for each mistake."""

from __future__ import annotations

import shlex
import subprocess
from textwrap import dedent

import pytest

PROCS = """
    from __future__ import annotations
    from usl_core import DRAM, instr, proc

    @proc
    def scale(n: size, x: f32[n] @ DRAM):
        for i in seq(0, n):
            x[i] = 2.0 * x[i]

    @proc
    def clear(n: size, x: f32[n] @ DRAM):
        for i in seq(0, n):
            x[i] = 0.0

    alias = clear
    __bound__ = 3

    @instr("zero({x});")
    def zero(x: f32 @ DRAM):
        x = 0.0
"""


@pytest.fixture
def usl_compile(site, work):
    """Writes a FILE and compiles it with the fake backend."""

    def run(source, *options, file="kernels.py", backend="fake", debug=False):
        (work / file).write_text(dedent(source))
        return site.usl(*(["--debug"] if debug else []), "compile", file, "--backend", backend, *options, cwd=work)

    return run


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_compile_writes_source_header_and_depfile_and_prints_their_paths(usl_compile, work):
    done = usl_compile(PROCS, "-o", "out/c")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split() == ["out/c/kernels.c", "out/c/kernels.d", "out/c/kernels.h"]
    assert (work / "out/c/kernels.c").read_text() == "/* scale clear; checks: True */\n"
    assert names(work / "out/c") == ["kernels.c", "kernels.d", "kernels.h"]


def test_entry_checks_and_the_name_are_passed_on(usl_compile, work):
    usl_compile(PROCS, "--no-entry-checks", "--name", "other")
    assert (work / "other.c").read_text() == "/* scale clear; checks: False */\n"
    assert not (work / "kernels.c").exists()


def test_all_selects_and_orders_what_is_exported(usl_compile, work):
    usl_compile(PROCS + "\n    __all__ = ['clear', 'zero', 'DRAM', 'scale']\n")
    assert (work / "kernels.c").read_text() == "/* clear scale; checks: True */\n"


def test_a_procedure_that_the_file_only_imports_is_not_exported(usl_compile, work):
    (work / "library.py").write_text(dedent(PROCS))
    usl_compile("from library import scale, clear\nfrom usl_core.scheduling import rename\nquick = rename(scale, 'quick')\n")
    assert (work / "kernels.c").read_text() == "/* quick; checks: True */\n"


def test_the_depfile_names_the_file_and_what_it_imports_for_make(usl_compile, work):
    (work / "li b.py").write_text("")
    (work / "library.py").write_text("VALUE = 1\n")
    assert usl_compile(dedent(PROCS) + "import json, library\n__import__('li b')\n").returncode == 0
    (work / "Makefile").write_text("include kernels.d\n")
    text = (work / "kernels.d").read_text()
    rule = text.split("\n\n")[0].replace("\\\n", " ")
    assert text.startswith("kernels.c kernels.h: \\\n  kernels.py \\\n")
    assert f"{work}/library.py" in shlex.split(rule)
    assert f"{work}/li\\ b.py:" in text
    assert "json" not in text
    made = subprocess.run(["make", "-n", "kernels.c"], cwd=work, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("x = (1,\n", "kernels.py:1:5: SyntaxError: '(' was never closed\n    x = (1,\n        ^\n"),
        ("x = 1\ny = 1 / 0\n", "kernels.py:2:5: ZeroDivisionError: division by zero\n    y = 1 / 0\n        ^^^^^\n"),
        ("import json\njson.loads('{')\n", "kernels.py:2:1: JSONDecodeError: "),
        ("import sys\nsys.exit('done')\n", "kernels.py:2:1: SystemExit: done\n"),
        ("import nonesuch\n", "kernels.py:1:1: ModuleNotFoundError: No module named 'nonesuch'\n"),
        ("x = 1\n", "kernels.py exports no procedure\n"),
        ("__all__ = ['gone']\n", "kernels.py: __all__ names 'gone', which the file does not define\n"),
    ],
)
def test_a_mistake_in_the_file_is_one_message_with_its_place(usl_compile, work, source, message):
    done = usl_compile(source)
    assert done.returncode == 1
    assert done.stderr.startswith(message)
    assert "Traceback" not in done.stderr
    assert names(work) == ["kernels.py"]


@pytest.mark.parametrize("depth", [25, 110])
def test_a_nest_too_deep_for_python_gets_advice(usl_compile, depth):
    loops = "".join(f"{' ' * k}for i in seq(0, 1):\n" for k in range(1, depth + 1))
    done = usl_compile(f"@proc\ndef f(x: f32[8]):\n{loops}{' ' * (depth + 1)}x[0] = 1.0\n")
    assert done.returncode == 1
    assert "hint: give the procedure's text to `proc_from_source`, or build it with `usl_core.build`" in done.stderr


def test_an_error_in_a_procedure_is_shown_as_the_library_words_it(usl_compile, work):
    done = usl_compile(PROCS.replace("x[i] = 0.0", "x[i] = unknown_name"))
    assert done.returncode == 1
    assert "unknown_name" in done.stderr.splitlines()[0]
    assert "kernels.py:13:" in done.stderr.splitlines()[0]
    assert names(work) == ["kernels.py"]


def test_two_procedures_of_one_name_are_refused_with_advice(usl_compile):
    done = usl_compile(PROCS + "\n    from usl_core.scheduling import rename\n    again = rename(scale, 'clear')\n")
    assert done.returncode == 1
    assert done.stderr.startswith("kernels.py exports two procedures called 'clear'\n  hint: rename one of them")


def test_debug_shows_the_traceback_and_keeps_the_exit_status(usl_compile):
    done = usl_compile("y = 1 / 0\n", debug=True)
    assert done.returncode == 1
    assert "Traceback (most recent call last):" in done.stderr
    assert "ZeroDivisionError" in done.stderr


def test_a_missing_file_is_one_message(site, work):
    done = site.usl("compile", "gone.py", cwd=work)
    assert (done.returncode, done.stderr) == (1, "cannot read gone.py: No such file or directory\n")


def test_a_file_whose_name_is_no_c_identifier_needs_a_name(usl_compile):
    done = usl_compile(PROCS, file="my-kernels.py")
    assert done.returncode == 1
    assert "is no C identifier\n  hint: choose another with --name\n" in done.stderr
    assert usl_compile(PROCS, "--name", "my_kernels", file="my-kernels.py").returncode == 0


def test_a_name_that_is_no_c_identifier_is_refused(usl_compile, work):
    assert usl_compile(PROCS, "--name", "../up").stderr == "--name must be a C identifier, not '../up'\n"
    assert names(work.parent) == ["site", "work"]


def test_a_file_called_like_a_standard_module_does_not_replace_it(usl_compile, work):
    source = dedent(PROCS) + "import enum, sys\nassert hasattr(sys.modules['enum'], 'Enum')\n"
    done = usl_compile(source, file="enum.py")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_missing_backend_says_how_to_begin_one(usl_compile):
    done = usl_compile(PROCS, backend="cuda")
    assert done.returncode == 1
    assert done.stderr.startswith("there is no backend 'cuda'\n")
    assert done.stderr.endswith("  hint: `usl plugin new --kind backend` begins another\n")


def test_a_backend_cannot_write_outside_the_directory(usl_compile, work):
    done = usl_compile(PROCS, backend="careless")
    assert done.returncode == 1
    assert done.stderr.startswith("backend 'careless' wants to write outside the output directory: '../outside.c'")
    assert not (work.parent / "outside.c").exists()


def test_a_bug_is_told_apart_from_a_mistake_and_shows_no_traceback(usl_compile):
    done = usl_compile(PROCS, backend="buggy")
    assert done.returncode == 1
    assert done.stderr.startswith("usl: internal error: KeyError: 'missing'\n  hint: `usl --debug ...` shows where")
    assert "Traceback" not in done.stderr


def test_a_directory_that_cannot_be_made_is_one_message_and_nothing_is_written(usl_compile, work):
    (work / "file").write_text("")
    done = usl_compile(PROCS, "-o", "file/out")
    assert done.returncode == 1
    assert done.stderr.startswith("cannot write to file/out: Not a directory")
    assert "Traceback" not in done.stderr
    assert names(work) == ["file", "kernels.py"]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("raise BaseException('x')\n", "kernels.py:1:1: BaseException: x\n"),
        ("class E(Exception):\n    def __str__(self): raise ValueError\nraise E\n", "kernels.py:3:1: E\n"),
        ("__all__ = 5\n", "kernels.py: __all__ is no list of names\n"),
        ("\0", "SyntaxError: source code string cannot contain null bytes"),
        ("x = '\\ud800\n", "kernels.py:1:5: SyntaxError"),
    ],
)
def test_odd_files_are_one_message_and_nothing_is_written(usl_compile, work, source, message):
    done = usl_compile(source)
    assert done.returncode == 1
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert "internal error" not in done.stderr
    assert names(work) == ["kernels.py"]
