"""Cutting writes into single operations on registers, as rules or instructions say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from usl_core import Procedure
from usl_core.cursors import AssignCursor, BinaryOpCursor, ReadCursor
from usl_core.errors import SchedulingError
from usl_core.ir.memory import MemoryClass
from usl_core.scheduling import bind_expr, commute_expr, fold_into_reduce, split_write, stage_mem
from usl_stdlib.expressions import mentions, taken_names, text, unused, window_text
from usl_stdlib.rules import Lanes, Rule, any_rule, default_memory, in_memory
from usl_stdlib.selection import Selection, Shape, lanes_of, shapes
from usl_stdlib.unmapped import no_instruction

Memories = MemoryClass | Mapping[str, MemoryClass]
"""The memory of vector registers, or one for each element type by name: `{"u16": YMM, "u32": ZMM}`."""


@dataclass(frozen=True, slots=True)
class Machine:
    """What code is made for: the lanes of a register, where registers live, the instructions, and the rules that come first."""

    width: int
    memory: Memories
    instructions: Sequence[Procedure]
    rules: Sequence[Rule] | None
    shapes: Sequence[Shape]

    @classmethod
    def of(cls, width: int, memory: Memories, instructions: Sequence[Procedure], rules: Sequence[Rule] | None) -> Machine:
        """The machine with the shapes of its instructions. A memory's `parts`, if it names any, hold narrower values."""
        homes = tuple(memory.values()) if isinstance(memory, Mapping) else (memory, *getattr(memory, "parts", ()))
        found = shapes(instructions, width, homes)
        if instructions and not found:
            lanes = sorted({count for each in instructions if (count := lanes_of(each)) is not None})
            names = ", ".join(home.name for home in homes)
            raise SchedulingError(
                f"none of the given instructions works on {width} lanes in {names}",
                notes=[f"they have {' or '.join(map(str, lanes))} lanes" if lanes else "none is a loop over lanes"],
                code="E461",
            )
        return cls(width, memory, instructions, rules, found)

    def home(self, typ: Any) -> MemoryClass:
        """The register memory for elements of a type."""
        if not isinstance(self.memory, Mapping):
            parts = {mem for each in self.shapes for mem in [each.target.mem()] if each.target.type() == typ}
            return next((home for home in (self.memory, *getattr(self.memory, "parts", ())) if home in parts), self.memory)
        if str(typ) not in self.memory:
            raise SchedulingError(f"memory names none for {typ}", notes=[f"it has: {', '.join(self.memory)}"], code="E404")
        return self.memory[str(typ)]

    def selection(self, masked: bool) -> Selection:
        """The instructions with or without masks."""
        return Selection([shape for shape in self.shapes if shape.masked is masked])

    def rules_for(self, masked: bool) -> list[Rule]:
        """How to cut expressions: as the user says, or as the instructions want it, or each operation by itself."""
        if self.rules is None and self.instructions:
            return [self.selection(masked)]
        return [*(self.rules or ()), any_rule]


@dataclass(frozen=True, slots=True)
class Cutting:
    """Cutting the writes in one loop over lanes; registers grows by the scalars that are made, each with its memory."""

    loop: str
    machine: Machine
    rules: Sequence[Rule]
    registers: dict[str, MemoryClass]
    buffers: dict[Any, Any] = field(default_factory=dict)
    """What the accesses are known to be of, see `Lanes`."""
    taken: set[str] = field(default_factory=set)
    """The names in the procedure, once a register has been made."""

    def cut(self, p: Procedure, write: Any, copied: bool = False) -> Procedure:
        """A write as single operations, as the first rule that knows it says.

        copied: it fills a new register with what a rule did not want to compute in place; once is enough.
        """
        p = _folded(p, write)
        write, lanes = p.forward(write), Lanes(self.loop, self.registers, buffers=self.buffers)
        cut = next((cut for rule in self.rules if (cut := rule(write, lanes)) is not None), None)
        if cut is None:
            reasons = [rule.missing(write, lanes) for rule in self.rules if isinstance(rule, Selection)]
            raise no_instruction(write, reasons or ["no rule says how to cut it"], self.loop, self.machine.shapes)
        whole = not in_memory(write, lanes) and write.rhs() in [operand for operand, _ in cut.operands]
        if whole and copied:
            raise no_instruction(write, ["a rule wants it in a register before it is in one, which has no end"])
        if cut.target is not None:
            own = self._register(p, f"{write.name()}_v", write.type(), cut.target)
            p = stage_mem(p, write, window_text(write.name(), write.idx()), own)
            here = p.forward(write)
            return self._cut_all(p, *_staged(here.prev(), own), here, *_staged(here.next(), own))
        for each in cut.commute:
            p = commute_expr(p, each)
        if cut.split:
            p = split_write(p, write)
            first = p.forward(write)
            return self._cut_all(p, first, first.next())
        for equal, home in _distinct(cut.operands, lanes):
            own = self._register(p, _name_of(equal[0]), equal[0].type(), home)
            p = bind_expr(p, [p.forward(each) for each in equal], own)
            p = self.cut(p, p.forward(write).prev(), copied=whole)
        return p

    def _cut_all(self, p: Procedure, *writes: Any) -> Procedure:
        for each in writes:
            p = self.cut(p, each)
        return p

    def _register(self, p: Procedure, base: str, typ: Any, home: MemoryClass | None) -> str:
        """The name of a new register."""
        if not self.taken:
            self.taken.update(taken_names(p))
        own = unused(self.taken, base)
        self.taken.add(own)
        self.registers[own] = self.machine.home(typ) if home is None or default_memory(home) else home
        return own


def _staged(stmt: Any, own: str) -> list[Any]:
    """A statement if it copies to or from a register; one in a loop that never runs is neither loaded nor stored."""
    return [stmt] if isinstance(stmt, AssignCursor) and (stmt.name() == own or mentions(stmt.rhs(), own)) else []


def _folded(p: Procedure, write: Any) -> Procedure:
    """`y = y + e` as `y += e`."""
    write = p.forward(write)
    own, terms = window_text(write.name(), write.idx()), [write.rhs()]
    while isinstance(terms[-1], BinaryOpCursor) and terms[-1].op() in ("+", "-"):
        terms += [terms[-1].rhs(), terms[-1].lhs()]
    if not isinstance(write, AssignCursor) or len(terms) == 1 or own not in map(text, terms):
        return p
    try:
        return fold_into_reduce(p, write)
    except SchedulingError:
        return p


def _distinct(operands: Iterable[tuple[Any, Any]], lanes: Lanes) -> list[tuple[list[Any], Any]]:
    """Equal operands together; those that are in registers already are left out."""
    found: dict[tuple[str, Any], list[Any]] = {}
    for operand, home in operands:
        if default_memory(home) and isinstance(operand, ReadCursor) and not in_memory(operand, lanes):
            continue
        found.setdefault((text(operand), home), []).append(operand)
    return [(equal, home) for (_, home), equal in found.items()]


def _name_of(expr: Any) -> str:
    """A name for the register of a value: that of the buffer it is read from."""
    return f"{expr.name()}_v" if isinstance(expr, ReadCursor) else "v"
