"""Programs whose text another program has written, with kernels of its own."""

from __future__ import annotations

import numpy as np
import pytest

from usl_core import build
from usl_core.ir.types import F32
from usl_perceus import PerceusError, live_blocks, not_empty, not_written, program


def scaled(name: str, factor: float):
    b = build.ProcBuilder(name)
    n = b.size("n")
    x = b.tensor("x", F32, (n,))
    y = b.tensor("y", F32, (n,))
    with b.for_("i", 0, n) as i:
        b.assign(y, (i,), build.mul(build.read(x, i), factor))
    return b.finish()


TEXT = """
@exception
class TooLong:
    site: i64
    length: i64

@data
class Made:
    Nothing: ()
    Just: array[f32]

@fun
def times(n: i64, x: array[f32]) -> Made:
    if n > LIMIT:
        raise TooLong(7, n)
    return Just(scale(n, x, array(n, 0.0))) if n > 0 else Nothing
"""


def test_a_generated_program_calls_generated_kernels_and_raises_what_it_declares():
    before = live_blocks()
    made = program(TEXT, {"scale": scaled("scale", 3.0), "LIMIT": 4})
    x = np.arange(4, dtype=np.float32)
    result = made["times"](4, x).value()
    assert result.fields[0].tolist() == [0.0, 3.0, 6.0, 9.0]
    assert made["times"](0, x[:0]) == made["Made"].Nothing()
    with pytest.raises(made["TooLong"]) as caught:
        made["times"](5, np.zeros(5, np.float32))
    assert caught.value.args == (7, 5)
    with pytest.raises(ValueError, match="the length of x is not n"):
        made["times"](3, x)
    del result, caught
    assert live_blocks() == before


def test_two_programs_of_the_same_text_have_nothing_in_common():
    one, other = (program(TEXT, {"scale": scaled("scale", factor), "LIMIT": 9}) for factor in (2.0, 5.0))
    x = np.ones(1, np.float32)
    assert [made["times"](1, x).value().fields[0].tolist() for made in (one, other)] == [[2.0], [5.0]]
    assert one["TooLong"] is not other["TooLong"]


def test_messages_show_the_lines_of_the_text():
    made = program("@fun\ndef wrong(n: i64) -> f32:\n    return n\n", file="<model>")
    with pytest.raises(PerceusError) as caught:
        made["wrong"](1)
    assert str(caught.value).startswith("<model>:3:12:")
    assert "    return n\n" in str(caught.value)


def test_what_is_no_program_is_refused():
    with pytest.raises(PerceusError, match="a program consists of decorated classes and functions"):
        program("print(1)")
    with pytest.raises(PerceusError, match="cannot be the name of anything"):
        program("", {"a b": 1})


def test_an_array_that_a_kernel_is_about_to_write_has_no_values_before():
    text = "@fun\ndef f(n: i64, x: array[f32]) -> array[f32]:\n    return scale(n, x, fresh(n)).truncate(n - 1)\n"
    made = program(text, {"scale": not_empty(scaled("scale", 2.0)), "fresh": not_written("f32")})
    assert made["f"](3, np.ones(3, np.float32)).tolist() == [2.0, 2.0]
    assert "array_make" not in made["f"].show("c")
    with pytest.raises(PerceusError, match="'str' is no type of numbers"):
        not_written("str")


def test_a_kernel_for_which_nothing_is_empty_has_one_form_in_the_program():
    text = "@fun\ndef f(n: i64, x: array[f32]) -> array[f32]:\n    return scale(n, x, array(n, 0.0))\n"
    one, all_ = (program(text, {"scale": given}) for given in (not_empty(scaled("scale", 2.0)), scaled("scale", 2.0)))
    x = np.ones(3, np.float32)
    assert [made["f"](3, x).tolist() for made in (one, all_)] == [[2.0] * 3] * 2
    assert all_["f"](0, x[:0]).tolist() == []
    with pytest.raises(ValueError, match="scale: n is not from 1"):
        one["f"](0, x[:0])
    assert len(one["f"].show()) < len(all_["f"].show())
