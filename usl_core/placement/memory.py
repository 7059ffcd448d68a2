"""Memories of rows, in which the backend places all buffers of a program at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from usl_core.errors import BackendError, Span
from usl_core.ir.memory import Memory


class PlacedMemory(Memory):
    """A memory of rows, each of as many lanes as a buffer's last dimension has elements; those before it count rows.

    A backend that makes C gives each buffer a first row and strides (`usl_core.placement.place`), so that no two that are
    alive at the same time overlap, and what one loop uses at the same time lies in different banks if that can be. A subclass
    says what there is of rows; subclasses of it share them. It can pin the buffers in it: to a first row, or into a bank.

    In C a buffer is the number of its first row. What holds it goes by the name that `declare` declares, and what an
    instruction's `{x}` stands for is what `window` gives: the number of a row unless a subclass says otherwise.
    """

    addressable = False

    rows: ClassVar[int] = 0
    """How many rows there are."""
    lanes: ClassVar[int] = 1
    """The elements of a row: the last dimension of every buffer."""
    banks: ClassVar[int] = 1
    """Into how many banks of equal size the rows fall. What is in one bank cannot be used at the same time, or not as fast."""
    align: ClassVar[int] = 1
    """Of what number the first row of a buffer has to be a multiple."""
    pinned_row: ClassVar[int | None] = None
    """The first row of every buffer in this class."""
    pinned_bank: ClassVar[int | None] = None
    """The bank in which every buffer in this class lies, whole."""

    @classmethod
    def space(cls) -> type[PlacedMemory]:
        """The class whose rows these are: the one that says how many there are."""
        return next(each for each in cls.__mro__ if "rows" in vars(each))

    @classmethod
    def declare(cls, name: str, ctype: str, row: int, span: Span) -> str:
        """Statement(s) that declare a buffer whose first row is row."""
        return f"enum {{ {name} = {row} }};"

    @classmethod
    def window(cls, base: str, ctype: str, indices: Sequence[str], strides: Sequence[str], span: Span) -> str:
        """The number of the row at which the element at `indices` lies; it must be the first of its row."""
        return cls.row(base, indices, strides, span)

    @classmethod
    def row(cls, base: str, indices: Sequence[str], strides: Sequence[str], span: Span) -> str:
        """C text of the row that `indices` are in; strides are in elements, those that C knows multiples of `lanes`.

        Raises:
            BackendError: a window starts in the midst of a row.
        """
        terms: list[str] = []
        for index, stride in zip(indices, strides, strict=True):
            if index == "0":
                continue
            if stride.isdigit() and int(stride) % cls.lanes:
                raise BackendError(f"a window of {base} must start at the first lane of a row of {cls.name}", span=span)
            if stride.isdigit():
                rows = int(stride) // cls.lanes
                terms.append(_times(index, rows))
            else:
                terms.append(f"({index}) * ({stride}) / {cls.lanes}")
        known = sum(int(term) for term in terms if term.isdigit())
        others = [term for term in terms if not term.isdigit()]
        total = " + ".join([base, *others, *([str(known)] if known else [])])
        return f"({total})" if terms else base


def _times(index: str, rows: int) -> str:
    """index times a number of rows, as C."""
    if index.isdigit():
        return str(int(index) * rows)
    factor = index if index.isidentifier() else f"({index})"
    return factor if rows == 1 else f"{factor} * {rows}"
