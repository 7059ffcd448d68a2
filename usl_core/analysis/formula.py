"""Formulas over linear forms, always in negation normal form.

Literals are `Ge` (form >= 0), `Eq` (form == 0) and `Bool`; an inequality `!=` is a disjunction of two `Ge`. Quantified formulas
occur where an obligation speaks of "some earlier write". Constructors simplify and normalise; equality is structural.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from math import gcd
from typing import assert_never

from usl_core.analysis import affine
from usl_core.analysis.affine import Lin, Stride
from usl_core.ir.sym import Sym
from usl_core.records import dataclass


@dataclass(frozen=True, slots=True)
class Const:
    """True or false."""

    value: bool


TRUE, FALSE = Const(True), Const(False)


@dataclass(frozen=True, slots=True)
class Ge:
    """lin >= 0."""

    lin: Lin


@dataclass(frozen=True, slots=True)
class Eq:
    """lin == 0."""

    lin: Lin


@dataclass(frozen=True, slots=True)
class Bool:
    """A boolean variable, or its negation."""

    name: Sym
    positive: bool = True


@dataclass(frozen=True, slots=True)
class And:
    """All of args hold."""

    args: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """One of args holds."""

    args: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Exists:
    """body holds for some integers in place of names."""

    names: tuple[Sym, ...]
    body: Formula


@dataclass(frozen=True, slots=True)
class Forall:
    """body holds for all integers in place of names."""

    names: tuple[Sym, ...]
    body: Formula


Formula = Const | Ge | Eq | Bool | And | Or | Exists | Forall


def ge(a: Lin, b: Lin | int = 0) -> Formula:
    """a >= b, with common factors taken out (and the constant rounded, as all atoms are integers)."""
    lin = a - b if b else a
    if not lin.terms:
        return TRUE if lin.const >= 0 else FALSE
    return Ge(affine.lowest(lin))


def le(a: Lin, b: Lin | int) -> Formula:
    """`a <= b`."""
    return ge(b - a)


def lt(a: Lin, b: Lin | int) -> Formula:
    """`a < b`, over the integers `a <= b - 1`."""
    return ge(b - a, 1)


def eq(a: Lin, b: Lin | int = 0) -> Formula:
    """`a == b`."""
    lin = a - b
    if not lin.terms:
        return TRUE if lin.const == 0 else FALSE
    return FALSE if lin.const % gcd(*lin.terms.values()) else Eq(affine.lowest(lin))


def ne(a: Lin, b: Lin | int = 0) -> Formula:
    """`a != b`."""
    return not_(eq(a, b))


def and_(args: Iterable[Formula]) -> Formula:
    """The conjunction, without parts that are true; false if one is."""
    flat: dict[Formula, None] = {}
    for arg in args:
        if isinstance(arg, And):
            flat.update(dict.fromkeys(arg.args))
        elif not isinstance(arg, Const):
            flat[arg] = None
        elif not arg.value:
            return FALSE
    if not flat:
        return TRUE
    return next(iter(flat)) if len(flat) == 1 else And(tuple(flat))


def or_(args: Iterable[Formula]) -> Formula:
    """The disjunction, without parts that are false; true if one is."""
    flat: dict[Formula, None] = {}
    for arg in args:
        if isinstance(arg, Or):
            flat.update(dict.fromkeys(arg.args))
        elif not isinstance(arg, Const):
            flat[arg] = None
        elif arg.value:
            return TRUE
    if not flat:
        return FALSE
    return next(iter(flat)) if len(flat) == 1 else Or(tuple(flat))


def not_(f: Formula) -> Formula:
    """The negation, pushed down to the comparisons."""
    match f:
        case Const(value=value):
            return FALSE if value else TRUE
        case Ge(lin=lin):
            return ge(-lin, 1)
        case Eq(lin=lin):
            return or_([ge(lin, 1), ge(-lin, 1)])
        case Bool(name=name, positive=positive):
            return Bool(name, not positive)
        case And(args=args):
            return or_([not_(a) for a in args])
        case Or(args=args):
            return and_([not_(a) for a in args])
        case Exists(names=names, body=body):
            return forall(names, not_(body))
        case Forall(names=names, body=body):
            return exists(names, not_(body))
        case _:
            assert_never(f)


def implies(a: Formula, b: Formula) -> Formula:
    """`not a or b`."""
    return or_([not_(a), b])


def iff(a: Formula, b: Formula) -> Formula:
    """a and b are both true or both false. What both ask for is assumed of the rest."""
    both = [part for part in conjuncts(a) if part in conjuncts(b)]
    a, b = (and_([part for part in conjuncts(each) if part not in both]) for each in (a, b))
    return or_([*map(not_, both), and_([a, b]), and_([not_(a), not_(b)])])


def exists(names: Iterable[Sym], body: Formula) -> Formula:
    """body for some values of names; those that do not occur in it are left out."""
    used = set(free_syms(body))
    kept = tuple(n for n in names if n in used)
    return Exists(kept, body) if kept else body


def forall(names: Iterable[Sym], body: Formula) -> Formula:
    """body for all values of names; those that do not occur in it are left out."""
    used = set(free_syms(body))
    kept = tuple(n for n in names if n in used)
    return Forall(kept, body) if kept else body


def conjuncts(f: Formula) -> tuple[Formula, ...]:
    """The parts of a conjunction, or f itself."""
    return f.args if isinstance(f, And) else (f,)


def lins(f: Formula) -> Iterator[Lin]:
    """Every linear form of a literal in f."""
    match f:
        case Ge(lin=lin) | Eq(lin=lin):
            yield lin
        case And(args=args) | Or(args=args):
            for arg in args:
                yield from lins(arg)
        case Exists(body=body) | Forall(body=body):
            yield from lins(body)
        case Const() | Bool():
            return
        case _:
            assert_never(f)


def free_syms(f: Formula) -> Iterator[Sym]:
    """The free variables of f, with repeats."""
    match f:
        case Ge(lin=lin) | Eq(lin=lin):
            yield from affine.syms(lin)
        case Bool(name=name):
            yield name
        case And(args=args) | Or(args=args):
            for arg in args:
                yield from free_syms(arg)
        case Exists(names=names, body=body) | Forall(names=names, body=body):
            yield from (s for s in free_syms(body) if s not in names)
        case Const():
            return
        case _:
            assert_never(f)


StrideMap = Callable[[Stride], Lin | None]


def subst(
    f: Formula, env: Mapping[Sym, Lin], strides: StrideMap | None = None, bools: Mapping[Sym, Formula] | None = None
) -> Formula:
    """f with variables replaced. Bound names are unique, so nothing is captured."""
    match f:
        case Const():
            return f
        case Ge(lin=lin):
            new = affine.subst(lin, env, strides)
            return f if new is lin else ge(new)
        case Eq(lin=lin):
            new = affine.subst(lin, env, strides)
            return f if new is lin else eq(new)
        case Bool(name=name, positive=positive):
            if bools is not None and name in bools:
                return bools[name] if positive else not_(bools[name])
            replaced = env.get(name)  # a renamed boolean arrives as a variable
            if replaced is None:
                return f
            ((atom, _),) = replaced.terms.items()
            assert isinstance(atom, Sym)
            return Bool(atom, positive)
        case And(args=args):
            return and_([subst(a, env, strides, bools) for a in args])
        case Or(args=args):
            return or_([subst(a, env, strides, bools) for a in args])
        case Exists(names=names, body=body):
            return exists(names, subst(body, env, strides, bools))
        case Forall(names=names, body=body):
            return forall(names, subst(body, env, strides, bools))
        case _:
            assert_never(f)
