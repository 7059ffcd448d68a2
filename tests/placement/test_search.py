"""Rows for items: whatever the items, those that live together are apart."""

from __future__ import annotations

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from usl_core.placement.search import Arrangement, Item, Space, arrange

SPACES = st.builds(
    lambda banks, size, align: Space(banks * size * align, banks, align),
    st.integers(1, 4),
    st.integers(1, 16),
    st.sampled_from([1, 2, 4]),
)


@st.composite
def questions(draw: st.DrawFn) -> tuple[list[Item], Space, list[tuple[int, int]], dict[tuple[int, int], int]]:
    space = draw(SPACES)
    count = draw(st.integers(1, 8))
    items = []
    for _ in range(count):
        rows, pin = draw(st.integers(1, space.rows)), draw(st.sampled_from(["", "", "", "row", "bank"]))
        if pin == "row":
            items.append(Item(rows, row=draw(st.integers(0, space.rows - 1))))
        else:
            bank = draw(st.integers(0, space.banks - 1)) if pin else None
            items.append(Item(rows, draw(st.integers(1, 3)), None, bank, draw(st.integers(0, 9))))
    pairs = [pair for pair in itertools.combinations(range(count), 2) if draw(st.booleans())]
    return items, space, pairs, {pair: draw(st.integers(0, 9)) for pair in pairs}


@settings(max_examples=150, deadline=None)
@given(questions())
def test_what_lives_together_has_rows_of_its_own(question):
    items, space, pairs, weights = question
    found = arrange(items, space, pairs, weights)
    assert found == arrange(items, space, pairs, weights)
    pieces = {number: spot.pieces(items[number]) for number, spot in found.spots.items()}
    for number, own in pieces.items():
        item = items[number]
        assert all(piece.start >= 0 and piece.stop <= space.rows for piece in own)
        assert own[0].start % space.align == 0
        assert item.row is None or own[0].start == item.row
        assert item.bank is None or all(
            row // space.bank_rows == item.bank for piece in own for row in (piece.start, piece.stop - 1)
        )
        assert len({row for piece in own for row in piece}) == item.rows * item.slices
    for a, b in pairs:
        if a in pieces and b in pieces:
            assert not {row for piece in pieces[a] for row in piece} & {row for piece in pieces[b] for row in piece}
    assert found.missing is None or found.missing not in pieces
    assert (found.missing is None) == (len(pieces) == len(items))


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(1, 6), min_size=1, max_size=6), st.data())
def test_what_fits_one_after_the_other_finds_a_place(sizes, data):
    """However the lives overlap: the largest sum of rows alive is at most what there is."""
    spans = [sorted(data.draw(st.tuples(st.integers(0, 9), st.integers(0, 9)))) for _ in sizes]
    pairs = [
        (a, b)
        for a, b in itertools.combinations(range(len(sizes)), 2)
        if spans[a][0] <= spans[b][1] and spans[b][0] <= spans[a][1]
    ]
    found = arrange([Item(rows) for rows in sizes], Space(sum(sizes)), pairs, {})
    assert found.missing is None


def test_operands_lie_in_different_banks_and_so_do_the_halves_of_double_buffers():
    items = [Item(16, 2, apart=9), Item(64, 2, apart=9)]
    found = arrange(items, Space(256, 4), [(0, 1)], {(0, 1): 40})
    banks = [{row // 64 for piece in found.spots[number].pieces(items[number]) for row in piece} for number in range(2)]
    assert [len(each) for each in banks] == [2, 2] and not banks[0] & banks[1]


def test_what_weighs_more_gets_the_bank_of_its_own():
    items = [Item(8), Item(8), Item(8)]
    found = arrange(items, Space(32, 2), [(0, 1), (0, 2), (1, 2)], {(0, 1): 10, (0, 2): 1, (1, 2): 10})
    banks = [found.spots[number].row // 16 for number in range(3)]
    assert banks[0] == banks[2] != banks[1]


def test_what_does_not_fit_is_named_and_the_rest_stays_where_it_is():
    found = arrange([Item(3), Item(9), Item(3)], Space(8), [(0, 2)], {})
    assert found.missing == 1 and isinstance(found, Arrangement)


def test_a_crowded_memory_is_filled_though_the_lowest_rows_first_leave_a_hole():
    items = [Item(3), Item(3), Item(2), Item(2)]
    found = arrange(items, Space(7), [(0, 1), (1, 2), (1, 3), (2, 3)], {})
    assert found.missing is None
