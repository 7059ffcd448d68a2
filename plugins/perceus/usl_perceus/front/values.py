"""Data values as Python sees them: each constructor is a class, so that Python's `match` takes them apart.

t = Tree.Node(Color.Red(), Tree.Leaf(), 3, True, Tree.Leaf())
match t:
    case Tree.Node(_, _, key, _, _): ...
"""

from __future__ import annotations

from typing import Any, ClassVar


class Value:
    """A value of a data type: a constructor with its fields. Immutable; compared by structure."""

    __slots__ = ("fields",)
    fields: tuple[Any, ...]
    constructor: ClassVar[str] = ""
    arity: ClassVar[int] = 0
    __match_args__: ClassVar[tuple[str, ...]] = ()

    def __init__(self, *fields: Any, **named: Any) -> None:
        if not self.constructor:
            raise TypeError(f"{type(self).__name__} is a data type; its constructors make values")
        if named:
            fields = self._with_named(fields, named)
        if len(fields) != self.arity:
            raise TypeError(f"{self.constructor} has {self.arity} field(s), {len(fields)} given")
        object.__setattr__(self, "fields", fields)

    def _with_named(self, fields: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
        """All fields; named are those behind the others."""
        rest = self.__match_args__[len(fields) :]
        if set(rest) != named.keys():
            raise TypeError(f"{self.constructor} has the fields {', '.join(self.__match_args__)}")
        return (*fields, *(named[name] for name in rest))

    def value(self) -> Any:
        """All of it as Python values, as that of values that stay in a program's heap: itself."""
        return self

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"values do not change: cannot set {name}")

    def __reduce__(self) -> Any:
        """For pickles and copies: without recursion, and what is shared stays shared."""
        nodes: list[Node] = []
        known: dict[int, int] = {}
        waiting: list[tuple[Value, bool]] = [(self, False)]
        while waiting:
            top, is_ready = waiting.pop()
            if id(top) in known:
                continue
            if is_ready:
                known[id(top)] = len(nodes)
                nodes.append((type(top), tuple((True, known[id(f)]) if _is_value(f) else (False, f) for f in top.fields)))
            else:
                waiting.append((top, True))
                waiting.extend((field, False) for field in top.fields if _is_value(field))
        return rebuilt, (nodes,)

    def __eq__(self, other: object) -> bool:
        """Structures may be a million levels deep, so this does not recurse."""
        waiting: list[tuple[object, object]] = [(self, other)]
        while waiting:
            left, right = waiting.pop()
            if isinstance(left, Value) and isinstance(right, Value):
                if left.__class__ is not right.__class__:  # values that stay in a program's heap only say that they are of it
                    return False
                waiting.extend(zip(left.fields, right.fields, strict=True))
            elif left != right:
                return False
        return True

    def __hash__(self) -> int:
        result = 0
        waiting: list[object] = [self]
        while waiting:
            top = waiting.pop()
            if isinstance(top, Value):
                result = hash((result, top.constructor))
                waiting.extend(reversed(top.fields))
            else:
                result = hash((result, top))
        return result

    def __repr__(self) -> str:
        parts: list[str] = []
        waiting: list[object] = [self]
        while waiting:
            top = waiting.pop()
            if isinstance(top, _Text):
                parts.append(top)
            elif isinstance(top, Value):
                parts.append(top.constructor)
                if top.fields:
                    separated = [piece for field in top.fields for piece in (field, _Text(", "))][:-1]
                    waiting.extend(reversed([_Text("("), *separated, _Text(")")]))
            else:
                parts.append(repr(top))
        return "".join(parts)


Node = tuple[type[Value], tuple[tuple[bool, Any], ...]]
"""A constructor and its fields: whether each is one of the nodes before, and then its number, else what it is."""


def rebuilt(nodes: list[Node]) -> Value:
    """The value whose parts are these; the last is the whole."""
    made: list[Value] = []
    for cls, fields in nodes:
        made.append(cls(*(made[field] if is_node else field for is_node, field in fields)))
    return made[-1]


def _is_value(field: object) -> bool:
    """Not what only says that it is one: handles are no such objects."""
    return issubclass(type(field), Value)


class _Text(str):
    """A piece of a representation, not a field."""


def field_property(index: int) -> property:
    """The field of that number, for Python's patterns."""
    return property(lambda self: self.fields[index])


def make_class(
    name: str, constructors: list[tuple[str, tuple[str, ...]]], module: str, doc: str | None, *, is_record: bool = False
) -> type[Value]:
    """The Python class of a data type with a class for each constructor, given with the names of its fields. A record is its
    own constructor."""
    whole = type(name, (Value,), {"__slots__": (), "__module__": module, "__doc__": doc})
    for constructor, names in constructors:
        attributes: dict[str, Any] = {
            "__match_args__": names,
            "constructor": constructor,
            "arity": len(names),
            **{f"_{i}": field_property(i) for i in range(len(names))},
            **{each: field_property(i) for i, each in enumerate(names)},
        }
        if is_record:
            for attribute, value in attributes.items():
                setattr(whole, attribute, value)
            setattr(whole, constructor, whole)
        else:
            placed = {"__slots__": (), "__module__": module, "__qualname__": f"{name}.{constructor}"}
            setattr(whole, constructor, type(constructor, (whole,), {**placed, **attributes}))
    return whole
