"""Each code of halide.md §12: one message, at the line and the column of the call that is wrong."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from usl_core.errors import UslError
from usl_halide_lib import TailStrategy, hl, schedule
from usl_halide_lib.lang import emit as emitting

x, y = hl.vars("x y")


def blur():
    f, g = hl.Func("f"), hl.Func("g")
    f[x, y] = x + y
    g[x, y] = f[x, y] + f[x, y + 1]
    f.compute_root()
    return f, g


def E770():
    hl.UInt(128)  # here


def E771():
    f, g = blur()
    f.in_("nothing")  # here
    g.procedure()


def E772():
    f = hl.Func("f")
    f[x] = x
    f[x] = f[x + 1]  # here


def E773():
    f, g = blur()
    f.compute_at(g, "q")  # here
    f._collected.directives.pop(0)
    g.procedure()


def E774():
    _, g = blur()
    g.split(x, "xo", "xi", 8, TailStrategy.RoundUp)  # here
    g.procedure()


def E775():
    f, g = blur()
    f._collected.directives.pop()
    f.compute_at(g, y).store_root().fold_storage(y, 1)  # here
    g.procedure()


def E776():
    _, g = blur()
    plain = schedule(hl.Pipeline(g).procedure())
    plain["f"].bound("x", 0, 4)  # here
    plain.apply()


def E777():
    _, g = blur()
    g.unroll("xq", 2)  # here
    g.procedure()


def E778():
    _, g = blur()
    g.split(x, "a", "b", 4)
    g.split(x, "c", "d", 4)  # here
    g.procedure()


def E779():
    f, r = hl.Func("f"), hl.RDom([(1, 8)], "r")
    f[x] = x
    f[r] = f[r - 1] * 2
    f.update().parallel(r)  # here
    f.procedure()


def E780():
    _, g = blur()
    g.vectorize(x)  # here
    g.procedure()


def E781():
    f, g = blur()
    f.store_at(g, y)  # here
    g.procedure()


def E782():
    f, g = blur()
    g.compute_with(f, y)  # here
    g.procedure()


def E783():
    _, g = blur()
    g.compute_inline()  # here
    g.procedure()


def E784():
    table, f, g = hl.Func("table"), hl.Func("f"), hl.Func("g")
    table[x] = x
    g[x] = x * x * x
    f[x] = table[g[x]]  # here
    table.compute_root()
    f.procedure()


def E785():
    f, r = hl.Func("f"), hl.RDom([(0, 8)], "r")
    f[x] = 0
    f[x] = f[x] * 2 + r
    f.update().rfactor(r, "u")  # here


def E786():
    image, f = hl.Buffer(np.zeros(4, np.uint8), "image"), hl.Func("f")
    f[x] = image[x + 1]  # the access; the message is about the call
    f.realize([4])  # here


def E787():
    f, r = hl.Func("f"), hl.RDom([(0, hl.Param(hl.Int(32), "p", -3))], "r")
    f[x] = 0
    f[x] += r  # here
    f.interpret([4])


def E788():
    f, g = hl.Func("f"), hl.Func("g")
    f[x] = g[x]  # here


def E789():
    f = hl.Func("f")
    f[x] = x
    f.procedure()  # here


CASES = [E770, E771, E772, E773, E774, E775, E776, E777, E778, E779, E780, E781, E782, E783, E784, E785, E786, E787, E788, E789]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_a_code_is_one_message_at_its_line_and_column(case, monkeypatch):
    if case is E789:
        monkeypatch.setattr(emitting._Emitter, "text", lambda self: "def broken(n: size):\n    q = 1\n")
    with pytest.raises(UslError) as caught:
        case()
    error = caught.value
    lines, first = inspect.getsourcelines(case)
    here = first + next(number for number, line in enumerate(lines) if line.rstrip().endswith("# here"))
    assert error.code == case.__name__, str(error)
    assert (error.span.file, error.span.line) == (__file__, here), str(error)
    assert error.span.column > 4 and str(error).startswith(f"{__file__}:{here}:{error.span.column}: ")
    assert error.message and "\n" not in error.message
