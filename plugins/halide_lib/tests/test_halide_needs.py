"""What Halide's schedules need of the rest: each program does what its row of docs/halide_needs.md says."""

from __future__ import annotations

import importlib

import pytest
from halide_needs import NEEDS, outcome, vectors
from halide_tables import PAGE, POINTS, applied, kernel_row, needs_table, points_table

from usl_halide_lib import DirectiveError


def test_every_item_of_the_list_has_a_row():
    assert [need.number for need in NEEDS] == list(range(1, 26))


@pytest.mark.parametrize("need", NEEDS, ids=lambda need: str(need.number))
def test_the_programs_of_a_need_do_what_its_row_says(need):
    for tries, works in ((need.works, True), (need.refused, False)):
        for wanted, run in tries:
            done, text = outcome(run)
            assert done is works and wanted in text, text


LANES = [(need.number, *each) for need in NEEDS for each in need.lanes]


@pytest.mark.parametrize(("number", "arguments", "statement", "width", "instruction"), LANES)
def test_vectorize_finds_the_instruction_without_help(number, arguments, statement, width, instruction):
    pytest.importorskip("usl_avx512", reason="usl_avx512 is not installed")
    found = str(vectors(arguments, statement, width))
    assert instruction in found, found


@pytest.mark.parametrize(
    ("arguments", "statement", "width"), [each for need in NEEDS for each in need.no_lanes], ids=lambda each: str(each)[:30]
)
def test_what_has_no_instruction_is_refused_at_the_directive(arguments, statement, width):
    pytest.importorskip("usl_avx512", reason="usl_avx512 is not installed")
    with pytest.raises(DirectiveError) as caught:
        vectors(arguments, statement, width)
    assert caught.value.code == "E780"


def test_the_page_says_so():
    page = PAGE.read_text(encoding="utf-8")
    for table in (needs_table(), points_table()):
        assert table in page, "run: python plugins/halide_lib/tests/halide_tables.py"


def test_each_open_point_has_its_test():
    for module, test in POINTS.values():
        assert callable(getattr(importlib.import_module(module.removesuffix(".py")), test))


@pytest.mark.parametrize("name", ["box_blur", "unsharp", "resize"])
def test_operators_of_a_kernel_are_as_many_as_the_page_says(name):
    pytest.importorskip("usl_avx512", reason="usl_avx512 is not installed")
    assert kernel_row(name, applied(name)) in PAGE.read_text(encoding="utf-8"), (
        "run: python plugins/halide_lib/tests/halide_tables.py"
    )
