"""The programs with maps, with Python's dict."""

from __future__ import annotations

import sys

MASK = 2**64 - 1


def hash_numbers(n: int) -> int:
    """Keys that are set, looked up, and missed."""
    m, key, sum = {}, 1, 0
    for i in range(n):
        key = key * 6364136223846793005 + 1442695040888963407 & MASK
        m[key] = i
    key = 1
    for _ in range(n):
        key = key * 6364136223846793005 + 1442695040888963407 & MASK
        sum += m.get(key, 0) + m.get(key + 1, 1)
    return sum


def hash_words(n: int) -> int:
    """How often words come."""
    m: dict[str, int] = {}
    state = 1
    for _ in range(n):
        state = state * 6364136223846793005 + 1442695040888963407 & MASK
        word = f"word{state >> 40 & 65535}"
        m[word] = m.get(word, 0) + 1
    return len(m) + sum(often * often * len(word) for word, often in m.items())


print({"hash_numbers": hash_numbers, "hash_words": hash_words}[sys.argv[1]](int(sys.argv[2])))
