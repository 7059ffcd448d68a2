"""The loop nest of a schedule as text, in the form of Halide's `print_loop_nest`. Halide.md, §9.

One difference: where a func slides, Halide begins the consumer's loop earlier and guards the consumer; here the producer is
guarded, and the loop keeps its range.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from usl_core.cursors import AllocCursor, AssignCursor, ForCursor, IfCursor, ReduceCursor
from usl_halide_lib.directives import Directive
from usl_halide_lib.places import Func, Stage, statements, text_of
from usl_halide_lib.working import Working

KINDS = {"parallel": "parallel", "vectorize": "vectorized", "unroll": "unrolled"}
"""What a loop is called that one of these directives is about."""


@dataclass(slots=True)
class Node:
    """A line of a loop nest and what is inside of it: "produce", "consume", "store", a kind of loop, or "compute"."""

    kind: str
    name: str
    extent: str = ""
    inside: list[Node] = field(default_factory=list)
    code: Any = None
    """The loop, in the version that the nest was made of."""
    first: int = 0
    """The least value of the variable, where the procedure counts from 0."""
    stage: int = 0
    """The stage of the func that a loop is one of."""

    def __str__(self) -> str:
        if self.kind == "compute":
            return f"{self.name}(...) = ..."
        limits = f" in [{self.first}, {self.first + int(self.extent) - 1}]" if self.extent.isdecimal() else ""
        return f"{self.kind} {self.name}{limits}:"


def text(nodes: Iterable[Node], depth: int = 0) -> str:
    """The nest, two spaces for each level."""
    return "".join(f"{'  ' * depth}{each}\n{text(each.inside, depth + 1)}" for each in nodes)


def loop_nest(working: Working, directives: Iterable[Directive]) -> list[Node]:
    """The nest of a procedure whose loops have been placed and divided, but not vectorised yet."""
    return Nest(working, list(directives)).block(top(working))


def top(working: Working) -> list[Any]:
    """The statements of the block that is worked on."""
    first = next((stage for func in working.funcs.values() for stage in func.stages), None)
    return [] if first is None else list(working.block_of(first.write).expand())


class Nest:
    """What a loop is called, and whose it is."""

    def __init__(self, working: Working, directives: list[Directive]) -> None:
        self.working, self.directives = working, directives
        self.loops: dict[Any, tuple[Stage, str]] = {}
        self.roots: dict[Any, Func] = {}
        cut = [
            each
            for each in sorted(self.directives, key=lambda each: each.position)
            if each.name in KINDS and each.args[1] is not None
        ]
        self.lanes = {each: number for number, each in enumerate(cut)}
        stages = [stage for func in working.funcs.values() for stage in func.stages]
        for stage in [*stages, *working.branches.values()]:
            for name, cursor in stage.loops.items():
                loop = working.at(cursor)
                if isinstance(loop, ForCursor):
                    self.loops.setdefault(loop, (stage, name))
        for stage in stages:
            order = working.order(stage)
            root = working.at(stage.loops[order[0]] if order else stage.write)
            known = self.roots.get(root)  # elements of a tuple have loops in common
            if known is None or (known.local and not stage.func.local):
                self.roots[root] = stage.func

    def block(self, stmts: Sequence[Any]) -> list[Node]:
        """The nodes of the statements of one block, each func's consumers after it."""
        for position, stmt in enumerate(stmts):
            rest = stmts[position + 1 :]
            if isinstance(stmt, AllocCursor):
                func = self.working.funcs.get(stmt.name())
                if func is not None and not any(self.root(each) is func for each in rest):
                    return [Node("store", func.name, inside=self.block(rest))]
                continue
            found = self.root(stmt)
            if found is None:
                return [*self.statement(stmt), *self.block(rest)]
            own = [stmt]
            while rest and (self.root(rest[0]) is found or (isinstance(rest[0], AllocCursor) and len(rest) > 1)):
                if self.root(rest[0]) is not found and not any(self.root(each) is found for each in rest):
                    break
                own.append(rest[0])
                rest = rest[1:]
            produce = Node("produce", found.name, inside=[node for each in own for node in self.statement(each)])
            if not rest and not found.local:
                return [produce]
            return [produce, Node("consume", found.name, inside=self.block(rest))] if rest else [produce]
        return []

    def root(self, stmt: Any) -> Func | None:
        """The func of which a statement is a stage, its guard included."""
        while isinstance(stmt, IfCursor) and stmt not in self.roots:
            stmt = stmt.body()[0]
        return self.roots.get(stmt)

    def statement(self, stmt: Any) -> list[Node]:
        """The nodes of one statement."""
        match stmt:
            case ForCursor():
                return [self.loop(stmt)]
            case IfCursor():
                return self.block(list(stmt.body()))
            case AssignCursor() | ReduceCursor():
                return [Node("compute", stmt.name())]
            case _:
                return []

    def loop(self, loop: Any) -> Node:
        """A loop; two where it is vectorised or unrolled by a factor."""
        stage, name = self.loops.get(loop, (None, loop.name()))
        label = name if stage is None else stage.labels.get(name, name)
        extent = text_of(loop.hi())
        inside = self.inside(loop)
        directive = self.directive(stage, name)
        number = 0 if stage is None else stage.number
        if directive is None:
            return Node("for", label, extent, inside, loop, stage=number)
        kind, factor = KINDS[directive.name], directive.args[1]
        if factor is None:
            return Node(kind, label, extent, inside, loop, stage=number)
        inner = Node(kind, f"{label}.v{self.lanes[directive]}", str(factor), inside, stage=number)
        outer = str(-(-int(extent) // factor)) if extent.isdecimal() else ""
        return Node("for", f"{label}.{name}", outer, [inner], loop, stage=number)

    def inside(self, loop: Any) -> list[Node]:
        """The nodes of a loop's body."""
        body = list(loop.body())
        roots = [self.root(each) for each in body]
        if not any(roots) and not any(isinstance(each, AllocCursor) and each.name() in self.working.funcs for each in body):
            return [node for each in body for node in self.statement(each)]
        return self.block(body)

    def directive(self, stage: Stage | None, name: str) -> Directive | None:
        """The directive that says what kind of loop a loop is."""
        for each in self.directives:
            if stage is None or each.name not in KINDS or not self.about(each, stage):
                continue
            if name in stage.pairs.get(each.args[0], (each.args[0],)):
                return each
        return None

    def about(self, directive: Directive, stage: Stage) -> bool:
        """Whether a directive is about a stage, or one of its specialisations."""
        if directive.branch:
            return self.working.branches.get((directive.func, directive.stage, directive.branch)) is stage
        known = self.working.funcs.get(directive.func)
        return known is not None and directive.stage < len(known.stages) and known.stages[directive.stage] is stage


def points(working: Working) -> Iterator[tuple[str, str]]:
    """For each local func its buffer as text."""
    for stmt in (inner for each in top(working) for inner in statements(each)):
        if isinstance(stmt, AllocCursor) and stmt.name() in working.funcs:
            extents = ", ".join(text_of(each) for each in stmt.shape())
            yield stmt.name(), f"{stmt.name()}: {stmt.type()}[{extents}]" if extents else f"{stmt.name()}: {stmt.type()}"
