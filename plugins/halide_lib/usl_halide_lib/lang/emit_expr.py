"""Data expressions as text of the object language (halide.md §6).

Indices that are linear become control expressions; others are i32 data in `idx`, whose clamp the bounds make idle. Conditions
become `select` on `<`. What has no form in the object language is E770.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from usl_core.errors import Span
from usl_halide_lib.lang.elementary import exp32, log32
from usl_halide_lib.lang.errors import refuse
from usl_halide_lib.lang.linear import Extremum, Facts, Lin, Quotient, Unknown, Variable, extremum, substituted
from usl_halide_lib.lang.nodes import Const, ImageRead, Name, Node, Op, Read, show
from usl_halide_lib.lang.normal import Normal
from usl_halide_lib.lang.types import BOOL, F32, I32, Int, Type

FUNCTIONS = {
    **{
        name: name
        for name in ("sqrt", "exp", "log", "sin", "cos", "tan", "tanh", "pow", "atan2", "erf", "floor", "ceil", "trunc")
    },
    "round": "rint",
}
"""By operation the function of the object language."""
BITS = {"bitand": "&", "bitor": "|", "bitxor": "^"}


@dataclass(frozen=True, slots=True)
class Stored:
    """A buffer: its names (one per element of a tuple), the first place and the extent of each dimension, x first."""

    names: tuple[str, ...]
    low: tuple[Lin, ...]
    extent: tuple[Lin, ...]


@dataclass
class Writer:
    """Text in the scope of one stage. places has the value of each loop's variable; names what variables are called."""

    normal: Normal
    facts: Facts
    names: dict[str, str]
    places: dict[str, Lin]
    buffers: dict[str, Stored]
    scalars: frozenset[str]
    fresh: Callable[[str], str]
    at_point: Callable[[Read, Writer], tuple[str, ...] | None]
    """The scalars of a func that has no buffer."""
    is_tight: bool = True
    """Whether the ends of data at an index are those of its values. A clamp to these does nothing, and takes no time."""
    iterators: frozenset[str] = frozenset()
    outer: frozenset[str] = frozenset()
    """The symbols of the loops around those over rows and places in rows."""
    points: dict[tuple[str, tuple[Node, ...]], tuple[str, ...]] = field(default_factory=dict)
    """What `at_point` has made for this statement."""
    branches: int = 0
    """How many selects are around what is written."""
    loads: dict[str, str] = field(default_factory=dict)
    """The scalars for accesses in branches, and for values that `if` chooses."""
    span: Span | None = None
    before: list[str] = field(default_factory=list)
    """Statements that have to stand before the one that is written: scalars that are used twice."""

    def control(self, form: Lin) -> str:
        """A form as a control expression."""
        text = ""
        for atom, c in form.terms:
            term = self._atom(atom)
            sign = "-" if c < 0 else "+"
            factor = "" if abs(c) == 1 else f"{abs(c)} * "
            text = f"{text} {sign} {factor}{term}" if text else ("-" if c < 0 else "") + factor + term
        if not text:
            return str(form.constant)
        if not form.constant:
            return text
        return f"{text} {'-' if form.constant < 0 else '+'} {abs(form.constant)}"

    def _atom(self, atom: object) -> str:
        match atom:
            case Variable(name=name):
                return self.names[name]
            case Quotient(form=form, divisor=k):
                return f"(({self.control(form)}) / {k})"
            case Extremum(is_max=is_max, a=a, b=b):
                return f"{'max' if is_max else 'min'}({self.control(a)}, {self.control(b)})"
            case _:
                raise AssertionError(atom)

    def form(self, node: Node) -> Lin | None:
        """An index as a form over what P0 has; None if it depends on data."""
        form = self.normal.form(node)
        for name, value in self.places.items():
            form = substituted(form, name, value, self.facts)
        return None if _has_data(form) else form

    def place(self, buffer: Stored, index: tuple[Node, ...]) -> str:
        """The subscript of an access: dimensions in the order of NumPy."""
        return ", ".join(reversed([self._subscript(buffer, dim, each) for dim, each in enumerate(index[: len(buffer.low)])]))

    def _subscript(self, buffer: Stored, dim: int, index: Node) -> str:
        form, low = self.form(index), buffer.low[dim]
        if form is not None:
            return self.control(form - low)
        if self.is_tight and (ends := self._ends_of_data(index)) is not None:
            place = f"idx({self.data(index)}, {ends[0]}, {ends[1] + 1})"
            return place if low == Lin() else f"{place} - ({self.control(low)})"
        data = self.data(index) if low == Lin() else f"{self.data(index)} - i32({self.control(low)})"
        return f"idx({data}, 0, {self.control(extremum(True, [buffer.extent[dim], Lin((), 1)], self.facts))})"

    def _ends_of_data(self, index: Node) -> tuple[int, int] | None:
        """The ends of an index that is data, where its type and operations tell: what is read covers these."""
        match self.normal.form(index):
            case Lin(terms=((Unknown(low=int(low), high=int(high)), 1),), constant=added):
                return low + added, high + added
            case _:
                return None

    def data(self, node: Node) -> str:
        """A data expression of the node's type, as an operand."""
        match node:
            case Const(value=value, type=typ):
                return f"{typ.usl}({literal(value, typ)})"
            case Name(name=name, type=typ):
                if typ == I32:
                    form = self.form(node)
                    assert form is not None
                    return f"i32({self.control(form)})"
                assert name in self.scalars
                return self.names[name]
            case Read() if (names := self.at_point(node, self)) is not None:
                return names[node.part]
            case Read() | ImageRead():
                buffer = self.buffers[node.func if isinstance(node, Read) else node.image]
                name = buffer.names[node.part if isinstance(node, Read) else 0]
                return self._loaded(f"{name}[{self.place(buffer, node.index)}]", node.type) if buffer.low else name
            case Op(op=op, args=args):
                return self._operation(node, op, args)
            case _:
                raise AssertionError(node)

    def _loaded(self, access: str, typ: Type) -> str:
        """An access; in a branch a scalar of its value, so that a loop has no control flow and can be vectors."""
        if not self.branches:
            return access
        if access not in self.loads:
            self.loads[access] = self.fresh("t")
            self.before += [f"{self.loads[access]}: {typ.usl}", f"{self.loads[access]} = {access}"]
        return self.loads[access]

    def _in_branch(self, node: Node) -> str:
        self.branches += 1
        try:
            return self.data(node)
        finally:
            self.branches -= 1

    def bare(self, node: Node) -> str:
        """A data expression where the context gives a number its type."""
        return literal(node.value, node.type) if isinstance(node, Const) else self.data(node)

    def _operation(self, node: Op, op: str, args: tuple[Node, ...]) -> str:
        typ = node.type
        if typ == BOOL:
            return self.chosen(node, "u8(1)", "u8(0)")
        match op, args:
            case (("add" | "sub" | "mul"), (a, b)):
                symbol = {"add": "+", "sub": "-", "mul": "*"}[op]
                left = self.data(a) if isinstance(b, Const) else self.bare(a)
                return f"({left} {symbol} {self.bare(b)})"
            case (("min" | "max"), (a, b)):
                return f"{op}({self.data(a)}, {self.bare(b)})"
            case "neg", (a,):
                return f"(-{self.data(a)})"
            case "select", (cond, a, b) if (edge := self._edge(cond)) is not None:
                test, is_met = edge
                return self._on_edge(test, a if is_met else b, b if is_met else a, typ)
            case "select", (cond, a, b):
                return self.chosen(cond, self._in_branch(a), self._in_branch(b), typ)
            case (("div" | "mod"), (a, b)):
                return self._divided(op, a, b)
            case (("shl" | "shr"), (a, Const(value=distance))):
                return self._shifted(a, int(distance) if op == "shl" else -int(distance))
            case (("shl" | "shr"), (a, b)):
                return self._shifted_by(op, a, b)
            case _, (a, b) if op in BITS:
                return f"({self.data(a)} {BITS[op]} {self.data(b)})"
            case "bitnot", (a,):
                return f"(~{self.data(a)})"
            case "cast", (a,):
                return self._cast(typ, a)
            case "saturating_cast", (a,):
                return self._saturated(typ, a)
            case (("bits" | "from_bits"), (a,)):
                return f"{op}({self.data(a)})"
            case "abs", (a,):
                if a.type == typ:
                    return f"abs({self.data(a)})" if typ.is_float else self.data(a)
                return f"{typ.usl}(abs({self.data(a)}))"
            case "absd", (a, b):
                return self._distance(typ, a, b)
            case (("exp" | "log"), (a,)) if typ == F32:
                return (exp32 if op == "exp" else log32)(self.kept(a), self._named)
            case _ if op in FUNCTIONS:
                return f"{FUNCTIONS[op]}({', '.join(map(self.data, args))})"
            case _:
                raise refuse(f"{op} in {show(node)} has no form in compiled code", code="E770", span=self.span)

    def kept(self, node: Node) -> str:
        """A name or access for a value that is used more than once."""
        text = self.data(node)
        return text if isinstance(node, Const | Name) else self._named(node.type.usl, text)

    def _named(self, typ: str, text: str) -> str:
        """A scalar for a value of a type."""
        name = self.fresh("t")
        self.before += [f"{name}: {typ}", f"{name} = {text}"]
        return name

    def chosen(self, cond: Node, yes: str, no: str, typ: Type = BOOL) -> str:
        """yes where a condition holds, else no."""
        match cond:
            case Op(op="lt" | "gt" | "le" | "ge", args=(a, b)):
                if cond.op in ("gt", "le"):
                    a, b = b, a
                if cond.op in ("lt", "gt"):
                    return f"select({self.data(a)}, {self.bare(b)}, {yes}, {no})"
                if a.type.is_float:
                    return self._chosen_unless_nan(b, a, yes, no, typ)
                return f"select({self.data(a)}, {self.bare(b)}, {no}, {yes})"
            case Op(op="eq" | "ne", args=(a, b)):
                if cond.op == "ne":
                    yes, no = no, yes
                if isinstance(b, Const) and b.value in _ends_of(a):
                    left, right = self.data(a), self.bare(b)
                    left, right = (right, left) if b.value == _ends_of(a)[0] else (left, right)
                    return f"select({left}, {right}, {no}, {yes})"
                yes, no = self._short(yes, typ), self._short(no, typ)
                left, right = (self._truth(each, typ) if a.type == BOOL else self.kept(each) for each in (a, b))
                yes = self._if_numbers(a, b, left, right, yes, no)
                return f"select({left}, {right}, {no}, select({right}, {left}, {no}, {yes}))"
            case Op(op="and", args=(a, b)):
                no = self._short(no, typ)
                return self.chosen(a, self.chosen(b, yes, no, typ), no, typ)
            case Op(op="or", args=(a, b)):
                yes = self._short(yes, typ)
                return self.chosen(a, yes, self.chosen(b, yes, no, typ), typ)
            case Op(op="not", args=(a,)):
                return self.chosen(a, no, yes, typ)
            case Op(op="select", args=(c, a, b)):
                yes, no = self._short(yes, typ), self._short(no, typ)
                return self.chosen(c, self.chosen(a, yes, no, typ), self.chosen(b, yes, no, typ), typ)
            case Op(op="cast", args=(a,)):
                zero = Const(0, a.type)
                return self.chosen(Op("ne", (a, zero), BOOL), yes, no, typ)
            case Const(value=value):
                return yes if value else no
            case _:
                return f"select(0, {self.data(cond)}, {yes}, {no})"

    def _chosen_unless_nan(self, a: Node, b: Node, yes: str, no: str, typ: Type) -> str:
        """yes where `a <= b`, of floats: b is not less, and both are numbers. That a is below the number after b says both."""
        if isinstance(b, Const) and (above := beside(b, 1)) is not None:
            return f"select({self.data(a)}, {above}, {yes}, {no})"
        if isinstance(a, Const) and (below := beside(a, -1)) is not None:
            return f"select({b.type.usl}({below}), {self.data(b)}, {yes}, {no})"
        no, left, right = self._short(no, typ), self.kept(a), self.kept(b)
        return f"select({right}, {left}, {no}, {self._if_numbers(a, b, left, right, yes, no)})"

    def _if_numbers(self, a: Node, b: Node, left: str, right: str, yes: str, no: str) -> str:
        """yes, of floats only where neither is NaN: only then a sum of absolute values is above anything."""
        sizes = [f"abs({text})" for node, text in ((a, left), (b, right)) if may_be_nan(node)]
        return f"select({a.type.usl}(-1.0), {' + '.join(sizes)}, {yes}, {no})" if sizes else yes

    def _truth(self, node: Node, typ: Type) -> str:
        """A scalar that is 1 or 0, as wide as what is chosen by it: vectors have as many lanes then."""
        wide = f"i{max(typ.bits, 8)}"
        return self._named(wide, self.chosen(node, f"{wide}(1)", f"{wide}(0)", Int(max(typ.bits, 8))))

    def _short(self, text: str, typ: Type) -> str:
        """A text that may stand several times: itself, or a scalar of its value."""
        if len(text) < 24:
            return text
        name = self.fresh("t")
        self.before += [f"{name}: {typ.usl}", f"{name} = {text}"]
        return name

    def _divided(self, op: str, a: Node, b: Node) -> str:
        typ = a.type
        if typ.is_float:
            if op == "mod":
                x, y = self.kept(a), self.kept(b)
                return f"({x} - ({y} * floor({x} / {y})))"
            return f"({self.data(a)} / {self.bare(b)})"
        if op == "mod" and (place := self._modulo(a, b)) is not None:
            return f"i32({place})"
        symbol = "//" if op == "div" else "%"
        if not typ.is_signed or self._is_positive(b):
            return f"({self.data(a)} {symbol} {self.bare(b)})"
        return self._by_any(typ, op, self.kept(a), self.kept(b))

    def _modulo(self, a: Node, b: Node) -> str | None:
        """The rest of a place by a power of two, which wrapping does not change, as a control expression."""
        if not (a.type == I32 and isinstance(b, Const) and b.value in (2, 4, 8)):
            return None
        form = self.form(a)
        if form is None or not all(isinstance(atom, Variable) for atom, _ in form.terms):
            return None
        return f"({self.control(form)}) % {b.value}"

    def _is_positive(self, node: Node) -> bool:
        """Whether an integer is known to be positive whatever wraps."""
        match node:
            case Const(value=value):
                return value > 0
            case Name(name=name):
                least = self.facts.get(name, (None, None))[0]
                return least is not None and least > 0
            case Op(op="max", args=parts):
                return any(map(self._is_positive, parts))
            case _:
                return False

    def _by_any(self, typ: Type, op: str, a: str, b: str) -> str:
        """Euclidean division by what may be negative: floors by |b|, and the least integer, whose negation is itself, apart."""
        if op == "div" and typ.bits <= 32:
            return self._in_doubles(typ, a, b)
        least = f"{typ.usl}({typ.least})"
        size = self._named(typ.usl, f"select({b}, 0, -{b}, {b})")
        if op == "div":
            whole = self._named(typ.usl, f"{a} // {size}")
            plain = f"select({b}, 0, -{whole}, {whole})"
        else:
            plain = f"{a} % {size}"
        by_least = f"select({a}, 0, {typ.usl}(1), {typ.usl}(0))" if op == "div" else f"select({a}, 0, {a} - {least}, {a})"
        return f"select({least}, {b}, {plain}, {by_least})"

    def _in_doubles(self, typ: Type, a: str, b: str) -> str:
        """The same in vectors of f64, by a product with 1 / |b|, which loops compute once where b is fixed.

        (a + 1/2) / |b| is 1 / 2|b| away from any whole number; what is rounded twice is off by less than 2^-20 / |b|.
        """
        inverse = self._named("f64", f"f64(1.0) / max(abs(f64({b})), 1.0)")
        sign = self._named(typ.usl, f"select({b}, 0, {typ.usl}(-1), select(0, {b}, {typ.usl}(1), {typ.usl}(0)))")
        whole = self._named(typ.usl, f"{typ.usl}(floor((f64({a}) + 0.5) * {inverse}))")
        return f"({whole} * {sign})"

    def _shifted(self, a: Node, distance: int) -> str:
        """a shifted left, or right by a negative distance, in steps whose factor the type can hold."""
        typ = a.type
        if distance >= typ.bits:
            return f"{typ.usl}(0)"
        symbol, left = ("*", distance) if distance >= 0 else ("//", min(-distance, typ.bits))
        result, most = self.data(a), typ.bits - 1 - typ.is_signed
        while left > 0:
            step = min(left, most)
            result = f"({result} {symbol} {1 << step})"
            left -= step
        return result

    def _shifted_by(self, op: str, a: Node, b: Node) -> str:
        """a shifted by data: a negative distance goes the other way, and from the width on all bits are shifted out."""
        typ, bits = a.type, a.type.bits
        there, back = ("<<", ">>") if op == "shl" else (">>", "<<")
        x, y = self.kept(a), self.kept(b)
        forth = f"({x} {there} {typ.usl}(min({y}, {bits})))"
        return f"select({y}, 0, ({x} {back} {typ.usl}(-max({y}, {-bits}))), {forth})" if b.type.is_signed else forth

    def _cast(self, typ: Type, a: Node) -> str:
        if a.type == BOOL:
            return self.chosen(a, f"{typ.usl}(1)", f"{typ.usl}(0)", typ)
        return f"{typ.usl}({self.data(a)})"

    def _saturated(self, typ: Type, a: Node) -> str:
        value = self.data(a)
        if a.type.is_int and typ.is_int:
            if a.type.greatest > typ.greatest:
                value = f"min({value}, {typ.greatest})"
            if a.type.least < typ.least:
                value = f"max({value}, {typ.least})"
        return f"{typ.usl}({value})"

    def _distance(self, typ: Type, a: Node, b: Node) -> str:
        if typ.is_float:
            return f"abs({self.data(a)} - {self.data(b)})"
        x, y = self.kept(a), self.kept(b)
        return f"select({x}, {y}, {typ.usl}({y}) - {typ.usl}({x}), {typ.usl}({x}) - {typ.usl}({y}))"

    def _edge(self, cond: Node) -> tuple[str, bool] | None:
        """A condition on places alone as a conjunction, and whether it is that or its opposite: where an image ends, say.

        It is tested by `if`, so that loops can be cut where it changes. That of a parity, say, changes too often, and one on
        outer loops alone is the same in all of a row: with a select the row has no branches, and can be vectors.
        """
        match cond:
            case Op(op="and" | "lt" | "le" | "gt" | "ge"):
                comparisons, is_met = _conjuncts(cond, "and"), True
            case Op(op="or"):
                comparisons, is_met = _conjuncts(cond, "or"), False
            case _:
                return None
        texts, varying = [], set[str]()
        for each in comparisons:
            opposite = {"lt": ">=", "le": ">", "gt": "<=", "ge": "<"}
            if not (isinstance(each, Op) and each.op in opposite and each.args[0].type == I32):
                return None
            left, right = map(self.form, each.args)
            if left is None or right is None or not _is_edge(left - right):
                return None
            varying |= {name for name in (left - right).names if _is_iterator(name)}
            symbol = {"lt": "<", "le": "<=", "gt": ">", "ge": ">="}[each.op] if is_met else opposite[each.op]
            texts.append(f"{self.control(left)} {symbol} {self.control(right)}")
        return (" and ".join(texts), is_met) if varying - self.outer else None

    def _on_edge(self, test: str, inside: Node, outside: Node, typ: Type) -> str:
        """A scalar that is one of two values, both of them computed before."""
        yes, no = self._in_branch(inside), self._in_branch(outside)
        known = f"{test} ? {yes} : {no}"
        if known not in self.loads:
            name = self.loads[known] = self.fresh("t")
            self.before += [f"{name}: {typ.usl}", f"if {test}:", f"    {name} = {yes}", "else:", f"    {name} = {no}"]
        return self.loads[known]

    def condition(self, cond: Node) -> str | None:
        """A condition for `if`, of control values if it is linear; None where only `chosen` can say it."""
        match cond:
            case Op(op="and" | "or", args=(a, b)):
                left, right = self.condition(a), self.condition(b)
                return None if left is None or right is None else f"({left} {cond.op} {right})"
            case Op(op="lt" | "le" | "gt" | "ge" | "eq" | "ne", args=(a, b)) if a.type == I32:
                left_form, right_form = self.form(a), self.form(b)
                if left_form is None or right_form is None:
                    return None
                symbol = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}[cond.op]
                return f"{self.control(left_form)} {symbol} {self.control(right_form)}"
            case Op(op="not", args=(a,)):
                inner = self.condition(a)
                return None if inner is None else f"(not {inner})"
            case _:
                return None


def _ends_of(node: Node) -> tuple[int, ...]:
    """The least and the greatest value that an integer is known to have; of floats nothing is known."""
    match node:
        case Op(op="mod", args=(a, Const(value=value))) if a.type.is_int and value > 0:
            return 0, int(value) - 1
        case _:
            return (node.type.least, node.type.greatest) if node.type.is_int else ()


def _conjuncts(cond: Node, op: str) -> list[Node]:
    """The operands of nested `and` or `or`."""
    if isinstance(cond, Op) and cond.op == op:
        return [each for arg in cond.args for each in _conjuncts(arg, op)]
    return [cond]


def _is_edge(gap: Lin) -> bool:
    """Whether the sign of a form changes once in a loop: iterators are in it, and it is linear in them."""
    inside = [
        atom.form.names if isinstance(atom, Quotient) else atom.a.names | atom.b.names
        for atom, _ in gap.terms
        if isinstance(atom, Quotient | Extremum)
    ]
    return any(map(_is_iterator, gap.names)) and not any(_is_iterator(name) for names in inside for name in names)


def _is_iterator(name: str) -> bool:
    return name.endswith("#")


def _has_data(form: Lin) -> bool:
    """Whether a form depends on data."""
    for atom, _ in form.terms:
        match atom:
            case Unknown():
                return True
            case Quotient(form=inner) if _has_data(inner):
                return True
            case Extremum(a=a, b=b) if _has_data(a) or _has_data(b):
                return True
            case _:
                pass
    return False


def may_be_nan(node: Node) -> bool:
    """Whether a value may be no number, as far as its form says."""
    match node:
        case Const():
            return False
        case Op(op="cast", args=(a,)):
            return may_be_nan(a)
        case Op(op="abs" | "neg" | "floor" | "ceil" | "round" | "trunc" | "min" | "max", args=parts):
            return any(map(may_be_nan, parts))
        case Op(op="select", args=(_, a, b)):
            return may_be_nan(a) or may_be_nan(b)
        case _:
            return node.type.is_float


def beside(number: Const, direction: int) -> str | None:
    """The float next to a number, above or below it; None where it is infinite, or subnormal, which is slow."""
    dtype = np.dtype(str(number.type))
    with np.errstate(all="ignore"):
        value = float(np.nextafter(dtype.type(float(number.value)), dtype.type(direction * math.inf)))
    is_normal = math.isfinite(value) and abs(value) >= float(np.finfo(dtype).tiny)
    return literal(Fraction(value), number.type) if is_normal else None


def literal(value: int | Fraction, typ: Type) -> str:
    """A number of a type as the object language writes it: floats as Python does, with all the digits that they have."""
    if not typ.is_float:
        return str(int(value))
    number = Fraction(value)
    return f"{number.numerator}.0" if number.denominator == 1 else repr(float(number))
