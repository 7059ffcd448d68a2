"""Which types are counted, and how the blocks of constructors are laid out.

A block is a header of one word, then the counted leaves (one word each), then the raw leaves by falling alignment, padded to
whole words. The leaves of a field are itself, or the leaves of its parts if its type is a VALUE. Pointers first, so that a
block can be scanned knowing no more than their number.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from usl_perceus.ir import (
    ArrayType,
    Con,
    DataDecl,
    DataType,
    FloatType,
    FunType,
    HoleType,
    IntType,
    Layout,
    RefType,
    StrType,
    ThreadType,
    TokenType,
    Type,
    UnitType,
)

WORD = 8
"""Bytes of a pointer, and of the header of a block."""

Datas = Mapping[str, DataDecl]


def is_counted(type: Type, datas: Datas) -> bool:
    """Whether values of the type hold references, so that Dup and Drop apply (without effect on immediates and static data)."""
    match type:
        case StrType() | FunType() | RefType() | ArrayType() | ThreadType():
            return True
        case DataType(name=name):
            decl = datas[name]
            if decl.layout is Layout.VALUE:
                return any(is_counted(field, datas) for con in decl.cons for _, field in con.fields)
            return decl.layout is Layout.BOXED
        case IntType() | FloatType() | UnitType() | TokenType() | HoleType():
            return False


@dataclass(frozen=True, slots=True)
class Leaf:
    """One scalar or pointer inside a field: path is the field's index, then the indices inside nested VALUE types."""

    path: tuple[int, ...]
    type: Type


@dataclass(frozen=True, slots=True)
class Block:
    """The layout of a constructor's block: the counted leaves, the raw ones with their offsets in bytes, the size in bytes."""

    scanned: tuple[Leaf, ...]
    raw: tuple[tuple[Leaf, int], ...]
    size: int


def leaves(type: Type, datas: Datas, path: tuple[int, ...] = ()) -> tuple[Leaf, ...]:
    """The scalars and pointers that a value of the type consists of; none for UNIT."""
    if isinstance(type, UnitType):
        return ()
    if isinstance(type, DataType) and datas[type.name].layout is Layout.VALUE:
        (con,) = datas[type.name].cons
        return tuple(leaf for i, (_, field) in enumerate(con.fields) for leaf in leaves(field, datas, (*path, i)))
    return (Leaf(path, type),)


def scalar_size(type: Type, datas: Datas) -> int:
    """Bytes of a leaf, which is also its alignment."""
    match type:
        case IntType(bits=bits) | FloatType(bits=bits):
            return bits // 8
        case DataType(name=name) if datas[name].layout is Layout.ENUM:
            return 1
        case _:
            return WORD


def block_of(con: Con, datas: Datas) -> Block:
    """The layout of a block made by con, of a BOXED data type."""
    found = [leaf for i, (_, field) in enumerate(con.fields) for leaf in leaves(field, datas, (i,))]
    scanned = tuple(leaf for leaf in found if is_counted(leaf.type, datas))
    rest = [leaf for leaf in found if not is_counted(leaf.type, datas)]
    rest.sort(key=lambda leaf: -scalar_size(leaf.type, datas))
    offset, raw = WORD * (1 + len(scanned)), []
    for leaf in rest:
        raw.append((leaf, offset))
        offset += scalar_size(leaf.type, datas)
    return Block(scanned, tuple(raw), -(-offset // WORD) * WORD)


def block_size(con: Con, datas: Datas) -> int:
    """Bytes of a block made by con, header included. Blocks of one size can take each other's place."""
    return block_of(con, datas).size
