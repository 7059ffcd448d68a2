"""Specialisations on parameters, in compiled code; and what is compiled once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from usl_core.errors import UslError
from usl_halide_lib import hl

x, y = hl.vars("x y")


def doubled() -> tuple[Any, Any, Any]:
    image, p, f = hl.Buffer(np.arange(100, dtype=np.int32), "image"), hl.Param(hl.Int(32), "p", 3), hl.Func("f")
    f[x] = image[x] * 2
    return image, p, f


def test_a_stage_is_specialised_on_parameters_and_extents() -> None:
    image, p, f = doubled()
    f.specialize(p > 2).unroll(x, 4)
    f.specialize((p == 1) & (image.width() > 50)).vectorize(x, 8)
    text = str(f.procedure())
    assert "if p > 2:" in text and "elif p == 1 and image_0 > 50:" in text and "seq(0, x_len / 4)" in text
    for value in (3, 1, 0, -7):
        p.set(value)
        assert (np.asarray(f.realize([(1, 9)])) == np.arange(2, 20, 2)).all()
        assert (f.interpret([(1, 9)]) == np.arange(2, 20, 2)).all()


def test_a_parameter_of_the_schedule_needs_a_value() -> None:
    _, _, f = doubled()
    f.specialize(hl.Param(hl.Int(32), "q") > 2)
    with pytest.raises(UslError, match="the parameter q has no value"):
        f.realize([4])


@pytest.mark.parametrize(
    ("condition", "code", "message"),
    [
        (lambda: x > 2, "E777", "x > 2 may only consist of numbers, parameters and extents"),
        (lambda: hl.Param(hl.Int(32), "n", 1), "E777", "n is no condition; compare"),
        (lambda: hl.Param(hl.Float(32), "w", 1.0) > 2, "E777", "does not compare sums of Int"),
        (lambda: hl.ImageParam(hl.UInt(8), 1, "other").width() > 2, "E777", "other is no input of the pipeline"),
    ],
)
def test_a_condition_that_no_procedure_has_is_refused(condition: Any, code: str, message: str) -> None:
    _, _, f = doubled()
    f.specialize(condition())
    with pytest.raises(UslError, match=message) as caught:
        f.realize([4])
    assert caught.value.code == code and caught.value.span is not None and caught.value.span.file == __file__


def test_a_schedule_is_compiled_once_until_something_changes() -> None:
    image, p, f = doubled()
    f.split(x, "xo", "xi", 8)
    first = f.procedure()
    f.realize([8])
    p.set(5)
    assert f.procedure() is first
    f.unroll("xi", 2)
    second = f.procedure()
    assert second is not first and f.procedure() is second
    f[x] += image[x]
    assert f.procedure() is not second and (np.asarray(f.realize([4])) == [0, 3, 6, 9]).all()
