"""The formals of a kernel: sizes, arrays, scalars, results, in that order, each made when the lowering first needs it.

Sizes of a `@proc` are at least 1, those of programs may be 0. So every kernel has two forms: the one that users schedule, for
sizes of 1 or more, and a general one with each size twice, `n: index` for loops and `n1: size` = max(n, 1) for storage.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from usl_core import build
from usl_core.ir.nodes import Expr
from usl_core.ir.sym import Sym
from usl_core.ir.types import I32, I64, ScalarType
from usl_soac.core import Const, Param, Type
from usl_soac.kernel_ops import data_type
from usl_soac.kernel_values import Arr, Scalar, Target
from usl_soac.scalars import BOOL
from usl_soac.sizes import Term, name


@dataclass(frozen=True, slots=True)
class Argument:
    """One formal, as what the caller passes for it: `of` is a Term for sizes, a Sym for what exists, a Param for results.

    bad is a result, too: 1 if a test has failed.
    """

    kind: Literal["size", "room", "index", "scalar", "narrow", "array", "result", "bad"]
    of: Term | Sym | Param | Const
    dims: tuple[Term, ...] = ()


@dataclass(slots=True)
class Formals:
    """Makes formals. In a first round, `wanted` collects sizes.

    types: what the names outside are; terms: those of them that are sizes of which more is known.
    """

    builder: build.ProcBuilder
    positive: bool
    types: Mapping[Sym, Type]
    terms: Mapping[Sym, Term]
    arguments: list[Argument] = field(default_factory=list)
    wanted: dict[Term, None] = field(default_factory=dict)
    flag: ScalarType = I32
    """The type of the number that says whether tests have failed, of which a register has as many as of what is computed."""
    bad: Target | None = None
    bounds: dict[Sym, bool] = field(default_factory=dict)
    """Numbers from outside that bound the rounds of loops, and whether one of these ends by data: for more than 2^31 - 1 there
    is no kernel."""
    is_empty: bool = False
    """Whether a size is 0 for certain."""
    _extents: dict[Term, tuple[Expr, Expr]] = field(default_factory=dict)
    _indices: dict[Sym, Expr] = field(default_factory=dict)
    _scalars: dict[Sym, Scalar] = field(default_factory=dict)
    _narrow: dict[Term, Expr] = field(default_factory=dict)
    _constants: dict[tuple[str, str], Scalar] = field(default_factory=dict)
    _arrays: dict[Sym, Arr] = field(default_factory=dict)
    _spellings: set[str] = field(default_factory=set)

    def bound(self, sym: Sym, ends_by_data: bool) -> None:
        """A number from outside bounds the rounds of a loop."""
        self.bounds[sym] = self.bounds.get(sym, False) or ends_by_data

    def spelling(self, text: str) -> str:
        """A name that no formal has yet."""
        plain = "".join(c for c in text if c.isascii() and (c.isalnum() or c == "_")) or "x"
        plain = plain if plain[0].isalpha() else f"x{plain}"
        made, count = plain, 1
        while made in self._spellings or made in _TAKEN:
            count += 1
            made = f"{plain}_{count}"
        self._spellings.add(made)
        return made

    def extent(self, term: Term) -> tuple[Expr, Expr]:
        """A dimension: how often loops go round, and how much room there is."""
        constant = term.constant
        if constant is not None and constant >= 1:
            return build.literal(constant), build.literal(constant)
        if constant is not None:
            self.is_empty = True
            return build.literal(0), build.literal(1)
        self.wanted[term] = None
        if term not in self._extents:
            self._extents[term] = self._made_extent(term)
        return self._extents[term]

    def _made_extent(self, term: Term) -> tuple[Expr, Expr]:
        b, text = self.builder, self.spelling(term.name.name if term.name is not None else "d")
        if self.positive:
            size = b.size(text)
            self.arguments.append(Argument("size", term))
            return size, size
        rounds, room = b.index(text), b.size(self.spelling(f"{text}1"))
        self.arguments += [Argument("size", term), Argument("room", term)]
        b.require(build.le(0, rounds))
        b.require(build.le(rounds, room))
        return rounds, room

    def relate(self) -> None:
        """Says how dimensions depend on each other, where that is affine: accesses are proved with it."""
        for term, (rounds, _) in list(self._extents.items()):
            if term.name is not None:
                continue
            if (sum_ := self.affine(term)) is not None:
                self.builder.require(build.eq(rounds, sum_))
            else:
                self._relate_sum(term, rounds)

    def _relate_sum(self, term: Term, rounds: Expr) -> None:
        """Says what this dimension has more than others, as that of a concatenation has: numbers, or dimensions."""
        for (one, first), (other, second) in itertools.combinations(self._extents.items(), 2):
            if one + other == term:
                self.builder.require(build.eq(rounds, build.add(first[0], second[0])))
                return
        for other, (size, _) in list(self._extents.items()):
            more = None if other == term else self._more(term - other)
            if more is not None:
                self.builder.require(build.eq(rounds, build.add(size, more)))

    def _more(self, term: Term) -> Expr | None:
        """A difference of dimensions: a number, another dimension, or affine over sizes that are formals."""
        if term in self._extents:
            return self._extents[term][0]
        small = all(abs(factor) <= _SMALL for _, factor in term.parts)  # else what is equal modulo 2^64 may differ
        if term.constant is not None:
            return build.literal(term.constant) if small else None
        return self.affine(term) if small and len(term.parts) < _FEW else None

    def size(self, term: Term) -> Expr | None:
        """The control value of a size that is a formal already, or an affine term of such."""
        return self._extents[term][0] if term in self._extents else self.affine(term)

    def fits_i32(self, term: Term) -> bool:
        """Whether it is a size that is a formal already, or that less a number: none is above 2^31 - 1."""
        less = [factor for atoms, factor in term.parts if not atoms]
        whole = term - less[0] if less else term
        return whole in self._extents and all(-(1 << 31) < factor <= 0 for factor in less)

    def narrow(self, term: Term) -> Expr:
        """Such a size as an i32, which the caller passes as a number: vectors have that in all lanes."""
        if term not in self._narrow:
            spelled = self.spelling(f"{term.name.name if term.name is not None else 'd'}_i32")
            self._narrow[term] = build.read(self.builder.scalar(spelled, I32))
            self.arguments.append(Argument("narrow", term))
        return self._narrow[term]

    def affine(self, term: Term) -> Expr | None:
        """A term over sizes that are formals already."""
        total: Expr | None = None
        for atoms, factor in term.parts:
            if atoms:
                product = Term(((atoms, 1),))
                if product not in self._extents or product == term:
                    return None
                part: Expr = self._extents[product][0]
                part = part if factor == 1 else build.mul(factor, part)
            else:
                part = build.literal(factor)
            total = part if total is None else build.add(total, part)
        return total

    def index(self, sym: Sym) -> Expr:
        """An i64 from outside as a control value."""
        if name(sym) in self._extents:
            return self._extents[name(sym)][0]
        if sym not in self._indices:
            self._indices[sym] = self.builder.index(self.spelling(sym.name))
            self.arguments.append(Argument("index", sym))
        return self._indices[sym]

    def scalar(self, sym: Sym) -> Scalar:
        """A scalar from outside as data."""
        size = self.terms.get(sym, name(sym))
        if size in self._extents:
            return Scalar(I64, build.cast(I64, self._extents[size][0]))
        if sym not in self._scalars:
            typ = self.types[sym].scalar
            read = build.read(self.builder.scalar(self.spelling(sym.name), data_type(typ)))
            self.arguments.append(Argument("scalar", sym))
            self._scalars[sym] = as_scalar(typ, read)
        return self._scalars[sym]

    def constant(self, const: Const) -> Scalar:
        """An infinity or NaN, which the object language has no literals for: the caller passes it."""
        key = const.scalar.name, repr(const.value)
        if key not in self._constants:
            signed = "nan" if const.value != const.value else "inf" if const.value > 0 else "minus_inf"
            spelled = self.spelling(signed)
            read = build.read(self.builder.scalar(spelled, const.scalar))
            self.arguments.append(Argument("scalar", const))
            self._constants[key] = Scalar(const.scalar, read)
        return self._constants[key]

    def array(self, sym: Sym, dims: Sequence[Term]) -> Arr:
        """An array from outside."""
        if sym not in self._arrays:
            typ = self.types[sym].scalar
            buffer = self.builder.tensor(self.spelling(sym.name), data_type(typ), [self.extent(dim)[1] for dim in dims])
            self.arguments.append(Argument("array", sym, tuple(dims)))
            self._arrays[sym] = reading(typ, tuple(dims), Target(buffer))
        return self._arrays[sym]

    def result(self, param: Param, dims: Sequence[Term]) -> Target:
        """A result: of a scalar an array of one element."""
        extents: list[build.Value] = [self.extent(dim)[1] for dim in dims]
        buffer = self.builder.tensor(self.spelling(param.name.name), data_type(param.type.scalar), extents or [1])
        self.arguments.append(Argument("result", param, tuple(dims)))
        return Target(buffer, () if dims else (build.literal(0),))

    def failures(self) -> Target:
        """Where it is noted that a test has failed."""
        if self.bad is None:
            bad = Param(Sym(self.spelling("bad")), Type(self.flag))
            self.bad = Target(self.builder.tensor(bad.name.name, self.flag, (1,)), (build.literal(0),))
            self.arguments.append(Argument("bad", bad))
        return self.bad

    @property
    def is_wide(self) -> bool:
        """Whether numbers of 64 bits are computed, or real ones read; indices of 64 bits may stand beside narrower elements."""
        results = (each.of for each in self.arguments if each.kind == "result")
        arrays = (each.of for each in self.arguments if each.kind == "array")
        found = [each.type.scalar for each in results if isinstance(each, Param)]
        found += [typ for each in arrays if isinstance(each, Sym) and (typ := self.types[each].scalar).is_real]
        return any(typ.bits == I64.bits for typ in found)


_SMALL, _FEW = 2**16, 8
_TAKEN = frozenset(
    "for in if else and or not def return pass seq par size index bool min max select idx check assert is".split()
)


def as_scalar(typ: ScalarType, read: Expr) -> Scalar:
    """What an element of a buffer is."""
    if typ is BOOL:
        return Scalar(BOOL, condition=build.ne(read, 0))
    return Scalar(typ, read)


def reading(typ: ScalarType, dims: tuple[Term, ...], target: Target) -> Arr:
    """The array that is in a buffer."""

    def at(indices: Sequence[Expr]) -> Scalar:
        place = target
        for index in indices:
            place = place.inside(index)
        return as_scalar(typ, build.read(place.buffer, *place.indices))

    return Arr(typ, dims, at)
