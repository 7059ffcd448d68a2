"""Mistakes: each code with its line and column, what is said, and how running programs fail."""

from __future__ import annotations

import numpy as np
import pytest

from usl_soac import ShapeError, SoacError, parse_program

HEAD = "def f(x: i64[n, m], y: f64[k], c: bool) -> i64[_]:"


def refused(body: str, head: str = HEAD) -> SoacError:
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    with pytest.raises(SoacError) as caught:
        parse_program(f"@soac\n{head}\n{lines}\n", "p.py")["f"].sized()
    return caught.value


MISTAKES = [
    # not in the language
    ("return map(lambda e: map(lambda g: 1, ()), x)", "E761", "3:26", "map needs at least one array"),
    ("x[0] = y\nreturn x", "E760", "3:5", "an element cannot be assigned; write x = x.set(0, v)"),
    ("x[0, 1] += 1\nreturn x", "E760", "3:5", "an element cannot be assigned; write x = x.set((0, 1), v)"),
    ("g = lambda v: v\nreturn x", "E760", "3:5", "a function is no value of a variable"),
    ("z = (add, x)\nreturn x", "E760", "3:10", "a function is no component of a tuple"),
    ("return [v for v in x]", "E760", "3:12", "a comprehension is written map(lambda x: …, xs)"),
    ("return x @ x", "E760", "3:12", "@ is not in the language; write the product with map and reduce"),
    ("return x[-1]", "E760", "3:14", "an index is not negative"),
    ("return x.T", "E760", "3:12", "there is no attribute T; write transpose(x)"),
    ("return x.shape", "E760", "3:12", "there is no attribute shape; write shape(x, d)"),
    ("return []", "E760", "3:12", "an empty list has no type; write replicate(0, x)"),
    ("for v in x:\n    pass\nreturn x", "E760", "3:14", "a loop goes over range(n) or range(a, b)"),
    ("for i in range(3):\n    return x\nreturn x", "E760", "3:5", "a loop has no return"),
    (
        "for i in range(3):\n    if c:\n        break\n    x = x\nreturn x[0]",
        "E760",
        "5:13",
        "break stands in the last statement",
    ),
    ("try:\n    pass\nfinally:\n    pass\nreturn x", "E760", "3:5", "try is not in the language of arrays"),
    ("x + 1\nreturn x", "E760", "3:5", "the value of this expression is not used"),
    ("x = x", "E760", "2:1", "f ends without a result"),
    ("if c:\n    return x[0]\nelse:\n    x = x", "E760", "3:5", "the function ends without a result on some paths"),
    ("return x[0]\nx = x", "E760", "4:5", "nothing after a return is evaluated"),
    ("return map(concat, x)", "E760", "3:16", "concat cannot be passed as a function; write lambda x: concat(…)"),
    ("def g(a=1):\n    return a\nreturn x[0]", "E760", "3:5", "parameters are plain names, without defaults and stars"),
    ("return f'{x}'", "E760", "3:12", "there are no texts in array programs"),
    ("return (", "E760", "3:12", "not Python syntax: '(' was never closed"),
    # types
    ("return y + x[0]", "E761", "3:12", "+ is for two values of one type, not for f64 and i64"),
    ("return x + x[0]", "E761", "3:12", "+ is for arrays of equal shape, not for i64[_, _] and i64[_]"),
    ("return x / x", "E761", "3:12", "/ is for f32 and f64, not for i64"),
    ("return iota(k % c)", "E761", "3:17", "% is for two values of one type, not for i64 and bool"),
    ("return map(lambda a, b: a, x)", "E761", "3:12", "the lambda takes 2 arguments, but would get 1"),
    ("return map(unknown, x)", "E761", "3:16", "unknown name unknown"),
    ("return concat(x[0], y)", "E761", "3:12", "concat is for arrays of the same type, not for i64[_] and f64[_]"),
    ("return reduce(add, 0.5, x[0])", "E761", "3:12", "a number with a point stands where an i64 should"),
    ("return filter(lambda r: r[0], x)[0]", "E761", "3:12", "filter: the lambda gives i64, but a truth value is needed"),
    ("return reduce(lambda a, b: a < b, 0, x[0])", "E761", "3:12", "reduce: the lambda gives bool, but i64 is needed"),
    ("return x if c else y", "E761", "3:12", "the branches give i64[_, _] and f64[_]"),
    ("if x:\n    pass\nreturn x", "E761", "3:8", "a condition is a truth value, not i64[_, _]"),
    ("if c:\n    z = x\nreturn z", "E761", "5:12", "z is not assigned on every path to here"),
    (
        "if c:\n    z = x\nelse:\n    z = y\nreturn z",
        "E761",
        "3:5",
        "z is i64[_, _] after one branch and f64[_] after the other",
    ),
    ("for i in range(3):\n    x = x[0]\nreturn x", "E761", "3:5", "x is i64[_, _] before a round and i64[_] after it"),
    ("a, b = x\nreturn a", "E761", "3:5", "i64[_, _] is no tuple of 2"),
    ("a, b = 1, 2, 3\nreturn a", "E761", "3:5", "2 variables, but a tuple of 3"),
    ("return x", "E761", "3:12", "i64[_] is declared, but this is i64[_, _]"),
    ("return x[0, 0, 0]", "E761", "3:12", "i64[_, _] has 2 dimensions, 3 indices given"),
    ("return x.set(0, 1)[0]", "E761", "3:12", "set: the new value is i64, but i64[_] is needed"),
    ("return x[0] + 99999999999999999999", "E761", "3:12", "99999999999999999999 is no i64"),
    ("return scatter(x[0], y, x[0])", "E761", "3:12", "scatter: the indices are i64[n], not f64[_]"),
    ("return rearrange(x, (0, 0))[0]", "E761", "3:12", "rearrange: (0, 0) is no order of the dimensions 0, 1"),
    # sizes
    ("z: i64[q, _] = x\nreturn x[0]", "E763", "3:12", "nothing gives the size q"),
]


@pytest.mark.parametrize(("body", "code", "place", "message"), MISTAKES, ids=lambda each: str(each)[:30])
def test_a_mistake_is_refused_at_its_place(body, code, place, message):
    error = refused(body)
    assert error.message.startswith(message)
    assert error.code == code
    assert str(error).startswith(f"p.py:{place}: ")


HEADS = [
    ("def f(x) -> i64:", "E761", "2:7", "the parameter x has no type"),
    ("def f(x: i64):", "E761", "2:1", "f has no result type"),
    ("def f(x: int) -> i64:", "E761", "2:10", "int is no type of this language"),
    ("def f(x: i64[_]) -> i64:", "E760", "2:14", "a size of a parameter has a name"),
    ("def f(x: i64[n * m], y: i64[n, m]) -> i64:", "E760", "2:14", "a size of a parameter is a name or a sum of multiples"),
    ("def f(x: i64[2 * n]) -> i64:", "E763", "2:18", "nothing gives the size n"),
    ("def f(x: i64[n]) -> i64[k]:", "E763", "2:25", "nothing gives the size k; write _ if any size is meant"),
    ("def f(n: f64, x: i64[n]) -> i64:", "E760", "2:7", "n is a parameter and a size"),
    ("def f(x: i64[n] = 3) -> i64:", "E760", "2:1", "parameters are plain names with types, without defaults and stars"),
]


@pytest.mark.parametrize(("head", "code", "place", "message"), HEADS, ids=[each[0] for each in HEADS])
def test_a_type_is_refused_at_its_place(head, code, place, message):
    error = refused("return 1", head)
    assert error.message.startswith(message)
    assert (error.code, str(error).split(": ")[0]) == (code, f"p.py:{place}")


def test_a_repeated_size_of_a_result_is_one_that_comes_with_it():
    text = "@soac\ndef f(x: i64[n]) -> tuple[i64[k], i64[k]]:\n    y = filter(lambda v: v > 0, x)\n    return y, {}\n"
    assert parse_program(text.format("y"))["f"].interpret([1, -1])[1].shape == (1,)
    with pytest.raises(ShapeError, match="f: result 1 has 0 elements, but k is promised, which is 1"):
        parse_program(text.format("filter(lambda v: v > 5, y)"))["f"].interpret([1, -1])


# ---- programs that fail


def test_an_error_shows_the_line_and_marks_the_place():
    text = "@soac\ndef f(ns: i64[n]) -> i64[_, _]:\n    return map(lambda n: iota(n), ns)\n"
    with pytest.raises(ShapeError) as caught:
        parse_program(text, "<irregular>")["f"].interpret([5, 5, 5, 7])
    assert str(caught.value) == (
        "<irregular>:3:12: ShapeError: irregular map: element 3 gives i64[7], element 0 gave i64[5]\n"
        "    return map(lambda n: iota(n), ns)\n"
        "           ^^^^^^^^^^^^^^^^^^^^^^^^^^"
    )


def test_an_argument_that_does_not_fit_is_told_with_where_the_size_came_from():
    text = (
        "@soac\ndef dot(x: f64[n], y: f64[n]) -> f64:\n    return reduce(add, 0, map(mul, x, y))\n\n"
        "@soac\ndef f(x: f64[n], y: f64[m]) -> f64:\n    return dot(x, y)\n"
    )
    program = parse_program(text, "<dot>")
    with pytest.raises(ShapeError, match=r"<dot>:7:12: ShapeError: dot: y has 4 elements, but n is 3 \(from x, dimension 0\)"):
        program["f"].interpret([1, 2, 3], [1, 2, 3, 4])
    with pytest.raises(ShapeError, match=r"<dot>:2:20: ShapeError: dot: y has 4 elements, but n is 3 \(from x, dimension 0\)"):
        program["dot"].interpret([1, 2, 3], [1, 2, 3, 4])


FAILURES = [
    ("x[k]", IndexError, "index 5 is out of range: dimension 0 of x has 3 elements"),
    ("x[k - 6]", IndexError, "index -1 is out of range: dimension 0 of x has 3 elements"),
    ("x[1:k][0]", IndexError, "1:5 is no part of the 3 elements of x"),
    ("x[3:2 + k - k][0]", IndexError, "3:2 is no part of the 3 elements of x"),
    ("split(x, k)[0][0]", IndexError, "split: 5 is not from 0 to 3, the number of elements of x"),
    ("len(iota(-k))", ShapeError, "iota: the size -5 is negative"),
    ("len(replicate(-k, 0))", ShapeError, "replicate: the size -5 is negative"),
    ("len(reshape(x, (k, 2)))", ShapeError, "reshape: 3 elements cannot become 10"),
    ("len(map(add, x, iota(k)))", ShapeError, "map: the arrays have 3 and 5 elements"),
    ("len(concat([x], [iota(k)]))", ShapeError, "concat: the rows have 3 and 5 elements"),
    ("x.set(k, 1)[0]", IndexError, "index 5 is out of range: dimension 0 of x has 3 elements"),
    ("len(replicate(1, x).set(0, iota(k)))", ShapeError, "set: the value has 5 elements, the part that it replaces has 3"),
    ("len(scatter(x, x, iota(k)))", ShapeError, "scatter: 3 indices, but 5 values"),
    ("len(reduce_by_index(x, add, 0, x, iota(k)))", ShapeError, "reduce_by_index: 3 indices, but 5 values"),
    ("len(reduce(lambda a, b: map(add, a, b), iota(k), [x]))", ShapeError, "reduce: the neutral element has 5 elements"),
    (
        "len(reduce(lambda a, b: a[: k - 3], x, [x]))",
        ShapeError,
        "reduce: the operator gives 2 elements, the neutral",
    ),
    ("k // (k - 5)", ZeroDivisionError, "division by zero"),
    ("k % (k - 5)", ZeroDivisionError, "division by zero"),
]


@pytest.mark.parametrize(("text", "kind", "message"), FAILURES, ids=[each[0] for each in FAILURES])
def test_a_failing_test_says_what_is_wrong(text, kind, message):
    with pytest.raises(kind) as caught:
        parse_program(f"@soac\ndef f(x: i64[n], k: i64) -> i64:\n    return {text}\n")["f"].interpret([0, 1, 2], 5)
    assert f": {kind.__name__}: {message}" in str(caught.value).split("\n")[0]


def test_an_assertion_fails_with_its_text():
    f = parse_program('@soac\ndef f(n: i64) -> i64:\n    assert n > 0, "{n} > 0"\n    return n\n')["f"]
    assert f.interpret(1) == 1
    with pytest.raises(AssertionError, match=r"<program>:3:12: AssertionError: \{n\} > 0"):
        f.interpret(0)


def test_a_failure_in_what_is_not_used_is_a_failure():
    f = parse_program("@soac\ndef f(x: i64[n]) -> i64:\n    y = x[3]\n    return n\n")["f"]
    with pytest.raises(IndexError):
        f.interpret([1])


def test_the_first_of_two_failures_at_one_place_is_told():
    f = parse_program("@soac\ndef f(x: i64[n]) -> i64:\n    return x[3] + x[7]\n")["f"]
    with pytest.raises(IndexError, match="index 3"):
        f.interpret([1])


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((), r"f takes 2 arguments \(x, c\), 0 given"),
        (([1], True), r"f: x is f32\[n, m\], an array of 2 dimensions, not of 1"),
        (([["a"]], True), r"f: x is f32\[n, m\], not an array of <U1"),
        (([[1], [1, 2]], True), r"f: x is f32\[n, m\]; its rows have different lengths"),
        ((np.zeros((1, 1)), 1), "f: c is a bool, not 1"),
    ],
)
def test_arguments_from_python_are_of_the_declared_types(args, message):
    f = parse_program("@soac\ndef f(x: f32[n, m], c: bool) -> f32[n, m]:\n    return x\n")["f"]
    with pytest.raises(SoacError, match=message) as caught:
        f.interpret(*args)
    assert caught.value.code == "E761"
