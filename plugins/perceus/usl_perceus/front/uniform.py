"""Which type variables are kept in one form: those by which a function or data type uses itself at ever larger types.

Each use with other types is compiled on its own, except where there would be no end of it: `Nested[T]` with a field
`Nested[tuple[T, T]]`, and functions that go through it. There a variable stands for `ANY`, whose values are references:
blocks as they are, numbers and structs in a block of their own. All data types that such a function builds from `ANY` keep
their elements in that form everywhere in the program, so that a value has the same form wherever it is looked at.
Reference: Leroy 1992, "Unboxed objects and polymorphic typing".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from usl_perceus.front.check import check_function
from usl_perceus.front.definitions import DataDef, FunDef
from usl_perceus.front.growth import Definition, Graph, growing
from usl_perceus.front.resolve import constructors, signature
from usl_perceus.front.typed import FunUse
from usl_perceus.front.types import FUNCTION, THREAD, App, Type, resolve

ANY = App("any")
"""What such a variable stands for."""


class Uniform:
    """The type variables that are kept in one form, of one program."""

    def __init__(self, funs: Iterable[FunDef]) -> None:
        self._positions: dict[Definition, set[int]] = {}
        for definition, position in _of_functions(funs).growing():
            self._positions.setdefault(definition, set()).add(position)

    def positions(self, definition: Definition) -> frozenset[int]:
        """The variables of a definition that are."""
        own = growing(definition) if isinstance(definition, DataDef) else frozenset[int]()
        return own | self._positions.get(definition, set())

    def add(self, data: DataDef, position: int) -> None:
        """A data type whose elements are of such a form somewhere keeps them in it."""
        self._positions.setdefault(data, set()).add(position)

    def normal(self, definition: Definition, types: Sequence[Type]) -> tuple[Type, ...]:
        """The type arguments with which a definition is compiled."""
        uniform = self.positions(definition)
        return tuple(ANY if i in uniform else type_ for i, type_ in enumerate(types))

    def agreement(self, type_: App) -> object:
        """What two programs must agree on for values of a type to have one form; None if there are functions or threads."""
        heads: set[object] = set()
        waiting: list[Type] = [type_]
        datas: set[DataDef] = set()
        while waiting:
            top = resolve(waiting.pop())
            if not isinstance(top, App):
                continue
            if top.head in (FUNCTION, THREAD):
                return None
            waiting.extend(top.args)
            if isinstance(top.head, DataDef) and top.head not in datas:
                datas.add(top.head)
                heads.add((top.head, self.positions(top.head)))
                waiting.extend(field for con in constructors(top.head) for field in con.fields)
        return type_, frozenset(heads)


class Contaminated(Exception):
    """A data type has elements of the uniform form at a position that was compiled for each type: it has to be added."""

    def __init__(self, data: DataDef, position: int) -> None:
        super().__init__(data.name, position)
        self.data, self.position = data, position


def mentions_any(type_: Type) -> bool:
    """Whether ANY is the type or a part of it."""
    return type_ == ANY or (isinstance(type_, App) and any(map(mentions_any, type_.args)))


def _of_functions(funs: Iterable[FunDef]) -> Graph:
    """What functions and those that they use call at which types."""
    graph = Graph()
    waiting = list(funs)
    seen = set(waiting)
    while waiting:
        fun = waiting.pop(0)
        typevars = {name: i for i, name in enumerate(signature(fun).typevars)}
        typed = check_function(fun)
        defaults = (each for order in typed.arguments.values() for each in order)
        for use in [*typed.uses.values(), *defaults]:
            if isinstance(use, FunUse):
                graph.add(fun, typevars, use.fun, use.types)
                if use.fun not in seen:
                    seen.add(use.fun)
                    waiting.append(use.fun)
    return graph
