"""Counts are kept, add up, and do not depend on how many processes made them."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from tests.fuzz import __main__ as program
from tests.fuzz.features import FEATURES, features
from tests.fuzz.harness import PROGRAMS, available
from tests.fuzz.leftovers import leftover_program
from tests.fuzz.parallel import Outcome, judge
from tests.fuzz.record import Run, comparable, load, resume, save, total
from tests.fuzz.tally import Tally
from usl_core.procedure import proc_from_source


def counted(accepted: int, refused: int) -> Tally:
    return Tally(
        Counter(fuse=accepted), Counter(fuse=refused), accepted_features=Counter({"symbolic sizes": accepted}), programs=1
    )


def outcomes_of(failing: int | None = None) -> object:
    """Stands for the processes: every program is one accepted and one refused step, one of them fails."""

    def outcomes(first: int, names: list[str], jobs: int, batch: int) -> object:
        for seed in range(first, first + 1000):
            yield Outcome(seed, counted(1, 1), "FAILURE" if seed == failing else "")

    return outcomes


def test_a_run_goes_on_where_it_stopped_and_seeds_add_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "counts.json"
    monkeypatch.setattr(program, "outcomes", outcomes_of())
    for steps, seed, following in ((10, 3, 5), (30, 3, 15), (30, 3, 15), (20, 4, 10)):
        assert program.main(["--steps", str(steps), "--seed", str(seed), "--file", str(file)]) == 0
        assert next(run for run in load(file) if run.seed == seed).following == following
    assert total(load(file)).steps == 50
    printed = capsys.readouterr().out
    assert "going on after 10 steps" in printed
    assert "from the first program" not in printed
    assert "seeds: 3 (30 steps), 4 (20 steps)" in printed


def test_a_failure_stops_the_run_names_its_program_and_comes_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "counts.json"
    monkeypatch.setattr(program, "outcomes", outcomes_of(failing=2 * PROGRAMS + 7))
    for _ in range(2):
        assert program.main(["--steps", "100", "--seed", "2", "--file", str(file)]) == 1
        assert load(file)[0].following == 7
        assert "--program 2000013" in capsys.readouterr().out


def test_other_versions_of_the_code_count_only_when_asked() -> None:
    old, new = Run(1, "old", following=9, tally=counted(4, 4)), Run(2, "new", tally=counted(1, 2))
    assert total(comparable([old, new], "new", (), any_code=False)).steps == 3
    assert total(comparable([old, new], "new", (), any_code=True)).steps == 11
    assert resume([old], 1, "new", (), any_code=False).following == 0
    assert resume([old], 1, "new", (), any_code=True).following == 9


def test_a_saved_run_is_read_back_as_it_was(tmp_path: Path) -> None:
    run = Run(7, "code", ("fuse",), 12, "what failed", counted(3, 5))
    save(tmp_path / "f.json", run)
    save(tmp_path / "f.json", run)
    assert load(tmp_path / "f.json") == [run]


def test_an_operator_that_is_nearly_always_refused_falls_short_once_tried_often() -> None:
    assert counted(9, 150).shortfalls(["fuse"]) == []
    assert counted(20, 380).shortfalls(["fuse"]) == []
    assert counted(19, 381).shortfalls(["fuse"]) == ["fuse: 4.8 % of 400 accepted, at least 5 % are wanted"]
    concrete = Tally(Counter(fuse=200), accepted_features=Counter({"symbolic sizes": 99}))
    assert concrete.shortfalls(["fuse"]) == ["symbolic sizes: in 49.5 % of the accepted steps, at least half are wanted"]


def test_the_features_of_a_program_are_found() -> None:
    plain = proc_from_source("def f(n: size, x: f32[4]):\n    for i in seq(0, 4):\n        x[i] = 1.0\n").ir
    assert features(plain) == set()
    rich = """def g(n: size, x: [i32][n]):
    w = x[0:n]
    for i in par(0, n):
        w[i] = max(w[i], 2)
"""
    assert features(proc_from_source(rich).ir) == set(FEATURES) - {"calls", "configuration"}


def test_leftovers_are_programs_that_the_frontend_knows() -> None:
    assert len({str(leftover_program(random.Random(seed))) for seed in range(20)}) > 15


def test_the_number_of_processes_changes_no_count(tmp_path: Path) -> None:
    file = tmp_path / "counts.json"
    assert program.main(["--steps", "8", "--seed", "6", "--jobs", "2", "--file", str(file)]) == 0
    alone, number = Tally(), 0
    while alone.steps < 8:
        alone.add(judge(6 * PROGRAMS + number, available()).tally)
        number += 1
    assert load(file)[0].tally == alone
    assert load(file)[0].following == number
