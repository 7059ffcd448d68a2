"""The promise `@no_alloc`: a call takes memory for the arrays of its result, and for no others.

The functional compiler says where outer code takes memory: what is made, and what is copied as it may be shared. Here each
array that is made is followed: it has to become a result, at most one for each on every way through the function, and not in a
loop. So has what a called function makes. Not counted are failures, numbers that a kernel gives (arrays of one element in outer
code), and stand-ins for arrays without elements.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from usl_core import Procedure
from usl_core.backend import written_formals
from usl_perceus import Allocation
from usl_soac.core import Function
from usl_soac.errors import SoacError
from usl_soac.outer import Outer

BROKEN_PROMISE = "E765"
_OWN_NAME = re.compile(r"`(\w+)_\d+`")
"""How outer code calls the names of a program."""
Path = tuple[tuple[int, bool], ...]
"""For each `if` around, which branch."""
Place = tuple[int, int]
"""Line and column, from 1."""


@dataclass(frozen=True, slots=True)
class _Made:
    """An array that is made, or that a call gives of a function which may make it."""

    name: str
    path: Path
    depth: int
    place: Place | None
    by: str | None = None
    is_number: bool = False


@dataclass(slots=True)
class _Memory:
    """One function of the outer code: what it makes, what becomes what, what it returns."""

    made: list[_Made] = field(default_factory=list)
    flows: list[tuple[str, str]] = field(default_factory=list)
    results: set[str] = field(default_factory=set)
    ignored: set[Place] = field(default_factory=set)

    def become_results(self) -> set[str]:
        """The names whose arrays may be returned."""
        found = set(self.results)
        while more := {source for source, target in self.flows if target in found} - found:
            found |= more
        return found


def require_no_alloc(function: Function, outer: Outer, taken: Sequence[Allocation]) -> None:
    """Refuses a function that takes more memory than its results need; taken: what the functional compiler has found.

    Raises:
        SoacError: it does.
    """
    found = list(dict.fromkeys(_why_not(outer, taken)))
    if found:
        message = f"{function.name} is promised to take memory for its results alone, but it takes more"
        raise SoacError(message, span=function.span, notes=found, code=BROKEN_PROMISE)


def _why_not(outer: Outer, taken: Sequence[Allocation]) -> Iterator[str]:
    functions = {each.name: each for each in ast.parse(outer.text).body if isinstance(each, ast.FunctionDef)}
    kinds = {name: _kinds(each) for name, each in functions.items()}
    memories = {name: _Reader(outer.names, kinds).read(each) for name, each in functions.items()}
    making = {name for name, memory in memories.items() if any(each.by is None and not each.is_number for each in memory.made)}
    while more := {name for name, memory in memories.items() if any(each.by in making for each in memory.made)} - making:
        making |= more
    allowed: set[Place | None] = set()
    for name, memory in memories.items():
        results = memory.become_results()
        made = [each for each in memory.made if each.by is None or each.by in making]
        of_results = [each for each in made if each.name in results]
        allowed |= memory.ignored | {each.place for each in made}
        for each in made:
            if each.name not in results and not each.is_number:
                yield f"{_shown(name)}: {_array(each.name)} is a value in between"
            elif each.name in results and each.depth:
                yield f"{_shown(name)}: {_array(each.name)} is made in each round of a loop"
        most, count = _at_once([each.path for each in of_results if not each.depth]), sum(kinds[name])
        if most > count:
            names = ", ".join(dict.fromkeys(_array(each.name) for each in of_results))
            yield f"{_shown(name)}: {most} arrays are made for {count} result{'s' if count != 1 else ''}: {names}"
    for item in taken:
        if not item.reused and (item.span.line, item.span.column) not in allowed and not item.what.startswith("Failed"):
            why = _OWN_NAME.sub(r"`\1`", item.why)
            yield f"{_shown(item.function)}: {why}"


def _at_once(paths: Sequence[Path]) -> int:
    """The most of these that one run comes by."""
    here = sum(not path for path in paths)
    branches: dict[int, dict[bool, list[Path]]] = {}
    for path in paths:
        if path:
            (at, side), *rest = path
            branches.setdefault(at, {}).setdefault(side, []).append(tuple(rest))
    return here + sum(max(map(_at_once, sides.values())) for sides in branches.values())


def _kinds(function: ast.FunctionDef) -> list[bool]:
    """For each result whether it is an array."""
    match function.returns:
        case ast.Subscript(value=ast.Name(id="tuple"), slice=ast.Tuple(elts=elts)):
            return [isinstance(each, ast.Subscript) for each in elts]
        case other:
            return [isinstance(other, ast.Subscript)]


def _shown(name: str) -> str:
    """The function of a program that one of the outer code comes from."""
    return name.split(".")[0].split("#")[0].rpartition("_")[0]


def _array(name: str) -> str:
    return name.rpartition("_")[0]


def _place(node: ast.expr) -> Place:
    return node.lineno, node.col_offset + 1


class _Reader:
    """Reads a function of the outer code; kinds: of the results of all functions, whether they are arrays."""

    def __init__(self, names: Mapping[str, object], kinds: Mapping[str, Sequence[bool]]) -> None:
        self.names = names
        self.kinds = kinds
        self.memory = _Memory()

    def read(self, function: ast.FunctionDef) -> _Memory:
        """What it does with memory."""
        self.block(function.body, (), 0)
        return self.memory

    def block(self, statements: Sequence[ast.stmt], path: Path, depth: int) -> None:
        for each in statements:
            match each:
                case ast.If(body=body, orelse=orelse):
                    self.block(body, (*path, (each.lineno, True)), depth)
                    self.block(orelse, (*path, (each.lineno, False)), depth)
                case ast.For(body=body) | ast.While(body=body):
                    self.block(body, path, depth + 1)
                case ast.Assign(targets=[target], value=value):
                    self.assign(target, value, path, depth)
                case ast.Return():
                    self.memory.results |= {inner.id for inner in ast.walk(each) if isinstance(inner, ast.Name)}
                case _:
                    pass

    def assign(self, target: ast.expr, value: ast.expr, path: Path, depth: int) -> None:
        names = [each.id for each in ast.walk(target) if isinstance(each, ast.Name)]
        match value:
            case ast.Tuple(elts=elts):
                for name, each in zip(names, elts, strict=True):
                    self.value(name, each, path, depth)
            case ast.Call(func=ast.Name(id=called)) if called in self.kinds:
                arrays = [name for name, is_array in zip(names, self.kinds[called], strict=True) if is_array]
                self.memory.made += [_Made(name, path, depth, None, called) for name in arrays]
            case ast.Call(func=ast.Name(id=called), args=args) if (written := self.written(called)) is not None:
                for name, at in zip(names, written, strict=True):
                    if called.endswith("_any"):
                        self.memory.ignored.add(_place(args[at]))
                    else:
                        self.value(name, args[at], path, depth)
            case _:
                self.value(names[0], value, path, depth)

    def written(self, called: str) -> list[int] | None:
        """The arguments that a procedure writes and returns; None if it is none."""
        found = self.names.get(called)
        procedure = getattr(found, "kernel", found)
        if not isinstance(procedure, Procedure):
            return None
        written = written_formals(procedure.ir)
        return [position for position, each in enumerate(procedure.ir.args) if each.name in written]

    def value(self, name: str, value: ast.expr, path: Path, depth: int) -> None:
        """What becomes known under a name."""
        match value:
            case ast.Name(id=source) | ast.Call(func=ast.Attribute(value=ast.Name(id=source))):
                self.memory.flows.append((source, name))
            case ast.IfExp(body=ast.Name(id=source), orelse=ast.Call() as instead):
                self.memory.flows.append((source, name))
                self.memory.ignored.add(_place(instead))  # of an array without elements
            case ast.Call(func=ast.Name(id=made), args=[count, *_]) if made == "array" or made.startswith("not_written_"):
                is_number = isinstance(count, ast.Constant) and count.value == 1
                self.memory.made.append(_Made(name, path, depth, _place(value), is_number=is_number))
            case _:
                pass
