"""Functions that make Python values of C values: for each type one expression of Python, compiled once, without a step that
asks what the type is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from usl_perceus.c.types import Record
from usl_perceus.ir import Con, DataType, FloatType, IntType, Layout, StrType, Type, UnitType
from usl_perceus.python.layout import Blocks

Reader = Callable[[Any], Any]


class Readers:
    """Readers of one program's types.

    view: what makes a Python value of a block that is no string, which handles have references to. constant, classes: the
    constructors of Python (`Converter`).
    """

    def __init__(
        self, blocks: Blocks, view: Callable[..., Any], constant: Callable[[Con], Any], classes: Mapping[str, Any]
    ) -> None:
        self._blocks, self._view, self._constant, self._classes = blocks, view, constant, classes
        self._known: dict[Type, Reader] = {}
        self._elements: dict[Type, Reader] = {}
        self._fields: dict[tuple[str, int], Reader] = {}
        self._names: dict[str, Any] = {"string": self.string, "cast": blocks.ffi.cast}
        self._strings = blocks.ffi.typeof("struct usl_string *")

    def string(self, value: Any) -> str:
        """The text of a block."""
        at = self._blocks.ffi.cast(self._strings, value)
        data: bytes = self._blocks.ffi.unpack(at.bytes, at.length)
        return data.decode("utf-8", "surrogateescape")

    def of(self, type: Type) -> Reader:
        """Of a value as a C function gives it."""
        reader = self._known.get(type)
        if reader is None:
            reader = self._known[type] = self._compiled(self._value(type, "given"))
        return reader

    def of_element(self, elem: Type) -> Reader:
        """Of the word of an array's element."""
        if not self._blocks.is_boxed_value(elem):
            return self.of(elem)
        reader = self._elements.get(elem)
        if reader is None:
            record = self._blocks.box_record(elem)
            reader = self._elements[elem] = self._of_block(record, self._part(record, elem, (0,)))
        return reader

    def of_fields(self, con: Con) -> Reader:
        """Of the block of a constructor: the tuple of its fields."""
        key = (con.data, con.tag)  # a Con is slow to hash
        reader = self._fields.get(key)
        if reader is None:
            record = self._blocks.record(con)
            parts = [self._part(record, type, (i,)) for i, (_, type) in enumerate(con.fields)]
            reader = self._fields[key] = self._of_block(record, f"({', '.join(parts)},)")
        return reader

    def _of_block(self, record: Record, text: str) -> Reader:
        pointer = self._named(self._blocks.ffi.typeof(f"{record.struct} *"))
        return self._compiled(text, f"at = cast({pointer}, given)")

    def _compiled(self, text: str, first: str = "pass") -> Reader:
        own: dict[str, Any] = {}
        exec(f"def read(given):\n    {first}\n    return {text}", self._names, own)
        made: Reader = own["read"]
        return made

    def _named(self, value: Any) -> str:
        """A name for a Python value in what is compiled."""
        name = f"_{len(self._names)}"
        self._names[name] = value
        return name

    def _value(self, type: Type, text: str) -> str:
        """The expression for a value of the type, given that of its C."""
        match type:
            case IntType() | FloatType():
                return text
            case UnitType():
                return "None"
            case StrType():
                return f"string({text})"
            case DataType(name="bool"):
                return f"bool({text})"
            case DataType():
                decl = self._blocks.decl(type)
                if decl.layout is Layout.ENUM:
                    return f"{self._named([self._constant(con) for con in decl.cons])}[{text}]"
                if decl.layout is Layout.VALUE:
                    (con,) = decl.cons
                    members = self._blocks.members(type)
                    return self._made(
                        con,
                        [
                            self._value(part, "None" if member is None else f"{text}.{member}")
                            for member, (_, part) in zip(members, con.fields, strict=True)
                        ],
                    )
        return f"{self._named(partial(self._view, type=type))}({text})"

    def _part(self, record: Record, type: Type, path: tuple[int, ...]) -> str:
        """The expression for what lies at a path in the block `at`."""
        if isinstance(type, DataType) and self._blocks.types.is_value(type):
            (con,) = self._blocks.decl(type).cons
            return self._made(con, [self._part(record, part, (*path, i)) for i, (_, part) in enumerate(con.fields)])
        member = record.members.get(path)
        return self._value(type, "None" if member is None else f"at.{member}")

    def _made(self, con: Con, parts: list[str]) -> str:
        """The expression for a constructor's value."""
        cls = self._classes.get(con.data)
        if cls is tuple:
            return f"({', '.join(parts)},)" if parts else "()"
        if not parts:
            return self._named(self._constant(con))
        if cls is None:
            return f"({con.name!r}, {', '.join(parts)})"
        return f"{self._named(getattr(cls, con.name))}({', '.join(parts)})"
