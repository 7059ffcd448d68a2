"""A mistake in somebody's Memory class is reported with its name and the place, not as a bug of the compiler."""

from __future__ import annotations

import pytest

from usl_core import Memory, proc_from_source
from usl_core.errors import BackendError, PatternError


class Wrong(Memory):
    name = "Wrong"

    @classmethod
    def alloc(cls, name):  # too few arguments
        return ""


class Silent(Memory):
    name = "Silent"

    @classmethod
    def alloc(cls, name, ctype, shape, span):
        return None


class Raising(Memory):
    name = "Raising"

    @classmethod
    def alloc(cls, name, ctype, shape, span):
        raise ValueError("no room")


class Letters(Memory):
    name = "Letters"
    features = "avx"  # its letters would become names of features


@pytest.mark.parametrize(
    ("memory", "message"),
    [
        (Wrong, "alloc of memory Wrong failed: TypeError"),
        (Silent, "alloc of memory Silent must give C text, not None"),
        (Raising, "alloc of memory Raising failed: ValueError: no room"),
        (Letters, "features of memory Letters must be a tuple of names of CPU features, not 'avx'"),
    ],
)
def test_a_failing_method_is_blamed_on_the_memory(memory: type[Memory], message: str) -> None:
    p = proc_from_source("def f(x: f32[8]):\n    t: f32[8] @ M\n    t[0] = 1.0\n    x[0] = t[0]\n", {"M": memory})
    with pytest.raises(BackendError, match=message) as caught:
        p.c_code()
    assert caught.value.span is not None
    assert caught.value.span.line == 2


def test_a_pattern_that_is_no_text_is_refused() -> None:
    p = proc_from_source("def f(x: f32[8]):\n    x[0] = 1.0\n")
    for find in (p.find, p.find_loop):
        with pytest.raises(PatternError, match="a pattern is a text, got 3"):
            find(3)
