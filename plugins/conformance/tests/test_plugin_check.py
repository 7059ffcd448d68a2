"""`usl plugin check`: text, JSON, exit status."""

from __future__ import annotations

import json
from textwrap import dedent

import pytest

from tests.plugins.sites import FAKE_BACKEND

pytest.importorskip("usl_c11")

KERNELS = """\
from __future__ import annotations
from usl_core import DRAM, instr

@instr("for (int i = 0; i < 4; i++) {dst.ptr}[i] = {src.ptr}[i];")
def copy(dst: [i32][4] @ DRAM, src: [i32][4] @ DRAM):
    assert stride(dst, 0) == 1
    assert stride(src, 0) == 1
    for i in seq(0, 4):
        dst[i] = src[i]

@instr("for (int i = 0; i < 4; i++) {dst.ptr}[i] = {b.ptr}[i] - {a.ptr}[i];")
def sub(dst: [i32][4] @ DRAM, a: [i32][4] @ DRAM, b: [i32][4] @ DRAM):
    assert stride(dst, 0) == 1
    assert stride(a, 0) == 1
    assert stride(b, 0) == 1
    for i in seq(0, 4):
        dst[i] = a[i] - b[i]

@instr("{dst.ptr}[0] = 1;", features=("nosuchfeature",))
def exotic(dst: [i32][1] @ DRAM):
    dst[0] = 1
"""

PLUGIN = """
@hookimpl
def usl_instructions():
    from kernels_of_tried import copy, exotic, sub
    return (copy, sub, exotic)
"""


@pytest.fixture
def tried(site, tmp_path):
    """A function that runs `usl` with a plugin `tried` installed: one right instruction, one wrong, one for another CPU."""
    site.add("tried", dedent(PLUGIN))
    site.add("fake", FAKE_BACKEND)
    (site.folder / "kernels_of_tried.py").write_text(KERNELS)
    return lambda *arguments: site.usl(*arguments, USL_CACHE_DIR=str(tmp_path / "cache"))


def test_a_failure_shows_the_input_the_values_and_what_it_means(tried):
    done = tried("plugin", "check", "tried")
    assert done.returncode == 1
    assert done.stderr == ""
    lines = [line.strip() for line in done.stdout.splitlines()]
    assert lines[0].endswith("kernels_of_tried.py:12:1: instruction sub")
    assert lines[1].startswith("dst[")
    assert lines[1].endswith("elements differ)") or lines[1].endswith("gives")
    assert "dst: i32[4], strides [1], 0 bytes past a boundary of 64" in lines
    assert "data: small values" in lines
    assert any(line.startswith("expected ") for line in lines)
    assert any(line.startswith("got ") for line in lines)
    assert "likely: a and b are exchanged in the template" in lines
    assert "skipped: 1 instruction: this processor lacks nosuchfeature, and no plugin emulates it here" in lines
    assert lines[-1].startswith("tried: 2 passed, 1 failed, 1 skipped (")
    assert lines[-1].endswith(" runs: 2 native)")


def test_json_holds_every_field(tried):
    done = tried("plugin", "check", "tried", "--json")
    assert done.returncode == 1
    report = json.loads(done.stdout)
    assert report["plugin"] == "tried"
    by_name = {outcome["name"]: outcome for outcome in report["outcomes"]}
    assert {name: outcome["status"] for name, outcome in by_name.items()} == {
        "tried": "passed",
        "copy": "passed",
        "sub": "failed",
        "exotic": "skipped",
    }
    ways = {"tried": "", "copy": "native", "sub": "native", "exotic": ""}
    assert {name: outcome["ran"] for name, outcome in by_name.items()} == ways
    wrong = by_name["sub"]
    assert (wrong["kind"], wrong["line"]) == ("instruction", 12)
    (finding,) = wrong["findings"]
    assert set(finding) == {"code", "problem", "input", "expected", "got", "likely"}
    assert finding["code"] == "E810"


def test_one_instruction_alone(tried):
    done = tried("plugin", "check", "tried", "--instr", "copy")
    assert done.returncode == 0, done.stdout
    assert done.stdout.startswith("tried: 1 passed (")


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("check", "treid"), 1, "no plugin 'treid' is installed\n  did you mean 'tried'?\n"),
        (("check", "tried", "--instr", "cpy"), 1, "there is no instruction 'tried.cpy'\n  did you mean copy?\n"),
        (("check", "tried", "--backend", "fake"), 1, "backend 'fake' cannot run conformance tests"),
        (("check",), 2, "Missing argument 'NAME'"),
        (("chekc", "tried"), 2, "No such command 'chekc'"),
    ],
)
def test_wrong_requests_are_one_message(tried, arguments, status, message):
    done = tried("plugin", *arguments)
    assert done.returncode == status
    assert message in done.stderr
    assert done.stdout == ""


def test_plugins_that_are_switched_off_are_not_checked(tried):
    done = tried("--no-plugins", "plugin", "check", "tried")
    assert done.returncode == 1
    assert "plugins are switched off" in done.stderr
