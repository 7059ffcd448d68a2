"""Calls of a program's functions and closures with Python values: what they return, and what they raise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from usl_core.deep import deep
from usl_perceus.errors import PerceusError
from usl_perceus.front.builtins import PythonRaised
from usl_perceus.ir import EXN, FunType, Type
from usl_perceus.python.handle import address_of
from usl_perceus.python.worker import Limit

if TYPE_CHECKING:
    from usl_perceus.python.convert import Converter


class Calls:
    """Those of one program."""

    def __init__(self, converter: Converter) -> None:
        self._converter, self._heap, self._blocks, self._ffi = converter, converter.heap, converter.blocks, converter.ffi
        self._value = converter.ffi.typeof("usl_value")

    def run(
        self,
        function: Callable[..., Any],
        name: str,
        params: Sequence[Type],
        result: Type,
        args: Sequence[Any],
        *,
        long: bool,
        limit: Limit | None = None,
    ) -> Any:
        """Calls a C function that owns its arguments. The heap's lock is held. long: it may take long, or go deep.

        Raises:
            PerceusError: an argument has the wrong type. What the function raises.
        """
        heap, types = self._heap, self._blocks.types
        heap.collect()
        if not heap.output.is_printing():
            heap.unwritten()  # of a call that was given up
        if len(args) != len(params):
            raise PerceusError(f"{name} takes {len(params)} argument(s), {len(args)} given", code="E743")
        converted: list[tuple[Any, Type]] = []
        try:
            for i, (arg, type) in enumerate(zip(args, params, strict=True), start=1):
                try:
                    converted.append((self._converter.to_heap(arg, type), type))
                except PerceusError as error:
                    raise PerceusError(f"argument {i} of {name}: {error.message}", code="E743") from None
        except BaseException:
            for value, type in converted:
                self._converter.give_up(value, type)
            self._converter.arrays.give_back(self._converter.arrays.lent())
            raise
        given = (*(value for value, type in converted if not types.is_void(type)), heap.context)
        function = self._converter.arrays.returning(function)
        value = heap.in_worker(function, given, lambda value: self._discard(value, result), limit) if long else function(*given)
        if heap.output.failure is not None:
            self._discard(value, result)
            self.raise_unwritten()
        if heap.lib.usl_has_thrown(heap.context):
            self.raise_thrown(name)
        return self._converter.from_heap(None if types.is_void(result) else value, result)

    def raise_thrown(self, name: str) -> None:
        """Raises what a call of the function of that name raised."""
        lib, context = self._heap.lib, self._heap.context
        if lib.usl_was_out_of_memory(context):
            raise MemoryError(f"{name} ran out of memory; what it held is not freed")
        raise self._exception(lib.usl_take_exception(context))

    def raise_unwritten(self) -> None:
        """Raises what kept from being written what the call printed."""
        failure = self._heap.unwritten()
        assert failure is not None
        raise failure

    def _discard(self, value: Any, type: Type) -> None:
        """Gives up what a call gave that nobody waits for any more: its result, or its exception."""
        if not self._heap.lib.usl_has_thrown(self._heap.context):
            self._converter.give_up(None if self._blocks.types.is_void(type) else value, type)
        elif not self._heap.lib.usl_was_out_of_memory(self._heap.context):
            self._heap.release(self._heap.lib.usl_take_exception(self._heap.context))

    def _exception(self, value: Any) -> BaseException:
        """The Python exception of an owned value of type exn."""
        con, fields = self._converter.opened(value, EXN)
        if fields:
            self._heap.release(value)
        raised = self._heap.lib.usl_raised_at(self._heap.context)
        place = self._ffi.string(raised).decode() if raised else ""
        why = self._heap.lib.usl_raised_why(self._heap.context)
        if why:
            place += f": {self._ffi.string(why).decode()}"
        kind = self._converter.lowered.exceptions[con].python
        if kind is PythonRaised:
            return self._converter.functions.raised(fields[0])
        if kind.__module__ == "builtins":
            return kind(place)
        error = kind(*fields)
        error.add_note(f"raised at {place}")
        return error

    def closure(self, handle: Any, args: tuple[Any, ...]) -> Any:
        """Calls the closure of a handle with Python values; the handle keeps it.

        Raises:
            TypeError: the value is no function. PerceusError: an argument is of the wrong kind.
        """
        type = object.__getattribute__(handle, "_type")
        if not isinstance(type, FunType):
            raise TypeError(f"a {self._converter.type_name(type)} is not a function")
        if self._converter.functions.used:
            return deep(lambda: self._closure(handle, type, args))
        return self._closure(handle, type, args)

    def _closure(self, handle: Any, type: FunType, args: tuple[Any, ...]) -> Any:
        with self._heap.lock, self._converter.functions.running():
            closure = self._ffi.cast(self._value, address_of(handle))
            types = self._blocks.types
            kinds = [types.spelling(param) for param in type.params if not types.is_void(param)]
            signature = f"{types.spelling(type.result)}(*)({', '.join([*kinds, 'usl_value', 'usl_context *'])})"
            code = self._ffi.cast(signature, self._ffi.cast("struct usl_closure *", closure).code)

            def call(*converted: Any) -> Any:
                self._heap.lib.usl_retain(closure)
                return code(*converted[:-1], closure, converted[-1])

            return self.run(call, "the function", type.params, type.result, args, long=not self._converter.functions.used)
