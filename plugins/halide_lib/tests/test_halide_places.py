"""compute_at and store_at: where a func is computed, what slides, what is kept."""

from __future__ import annotations

from textwrap import dedent

from kernels_halide import blur

from usl_halide_lib import TailStrategy, schedule


def body(p) -> str:
    return dedent("\n".join(str(p).splitlines()[2:]))


def test_a_producer_is_computed_in_the_tiles_of_its_consumer():
    s = schedule(blur)
    s["out"].tile("x", "y", "xi", "yi", 256, 32).parallel("y")
    s["blur_x"].compute_at("out", "x")
    p = s.apply()
    assert "blur_x: u16[34, 256]" in str(p)
    assert p.find("blur_x: _").parent().parent().mode() == "par"


def test_rows_that_slide_are_computed_once_and_kept_in_a_circle():
    s = schedule(blur)
    s["out"].split("y", "yo", "yi", 32, TailStrategy.ShiftInwards).parallel("yo")
    s["blur_x"].store_at("out", "yo").compute_at("out", "yi")
    p = s.apply()
    assert "blur_x: u16[4, W]" in str(p)
    assert "if yi == 0 or" in str(p)
    assert s.log.remarks == [("blur_x", "folded along y to 4 places")]
