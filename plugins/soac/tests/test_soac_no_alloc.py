"""`@no_alloc`: what keeps the promise, what breaks it, and that the debug runtime counts no more than results."""

from __future__ import annotations

import pytest

from usl_soac import SoacError, no_alloc, parse_program

KEPT = {
    "a map": "return map(lambda v: v * 2.0, x)",
    "an update": "return x.set(k, 1.0)",
    "updates in a loop": "for i in range(k):\n        x = x.set(i % n, x[i % n] * 2.0)\n    return x",
    "a filter, or a map": "return filter(lambda v: v > 0.0, x) if k > 0 else map(lambda v: v * 2.0, x)",
    "a map that is fused": "return map(lambda v: v + 1.0, map(lambda v: v * 2.0, x))",
    "a number of the array": "return replicate(n, reduce(add, 0.0, x))",
    "a call": "return twice(x)",
    "a call that goes on with its argument": "return f(x, k - 1) if k > 0 else x",
}
BROKEN = {
    "s is a value in between": "s = scan(add, 0.0, x)\n    return map(lambda v: v / s[n - 1], s)",
    "the array is copied: `x` is needed again afterwards": "y = x.set(k, 1.0)\n    return map(add, y, x)",
    "2 arrays are made for 1 result: t, z": "y, z = twice(x), map(lambda v: v + 1.0, x)\n    return y if y[0] > z[0] else z",
    "t is a value in between": "return concat(filter(lambda v: v > 0.0, x), x)",
    "v is made in each round of a loop": "v = x\n    for i in range(k):\n        v = concat(v, x)\n    return v",
    "t is a value in between: that of a call": "y = twice(x)\n    return y.set(0, y[n - 1] + f(y, 0)[0])",
}
TEXT = """
@soac
def twice(x: f64[n]) -> f64[n]:
    return map(lambda v: v * 2.0, x)

@no_alloc
@soac
def f(x: f64[n], k: i64) -> f64[_]:
    {}
"""


@pytest.mark.parametrize("body", KEPT.values(), ids=KEPT)
def test_the_promise_is_kept(body):
    parse_program(TEXT.format(body))["f"].compiled()


@pytest.mark.parametrize(("why", "body"), BROKEN.items(), ids=BROKEN)
def test_the_promise_is_broken(why, body):
    with pytest.raises(SoacError, match="<program>:8:1: f is promised to take memory for its results alone") as caught:
        parse_program(TEXT.format(body))["f"].compiled()
    assert caught.value.code == "E765" and f"f: {why.partition(': that')[0]}" in caught.value.notes


def test_a_function_that_is_called_keeps_its_promise_as_if_called_by_itself():
    text = TEXT.format(BROKEN["s is a value in between"]) + "\n@soac\ndef main(x: f64[n]) -> f64[_]:\n    return f(x, 1)\n"
    with pytest.raises(SoacError, match="f is promised"):
        parse_program(text)["main"].compiled()
    with pytest.raises(SoacError, match="@no_alloc stands above @soac"):
        no_alloc(len)
