"""Types, compared by structure; data types and their constructors."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from usl_core.errors import NOWHERE, Span


@dataclass(frozen=True, slots=True)
class IntType:
    """A machine integer of 8, 16, 32 or 64 bits. Arithmetic wraps around."""

    bits: int
    signed: bool


@dataclass(frozen=True, slots=True)
class FloatType:
    """An IEEE binary float of 32 or 64 bits."""

    bits: int


@dataclass(frozen=True, slots=True)
class UnitType:
    """The type of `Lit(None, UNIT)`, its only value."""


@dataclass(frozen=True, slots=True)
class StrType:
    """An immutable string of bytes; boxed. Literals are static and never counted."""


@dataclass(frozen=True, slots=True)
class DataType:
    """The data type declared under this name in `Program.datas`; monomorphic (`List[i64]` is a name). Tuples are data types."""

    name: str


@dataclass(frozen=True, slots=True)
class FunType:
    """A closure; boxed. Its call owns all arguments. throws: a call may raise."""

    params: tuple[Type, ...]
    result: Type
    throws: bool = False


@dataclass(frozen=True, slots=True)
class RefType:
    """A mutable cell; boxed."""

    elem: Type


@dataclass(frozen=True, slots=True)
class ArrayType:
    """A boxed array with its length; functional update, in place where it is unique."""

    elem: Type


@dataclass(frozen=True, slots=True)
class ThreadType:
    """A running thread; boxed. Join consumes it; dropping the last reference waits for it and drops its result."""

    result: Type


@dataclass(frozen=True, slots=True)
class TokenType:
    """A reuse token: the memory of a dead block of `size` bytes (header included), or NULL. Linear: used by exactly one MakeCon
    or FreeToken on each path. Never in the core. certain: never NULL."""

    size: int
    certain: bool = False


@dataclass(frozen=True, slots=True)
class HoleType:
    """The address of a word that is still to be written with an owned value of the boxed data type `elem`: a field of a fresh
    block or the result slot of a NewHole. Linear: filled exactly once on each path. Never in the core."""

    elem: Type


Type = IntType | FloatType | UnitType | StrType | DataType | FunType | RefType | ArrayType | ThreadType | TokenType | HoleType

I8, I16, I32, I64 = (IntType(bits, True) for bits in (8, 16, 32, 64))
U8, U16, U32, U64 = (IntType(bits, False) for bits in (8, 16, 32, 64))
F32, F64 = FloatType(32), FloatType(64)
UNIT, STR = UnitType(), StrType()
BOOL = DataType("bool")
EXN = DataType("exn")
"""The type of all exceptions: one boxed data type, whose constructors are the program's @exception declarations."""

ANY = DataType("any")
"""A reference to a value whose type the front end knows (`front/uniform.py`); only `retype` makes and reads it."""


class Layout(Enum):
    """How values of a data type are kept."""

    ENUM = "enum"
    """A byte (the tag); all constructors are nullary; never counted."""
    VALUE = "value"
    """A struct, copied; one constructor, not recursive; counted if a field is. Dup and Drop act on its counted fields."""
    BOXED = "boxed"
    """A block with a header; nullary constructors are odd immediates, on which Dup and Drop do nothing."""


@dataclass(frozen=True, slots=True)
class Con:
    """Constructor number `tag` (from 0) of the data type `data`. fields: (name, type) in the order of the source; names are for
    messages and may repeat. name is unique within the data type."""

    data: str
    name: str
    tag: int
    fields: tuple[tuple[str, Type], ...] = ()

    @property
    def type(self) -> DataType:
        """The data type that it makes values of."""
        return DataType(self.data)


@dataclass(frozen=True, slots=True)
class DataDecl:
    """A data type: its constructors by rising tag, and how its values lie in memory."""

    name: str
    cons: tuple[Con, ...]
    layout: Layout
    span: Span = field(default=NOWHERE, compare=False, repr=False)


FALSE, TRUE = Con("bool", "False", 0), Con("bool", "True", 1)
BOOL_DECL = DataDecl("bool", (FALSE, TRUE), Layout.ENUM)
"""In `Program.datas` of every program."""
ANY_DECL = DataDecl("any", (Con("any", "Constant", 0), Con("any", "Block", 1, (("0", STR),))), Layout.BOXED)
"""Stands for any block or constant: nothing takes values of it apart."""
