"""A `@fun` called from Python: compiled when it is first called, arguments converted, exceptions raised again."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from usl_c11.cache import compiled
from usl_c11.compiler import find_compiler, openmp_flags
from usl_c11.cpu import require_features
from usl_core.deep import deep
from usl_perceus.c import generate
from usl_perceus.c.types import identifier
from usl_perceus.errors import PerceusError
from usl_perceus.front.lower import Lowered
from usl_perceus.front.resolve import signature
from usl_perceus.front.types import TUPLE
from usl_perceus.ir import EXN, Call, CallClosure, ForeignCall, FunDef, Prim, Program
from usl_perceus.opt.callgraph import call_graph, components
from usl_perceus.passes import compile_program
from usl_perceus.python.convert import Converter
from usl_perceus.python.entry import WORDS, make_entry, words_function
from usl_perceus.python.heap import Undefined, heap, load, shared_flags
from usl_perceus.python.layout import Blocks
from usl_perceus.python.worker import Limit
from usl_perceus.traverse import walk

if TYPE_CHECKING:
    from usl_perceus.decorators import Function


class Compiled:
    """One compiled function."""

    def __init__(self, function: Function) -> None:
        lowered = function.core()
        (exported,) = lowered.exports.values()
        self.fun: FunDef = lowered.program.funs[exported]
        self.name = function.name()
        program = compile_program(lowered.program)
        name = identifier(f"fun_{self.name}")
        source = generate(program, name)
        compiler = find_compiler()
        require_features(source.features, compiler)
        parallel = openmp_flags(compiler) if source.has_parallel_loops else ()
        flags = (*shared_flags(compiler), *source.flags, *(f"-m{feature}" for feature in source.features), *parallel)
        own = heap()
        ffi = own.ffi.__class__()
        ffi.include(own.ffi)
        types = [*(param.var.type for param in self.fun.params), self.fun.result]
        blocks = Blocks(lowered.program.datas, [*types, *([EXN] if "exn" in lowered.program.datas else [])], ffi)
        spell = blocks.types
        # the file that has all but the runtime comes first: it is the one that is compiled
        formals = [spell.spelling(type) for type in types[:-1] if not spell.is_void(type)]
        guard = _guarded(source.functions[exported], spell.spelling(self.fun.result), formals)
        files = {
            "usl_program.c": source.program + guard + words_function(GUARD, types[:-1], types[-1], blocks),
            **{file: text for file, text in source.files.items() if file != "usl_rt.c"},
        }
        path = compiled(files, compiler, tuple(dict.fromkeys(flags)))
        ffi.cdef(f"{spell.spelling(self.fun.result)} {GUARD}({', '.join([*formals, 'usl_context *'])});")
        try:
            self.library = load(ffi, str(path))
        except Undefined as error:
            raise _not_defined(str(error), program) from None
        self.function, self.long = getattr(self.library, GUARD), function.limited or _may_take_long(program)
        classes = _classes(lowered)
        self._foreign = signature(function.__usl_definition__).foreign
        self.converter = Converter(own, lowered, blocks, classes, lends=not _may_keep(program))
        ffi.cdef(f"void {WORDS}(void);")
        self.entry = (
            None
            if any(self._foreign)
            else make_entry(
                getattr(self.library, WORDS),
                types[:-1],
                types[-1],
                self.converter,
                classes,
                long=self.long,
                name=self.name,
                slowly=function.slowly,
            )
        )

    def __call__(self, args: Sequence[Any], limit: Limit | None = None) -> Any:
        if any(self._foreign):
            return self._with_functions(args, limit)
        params = [param.var.type for param in self.fun.params]
        with self.converter.heap.lock:
            return self.converter.calls.run(
                self.function, self.name, params, self.fun.result, args, long=self.long, limit=limit
            )

    def _with_functions(self, args: Sequence[Any], limit: Limit | None) -> Any:
        """A call that may call functions of Python. It has a stack of its own, but no worker, which these may need."""
        if limit is not None and limit.seconds is not None:
            raise PerceusError(f"{self.name} takes functions of Python, and has no time limit", code="E743")

        def run() -> Any:
            heap, functions = self.converter.heap, self.converter.functions
            heap.lib.usl_watch_stack()
            with heap.lock, functions.running():
                params = [param.var.type for param in self.fun.params]
                given = [
                    functions.given(arg, type) if is_foreign else arg
                    for arg, type, is_foreign in zip(args, params, self._foreign, strict=False)
                ]
                given += args[len(given) :]
                return self.converter.calls.run(self.function, self.name, params, self.fun.result, given, long=False)

        return deep(run)


def _not_defined(symbol: str, program: Program) -> PerceusError:
    span = next((decl.span for decl in program.foreigns.values() if decl.symbol == symbol), None)
    hint = "hint: load the library that has it before: ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)"
    return PerceusError(f"no library of this process has the C function {symbol}", span=span, notes=(hint,), code="E744")


GUARD = "usl_python_call"


def _guarded(symbol: str, result: str, formals: Sequence[str]) -> str:
    """The C function that Python calls: comes back with `thrown` set where memory runs out, instead of ending the process.
    Its own names begin with `usl_`, as no function of a program does."""
    head = ", ".join([*(f"{kind} usl_{i}" for i, kind in enumerate(formals)), "usl_context *usl_ctx"])
    call = f"{symbol}({', '.join([*(f'usl_{i}' for i in range(len(formals))), 'usl_ctx'])})"
    void = result == "void"
    return f"""
#include <setjmp.h>

__attribute__((visibility("default"))) {result} {GUARD}({head});
{result} {GUARD}({head})
{{
    void *const usl_outer = usl_ctx->escape;
    jmp_buf usl_escape;
    if (setjmp(usl_escape) != 0) {{
        usl_ctx->escape = usl_outer;
        {"return;" if void else f"const {result} usl_none = {{0}};"}
        {"" if void else "return usl_none;"}
    }}
    usl_ctx->escape = &usl_escape;
    {"" if void else f"const {result} usl_result = "}{call};
    usl_ctx->escape = usl_outer;
    {"" if void else "return usl_result;"}
}}
"""


def _may_keep(program: Program) -> bool:
    """Whether something may use an argument after the call: a thread, or a C function."""
    bodies = [expr for fun in program.funs.values() for expr in walk(fun.body)]
    return any(isinstance(expr, ForeignCall) or (isinstance(expr, Prim) and expr.op == "spawn") for expr in bodies)


def _may_take_long(program: Program) -> bool:
    """Whether there is anything like a loop: a call that leads back to its function, or a closure's, or a thread's end.

    Such a call is made in a thread of its own: Ctrl-C reaches only a main thread that is in Python, and the stack may grow with
    the data, for which that of a Python thread, a few megabytes, is too small. Kernels alone are called where they are called
    from, as `jit` does: changing threads twice takes longer than many of them.
    """
    home = {name: number for number, group in enumerate(components(call_graph(program))) for name in group}
    for name, fun in program.funs.items():
        for expr in walk(fun.body):
            match expr:
                case CallClosure() | Prim(op="join"):
                    return True
                case Call(fun=called) if home[called] == home[name]:
                    return True
                case _:
                    pass
    return False


def _classes(lowered: Lowered) -> dict[str, Any]:
    """The Python class of each data type; `tuple` for tuples."""
    return {name: tuple if type.head == TUPLE else getattr(type.head, "python", None) for name, type in lowered.types.items()}


_compiled: WeakKeyDictionary[Function, Compiled] = WeakKeyDictionary()
_compiling = threading.Lock()


def call(function: Function, args: Sequence[Any]) -> Any:
    """The result of function(*args): numbers, strings, tuples and arrays as Python's own, other data as handles.

    Raises:
        PerceusError: the program is wrong, or an argument has the wrong type or number. JitError: it cannot be compiled.
        What the function raises, as the Python exception of that name.
    """
    known = _known(function)
    if known.entry is not function.entry:
        function.entry = known.entry
    return known(args)


def call_limited(function: Function, args: Sequence[Any], seconds: float | None) -> Any:
    """The same of a function that was compiled with limits.

    Raises:
        TimeoutError: it took longer than these seconds, if there are any. KeyboardInterrupt: Ctrl-C was pressed; the call has
        ended. What `call` raises.
    """
    known = _known(function)
    try:
        return known(args, Limit(seconds, known.converter.heap.lib.usl_set_interrupt))
    except TimeoutError as error:
        raise TimeoutError(f"{function.name()} took longer than {seconds:g} seconds, and was ended at {error}") from None


def _known(function: Function) -> Compiled:
    with _compiling:
        known = _compiled.get(function)
        if known is None:
            known = _compiled[function] = Compiled(function)
        return known
