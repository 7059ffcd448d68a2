"""Which type variables of functions and data types grow without end: `Nested[T]` with a field `Nested[tuple[T, T]]`.

Reference: Kennedy and Pierce 2007, "expansive" cycles.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from usl_perceus.front.definitions import DataDef, FunDef
from usl_perceus.front.resolve import constructors
from usl_perceus.front.types import App, Rigid, Type, resolve

Definition = FunDef | DataDef
Node = tuple[Definition, int]
"""A type variable of a definition, by position."""


@dataclass(slots=True)
class Graph:
    """Which variables become part of the type arguments of which."""

    edges: dict[Node, list[tuple[Node, bool]]] = field(default_factory=dict)
    """With whether the argument is larger than the variable."""

    def add(self, source: Definition, typevars: Mapping[str, int], target: Definition, types: Sequence[Type]) -> None:
        """source, whose variables are at these positions, uses target with these types."""
        for position, type_ in enumerate(types):
            type_ = resolve(type_)
            for name in _rigid(type_):
                edge = ((target, position), not isinstance(type_, Rigid))
                self.edges.setdefault((source, typevars[name]), []).append(edge)

    def growing(self) -> Iterator[Node]:
        """The variables on a circle that grows."""
        backwards: dict[Node, list[Node]] = {}
        for source, out in self.edges.items():
            for target, _ in out:
                backwards.setdefault(target, []).append(source)
        forwards = {source: [target for target, _ in out] for source, out in self.edges.items()}
        for source, out in self.edges.items():
            for target, grows in out:
                if grows:
                    yield from _reached(target, forwards) & _reached(source, backwards)


def _reached(start: Node, graph: Mapping[Node, Sequence[Node]]) -> set[Node]:
    seen, waiting = {start}, [start]
    while waiting:
        fresh = set(graph.get(waiting.pop(), ())) - seen
        seen |= fresh
        waiting.extend(fresh)
    return seen


def _rigid(type_: Type) -> Iterator[str]:
    match resolve(type_):
        case Rigid(name=name):
            yield name
        case App(args=args):
            for arg in args:
                yield from _rigid(arg)
        case _:
            return


def growing(data: DataDef) -> frozenset[int]:
    """The positions of the variables by which a data type contains itself at ever larger types."""
    if data.growing is None:
        data.growing = frozenset(position for found, position in _of_datas(data).growing() if found is data)
    return data.growing


def _of_datas(data: DataDef) -> Graph:
    """What the fields of a data type, and of those that they mention, are built from."""
    graph = Graph()
    waiting, seen = [data], {data}
    while waiting:
        top = waiting.pop()
        typevars = {name: i for i, name in enumerate(top.typevars)}
        for con in constructors(top):
            for part in (part for each in con.fields for part in _parts(each)):
                assert isinstance(part.head, DataDef)
                graph.add(top, typevars, part.head, part.args)
                if part.head not in seen:
                    seen.add(part.head)
                    waiting.append(part.head)
    return graph


def _parts(type_: Type) -> Iterator[App]:
    """The data types in a type."""
    found = resolve(type_)
    if isinstance(found, App):
        if isinstance(found.head, DataDef):
            yield found
        for arg in found.args:
            yield from _parts(arg)
