"""Values of one program between Python and the heap, both ways, without recursion: structures may be a million levels deep."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from usl_perceus.errors import PerceusError
from usl_perceus.front.lower import Lowered
from usl_perceus.front.values import Value
from usl_perceus.ir import (
    BOOL,
    UNIT,
    ArrayType,
    Con,
    DataType,
    FloatType,
    FunType,
    IntType,
    Layout,
    RefType,
    StrType,
    ThreadType,
    Type,
)
from usl_perceus.python.arrays import Arrays
from usl_perceus.python.calls import Calls
from usl_perceus.python.checks import identity, integer, mismatch, type_name
from usl_perceus.python.functions import Functions
from usl_perceus.python.handle import Handle, address_of
from usl_perceus.python.heap import NOTHING, Heap
from usl_perceus.python.layout import Blocks
from usl_perceus.python.readers import Readers
from usl_perceus.python.writers import Writers

TAG_BITS = 64
"""`info` of a header is tag * 64 + size."""


class Converter:
    """Conversions of one program's types. The heap's lock is held by every caller but `Handle`."""

    def __init__(self, heap: Heap, lowered: Lowered, blocks: Blocks, classes: Mapping[str, Any], *, lends: bool) -> None:
        self.heap, self.lowered, self.blocks, self.ffi = heap, lowered, blocks, blocks.ffi
        self._classes = classes
        """For each data type its Python class; `tuple` for tuples."""
        self._value, self._word = self.ffi.typeof("usl_value"), self.ffi.typeof("uintptr_t")  # names are slow
        self.lends = lends
        self.arrays = Arrays(heap, self.ffi, lends)
        self.functions, self.calls = Functions(self), Calls(self)
        self._readers = Readers(blocks, self._view_block, self.constant, classes)
        self._writers = Writers(blocks, classes, self._scalar, self.to_heap, self._fields_of, heap.release, self._box)
        self._constants: dict[tuple[str, int], Any] = {}
        """Constructors without fields, as Python values."""
        self._made_by: dict[tuple[str, type], Con] = {}
        """The constructor of a data type that a class of Python stands for."""

    # ---- to the heap

    def to_heap(self, value: Any, type: Type) -> Any:
        """The C of a Python value, an owned reference if it is counted; None if it is void.

        Raises:
            PerceusError: it is not of the type.
        """
        work: list[tuple[Any, Type | Con | None, bool]] = [(value, type, False)]
        done: list[tuple[Any, Type]] = []
        known: dict[int, Any] = {}
        try:
            while work:
                item, what, build = work.pop()
                if build:
                    self._build(item, what, done, known)
                else:
                    assert what is not None and not isinstance(what, Con)
                    self._visit(item, what, work, done, known)
        except BaseException:
            for made, its_type in done:
                self.give_up(made, its_type)
            raise
        ((result, _),) = done
        return result

    def give_up(self, value: Any, type: Type) -> None:
        """Gives up a C value that is owned."""
        if value is not None:
            for reference in self.blocks.references(type, value):
                self.heap.release(reference)

    def _visit(self, item: Any, type: Type, work: list[Any], done: list[Any], known: dict[int, Any]) -> None:
        """Converts what has no parts; else puts its parts, and itself behind them, on the list of work."""
        if isinstance(type, IntType | FloatType):
            done.append((self._scalar(item, type), type))
            return
        if isinstance(type, ArrayType):
            done.append((self._array_to_heap(item, type), type))
            return
        if _is_handle(item):
            done.append((self._borrow(item, type), type))
            return
        if not isinstance(type, DataType) or type.name == "bool":
            done.append((self._scalar(item, type), type))
            return
        con, fields = self._constructor_of(item, type)
        layout = self.blocks.decl(type).layout
        if layout is Layout.ENUM:
            done.append((con.tag, type))
        elif layout is Layout.BOXED and not con.fields:
            done.append((self.ffi.cast(self._value, 2 * con.tag + 1), type))
        elif layout is Layout.BOXED and id(item) in known:
            self.heap.lib.usl_retain(known[id(item)])
            done.append((known[id(item)], type))
        else:
            work.append((item, con, True))
            work.extend((field, part, False) for field, (_, part) in zip(reversed(fields), reversed(con.fields), strict=True))

    def _build(self, item: Any, con: Any, done: list[Any], known: dict[int, Any]) -> None:
        """Replaces the converted fields at the end of done by what the constructor makes of them."""
        count = len(con.fields)
        fields = [value for value, _ in done[len(done) - count :]]
        type = con.type
        if self.blocks.decl(type).layout is Layout.VALUE:
            made = self.blocks.pack(type, fields)
        else:
            record = self.blocks.record(con)
            made = self.heap.lib.usl_make(record.scan, record.path, con.tag, record.words, self.heap.context)
            self.blocks.write_fields(con, made, fields)
            known[id(item)] = made
        del done[len(done) - count :]
        done.append((made, type))

    def _constructor_of(self, item: Any, type: DataType) -> tuple[Con, tuple[Any, ...]]:
        known = self._made_by.get((type.name, item.__class__))
        if known is not None:
            return known, item.fields
        decl, cls = self.blocks.decl(type), self._classes.get(type.name)
        if cls is None:
            raise mismatch(f"a value of type {type.name}, which Python cannot make", item)
        if cls is tuple:
            (con,) = decl.cons
            if not isinstance(item, tuple) or len(item) != len(con.fields):
                raise mismatch(f"a tuple of {len(con.fields)}", item)
            return con, item
        if isinstance(item, Value) and isinstance(item, cls):
            for con in decl.cons:
                if con.name == item.constructor:
                    self._made_by[type.name, item.__class__] = con
                    return con, item.fields
        raise mismatch(f"a {type.name}", item)

    def _borrow(self, handle: Any, type: Type) -> Any:
        """One more reference to what a handle holds, if the type is right."""
        if not self.fits(handle, type):
            if isinstance(type, FunType) and isinstance(object.__getattribute__(handle, "_type"), FunType):
                raise mismatch("a function of its own program, which functions and exceptions cannot leave", handle)
            raise mismatch(f"a value of type {self.type_name(type)}", handle)
        value = self.ffi.cast(self._value, address_of(handle))
        self.heap.lib.usl_retain(value)
        return value

    def fits(self, handle: Any, type: Type) -> bool:
        """Whether the value of a handle, of this program or another one, is of the type."""
        other = object.__getattribute__(handle, "_converter")
        given = object.__getattribute__(handle, "_type")
        if other is self:
            return bool(given == type)
        return other.identity(given) is not None and other.identity(given) == self.identity(type)

    def identity(self, type: Type) -> object:
        """What two programs must agree on to exchange a value; None if values stay in their program: they have code, or
        exceptions, which each program numbers for itself."""
        return identity(type, self.lowered, set())

    def _scalar(self, item: Any, type: Type) -> Any:
        match type:
            case IntType(bits=bits, signed=signed):
                return integer(item, bits, signed)
            case FloatType():
                if isinstance(item, bool) or not hasattr(item, "__float__"):
                    raise mismatch("a number", item)
                return float(item)
            case StrType():
                if not isinstance(item, str):
                    raise mismatch("a str", item)
                try:
                    data = item.encode("utf-8", "surrogateescape")
                except UnicodeEncodeError:
                    raise mismatch("a str without lone surrogates, which UTF-8 cannot express", item) from None
                return self.heap.lib.usl_string_new(data, len(data), self.heap.site, self.heap.context)
            case FunType() | RefType() | ThreadType():
                raise mismatch(f"a {self.type_name(type)} that a @fun returned", item)
        if type == BOOL:
            if type_name(item) not in ("bool", "bool_"):  # NumPy's has either name
                raise mismatch("a bool", item)
            return bool(item)
        if type == UNIT:
            if item is not None:
                raise mismatch("None", item)
            return None
        raise mismatch(self.type_name(type), item)

    # ---- arrays

    def dtype(self, elem: Type) -> str | None:
        """NumPy's name of the type of such elements; None if it has none."""
        match elem:
            case IntType(bits=bits, signed=signed):
                return f"{'' if signed else 'u'}int{bits}"
            case FloatType(bits=bits):
                return f"float{bits}"
        return "bool" if elem == BOOL else None

    def _array_to_heap(self, item: Any, type: ArrayType) -> Any:
        import numpy as np

        heap, dtype = self.heap, self.dtype(type.elem)
        if dtype is not None:
            return self.arrays.to_heap(item, np.dtype(dtype), lambda wanted: mismatch(wanted, item))
        elements = list(item)
        if not self.blocks.types.is_counted(type.elem):
            return self._plain_array(elements, type.elem)
        if self.blocks.is_boxed_value(type.elem):
            convert = self._writers.boxing(type.elem)
        else:
            convert = partial(self.to_heap, type=type.elem)
        made = heap.lib.usl_boxed_array_new(len(elements), self.ffi.cast(self._value, NOTHING), heap.site, heap.context)
        try:
            place = self._wide(made)
            for i, element in enumerate(elements):
                place[i] = convert(element)
        except BaseException:
            heap.release(made)
            raise
        return made

    def _box(self, scan: int, path: int, words: int) -> Any:
        return self.heap.lib.usl_make(scan, path, TAG_BOX, words, self.heap.context)

    def _fields_of(self, item: Any, type: DataType) -> tuple[Any, ...]:
        """The fields of a Python value for a struct.

        Raises:
            PerceusError: it is none.
        """
        if _is_handle(item):
            self._borrow(item, type)
        return self._constructor_of(item, type)[1]

    def _plain_array(self, elements: list[Any], elem: Type) -> Any:
        """An array of enumerations, or of structs without references."""
        heap, types = self.heap, self.blocks.types
        is_void = types.is_void(elem)
        size = 1 if is_void else self.ffi.sizeof(types.spelling(elem))
        made = heap.lib.usl_raw_array_new(len(elements), size, heap.site, heap.context)
        try:
            place = None if is_void else self.ffi.cast(f"{types.spelling(elem)} *", self._elements(made))
            if place is not None and types.is_value(elem):
                assert isinstance(elem, DataType)
                store = self._writers.storing(elem)
                for i, element in enumerate(elements):
                    store(element, place[i])
            else:
                for i, element in enumerate(elements):
                    value = self.to_heap(element, elem)
                    if place is not None:
                        place[i] = value
        except BaseException:
            heap.release(made)
            raise
        return made

    def _elements(self, array: Any) -> Any:
        return self.ffi.cast("struct usl_raw_array *", array).elements

    def _wide(self, array: Any) -> Any:
        return self.ffi.cast("struct usl_wide *", array).fields

    def _array_from_heap(self, array: Any, elem: Type) -> Any:
        """The elements as a NumPy array of numbers, else a list; the array is only looked at."""
        import numpy as np

        length, dtype = self.ffi.cast("struct usl_raw_array *", array).length, self.dtype(elem)
        if dtype is not None:
            return self.arrays.from_heap(array, np.dtype(dtype))
        if self.blocks.types.is_void(elem):
            return [self._readers.of(elem)(None)] * length
        read = self._readers.of_element(elem)
        return [read(word) for word in self._words(array, elem, length)]

    def _words(self, array: Any, elem: Type, length: int) -> Any:
        """The elements of an array that are not void, as cffi values; those that are structs with references are in blocks."""
        if self.blocks.types.is_counted(elem):
            return self.ffi.unpack(self._wide(array), length) if length else ()
        place = self.ffi.cast(f"{self.blocks.types.spelling(elem)} *", self._elements(array))
        return (place[i] for i in range(length))

    # ---- from the heap

    def from_heap(self, value: Any, type: Type) -> Any:
        """The Python of an owned C value: blocks of data types become handles."""
        if isinstance(type, ArrayType) and (dtype := self.dtype(type.elem)) is not None:
            import numpy as np

            return self.arrays.handed_over(value, np.dtype(dtype))
        if isinstance(type, DataType) and self._classes.get(type.name) is tuple and value is not None:
            (con,) = self.blocks.decl(type).cons
            parts = zip(self.blocks.unpack(type, value), con.fields, strict=True)
            return tuple(self.from_heap(part, kind) for part, (_, kind) in parts)
        result = self.view(value, type)
        self.give_up(value, type)
        return result

    def from_address(self, address: int, type: Type) -> Any:
        """`from_heap` of an owned block."""
        return self.from_heap(self.ffi.cast(self._value, address), type)

    def view(self, value: Any, type: Type) -> Any:
        """The Python of a C value that somebody else owns; handles in it have references of their own."""
        return self._readers.of(type)(value)

    def _view_block(self, value: Any, type: Type) -> Any:
        """`view` of a word that is no string."""
        match type:
            case ArrayType(elem=elem):
                return self._array_from_heap(value, elem)
            case DataType(name=name):
                address = int(self.ffi.cast(self._word, value))
                if address & 1:
                    return self._instance(self.blocks.datas[name].cons[address >> 1], ())
        return self._handle(value, type)

    def _handle(self, value: Any, type: Type) -> Handle:
        self.heap.lib.usl_retain(value)
        return Handle(self, type, int(self.ffi.cast(self._word, value)))

    def _instance(self, con: Con, fields: tuple[Any, ...]) -> Any:
        if not fields:
            key = (con.data, con.tag)
            if key not in self._constants:
                self._constants[key] = self._new_instance(con, ())
            return self._constants[key]
        return self._new_instance(con, fields)

    def constant(self, con: Con) -> Any:
        """A constructor without fields."""
        return self._instance(con, ())

    def _new_instance(self, con: Con, fields: tuple[Any, ...]) -> Any:
        cls = self._classes.get(con.data)
        if cls is tuple:
            return fields
        if cls is None:
            return (con.name, *fields)
        return getattr(cls, con.name)(*fields)

    def _con_at(self, value: Any, type: DataType) -> Con:
        tag: int = value.info // TAG_BITS
        return self.blocks.decl(type).cons[tag]

    # ---- what handles ask for

    def constructor(self, handle: Any) -> Con:
        """Which constructor made the value of a handle."""
        type = object.__getattribute__(handle, "_type")
        return self._con_at(self.ffi.cast(self._value, address_of(handle)), type)

    def python_class(self, handle: Any) -> Any:
        """The class of the constructor, None if the value is not of a data type, or nobody but the program can look into it."""
        type = object.__getattribute__(handle, "_type")
        if not isinstance(type, DataType) or self._classes.get(type.name) is None or type.name in self.lowered.opaque:
            return None
        return getattr(self._classes[type.name], self.constructor(handle).name)

    def fields(self, handle: Any) -> tuple[Any, ...]:
        """The fields of a handle's value, structures as further handles.

        Raises:
            AttributeError: the value is not of a data type.
        """
        type = object.__getattribute__(handle, "_type")
        if not isinstance(type, DataType):
            raise AttributeError(f"a {self.type_name(type)} has no fields")
        if type.name in self.lowered.opaque:
            hint = "hint: a @fun can take it apart"
            raise PerceusError(f"only a program knows what is in a {type.name}", notes=(hint,), code="E743")
        with self.heap.lock:
            block = self.ffi.cast(self._value, address_of(handle))
            fields: tuple[Any, ...] = self._readers.of_fields(self._con_at(block, type))(block)
            return fields

    def deep(self, handle: Any) -> Any:
        """All of what a handle holds, as Python values; what is shared stays shared. Functions and references stay handles."""
        type = object.__getattribute__(handle, "_type")
        if not isinstance(type, DataType) or type.name in self.lowered.opaque:
            return handle
        with self.heap.lock:
            return self._deep(self.ffi.cast(self._value, address_of(handle)), type)

    def _deep(self, root: Any, root_type: Type) -> Any:
        work: list[tuple[Any, Any, bool]] = [(root, root_type, False)]
        done: list[Any] = []
        known: dict[int, Any] = {}
        while work:
            value, what, build = work.pop()
            if build:
                count = len(what.fields)
                fields = tuple(done[len(done) - count :])
                del done[len(done) - count :]
                made = self._instance(what, fields)
                if value is not None:
                    known[int(self.ffi.cast(self._word, value))] = made
                done.append(made)
                continue
            if isinstance(what, IntType | FloatType):
                done.append(value)
                continue
            decl = self.blocks.decl(what) if isinstance(what, DataType) and what.name != "bool" else None
            if decl is None or decl.layout is Layout.ENUM or decl.name in self.lowered.opaque:
                is_array = isinstance(what, ArrayType) and self.dtype(what.elem) is None
                done.append(self._deep_array(value, what.elem) if is_array else self.view(value, what))
                continue
            if decl.layout is Layout.VALUE:
                (con,) = decl.cons
                parts = self.blocks.unpack(what, value) if value is not None else [None] * len(con.fields)
                work.append((None, con, True))
            else:
                address = int(self.ffi.cast(self._word, value))
                if address & 1:
                    done.append(self._instance(decl.cons[address >> 1], ()))
                    continue
                if address in known:
                    done.append(known[address])
                    continue
                con = self._con_at(value, what)
                parts = self.blocks.read_fields(con, value)
                work.append((value, con, True))
            work.extend((part, kind, False) for part, (_, kind) in zip(reversed(parts), reversed(con.fields), strict=True))
        (result,) = done
        return result

    def _deep_array(self, array: Any, elem: Type) -> list[Any]:
        length = self.ffi.cast("struct usl_raw_array *", array).length
        if self.blocks.types.is_void(elem):
            return [self._deep(None, elem)] * length
        words = self._words(array, elem, length)
        if self.blocks.is_boxed_value(elem):
            words = (self.blocks.box_content(elem, word) for word in words)
        return [self._deep(word, elem) for word in words]

    def text(self, handle: Any) -> str:
        """The `repr` of a handle: all of a data structure, else only what it is."""
        type = object.__getattribute__(handle, "_type")
        if not isinstance(type, DataType) or type.name in self.lowered.opaque:
            return f"<{self.type_name(type)} in the heap>"
        return repr(self.deep(handle))

    # ---- what calls ask for

    def opened(self, value: Any, type: DataType) -> tuple[Con, tuple[Any, ...]]:
        """The constructor that made a word of a data type, and its fields."""
        address = int(self.ffi.cast(self._word, value))
        if address & 1:
            return self.blocks.decl(type).cons[address >> 1], ()
        con = self._con_at(value, type)
        return con, self._readers.of_fields(con)(value)

    def nothing(self, type: Type) -> Any:
        """A C value for a result that nobody looks at."""
        kind = self.blocks.types.spelling(type)
        if self.blocks.types.is_value(type):
            return self.ffi.new(f"{kind} *")[0]
        return self.ffi.NULL if kind == "usl_value" else 0

    def type_name(self, type: Type) -> str:
        """A type as messages call it, with Python's words where there are any."""
        match type:
            case DataType(name=name):
                return name
            case FunType():
                return "function"
            case RefType():
                return "ref"
            case ThreadType():
                return "thread"
            case ArrayType():
                return "array"
            case StrType():
                return "str"
            case IntType(bits=bits, signed=signed):
                return f"{'i' if signed else 'u'}{bits}"
            case FloatType(bits=bits):
                return f"f{bits}"
        return "None"


TAG_BOX = 1021
"""USL_TAG_BOX of usl_rt.h."""


def _is_handle(item: Any) -> bool:
    return type(item) is Handle
