"""Each mistake gives one error, at the place that the carets mark, with the text after them."""

from __future__ import annotations

import re
from textwrap import dedent

import pytest

from usl_core import cut_loop, proc_from_source
from usl_core.errors import ParseError, TypeError_, UslError
from usl_core.frontend.parser import parse_source
from usl_core.ir.config import Config, ConfigField
from usl_core.ir.externs import Extern
from usl_core.ir.types import INDEX

CARETS = re.compile(r"^( *)(\^+) (.*)$")
SCOPE = {
    "callee": parse_source("def callee(n: size, x: [f32][n], d: f32[4], s: f32, b: bool):\n    s = x[0]"),
    "reader": parse_source("def reader(s: f32, y: f32):\n    y = s"),
    "Cfg": Config("Cfg", {"rows": ConfigField("rows", INDEX)}),
    "pair": Extern("pair", 2, lambda types: types[0]),
    "width": 16,
    "words": "some text",
    "third": 1 / 3,
}


def assert_error(program: str, kind: type[UslError]) -> None:
    lines: list[str] = []
    expected: tuple[int, int, int, str] | None = None
    for line in dedent(program).splitlines():
        match = CARETS.match(line)
        if match:
            column = len(match[1]) + 1
            expected = (len(lines), column, column + len(match[2]), match[3])
        else:
            lines.append(line)
    assert expected is not None, "the program marks no error"
    with pytest.raises(UslError) as caught:
        parse_source("\n".join(lines), SCOPE)
    error = caught.value
    assert type(error) is kind, f"{type(error).__name__}: {error}"
    assert error.span is not None
    assert (error.span.line, error.span.column, error.span.end_column) == expected[:3], str(error)
    assert expected[3] in "; ".join((error.message, *error.notes)), str(error)
    assert "^" in str(error)


PARSE_ERRORS = {
    "python_syntax": """\
        def f(n: size):
            for i in seq(0, n:
                             ^ not Python syntax
                pass
        """,
    "while": """\
        def f(n: size):
            while n > 3:
            ^^^^^^^^^^^^ no `while` loop; write for i in seq(lo, hi)
                pass
        """,
    "return": """\
        def f(n: size):
            return n
            ^^^^^^^^ no `return`; write results into arguments
        """,
    "range": """\
        def f(n: size):
            for i in range(n):
                     ^^^^^^^^ seq(0, n)
                pass
        """,
    "seq_of_one_bound": """\
        def f(n: size):
            for i in seq(n):
                     ^^^^^^ a loop has two bounds: seq(0, n)
                pass
        """,
    "loop_over_data": """\
        def f(x: f32[4]):
            for i in x:
                     ^ a loop runs over seq(lo, hi) or par(lo, hi)
                pass
        """,
    "loop_else": """\
        def f(n: size):
            for i in seq(0, n):
                pass
            else:
                pass
                ^^^^ no `else` of a loop
        """,
    "list_comprehension": """\
        def f(x: f32[4]):
            x[0] = [i for i in y]
                   ^^^^^^^^^^^^^^ no list comprehension; write a loop
        """,
    "conditional_expression": """\
        def f(x: f32[4]):
            x[0] = 1.0 if x[1] < 2.0 else 3.0
                   ^^^^^^^^^^^^^^^^^^^^^^^^^^ select(a, b, x, y)
        """,
    "power": """\
        def f(x: f32[4]):
            x[0] = x[1] ** 2
                   ^^^^^^^^^ no `**`; multiply instead
        """,
    "times_equals": """\
        def f(x: f32[4]):
            x[0] /= 2.0
            ^^^^^^^^^^^ no `/=`; write x[0] = x[0] / ...
        """,
    "at_equals_alone": """\
        def f(x: f32[4]):
            x[0] @= x[1]
            ^^^^^^^^^^^^ x[0] @= min(...) or x[0] @= max(...)
        """,
    "at_equals_of_two": """\
        def f(x: f32[4]):
            x[0] @= max(x[0], x[1])
            ^^^^^^^^^^^^^^^^^^^^^^^ `@=` combines a location with one value
        """,
    "at_equals_of_another_function": """\
        def f(x: f32[4]):
            x[0] @= relu(x[1])
            ^^^^^^^^^^^^^^^^^^ `@=` combines a location with one value
        """,
    "initial_value": """\
        def f(x: f32[4]):
            t: f32 = 0.0
            ^^^^^^^^^^^^ an allocation has no initial value
        """,
    "late_assert": """\
        def f(n: size):
            pass
            assert n > 3
            ^^^^^^^^^^^^ write check(condition) here
        """,
    "keyword_argument": """\
        def f(y: f32):
            reader(s=1.0, y=y)
                   ^^^^^ keyword arguments are not supported
        """,
    "default_value": """\
        def f(n: size = 3):
                        ^ arguments have no default values
            pass
        """,
    "no_annotation": """\
        def f(n):
              ^ argument n needs a type
            pass
        """,
    "starred_argument": """\
        def f(*n: size):
               ^^^^^^^ plain positional arguments only
            pass
        """,
    "tuple_assignment": """\
        def f(x: f32, y: f32):
            x, y = y, x
            ^^^^ tuple assignment
        """,
    "chained_assignment": """\
        def f(x: f32, y: f32):
            x = y = 0.0
            ^^^^^^^^^^^ chained assignment
        """,
    "bare_expression": """\
        def f(x: f32):
            x
            ^ an expression alone is not a statement
        """,
    "window_step": """\
        def f(x: f32[4]):
            w = x[0:4:2]
                      ^ no step in a window
        """,
    "write_to_a_window_expression": """\
        def f(x: f32[4]):
            x[0:4] = 0.0
              ^^^ one element is written at a time; write a loop
        """,
    "membership": """\
        def f(n: size):
            if n in n:
               ^^^^^^ no `in`
                pass
        """,
    "quoted_type": """\
        def f(n: "size"):
                 ^^^^^^ a type may not stand in quotes
            pass
        """,
    "with": """\
        def f(n: size):
            with n:
            ^^^^^^^ no `with` statement
                pass
        """,
}

TYPE_ERRORS = {
    "unknown_name": """\
        def f(rows: size, x: f32[rows]):
            x[0] = rowz
                   ^^^^ unknown name rowz; did you mean rows?
        """,
    "unknown_constant": """\
        def f(n: size, x: f32[n]):
            x[widht] = 0.0
              ^^^^^ unknown name widht; did you mean width?
        """,
    "unknown_type": """\
        def f(x: f23[4]):
                 ^^^ unknown type f23; did you mean f32?
            pass
        """,
    "python_type": """\
        def f(x: float):
                 ^^^^^ write f32 or f64
            pass
        """,
    "unknown_memory": """\
        def f(x: f32[4] @ DRAN):
                          ^^^^ unknown memory DRAN; did you mean DRAM?
            pass
        """,
    "unknown_procedure": """\
        def f(y: f32):
            raeder(y, y)
            ^^^^^^ unknown procedure raeder; did you mean reader?
        """,
    "unknown_function": """\
        def f(y: f32):
            y = sqrtt(y)
                ^^^^^ unknown function sqrtt; did you mean sqrt?
        """,
    "python_builtin": """\
        def f(y: f32):
            y = sum(y)
                ^^^ sum is a Python built-in
        """,
    "python_object": """\
        def f(y: f32):
            y = words
                ^^^^^ words is a Python str
        """,
    "call_of_a_constant": """\
        def f(y: f32):
            width(y)
            ^^^^^ width is a Python object, not a procedure
        """,
    "call_as_value": """\
        def f(y: f32):
            y = reader(y, y)
                ^^^^^^^^^^^^ the call of reader is a statement
        """,
    "undeclared_target": """\
        def f(y: f32):
            total = y
            ^^^^^ hint: allocate it first, for instance total: f32
        """,
    "whole_buffer_named": """\
        def f(y: f32[4, 4]):
            w = y
            ^ a window names its intervals: w = y[:, :]
        """,
    "non_affine_product": """\
        def f(n: size, m: size, x: f32[n]):
            x[n * m + 1] = 0.0
              ^^^^^ the index n * m is not affine
        """,
    "division_by_a_variable": """\
        def f(n: size, m: size, x: f32[n]):
            x[n / m] = 0.0
              ^^^^^ divided by a constant only, not by m
        """,
    "division_by_zero": """\
        def f(n: size, x: f32[n]):
            x[n % (3 - 3)] = 0.0
              ^^^^^^^^^^^ division by zero
        """,
    "data_as_index": """\
        def f(x: f32[4], y: i32[4]):
            x[y[0]] = 0.0
              ^^^^ inside an access, idx(y[0], lo, hi) makes a clamped index of it
        """,
    "index_as_data": """\
        def f(n: size, x: f32[n]):
            for i in seq(0, n):
                x[i] = i
                       ^ convert it explicitly with f32(i)
        """,
    "mixed_types": """\
        def f(x: f32[4], y: f64[4]):
            x[0] = x[0] + y[0]
                   ^^^^^^^^^^^ `+` mixes f32 data and f64 data; convert it explicitly with f32(y[0])
        """,
    "mixed_assignment": """\
        def f(x: f32[4], y: i8):
            x[0] = y
                   ^ the right side of `=` must be f32 data, not i8 data; convert it explicitly with f32(y)
        """,
    "mixed_extern": """\
        def f(x: f32, y: f64):
            x = max(x, y)
                ^^^^^^^^^ max: arguments must have one type, got f32, f64
        """,
    "literal_out_of_range": """\
        def f(x: u8):
            x = x + 256
                    ^^^ 256 does not fit u8, whose values are 0 to 255
        """,
    "negative_unsigned_literal": """\
        def f(x: u8):
            x = -1
                ^^ -1 does not fit u8
        """,
    "decimal_for_an_integer": """\
        def f(x: i8):
            x = 2.0
                ^^^ the decimal 2.0 where i8 data is expected; write 2
        """,
    "decimal_index": """\
        def f(x: f32[4]):
            x[1.5] = 0.0
              ^^^ the decimal 1.5 where an index (control) value is expected
        """,
    "untyped_decimals": """\
        def f(x: f32):
            if 1.0 < 2.0:
               ^^^^^^^^^ the type of these literals is not known
                pass
        """,
    "float_remainder": """\
        def f(x: f32):
            x = x % 2.0
                ^^^^^^^ `%` is defined on integers only
        """,
    "float_floor_division": """\
        def f(x: f32):
            x = x // 2.0
                ^^^^^^^^ `//` is defined on integers only, not on f32; write `/`
        """,
    "rank": """\
        def f(x: f32[4, 4]):
            x[0] = 0.0
            ^^^^^^^^^^ x has 2 dimensions, got 1 index
        """,
    "indexed_scalar": """\
        def f(x: f32, y: f32):
            y = x[0]
                ^^^^ x is a scalar and cannot be indexed
        """,
    "whole_buffer_as_value": """\
        def f(x: f32[4], y: f32):
            y = x + y
                ^ `+` needs elements, not a whole buffer; index it with 1 expression
        """,
    "written_size": """\
        def f(n: size):
            n = 3
            ^^^^^ n is a control value and cannot be written
        """,
    "written_iterator": """\
        def f(n: size):
            for i in seq(0, n):
                i += 1
                ^^^^^^ i is a control value and cannot be written
        """,
    "allocated_size": """\
        def f(n: size):
            m: size
            ^^^^^^^ only data can be allocated
        """,
    "allocated_window": """\
        def f(n: size):
            m: [f32][n]
            ^^^^^^^^^^^ a window cannot be allocated
        """,
    "buffer_of_control_values": """\
        def f(x: index[4]):
                 ^^^^^ index is a control type; buffers hold data
            pass
        """,
    "control_value_in_memory": """\
        def f(n: size @ DRAM):
              ^^^^^^^^^^^^^^ lives in no memory
            pass
        """,
    "data_assertion": """\
        def f(x: f32):
            assert x > 0.0
                   ^^^^^^^ an assertion must depend on control values only
            pass
        """,
    "data_check": """\
        def f(x: f32):
            check(x > 0.0)
                  ^^^^^^^ the condition of `check` must depend on control values only
        """,
    "number_as_condition": """\
        def f(n: size):
            if n:
               ^ the condition of `if` must be a truth value (bool), not an index
                pass
        """,
    "number_in_and": """\
        def f(n: size, b: bool):
            if b and n:
                     ^ `and` needs truth values
                pass
        """,
    "data_bound": """\
        def f(x: i32):
            for i in seq(0, x):
                            ^ a loop bound must be an index (control) value, not i32 data
                pass
        """,
    "negated_float_comparison": """\
        def f(x: f32):
            if not x < 1.0:
               ^^^^^^^^^^^ is not `>=` where a side is NaN
                pass
        """,
    "idx_in_a_bound": """\
        def f(x: i32):
            for i in seq(0, idx(x, 0, 4)):
                            ^^^^^^^^^^^^ `idx` may stand only in the indices of an access or under a cast
                pass
        """,
    "idx_in_a_condition": """\
        def f(x: i32):
            if idx(x, 0, 4) < 3:
               ^^^^^^^^^^^^ `idx` may stand only in the indices of an access or under a cast
                pass
        """,
    "stride_in_an_index": """\
        def f(x: f32[4]):
            x[stride(x, 0)] = 0.0
              ^^^^^^^^^^^^ `stride` may stand only in assertions
        """,
    "stride_of_a_missing_dimension": """\
        def f(x: f32[4]):
            assert stride(x, 1) == 1
                   ^^^^^^^^^^^^ x has no dimension 1; it has 1
            pass
        """,
    "extent_before_its_declaration": """\
        def f(x: f32[n], n: size):
                     ^ unknown name n
            pass
        """,
    "name_out_of_its_block": """\
        def f(n: size):
            if n > 1:
                t: f32
            t = 0.0
            ^ unknown name t
        """,
    "argument_count": """\
        def f(y: f32):
            reader(y)
            ^^^^^^^^^ reader(s, y) takes 2 arguments, got 1
        """,
    "argument_type": """\
        def f(y: f64):
            reader(1.0, y)
                        ^ argument y of reader must be f32 data, not f64 data
        """,
    "literal_for_a_written_argument": """\
        def f(y: f32):
            reader(y, 1.0)
                      ^^^ argument y of reader is written there
        """,
    "expression_argument": """\
        def f(y: f32):
            reader(y + 1.0, y)
                   ^^^^^^^ must be a scalar or an element; assign y + 1.0 to a scalar first
        """,
    "argument_rank": """\
        def f(x: f32[4, 4], d: f32[4], s: f32):
            callee(4, x, d, s, True)
                      ^ argument x of callee has 1 dimension, got 2
        """,
    "argument_element_type": """\
        def f(x: f64[4], d: f32[4], s: f32):
            callee(4, x, d, s, True)
                      ^ has elements of type f32, got f64
        """,
    "scalar_for_a_buffer": """\
        def f(x: f32[8], d: f32[4], s: f32):
            callee(4, s, d, s, True)
                      ^ must be a buffer or a window, not f32 data
        """,
    "number_for_a_truth_value": """\
        def f(x: f32[4], d: f32[4], s: f32):
            callee(4, x, d, s, 1)
                               ^ 1 is not of type bool
        """,
    "unknown_field": """\
        def f(n: size):
            Cfg.cols = n
            ^^^^^^^^^^^^ Cfg has no field 'cols'; its fields are rows
        """,
    "unknown_configuration": """\
        def f(n: size, x: f32[n]):
            x[Cgf.rows] = 0.0
              ^^^ did you mean Cfg?
        """,
    "extern_argument_count": """\
        def f(x: f32):
            x = sqrt(x, x)
                ^^^^^^^^^^ sqrt takes 1 argument, got 2
        """,
    "literals_of_unknown_type": """\
        def f(x: f32):
            x = pair(1.0, 2.0)
                ^^^^^^^^^^^^^^ the type of this literal is not known; write pair(f32(...), ...)
        """,
    "truth_value_as_data": """\
        def f(x: f32, b: bool):
            x = b
                ^ must be f32 data, not a truth value (bool)
        """,
    "point_window": """\
        def f(x: f32[4, 4], s: f32, d: f32[4]):
            callee(4, x[0, 0], d, s, True)
                      ^^^^^^^ must be a buffer or a window, not f32 data
        """,
    "huge_literal": """\
        def f(x: f32):
            x = 1e999999
                ^^^^^^^^ a literal may have at most 2000 digits
        """,
}


@pytest.mark.parametrize("name", PARSE_ERRORS)
def test_what_is_not_in_the_language_is_refused_at_its_place(name: str) -> None:
    assert_error(PARSE_ERRORS[name], ParseError)


@pytest.mark.parametrize("name", TYPE_ERRORS)
def test_what_is_ill_typed_is_refused_at_its_place(name: str) -> None:
    assert_error(TYPE_ERRORS[name], TypeError_)


def test_a_message_shows_the_line_and_a_caret() -> None:
    with pytest.raises(TypeError_) as caught:
        parse_source("def f(x: f32):\n    x = nothing", {}, file="<kernel>")
    assert str(caught.value).splitlines()[:3] == [
        "<kernel>:2:9: unknown name nothing",
        "    x = nothing",
        "        ^^^^^^^",
    ]


def test_columns_count_characters_and_not_bytes() -> None:
    with pytest.raises(TypeError_) as caught:
        parse_source("def f(é: f32):\n    é = é + ü")
    assert caught.value.span is not None
    assert (caught.value.span.column, caught.value.span.end_column) == (13, 14)


def test_two_formals_of_one_name_are_refused() -> None:
    with pytest.raises(TypeError_, match="two arguments of f are called x"):
        parse_source("def f(x: f32, x: f32):\n    pass")


@pytest.mark.parametrize("text", ["", "x = 1", "class A:\n    pass", "def f():\n    pass\ndef g():\n    pass"])
def test_a_text_that_is_not_one_procedure_is_refused(text: str) -> None:
    with pytest.raises(ParseError, match="procedure"):
        parse_source(text)


@pytest.mark.parametrize(
    ("decorator", "message"),
    [
        ("@inline", "expected @proc or @instr"),
        ("@instr()", "expected @proc or @instr"),
        ("@proc(fast=True)", "unknown option fast; known are aliasable"),
        ("@instr('f();', includes=words)", "includes must be a literal"),
        ("@instr('f({y});')", "y is not a formal"),
        ("@proc(aliasable=('n',))", "aliasable names 'n', which is not a data argument of f"),
    ],
)
def test_a_wrong_decorator_is_refused(decorator: str, message: str) -> None:
    with pytest.raises(UslError, match=re.escape(message)):
        parse_source(f"{decorator}\ndef f(n: size, x: f32):\n    pass", SCOPE)


def test_a_hopelessly_deep_expression_is_refused_without_a_traceback() -> None:
    with pytest.raises(ParseError, match=r"nested"):
        parse_source(f"def f(x: f32):\n    x = {'(x + ' * 300}x{')' * 300}")


def test_each_text_has_a_name_of_its_own_so_that_a_message_shows_its_own_line() -> None:
    first = proc_from_source("def f(x: f32[4]):\n    for i in seq(0, 4):\n        x[i] = 1.0\n")
    proc_from_source("def g(y: f32[9]):\n    for j in seq(0, 9):\n        y[j] = 2.0\n")
    with pytest.raises(UslError) as caught:
        cut_loop(first, "i", 7)
    assert "for i in seq(0, 4):" in str(caught.value) and "for j" not in str(caught.value)
