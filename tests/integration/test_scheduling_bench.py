"""What the benchmark of scheduling rests on: its cases cover every operator and apply, its figures add up."""

from __future__ import annotations

from dataclasses import asdict

import pytest

from bench.scheduling import convolution, growth, markdown
from bench.scheduling.cases import CASES
from bench.scheduling.record import run
from bench.scheduling.summary import distribution, of_run
from usl_core import SchedulingError, divide_loop, proc_from_source, replace
from usl_core.procedure import Procedure


def test_every_operator_has_a_curve() -> None:
    assert growth.uncovered() == set()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.operator)
def test_the_operator_applies_in_procedures_that_grow_each_way(case) -> None:  # type: ignore[no-untyped-def]
    for way in growth.SIZES:
        if way != "uses" or case.use:
            assert growth.seconds(case, way, 3) >= 0


def test_statements_beside_the_place_are_in_the_middle() -> None:
    case = next(case for case in CASES if case.operator == "divide_loop")
    p, (loop,) = growth.program(case, "beside", 5)
    assert len(p.body()) == 5
    assert p.body()[2] == loop


def test_the_exponent_of_a_power_is_its_own() -> None:
    assert growth.exponent({1: 3.0, 5: 75.0, 20: 1200.0}) == pytest.approx(2.0)


def test_a_class_tells_statements_beside_from_uses() -> None:
    flat, steep = {"times_20": 1.1}, {"times_20": 9.0}
    assert growth.classify({"beside": flat, "deeper": steep, "uses": flat}) == "local"
    assert growth.classify({"beside": flat, "deeper": flat, "uses": steep}) == "uses"
    assert growth.classify({"beside": steep, "deeper": flat, "uses": steep}) == "procedure"
    assert growth.classify({"beside": flat, "deeper": flat}) == "local"


def test_calls_are_recorded_with_refusals_and_replace_apart() -> None:
    p = proc_from_source("def f(x: f32[8]):\n    for i in seq(0, 8):\n        x[i] = 0.0")
    other = proc_from_source("def g(x: f32[8]):\n    for i in seq(0, 8):\n        x[i] = 1.0")

    def schedule() -> Procedure:
        with pytest.raises(SchedulingError):
            replace(p, "i", other)
        return divide_loop(p, "i", 4, ["io", "ii"], perfect=True)

    recorded, result = run(schedule)
    assert len(result.history()) == 2
    assert [(call.operator, call.failed, call.depth) for call in recorded.calls] == [
        ("replace", True, 0),
        ("divide_loop", False, 0),
    ]
    summary = of_run(asdict(recorded))
    assert summary["calls"]["count"] == 2
    assert (summary["replace"]["count"], summary["replace_failed"]["count"], summary["without_replace"]["count"]) == (0, 1, 1)
    assert sum(call.seconds for call in recorded.calls) <= recorded.seconds


def test_a_distribution_is_in_milliseconds() -> None:
    found = distribution([{"seconds": seconds} for seconds in (0.001, 0.002, 0.006)])
    assert found == pytest.approx({"count": 3, "median": 2.0, "mean": 3.0, "p95": 6.0, "max": 6.0, "sum": 9.0})


def test_tables_without_results_stay_as_they_are(tmp_path) -> None:  # type: ignore[no-untyped-def]
    page = tmp_path / "page.md"
    parts = [f"<!-- generated: {name} -->\nold\n<!-- end -->\n" for name in ("limits", "growth")]
    page.write_text("".join(parts), encoding="utf-8")
    curve = {"times_20": 1.25, "exponent": 0.5}
    markdown.refresh(page, {"growth": {"divide_loop": {"class": "local", "curves": {"beside": curve}}}})
    text = page.read_text(encoding="utf-8")
    assert "<!-- generated: limits -->\nold\n<!-- end -->" in text
    assert "| `divide_loop` | local | 1.25 | 0.50 |  |  |  |  |\n<!-- end -->" in text


def test_the_convolution_is_right() -> None:
    convolution.check(convolution.schedule())
