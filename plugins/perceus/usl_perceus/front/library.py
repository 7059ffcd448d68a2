"""What the language offers for strings beyond its primitives, written in the language.

The text is parsed when a program first uses it. Nothing in it raises: what may fail says so, and the caller raises at its own
place.
"""

from __future__ import annotations

import functools
from typing import Any

from usl_perceus.front.definitions import DataDef, FunDef, PrimDef
from usl_perceus.front.types import ARRAY, BOOL, F64, I64, STR, App, Rigid, Type

PRIMITIVES = {
    each.name: each
    for each in (
        PrimDef("byte", "str_get", (STR, I64), App("u8")),
        PrimDef("code_at", "str_code", (STR, I64), I64),
        PrimDef("cut", "str_slice", (STR, I64, I64), STR),
        PrimDef("find", "str_find", (STR, STR, I64), I64),
        PrimDef("character", "str_chr", (I64,), STR),
        PrimDef("read_float", "str_float", (STR,), F64),
        PrimDef("fixed", "str_fixed", (F64, I64, I64), STR),
        PrimDef("same", "str_eq", (STR, STR), BOOL),
    )
}
"""The primitives on strings, as the library names them."""

_ELEMENT = Rigid("T")
_ELEMENTS = App(ARRAY, (_ELEMENT,))


def _on_places(name: str, op: str, params: tuple[Type, ...], result: Type) -> PrimDef:
    return PrimDef(name, op, params, result, ("T",))


PLACES = {
    each.name: each
    for each in (
        _on_places("element", "array_get", (_ELEMENTS, I64), _ELEMENT),
        _on_places("put", "array_set", (_ELEMENTS, I64, _ELEMENT), _ELEMENTS),
        _on_places("owned", "array_own", (_ELEMENTS,), _ELEMENTS),
        _on_places("taken", "array_take", (_ELEMENTS, I64), _ELEMENT),
        _on_places("put_back", "array_put", (_ELEMENTS, I64, _ELEMENT), _ELEMENTS),
        _on_places("many", "array_make", (I64, _ELEMENT), _ELEMENTS),
        _on_places("none", "array_empty", (), _ELEMENTS),
        _on_places("vacate", "array_vacate", (_ELEMENTS, I64), _ELEMENTS),
    )
}
"""The primitives on arrays, as the standard library names them where it knows that their preconditions hold."""

STRINGS = """
@inline
@fun
def space(b: u8) -> bool:
    return b == 32 or (9 <= b and b <= 13) or (28 <= b and b <= 31)

@inline
@fun
def is_digit(b: u8) -> bool:
    return 48 <= b and b <= 57

@inline
@fun
def is_letter(b: u8) -> bool:
    return (97 <= b and b <= 122) or (65 <= b and b <= 90)

@fun
def stripped(s: borrowed[str], left: bool, right: bool) -> str:
    first, last = 0, len(s)
    while left and first < last and space(byte(s, first)):
        first += 1
    while right and first < last and space(byte(s, last - 1)):
        last -= 1
    return cut(s, first, last)

@fun
def strip(s: borrowed[str]) -> str:
    return stripped(s, True, True)

@fun
def lstrip(s: borrowed[str]) -> str:
    return stripped(s, True, False)

@fun
def rstrip(s: borrowed[str]) -> str:
    return stripped(s, False, True)

@fun
def startswith(s: borrowed[str], prefix: borrowed[str]) -> bool:
    return len(prefix) <= len(s) and at(s, prefix, 0)

@fun
def endswith(s: borrowed[str], suffix: borrowed[str]) -> bool:
    return len(suffix) <= len(s) and at(s, suffix, len(s) - len(suffix))

@fun
def at(s: borrowed[str], part: borrowed[str], start: i64) -> bool:
    for i in range(len(part)):
        if byte(s, start + i) != byte(part, i):
            return False
    return True

@fun
def contains(s: borrowed[str], part: borrowed[str]) -> bool:
    return find(s, part, 0) >= 0

@fun
def repeated(s: borrowed[str], times: i64) -> str:
    text = ""
    for i in range(times):
        text = text + s
    return text

@fun
def count(s: borrowed[str], part: borrowed[str]) -> i64:
    if len(part) == 0:
        return characters(s) + 1
    found = 0
    start = find(s, part, 0)
    while start >= 0:
        found += 1
        start = find(s, part, start + len(part))
    return found

@fun
def characters(s: borrowed[str]) -> i64:
    found = 0
    for i in range(len(s)):
        if byte(s, i) & 192 != 128:
            found += 1
    return found

@fun
def split(s: borrowed[str], separator: borrowed[str]) -> array[str]:
    parts = array(count(s, separator) + 1, "")
    start, i = 0, 0
    while True:
        end = find(s, separator, start)
        if end < 0:
            break
        parts = parts.set(i, cut(s, start, end))
        start, i = end + len(separator), i + 1
    return parts.set(i, cut(s, start, len(s)))

@fun
def words(s: borrowed[str]) -> array[str]:
    found = 0
    inside = False
    for i in range(len(s)):
        blank = space(byte(s, i))
        if inside == blank:
            inside = not blank
            if inside:
                found += 1
    parts = array(found, "")
    start, number = 0, 0
    inside = False
    for i in range(len(s)):
        blank = space(byte(s, i))
        if inside and blank:
            parts = parts.set(number, cut(s, start, i))
            number += 1
        if not inside and not blank:
            start = i
        inside = not blank
    return parts.set(number, cut(s, start, len(s))) if inside else parts

@fun
def replace(s: borrowed[str], old: borrowed[str], new: str) -> str:
    text = ""
    start = 0
    if len(old) == 0:
        for c in s:
            text = text + new + c
        return text + new
    while True:
        end = find(s, old, start)
        if end < 0:
            break
        text = text + cut(s, start, end) + new
        start = end + len(old)
    return text + cut(s, start, len(s))

@fun
def upper(s: borrowed[str]) -> str:
    text = ""
    for c in s:
        b = byte(c, 0)
        text = text + (character(i64(b) - 32) if 97 <= b and b <= 122 else c)
    return text

@fun
def lower(s: borrowed[str]) -> str:
    text = ""
    for c in s:
        b = byte(c, 0)
        text = text + (character(i64(b) + 32) if 65 <= b and b <= 90 else c)
    return text

@fun
def isdigit(s: borrowed[str]) -> bool:
    for i in range(len(s)):
        if not is_digit(byte(s, i)):
            return False
    return len(s) > 0

@fun
def isalpha(s: borrowed[str]) -> bool:
    for i in range(len(s)):
        if not is_letter(byte(s, i)):
            return False
    return len(s) > 0

@fun
def isalnum(s: borrowed[str]) -> bool:
    for i in range(len(s)):
        if not (is_letter(byte(s, i)) or is_digit(byte(s, i))):
            return False
    return len(s) > 0

@fun
def isspace(s: borrowed[str]) -> bool:
    for i in range(len(s)):
        if not space(byte(s, i)):
            return False
    return len(s) > 0

@fun
def read_int(s: borrowed[str]) -> tuple[bool, i64]:
    first, last = 0, len(s)
    while first < last and space(byte(s, first)):
        first += 1
    while first < last and space(byte(s, last - 1)):
        last -= 1
    negative = first < last and byte(s, first) == 45
    if first < last and (byte(s, first) == 45 or byte(s, first) == 43):
        first += 1
    value = 0
    digit = False
    for i in range(first, last):
        b = byte(s, i)
        if is_digit(b):
            d = i64(b) - 48
            if value < -922337203685477580 or (value == -922337203685477580 and d > 8):
                return False, 0
            value = value * 10 - d
            digit = True
        elif b == 95 and digit:
            digit = False
        else:
            return False, 0
    if value == -9223372036854775808 and not negative:
        return False, 0
    return digit, value if negative else -value

@fun
def digits_from(s: borrowed[str], i: i64) -> i64:
    while i < len(s) and is_digit(byte(s, i)):
        i += 1
    return i

@fun
def is_float(s: borrowed[str]) -> bool:
    i = 0
    if len(s) > 0 and (byte(s, 0) == 45 or byte(s, 0) == 43):
        i = 1
    word = lower(cut(s, i, len(s)))
    if same(word, "inf") or same(word, "infinity") or same(word, "nan"):
        return True
    after = digits_from(s, i)
    digits = after - i
    if after < len(s) and byte(s, after) == 46:
        i = after + 1
        after = digits_from(s, i)
        digits += after - i
    if digits == 0:
        return False
    if after < len(s) and (byte(s, after) == 101 or byte(s, after) == 69):
        i = after + 1
        if i < len(s) and (byte(s, i) == 45 or byte(s, i) == 43):
            i += 1
        after = digits_from(s, i)
        if after == i:
            return False
    return after == len(s)

@fun
def repeated(s: borrowed[str], times: i64) -> str:
    text = ""
    for i in range(times):
        text = text + cut(s, 0, len(s))
    return text

@fun
def padded(s: str, width: i64, fill: borrowed[str], align: i64) -> str:
    room = width - characters(s)
    if room <= 0:
        return s
    if align == 0:
        return s + repeated(fill, room)
    if align == 1:
        return repeated(fill, room) + s
    return repeated(fill, room // 2) + s + repeated(fill, room - room // 2)

@fun
def zeros(s: str, width: i64) -> str:
    room = width - len(s)
    if room <= 0:
        return s
    if len(s) > 0 and byte(s, 0) == 45:
        return "-" + repeated("0", room) + cut(s, 1, len(s))
    return repeated("0", room) + s

@fun
def digits(n: u64, base: u64, letters: i64) -> str:
    text = ""
    while True:
        d = i64(n % base)
        text = character(d + 48 if d < 10 else d - 10 + letters) + text
        n = n // base
        if n == 0:
            break
    return text

@fun
def based(negative: bool, n: u64, base: u64, letters: i64) -> str:
    return "-" + digits(n, base, letters) if negative else digits(n, base, letters)
"""

JOIN = """
@fun
def join(separator: borrowed[str], parts: borrowed[Parts]) -> str:
    text = ""
    first = True
    for part in parts:
        text = part if first else text + separator_of(separator) + part
        first = False
    return text

@inline
@fun
def separator_of(s: borrowed[str]) -> str:
    return cut(s, 0, len(s))
"""

METHODS: dict[str, tuple[int, ...]] = {
    **dict.fromkeys(("strip", "lstrip", "rstrip", "upper", "lower", "isdigit", "isalpha", "isalnum", "isspace"), (0,)),
    **dict.fromkeys(("startswith", "endswith", "count", "join"), (1,)),
    "split": (0, 1),
    "find": (1, 2),
    "replace": (2,),
}
"""The methods of strings with the numbers of arguments that they take."""


@functools.cache
def strings() -> dict[str, FunDef]:
    """The functions on strings by name; those that are methods are called `str.NAME` where a program is shown."""
    return _parsed(STRINGS, dict(PRIMITIVES))


def join_of(parts: DataDef | None) -> FunDef:
    """`separator.join(parts)` for parts in a list type, or in an array."""
    return _join_of(parts)


@functools.cache
def _join_of(parts: DataDef | None) -> FunDef:
    name = "array[str]" if parts is None else "List[str]" if parts.typevars else "List"
    return _parsed(JOIN, {**PRIMITIVES, "Parts": name, "List": parts})["join"]


def _parsed(text: str, scope: dict[str, Any]) -> dict[str, FunDef]:
    from usl_perceus.front.module import parse_program  # the reader of programs uses the modules that need these functions

    made = parse_program(text, "<strings>", scope)
    for name, fun in made.items():
        fun.name = f"str.{name}"
    return made
