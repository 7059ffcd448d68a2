"""How cffi sees the blocks and structs of one program: as the C generator lays them out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from usl_c11.names import Names
from usl_perceus.c.types import Record, Types
from usl_perceus.ir import (
    ArrayType,
    Con,
    DataDecl,
    DataType,
    FunType,
    Layout,
    RefType,
    ThreadType,
    Type,
)
from usl_perceus.layout import Datas, Leaf, leaves


@dataclass(frozen=True, slots=True)
class _Plan:
    """How the fields of a constructor's block are stored and read.

    pointer: the cffi type of its address. stores: member, index of the field, names inside the field's struct. reads: for each
    field its member; None if it is void; "" if it is a struct, which is put together.
    """

    record: Record
    pointer: Any
    stores: tuple[tuple[str, int, tuple[str, ...]], ...]
    reads: tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class _Struct:
    """How a struct is made: the cffi type of its address, and the member of each field; None for what is void."""

    pointer: Any
    members: tuple[str | None, ...]


class Blocks:
    """Reads and writes fields through cffi. All types that values of the given ones contain are declared to ffi."""

    def __init__(self, datas: Datas, roots: Iterable[Type], ffi: Any) -> None:
        self.datas, self.ffi = datas, ffi
        self.types = Types(datas, Names())
        self._plans: dict[tuple[str, int], _Plan] = {}
        self._structs: dict[str, _Struct] = {}
        for type in _reachable(datas, roots):
            self._declare(type)
        ffi.cdef("\n".join(self.types.definitions))

    def _declare(self, type: Type) -> None:
        match type:
            case DataType(name=name):
                for con in self.datas[name].cons:
                    if self.datas[name].layout is Layout.BOXED and con.fields:
                        self.types.constructor(con)
                    elif self.datas[name].layout is Layout.VALUE:
                        self.types.spelling(type)
            case ArrayType(elem=elem) if self.is_boxed_value(elem):
                self.types.cell(elem, "USL_TAG_BOX")
            case _:
                pass

    def _plan(self, con: Con) -> _Plan:
        key = (con.data, con.tag)  # a Con is slow to hash
        plan = self._plans.get(key)
        if plan is None:
            record = self.types.constructor(con)
            found = [leaf for i, (_, type) in enumerate(con.fields) for leaf in leaves(type, self.datas, (i,))]
            stores = tuple((record.members[leaf.path], leaf.path[0], self._names(con, leaf)) for leaf in found)
            reads = tuple(self._how_to_read(record, i, type) for i, (_, type) in enumerate(con.fields))
            plan = self._plans[key] = _Plan(record, self.ffi.typeof(f"{record.struct} *"), stores, reads)
        return plan

    def _struct(self, type: DataType) -> _Struct:
        struct = self._structs.get(type.name)
        if struct is None:
            pointer = None if self.types.is_void(type) else self.ffi.typeof(f"{self.types.spelling(type)} *")
            members = tuple(
                None if self.types.is_void(part) else self.types.member(type, (i,))[1:]
                for i, (_, part) in enumerate(self.datas[type.name].cons[0].fields)
            )
            struct = self._structs[type.name] = _Struct(pointer, members)
        return struct

    def _names(self, con: Con, leaf: Leaf) -> tuple[str, ...]:
        return tuple(self.types.member(con.fields[leaf.path[0]][1], leaf.path[1:]).split(".")[1:])

    def _how_to_read(self, record: Record, index: int, type: Type) -> str | None:
        if self.types.is_void(type):
            return None
        return "" if self.types.is_value(type) else record.members[(index,)]

    def decl(self, type: DataType) -> DataDecl:
        """The declaration of a data type."""
        return self.datas[type.name]

    def is_boxed_value(self, type: Type) -> bool:
        """Whether an array keeps such elements in blocks of their own."""
        return self.types.is_value(type) and self.types.is_counted(type)

    # ---- blocks

    def record(self, con: Con) -> Record:
        """The block of a constructor with fields."""
        return self._plan(con).record

    def write_fields(self, con: Con, block: Any, fields: list[Any]) -> None:
        """Stores the converted fields of a constructor into its block."""
        plan = self._plan(con)
        at = self.ffi.cast(plan.pointer, block)
        for member, index, names in plan.stores:
            value = fields[index]
            for name in names:
                value = getattr(value, name)
            setattr(at, member, value)

    def _part(self, type: Type, value: Any, path: tuple[int, ...]) -> Any:
        text = self.types.member(type, path)
        for name in text.split(".")[1:]:
            value = getattr(value, name)
        return value

    def read_fields(self, con: Con, block: Any) -> list[Any]:
        """The fields of a block, as cffi values; those that are void are None."""
        plan = self._plan(con)
        at = self.ffi.cast(plan.pointer, block)
        return [
            getattr(at, member) if member else None if member is None else self._read(plan.record, at, (i,), con.fields[i][1])
            for i, member in enumerate(plan.reads)
        ]

    def _read(self, record: Record, at: Any, path: tuple[int, ...], type: Type) -> Any:
        if isinstance(type, DataType) and self.types.is_value(type):
            (con,) = self.datas[type.name].cons
            return self.pack(type, [self._read(record, at, (*path, i), part) for i, (_, part) in enumerate(con.fields)])
        return getattr(at, record.members[path]) if path in record.members else None

    # ---- structs

    def pack(self, type: DataType, fields: list[Any]) -> Any:
        """A struct with these fields, or None if it is void."""
        struct = self._struct(type)
        if struct.pointer is None:
            return None
        made = self.ffi.new(struct.pointer)
        for member, field in zip(struct.members, fields, strict=True):
            if member is not None:
                setattr(made, member, field)
        return made[0]

    def members(self, type: DataType) -> tuple[str | None, ...]:
        """The members of a struct, for each field; None for those that are void."""
        return self._struct(type).members

    def unpack(self, type: DataType, value: Any) -> list[Any]:
        """The fields of a struct; those that are void are None."""
        return [None if member is None else getattr(value, member) for member in self._struct(type).members]

    def box_content(self, elem: Type, box: Any) -> Any:
        """What a block around an array's element holds, as a struct."""
        record = self.types.cell(elem, "USL_TAG_BOX")
        return self._read(record, self.ffi.cast(f"{record.struct} *", box), (0,), elem)

    def box_record(self, elem: Type) -> Record:
        """The block around an array's element that is not one word."""
        return self.types.cell(elem, "USL_TAG_BOX")

    def references(self, type: Type, value: Any) -> Iterator[Any]:
        """The counted words of a converted value."""
        for leaf in leaves(type, self.datas):
            if self.types.is_counted(leaf.type):
                yield self._part(type, value, leaf.path)


def _reachable(datas: Datas, roots: Iterable[Type]) -> list[Type]:
    """The types, and all that their values contain."""
    found: dict[Type, None] = {}
    waiting = list(roots)
    while waiting:
        type = waiting.pop()
        if type in found:
            continue
        found[type] = None
        match type:
            case DataType(name=name):
                waiting.extend(field for con in datas[name].cons for _, field in con.fields)
            case RefType(elem=inner) | ArrayType(elem=inner) | ThreadType(result=inner):
                waiting.append(inner)
            case FunType(params=params, result=result):
                waiting.extend((*params, result))
            case _:
                pass
    return list(found)
