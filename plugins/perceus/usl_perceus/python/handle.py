"""Values that stay in the heap: Python holds a reference to a block, and converts what it looks at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from usl_perceus.ir import DataType, FunType, Type

if TYPE_CHECKING:
    from usl_perceus.python.convert import Converter


def itself(value: Any) -> Any:
    """What a pickled handle becomes: the Python values that it held."""
    return value


class Handle:
    """A value in the heap of compiled programs; one reference, given up when Python drops the handle.

    A handle of a data type passes for an instance of the constructor's class: `match`, `isinstance`, `==` and fields work, and
    convert one level at a time. It can be given to a `@fun` again, which costs nothing. `value()` converts all of it.
    A handle of a function is called; one of a reference or a thread can only be given to a `@fun`.
    """

    __slots__ = ("__weakref__", "_address", "_class", "_converter", "_fields", "_type")

    def __init__(self, converter: Converter, type: Type, address: int) -> None:
        self._converter, self._type, self._address = converter, type, address
        self._fields: tuple[Any, ...] | None = None
        self._class: Any = None

    def __del__(self) -> None:
        address = getattr(self, "_address", 0)
        if address:
            self._converter.heap.drop(address)

    @property  # type: ignore[misc]  # isinstance asks the instance, as for every proxy
    def __class__(self) -> Any:
        if self._class is None:
            self._class = self._converter.python_class(self) or Handle
        return self._class

    @property
    def constructor(self) -> str:
        """The name of the constructor."""
        return self._converter.constructor(self).name

    @property
    def fields(self) -> tuple[Any, ...]:
        """The constructor's fields, as Python values and handles."""
        if self._fields is None:
            self._fields = self._converter.fields(self)
        return self._fields

    def value(self) -> Any:
        """All of it as Python values."""
        return self._converter.deep(self)

    def __copy__(self) -> Handle:
        return self  # what it holds never changes

    def __deepcopy__(self, memo: object) -> Handle:
        if not isinstance(self._type, DataType | FunType):
            raise TypeError(f"a {self._converter.type_name(self._type)} stays in the heap of its program: it cannot be copied")
        return self

    def __reduce__(self) -> Any:
        made = self.value()
        if made is self:
            raise TypeError(f"a {self._converter.type_name(self._type)} stays in the heap of its program: it cannot be pickled")
        return itself, (made,)

    def __getattr__(self, name: str) -> Any:
        """The fields by their names, or as `_0`, `_1`, ..., by which Python's `match` asks for them."""
        if name in Handle.__slots__:  # not set yet
            raise AttributeError(name)
        names = getattr(self.__class__, "__match_args__", ())
        if name in names:
            return self.fields[names.index(name)]
        if name[:1] == "_" and name[1:].isdecimal():
            fields = self.fields
            if int(name[1:]) < len(fields):
                return fields[int(name[1:])]
        raise AttributeError(f"a handle has no attribute {name}")

    def __call__(self, *args: Any) -> Any:
        return self._converter.calls.closure(self, args)

    def __eq__(self, other: object) -> bool:
        if type(other) is Handle and other._address == self._address:
            return True
        own, their = self.value(), other.value() if type(other) is Handle else other
        return False if own is self else bool(own == their)  # functions, cells and the like are only themselves

    def __hash__(self) -> int:
        own = self.value()
        return hash(self._address) if own is self else hash(own)

    def __repr__(self) -> str:
        return self._converter.text(self)


def address_of(handle: Any) -> int:
    """Where the block of a handle is."""
    address: int = object.__getattribute__(handle, "_address")
    return address
