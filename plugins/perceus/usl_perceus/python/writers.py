"""Functions that put Python values into arrays of structs: for each type of element a few statements, compiled once.

What is plainly right is taken as it is; of everything else functions of the `Converter` find out whether it will do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from usl_perceus.ir import DataType, FloatType, IntType, Layout, StrType, Type
from usl_perceus.python.layout import Blocks

Path = tuple[int, ...]


@dataclass(slots=True)
class _Body:
    """Statements that convert the parts of one value, and the names of its leaves by path."""

    lines: list[str] = field(default_factory=list)
    leaves: dict[Path, str] = field(default_factory=dict)


class Writers:
    """Writers of one program's types.

    scalar, other, fields: convert a number or text; any value; and the fields of a tuple or record. They raise PerceusError.
    release: gives up what was converted for an element that cannot be. make: a block by its header's parts.
    """

    def __init__(
        self,
        blocks: Blocks,
        classes: Mapping[str, Any],
        scalar: Callable[..., Any],
        other: Callable[..., Any],
        fields: Callable[..., tuple[Any, ...]],
        release: Callable[[Any], None],
        make: Callable[..., Any],
    ) -> None:
        self._blocks, self._classes = blocks, classes
        self._scalar, self._other, self._fields = scalar, other, fields
        self._names: dict[str, Any] = {"release": release, "make": make, "cast": blocks.ffi.cast}
        self._boxing: dict[Type, Callable[[Any], Any]] = {}
        self._storing: dict[Type, Callable[[Any, Any], None]] = {}

    def boxing(self, elem: Type) -> Callable[[Any], Any]:
        """Of elements that are structs with references: the block around one."""
        writer = self._boxing.get(elem)
        if writer is None:
            record, body = self._blocks.box_record(elem), self._converted(elem)
            pointer = self._named(self._blocks.ffi.typeof(f"{record.struct} *"))
            body.lines.append(f"box = make({record.scan}, {record.path}, {record.words})")
            body.lines.append(f"at = cast({pointer}, box)")
            body.lines += [f"at.{record.members[(0, *path)]} = {name}" for path, name in body.leaves.items()]
            writer = self._boxing[elem] = self._compiled("given", [*body.lines, "return box"])
        return writer

    def storing(self, elem: DataType) -> Callable[[Any, Any], None]:
        """Of elements that are structs without references: one is stored at a place."""
        writer = self._storing.get(elem)
        if writer is None:
            body = self._converted(elem)
            stores = [f"at{self._blocks.types.member(elem, path)} = {name}" for path, name in body.leaves.items()]
            writer = self._storing[elem] = self._compiled("given, at", [*body.lines, *stores])
        return writer

    def _converted(self, type: Type) -> _Body:
        """Statements for the leaves of `given`; those that were converted are given up if another one cannot be."""
        body = _Body(["made = []", "try:"])
        self._convert(type, "given", (), body)
        body.lines += ["except BaseException:", "    for each in made:", "        release(each)", "    raise"]
        return body

    def _convert(self, type: Type, source: str, path: Path, body: _Body) -> None:
        name = f"v{'_'.join(map(str, path))}"

        def line(text: str) -> None:
            body.lines.append(f"    {text}")

        match type:
            case IntType(bits=bits, signed=signed):
                low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
                taken = self._named(partial(self._scalar, type=type))
                line(f"{name} = {source} if {source}.__class__ is int and {low} <= {source} <= {high} else {taken}({source})")
            case FloatType():
                taken = self._named(partial(self._scalar, type=type))
                line(f"{name} = {source} if {source}.__class__ is float else {taken}({source})")
            case DataType() if self._blocks.datas[type.name].layout is Layout.VALUE:
                self._parts(type, source, path, body)
                return
            case _:
                convert = self._scalar if isinstance(type, StrType) else self._other
                line(f"{name} = {self._named(partial(convert, type=type))}({source})")
        if self._blocks.types.is_void(type):
            return
        body.leaves[path] = name
        if self._blocks.types.is_counted(type):
            line(f"made.append({name})")

    def _parts(self, type: DataType, source: str, path: Path, body: _Body) -> None:
        (con,) = self._blocks.decl(type).cons
        cls, taken = self._classes.get(type.name), self._named(partial(self._fields, type=type))
        if cls is tuple:
            given = f"{source} if {source}.__class__ is tuple and len({source}) == {len(con.fields)} else {taken}({source})"
        elif cls is not None:
            given = f"{source}.fields if {source}.__class__ is {self._named(getattr(cls, con.name))} else {taken}({source})"
        else:
            given = f"{taken}({source})"
        parts = [f"p{'_'.join(map(str, (*path, i)))}" for i in range(len(con.fields))]
        body.lines.append(f"    {' '.join(f'{part},' for part in parts) or '()'} = {given}")
        for i, (part, (_, kind)) in enumerate(zip(parts, con.fields, strict=True)):
            self._convert(kind, part, (*path, i), body)

    def _compiled(self, params: str, lines: list[str]) -> Any:
        own: dict[str, Any] = {}
        exec(f"def write({params}):\n" + "".join(f"    {line}\n" for line in lines), self._names, own)
        return own["write"]

    def _named(self, value: Any) -> str:
        """A name for a Python value in what is compiled."""
        name = f"_{len(self._names)}"
        self._names[name] = value
        return name
