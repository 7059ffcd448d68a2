"""What one generated file accumulates while its functions are written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from usl_c11.helpers import Helpers
from usl_c11.memory import ask, features_of
from usl_c11.types import spelling, window_definition, window_struct
from usl_core.errors import Span
from usl_core.ir.config import Config
from usl_core.ir.externs import Extern
from usl_core.ir.memory import MemoryClass
from usl_core.ir.nodes import InstrTemplate, Proc
from usl_core.ir.sym import Sym
from usl_core.ir.types import F16, ScalarType
from usl_core.placement import Placed
from usl_core.ranges import Range


@dataclass(slots=True)
class Unit:
    """One `.c` and `.h`: the names of its functions, and what they were found to need."""

    name: str
    functions: dict[Proc, str]
    """The C function that holds each procedure's body."""
    ranges: Mapping[Proc, Mapping[Sym, Range]]
    contexts: frozenset[Proc] = frozenset()
    """The procedures that take the configuration context as first argument."""
    placed: Mapping[Proc, Mapping[Sym, Placed]] = field(default_factory=dict)
    """Where the buffers of each procedure lie that are in memories of rows."""
    fallible: set[Proc] = field(default_factory=set)
    """The procedures whose body function returns a status: they check, or allocate on the heap, or call one that does."""
    helpers: Helpers = field(default_factory=Helpers)
    includes: dict[str, None] = field(default_factory=dict)
    structs: dict[str, str] = field(default_factory=dict)
    headers: dict[str, None] = field(default_factory=dict)
    """What memories need at file scope. It comes first: instructions' text may use the types in it."""
    globals: dict[str, None] = field(default_factory=dict)
    """What instructions need there."""
    features: dict[str, None] = field(default_factory=dict)
    configs: dict[Config, None] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    needs_f16: bool = False
    has_parallel_loops: bool = False

    def ctype(self, scalar: ScalarType, span: Span) -> str:
        """The C type of an element, noting what it needs."""
        if scalar == F16:
            self.needs_f16 = True
        return spelling(scalar, span)

    def include(self, header: str) -> None:
        """A header, with or without its brackets or quotes."""
        self.includes.setdefault(header if header[:1] in ('"', "<") else f"<{header}>")

    def window(self, scalar: ScalarType, rank: int, const: bool, span: Span) -> str:
        """`struct usl_win_...` of a window of the given element and rank, defined in the header from now on."""
        tag = window_struct(scalar, rank, const)
        self.ctype(scalar, span)
        self.structs.setdefault(tag, window_definition(scalar, rank, const, span))
        return f"struct {tag}"

    def memory(self, memory: MemoryClass, span: Span) -> None:
        """Notes what an allocation in the memory needs at file scope, and of the processor."""
        for feature in features_of(memory, span):
            self.features.setdefault(feature)
        text = ask(memory, "header").strip()
        if text:
            self.headers.setdefault(text)

    def instruction(self, instr: InstrTemplate) -> None:
        """Notes what an instruction needs: headers, features, global text."""
        for header in instr.includes:
            self.include(header)
        for feature in instr.features:
            self.features.setdefault(feature)
        if instr.c_global.strip():
            self.globals.setdefault(instr.c_global.strip())

    def extern(self, fn: Extern) -> None:
        """Notes what a function needs: headers, global text."""
        for header in fn.includes:
            self.include(header)

    def failure(self, text: str) -> int:
        """The status that reports text: the position, from 1, in the file's table of failures at run time."""
        self.failures.append(text)
        return len(self.failures)
