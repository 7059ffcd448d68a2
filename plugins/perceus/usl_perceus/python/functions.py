"""Functions of Python as closures of a program, for parameters that are declared `foreign[Callable[...]]`.

The code of such a closure is a callback, which has to live as long as the block: the block is looked at before each call, and
both are given up when nothing else refers to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from usl_perceus.errors import PerceusError
from usl_perceus.front.builtins import PYTHON
from usl_perceus.ir import FunType, Type
from usl_perceus.python.handle import Handle

if TYPE_CHECKING:
    from usl_perceus.python.convert import Converter

TAG_CLOSURE, WORDS = 1016, 2
"""USL_TAG_CLOSURE of usl_rt.h, and the size of such a block: its header and its code."""


class Functions:
    """Those of one program. The heap's lock is held."""

    def __init__(self, converter: Converter) -> None:
        self._converter, self._heap = converter, converter.heap
        self._kept: list[tuple[Any, Any]] = []
        """Blocks, to each of which a reference is held here, with their callbacks."""
        self._raised: dict[int, BaseException] = {}
        self._running = 0
        self._place = converter.ffi.new("char[]", b"a function of Python")
        self._con = next((con for con, exception in converter.lowered.exceptions.items() if exception is PYTHON), None)

    @property
    def used(self) -> bool:
        """Whether the program takes functions of Python."""
        return self._con is not None

    def given(self, value: Any, type: Type) -> Any:
        """An argument; a function, if it is not of this program, as a value of it."""
        own = value.__class__ is Handle and object.__getattribute__(value, "_converter") is self._converter
        return self._handle(value, type) if callable(value) and not own and isinstance(type, FunType) else value

    @contextmanager
    def running(self) -> Iterator[None]:
        """Around a call, from which functions of Python may make others."""
        if self._running == 0:
            self._sweep()
        self._running += 1
        try:
            yield
        finally:
            self._running -= 1
            if self._running == 0:
                self._raised.clear()

    def _sweep(self) -> None:
        """Gives up the functions that the heap does not refer to any more."""
        kept = []
        for block, callback in self._kept:
            if block.count == 0:
                self._heap.release(block)
            else:
                kept.append((block, callback))
        self._kept = kept

    def _handle(self, function: Callable[..., Any], type: FunType) -> Handle:
        """The function as a value of the program."""
        converter, ffi = self._converter, self._converter.ffi
        types = converter.blocks.types
        kinds = [types.spelling(param) for param in type.params if not types.is_void(param)]
        result = types.spelling(type.result)
        callback = ffi.callback(f"{result}({', '.join([*kinds, 'usl_value', 'usl_context *'])})", self._code(function, type))
        block = self._heap.lib.usl_make(1, 1, TAG_CLOSURE, WORDS, self._heap.context)
        ffi.cast("struct usl_closure *", block).code = ffi.cast("usl_code", callback)
        self._kept.append((block, callback))
        self._heap.lib.usl_retain(block)
        return Handle(converter, type, int(ffi.cast("uintptr_t", block)))

    def _code(self, function: Callable[..., Any], type: FunType) -> Callable[..., Any]:
        """The callback: it owns its arguments and the closure."""
        converter, heap = self._converter, self._heap
        types = converter.blocks.types
        none: Any = None if types.is_void(type.result) else converter.nothing(type.result)

        def call(*words: Any) -> Any:
            *given, closure, _ = words
            rest = iter(given)
            try:
                values = [None if types.is_void(param) else next(rest) for param in type.params]
                args = [converter.from_heap(value, param) for value, param in zip(values, type.params, strict=True)]
                return self._result(function, function(*args), type.result)
            except BaseException as error:
                self._throw(error)
                return none
            finally:
                heap.release(closure)

        return call

    def _result(self, function: Callable[..., Any], value: Any, type: Type) -> Any:
        """Nothing is lent, because nobody takes it back."""
        arrays = self._converter.arrays
        lends, arrays.lends = arrays.lends, False
        try:
            return self._converter.to_heap(value, type)
        except PerceusError as error:
            name = getattr(function, "__name__", "the function")
            raise PerceusError(f"the result of {name}: {error.message}", code="E743") from None
        finally:
            arrays.lends = lends

    def _throw(self, error: BaseException) -> None:
        assert self._con is not None
        number = len(self._raised)
        self._raised[number] = error
        record = self._converter.blocks.record(self._con)
        made = self._heap.lib.usl_make(record.scan, record.path, self._con.tag, record.words, self._heap.context)
        self._converter.blocks.write_fields(self._con, made, [number])
        self._heap.lib.usl_throw(made, self._place, self._heap.context)

    def raised(self, number: int) -> BaseException:
        """The exception under a number."""
        return self._raised.get(number) or RuntimeError("a function of Python raised in a call before")
