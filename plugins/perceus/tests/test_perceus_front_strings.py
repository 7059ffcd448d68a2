"""Strings: what their operations give is what Python gives where a character is a byte; elsewhere positions count bytes."""

from __future__ import annotations

import contextlib
from textwrap import dedent

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from perceus_front import program, run
from perceus_semantics import standard

from usl_perceus import PerceusError, data, fun, live_blocks
from usl_perceus.front.lower import lower
from usl_perceus.front.module import parse_program

# ruff: noqa: F821

EXPRESSIONS = {
    "slice": "s[i:j]",
    "head": "s[:j]",
    "tail": "s[i:]",
    "find": "str(s.find(t)) + str(s.find(t, abs(i)))",
    "occurs": "str(t in s) + str(t not in s)",
    "edges": "str(s.startswith(t)) + str(s.endswith(t)) + str(s.count(t))",
    "strip": "s.strip() + '|' + s.lstrip() + '|' + s.rstrip()",
    "case": "s.upper() + s.lower()",
    "kinds": "str(s.isdigit()) + str(s.isalpha()) + str(s.isalnum()) + str(s.isspace())",
    "replace": "s.replace(t, '<>')",
    "words": "'/'.join(s.split())",
    "parts": "'/'.join(s.split(t))",
    "at": "s[i] + str(ord(s[i]))",
    "integer": "str(int(s))",
    "number": "str(float(s))",
    "formats": "f'{i:5d}|{i:<5d}|{i:^7}|{i:05d}|{i:x}|{j:X}|{i:b}|{j:o}|{s:>6}|{s:*^7}|{s:-<4s}'",
    "floats": "f'{x:.3f}|{x:10.2e}|{x:g}|{x:08.1f}|{i:.2f}|{x:>12}'",
    "code": "chr(ord(t) + 1)",
    "repeated": "s * i + '-' * j",
}
TEXT = "".join(
    f"@fun\ndef {name}(s: str, t: str, i: i64, j: i64, x: f64) -> str:\n    return {expression}\n\n"
    for name, expression in EXPRESSIONS.items()
)
LETTERS = st.text(alphabet="aab b\t1-.Zé", max_size=7)


def by_python(name: str, arguments: tuple[object, ...]) -> object:
    if "python" not in _made:
        names: dict[str, object] = {"fun": lambda function: function}
        exec("from __future__ import annotations\n" + TEXT, names)
        _made["python"] = names
    try:
        return _made["python"][name](*arguments)  # type: ignore[operator]
    except (ValueError, IndexError) as error:
        return ("raise", (type(error).__name__,))
    except TypeError:  # ord of several characters
        return ("raise", ("ValueError",))


_made: dict[str, object] = {}


def made():
    if "program" not in _made:
        _made["program"] = program(TEXT)
    return _made["program"]


@given(
    st.sampled_from(sorted(EXPRESSIONS)),
    LETTERS.map(lambda s: s.replace("é", "e")),
    LETTERS.map(lambda s: s.replace("é", "")[:2]),
    st.integers(-9, 9),
    st.integers(-9, 9),
    st.floats(-1e6, 1e6),
)
@example("integer", " -9223372036854775808\n", "", 0, 0, 0.0)
@example("integer", "9223372036854775808", "", 0, 0, 0.0)
@example("integer", "1_0", "", 0, 0, 0.0)
@example("integer", "1__0", "", 0, 0, 0.0)
@example("integer", "_1", "", 0, 0, 0.0)
@example("number", " -.5e-3 ", "", 0, 0, 0.0)
@example("number", "1e", "", 0, 0, 0.0)
@example("number", "-Infinity", "", 0, 0, 0.0)
def test_operations_on_ascii_give_what_python_gives(name, s, t, i, j, x):
    expected = by_python(name, (s, t, i, j, x))
    if name == "integer" and isinstance(expected, str) and not -(1 << 63) <= int(expected) < 1 << 63:
        expected = ("raise", ("ValueError",))
    assert run(made(), name, s, t, i, j, x) == expected


@fun
def both(s: str, i: i64, j: i64) -> tuple[str, str, str, i64, array[str], str]:
    codes = 0
    back = ""
    for c in s:
        codes = (codes * 31 + ord(c)) % 1000003
        back = c + back
    some = s[i] if i >= 0 and i < len(s) else ""
    return s[i:j], back, some, codes, s.split("b"), "+".join(s.split("b"))


@data
class Words:
    End: ()
    Word: (str, Words)


@fun
def joined(words: Words) -> str:
    return ", ".join(words)


@fun
def numbers(s: str, x: f64) -> tuple[i64, f64, str]:
    return int(s), float(s), f"{x:.3f} {x:e} {int(x):08x}"


@pytest.mark.parametrize("text", ["", "abc", "aébc€d𝄞b", "b\udc80b\udcffé", "bb", "zażółć gęślą jaźń"])
def test_compiled_strings_are_cut_between_characters_only(text):
    before = live_blocks()
    core = lower([both.__usl_definition__]).program
    raw = text.encode("utf-8", "surrogateescape")
    for i, j in ((0, 2), (1, 4), (-3, 99), (5, 2), (3, -1)):
        part, back, some, codes, parts, again = both(text, i, j)
        assert back == text[::-1]
        assert again.split("+") == list(parts) == text.split("b")
        assert part in text
        reference = standard.plain(standard.run(core, "both", (raw, i, j)))
        values = [each.decode("utf-8", "surrogateescape") if isinstance(each, bytes) else each for each in reference[1:4]]
        assert [part, back, some] == values
        assert codes == reference[4]
    assert live_blocks() == before


def test_compiled_texts_of_numbers():
    before = live_blocks()
    assert numbers("42", 2.5) == (42, 42.0, "2.500 2.500000e+00 00000002")
    with pytest.raises(ValueError, match="the text is no integer of 64 bits"):
        numbers("4.2", 2.5)
    assert joined(Words.Word("a", Words.Word("b", Words.End()))) == "a, b"
    with contextlib.suppress(ValueError):
        numbers("x", 0.0)
    assert live_blocks() == before


def test_characters_of_the_alphabet_allocate_nothing_when_they_are_taken_out():
    text = program("""
        @fun
        def vowels(s: borrowed[str]) -> i64:
            found = 0
            for c in s:
                if c in "aeiou":
                    found += 1
            return found

        @fun
        def f(s: str) -> i64:
            return vowels(s) * 100 + vowels(s)
    """)
    assert run(text, "f", "education") == 505


WRONG = {
    "method": ("return s.stirp()", "E711", "unknown method of str stirp; did you mean strip?"),
    "count": ("return s.replace('a')", "E713", "replace takes 2 arguments, 1 given"),
    "in": (
        "return 'a' in [s]",
        "E723",
        "in looks into strings, and data types whose module has contains, not into a value of type array[str]",
    ),
    "step": ("return s[::2]", "E710", "a slice is not in the functional language"),
    "format": ("return f'{s:,}'", "E710", "the format , is not in the functional language"),
    "kind": ("return f'{s:.2f}'", "E723", "the format .2f is one of numbers, not str"),
    "conversion": ("return f'{s!r}'", "E710", "conversions such as !r are not in the functional language"),
    "changing": ("s[0] = 'a'\n    return s", "E710", "arrays are values: an element cannot be assigned"),
    "array": ("return ''.join([1, 2])", "E712", "expected array[str], found array[a number]"),
    "borrowed": ("return s", "E719", "s is borrowed: it cannot be returned"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_said_of_a_wrong_use_of_strings(name):
    body, code, message = WRONG[name]
    text = f"@fun\ndef g(s: {'borrowed[str]' if name == 'borrowed' else 'str'}) -> str:\n    {body}\n"
    with pytest.raises(PerceusError) as caught:
        lower([parse_program(dedent(text))["g"]])
    assert (caught.value.code, caught.value.message) == (code, message)
