"""The operations and exceptions of the language itself.

print(a, ...)        writes numbers, truth values and strings, with spaces between them and a line end
str(a)  repr(a)      a as a string, repr as it is shown within others
len(a)               the length of an array or string (bytes)
s[i]  s[i:j]  a in s  the character of byte i, a part, whether a occurs; ord(s), chr(n), int(s), float(s); methods: library.py
i64(a), u8(a), ...   the number a as another type: integers wrap around, floats are cut and saturate (NaN gives 0)
hash(a)              a u64, the same for equal values
abs(a) min(a, b, ..) of numbers;  max;  min and max of strings, too;  pow(a, b) is a ** b
sqrt(a), exp(a), ... of a float (MATH): they never raise, and what is not defined is NaN
array(n, a)          an array of n times a;  [a, b] lists the elements;  a[i];  a.set(i, b) is a with one element changed
a.modify(i, f)       a with f(a[i]) for a[i];  a.swap(i, b), a.take(i): the changed array and the old element (`updates.py`)
ref(a)               a mutable cell;  r.value reads it;  r.value = b writes it;  r.modify(f), r.swap(b), r.take()
spawn(f, a, ...)     f(a, ...) in a thread of its own;  join(t) waits for its result, or raises what it raised
must_reuse(C(a))     C(a), and compilation fails unless it is built in the memory of a matched value
"""

from __future__ import annotations

from typing import TypeGuard

from usl_core.errors import NOWHERE
from usl_perceus.front import syntax as sx
from usl_perceus.front.definitions import ConDef, DataDef, ExceptionDef, Scope
from usl_perceus.front.types import FLOATS, INTEGERS, App, Rigid


def exception(python: type[BaseException]) -> ExceptionDef:
    """An exception of the language itself, which is this one in Python."""
    syntax = sx.ConstructorSyntax(python.__name__, (), span=NOWHERE)
    return ExceptionDef(python.__name__, syntax, Scope({}), python, ())


ZERO_DIVISION = exception(ZeroDivisionError)
"""`a // 0` and `a % 0`"""
INDEX = exception(IndexError)
"""An index that is negative or not below the length, and an array of negative length."""

KEY = exception(KeyError)
"""A key that a hash map does not have."""
NO_KEY = "the key is missing"

VALUE = exception(ValueError)
"""A kernel is called with sizes, lengths or values that it does not allow."""


class PythonRaised(Exception):
    """What a function of Python has raised: the number that it is kept under."""


PYTHON = ExceptionDef(
    "PythonRaised", sx.ConstructorSyntax("PythonRaised", (), span=NOWHERE), Scope({}), PythonRaised, (App("i64"),)
)
"""An exception of a function of Python, on its way through the program."""

EXCEPTIONS = {each.name: each for each in (ZERO_DIVISION, INDEX, KEY, VALUE)}


def _ended() -> DataDef:
    fell, gone = (sx.ConstructorSyntax(name, (), span=NOWHERE) for name in (FELL, GONE))
    syntax = sx.DataSyntax("ended", ("A", "B"), (fell, gone), span=NOWHERE)
    data = DataDef("ended", syntax.typevars, syntax, Scope({}))
    data.constructors = (
        ConDef(FELL, data, 0, (Rigid("A"),), NOWHERE),
        ConDef(GONE, data, 1, (Rigid("B"),), NOWHERE),
    )
    return data


FELL, GONE = ".Fell", ".Gone"
"""How the body of a `try` ends that returns on some paths only: at its end, with its variables, or by `return`."""
ENDED = _ended()
ENDINGS = {con.name: con for con in ENDED.constructors or ()}

SLICE = ".slice"
"""The function that `s[i:j]` calls."""

CONVERSIONS = frozenset({*INTEGERS, *FLOATS})
"""Names of types that are also functions on numbers."""

MATH = {
    **dict.fromkeys(("sqrt", "exp", "log", "log2", "log10", "sin", "cos", "tan", "asin", "acos", "atan"), 1),
    **dict.fromkeys(("sinh", "cosh", "tanh", "floor", "ceil", "trunc", "round"), 1),
    **dict.fromkeys(("atan2", "hypot"), 2),
}
"""Functions of floats, whose result is one of the same type, with the number of their arguments."""

_OTHERS = (
    "print",
    "str",
    ".str",
    "repr",
    ".range",
    SLICE,
    ".in",
    ".format",
    "int",
    "float",
    "ord",
    "chr",
    "len",
    "hash",
    "abs",
    "min",
    "max",
    "pow",
    "array",
    "ref",
    ".ref",
    "spawn",
    "join",
    "must_reuse",
)
FUNCTIONS = frozenset({*_OTHERS, *MATH, *CONVERSIONS})


def is_part(node: sx.Expr) -> TypeGuard[sx.Call]:
    """Whether it is `x[i:j]`."""
    return isinstance(node, sx.Call) and isinstance(node.function, sx.Name) and node.function.name == SLICE
