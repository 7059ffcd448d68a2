"""A sample of what `make fuzz WHAT=halide_nonsense` runs: schedules that make no sense end in one message, never in C."""

from __future__ import annotations

from halide_nonsense import run


def test_nonsense_is_one_message_with_a_place():
    counts = run(400, 5, by_operators_each=40)
    assert counts["applied"] > 20 and counts["E777"] > 50
    assert set(counts) >= {"E770", "E771", "E773", "E777", "E779", "E783"}
