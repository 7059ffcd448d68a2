"""The mutation test itself: what it disables, that it disables nothing else, and that a mutant is killed."""

from __future__ import annotations

import ast
import subprocess
import sys

import pytest

from tests.mutation.__main__ import select
from tests.mutation.conditions import FIRED, SEEN, all_conditions, condition, conditions, mutated, recorded
from tests.mutation.kernel import ALTERNATIVES, COVERS, NEUTRAL, PERMITS, ROOT, functions, kernel_modules, path_of, unclassified
from tests.mutation.operators import operators_of
from tests.mutation.processes import run_all

REDUCTIONS = "analysis.repeating:_changes_its_inputs:1"
"""`a reduction adds again when it runs again`."""


def differences(module: str, name: str) -> list[tuple[str, str]]:
    """The lines that differ between a module and its mutant, both printed from the syntax tree."""
    old = ast.unparse(ast.parse(path_of(module).read_text(encoding="utf-8"))).splitlines()
    new = ast.unparse(mutated(module, name)).splitlines()
    assert len(old) == len(new)
    return [(a.strip(), b.strip()) for a, b in zip(old, new, strict=True) if a != b]


def python(code: str, **env: str) -> str:
    """The output of a program in a fresh process."""
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, env={"PYTHONPATH": str(ROOT), **env})
    return done.stdout.strip()


def test_every_condition_has_an_id_of_its_own() -> None:
    ids = [c.id for c in all_conditions()]
    assert len(ids) == len(set(ids)) > 400


def test_conditions_are_found_in_every_kind_of_module() -> None:
    modules = {c.module for c in all_conditions()}
    expected = {
        "analysis.conditions",
        "analysis.exposed",
        "analysis.obligations",
        "analysis.recheck",
        "equivalence",
        "procedure",
    }
    assert expected <= modules
    operators = [name for name in kernel_modules() if name.startswith("primitives.loops.")]
    assert sum(name in modules for name in operators) > len(operators) / 2


@pytest.mark.parametrize(
    ("function", "texts"),
    [
        ("analysis.conflict:conflicting_kinds", ["a is b", "a is not Kind.WRITE"]),
        ("analysis.effects:under_condition", ["False"]),
        ("analysis.exposed:_Search.check", ["ctx.scope.resolve(access)", "fresh(w)"]),
        ("analysis.obligations:check_disjoint", ["ctx.scope.root("]),
        ("analysis.effects:block_summary", ["resolve(a, windows)", "resolve_strides(a, strides)"]),
        ("primitives.moving:effect", ["ctx.scope.resolve_all("]),
        ("primitives.loops.cut_loop:cut_loop", ["require_proved("]),
        (
            "primitives.loops.lift_scope:_require_movable",
            ["loop.iter in free_names(", "require_proved(", "require_no("],
        ),
        ("primitives.stmts.delete_pass:_edit", ["does_nothing(old)", "alone and isinstance(get_stmt("]),
    ],
)
def test_known_conditions_are_listed_in_source_order(function: str, texts: list[str]) -> None:
    found = [c.text for c in select([function])]
    positions = [next(n for n, text in enumerate(found) if text.startswith(wanted)) for wanted in texts]
    assert positions == sorted(positions)


def test_every_predicate_is_classified_and_no_function_that_is_listed_is_gone() -> None:
    assert list(unclassified()) == []
    trees = (ast.parse(path_of(module).read_text(encoding="utf-8")) for module in kernel_modules())
    there = {name for tree in trees for _, name in functions(tree)}
    assert {*PERMITS, *NEUTRAL, *COVERS, *ALTERNATIVES} - there == set()


def test_the_list_is_the_same_when_it_is_made_again() -> None:
    module = "analysis.obligations"
    once = conditions(module)
    conditions.cache_clear()
    assert conditions(module) == once


def test_disabling_a_condition_changes_that_place_only() -> None:
    assert differences("analysis.repeating", REDUCTIONS) == [("if access.kind is Kind.REDUCE:", "if False:")]
    (change,) = differences("analysis.conflict", "analysis.conflict:conflicting_kinds:2")
    assert change == ("return not (a is b and a is not Kind.WRITE)", "return not (a is b and True)")
    (change,) = differences("analysis.conditions", "analysis.conditions:covered:3")
    assert change[0].replace("w.exact and", "True and") == change[1]


@pytest.mark.parametrize("module", kernel_modules())
def test_every_mutant_differs_from_the_kernel_and_compiles(module: str) -> None:
    text = ast.unparse(ast.parse(path_of(module).read_text(encoding="utf-8")))
    for c in conditions(module)[:3]:
        new = mutated(module, c.id)
        assert ast.unparse(new) != text, c
        compile(new, "<mutant>", "exec")


def test_recording_adds_a_note_for_each_condition_and_keeps_the_rest() -> None:
    module = "analysis.conditions"
    text = ast.unparse(recorded(module))
    assert all(f"{SEEN}({number}," in text or f"{FIRED}({number})" in text for number in range(len(conditions(module))))


def test_an_unknown_id_is_an_error() -> None:
    with pytest.raises(KeyError, match=r"no condition has the id analysis\.repeating:_changes_its_inputs:99"):
        condition("analysis.repeating:_changes_its_inputs:99")
    with pytest.raises(SystemExit, match="no condition has the id"):
        select(["analysis.nowhere:f:1"])


def test_the_hook_disables_the_condition_in_its_process_and_in_no_other() -> None:
    code = "from usl_core.analysis.conflict import conflicting_kinds as c, Kind; print(c(Kind.WRITE, Kind.WRITE))"
    assert python(code) == "True"
    hooked = f"import tests.mutation.hook; {code}"
    assert python(hooked) == "True"
    assert python(hooked, USL_MUTATE="analysis.conflict:conflicting_kinds:2") == "False"


def test_the_operators_of_a_helper_are_those_that_import_it() -> None:
    assert operators_of("primitives.loops.cut_loop") == ["cut_loop"]
    assert {"stage_mem", "resize_dim"} <= set(operators_of("primitives.buffers.region"))
    assert operators_of("analysis.conditions") == []


def test_a_process_gives_its_value_and_its_errors() -> None:
    def bad() -> None:
        raise ValueError("no")

    results = {key: found for key, found, _ in run_all([("a", lambda: [1]), ("b", bad)], 2, 30)}
    assert results == {"a": [1], "b": {"error": "ValueError: no"}}


def test_a_process_that_computes_for_ever_is_ended_and_its_time_is_its_own() -> None:
    def endless() -> None:
        while True:
            pass

    results = {key: found for key, found, _ in run_all([("a", endless)], 1, 1)}
    assert results == {"a": {"error": "timeout"}}


def test_a_mutant_is_killed_by_the_operators_own_tests() -> None:
    tests = ["tests/primitives/loops/test_removal.py"]
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-p", "tests.mutation.hook", *tests]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env={"USL_MUTATE": REDUCTIONS})
    assert done.returncode == 1, done.stdout
    assert "test_remove_loop_refuses_a_body_that_acts_again" in done.stdout
