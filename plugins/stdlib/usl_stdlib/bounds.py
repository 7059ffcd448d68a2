"""Bounds inference: which part of a buffer a piece of code accesses, as a window that operators accept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache

from usl_core import Procedure
from usl_core.arguments import checked
from usl_core.cursors import Cursor, ExprCursor, ForCursor
from usl_core.errors import SchedulingError, UsageError
from usl_stdlib.accesses import Access, Buffer, accesses, has_known_range, iteration, known_at
from usl_stdlib.extremes import tight_end
from usl_stdlib.inspection import enclosing, require_cursor
from usl_stdlib.ranges import Iterators, Known, NotLinear, Range, end, greatest, least
from usl_stdlib.symbolic import Polynomial, polynomial, value_of

KINDS = ("read", "write", "reduce")


@dataclass(frozen=True, slots=True)
class Bounds:
    """A box of a buffer, one range per dimension, outermost first, counted in elements: `x[32 * io:32 * io + 34]`.

    exact says that both ends of each range are accessed for all values of the names in them, unless nothing is; otherwise the
    box may be larger than need be. A scalar has no ranges.
    """

    buffer: str
    ranges: tuple[Range, ...]
    reached: Callable[[], bool] = field(repr=False, compare=False)
    """Finds out whether the box is exact, which takes as long as finding the box and is asked seldom."""

    @property
    def exact(self) -> bool:
        """Whether the ends are accessed."""
        return self.reached()

    def __str__(self) -> str:
        return f"{self.buffer}[{', '.join(map(str, self.ranges))}]" if self.ranges else self.buffer

    @property
    def elements(self) -> Polynomial:
        """The number of elements in the box."""
        product = polynomial(1)
        for each in self.ranges:
            product = product * each.size
        return product

    def at(self, **sizes: int) -> Bounds:
        """The box for given sizes and iterators."""
        return Bounds(self.buffer, tuple(each.at(**sizes) for each in self.ranges), self.reached)


@checked
def infer_bounds(scope: Procedure | Cursor, buffer: str | Cursor, kinds: Iterable[str] = KINDS) -> Bounds:
    """The part of a buffer that code accesses, as a box: `str` of it is a window for `stage_mem`.

        for io in seq(0, n / 32):
            for ii in seq(0, 32):
                y[32 * io + ii] = x[32 * io + ii] + x[32 * io + ii + 2]

    accesses `x[32 * io:32 * io + 34]` in the body of io, and `x[0:32 * (n / 32) + 2]` in the loop io: scope is a procedure, a
    statement or a block, and names of loops around it stay. buffer is a name, or a cursor to a formal or an allocation; kinds
    chooses among "read", "write" and "reduce" (`+=`). Windows and callees are looked into. Indices linear in iterators are
    bounded by the ends of loops, also with quotients, remainders, minima and maxima of them (`i - i / 2`); conditions on
    control values narrow them, assertions simplify them; an index that depends on data or configuration may be any of its
    dimension.

    Raises:
        SchedulingError: scope does not access the buffer so, or has several of that name. UsageError: a kind is unknown.
    Reference: Qian 2024, §4.2.2.
    """
    wanted = set(kinds)
    if not wanted or not wanted <= set(KINDS):
        raise UsageError(f"infer_bounds: kinds are {', '.join(KINDS)}, got {sorted(wanted)}")
    if isinstance(buffer, Cursor):
        buffer = (scope if isinstance(scope, Procedure) else scope.proc()).forward(buffer)
    about = [each for each in accesses(scope, buffer) if each.kind in wanted]
    found = [each for each in about if buffer in (each.buffer.name, each.buffer.declaration)]
    shown = buffer if isinstance(buffer, str) else "that buffer"
    if not found:
        made = [each for each in accesses(scope) if each.kind in wanted]
        note = f"those it does: {', '.join(dict.fromkeys(each.buffer.name for each in made)) or 'none'}"
        raise SchedulingError(
            f"infer_bounds: the code does not {' or '.join(sorted(wanted))} {shown}", notes=[note], code="E404"
        )
    if len({id(each.buffer) for each in found}) > 1:
        note = "hint: a cursor to one of the allocations tells them apart"
        raise SchedulingError(f"infer_bounds: there are several buffers {shown} in the code", notes=[note], code="E404")
    return box(found, known_at(scope))


@checked
def affine_range(expr: ExprCursor, scope: Cursor | None = None) -> Range:
    """The values of a control expression while the loops in scope run, as `lo:hi` with hi excluded.

    scope is a statement or a block around the expression, by default its procedure; the names of loops around scope stay.

    Raises:
        SchedulingError: expr is no cursor to an expression, depends on data or configuration, or is not inside of scope.
    Reference: Qian 2024, §4.2.2, `infer_range`.
    """
    require_cursor("affine_range", expr, ExprCursor)
    if scope is not None and not scope.is_ancestor_of(expr):
        raise SchedulingError("affine_range: the expression is not inside of the scope", code="E404")
    inside = [stmt for stmt in enclosing(expr) if isinstance(stmt, ForCursor) and (scope is None or scope.is_ancestor_of(stmt))]
    inside = [loop for loop in inside if any(each.is_ancestor_of(expr) for each in loop.body())]
    value, iterators = value_of(expr), [iteration(loop) for loop in reversed(inside)]
    if value is None or not all(map(has_known_range, inside)):
        raise SchedulingError(f"affine_range: the value depends on data, strides or configuration: {expr}", code="E404")
    return Range(tight_end(value, iterators, upper=False), tight_end(value, iterators, upper=True) + 1)


def box(found: Sequence[Access], known: Known) -> Bounds:
    """The smallest box seen to contain accesses to one buffer."""
    buffer = found[0].buffer
    extents = _largest_shape(buffer, found)
    apart = {(each.index, each.iterators, each.nonnegative): each for each in found}  # the others reach no further
    boxes = [_box_of_one(each, extents, known) for each in apart.values()]
    ranges = []
    for dim, extent in enumerate(extents):
        lo = least([each[dim].lo for each in boxes], known)
        hi = greatest([each[dim].hi for each in boxes], known)
        # every access is in bounds, which the operators have proved
        lo = polynomial(0) if known.nonnegative(lo * -1) else lo
        ranges.append(Range(lo, extent if known.at_most(extent, hi) else hi))
    return Bounds(buffer.name, tuple(ranges), cache(lambda: _is_exact(found, known)))


def _largest_shape(buffer: Buffer, found: Sequence[Access]) -> list[Polynomial]:
    """The extents of a buffer; those of one allocated in the code, at their largest."""
    iterators = found[0].iterators
    try:
        return [end(extent, iterators, greatest=True) for extent in buffer.shape if extent is not None]
    except NotLinear:  # extents are linear in iterators
        raise AssertionError(buffer.name) from None


def _box_of_one(access: Access, extents: Sequence[Polynomial], known: Known) -> list[Range]:
    ranges = []
    for index, extent in zip(access.index, extents, strict=True):
        try:
            if index is None:
                raise NotLinear
            low = [tight_end(each, access.iterators, False, known) for each in _narrowed(index, access, False)]
            high = [tight_end(each, access.iterators, True, known) + 1 for each in _narrowed(index, access, True)]
            lo, hi = greatest(list(map(known.simplified, low)), known), least(list(map(known.simplified, high)), known)
            ranges.append(Range(lo, hi))
        except NotLinear:
            ranges.append(Range(polynomial(0), extent))
    return ranges


def _narrowed(index: Polynomial, access: Access, upper: bool) -> list[Polynomial]:
    """Values that index does not exceed (or fall below), the first is itself.

    index + k * g with k > 0 and g >= 0, a condition, is such a value. k is chosen so that an iterator cancels.
    """
    found = [index]
    for condition in access.nonnegative:
        for each in access.iterators:
            a, b = index.coefficient(each.name), condition.coefficient(each.name)
            k = Fraction(-a if upper else a) / b if b else Fraction(0)
            if k > 0 and k.denominator == 1:
                found.append(index + condition * k if upper else index - condition * k)
    return list(dict.fromkeys(found))


# ---- whether the ends are reached


def _is_exact(found: Sequence[Access], known: Known) -> bool:
    """Whether each access reaches the ends of its own box, and all happen or none."""
    loops = [_loops_that_may_be_empty(each, known) for each in found]
    return all(each == loops[0] for each in loops) and all(_reaches_its_ends(each, known) for each in found)


def _loops_that_may_be_empty(access: Access, known: Known) -> frozenset[Range]:
    """The ranges of the loops around an access that are empty for all values of other iterators, or for none."""
    own = {each.name for each in access.iterators}
    fixed = [each.range for each in access.iterators if not own & (each.range.size.names())]
    return frozenset(each for each in fixed if not known.positive(each.size))


def _reaches_its_ends(access: Access, known: Known) -> bool:
    if access.conditional:
        return False
    return all(
        index is not None and _is_reached(index, access.iterators, known, upper)
        for index in access.index
        for upper in (False, True)
    )


def _is_reached(index: Polynomial, iterators: Iterators, known: Known, upper: bool) -> bool:
    """Whether the end of index is its value in some iteration: no loop is empty there whose range depends on others."""
    own = {each.name for each in iterators}
    if not all(value.is_linear_in(own) for value in (index, *(e for it in iterators for e in (it.range.lo, it.range.hi)))):
        return False
    sizes = [each.range.size for each in iterators if own & each.range.size.names()]
    for each in reversed(iterators):
        factor = index.coefficient(each.name)
        place = each.range.hi - 1 if (factor > 0 if upper else factor < 0) else each.range.lo
        index = index.substitute({each.name: place})
        sizes = [size.substitute({each.name: place}) for size in sizes]
    return all(known.positive(size) for size in sizes)
