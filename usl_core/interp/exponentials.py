"""Exact numbers with exponentials: quotients of sums of q e^r, with rational q.

For rational r that is the field Q(e^q): sums whose exponents differ are 0 only if all their coefficients are (Lindemann and
Weierstrass; Baker 1975, theorem 1.4), so that equality is decided by comparing terms, and the order by computing enough
digits. An exponent may itself be such a quotient; that different ones are independent too is Schanuel's conjecture then.
A quotient that is rational is always a Fraction or an int, never an object of this module.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from decimal import ROUND_HALF_EVEN, Context, Decimal, localcontext
from fractions import Fraction
from typing import Any

from usl_core.interp.values import Fault, SizeFault

MOST_TERMS = 3000
"""Longer sums are not computed with."""
_START, _END = 40, 5000
"""Significant digits of the first and of the last try to decide an order."""
_FAR = 10_000_000
"""e^-_FAR counts as an error in sums of other terms, and e^_FAR is too long to write down."""

Exponent = Any
"""A Fraction or a Quotient."""
Terms = Mapping[Exponent, Fraction]


def whole(value: int | Fraction) -> int | Fraction:
    """value as an int where it is one."""
    return value.numerator if value.denominator == 1 else value


class Quotient:
    """num / den, both sums of terms, den with 1 as its first term; not rational."""

    __slots__ = ("_digits", "den", "num")

    def __init__(self, num: Terms, den: Terms) -> None:
        self.num = num
        self.den = den
        self._digits: dict[int, Decimal] = {}

    # ---- arithmetic; the other side is an int, a Fraction or a Quotient, and poison takes care of itself

    def __add__(self, other: Any) -> Any:
        parts = _parts(other)
        if parts is None:
            return NotImplemented
        num, den = parts
        if den == self.den:
            return _made(_sum(self.num, num), den)
        return _made(_sum(_product(self.num, den), _product(num, self.den)), _product(self.den, den))

    __radd__ = __add__

    def __neg__(self) -> Any:
        return Quotient({r: -q for r, q in self.num.items()}, self.den)

    def __sub__(self, other: Any) -> Any:
        return NotImplemented if _parts(other) is None else self + -other

    def __rsub__(self, other: Any) -> Any:
        return NotImplemented if _parts(other) is None else -self + other

    def __mul__(self, other: Any) -> Any:
        parts = _parts(other)
        return NotImplemented if parts is None else _made(_product(self.num, parts[0]), _product(self.den, parts[1]))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        parts = _parts(other)
        return NotImplemented if parts is None else _made(_product(self.num, parts[1]), _product(self.den, parts[0]))

    def __rtruediv__(self, other: Any) -> Any:
        parts = _parts(other)
        return NotImplemented if parts is None else _made(_product(self.den, parts[0]), _product(self.num, parts[1]))

    def __abs__(self) -> Any:
        return self if self.sign() > 0 else -self

    # ---- order

    def sign(self) -> int:
        """1 or -1: a number of this class is not 0."""
        return _sign(self.num) * _sign(self.den)

    def __eq__(self, other: object) -> Any:
        """Whether the cross products have the same terms."""
        if not isinstance(other, Quotient):
            return False if isinstance(other, int | float | Fraction) else NotImplemented
        return other is self or not _sum(_product(self.num, other.den), _product(other.num, self.den), -1)

    def __hash__(self) -> int:
        return 0  # equal numbers are written in many ways

    def _compared(self, other: Any, answer: Callable[[int], bool]) -> Any:
        if _parts(other) is None:
            return NotImplemented
        difference = self - other
        sign = difference.sign() if isinstance(difference, Quotient) else (difference > 0) - (difference < 0)
        return answer(sign)

    def __lt__(self, other: Any) -> Any:
        return self._compared(other, lambda sign: sign < 0)

    def __le__(self, other: Any) -> Any:
        return self._compared(other, lambda sign: sign <= 0)

    def __gt__(self, other: Any) -> Any:
        return self._compared(other, lambda sign: sign > 0)

    def __ge__(self, other: Any) -> Any:
        return self._compared(other, lambda sign: sign >= 0)

    # ---- as other numbers

    def decimal(self, digits: int) -> Decimal:
        """The number to so many significant digits."""
        found = self._digits.get(digits)
        if found is None:
            found = self._digits[digits] = self._quotient(digits + 3)
        return found

    def _quotient(self, digits: int) -> Decimal:
        (top, num), (bottom, den) = _value(self.num, digits), _value(self.den, digits)
        context = _context(digits)
        return context.multiply(context.divide(num, den), _power(top - bottom, digits))

    def __float__(self) -> float:
        return float(self.decimal(25))

    def __floor__(self) -> int:
        """The whole number below; digits are added until the next one is further away than the error."""
        digits = _START + max(0, self.decimal(5).adjusted())
        while digits <= _END:
            value = Fraction(self.decimal(digits))
            if math.floor(value * (1 - Fraction(1, 10**digits))) == math.floor(value * (1 + Fraction(1, 10**digits))):
                return math.floor(value)
            digits *= 2
        raise _undecided()

    def __ceil__(self) -> int:
        return math.floor(self) + 1

    def __trunc__(self) -> int:
        return math.floor(self) if self.sign() > 0 else math.ceil(self)

    def __round__(self, digits: None = None) -> int:
        whole_: int = math.floor(self + Fraction(1, 2))
        return whole_

    def __repr__(self) -> str:
        return f"{self.decimal(20)}"


def exp(x: Any) -> Any:
    """e^x, of an int, a Fraction or a Quotient."""
    return 1 if x == 0 else Quotient({x if isinstance(x, Quotient) else Fraction(x): Fraction(1)}, _ONE)


def rational(value: Any, digits: int) -> Any:
    """A number as functions take it that do not know exponentials: rounded to so many digits; anything else as it is."""
    if not isinstance(value, Quotient):
        return value
    return whole(Fraction(_context(digits).plus(value.decimal(digits + 10))))


def bit_length(value: Any) -> int:
    """The bits that an exact number takes, for limits."""
    if not isinstance(value, Quotient):
        return int(value.numerator.bit_length() + value.denominator.bit_length())
    return sum(bit_length(each) for part in (value.num, value.den) for term in part.items() for each in term)


# ---- sums of terms

_ONE: Terms = {Fraction(0): Fraction(1)}


def _parts(value: Any) -> tuple[Terms, Terms] | None:
    if isinstance(value, Quotient):
        return value.num, value.den
    if isinstance(value, int | Fraction):
        return ({Fraction(0): Fraction(value)} if value else {}), _ONE
    return None


def _sum(a: Terms, b: Terms, factor: int = 1) -> Terms:
    found = dict(a)
    for exponent, coefficient in b.items():
        total = found.get(exponent, Fraction(0)) + factor * coefficient
        if total:
            found[exponent] = total
        else:
            found.pop(exponent, None)
    return _limited(found)


def _product(a: Terms, b: Terms) -> Terms:
    if b is _ONE or a is _ONE:
        return a if b is _ONE else b
    if len(a) * len(b) > 100 * MOST_TERMS:
        raise SizeFault("a product of sums of exponentials is too long")
    found: dict[Exponent, Fraction] = {}
    for left, x in a.items():
        for right, y in b.items():
            exponent = left + right
            exponent = exponent if isinstance(exponent, Quotient) else Fraction(exponent)
            total = found.get(exponent, Fraction(0)) + x * y
            if total:
                found[exponent] = total
            else:
                found.pop(exponent, None)
    return _limited(found)


def _limited(terms: Terms) -> Terms:
    if len(terms) > MOST_TERMS:
        raise SizeFault(f"a sum of exponentials has more than {MOST_TERMS} terms")
    return terms


def _made(num: Terms, den: Terms) -> Any:
    """num / den, as a rational number if it is one; the first term of den becomes 1."""
    assert den, "what divides is not 0"
    if not num:
        return 0
    if den is not _ONE:
        rationals = all(isinstance(r, Fraction) for r in den)
        first = min(den) if rationals else next(iter(den))
        coefficient = den[first]
        if first != 0 or coefficient != 1:
            factor: Terms = {-first: 1 / coefficient}
            num, den = _product(num, factor), _product(den, factor)
        if len(den) == 1:
            den = _ONE
    ratio = _ratio(num, den)
    return Quotient(num, den) if ratio is None else whole(ratio)


def _ratio(num: Terms, den: Terms) -> Fraction | None:
    """The rational number that num / den is; None if it is none."""
    if len(num) != len(den):
        return None
    first = next(iter(den))
    ratio = num[first] / den[first] if first in num else None
    return ratio if ratio is not None and all(num.get(r) == q * ratio for r, q in den.items()) else None


# ---- digits


def _context(digits: int) -> Context:
    return Context(prec=digits, rounding=ROUND_HALF_EVEN, Emin=-999999999, Emax=999999999)


def _undecided() -> Fault:
    return Fault(f"{_END} digits do not decide how two numbers made of exponentials compare")


def _greatest(terms: Terms) -> Exponent:
    return max(terms)


def _scaled(terms: Terms, top: Exponent, digits: int) -> tuple[Decimal, Decimal]:
    """The sum of terms over e^top, and a bound of its error, with so many digits in between."""
    with localcontext(_context(digits)):
        total, error = Decimal(0), Decimal(0)
        unit = Decimal(10) ** (4 - digits)
        for exponent, coefficient in terms.items():
            size = Decimal(coefficient.numerator) / Decimal(coefficient.denominator)
            power = _decimal(exponent - top, digits)
            if power < -_FAR:
                error += abs(size) * unit
                continue
            term = size * power.exp()
            total += term
            error += abs(term) * (1 + abs(power)) * unit
        return total, error + abs(total) * unit * len(terms)


def _decimal(value: Any, digits: int) -> Decimal:
    """value, one of whose digits before the last may be wrong."""
    if isinstance(value, Quotient):
        return value.decimal(digits)
    value = Fraction(value)
    return _context(digits).divide(Decimal(value.numerator), Decimal(value.denominator))


def _sign(terms: Terms) -> int:
    if len({q > 0 for q in terms.values()}) == 1:
        return 1 if next(iter(terms.values())) > 0 else -1
    top, digits = _greatest(terms), _START
    while digits <= _END:
        total, error = _scaled(terms, top, digits)
        if abs(total) > error:
            return 1 if total > 0 else -1
        digits *= 2
    raise _undecided()


def _value(terms: Terms, digits: int) -> tuple[Exponent, Decimal]:
    """The greatest exponent, and the sum over its power, to so many significant digits."""
    top, precision = _greatest(terms), digits + 10
    while precision <= _END + digits:
        total, error = _scaled(terms, top, precision)
        if abs(total).scaleb(-digits) > error:
            return top, total
        precision *= 2
    raise _undecided()


def _power(exponent: Exponent, digits: int) -> Decimal:
    """e^exponent."""
    size = _decimal(exponent, digits)
    if abs(size) > _FAR:
        raise SizeFault("a power of e is too long to write down")
    digits += max(0, size.adjusted()) + 3
    return _decimal(exponent, digits).exp(_context(digits))
