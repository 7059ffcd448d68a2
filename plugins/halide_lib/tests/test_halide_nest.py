"""What schedules tell: the loop nest as Halide prints it, the explanation, the picture.

The nests are those that halide 21 from PyPI prints for the same algorithm and schedule, with its differences named.
"""

from __future__ import annotations

import subprocess
from textwrap import dedent

import pytest
from kernels_halide import blur

from usl_core import probe
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
        out.split(y, yo, yi, 32): divide_loop (tail: bound)
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


def test_a_browser_shows_the_boxes_of_the_picture_inside_of_each_other(tmp_path):
    browser = next(filter(None, map(probe.program, ("chromium", "chromium-browser", "google-chrome"))), None)
    if browser is None:
        pytest.skip("there is no Chromium")
    s = schedule(blur)
    s["out"].tile("x", "y", "xi", "yi", 256, 32).parallel("y")
    s["blur_x"].compute_at("out", "x")
    s.picture(tmp_path / "blur.html")
    counting = """<script>
    const boxes = [...document.querySelectorAll(".box")], inside = (a, b) => a.left >= b.left && a.right <= b.right
        && a.top >= b.top && a.bottom <= b.bottom;
    const nested = boxes.filter(each => each.parentElement.matches(".box")
        && inside(each.getBoundingClientRect(), each.parentElement.getBoundingClientRect()));
    const seen = boxes.filter(each => each.getBoundingClientRect().height > 10);
    document.title = `${boxes.length} boxes, ${seen.length} seen, ${nested.length} nested`;
    </script>"""
    page = (tmp_path / "blur.html").read_text(encoding="utf-8")
    (tmp_path / "counted.html").write_text(page.replace("</html>", counting + "</html>"), encoding="utf-8")
    options = ("--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom")
    done = subprocess.run(
        [browser, *options, (tmp_path / "counted.html").as_uri()], capture_output=True, text=True, timeout=120, check=False
    )
    if "</html>" not in done.stdout:
        pytest.skip(f"Chromium does not run here: {done.stderr[-200:]}")
    lines = s.nest().splitlines()
    outermost = sum(not line.startswith(" ") for line in lines)
    wanted = f"<title>{len(lines)} boxes, {len(lines)} seen, {len(lines) - outermost} nested</title>"
    assert wanted in done.stdout, done.stdout[:600]
