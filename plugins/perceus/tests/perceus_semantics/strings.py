"""Strings as the primitives see them: bytes in UTF-8, which a program can hold with mistakes in it.

A character is a well-formed sequence of bytes, or a single byte that belongs to none. The C runtime does the same (`usl_rt.c`).
"""

from __future__ import annotations

import sys

from usl_perceus.scalars import hashed as hashed_number


def character_length(text: bytes, at: int) -> int:
    """The number of bytes of the character that begins at a position."""
    first = text[at]
    length = 2 if 0xC2 <= first <= 0xDF else 3 if 0xE0 <= first <= 0xEF else 4 if 0xF0 <= first <= 0xF4 else 1
    rest = text[at + 1 : at + length]
    return length if len(rest) == length - 1 and all(byte & 0xC0 == 0x80 for byte in rest) else 1


def character_start(text: bytes, at: int) -> int:
    """Where the character of the byte at a position begins."""
    if at >= len(text) or text[at] & 0xC0 != 0x80:
        return at
    for back in range(1, min(at, 3) + 1):
        if text[at - back] & 0xC0 != 0x80:
            return at - back if character_length(text, at - back) > back else at
    return at


def character(text: bytes, at: int) -> bytes:
    """The character of the byte at a position."""
    start = character_start(text, at)
    return text[start : start + character_length(text, start)]


def code(text: bytes, at: int) -> int:
    """Its code point; of a byte that belongs to no character that of Python's `surrogateescape`."""
    found = character(text, at)
    if len(found) == 1:
        return found[0] if found[0] < 0x80 else 0xDC00 + found[0]
    value = found[0] & (0x7F >> len(found))
    for byte in found[1:]:
        value = value << 6 | byte & 0x3F
    return value


def cut(text: bytes, start: int, end: int) -> bytes:
    """`text[start:end]` as Python counts, each moved back to the beginning of its character."""
    first, last = (character_start(text, _clamped(text, at)) for at in (start, end))
    return text[first:last]


def find(text: bytes, part: bytes, start: int) -> int:
    """The first position from start on where part is, or -1."""
    return text.find(part, start)


def of_code(code: int) -> bytes:
    """The character of a code point."""
    return chr(code).encode("utf-8", "surrogatepass")


def hashed(hash: int, text: bytes) -> int:
    """hash mixed with a string, as `usl_rt.c` does it."""
    for at in range(0, len(text), 8):
        word = int.from_bytes(text[at : at + 8].ljust(8, b"\0"), sys.byteorder)
        hash = (hash ^ word) * 0x9E3779B97F4A7C15 % 2**64
        hash ^= hash >> 32
    return hashed_number(hash, len(text))


def fixed(value: float, precision: int, kind: int) -> bytes:
    """A float as `%.{precision}{kind}` writes it."""
    return format(value, f".{precision}{chr(kind)}").encode()


def _clamped(text: bytes, at: int) -> int:
    return min(max(at + len(text) if at < 0 else at, 0), len(text))
