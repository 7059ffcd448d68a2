"""The standard library against Python's own types; what it promises, and what docs/perceus.md says of it."""

from __future__ import annotations

import gc
import importlib
import json
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import programs_std as programs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from perceus_runs import with_main
from perceus_semantics import heap

import usl_perceus.std
from usl_perceus import live_blocks
from usl_perceus.decorators import Function
from usl_perceus.passes import compile_program
from usl_perceus.std.json import NotJson

MANUAL = Path(__file__).parents[3] / "docs" / "perceus.md"
MODULES = [each.name for each in pkgutil.iter_modules(usl_perceus.std.__path__)]
numbers = st.lists(st.integers(0, 40), max_size=60)


@pytest.fixture(scope="module", autouse=True)
def _nothing_left() -> Iterator[None]:
    gc.collect()
    before = live_blocks()
    yield
    gc.collect()
    assert live_blocks() == before


def plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(plain, value))
    return value.tolist() if isinstance(value, np.ndarray) else value


def array(values: list[int]) -> np.ndarray:
    return np.array(values, np.int64)


@settings(max_examples=30)
@given(numbers, numbers, st.integers(0, 9))
def test_lists(a, b, n):
    parts = (
        a + b,
        a[::-1],
        [*b[:n], -1, *b[n:]],
        [*[x for x in a if x < n], -1, *[x for x in a if x >= n]],
        [3 * x for x in a if x % 2 == 0],
        [x * y for x, y in zip(a, b, strict=False)],
    )
    assert plain(programs.list_parts(array(a), array(b), n)) == parts
    sum = 0
    for x in a:
        sum = (3 * sum + x + 2**63) % 2**64 - 2**63
    looks = (len(a), not a, n in a, any(x > n for x in a), all(x > n for x in a), a[n] if n < len(a) else -7)
    assert programs.list_looks(array(a), n) == (*looks, next((x for x in a if x > n), -7), sum)


def test_options():
    assert programs.option_parts(4) == (True, 4, 5, -1, -4)
    assert programs.option_parts(6) == (True, 6, 7, 6, -6)
    assert programs.option_parts(3) == (False, -1, -1, -1, 5)


def listed(values: list[Any]) -> str:
    """As a program shows a list."""
    text = "Nil"
    for value in reversed(values):
        text = f"Cons({value}, {text})"
    return text


def flat(model: dict[int, int]) -> list[int]:
    return [each for key in sorted(model, reverse=True) for each in (model[key], key)]


@settings(max_examples=60)
@given(st.lists(st.integers(0, 200), max_size=90), numbers, st.integers(0, 9))
def test_maps(keys, gone, n):
    model = {key // 3: key for key in keys}
    less = {k: v for k, v in model.items() if k not in {key // 3 for key in gone}}
    even = {k: v for k, v in model.items() if k % 2 == n % 2}
    other = {k: v - k + 100 * (k == n // 3) for k, v in model.items()}
    changed = (flat(model), flat(less), flat(even), flat(other), True)
    assert plain(programs.map_changes(array(keys), array(gone), n)) == changed
    ordered = sorted(model.items())
    k, v = ordered[n] if n < len(ordered) else (-1, 7)
    smallest = f"Some({ordered[0]})" if ordered else "Nothing"
    rank = sum(key < n for key in model)
    looks = (len(model), n in model, model.get(n, -7), model.get(n, -7), rank, k * v, smallest, len(model))
    assert programs.map_looks(array(keys), n) == looks
    folded: dict[int, int] = {}
    for key in keys:
        folded[key // 3] = (2 * folded.get(key // 3, 1) + key + 2**63) % 2**64 - 2**63
    *texts, found = programs.map_more(array(keys), n)
    pairs = sorted(folded.items())
    assert texts == [listed(parts) for parts in ([k for k, _ in pairs], [v for _, v in pairs], pairs)]
    assert found == (-1 if n not in folded else folded[n] if folded[n] >= 0 else -2)


@settings(max_examples=30)
@given(numbers, numbers, st.integers(0, 40))
def test_sets(a, b, x):
    s, t = set(a), set(b)
    total = 0
    for y in sorted(s):
        total = (3 * total + y + 2**63) % 2**64 - 2**63
    sets = (sorted(s | t), sorted(s & t), sorted(s - t), sorted((s | {x + 1}) - {x}))
    assert plain(programs.set_parts(array(a), array(b), x)) == (*sets, (len(s), x in s, total, True))


@given(st.lists(st.integers(-1, 9), max_size=40))
def test_queues(steps):
    queue: list[int] = []
    out, size = [], 0
    for step in steps:
        if step < 0:
            out.append(queue.pop(0) if queue else -1)
        else:
            queue.append(step)
        size += len(queue)
    assert plain(programs.through_queue(array(steps))) == (out, queue, size)


@given(numbers)
def test_sorting(a):
    by_quarter = sorted(a, key=lambda x: -(x // 4))
    assert plain(programs.sorted_ways(array(a))) == (sorted(a), by_quarter, sorted(a), a == sorted(a))


@given(st.text(st.sampled_from("a\nb"), max_size=9), st.integers(0, 4))
def test_texts(text, n):
    assert programs.in_texts(text, n) == (
        text * n,
        "|".join(text.split("\n")[: -1 if text.endswith("\n") or not text else None]),
    )


letters = st.text(st.characters(codec="utf-8"))
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**14), 10**14) | st.floats(allow_nan=False, allow_infinity=False) | letters,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(letters, inner, max_size=4),
    max_leaves=20,
)


@given(values, st.booleans(), st.sampled_from([None, 1]))
def test_json_reads_what_python_writes_and_python_reads_what_it_writes(value, ascii, indent):
    text = json.dumps(value, ensure_ascii=ascii, indent=indent)
    assert json.loads(programs.again(text)) == json.loads(text)


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("", 0),
        ("[1,]", 3),
        ("[1 2]", 3),
        ('{"a" 1}', 5),
        ("{1:2}", 1),
        ('"a', 2),
        ('"\\x"', 2),
        ("01", 1),
        ("1.", 2),
        ("tru", 0),
        ("1e", 2),
        ("-", 0),
        ('"\\u12g4"', 5),
        ("nullx", 4),
        ("[", 1),
        ('"\n"', 1),
    ],
)
def test_what_is_no_json_is_refused_with_the_place(text, position):
    with pytest.raises(NotJson) as caught:
        programs.again(text)
    assert caught.value.args[0] == position


def test_parts_of_json():
    assert programs.path('{"b": 0, "a": [1, "x"]}', "a", 0) == (1.0, "none")
    assert programs.path('{"b": 0, "a": [1, "x"]}', "a", 1) == (-1.0, "x")
    assert programs.path('{"b": 0, "a": [1, "x"]}', "c", 1) == (-1.0, "none")


def test_elements_whose_comparison_recurses():
    text = "DotEntry(2, Empty, Dot, 12, Entry(1, Empty, Group(Dot, Dot), 1, Empty))"
    assert programs.with_recursive_keys(3) == (1 + 1, True, True, True, text)


# ---- allocation


def allocated(function: Function, *args: int) -> int:
    lowered, stats = function.core(), heap.Stats()
    program = with_main(lowered.program, next(iter(lowered.exports.values())), *args)
    heap.run(compile_program(program), "main", stats=stats)
    return stats.allocated


@pytest.mark.parametrize("n", [0, 5, 30])
def test_a_map_takes_one_block_for_a_new_key_and_none_for_a_known_one(n):
    known = allocated(programs.inserted, n, n) if n else None
    assert allocated(programs.inserted, n, n + 1) == n + 1
    assert known in (n, None)


def test_a_queue_takes_one_block_for_each_element():
    assert allocated(programs.pushed, 4) == allocated(programs.unpushed, 4) + 1


def functions(module: str) -> dict[str, Function]:
    found = vars(importlib.import_module(f"usl_perceus.std.{module}"))
    return {
        name: each
        for name, each in found.items()
        if isinstance(each, Function) and each.__usl_definition__.span.file == found["__file__"] and not name.startswith("_")
    }


@pytest.mark.parametrize("module", MODULES)
def test_the_manual_lists_each_function_with_its_promise(module):
    text = MANUAL.read_text(encoding="utf-8")
    (row,) = [line for line in text.splitlines() if line.startswith(f"| `std.{module}` |")]
    _, _, fbip, no_alloc, other, _ = row.split("|")
    for name, function in functions(module).items():
        definition = function.__usl_definition__
        place = fbip if definition.fbip else no_alloc if definition.no_alloc else other
        assert f"`{name}`" in place, f"{module}.{name}"
    listed = sum(cell.count("`") // 2 for cell in (fbip, no_alloc, other))
    assert listed == len(functions(module))
