"""JSON (RFC 8259): a reader, a writer, and parts of what was read."""

from __future__ import annotations

from usl_perceus import data, exception, fbip, fun
from usl_perceus.std import lists, texts
from usl_perceus.std.lists import List
from usl_perceus.std.options import Option


@data
class Json:
    """A value of JSON; members keep their order."""

    Null: ()
    Truth: bool
    Number: f64
    Text: str
    Items: List["Json"]
    Members: List[tuple[str, "Json"]]


@exception
class NotJson:
    """The text is no JSON: from which position on, and what was wanted there."""

    position: i64
    wanted: str


@fun
def read(text: borrowed[str]) -> Json:
    """The value that all of the text is.

    Raises:
        NotJson: the text is none, from that position on.
    """
    found, after = _value(text, _space(text, 0))
    if after < len(text):
        raise NotJson(after, "the end")
    return found


@fun
def _byte(text: borrowed[str], i: i64) -> i64:
    """The code of the character at i, -1 at the end."""
    return ord(text[i]) if i < len(text) else -1


@fun
def _space(text: borrowed[str], i: i64) -> i64:
    """The first position from i on that is no white space."""
    c = _byte(text, i)
    return _space(text, i + 1) if c == 32 or c == 10 or c == 13 or c == 9 else i


@fun
def _word(text: borrowed[str], i: i64, word: borrowed[str]) -> i64:
    """The position of what follows a word that must stand at i."""
    if text[i : i + len(word)] != word:
        raise NotJson(i, "a value")
    return _space(text, i + len(word))


@fun
def _value(text: borrowed[str], i: i64) -> tuple[Json, i64]:
    """The value at i, and the position of what follows."""
    match _byte(text, i):
        case 123:
            after = _space(text, i + 1)
            if _byte(text, after) == 125:
                return Members(Nil), _space(text, after + 1)
            return _members(text, after, Nil)
        case 91:
            after = _space(text, i + 1)
            if _byte(text, after) == 93:
                return Items(Nil), _space(text, after + 1)
            return _items(text, after, Nil)
        case 34:
            string, after = _string(text, i + 1)
            return Text(string), after
        case 116:
            return Truth(True), _word(text, i, "true")
        case 102:
            return Truth(False), _word(text, i, "false")
        case 110:
            return Null, _word(text, i, "null")
        case _:
            return _number(text, i)


@fun
def _items(text: borrowed[str], i: i64, before: List[Json]) -> tuple[Json, i64]:
    item, after = _value(text, i)
    match _byte(text, after):
        case 44:
            return _items(text, _space(text, after + 1), Cons(item, before))
        case 93:
            return Items(lists.reverse(Cons(item, before))), _space(text, after + 1)
        case _:
            raise NotJson(after, "a comma or ]")


@fun
def _members(text: borrowed[str], i: i64, before: List[tuple[str, Json]]) -> tuple[Json, i64]:
    if _byte(text, i) != 34:
        raise NotJson(i, "the name of a member")
    name, colon = _string(text, i + 1)
    if _byte(text, colon) != 58:
        raise NotJson(colon, "a colon")
    value, after = _value(text, _space(text, colon + 1))
    match _byte(text, after):
        case 44:
            return _members(text, _space(text, after + 1), Cons((name, value), before))
        case 125:
            return Members(lists.reverse(Cons((name, value), before))), _space(text, after + 1)
        case _:
            raise NotJson(after, "a comma or }")


# -- numbers


@fun
def _digits(text: borrowed[str], i: i64) -> i64:
    """The position of what follows at least one digit."""
    if not _is_digit(_byte(text, i)):
        raise NotJson(i, "a digit")
    i += 1
    while _is_digit(_byte(text, i)):
        i += 1
    return i


@fbip
@fun
def _is_digit(c: i64) -> bool:
    return 48 <= c <= 57


@fun
def _number(text: borrowed[str], start: i64) -> tuple[Json, i64]:
    first = start + 1 if _byte(text, start) == 45 else start
    if not _is_digit(_byte(text, first)):
        raise NotJson(start, "a value")
    end = first + 1 if _byte(text, first) == 48 else _digits(text, first)
    if _byte(text, end) == 46:
        end = _digits(text, end + 1)
    c = _byte(text, end)
    if c == 69 or c == 101:
        sign = _byte(text, end + 1)
        end = _digits(text, end + 2 if sign == 43 or sign == 45 else end + 1)
    return Number(float(text[start:end])), _space(text, end)


# -- strings


@fun
def _string(text: borrowed[str], i: i64) -> tuple[str, i64]:
    """The string whose quote is before i, and the position of what follows."""
    built, start = "", i
    while True:
        c = _byte(text, i)
        if c == 34:
            return built + text[start:i], _space(text, i + 1)
        if c < 32:
            raise NotJson(i, "the end of a string")
        if c == 92:
            piece, after = _escape(text, i + 1)
            built = built + text[start:i] + piece
            i, start = after, after
        else:
            i += 1


@fun
def _escape(text: borrowed[str], i: i64) -> tuple[str, i64]:
    """What follows a backslash, and the position behind it."""
    match _byte(text, i):
        case 34:
            return '"', i + 1
        case 92:
            return "\\", i + 1
        case 47:
            return "/", i + 1
        case 98:
            return chr(8), i + 1
        case 102:
            return chr(12), i + 1
        case 110:
            return "\n", i + 1
        case 114:
            return "\r", i + 1
        case 116:
            return "\t", i + 1
        case 117:
            code = _hexadecimal(text, i + 1, 4, 0)
            if 0xD800 <= code < 0xDC00 and _byte(text, i + 5) == 92 and _byte(text, i + 6) == 117:
                low = _hexadecimal(text, i + 7, 4, 0)
                if 0xDC00 <= low < 0xE000:
                    return chr(0x10000 + (code - 0xD800) * 1024 + low - 0xDC00), i + 11
            return chr(0xFFFD if 0xD800 <= code < 0xE000 else code), i + 5
        case _:
            raise NotJson(i, "what may follow a backslash")


@fun
def _hexadecimal(text: borrowed[str], i: i64, count: i64, above: i64) -> i64:
    if count == 0:
        return above
    c = _byte(text, i)
    if _is_digit(c):
        digit = c - 48
    elif 97 <= c <= 102:
        digit = c - 87
    elif 65 <= c <= 70:
        digit = c - 55
    else:
        raise NotJson(i, "a hexadecimal digit")
    return _hexadecimal(text, i + 1, count - 1, 16 * above + digit)


# -- writing


@fun
def write(json: borrowed[Json]) -> str:
    """The text of a value, without white space. What is no number in JSON (NaN, the infinities) is null."""
    return _onto("", json)


@fun
def _onto(built: str, json: borrowed[Json]) -> str:
    match json:
        case Null():
            return built + "null"
        case Truth(value):
            return built + ("true" if value else "false")
        case Number(x):
            return built + (_shown(x) if x - x == 0.0 else "null")
        case Text(string):
            return _quoted_onto(built, string)
        case Items(items):
            return _items_onto(built + "[", items, True) + "]"
        case Members(members):
            return _members_onto(built + "{", members, True) + "}"


@fun
def _shown(x: f64) -> str:
    """Whole numbers without a fraction."""
    return str(i64(x)) if x == floor(x) and abs(x) < 1e15 else str(x)


@fun
def _items_onto(built: str, items: borrowed[List[Json]], is_first: bool) -> str:
    match items:
        case Nil():
            return built
        case Cons(item, rest):
            return _items_onto(_onto(built if is_first else built + ",", item), rest, False)


@fun
def _members_onto(built: str, members: borrowed[List[tuple[str, Json]]], is_first: bool) -> str:
    match members:
        case Nil():
            return built
        case Cons((name, value), rest):
            head = _quoted_onto(built if is_first else built + ",", name) + ":"
            return _members_onto(_onto(head, value), rest, False)


@fun
def _quoted_onto(built: str, string: borrowed[str]) -> str:
    built = built + '"'
    start, i = 0, 0
    while i < len(string):
        c = ord(string[i])
        if c == 34 or c == 92 or c < 32:
            built = built + string[start:i] + _escaped(c)
            start = i + 1
        i += 1
    return built + string[start:] + '"'


@fun
def _escaped(c: i64) -> str:
    match c:
        case 34:
            return '\\"'
        case 92:
            return "\\\\"
        case 10:
            return "\\n"
        case 13:
            return "\\r"
        case 9:
            return "\\t"
        case _:
            return f"\\u{c:04x}"


# -- parts


@fun
def member(json: borrowed[Json], name: borrowed[str]) -> Json:
    """The member of that name; Null if there is none."""
    match json:
        case Members(members):
            return _member(members, name)
        case _:
            return Null


@fun
def _member(members: borrowed[List[tuple[str, Json]]], name: borrowed[str]) -> Json:
    match members:
        case Nil():
            return Null
        case Cons((other, value), rest):
            return value if name == other else _member(rest, name)


@fun
def item(json: borrowed[Json], i: i64) -> Json:
    """Item i; Null if there is none."""
    match json:
        case Items(items):
            return lists.at(items, i, Null)
        case _:
            return Null


@fun
def number(json: borrowed[Json]) -> Option[f64]:
    """The number that the value is, if it is one."""
    match json:
        case Number(x):
            return Some(x)
        case _:
            return Nothing


@fun
def string(json: borrowed[Json]) -> Option[str]:
    """The string that the value is, if it is one."""
    match json:
        case Text(text):
            return Some(text)
        case _:
            return Nothing
