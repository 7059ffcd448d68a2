"""Handlers: of several exceptions, with their fields, of every exception; what is raised again; `finally`."""

from __future__ import annotations

import pytest
from perceus_front import program, run
from perceus_runs import with_main
from perceus_semantics import heap, standard

from usl_perceus import PerceusError, fun, live_blocks
from usl_perceus.front.lower import lower
from usl_perceus.front.module import parse_program
from usl_perceus.passes import compile_program

# ruff: noqa: F821

TEXT = """
@exception
class Low:
    code: i64
    text: str

@exception
class High:
    pass

@fun
def risky(n: i64) -> i64:
    if n == 1:
        raise Low(n * 7, "low")
    if n == 2:
        raise High
    if n == 3:
        raise Low(text="x" + str(n), code=3)
    return 12 // (n - 4)

@fun
def told(n: i64) -> str:
    try:
        return str(risky(n))
    except Low as e:
        if e.code == 3:
            raise e
        return f"{e.text} {e.code}"
    except (High, ZeroDivisionError):
        return "other"

@fun
def cleaned(n: i64, r: ref[i64]) -> i64:
    x = 0
    try:
        if n == 6:
            return risky(n)
        x = risky(n)
    except Exception:
        x = 100
        if n == 2:
            raise
    finally:
        r.value = r.value + 1000
    return x + 1

@fun
def counted(n: i64) -> tuple[i64, i64]:
    r = ref(0)
    try:
        y = cleaned(n, r)
    except High():
        y = -5
    return y, r.value

@fun
def overruled(n: i64) -> i64:
    try:
        return risky(n)
    finally:
        if n < 3:
            return -1

@fun
def repeated(n: i64) -> i64:
    sum = 0
    for i in range(n):
        try:
            more = risky(i)
        except Low as e:
            for j in range(3):
                if e.code + j == 5:
                    raise
            more = e.code
        except:
            continue
        sum += more
    return sum
"""


def test_handlers_name_fields_catch_several_exceptions_and_raise_again():
    made = program(TEXT)
    assert [run(made, "told", n) for n in (1, 2, 4, 5)] == ["low 7", "other", "other", "12"]
    assert run(made, "told", 3) == ("raise", ("Low", 3, "x3"))


def test_finally_runs_whether_the_body_ends_returns_or_raises():
    made = program(TEXT)
    assert [run(made, "counted", n) for n in (1, 2, 3, 5, 6)] == [(101, 1000), (-5, 1000), (101, 1000), (13, 1000), (6, 1000)]
    assert [run(made, "overruled", n) for n in (1, 2, 5)] == [-1, -1, 12]
    assert run(made, "overruled", 4) == ("raise", ("ZeroDivisionError",))


def test_a_loop_in_a_handler_may_raise_the_exception_again():
    made = program(TEXT)
    assert run(made, "repeated", 3) == 12 // -4 + 7
    assert run(made, "repeated", 4) == ("raise", ("Low", 3, "x3"))


def test_what_handlers_do_not_use_is_released():
    core = program(TEXT).program
    for n in range(7):
        for name in ("told", "counted", "overruled", "repeated"):
            entry = with_main(core, name, n)
            reference = standard.plain(standard.run(entry, "main"))
            assert heap.run(compile_program(entry), "main") == reference, "the heap is empty at the end, too"


@fun
def guarded(text: str) -> i64:
    total = 0
    for word in text.split():
        try:
            number = int(word)
        except (ValueError, IndexError):
            number = 1000
        finally:
            total += 1
        total += number
    return total


def test_compiled_handlers_of_several_exceptions():
    before = live_blocks()
    assert guarded("1 x 20 y") == 2025
    assert live_blocks() == before


WRONG = {
    "except Low as e: return e.size": ("E713", "Low has no field size"),
    "except (Low, High) as e: return e.code": ("E710", "the fields of several exceptions are not the same"),
    "except Low as e: print(e); return 1": ("E723", None),
    "except (Low, Low): return 1": ("E715", "this exception is handled already"),
    "except Exception: return 1|except Low: return 2": ("E715", "this handler is never reached"),
    "except Low: return 1|else: return 2": ("E710", "this statement is never reached"),
}


@pytest.mark.parametrize("handlers", WRONG)
def test_what_is_said_of_a_wrong_handler(handlers):
    code, message = WRONG[handlers]
    body = "".join(f"    {line}\n" for line in handlers.split("|"))
    text = f"{TEXT}\n@fun\ndef g(n: i64) -> i64:\n    try:\n        m = risky(n)\n{body}    return m\n"
    with pytest.raises(PerceusError) as caught:
        lower([parse_program(text)["g"]])
    assert caught.value.code == code
    assert message is None or caught.value.message == message
