"""Rows over time, as text: who lies where, and when."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from usl_core.placement.memory import PlacedMemory
from usl_core.records import dataclass

COLUMNS, LINES = 60, 24
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True, slots=True)
class Drawn:
    """A buffer: its name, what the legend says of it, the rows that it has (none if it found no place), when it lives."""

    name: str
    text: str
    pieces: tuple[range, ...]
    times: Sequence[tuple[int, int]]

    def lives(self, begin: int, end: int) -> bool:
        """Whether it lives at some time in begin .. end, the end not included."""
        return any(first < end and begin <= last for first, last in self.times)


def picture(space: type[PlacedMemory], drawn: Sequence[Drawn], end: int) -> list[str]:
    """Lines of text: bands of rows from the first down, time from left to right, then what each letter stands for.

    A band in which several buffers lie at one time shows `*`.
    """
    columns = _columns(drawn, end)
    bands = _bands(space, drawn)
    letters = {id(each): _LETTERS[number % len(_LETTERS)] for number, each in enumerate(drawn)}
    labels = [f"{band.start} .. {band.stop - 1}" for band in bands]
    missing = [each for each in drawn if not each.pieces]
    width = max(map(len, [*labels, "no place", f"{space.name} rows"]))
    lines = [f"{f'{space.name} rows':>{width}} | time ->"]
    for band, label in zip(bands, labels, strict=True):
        here = [each for each in drawn if any(piece.start < band.stop and band.start < piece.stop for piece in each.pieces)]
        lines.append(f"{label:>{width}} |{''.join(_cell(here, begin, stop, letters) for begin, stop in columns)}|")
    for each in missing:
        lines.append(f"{'no place':>{width}} |{''.join(_cell([each], begin, stop, letters) for begin, stop in columns)}|")
    lines += [f"{letters[id(each)]:>{width}} = {each.name}, {each.text}" for each in drawn[: len(_LETTERS)]]
    if len(drawn) > len(_LETTERS):
        lines.append(f"{'':>{width}}   and {len(drawn) - len(_LETTERS)} more")
    return lines


def _cell(here: Sequence[Drawn], begin: int, stop: int, letters: dict[int, str]) -> str:
    found = {letters[id(each)] for each in here if each.lives(begin, stop)}
    return "." if not found else found.pop() if len(found) == 1 else "*"


def _columns(drawn: Sequence[Drawn], end: int) -> list[tuple[int, int]]:
    """Spans of time between which something begins or ends; as many as fit, of equal length, if there are too many."""
    cuts = {0, max(end, 1)}
    for each in drawn:
        for first, last in each.times:
            cuts |= {first, last + 1}
    if len(cuts) - 1 > COLUMNS:
        cuts = {max(end, COLUMNS) * column // COLUMNS for column in range(COLUMNS + 1)}
    ordered = sorted(cuts)
    return list(itertools.pairwise(ordered))


def _bands(space: type[PlacedMemory], drawn: Sequence[Drawn]) -> list[range]:
    """Rows between which nothing begins or ends."""
    cuts = {0, space.rows, *(bank * (space.rows // space.banks) for bank in range(space.banks))}
    cuts |= set(_edges(drawn))
    if len(cuts) - 1 > LINES:
        cuts = {space.rows * line // LINES for line in range(LINES + 1)}
    ordered = sorted(cuts)
    return [range(a, b) for a, b in itertools.pairwise(ordered)]


def _edges(drawn: Sequence[Drawn]) -> Iterator[int]:
    for each in drawn:
        for piece in each.pieces:
            yield from (piece.start, piece.stop)
