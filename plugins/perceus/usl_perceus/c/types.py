"""C spellings of a program's types, the structs of its values, and how a value lies in a block."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import assert_never

from usl_c11.names import Names
from usl_perceus.errors import PerceusError
from usl_perceus.ir import (
    ArrayType,
    Con,
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
from usl_perceus.layout import WORD, Datas, Leaf, block_of, is_counted, leaves

MAX_SCANNED = 254
"""Counted leaves of one block: the header has a byte for their number, and 255 says that it does not suffice."""
MAX_WORDS = 63
"""Larger blocks come from malloc (USL_MAX_WORDS)."""
MAX_TAG, MAX_ENUM_TAG = 1000, 255


def words_in_header(words: int) -> int:
    """The size that a header states, and that memory is freed by."""
    return words if words <= MAX_WORDS else 0


def identifier(text: str) -> str:
    """Any text as words joined by underscores: `map[i64, List[i64]]` is map_i64_List_i64."""
    return "_".join(re.findall(r"\w+", text)) or "v"


@dataclass(frozen=True, slots=True)
class Record:
    """The struct of a block: a header, for closures the code, the counted leaves, the raw ones.

    members: C name for each leaf, by path. words: the block's size with its header.
    """

    struct: str
    members: dict[tuple[int, ...], str]
    scan: int
    path: int
    words: int
    tag: str


class Types:
    """C types of one program. `definitions` are those used so far, in an order in which C accepts them."""

    def __init__(self, datas: Datas, names: Names) -> None:
        self.datas = datas
        self.definitions: list[str] = []
        self._names = names
        self._structs: dict[str, str] = {}
        self._members: dict[str, tuple[str, ...]] = {}
        self._records: dict[Con, Record] = {}
        self._cells: dict[tuple[Type, str], Record] = {}

    def is_void(self, type: Type) -> bool:
        """Whether values of the type carry no information: they have no C."""
        return not leaves(type, self.datas)

    def is_value(self, type: Type) -> bool:
        """Whether the type is a struct in C."""
        return isinstance(type, DataType) and self.datas[type.name].layout is Layout.VALUE

    def is_counted(self, type: Type) -> bool:
        """Whether values of the type hold references (`layout.is_counted`)."""
        return is_counted(type, self.datas)

    def has_constants(self, type: Type) -> bool:
        """Whether values of a boxed type may be odd immediates."""
        return isinstance(type, DataType) and any(not con.fields for con in self.datas[type.name].cons)

    def spelling(self, type: Type) -> str:
        """The type as C writes it, `void` for one without information; a struct that it names gets a definition."""
        if self.is_void(type):
            return "void"
        match type:
            case IntType(bits=bits, signed=signed):
                return f"{'' if signed else 'u'}int{bits}_t"
            case FloatType(bits=bits):
                return "float" if bits == 32 else "double"
            case DataType(name="bool"):
                return "bool"
            case DataType(name=name):
                match self.datas[name].layout:
                    case Layout.ENUM:
                        return "uint8_t"
                    case Layout.VALUE:
                        return f"struct {self._struct(name)}"
                    case Layout.BOXED:
                        return "usl_value"
            case StrType() | FunType() | RefType() | ArrayType() | ThreadType():
                return "usl_value"
            case TokenType():
                return "usl_token"
            case HoleType():
                return "usl_value *"
            case UnitType():
                return "void"
        assert_never(type)

    def declaration(self, type: Type, name: str) -> str:
        """`T name`, with the asterisk of a pointer at the name."""
        text = self.spelling(type)
        return f"{text}{name}" if text.endswith("*") else f"{text} {name}"

    def key(self, type: Type) -> str:
        """A short word for names of helpers: `i64`, `Tree`, `ref_i64`."""
        match type:
            case IntType(bits=bits, signed=signed):
                return f"{'i' if signed else 'u'}{bits}"
            case FloatType(bits=bits):
                return f"f{bits}"
            case DataType(name=name):
                return identifier(name)
            case UnitType():
                return "unit"
            case RefType(elem=elem):
                return f"ref_{self.key(elem)}"
            case ArrayType(elem=elem):
                return f"array_{self.key(elem)}"
            case ThreadType(result=result):
                return f"thread_{self.key(result)}"
            case StrType():
                return "str"
            case FunType():
                return "fun"
            case TokenType() | HoleType():
                raise AssertionError(f"a {type} is not stored")
        assert_never(type)

    def zero(self, type: Type) -> str:
        """Some value of the type."""
        text = self.spelling(type)
        if text.startswith("struct"):
            return f"({text}){{0}}"
        return {"bool": "false", "usl_value": "NULL", "usl_token": "NULL", "usl_value *": "NULL"}.get(text, "0")

    # ---- values

    def _struct(self, name: str) -> str:
        """The tag of the struct of a VALUE type, defined from now on."""
        if name not in self._structs:
            (con,) = self.datas[name].cons
            members = self._member_names(con)
            self._members[name] = members
            fields = [
                f"    {self.declaration(type, member)};"
                for (_, type), member in zip(con.fields, members, strict=True)
                if not self.is_void(type)
            ]
            tag = self._names.fresh(identifier(name))
            self._structs[name] = tag
            self.definitions.append("\n".join([f"struct {tag} {{", *fields, "};"]))
        return self._structs[name]

    @staticmethod
    def _member_names(con: Con) -> tuple[str, ...]:
        names = Names()
        return tuple(names.fresh(identifier(name) if name else f"field{i}") for i, (name, _) in enumerate(con.fields))

    def member(self, type: Type, path: Sequence[int]) -> str:
        """What selects a part of a value: `.first.x`; nothing for the value itself."""
        text = ""
        for index in path:
            assert isinstance(type, DataType)
            self._struct(type.name)
            text += f".{self._members[type.name][index]}"
            type = self.datas[type.name].cons[0].fields[index][1]
        return text

    def value(self, type: DataType, fields: Sequence[str]) -> str:
        """The struct made of the C of its fields; fields that are void have none."""
        (con,) = self.datas[type.name].cons
        parts = [text for text, (_, field) in zip(fields, con.fields, strict=True) if not self.is_void(field)]
        return f"({self.spelling(type)}){{{', '.join(parts)}}}"

    def counted_parts(self, type: Type, text: str) -> Iterator[tuple[str, Type]]:
        """The references that a value holds: C and type of each."""
        for leaf in leaves(type, self.datas):
            if self.is_counted(leaf.type):
                yield text + self.member(type, leaf.path), leaf.type

    # ---- blocks

    def constructor(self, con: Con) -> Record:
        """The block of a constructor of a boxed type."""
        if con not in self._records:
            self._records[con] = self._record(con, f"{identifier(con.data)}_{identifier(con.name)}", str(con.tag))
        return self._records[con]

    def cell(self, elem: Type, tag: str) -> Record:
        """The block of a mutable reference (USL_TAG_REF), or of an array's element that is not one word (USL_TAG_BOX)."""
        if (elem, tag) not in self._cells:
            kind = "ref" if tag == "USL_TAG_REF" else "box"
            self._cells[elem, tag] = self._record(Con("", kind, 0, (("content", elem),)), f"{kind}_{self.key(elem)}", tag)
        return self._cells[elem, tag]

    def closure(self, captures: Con, name: str) -> Record:
        """The block of a closure: a pointer to its code, then what it captures."""
        return self._record(captures, name, "USL_TAG_CLOSURE", code=True)

    def _record(self, con: Con, name: str, tag: str, *, code: bool = False) -> Record:
        block = block_of(con, self.datas)
        if len(block.scanned) > MAX_SCANNED - 1:
            raise PerceusError(
                f"{con.name} has {len(block.scanned)} fields that are references; a block has at most {MAX_SCANNED - 1}",
                code="E740",
                notes=("group some of them in a data type of their own",),
            )
        order = [*block.scanned, *(leaf for leaf, _ in block.raw)]
        members, names = {}, Names()
        if code:
            names.fresh("code")
        names.fresh("head")
        for leaf in order:
            members[leaf.path] = names.fresh(self._leaf_name(con, leaf))
        lines = [f"    {self.declaration(leaf.type, members[leaf.path])};" for leaf in order]
        words = max(2, block.size // WORD + code)
        struct = f"struct {self._names.fresh(name)}"
        self.definitions.append(
            "\n".join([f"{struct} {{", "    usl_block head;", *(["    usl_code code;"] if code else []), *lines, "};"])
        )
        return Record(struct, members, len(block.scanned) + code, int(code), words, tag)

    def _leaf_name(self, con: Con, leaf: Leaf) -> str:
        name, type = con.fields[leaf.path[0]]
        text = identifier(name) if name else f"field{leaf.path[0]}"
        return text + self.member(type, leaf.path[1:]).replace(".", "_")

    def load(self, record: Record, block: str, index: int, type: Type) -> str:
        """Field `index` of a block, as an expression."""
        return self._load(record, block, (index,), type)

    def _load(self, record: Record, block: str, path: tuple[int, ...], type: Type) -> str:
        if isinstance(type, DataType) and self.is_value(type):
            (con,) = self.datas[type.name].cons
            parts = [
                "" if self.is_void(field) else self._load(record, block, (*path, i), field)
                for i, (_, field) in enumerate(con.fields)
            ]
            return self.value(type, parts)
        return f"USL_AS({record.struct}, {block})->{record.members[path]}"

    def stores(self, record: Record, block: str, index: int, type: Type, value: str) -> list[str]:
        """Statements that set field `index` of a block; value is a name or a constant."""
        return [
            f"USL_AS({record.struct}, {block})->{record.members[leaf.path]} = {value}{self.member(type, leaf.path[1:])};"
            for leaf in leaves(type, self.datas, (index,))
        ]
