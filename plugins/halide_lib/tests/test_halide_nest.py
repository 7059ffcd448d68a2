"""What schedules tell: the loop nest as Halide prints it, the explanation, the picture.

The nests are those that halide 21 from PyPI prints for the same algorithm and schedule, with its differences named.
"""

from __future__ import annotations

from textwrap import dedent

from kernels_halide import blur

from usl_halide_lib import TailStrategy, schedule


def test_the_nest_of_tiles_is_that_of_halide():
    s = schedule(blur)
    s["out"].tile("x", "y", "xi", "yi", 256, 32, TailStrategy.ShiftInwards).unroll("xi", 16).parallel("y")
    s["blur_x"].compute_at("out", "x").unroll("x", 16)
    assert s.nest() == dedent("""\
        produce out:
          parallel y.y:
            for x.x:
              produce blur_x:
                for y in [0, 33]:
                  for x.x in [0, 15]:
                    unrolled x.v1 in [0, 15]:
                      blur_x(...) = ...
              consume blur_x:
                for y.yi in [0, 31]:
                  for x.xi.xi in [0, 15]:
                    unrolled x.xi.v0 in [0, 15]:
                      out(...) = ...
        """)


def test_the_nest_of_loops_at_root_is_that_of_halide_which_does_not_cut_the_tile_short():
    s = schedule(blur)
    s["out"].split("y", "yo", "yi", 32, TailStrategy.ShiftInwards).parallel("yo").unroll("x", 4)
    s["blur_x"].compute_root().split("x", "xo", "xi", 8, TailStrategy.ShiftInwards).reorder("xi", "y", "xo").unroll("xi")
    assert s.nest() == dedent("""\
        produce blur_x:
          for x.xo:
            for y:
              unrolled x.xi in [0, 7]:
                blur_x(...) = ...
        consume blur_x:
          produce out:
            parallel y.yo:
              for y.yi in [0, 31]:
                for x.x:
                  unrolled x.v0 in [0, 3]:
                    out(...) = ...
        """)


def test_a_func_that_slides_is_guarded_where_halide_begins_the_consumer_earlier():
    s = schedule(blur)
    s["out"].split("y", "yo", "yi", 32, TailStrategy.ShiftInwards).parallel("yo")
    s["blur_x"].compute_at("out", "yi").store_at("out", "yo")
    assert s.nest() == dedent("""\
        produce out:
          parallel y.yo:
            store blur_x:
              for y.yi in [0, 31]:
                produce blur_x:
                  for y in [0, 2]:
                    for x:
                      blur_x(...) = ...
                consume blur_x:
                  for x:
                    out(...) = ...
        """)


def test_the_explanation_names_places_buffers_and_operators():
    s = schedule(blur)
    s["out"].split("y", "yo", "yi", 32).parallel("yo")
    s["blur_x"].compute_at("out", "yi").store_at("out", "yo")
    assert s.explain() == dedent("""\
        out: computed at root
        blur_x: computed in y.yo y.yi
          stored as blur_x: u16[4, W]
          folded along y to 4 places
        out.split(y, yo, yi, 32): divide_loop
        out.parallel(yo): parallelize_loop
        blur_x.compute_at(out, yi): divide_with_recompute x 2, fuse x 2, guard_redundant, resize_dim
        blur_x.store_at(out, yo): sink_alloc, resize_dim x 2""")


def test_the_picture_is_one_file_with_a_box_for_each_line_of_the_nest(tmp_path):
    s = schedule(blur)
    s["out"].tile("x", "y", "xi", "yi", 256, 32).parallel("y")
    s["blur_x"].compute_at("out", "x")
    s.picture(tmp_path / "blur.html")
    page = (tmp_path / "blur.html").read_text(encoding="utf-8")
    assert page.count('<div class="box') == len(s.nest().splitlines())
    assert "blur_x: u16[34, 256]" in page
    assert "touches" in page
    assert "src=" not in page and "href=" not in page and "<script" not in page
