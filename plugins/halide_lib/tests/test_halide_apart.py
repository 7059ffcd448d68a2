"""Vector code that is made apart from its place, once for loops that compute the same: what tells loops apart."""

from __future__ import annotations

import pytest
from test_halide_directives import require_same

from usl_core import proc_from_source
from usl_core.errors import SchedulingError
from usl_halide_lib import DirectiveError, TailStrategy, apart, schedule
from usl_halide_lib.lanes import by_operations
from usl_halide_lib.vector import Target, avx512
from usl_halide_lib.working import Working

pytest.importorskip("usl_avx512")


@pytest.fixture
def made(monkeypatch):
    """What is made apart in this test."""
    found: dict[object, apart.Made] = {}
    monkeypatch.setattr(apart, "_made", found)
    return found


def loops(*statements, formals="", over="seq(0, 16)"):
    """A procedure of loops over `i`, one around each statement, which writes `y0`, `y1`, ... ."""
    outputs = ", ".join(f"y{k}: {'f64' if 'u[' in each else 'f32'}[40]" for k, each in enumerate(statements))
    text = [f"def loops({formals}x: f32[60], w: f32[60], u: f64[60], z: f32[9, 60], {outputs}):"]
    for each in statements:
        text += [f"    for i in {over}:", f"        {each}"]
    return proc_from_source("\n".join(text))


def vectorised(p, tail=TailStrategy.Auto, target=None, factor=16):
    s = schedule(p, target=target)
    for arg in p.args():
        if arg.name()[0] == "y":
            s[arg.name()].vectorize("i", factor, tail)
    return s.apply()


PAIRS = [
    ("x[i] + x[i + 2]", "x[i + 7] + x[i + 9]", 1),
    ("x[i] + x[i + 2]", "z[3, i + 7] + z[3, i + 9]", 1),
    ("x[i] + x[i + 2]", "x[i] + x[i + 3]", 2),
    ("x[i] + x[i + 2]", "x[i] - x[i + 2]", 2),
    ("x[i] - x[i + 2]", "x[i + 2] - x[i]", 2),
    ("x[i] + x[i + 2]", "x[i] + w[i + 2]", 2),
    ("z[3, i] + z[3, i + 2]", "z[3, i] + z[4, i + 2]", 2),
    ("x[i] * 2.0", "x[i] * 3.0", 2),
    ("x[i] * x[2]", "x[i] * w[5]", 1),
    ("x[i] * x[2]", "x[i] * x[i + 2]", 2),
    ("x[i] + x[i + 1]", "x[2 * i] + x[2 * i + 1]", 2),
    ("x[i / 2] + x[i]", "x[(i + 1) / 2] + x[i]", 2),
    ("x[i / 2] + x[i / 2 + 1]", "x[(i + 6) / 2] + x[(i + 8) / 2]", 1),
    ("sqrt(x[i])", "abs(x[i])", 2),
]


@pytest.mark.parametrize(("one", "other", "number"), PAIRS)
def test_loops_share_code_if_they_compute_the_same(made, one, other, number):
    p = loops(f"y0[i] = {one}", f"y1[i + 3] = {other}")
    q = vectorised(p)
    assert "for i" not in str(q)
    assert len(made) == number
    for output in ("y0", "y1"):
        require_same(p, q, output, {})


def test_assignments_sums_and_minima_are_told_apart(made):
    p = loops("y0[i] = x[i] * w[i]", "y1[i] += x[i] * w[i]", "y2[i] += x[i]", "y3[i] = x[i]")
    q = vectorised(p)
    assert len(made) == 4
    for output in ("y0", "y1", "y2", "y3"):
        require_same(p, q, output, {})


def test_types_are_told_apart(made):
    p = loops("y0[i] = x[i] + x[i + 2]", "y1[i] = u[i] + u[i + 2]", over="seq(0, 8)")
    q = vectorised(p, factor=8)
    assert len(made) == 2
    for output in ("y0", "y1"):
        require_same(p, q, output, {})


def test_widths_and_masks_are_told_apart(made):
    p = loops("y0[i] = x[i] + x[i + 2]", formals="n: size, ", over="seq(0, min(n, 40))")
    q = vectorised(p, TailStrategy.GuardWithIf)
    assert len(made) == 2
    require_same(p, q, "y0", *[{"n": n} for n in (1, 15, 16, 17, 31, 40, 41)])


def test_targets_are_told_apart(made):
    """One finds products with a sum; the other does without."""
    whole = avx512()
    plain = Target(whole.name, whole.memories, whole.instructions, lambda op, *of: None if "*+" in op else whole.find(op, *of))
    p = loops("y0[i] = x[i] * w[i] + x[i + 1]")
    texts = [str(vectorised(p, target=target)) for target in (whole, plain, whole)]
    assert "fmadd" in texts[0] and "fmadd" not in texts[1] and texts[0] == texts[2]
    assert len(made) == 2


def test_a_refusal_is_kept_with_its_reason(made):
    p = loops("y0[i] = erf(x[i])", "y1[i] = erf(x[i + 1])")
    for name in ("y0", "y1"):
        with pytest.raises(SchedulingError, match="no instruction for `erf"):
            schedule_alone(p, name)
    assert [each.vectors for each in made.values()] == [None]


def schedule_alone(p, name):
    target = avx512()
    loop = p.find(f"{name}[_] = _").parent()

    def find(op, kind, of):
        return target.find(op, kind, of, 16, False)

    by_operations(Working(p, {}), loop, 16, lambda kind: target.memories[512], find, target)


IN_PLACE = [
    "y0[i] = x[i] + y0[20]",  # a formal for each of two places in one buffer, which is written
    "y0[i] = x[min(max(i - 3, 0), 9)]",
]


@pytest.mark.parametrize("statement", IN_PLACE)
def test_what_cannot_be_taken_apart_is_done_in_its_place(made, statement):
    p = loops(statement)
    q = vectorised(p)
    assert not made
    assert "mm512" in str(q)
    require_same(p, q, "y0", {})


@pytest.mark.parametrize("statement", ["y0[i] = x[i] + y0[i]", "y0[i] = x[i] + y0[i + 20]", "y0[i] = x[i] - y0[i + 1]"])
def test_a_row_that_is_read_and_written_is_one_formal(made, statement):
    p = loops(statement)
    q = vectorised(p)
    assert len(made) == 1 and "for i" not in str(q)
    require_same(p, q, "y0", {})


def test_lanes_that_are_not_neighbours_of_a_row_are_refused_in_their_place(made):
    with pytest.raises(DirectiveError, match=r"no instruction computes `y0\[.*z\[.* / 2, 3\]"):
        vectorised(loops("y0[i] = z[i / 2, 3] + x[i]"))
    assert not made


def test_the_code_kept_is_limited(made, monkeypatch):
    monkeypatch.setattr(apart, "MOST_KEPT", 2)
    p = loops(*[f"y{k}[i] = x[i] + x[i + {k + 1}]" for k in range(4)])
    q = vectorised(p)
    assert len(made) == 2
    for k in range(4):
        require_same(p, q, f"y{k}", {})
