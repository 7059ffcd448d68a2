"""`@soac`: a function of arrays, with the promises that stand above it."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from usl_core import tracebacks
from usl_core.errors import LIBRARIES
from usl_core.ir.identity import Declaration
from usl_soac import text, types
from usl_soac.core import Program
from usl_soac.definitions import Definition, Scope
from usl_soac.tuning import Tuned

if TYPE_CHECKING:
    from usl_soac.modes import SizedProgram
    from usl_soac.running import Compiled

LIBRARIES.add("usl_soac")
tracebacks.DECORATORS.update(("soac",))
tracebacks.install()


class Function(Tuned, Declaration):
    """A function of arrays; it is checked when it is first used, so that it may use what is defined later.

    A copy of it is the function itself, and pickle finds it again under the name that a module has for it.
    """

    def __init__(self, definition: Definition) -> None:
        self.__usl_soac__ = definition
        self.__name__ = definition.name
        self._core: Program | None = None
        self._sized: SizedProgram | None = None
        self._compiled: Compiled | None = None
        self._call: Callable[[Sequence[Any]], Any] | None = None
        """Makes calls of what is compiled."""

    def name(self) -> str:
        """The name that it was defined with."""
        return self.__usl_soac__.name

    def declared_as(self) -> str:
        return f"{self.name()}(): {ast.unparse(self.__usl_soac__.node)}"

    def core(self) -> Program:
        """The program of this function and everything that it uses.

        Raises:
            SoacError: something in it is not in the language, or ill-typed.
        """
        if self._core is None:
            self._core = types.lower(self.__usl_soac__)
        return self._core

    def sized(self) -> SizedProgram:
        """The program with its sizes: each function elaborated, sliced, and given the mode in which it is called.

        Raises:
            SoacError: sizes differ for certain, or a promise is broken.
        """
        if self._sized is None:
            from usl_soac import fates, modes

            sized = modes.sizes_of_program(self.core())
            fates.require_promises(sized)
            self._sized = sized
        return self._sized

    def type(self) -> str:
        """`∀ K N M. (A: f64[K, N, M]) → f64[2*N]`: sizes that come with a result stand behind ∃."""
        from usl_soac import report

        return report.type_of(list(self.sized().functions.values())[-1])

    def shape(self, **given: Any) -> Any:
        """The sizes of the result without computing it: `f.shape(n=3, A=(2, 3, 4))`, with arrays, or their sizes alone.

        Raises:
            SoacError: nothing but computing the result gives them (E766), or an argument is missing.
        """
        from usl_soac import report

        return report.result_sizes(self.__usl_soac__, self.sized(), given)

    def explain(self) -> str:
        """For each function how callers learn the sizes of its results, and what is tested where."""
        from usl_soac import report

        return report.explained(self.sized())

    def check_operators(self) -> int:
        """Tries the operators of reduce, scan and reduce_by_index on random values; how many could be tried.

        Raises:
            SoacError: one is not associative, or its neutral element is none (E767).
        """
        from usl_soac import operators

        return operators.check_operators(self.core())

    def interpret(self, /, *args: Any, exact: bool = False, **named: Any) -> Any:
        """The results by the interpreter, which says what a program means; with exact f32 and f64 are fractions.

        Arguments are given by position or by name, but for one that is called exact: by position.

        Raises:
            SoacError: an argument is not of its type, or the program is not well-formed.
            ShapeError, IndexError, AssertionError, ZeroDivisionError, MemoryError: a test of the program fails.
        """
        program, invariant = self.core(), self.sized().invariant
        from usl_soac import arguments, interp  # NumPy

        signature = self.__usl_soac__.signature
        args = arguments.in_order(signature, args, named) if named else args
        given = arguments.converted(signature, args, exact)
        results = interp.interpret(program, given, exact=exact, invariant=invariant)
        return arguments.given_back(signature.result, iter(results))

    def __call__(self, /, *args: Any, **named: Any) -> Any:
        """The results. The program is compiled when it is first called; C-contiguous arrays are lent to it, not copied.

        Arguments are given by position or by name.

        Raises:
            SoacError: an argument is not of its type, or the program is not well-formed.
            ShapeError, IndexError, AssertionError, ZeroDivisionError, MemoryError: a test of the program fails.
        """
        if named:
            from usl_soac import arguments

            args = arguments.in_order(self.__usl_soac__.signature, args, named)
        return (self._call or self._first_call())(args)

    def _first_call(self) -> Callable[[Sequence[Any]], Any]:
        """What makes calls."""
        from usl_soac import arguments, plain_calls  # NumPy

        signature, compiled = self.__usl_soac__.signature, self.compiled()

        def in_general(args: Sequence[Any]) -> Any:
            results = compiled(arguments.converted(signature, args, False, lent=True))
            return arguments.given_back(signature.result, iter(results), copied=False)

        plain = plain_calls.plain(
            compiled.source,
            signature,
            compiled.compiled,
            in_general=in_general,
            failed=compiled.failed,
            too_large=compiled.too_large,
        )
        self._call = plain or in_general
        return self._call

    def compiled(self) -> Compiled:
        """The compiled program."""
        if self._compiled is None:
            from usl_soac.running import Compiled  # the compiler, which a module that only declares does without

            self._compiled = Compiled(self.core())
        return self._compiled

    def copied(self) -> Function:
        """The same function, to be compiled anew."""
        return Function(self.__usl_soac__)

    def show(self, form: str = "core") -> str:
        """The program after a pass: core, sizes, ext, slices, simplified, hoisted, staged, fusion, outer, kernels, c."""
        from usl_soac import report

        return report.shown(self.core(), self.sized, form)

    def __repr__(self) -> str:
        return f"<soac {self.name()}>"


def soac(function: Callable[..., Any]) -> Function:
    """Decorator: a Python function becomes one of arrays. Its text is read; Python never runs it.

    Raises:
        SoacError: its text cannot be found.
    """
    source, node = text.definition(function)
    return Function(Definition(node.name, source, node, _scope(function)))


def sliced(function: Function) -> Function:
    """Promise: callers can compute the sizes of the results before the results; otherwise compilation fails."""
    return _promised(function, "sliced")


def interleaved(function: Function) -> Function:
    """Callers learn the sizes of the results with the results, also where they could be computed before."""
    return _promised(function, "interleaved")


def static_sizes(function: Function) -> Function:
    """Promise: the type says the sizes of the results; otherwise compilation fails."""
    return _promised(function, "static_sizes")


def checked_once(function: Function) -> Function:
    """Promise: no test is made for each element or in each round of a loop; otherwise compilation fails."""
    return _promised(function, "checked_once")


def no_alloc(function: Function) -> Function:
    """Promise: a call takes memory for the arrays of its results, and for no others; otherwise compilation fails."""
    return _promised(function, "no_alloc")


def _promised(function: Function, promise: str) -> Function:
    if not isinstance(function, Function):
        raise text.refuse(f"@{promise} stands above @soac", None, f"hint: @{promise} on the line before @soac")
    function.__usl_soac__.promises.add(promise)
    return function


def parse_program(text_: str, file: str = "<program>", scope: Mapping[str, Any] | None = None) -> dict[str, Function]:
    """The `@soac` functions of a text, which is not run, by name. `scope` holds what they may use besides.

    Raises:
        SoacError: the text consists of something else.
    """
    source, nodes = text.definitions(text_, file)
    names: dict[str, Any] = dict(scope or {})
    made = {node.name: Function(Definition(node.name, source, node, Scope(names), text.promises(node))) for node in nodes}
    names.update(made)
    return made


def _scope(function: Callable[..., Any]) -> Scope:
    frame = sys._getframe(2)
    local = {} if frame.f_locals is frame.f_globals else dict(frame.f_locals)
    code = getattr(function, "__code__", None)
    cells = dict(zip(code.co_freevars if code else (), getattr(function, "__closure__", None) or (), strict=False))
    return Scope(frame.f_globals, local, cells)
