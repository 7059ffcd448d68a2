"""The sizes of a program: each function elaborated, sliced, and given the mode in which it is called.

Callees come first; functions that call each other are elaborated together, under the hope that recursive calls return what the
branches without recursion do. What is confirmed holds, by induction on the depth of a call that ends.
Reference: docs/soac.md, §4.4, §5 and §6.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from usl_core.ir.sym import Sym
from usl_soac import core
from usl_soac.checking import Callee, Context, Terms
from usl_soac.core import Body, Function, Part, Program
from usl_soac.cost import CHEAP, cost
from usl_soac.dead import body_can_fail
from usl_soac.elaborate import Elaborated, elaborate_body, elaborate_in
from usl_soac.errors import SoacError
from usl_soac.inlining import inline_calls
from usl_soac.reasons import why_with_result
from usl_soac.simplify import simplify
from usl_soac.sizes import name
from usl_soac.slicing import shape, shape_function, value, whole
from usl_soac.traverse import walk


class Mode(Enum):
    """How callers learn the sizes of a function's results."""

    STATIC = "static"
    SLICED = "sliced"
    INTERLEAVED = "interleaved"


@dataclass(frozen=True, slots=True)
class Sized:
    """A function with its parts. `shape` is there in all modes, whatever it costs."""

    function: Function
    mode: Mode
    done: Elaborated
    ext: Function
    value: Function
    shape: Function
    cost: float
    can_fail: bool


@dataclass(slots=True)
class SizedProgram:
    """All functions of a program, callees first, with what the interpreter of the typed core needs to know of maps."""

    functions: dict[str, Sized]
    invariant: Mapping[core.Map, tuple[tuple[bool, ...], ...]]

    def part(self, name: str, part: Part) -> Function:
        """A part of a function.

        Raises:
            KeyError: there is no such function, or no such part of it.
        """
        sized = self.functions[name]
        return {Part.EXT: sized.ext, Part.SHAPE: sized.shape, Part.VALUE: sized.value}[part]

    def program(self) -> Program:
        """The functions that are called, in the parts in which they are: shape and value, or all of them at once."""
        parts = [each for sized in self.functions.values() for each in (sized.ext, sized.shape, sized.value)]
        return Program(tuple(parts))


def sizes_of_program(program: Program, *, debug: bool = False) -> SizedProgram:
    """Elaborates, slices and chooses modes. With debug, values test that they have the sizes which they are given.

    Raises:
        SoacError: two sizes differ for certain, or a promise is broken.
    """
    return _Sizes(program, debug).run()


class _Sizes:
    def __init__(self, program: Program, debug: bool) -> None:
        self.debug = debug
        self.functions = {each.name: each for each in program.functions}
        self.done: dict[str, Sized] = {}
        self.callees: dict[str, Callee] = {}
        self.invariant: dict[core.Map, tuple[tuple[bool, ...], ...]] = {}

    def run(self) -> SizedProgram:
        for group in components(self.functions):
            self.group(group)
        return SizedProgram(self.done, self.invariant)

    # ---- elaboration of functions that call each other

    def group(self, names: Sequence[str]) -> None:
        recursive = len(names) > 1 or names[0] in calls(self.functions[names[0]])
        hope: dict[str, Terms] = {}
        if recursive:
            hope = self.first_hope(names)
        while True:
            found = {each: self.elaborated(each, hope, frozenset()) for each in names}
            confirmed = {each: _confirmed(hope[each], found[each].terms) for each in hope}
            if confirmed == hope:
                break
            hope = confirmed
        for each in names:
            if found[each].context.mistakes:
                raise found[each].context.mistakes[0]
            self.invariant.update(found[each].context.invariant)
        fails = any(body_can_fail(found[each].body, lambda call: self.may_fail(call, names)) for each in names)
        for each in names:
            self.finish(found[each], fails)

    def first_hope(self, names: Sequence[str]) -> dict[str, Terms]:
        """What the branches without recursion say."""
        guess: dict[str, Terms] = {}
        unknown: set[Sym] = set()
        for each in names:
            dims = []
            for typ in self.functions[each].results:
                syms = [Sym("unknown") for _ in typ.dims]
                unknown.update(syms)
                dims.append(tuple(map(name, syms)))
            guess[each] = tuple(dims)
        found = {each: self.elaborated(each, guess, frozenset(unknown)) for each in names}
        return {each: _without(found[each].terms, unknown) for each in names}

    def elaborated(self, each: str, hope: Mapping[str, Terms], unknown: frozenset[Sym]) -> Elaborated:
        callees = dict(self.callees)
        for other, terms in hope.items():
            callees[other] = Callee(self.functions[other], terms)
        return elaborate_in(self.functions[each], Context(callees, self.cheap, elaborate_body, set(unknown)))

    # ---- parts

    def finish(self, done: Elaborated, fails: bool) -> None:
        function = done.function
        slice_ = shape(done, self.slice)
        costs = cost(slice_.body)
        static = all(term is not None for dims in done.terms for term in dims)
        mode = Mode.STATIC if static else Mode.SLICED if costs <= CHEAP else Mode.INTERLEAVED
        for promise, wanted in (("sliced", Mode.SLICED), ("interleaved", Mode.INTERLEAVED)):
            if promise in function.promises and mode is not wanted:
                mode = self.forced(function, mode, wanted)
        if "static_sizes" in function.promises and not static:
            self.require_static(done)
        self.callees[function.name] = Callee(function, done.terms, slice_ if mode is Mode.SLICED else None)
        if mode is Mode.INTERLEAVED:
            nothing = tuple(tuple(None for _ in dims) for dims in done.terms)
            self.callees[function.name] = Callee(function, nothing if static else done.terms)
        self.done[function.name] = Sized(
            function, mode, done, whole(done), value(done, debug=self.debug), shape_function(function, slice_), costs, fails
        )

    def require_static(self, done: Elaborated) -> None:
        """Refuses a function whose type does not say all sizes.

        Raises:
            SoacError: always.
        """
        for position, terms in enumerate(done.terms):
            for dim, term in enumerate(terms):
                if term is None:
                    which = f"dimension {dim} of result {position}" if len(done.terms) > 1 else f"dimension {dim} of its result"
                    message = (
                        f"{done.function.name} is promised to have static sizes, but {which} depends on more than its type"
                    )
                    notes = [f"{reason.span}: {reason.text}" for reason in why_with_result(done, done.dims[position][dim])]
                    raise SoacError(message, span=done.function.span, notes=notes, code="E765")

    def forced(self, function: Function, mode: Mode, wanted: Mode) -> Mode:
        """The mode that a promise asks for.

        Raises:
            SoacError: the sizes cannot be had apart.
        """
        if wanted is Mode.INTERLEAVED:
            return wanted
        if mode is Mode.STATIC:
            return mode
        message = f"{function.name} is promised to be sliced, but its sizes are not cheap to compute apart from its result"
        raise SoacError(message, span=function.span, code="E765")

    def cheap(self, body: Body) -> Body | None:
        """A slice simplified, if it is cheap."""
        simplified = self.slice(body)
        return simplified if cost(simplified) <= CHEAP else None

    def slice(self, body: Body) -> Body:
        """Slices are inlined into each other and simplified; tests stay where they guard."""
        return simplify(inline_calls(body, self.inlined), tests_stay=False)

    def inlined(self, call: core.Call) -> Function | None:
        """The function of a call in a slice, if it is cheap."""
        sized = self.done.get(call.function)
        if sized is None or call.part is not Part.VALUE or cost(sized.value.body) > CHEAP:
            return None
        return sized.value

    def may_fail(self, call: core.Call, group: Sequence[str]) -> bool:
        """Whether a call may fail; of calls in its own group the rest of the body decides."""
        return call.function not in group and (call.part is not Part.SHAPE) and self.done[call.function].can_fail


def _confirmed(hope: Terms, found: Terms) -> Terms:
    return tuple(tuple(a if a == b else None for a, b in zip(x, y, strict=True)) for x, y in zip(hope, found, strict=True))


def _without(terms: Terms, unknown: set[Sym]) -> Terms:
    """Without what nothing was found out of."""
    return tuple(tuple(None if each is None or each.names() & unknown else each for each in dims) for dims in terms)


# ---- the graph of calls


def calls(function: Function) -> list[str]:
    """The functions that a function calls, in order."""
    return [each.value.function for each in walk(function.body) if isinstance(each.value, core.Call)]


def components(functions: Mapping[str, Function]) -> Iterator[list[str]]:
    """Functions that call each other, callees first (Tarjan 1972)."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(each: str) -> None:
        order[each] = low[each] = len(order)
        stack.append(each)
        for other in calls(functions[each]):
            if other not in order:
                visit(other)
                low[each] = min(low[each], low[other])
            elif other in stack:
                low[each] = min(low[each], order[other])
        if low[each] == order[each]:
            group = stack[stack.index(each) :]
            del stack[stack.index(each) :]
            found.append(group)

    for each in functions:
        if each not in order:
            visit(each)
    yield from found
