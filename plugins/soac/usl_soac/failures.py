"""How programs fail: the sites of the tests of docs/soac.md, and the exceptions that they become.

Interpreter, sized core and compiled code make their sites here, so that a failure reads the same wherever it is found. The
numbers in a text are the values of the test, in the order in which each function names them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from usl_core.errors import Span, render
from usl_core.ir.types import ScalarType
from usl_soac.core import Failure, Site
from usl_soac.errors import ShapeError, TooLargeError

EXCEPTIONS: Mapping[Failure, type[Exception]] = {
    Failure.SHAPE: ShapeError,
    Failure.INDEX: IndexError,
    Failure.ASSERTION: AssertionError,
    Failure.DIVISION: ZeroDivisionError,
    Failure.MEMORY: TooLargeError,
}


def failed(site: Site, values: Sequence[object] = ()) -> Exception:
    """The exception of a test that failed; `site` and `values` are attributes of it."""
    message = f"{site.failure.value}: {site.text.format(*values)}"
    error = EXCEPTIONS[site.failure](render(message, site.span))
    error.site, error.values = site, tuple(values)  # type: ignore[attr-defined]
    return error


def is_failure(error: BaseException) -> bool:
    """Whether an exception is that of a test which failed, and not one that Python raises of itself."""
    return isinstance(error, tuple(EXCEPTIONS.values())) and hasattr(error, "site")


def quoted(text: str) -> str:
    """A text that stands for itself in a site."""
    return text.replace("{", "{{").replace("}", "}}")


def _called(array: str) -> str:
    """How a text calls an array; what has no name in the program is called t."""
    return "the array" if array == "t" else quoted(array)


def asserted(text: str | None, span: Span) -> Site:
    """`assert c, text`."""
    return Site(span, Failure.ASSERTION, quoted(text) if text is not None else "an assertion does not hold")


def wrong_sizes(function: str, array: str, span: Span) -> Site:
    """An array has not the sizes that were computed for it."""
    return Site(
        span, Failure.ASSERTION, f"a mistake of the compiler: {function} has computed other sizes than {_called(array)} has"
    )


def division(span: Span) -> Site:
    """`x // 0`."""
    return Site(span, Failure.DIVISION, "division by zero")


def index(array: str, dim: int, span: Span) -> Site:
    """Index, size."""
    return Site(span, Failure.INDEX, f"index {{0}} is out of range: dimension {dim} of {_called(array)} has {{1}} elements")


def part(array: str, span: Span) -> Site:
    """First, end, size."""
    return Site(span, Failure.INDEX, f"{{0}}:{{1}} is no part of the {{2}} elements of {_called(array)}")


def split(array: str, span: Span) -> Site:
    """Where, size."""
    return Site(span, Failure.INDEX, f"split: {{0}} is not from 0 to {{1}}, the number of elements of {_called(array)}")


def negative(what: str, span: Span) -> Site:
    """The size of iota, replicate or reshape."""
    return Site(span, Failure.SHAPE, f"{what}: the size {{0}} is negative")


def negative_rows(span: Span) -> Site:
    """The size of what the function of a map would give."""
    return Site(span, Failure.SHAPE, "map: {0} is no size of a result of its function")


def reshape(span: Span) -> Site:
    """Elements there, elements asked for."""
    return Site(span, Failure.SHAPE, "reshape: {0} elements cannot become {1}")


def too_large(span: Span, what: str = "") -> Site:
    """No values: an array of more bytes than memory has."""
    return Site(span, Failure.MEMORY, f"{what}: the array would be too large" if what else "an array would be too large")


def rows(what: str, dim: int, span: Span) -> Site:
    """Two arrays that are joined: sizes of dimension `dim` (1 or more) of the first and the other."""
    inner = "the rows have" if dim == 1 else f"dimension {dim} has"
    return Site(span, Failure.SHAPE, f"{what}: {inner} {{0}} and {{1}} elements")


def heads(what: str, span: Span) -> Site:
    """Arrays that are gone through together: the size of the first and of another."""
    return Site(span, Failure.SHAPE, f"{what}: the arrays have {{0}} and {{1}} elements")


def irregular(scalar: ScalarType, rank: int, span: Span) -> Site:
    """Position of the element, then the dimensions that it gives, then those that element 0 gave."""
    got = ", ".join(f"{{{d + 1}}}" for d in range(rank))
    first = ", ".join(f"{{{d + 1 + rank}}}" for d in range(rank))
    return Site(span, Failure.SHAPE, f"irregular map: element {{0}} gives {scalar}[{got}], element 0 gave {scalar}[{first}]")


def neutral(what: str, dim: int, span: Span) -> Site:
    """Dimension `dim` of the neutral element, that of the rows."""
    of = "" if dim == 0 else f" in dimension {dim}"
    return Site(span, Failure.SHAPE, f"{what}: the neutral element has {{0}} elements{of}, the rows have {{1}}")


def combined(what: str, dim: int, span: Span) -> Site:
    """Dimension `dim` of what the operator gives, that of the neutral element."""
    of = "" if dim == 0 else f" in dimension {dim}"
    return Site(span, Failure.SHAPE, f"{what}: the operator gives {{0}} elements{of}, the neutral element has {{1}}")


def update(dim: int, span: Span) -> Site:
    """Dimension `dim` of the value, that of the part that it replaces."""
    of = "" if dim == 0 else f" in dimension {dim}"
    return Site(span, Failure.SHAPE, f"set: the value has {{0}} elements{of}, the part that it replaces has {{1}}")


def scattered(what: str, span: Span) -> Site:
    """Number of indices, number of values."""
    return Site(span, Failure.SHAPE, f"{what}: {{0}} indices, but {{1}} values")


def argument(function: str, param: str, dim: int, term: str, origin: str | None, span: Span) -> Site:
    """The size of dimension `dim` of an argument, the value of the term that its type has there.

    origin says what gave the term its value: "from x, dimension 0".
    """
    where = "" if dim == 0 else f" in dimension {dim}"
    why = f" ({origin})" if origin else ""
    return Site(span, Failure.SHAPE, f"{function}: {param} has {{0}} elements{where}, but {_valued(term)}{why}")


def _valued(term: str) -> str:
    """A term and its value, {1}; a number has no other."""
    return "{1} are declared" if term.isdigit() else f"{term} is {{1}}"


def negative_size(function: str, size: str, span: Span) -> Site:
    """A size that a caller's sizes give is negative: its value."""
    return Site(span, Failure.SHAPE, f"{function}: the size {size} would be {{0}}")


def promise(function: str, term: str, position: int, dim: int, span: Span) -> Site:
    """The size found, the size promised, of dimension `dim` of result `position`."""
    of = f"dimension {dim} of " if dim else ""
    result = "the result" if position == 0 else f"result {position}"
    promised = "{1} are promised" if term.isdigit() else f"{term} is promised, which is {{1}}"
    return Site(span, Failure.SHAPE, f"{function}: {of}{result} has {{0}} elements, but {promised}")


def stated(name: str, dim: int, term: str, span: Span) -> Site:
    """`x: f64[n] = e`: the size found, the size stated."""
    where = "" if dim == 0 else f" in dimension {dim}"
    return Site(span, Failure.SHAPE, f"{name} has {{0}} elements{where}, but {_valued(term)}")


def kernel_rounds(procedure: str, span: Span) -> Site:
    """A loop with more rounds than one of a kernel has: the interpreter would take hours for them."""
    return Site(span, Failure.MEMORY, f"{procedure}: {{0}} rounds of a loop are more than a kernel can count")


def kernel_size(procedure: str, formal: str, span: Span) -> Site:
    """A size that is larger than a kernel takes: the interpreter runs out of memory there, or is near it."""
    return Site(span, Failure.MEMORY, f"{procedure}: {formal} is {{0}}, which no size of a kernel can be")
