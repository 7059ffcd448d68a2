"""Values of every kind of type inside every other: compiled programs give what the standard semantics says, memory safe."""

from __future__ import annotations

import pytest
from perceus_native import outcomes
from perceus_nested import DECLARATIONS, SCOPE, program
from perceus_semantics import standard
from test_perceus_c_random import require_flag

from usl_perceus.front.lower import lower
from usl_perceus.front.module import parse_program
from usl_perceus.passes import OPTIONAL, compile_program


def batch(seeds: range) -> tuple[list[str], str]:
    """The names of random programs, and the text of all."""
    names = [f"p{seed}_" for seed in seeds]
    return names, DECLARATIONS + "\n".join(program(seed, name) for seed, name in zip(seeds, names, strict=True))


@pytest.mark.parametrize(
    "flags",
    [
        ("-O0", "-DUSL_DEBUG"),
        ("-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"),
        ("-O1", "-fsanitize=thread"),
    ],
    ids=["debug", "asan-ubsan", "tsan"],
)
def test_nested_values_are_what_the_standard_semantics_says(flags, tmp_path):
    require_flag(tmp_path, *flags)
    names, text = batch(range(12))
    definitions = parse_program(text, "<random>", SCOPE)
    made = lower([definitions[name] for name in names]).program
    expected = [standard.plain(standard.run(made, name)) for name in names]
    off = () if "-O0" not in flags else tuple(sorted(OPTIONAL))
    flags = (*flags, "-Wall", "-Wextra", "-Werror")
    assert [value for value, _ in outcomes([compile_program(made, off=off)], tmp_path, flags)] == expected


def test_what_is_appended_to_an_empty_array_is_copied_from_nowhere(tmp_path):
    flags = ("-O1", "-fsanitize=undefined", "-fno-sanitize-recover=all")
    require_flag(tmp_path, *flags)
    text = "@fun\ndef main() -> i64:\n    a: array[i64] = []\n    b: array[str] = []\n"
    text += "    return len(a.append(3)) + len(b.append('x'))\n"
    made = lower([parse_program(text, "<program>")["main"]]).program
    assert [value for value, _ in outcomes([compile_program(made)], tmp_path, flags)] == [2]
