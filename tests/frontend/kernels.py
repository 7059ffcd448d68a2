"""Functions in the object language for the tests of the parser; annotations stay text thanks to the import below."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

WIDTH = 16
SCALE = 0.1
constants = SimpleNamespace(depth=3, deep=SimpleNamespace(flag=True))


def copy(n: size, x: f32[n], y: f32[n]):
    """A docstring is no statement."""
    assert n % 4 == 0
    for i in seq(0, n):
        y[i] = x[i]


def uses_constants(x: f32[WIDTH, constants.depth]):
    for i in seq(0, WIDTH // 2):
        x[2 * i, constants.depth - 1] = SCALE
    check(constants.deep.flag)


def make_nested() -> tuple[Callable[..., Any], dict[str, Any]]:
    captured = 5
    only_in_an_annotation = 7

    def nested(x: f32[only_in_an_annotation]):
        """Indented,
        and with a docstring that is less so."""
        x[captured] = 2.0

    return nested, locals()


def ill_typed(n: size, x: f32[n]):
    x[0] = n


class Holder:
    def method(n: size, x: f32[n]):
        x[n] = n


made_by_exec: dict[str, Any] = {}
exec("def gone(n):\n    pass", made_by_exec)
