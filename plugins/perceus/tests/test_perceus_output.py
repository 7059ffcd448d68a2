"""What programs print goes through `sys.stdout.write`, whatever that does: calls a `@fun`, fails, or is not there."""

from __future__ import annotations

import gc
import sys

import pytest

from usl_perceus import fun
from usl_perceus.python import live_blocks

# ruff: noqa: F821


@fun
def next(n: i64) -> i64:
    return n + 1


@fun
def said(n: i64) -> i64:
    print("said", n)
    return n


@fun
def lines(n: i64) -> array[str]:
    made = []
    for i in range(n):
        print("line", i)
        made = made.append(f"{i}")
    return made


@fun
def failing(n: i64) -> i64:
    for i in range(n):
        print(i)
    return n // 0


class Writer:
    """Keeps what is written, and does something besides."""

    def __init__(self, also):
        self.texts: list[str] = []
        self.also = also

    def write(self, text):
        self.texts.append(text)
        self.also()


@pytest.fixture(autouse=True)
def _empty_heap():
    gc.collect()
    before = live_blocks()
    yield
    gc.collect()
    assert live_blocks() == before


INNER = [lambda: next(1), lambda: lines(0), lambda: next.with_limits()(1), lambda: live_blocks()]


@pytest.mark.parametrize("inner", INNER, ids=["short", "long", "limited", "live_blocks"])
@pytest.mark.parametrize("outer", [lines, lines.with_limits(seconds=60), failing], ids=["long", "limited", "failing"])
def test_a_fun_called_while_another_thread_s_fun_prints_is_refused_and_all_can_be_used_again(outer, inner, monkeypatch):
    writer = Writer(inner)
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", writer)
        with pytest.raises(RuntimeError, match=r"sys\.stdout\.write calls a @fun.* would wait for the @fun that prints"):
            outer(2)
    assert len(writer.texts) == 2
    assert lines(0) == []
    assert next(1) == 2


@pytest.mark.parametrize("inner", INNER, ids=["short", "long", "limited", "live_blocks"])
def test_a_fun_may_be_called_while_one_without_loops_prints(inner, monkeypatch):
    writer = Writer(inner)
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", writer)
        assert said(3) == 3
    assert writer.texts == ["said 3\n"]


@pytest.mark.parametrize("outer", [said, lines, lines.with_limits(seconds=60), failing])
def test_what_cannot_be_written_is_raised_behind_the_call(outer, monkeypatch):
    def gone():
        raise BrokenPipeError("gone")

    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", Writer(gone))
        with pytest.raises(BrokenPipeError, match="gone"):
            outer(2)
    assert lines(0) == []


def test_without_a_standard_output_nothing_is_printed(monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", None)
        assert said(3) == 3
        assert lines(1) == ["0"]
