"""What data expressions evaluate to at one place, as far as algebra may tell: normal forms, locations, poison.

`+ - *` are understood, and division of R or a floating type as a product with the inverse; so are the order and number of
operands of `min` and `max` (`relu` and `clamp` among them) and of `& | ^`, `fma`, shifts by a number, integer division by one
positive number and then another, and casts to a type that has all values of the one before. Of `exp`: e^a e^b = e^(a+b),
e^0 = 1 and 1 / e^a = e^-a; of `min` and `max` of R and floats: what all operands add, and a positive number that they are
multiplied by, stands outside. Other functions, casts and divisions are atoms, equal if their operands are. Control values
inside (indices, arguments) are compared by proof.
Everything compared by one `Values` is evaluated at one moment, so that equal reads have one value.
Reference: docs/semantics.md, "Data values".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from fractions import Fraction

from usl_core.analysis import affine, polynomial
from usl_core.analysis import formula as fml
from usl_core.analysis.affine import Lin
from usl_core.analysis.context import Context
from usl_core.analysis.effects import Access, Kind
from usl_core.analysis.formula import Formula
from usl_core.analysis.lower import Lowering
from usl_core.analysis.polynomial import Monomial, Poly
from usl_core.analysis.solver import Proved
from usl_core.ir import nodes as ir
from usl_core.ir.combining import as_extremes, operands
from usl_core.ir.externs import EXP, FMA, IDX, MAX, MIN, SELECT, TOTAL, Extern
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import child_nodes
from usl_core.ir.types import BOOL, R, ScalarType, Type

Leaf = Hashable
"""Something whose having no value (it is uninitialised, or a divisor is 0) leaves an expression without one (or stops the run,
in an index)."""


def is_partial(leaf: Leaf) -> bool:
    """Whether leaf is an operation that has no value for some arguments."""
    return isinstance(leaf, tuple) and (leaf[0] == "/" or isinstance(leaf[0], Extern))


class Values:
    """Normal forms of the expressions evaluated where ctx holds. Equal values may get different forms, never conversely."""

    def __init__(self, ctx: Context) -> None:
        self.ctx = ctx
        self._numbers: dict[Hashable, int] = {}
        self._quotients: dict[Poly, tuple[Poly, Fraction]] = {}
        self._exponents: dict[int, Poly] = {}
        self._read_points: dict[Sym, list[tuple[tuple[Lin, ...], int]]] = {}
        self._count = 0
        self._lowering = _SharedLowering(self)

    # ---- control values

    def index(self, expr: ir.Expr) -> Lin:
        """The linear form of an index expression; equal clamped data is one unknown."""
        return self.ctx.scope.resolve_strides(self._lowering.index(expr))

    @property
    def ranges(self) -> list[Formula]:
        """What is known of the clamped data met so far."""
        return self._lowering.ranges

    def same_index(self, a: Lin, b: Lin) -> bool:
        """Whether two indices are provably equal."""
        return a == b or isinstance(self.ctx.prove(fml.eq(a, b), self.ranges), Proved)

    # ---- data

    def data(self, expr: ir.Expr) -> Poly:
        """The normal form of a data expression.

        Raises:
            Undecided: it is too long.
        """
        typ = expr.type
        assert isinstance(typ, ScalarType)
        match expr:
            case ir.Literal(value=value):
                return polynomial.constant(typ, Fraction(value))
            case ir.UnaryMinus(arg=arg):
                return polynomial.scale(self.data(arg), -1)
            case ir.BinaryOp():
                return self._binary(expr, typ)
            case ir.Read(name=name, idx=idx):
                return polynomial.atom(typ, self.location(name, idx))
            case ir.ExternCall(fn=fn) if fn is MIN or fn is MAX:
                return self._combined(typ, fn.name, expr)
            case ir.ExternCall() if (extremes := as_extremes(expr)) is not expr:
                return self.data(extremes)
            case ir.ExternCall(fn=fn, args=(a, b, c)) if fn is FMA:
                return polynomial.add(self._product(self.data(a), self.data(b)), self.data(c))
            case ir.ExternCall(fn=fn, args=(a,)) if fn is EXP:
                return self._power(self.data(a))
            case ir.ExternCall(fn=fn, args=args):
                return self._opaque(typ, (fn, *map(self._operand, args)))
            case ir.Cast(arg=arg):
                while isinstance(arg, ir.Cast) and _is_needless(typ, arg.type, arg.arg.type):
                    arg = arg.arg
                return self.data(arg) if arg.type == typ else self._opaque(typ, ("cast", typ, self._operand(arg)))
            case ir.ReadConfig(config=config, field=field):
                return self._opaque(typ, (config, field))
            case ir.WindowExpr() | ir.StrideExpr():
                raise AssertionError(f"not a data expression: {expr!r}")

    def _binary(self, expr: ir.BinaryOp, typ: ScalarType) -> Poly:
        left, right = self.data(expr.lhs), self.data(expr.rhs)
        match expr.op:
            case "+":
                return polynomial.add(left, right)
            case "-":
                return polynomial.add(left, polynomial.scale(right, -1))
            case "*":
                return self._product(left, right)
            case "/" if typ.is_real:  # both sides of a / b = a * (1 / b) have a value where b is not 0
                factor, exponent, rest = self._divisor(right)
                inverse = polynomial.constant(typ, 1) if rest.constant == 1 else self._opaque(typ, ("/", rest))
                power = self._power(polynomial.scale(exponent, -1))
                return self._product(polynomial.scale(left, 1 / factor), self._product(inverse, power))
            case "<<" if right.constant is not None and right.constant < typ.bits:
                return polynomial.scale(left, 1 << int(right.constant))
            case ">>" if right.constant is not None and right.constant < typ.int_range()[1].bit_length():
                return self._quotient(typ, left, Fraction(1 << int(right.constant)))
            case "&" | "|" | "^":
                return self._combined(typ, expr.op, expr)
            case "/" if typ.is_int and 0 < (divisor := right.constant or Fraction(0)) <= typ.int_range()[1]:
                return self._quotient(typ, left, divisor)
            case op:
                return self._opaque(typ, (op, left, right))

    def _power(self, exponent: Poly) -> Poly:
        """e^exponent, one atom for all that the exponent adds."""
        if exponent.constant == 0:
            return polynomial.constant(exponent.type, 1)
        number = self._number((EXP, exponent))
        self._exponents[number] = exponent
        return polynomial.atom(exponent.type, number)

    def _product(self, a: Poly, b: Poly) -> Poly:
        """a * b, with one power of e in each term."""
        found = polynomial.mul(a, b)
        if all(sum(number in self._exponents for number in monomial) < 2 for monomial, _ in found.terms):
            return found
        total = polynomial.constant(a.type, 0)
        for monomial, coefficient in found.terms:
            exponent, rest = self._without_power(a.type, monomial)
            ((power, _),) = self._power(exponent).terms
            term = tuple(sorted((*rest, *power)))
            total = polynomial.add(total, polynomial.poly(a.type, {term: coefficient}))
        return total

    def _without_power(self, typ: ScalarType, monomial: Monomial) -> tuple[Poly, Monomial]:
        """The exponent of e in a product of atoms, and the other atoms."""
        exponent = polynomial.constant(typ, 0)
        for number in monomial:
            if number in self._exponents:
                exponent = polynomial.add(exponent, self._exponents[number])
        return exponent, tuple(number for number in monomial if number not in self._exponents)

    def _divisor(self, right: Poly) -> tuple[Fraction, Poly, Poly]:
        """A number other than 0, an exponent of e and the rest, whose product is right: only the rest may be 0."""
        if len(right.terms) != 1:
            return Fraction(1), polynomial.constant(right.type, 0), right
        ((monomial, factor),) = right.terms
        exponent, others = self._without_power(right.type, monomial)
        return factor, exponent, polynomial.poly(right.type, {others: Fraction(1)})

    def _quotient(self, typ: ScalarType, num: Poly, divisor: Fraction) -> Poly:
        """num / divisor, rounded down: `x / 2 / 2` is `x / 4`, as long as 4 is a number of the type."""
        inner = self._quotients.get(num)
        if inner is not None and inner[1] * divisor <= typ.int_range()[1]:
            num, divisor = inner[0], inner[1] * divisor
        if divisor == 1:
            return num
        found = self._opaque(typ, ("/", num, polynomial.constant(typ, divisor)))
        self._quotients[found] = num, divisor
        return found

    def _combined(self, typ: ScalarType, op: str, expr: ir.Expr) -> Poly:
        """`min`, `max`, `&`, `|` or `^` of whatever operands it has, in an order of their own: each once, of `^` those that are
        there an odd number of times."""
        counts = Counter(self._operands(op, expr))
        kept = [operand for operand, count in counts.items() if op != "^" or count % 2]
        if len(kept) < 2:
            return kept[0] if kept else polynomial.constant(typ, 0)
        if typ.is_int:
            return self._opaque(typ, (op, *sorted(kept, key=lambda poly: poly.terms)))
        shared = polynomial.poly(typ, dict(set.intersection(*(set(each.terms) for each in kept))))
        kept = [polynomial.add(each, polynomial.scale(shared, -1)) for each in kept]
        factor = max(abs(coefficient) for each in kept for _, coefficient in each.terms)
        kept = sorted((polynomial.scale(each, 1 / factor) for each in kept), key=lambda poly: poly.terms)
        return polynomial.add(shared, polynomial.scale(self._opaque(typ, (op, *kept)), factor))

    def _operands(self, op: str, expr: ir.Expr) -> Iterator[Poly]:
        """The operands of nested operations."""
        pair = operands(op, as_extremes(expr) if isinstance(expr, ir.ExternCall) else expr)
        if pair is None:
            yield self.data(expr)
            return
        for side in pair:
            yield from self._operands(op, side)

    def _opaque(self, typ: ScalarType, key: Hashable) -> Poly:
        return polynomial.atom(typ, self._number(key))

    def _number(self, key: Hashable) -> int:
        return self._numbers.setdefault(key, self._next())

    def _next(self) -> int:
        self._count += 1
        return self._count

    def _operand(self, expr: ir.Expr) -> Hashable:
        if isinstance(expr.type, ScalarType):
            return self.data(expr)
        return self.ctx.truth(expr) if expr.type is BOOL else self.index(expr)

    def location(self, name: Sym, idx: Sequence[ir.Expr]) -> int:
        """A number for the location `name[idx]`: one number is one location."""
        point = tuple(self.index(index) for index in idx)
        place = self.ctx.scope.resolve(Access(name, Kind.READ, point, (), (), True, ir.Literal(0, type=BOOL)))
        known = self._read_points.setdefault(place.buffer, [])
        for other, number in known:
            if all(self.same_index(a, b) for a, b in zip(place.point, other, strict=True)):
                return number
        known.append((place.point, self._next()))
        return self._count

    # ---- poison

    def leaves(self, expr: ir.Expr | ir.Interval) -> frozenset[Leaf]:
        """What leaves expr without a value if it has none; equal leaves do so together."""
        match expr:
            case ir.BinaryOp(op="/", rhs=rhs, type=ScalarType(is_real=True)) if (
                divisor := self._divisor(self.data(rhs))[2]
            ).constant != 1:
                return self._all(child_nodes(expr)) | {("/", divisor)}
            case ir.Read(name=name, idx=idx, type=ScalarType()):
                return self._all(idx) | {("read", self.location(name, idx))}
            case ir.ReadConfig(config=config, field=field):
                return frozenset({(config, field)})
            case ir.ExternCall(fn=fn, args=(a, b, x, y)) if fn is SELECT:
                arms = (self.leaves(x), self.leaves(y))
                chosen = {("select", self.data(a), self.data(b), *arms)} if any(arms) else set()
                return self._all((a, b)) | chosen
            case ir.ExternCall(fn=fn, args=(value, lo, hi)) if fn is IDX:
                inside = self.leaves(value)
                return self._all((lo, hi)) | ({("idx", inside)} if inside else frozenset())
            case ir.ExternCall(fn=fn, args=args) if fn not in TOTAL:
                return self._all(args) | {(fn, *map(self._operand, args))}
            case ir.ExprBase() | ir.Interval():  # without a value if an operand is
                return self._all(child_nodes(expr))

    def _all(self, exprs: Sequence[ir.Expr | ir.Interval]) -> frozenset[Leaf]:
        return frozenset[Leaf]().union(*map(self.leaves, exprs))


def _is_needless(typ: ScalarType, between: Type, source: Type) -> bool:
    """Whether a value of source casts to typ as it is just as it does by way of between: that has all values of source, and it
    does not make a conversion to an integer type saturate that wraps otherwise."""
    assert isinstance(between, ScalarType)
    if not isinstance(source, ScalarType):
        return False
    if source.is_int and between.is_int:
        (low, high), (least, greatest) = source.int_range(), between.int_range()
        return least <= low and high <= greatest
    if source.is_int:
        form = between.format  # integers of so many binary digits are among its values
        digits = min(form.precision, form.infinite - 1) if form else 0
        return typ.is_real and (between == R or max(map(abs, source.int_range())) <= 1 << digits)
    return between in (source, R) or bool(between.format and source.format and between.format.has_all_of(source.format))


class _SharedLowering(Lowering):
    """A lowering in which `idx` of equal data, and one configuration field, are one unknown."""

    def __init__(self, values: Values) -> None:
        super().__init__()
        self._values = values
        self._known: dict[Hashable, Sym] = {}

    def index(self, expr: ir.Expr) -> Lin:
        if isinstance(expr, ir.ReadConfig):
            return affine.var(self._shared((expr.config, expr.field), expr.field))
        return super().index(expr)

    def _call(self, fn: object, args: tuple[ir.Expr, ...]) -> Lin:
        if fn is not IDX:
            return super()._call(fn, args)
        lo, hi = self.index(args[1]), self.index(args[2])
        key = (self._values.data(args[0]), lo, hi)
        known = key in self._known
        value = affine.var(self._shared(key, "idx"))
        if not known:
            self.ranges += [fml.le(lo, value), fml.lt(value, hi)]
        return value

    def _shared(self, key: Hashable, name: str) -> Sym:
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self.unknown(name)
        return found
