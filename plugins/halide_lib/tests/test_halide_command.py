"""`usl halide`: what it prints, and that a C program can link what it writes."""

from __future__ import annotations

import subprocess
import sys

import pytest

from usl_c11.compiler import find_compiler

PIPELINE = """
from usl_halide_lib import hl

x, y = hl.vars("x y")
im = hl.ImageParam(hl.UInt(16), 2, "im")
gain = hl.Param(hl.Float(32), "gain", 1.0)
blur_x, blur = hl.Func("blur_x"), hl.Func("blur")
blur_x[x, y] = (im[x, y] + im[x + 1, y] + im[x + 2, y]) / 3
blur[x, y] = hl.u16(hl.f32((blur_x[x, y] + blur_x[x, y + 1] + blur_x[x, y + 2]) / 3) * gain)
blur_x.compute_at(blur, y)


def both():
    total, largest, r = hl.Func("total"), hl.Func("largest"), hl.RDom([(0, im.width())], "r")
    total[y] = hl.sum(hl.u32(im[r, hl.clamp(y, 0, im.height() - 1)]))
    largest[x, y] = (hl.max(blur[x, y], 7), x - y)
    return hl.Pipeline([total, largest])
"""

PROGRAM = r"""
#include "both.h"
#include <stdio.h>

int main(void)
{
    uint16_t pixels[6 * 8], largest[4 * 5];
    uint32_t total[3];
    int32_t differences[4 * 5];
    for (int i = 0; i < 48; i++)
        pixels[i] = (uint16_t)(i * i);
    struct usl_halide_buffer im = {pixels, {{0, 8, 1}, {0, 6, 8}}}, sums = {total, {{-1, 3, 1}}};
    struct usl_halide_buffer first = {largest, {{1, 5, 1}, {0, 4, 5}}}, second = {differences, {{1, 5, 1}, {0, 4, 5}}};
    struct usl_halide_needed needed;
    int status = both(&im, 2.0f, &sums, &first, &second, &needed);
    printf("%d %s %u %u %u %d %d\n", status, both_error(status), total[0], total[1], total[2], largest[19], differences[19]);
    im.dim[1].extent = 5;
    status = both(&im, 2.0f, &sums, &first, &second, &needed);
    printf("%d %s %s %d ", status, both_error(status), needed.buffer, needed.dimension);
    printf("%d %d\n", (int)needed.min, (int)needed.extent);
    second.dim[0].min = 0;
    status = both(&im, 2.0f, &sums, &first, &second, &needed);
    printf("%d %s %d\n", status, needed.buffer, (int)needed.min);
    first.dim[0].stride = 2;
    status = both(&im, 2.0f, &sums, &first, &second, NULL);
    printf("%d %s\n", status, both_error(status));
    im.data = NULL;
    printf("%d\n", both(&im, 2.0f, &sums, &first, &second, NULL));
    return 0;
}
"""


ANYWHERE = """
import numpy as np
from usl_halide_lib import hl

x = hl.Var("x")
im, moved, f = hl.ImageParam(hl.Int(32), 1, "im", anywhere=True), hl.Buffer(np.int32([10, 20, 30]), "moved"), hl.Func("f")
moved.set_min([2])
f[x] = im[x] * 2 + im[im.dim(0).min()] + moved[x]
"""

AROUND = r"""
#include "f.h"
#include <stdio.h>

int main(void)
{
    int32_t pixels[4] = {1, 2, 3, 4}, values[3] = {10, 20, 30}, out[3];
    struct usl_halide_buffer im = {pixels, {{1, 4, 1}}}, moved = {values, {{2, 3, 1}}}, place = {out, {{2, 3, 1}}};
    struct usl_halide_needed needed;
    int status = f(&im, &moved, &place, &needed);
    printf("%d %d %d %d\n", status, out[0], out[1], out[2]);
    im.dim[0].min = 3;
    status = f(&im, &moved, &place, &needed);
    printf("%d %s %d %d\n", status, needed.buffer, (int)needed.min, (int)needed.extent);
    im.dim[0].min = 1;
    moved.dim[0].min = 0;
    status = f(&im, &moved, &place, &needed);
    printf("%d %s %d %d\n", status, needed.buffer, (int)needed.min, (int)needed.extent);
    im.dim[0].min = INT32_MAX - 1;
    printf("%d\n", f(&im, &moved, &place, NULL));
    return 0;
}
"""


@pytest.fixture
def place(tmp_path):
    path = tmp_path / "pipeline.py"
    path.write_text(PIPELINE, encoding="utf-8")
    return path


def run(*args):
    command = [sys.executable, "-m", "usl_core.cli", "halide", *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_c_program_links_what_is_written(place, tmp_path):
    done = run(f"{place}:both", "-o", tmp_path / "c")
    assert done.returncode == 0, done.stderr
    written = {path.rpartition("/")[2] for path in done.stdout.split()}
    assert {"both.c", "both.h", "both_kernel.c", "both_kernel.h"} <= written
    assert ran(tmp_path, PROGRAM, "both") == [
        "0 success 140 140 1100 2972 2",
        "1 an input is too small im 1 0 6",
        "2 largest_1 1",
        "3 elements are not next to each other",
        "6",
    ]


def test_images_begin_in_c_where_their_buffers_say(tmp_path):
    (tmp_path / "pipeline.py").write_text(ANYWHERE, encoding="utf-8")
    assert run(f"{tmp_path / 'pipeline.py'}:f", "-o", tmp_path / "c").returncode == 0
    assert ran(tmp_path, AROUND, "f") == ["0 15 27 39", "1 im 2 3", "1 moved 2 3", "5"]


def ran(tmp_path, program, name):
    """What a C program prints that is linked with a pipeline."""
    (tmp_path / "c" / "main.c").write_text(program, encoding="utf-8")
    sources = [tmp_path / "c" / each for each in ("main.c", f"{name}.c", f"{name}_kernel.c")]
    command = [
        *find_compiler().command,
        "-std=c11",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-O1",
        *map(str, sources),
        "-lm",
        "-o",
        str(tmp_path / "main"),
    ]
    subprocess.run(command, check=True, cwd=tmp_path / "c")
    return subprocess.run([tmp_path / "main"], check=True, capture_output=True, text=True).stdout.splitlines()


def test_it_shows_stages_and_loops_and_what_was_done(place, tmp_path):
    assert run(f"{place}:blur", "--nest").stdout.startswith("produce blur:\n  for y:\n    produce blur_x:\n")
    assert "fun blur(x, y): uint16" in run(f"{place}:blur", "--show", "alg").stdout
    assert "∀ blur.s0.y" in run(f"{place}:blur", "--show", "query").stdout
    assert run(f"{place}:blur", "--show", "p0").stdout.startswith("def run_blur(")
    assert "int run_blur(" in run(f"{place}:blur", "--show", "c").stdout
    assert "P0: emitted, tested · " in run(f"{place}:blur").stdout
    assert run(f"{place}:blur", "--picture", tmp_path / "p.html").returncode == 0
    assert "<html" in (tmp_path / "p.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "args, message",
    [
        (["{}:blr"], "did you mean blur?"),
        (["{}"], "FILE:FUNC is wanted"),
        (["{}:hl"], "hl of {} is neither a Func nor a Pipeline"),
        (["{}:blur", "--show", "nothing"], "alg, tgt?, query, bounds, tgt, p0, procedure, c can be shown"),
        (["{}:blur", "--name", "f"], "--name goes with --output"),
        (["{}:blur", "-o", "OUT", "--name", "a-b"], "'a-b' is no C identifier"),
        (["{}:blur", "-o", "OUT", "--name", "while"], "while means something in C"),
    ],
)
def test_a_mistake_is_one_message_and_nothing_is_written(place, tmp_path, args, message):
    done = run(*(each.format(place).replace("OUT", str(tmp_path / "out")) for each in args))
    assert done.returncode != 0 and not (tmp_path / "out").exists()
    assert message.format(place) in done.stderr and "Traceback" not in done.stderr
