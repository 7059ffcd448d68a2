"""Hash maps and sets of the standard library against Python's dict and set; hashes; methods of data types."""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator

import numpy as np
import programs_hashmaps as programs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from perceus_front import program
from perceus_semantics import standard, strings
from test_perceus_std import allocated, array, plain

from usl_perceus import live_blocks
from usl_perceus.errors import PerceusError
from usl_perceus.scalars import hashed
from usl_perceus.std import hashmaps
from usl_perceus.std.hashmaps import HashMap

numbers = st.lists(st.integers(-20, 40), max_size=60)


@pytest.fixture(scope="module", autouse=True)
def _nothing_left() -> Iterator[None]:
    gc.collect()
    before = live_blocks()
    yield
    gc.collect()
    assert live_blocks() == before


# ---- what maps hold


def after(m: dict[int, str], op: int, key: int) -> dict[int, str]:
    """What `programs.changed` does, to a dict."""
    m = dict(m)
    match op:
        case 0:
            m[key] = str(op + key)
        case 1:
            m.pop(key, None)
        case 2 if key in m:
            m[key] += "!"
        case 3:
            m[key] = m.get(key, "new") + "?"
        case 4:
            m = {k: v for k, v in m.items() if (k + key) % 3 > 0}
        case 5:
            m = {k: v + str(key) for k, v in m.items()}
        case 6:
            m[-key] = m.get(key, "none")
    return m


steps = st.tuples(st.sampled_from([0] * 9 + [1] * 5 + [2, 3, 3, 4, 5, 6]), st.integers(-9, 30))


@settings(max_examples=80)
@given(st.lists(steps, max_size=120), st.integers(0, 60))
def test_any_changes_in_any_order_and_an_older_version_stays_what_it_was(changes, kept):
    m: dict[int, str] = {}
    early: dict[int, str] = {}
    for i, (op, key) in enumerate(changes):
        m = after(m, op, key)
        early = m if i == kept else early
    ops, keys = (array([step[part] for step in changes]) for part in (0, 1))
    then = str(early) if kept < len(changes) else ""
    assert programs.history(ops, keys, kept) == (str(m), then, str(early), m == early)


@given(numbers, st.integers(-20, 40))
def test_looking(keys, key):
    m = {k: i for i, k in enumerate(keys)}
    sum = 0
    for k, v in m.items():
        sum = (3 * sum + k - v + 2**63) % 2**64 - 2**63
    found = f"Some({m[key]})" if key in m else "Nothing"
    assert programs.looks(array(keys), key) == (
        len(m), key in m, m.get(key, -2), found, m.get(key, -1), sum + 2 * len(m),
    )  # fmt: skip


def test_a_missing_key_is_a_key_error_that_names_the_place():
    assert programs.missing(1) == 2
    with pytest.raises(
        KeyError, match=r"programs_hashmaps.py:\d+: the key is missing: hashmaps.of_items\(\[\(1, 2\)\]\)\[key\]"
    ):
        programs.missing(3)


def test_keys_of_any_type_with_an_equality():
    assert programs.by_any_key(40) == (7, 2, 5, 6, 4, 5, 2)


def test_functions_as_values():
    assert programs.functions_as_values(20) == 7 + 20


@given(numbers, numbers, st.integers(-20, 40))
def test_sets(a, b, x):
    s, t = dict.fromkeys(a), dict.fromkeys(b)
    sum = 0
    for y in s:
        sum = (3 * sum + y + 2**63) % 2**64 - 2**63
    some = [y for y in [*s, *([] if x in s else [x])] if y != x + 1]
    union, common = [*s, *(y for y in t if y not in s)], [y for y in s if y in t]
    assert plain(programs.set_parts(array(a), array(b), x)) == (
        union, [y for y in s if y not in t], common, "{" + ", ".join(map(str, some)) + "}", sum + len(s), x in s,
    )  # fmt: skip


def test_a_window_over_many_keys_does_not_grow():
    slots, places, keys = programs.through(20_000, 20)
    assert (places, keys) == (20, 20)
    assert slots <= 64


# ---- memory


@pytest.mark.parametrize("n", [1, 5, 40])
def test_changes_of_known_keys_take_no_memory(n):
    assert allocated(programs.replaced, n) == allocated(programs.only_filled, n)


def test_the_table_of_a_map_grows_to_twice_its_size():
    # one block for the map, and one for each table; arrays that grow where they are do not count here
    assert [allocated(programs.only_filled, n) for n in (0, 1, 5, 6, 10, 11)] == [1, 2, 2, 3, 3, 4]


def test_explain_reports_the_copy_of_a_map_that_is_needed_again():
    text = programs.kept_and_changed.explain()
    assert "in kept_and_changed: memory is allocated: the array is copied: `values` is still a part of `m`" in text
    assert "copied" not in programs.only_filled.explain()


def test_a_map_in_a_record_is_changed_in_place():
    assert allocated(programs.many_payments, 200) - allocated(programs.many_payments, 100) == 100  # the keys' texts


# ---- hashes


@pytest.mark.parametrize("stride", [1, 3, 8, 1000, 2**16, 2**32, 2**40, 2**52, 2**32 + 1, 10**12])
def test_arithmetic_progressions_are_found_in_a_few_steps(stride):
    slots, count = 4096, 2730  # as full as a table gets
    table: set[int] = set()
    steps = 0
    for i in range(count):
        at = hashed(0, i * stride) & 0xFFFF_FFFF & slots - 1
        while at in table:
            at = (at + 1) % slots
            steps += 1
        table.add(at)
    assert steps < 3 * count  # about 1 on average for random slots


def test_texts_that_differ_little_do_not_collide():
    texts = [f"{kind}{i}{tail}".encode() for kind in ("", "a" * 8, "key") for i in range(3000) for tail in ("", "\0")]
    assert len({strings.hashed(0, text) & 0xFFFF_FFFF for text in texts}) > len(texts) - 12


@given(st.lists(st.integers(-(2**63), 2**63 - 1), max_size=5), st.text(st.characters(codec="utf-8"), max_size=20))
def test_equal_values_have_equal_hashes(a, text):
    assert programs.hashes(array(a), text) == (True, False, True, False)


def test_c_and_the_interpreter_agree_on_hashes():
    lowered = programs.all_hashes.core()
    (name,) = lowered.exports.values()
    assert tuple(programs.all_hashes(-3)) == standard.run(lowered.program, name, (-3,)).elems


# ---- from Python


def test_maps_stay_in_the_heap_and_go_from_program_to_program():
    bank = programs.opened("north")
    for who, amount in (("ann", 5), ("bob", 2), ("ann", 7)):
        bank = programs.paid(bank, who, amount)
    assert programs.balances(bank.accounts) == [("ann", 12), ("bob", 2)]
    assert repr(bank) == "Bank(<HashMap[str, i64] in the heap>, 'north')"
    assert bank.accounts == bank.accounts != programs.opened("north").accounts
    with pytest.raises(PerceusError, match="only a program knows what is in a HashMap"):
        _ = bank.accounts.fields
    with pytest.raises(PerceusError, match=r"expected a HashMap\[str, i64\]"):
        programs.balances({"ann": 1})


# ---- methods of data types


def test_functions_of_the_module_of_a_data_type_are_its_methods():
    assert programs.polynomial(np.array([-6.0, 1.0, 1.0]), 2.0) == (3, True, 0.0, 6.0)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("return m.put(1, 2)", r"HashMap\[i64, i64\] has no method put\n"),
        ("return m.updat(1, 2)", r"has no method updat; did you mean update\(\)\?\n"),
        (
            "return m.keys",
            r"has no attribute keys; did you mean keys\(\)\?\n(.*\n)*  hint: its methods are contains, .*values$",
        ),
        ("return m.table", r"has no attribute table\n"),
        ("return m.set(count=3)", "set has no parameter count"),
        ("return HashMap([], [], [], [], 7)", "only functions of its own look into a HashMap\n"),
        ("match m:\n                case HashMap(_, _, _, _, n):\n                    return m", "only functions of its own"),
        ("return m.set(1)", "set takes 3 arguments, 2 given"),
        ("return m.set(1, 'x')", "expected i64, found str"),
        ("return m if m < m else m", "HashMap.*has no order"),
        ("return m.set(len(hashmaps.empty().set(lambda x: x, 1)), 1)", "hash"),
    ],
)
def test_what_is_refused(body, message):
    text = f"""
        @fun
        def wrong(m: HashMap[i64, i64]) -> HashMap[i64, i64]:
            {body}
    """
    with pytest.raises(PerceusError) as caught:
        program(text, hashmaps=hashmaps, HashMap=HashMap)
    assert re.search(message, str(caught.value)), caught.value
