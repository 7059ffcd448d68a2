"""The types of the surface language, and unification.

    T ::= i8 .. i64 | u8 .. u64 | f32 | f64 | bool | str | None | tuple[T, ...] | Callable[[T, ...], T]
        | ref[T] | array[T] | thread[T] | D[T, ...] | A

D is a data type, A a type variable: rigid inside the function that declares it, a `Meta` where the function is used.
Reference: Damas and Milner 1982; metavariables have kinds for literals, whose type the context decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from usl_perceus.front.definitions import DataDef

INTEGERS = ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")
FLOATS = ("f32", "f64")
FUNCTION, TUPLE, REF, ARRAY, THREAD = "Callable", "tuple", "ref", "array", "thread"


@dataclass(frozen=True, slots=True)
class App:
    """A type constructor with its arguments; those of a function are its parameters and then its result."""

    head: str | DataDef
    args: tuple[Type, ...] = ()


@dataclass(frozen=True, slots=True)
class Rigid:
    """A type variable of a signature, by name."""

    name: str


class Kind(Enum):
    """What a metavariable may stand for."""

    ANY = "any type"
    NUMBER = "a number"
    FLOAT = "a float"


class Meta:
    """A type that is still to be found."""

    __slots__ = ("found", "kind")

    def __init__(self, kind: Kind = Kind.ANY) -> None:
        self.kind = kind
        self.found: Type | None = None


Type = App | Rigid | Meta

BOOL, STR, UNIT, I64, F64 = (App(name) for name in ("bool", "str", "None", "i64", "f64"))


EXCEPTION = App("exception")
"""The type of a caught exception, which can only be raised again."""


def function(params: tuple[Type, ...], result: Type) -> App:
    """The type of functions; the result is the last argument of its head."""
    return App(FUNCTION, (*params, result))


def resolve(type_: Type) -> Type:
    """type_, or what is known of it if it is a metavariable."""
    while isinstance(type_, Meta) and type_.found is not None:
        type_ = type_.found
    return type_


def zonk(type_: Type) -> Type:
    """type_ with everything known about its metavariables put in."""
    match resolve(type_):
        case App(head=head, args=args):
            return App(head, tuple(zonk(arg) for arg in args))
        case other:
            return other


def substitute(type_: Type, types: Mapping[str, Type]) -> Type:
    """type_ with its rigid variables replaced."""
    match resolve(type_):
        case Rigid(name=name) as variable:
            return types.get(name, variable)
        case App(head=head, args=args):
            return App(head, tuple(substitute(arg, types) for arg in args))
        case Meta() as meta:
            return meta


def unify(left: Type, right: Type) -> bool:
    """Makes the two types equal, if they can be; otherwise some of their metavariables may be bound."""
    left, right = resolve(left), resolve(right)
    if left is right:
        return True
    match left, right:
        case Meta(), Meta():
            if left.kind is Kind.ANY or (left.kind is Kind.NUMBER and right.kind is Kind.FLOAT):
                left.found = right
            else:
                right.found = left
            return True
        case (Meta() as meta, other) | (other, Meta() as meta):
            if not _admits(meta.kind, other) or meta in metas(other):
                return False
            meta.found = other
            return True
        case App(head=head, args=args), App(head=other_head, args=others):
            return head == other_head and len(args) == len(others) and all(map(unify, args, others))
        case _:
            return left == right


def _admits(kind: Kind, type_: Type) -> bool:
    match kind:
        case Kind.ANY:
            return True
        case Kind.NUMBER:
            return is_number(type_)
        case Kind.FLOAT:
            return is_float(type_)


def metas(type_: Type) -> Iterator[Meta]:
    """The unknown parts of a type."""
    match resolve(type_):
        case Meta() as meta:
            yield meta
        case App(args=args):
            for arg in args:
                yield from metas(arg)
        case Rigid():
            return


def is_integer(type_: Type) -> bool:
    """Whether the type is known to be of integers; an open number's is not."""
    type_ = resolve(type_)
    return isinstance(type_, App) and type_.head in INTEGERS


def is_float(type_: Type) -> bool:
    """Whether the type is known to be of floating numbers, even if not of which width."""
    type_ = resolve(type_)
    return (isinstance(type_, App) and type_.head in FLOATS) or (isinstance(type_, Meta) and type_.kind is Kind.FLOAT)


def is_number(type_: Type) -> bool:
    """Whether the type is known to be of numbers, even if not of which kind."""
    type_ = resolve(type_)
    return is_integer(type_) or is_float(type_) or (isinstance(type_, Meta) and type_.kind is Kind.NUMBER)


def int_range(head: str) -> tuple[int, int]:
    """The least and the greatest value of an integer type."""
    bits = int(head[1:])
    return (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if head[0] == "i" else (0, (1 << bits) - 1)


def show(type_: Type) -> str:
    """A type as a user writes it."""
    match resolve(type_):
        case Rigid(name=name):
            return name
        case Meta(kind=Kind.ANY):
            return "?"
        case Meta(kind=kind):
            return kind.value
        case App(head="Callable", args=(*params, result)):
            return f"Callable[[{', '.join(map(show, params))}], {show(result)}]"
        case App(head=head, args=args):
            name = head if isinstance(head, str) else head.name
            return f"{name}[{', '.join(map(show, args))}]" if args else name
