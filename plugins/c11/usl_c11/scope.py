"""What the names of a procedure are in the C function being written, scope by scope."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum

from usl_c11.ctext import C
from usl_c11.folding import Ends
from usl_c11.names import Names
from usl_c11.reductions import Reductions
from usl_c11.unit import Unit
from usl_core.errors import BackendError, Span
from usl_core.ir.memory import MemoryClass
from usl_core.ir.nodes import Expr, Interval
from usl_core.ir.sym import Sym
from usl_core.ir.types import ScalarType
from usl_core.placement import Placed
from usl_core.ranges import Range


class Place(Enum):
    """How C reaches a buffer."""

    VALUE = "a local variable"
    POINTER = "a pointer to one scalar"
    DENSE = "an array or a pointer to its first element"
    WINDOW = "a struct of pointer and strides"
    VIEW = "no C object: indices are composed with those of the buffer that it looks at"
    ACCUMULATOR = "a local variable of unsigned or floating type that a parallel loop reduces into"


@dataclass(frozen=True, slots=True)
class Buffer:
    """A data name in scope. strides has one entry per dimension; base and view only matter for a VIEW."""

    name: str
    scalar: ScalarType
    mem: MemoryClass
    place: Place
    strides: tuple[C, ...] = ()
    const: bool = False
    base: Buffer | None = None
    view: tuple[Expr | Interval, ...] = ()

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self.strides)

    @property
    def data(self) -> str:
        """C text of the pointer (or array) that indexing starts from."""
        return f"{self.name}.data" if self.place is Place.WINDOW else self.name


@dataclass(slots=True)
class Function:
    """The state of one function: its names and their C forms, the ranges of control variables, and what to free."""

    unit: Unit
    names: Names
    buffers: dict[Sym, Buffer] = field(default_factory=dict)
    controls: dict[Sym, str] = field(default_factory=dict)
    ranges: dict[Sym, Range] = field(default_factory=dict)
    values: dict[Sym, Ends | None] = field(default_factory=dict)
    """What scalars that are assigned in one place can have there and later; None before that."""
    elements: dict[Sym, Ends | None] = field(default_factory=dict)
    """The same of arrays, whose elements are 0 before."""
    context: str | None = None
    label: str = ""
    """The procedure's name in messages."""
    frees: list[list[str]] = field(default_factory=lambda: [[]])
    """Statements that release what each open scope holds, outermost scope first."""
    parallel: list[ParallelLoop] = field(default_factory=list)
    reductions: Reductions = field(default_factory=dict)
    """The scalars that each `par` loop reduces."""
    written: frozenset[Sym] = frozenset()
    """The names that the procedure may modify."""
    placed: Mapping[Sym, Placed] = field(default_factory=dict)
    """Where the procedure's buffers lie that are in memories of rows."""
    fences: tuple[str, ...] = ()
    """What orders the stores of the function's instructions before whatever tells other threads of them (usl_c11.fences)."""
    stack_bytes: int = 0
    failed: bool = False
    """Whether the function can fail, as far as it is written."""

    @contextmanager
    def scope(self) -> Iterator[list[str]]:
        """A block of C; yields the list of what must be freed at its end. Bindings made inside end with it."""
        buffers, controls, ranges, stack = dict(self.buffers), dict(self.controls), dict(self.ranges), self.stack_bytes
        values = dict(self.values)
        self.names.push()
        self.frees.append([])
        try:
            yield self.frees[-1]
        finally:
            self.frees.pop()
            self.names.pop()
            self.buffers, self.controls, self.ranges, self.stack_bytes = buffers, controls, ranges, stack
            self.values = values

    def buffer(self, name: Sym, span: Span) -> Buffer:
        """What a name stands for in C."""
        found = self.buffers.get(name)
        if found is None:
            raise BackendError(f"{name.name} is used outside its scope", span=span)
        return found


@dataclass(slots=True)
class ParallelLoop:
    """An open `par` loop: a failure in it cannot return, it sets `status` and jumps to the end of the iteration."""

    status: str
    depth: int
    """How many scopes were open outside the loop's body."""
    failed: bool = False
    label: str = ""
    """Where its iterations end, if one may fail."""
