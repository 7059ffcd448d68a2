"""`try` with `else` and `finally`, and variables that the body assigns: what Python does with the same text."""

from __future__ import annotations

import contextlib
import io
import itertools
from textwrap import dedent, indent

import pytest
from perceus_front import printed, program, run
from perceus_native import outcomes
from perceus_runs import outcome, with_main

from usl_perceus import PerceusError
from usl_perceus.passes import OPTIONAL, compile_program

BOTH = """
    @fun
    def g(n: i64) -> i64:
        if n > 2:
            raise NotFound(n)
        return n

    @fun
    def counted(n: i64) -> str:
        x = "start"
        i = 0
        try:
            x = "one"
            while i < n:
                i += 1
                x = f"{x} {i}"
                i += g(i) - i
        except NotFound as e:
            return f"caught {x} {i} {e.key}"
        return x

    @fun
    def completely(n: i64) -> str:
        out = ""
        k = 1
        try:
            k = g(n)
        except NotFound:
            out += "handled "
        else:
            out += f"else {k} "
        finally:
            out += "last "
        return out + str(k)

    @fun
    def leaving(n: i64) -> i64:
        x = 1
        try:
            x = 2
            if n > 0:
                return x
            x = 3
        finally:
            print(x)
        return 10 * x

    @fun
    def searched(n: i64) -> i64:
        for i in range(n):
            try:
                g(i)
            except NotFound:
                continue
            else:
                if i == 2:
                    break
        else:
            return -1
        return i

    @fun
    def returning(n: i64) -> i64:
        try:
            if n == 0:
                return 100
            m = g(n)
        except NotFound as e:
            return -e.key
        else:
            if m == 2:
                return g(m) + 1000
            k = m + 1
        return k

    @fun
    def unprotected(n: i64) -> str:
        try:
            try:
                m = g(n - 1)
            except NotFound:
                return "inner"
            else:
                m += g(n)
            return f"{m}"
        except NotFound:
            return "outer"

    @fun
    def nested(n: i64) -> str:
        a = 0
        text = ""
        try:
            a = 1
            try:
                a = 2
                text += "t"
                g(n)
                a = 3
                g(n + 1)
                a = 4
            except NotFound as e:
                text += f"h{a}"
                a = 5
                g(e.key - 1)
                a = 6
            a += 10
            text += f"e{a}"
            g(a - 10)
        except NotFound as e:
            text += f"o{a}"
        finally:
            text += f"f{a}"
        return text

    @fun
    def again(n: i64) -> i64:
        tries = 0
        while True:
            try:
                tries += 1
                return g(n - tries) * 100 + tries
            except NotFound:
                if tries > 5:
                    return -1
"""
NAMES = ["counted", "completely", "leaving", "searched", "returning", "unprotected", "nested", "again"]
CALLS = list(itertools.product(NAMES, range(7)))
_made: dict[str, object] = {}


def made():
    if not _made:
        _made["program"] = program(BOTH)
    return _made["program"]


class NotFound(Exception):  # as the program calls it
    def __init__(self, key):
        self.key = key


def in_python(name, n):
    scope = {"NotFound": NotFound, "fun": lambda f: f}
    exec("from __future__ import annotations\n" + dedent(BOTH), scope)
    with contextlib.redirect_stdout(io.StringIO()) as output:
        return scope[name](n), output.getvalue()


@pytest.mark.parametrize("name", NAMES)
def test_the_interpreter_does_what_python_does(name):
    for n in range(7):
        assert (run(made(), name, n), printed(made(), name, n)) == in_python(name, n)


@pytest.mark.parametrize(
    ("flags", "off"), [(("-O0", "-DUSL_DEBUG"), tuple(sorted(OPTIONAL))), (("-O1",), ())], ids=["debug", "optimized"]
)
def test_c_does_what_the_interpreter_does(flags, off, tmp_path):
    programs = [with_main(made().program, name, n) for name, n in CALLS]
    expected = [outcome(each) for each in programs]
    found = outcomes([compile_program(each, off=off) for each in programs], tmp_path, flags)
    assert [(value, b"".join(text)) for value, text in found] == [(value, b"".join(text)) for value, text in expected]


def message_of(text):
    with pytest.raises(PerceusError) as caught:
        program(BOTH + text)
    return str(caught.value)


def test_a_variable_that_may_have_no_value_in_a_handler_is_named():
    message = message_of("""
    @fun
    def f(n: i64) -> i64:
        try:
            x = g(n)
            x += g(x)
        except NotFound:
            return x
        return x
    """)
    assert "x may not be assigned here" in message


@pytest.mark.parametrize(
    "around",
    ["{}", "    if n > 0:\n{}", "    for i in range(2):\n{}", "    try:\n{}\n    finally:\n        x += 1"],
    ids=["alone", "if", "for", "finally"],
)
def test_a_variable_that_a_loop_in_the_body_binds_has_no_value_behind_a_handler(around):
    body = """
    try:
        for z in range(5):
            w = 3
        x = n // (x - 6)
    except ZeroDivisionError:
        x = 4
    """
    inner = indent(dedent(body).strip(), " " * (4 if around == "{}" else 8))
    text = "@fun\ndef f(n: i64) -> i64:\n    x, z = n, 3\n" + around.format(inner) + "\n    return z\n"
    with pytest.raises(PerceusError, match="z may not be assigned here"):
        program(text)


def test_a_variable_that_each_handler_assigns_has_its_value_from_the_body_behind_finally():
    text = """
    @fun
    def f(n: i64) -> i64:
        z, w = 3, 0
        try:
            if z <= 6:
                z = 13
            n = 7 // n
        except ZeroDivisionError:
            z = 5
        finally:
            w = 2
        return z + w
    """
    made = program(text)
    assert (run(made, "f", 1), run(made, "f", 0)) == (15, 7)


def test_else_is_reached_from_the_body_only():
    message = message_of("""
    @fun
    def f(n: i64) -> i64:
        try:
            return g(n)
        except NotFound:
            n += 1
        else:
            n += 2
        return n
    """)
    assert "this statement is never reached" in message


def test_a_variable_in_a_cell_keeps_its_type():
    message = message_of("""
    @fun
    def f(n: i64) -> i64:
        x = 1
        try:
            x = "one"
            x = f"{g(n)}"
        except NotFound:
            return x
        return len(x)
    """)
    assert "expected a number, found str" in message
