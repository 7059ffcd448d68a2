"""The plugin of pytest: a test for each instruction and memory, by a fixture or an option; nothing is loaded without either."""

from __future__ import annotations

from textwrap import dedent

import pytest

pytest.importorskip("usl_c11")

KERNELS = """\
from __future__ import annotations
from usl_core import DRAM, instr

@instr("{dst.ptr}[0] = 1;")
def right(dst: [i32][1] @ DRAM):
    dst[0] = 1

@instr("{dst.ptr}[0] = 2;")
def wrong(dst: [i32][1] @ DRAM):
    dst[0] = 1

@instr("{dst.ptr}[0] = 1;", features=("nosuchfeature",))
def exotic(dst: [i32][1] @ DRAM):
    dst[0] = 1
"""

PLUGIN = """
@hookimpl
def usl_instructions():
    from kernels_of_tried import exotic, right, wrong
    return (right, wrong, exotic)
"""


@pytest.fixture
def suite(site, tmp_path):
    """A function that runs pytest on a test file's text, with a plugin `tried` installed."""
    site.add("tried", PLUGIN)
    (site.folder / "kernels_of_tried.py").write_text(KERNELS)
    folder = tmp_path / "suite"
    folder.mkdir()
    (folder / "pytest.ini").write_text("[pytest]\naddopts = --strict-markers\n")

    def run(text, *arguments):
        (folder / "test_it.py").write_text(dedent(text))
        return site.pytest(*arguments, cwd=folder, USL_CACHE_DIR=str(tmp_path / "cache"))

    return run


BY_FIXTURE = """
    import pytest

    @pytest.mark.usl_plugin("tried")
    def test_conformance(usl_conformance):
        usl_conformance.check()
"""


def test_the_fixture_makes_a_test_of_each_subject(suite):
    done = suite(BY_FIXTURE, "-v")
    assert done.returncode == 1
    for line in ("[plugin-tried] PASSED", "[instruction-right] PASSED", "[instruction-wrong] FAILED"):
        assert line in done.stdout
    assert "[instruction-exotic] SKIPPED" in done.stdout
    assert "dst[0] is not what the body gives" in done.stdout
    assert "1 failed, 2 passed, 1 skipped" in done.stdout


@pytest.mark.parametrize("arguments", [(), ("-n", "1")], ids=["one process", "several"])
def test_the_summary_says_how_the_code_ran_and_why_some_did_not(suite, arguments):
    done = suite(BY_FIXTURE, "-rs", *arguments)
    assert "usl conformance: 2 native" in done.stdout
    assert "this processor lacks nosuchfeature, and no plugin emulates it here" in done.stdout


def test_one_subject_can_be_selected(suite):
    done = suite(BY_FIXTURE, "-k", "right")
    assert done.returncode == 0, done.stdout
    assert "1 passed, 3 deselected" in done.stdout


def test_the_option_adds_the_tests(suite):
    done = suite("def test_own(): pass", "--usl-plugin", "tried")
    assert done.returncode == 1
    assert "1 failed, 3 passed, 1 skipped" in done.stdout
    assert "kernels_of_tried.py:9:1: instruction wrong" in done.stdout
    assert "Traceback" not in done.stdout


def test_a_test_without_the_mark_is_told_to_have_one(suite):
    done = suite("def test_it(usl_conformance): pass")
    assert done.returncode != 0
    assert 'mark the test with @pytest.mark.usl_plugin("NAME")' in done.stdout + done.stderr


def test_an_unknown_plugin_is_one_message(suite):
    done = suite("def test_it(): pass", "--usl-plugin", "treid")
    assert done.returncode == 4
    assert "no plugin 'treid' is installed" in done.stderr
    assert "did you mean 'tried'?" in done.stderr


def test_nothing_of_ours_is_loaded_for_those_who_do_not_ask(suite):
    text = """
        import sys

        def test_nothing_is_loaded():
            ours = {name for name in sys.modules if name.startswith("usl_")}
            assert ours == {"usl_core", "usl_core.pytest_tracebacks", "usl_conformance", "usl_conformance.pytest_plugin"}
    """
    done = suite(text)
    assert done.returncode == 0, done.stdout
