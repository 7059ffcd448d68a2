"""C of random programs is compared with the interpreter, and C that is wrong is found."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest

from tests.fuzz import compiled
from tests.fuzz.compiled import BLOCK, How, Subject, judge_all, way, ways
from tests.fuzz.generate import generate
from usl_c11.emit import Library
from usl_core import probe
from usl_core.procedure import from_ir, proc_from_source

pytestmark = pytest.mark.skipif(probe.program("gcc") is None, reason="gcc is not installed")
PLAIN = How("gcc", ("-O0",))
SUM = """def total(n: size, x: i32[n], y: i32[n], s: i32):
    t: i32
    t = 1
    y[0] = t
    for i in seq(0, n):
        s += x[i]
"""


def subjects(texts: list[str]) -> list[Subject]:
    return [Subject(number, proc_from_source(text).ir) for number, text in enumerate(texts)]


def test_the_c_of_random_programs_does_what_the_interpreter_does() -> None:
    programs = [Subject(seed, from_ir(generate(random.Random(seed))).ir) for seed in range(300, 316)]
    verdicts = judge_all(programs, PLAIN)
    assert not [verdict.failure for verdict in verdicts if verdict.failure]
    assert sum(verdict.runs for verdict in verdicts) > 20


def test_a_check_that_fails_must_stop_the_c_too() -> None:
    verdict = judge_all(subjects(["def f(n: size, x: f32[n]):\n    check(n < 1)\n    x[0] = 1.0\n"]), PLAIN)[0]
    assert verdict.runs > 0 and not verdict.failure


def changed(monkeypatch: pytest.MonkeyPatch, old: str, new: str) -> None:
    """From now on the backend writes new for old."""
    right = compiled.library

    def wrong(*args: Any, **options: Any) -> Library:
        lib = right(*args, **options)
        return replace(lib, files={name: text.replace(old, new) for name, text in lib.files.items()})

    monkeypatch.setattr(compiled, "library", wrong)


def test_a_wrong_value_is_found_among_right_ones_and_the_program_is_shrunk(monkeypatch: pytest.MonkeyPatch) -> None:
    changed(monkeypatch, "+ (uint32_t)x", "- (uint32_t)x")
    verdicts = judge_all(subjects(["def f(x: f32[2]):\n    x[0] = 1.0\n", SUM]), PLAIN)
    assert not verdicts[0].failure
    assert "of the storage of s is" in verdicts[1].failure
    assert "s += x[i]" in verdicts[1].failure and "y[0] = t" not in verdicts[1].failure


def test_a_warning_and_a_step_out_of_bounds_are_failures(monkeypatch: pytest.MonkeyPatch) -> None:
    o1, sanitized = ways()[:2]
    changed(monkeypatch, "x[i]", "x[i + 20]")
    assert "AddressSanitizer" in judge_all(subjects([SUM]), sanitized)[0].failure
    changed(monkeypatch, "return 0;", "int unused; return 0;")
    assert "unused-variable" in judge_all(subjects([SUM]), o1)[0].failure


def test_programs_of_one_block_are_compiled_in_one_way_and_every_way_has_its_turn() -> None:
    found = [{way(seed) for seed in range(start, start + BLOCK)} - {None} for start in range(0, 6 * BLOCK, BLOCK)]
    assert all(len(one) == 1 for one in found)
    assert set().union(*found) == set(ways())


UNWRITTEN = """def f(x: f32[6], y: f32[8]):
    b: f32[8]
    for i in seq(0, {}):
        b[i] = x[0]
    for j in seq(0, 6):
        y[j] = b[j] + b[j + 2]
"""


def test_a_program_that_reads_what_it_did_not_write_may_draw_the_warning_that_says_so() -> None:
    optimizing = next(how for how in ways() if "-O3" in how.flags)
    read, other = judge_all(subjects([UNWRITTEN.format(6), UNWRITTEN.format(8)]), optimizing)
    assert read.runs > 0 and other.runs > 0
    assert not read.failure and not other.failure
