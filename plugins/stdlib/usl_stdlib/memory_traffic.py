"""Traffic and working sets: which buffers each loop touches, how much of each, and how often."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from usl_core import Procedure
from usl_core.arguments import checked
from usl_core.cursors import Cursor, ForCursor, IfCursor
from usl_core.errors import SchedulingError
from usl_core.ir.types import ScalarType
from usl_stdlib.accesses import Access, accesses, iteration, known_at
from usl_stdlib.bounds import Bounds, box
from usl_stdlib.inspection import enclosing, walk
from usl_stdlib.ranges import Iteration, Iterators, Known, without
from usl_stdlib.symbolic import Polynomial, polynomial, sum_over

if TYPE_CHECKING:
    from rich.table import Table


@dataclass(frozen=True, slots=True)
class Amount:
    """A number, or with exact false one that is at least as large: code under a condition counts as if it always ran."""

    value: Polynomial
    exact: bool = True

    def __str__(self) -> str:
        return str(self.value) if self.exact else f"<= {self.value}"

    def __add__(self, other: Amount) -> Amount:
        return Amount(self.value + other.value, self.exact and other.exact)

    def __mul__(self, factor: int) -> Amount:
        return Amount(self.value * factor, self.exact)

    def at(self, **sizes: int) -> Amount:
        """The number for given sizes."""
        return Amount(self.value.at(**sizes), self.exact)


@dataclass(frozen=True, slots=True, repr=False)
class Touched:
    """What code does with one buffer.

    bounds is the box that it accesses; elements is the size of that box, each element counted once, which is exact if the box
    is. reads and writes count executed accesses; `+=` is one of each. element_bytes is None for `R`, which has no size.
    """

    buffer: str
    bounds: Bounds
    elements: Amount
    reads: Amount
    writes: Amount
    element_bytes: int | None

    def __repr__(self) -> str:
        return f"<{self.bounds}: {self.elements} elements, {self.reads} reads, {self.writes} writes>"

    def at(self, **sizes: int) -> Touched:
        """The same for given sizes."""
        elements, reads, writes = (each.at(**sizes) for each in (self.elements, self.reads, self.writes))
        return Touched(self.buffer, self.bounds.at(**sizes), elements, reads, writes, self.element_bytes)


@dataclass(frozen=True, slots=True)
class LoopTraffic:
    """What one iteration of a loop touches, and what it all comes to.

    loop is None for the code as a whole. iterations counts them over all loops around in the code. moved has, in the order
    of touched, the elements that all iterations need if nothing of a buffer is kept from one iteration to the next: the
    traffic into a cache that holds the working set of one iteration.
    """

    loop: ForCursor | None
    depth: int
    iterations: Amount
    touched: tuple[Touched, ...]
    moved: tuple[Amount, ...]

    @property
    def working_set(self) -> Amount:
        """Bytes that one iteration touches, each counted once.

        Raises:
            SchedulingError: a buffer has the type R, which has no size.
        """
        total = Amount(polynomial(0))
        for each in self.touched:
            if each.element_bytes is None:
                raise SchedulingError(f"working_set: {each.buffer} has elements of type R", notes=[_SET_PRECISION], code="E404")
            total += each.elements * each.element_bytes
        return total

    def at(self, **sizes: int) -> LoopTraffic:
        """The same for given sizes."""
        touched = tuple(each.at(**sizes) for each in self.touched)
        return LoopTraffic(
            self.loop, self.depth, self.iterations.at(**sizes), touched, tuple(each.at(**sizes) for each in self.moved)
        )


_UNLIMITED = 10_000
"""Columns of text: more than any table has."""

_SET_PRECISION = "hint: set_precision gives it a type with a size"


@dataclass(frozen=True, slots=True)
class Traffic:
    """The traffic of a piece of code: first the whole, then each loop in source order.

    Its text is a table, also in colour through `rich.print`.
    """

    rows: tuple[LoopTraffic, ...]

    def __getitem__(self, name: str) -> LoopTraffic:
        """The row of the first loop called name.

        Raises:
            SchedulingError: there is none.
        """
        for row in self.rows:
            if row.loop is not None and row.loop.name() == name:
                return row
        names = ", ".join(row.loop.name() for row in self.rows if row.loop is not None)
        raise SchedulingError(f"traffic: there is no loop {name}; the loops are {names or 'none'}", code="E404")

    def at(self, **sizes: int) -> Traffic:
        """The same for given sizes: `traffic(p).at(M=64, N=64, K=64)`."""
        return Traffic(tuple(row.at(**sizes) for row in self.rows))

    def __rich__(self) -> Table:
        from rich import box as boxes
        from rich.table import Table

        table = Table(box=boxes.SIMPLE_HEAD, pad_edge=False)
        for column in ("loop", "iterations", "bytes", "touched by one", "elements", "reads", "writes", "moved by all"):
            table.add_column(column, no_wrap=True)
        for row in self.rows:
            label = "  " * row.depth + (row.loop.name() if row.loop is not None else "(all)")
            sized = all(each.element_bytes is not None for each in row.touched)
            heads = [(label, str(row.iterations), str(row.working_set) if sized else "?")] + [("", "", "")] * len(row.touched)
            for head, each, moved in zip(heads, row.touched, row.moved, strict=False):
                amounts = (each.elements, each.reads, each.writes, moved)
                table.add_row(*head, _short(each.bounds), *map(str, amounts))
            if not row.touched:
                table.add_row(label, str(row.iterations), "0")
        return table

    def __str__(self) -> str:
        from rich.console import Console

        console = Console(width=_UNLIMITED, color_system=None, force_terminal=False, highlight=False, markup=False)
        with console.capture() as captured:
            console.print(self)
        return "\n".join(line.rstrip() for line in captured.get().splitlines() if line.strip())


def _short(bounds: Bounds) -> str:
    """A box with ranges of one element as points."""
    ranges = [str(each.lo) if each.size == polynomial(1) else str(each) for each in bounds.ranges]
    return f"{bounds.buffer}[{', '.join(ranges)}]" if ranges else bounds.buffer


@checked
def touched(code: Procedure | Cursor) -> tuple[Touched, ...]:
    """The buffers that code touches, in the order of their first access: how much of each, and how often.

    code is a procedure, a statement (a loop with all its iterations), or a block such as the body of a loop, for one
    iteration. Buffers allocated in the code count too. Amounts are in terms of sizes and of the iterators of loops around.

    Raises:
        SchedulingError: code is something else.
    """
    known = known_at(code)
    found: list[Touched] = []
    for group in _by_buffer(accesses(code)):
        bounds = box(group, known)
        reads = [each for each in group if each.kind != "write"]
        writes = [each for each in group if each.kind != "read"]
        found.append(
            Touched(
                bounds.buffer,
                bounds,
                Amount(bounds.elements, bounds.exact),
                _executions(reads, known),
                _executions(writes, known),
                _bytes(group[0]),
            )
        )
    return tuple(found)


@checked
def traffic(code: Procedure | Cursor) -> Traffic:
    """What each loop of code touches, how much of each buffer, and how often: symbolically, as a table.

    The row of a loop says what one iteration touches, `bytes` being its working set, of all buffers together. A buffer whose
    elements are few there and accesses many is reused in the iteration; `moved by all` is the traffic if nothing is kept
    between iterations. `.at(n=64)` gives numbers.

    Raises:
        SchedulingError: code is neither a procedure nor a statement or block.
    """
    whole = code.body() if isinstance(code, Procedure) else code
    rows = [_row(None, 0, whole, (), False)]
    for loop in walk(whole, ForCursor):
        around = [stmt for stmt in enclosing(loop) if whole.is_ancestor_of(stmt)]
        loops = [*reversed([stmt for stmt in around if isinstance(stmt, ForCursor)]), loop]
        conditional = any(isinstance(stmt, IfCursor) for stmt in around)
        rows.append(_row(loop, len(loops), loop.body(), [iteration(each) for each in loops], conditional))
    return Traffic(tuple(rows))


def _row(loop: ForCursor | None, depth: int, code: Cursor, iterators: Iterators, conditional: bool) -> LoopTraffic:
    found, known = touched(code), known_at(code)
    iterations = _total(Amount(polynomial(1), not conditional), iterators, known)
    moved = (Amount(each.elements.value, each.elements.exact and not conditional) for each in found)
    return LoopTraffic(loop, depth, iterations, found, tuple(_total(each, iterators, known) for each in moved))


def _by_buffer(found: Iterable[Access]) -> Iterator[list[Access]]:
    """The accesses of each buffer."""
    groups: dict[int, list[Access]] = {}
    for access in found:
        groups.setdefault(id(access.buffer), []).append(access)
    yield from groups.values()


def _bytes(access: Access) -> int | None:
    typ = access.buffer.declaration.type()
    assert isinstance(typ, ScalarType)
    return (typ.bits + 7) // 8 or None


def _executions(group: Sequence[Access], known: Known) -> Amount:
    """How often all accesses of a group happen."""
    total = Amount(polynomial(0))
    for access in group:
        total += _total(Amount(polynomial(1), not access.conditional), access.iterators, known)
    return total


def _total(amount: Amount, iterators: Iterators, known: Known) -> Amount:
    """The sum of an amount over all iterations."""
    value, exact = amount.value, amount.exact
    for each in reversed(iterators):
        total = sum_over(value, each.name, each.range.lo, each.range.hi)
        if total is None:
            total = sum_over(_without_operations(value, each), each.name, each.range.lo, each.range.hi)
            exact = False
        assert total is not None
        value = total
    return Amount(known.simplified(value), exact)


def _without_operations(value: Polynomial, iteration: Iteration) -> Polynomial:
    """A polynomial in an iterator that is at least value: quotients, minima and such are what they are at most."""
    total = polynomial(0)
    for monomial, factor in value.terms:
        product = polynomial(factor)
        for atom in monomial:
            single = Polynomial((((atom,), Fraction(1)),))
            plain = isinstance(atom, str) or not single.mentions(iteration.name)
            product = product * (single if plain else without(single, iteration, factor > 0))
        total = total + product
    return total
