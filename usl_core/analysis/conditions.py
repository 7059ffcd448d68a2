"""The conditions that rewrites stand on: pieces of code that commute, reads that are always covered.

Every `why_not_...` takes facts (what holds where the code stands) and accesses with windows resolved, and answers None if the
condition is proved, or a `Conflict` that shows why it may fail. Reference: Reinking 2022, §3.5.7-3.5.8.
Whether code may run again is asked in `repeating`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field

from usl_core.analysis import affine
from usl_core.analysis import formula as fml
from usl_core.analysis.affine import Lin
from usl_core.analysis.conflict import Values, conflicting, overlap
from usl_core.analysis.effects import Access, Kind, Summary, fresh, rename
from usl_core.analysis.formula import Formula
from usl_core.analysis.solver import Proved, prove
from usl_core.errors import Span, counterexample
from usl_core.ir.nodes import Node
from usl_core.ir.printer import show
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import is_stmt
from usl_core.profiling import profiled
from usl_core.records import dataclass


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two accesses that may meet, and values that make them meet; or another reason, with `second` None."""

    reason: str
    first: Access | None = None
    second: Access | None = None
    values: Values = field(default_factory=dict)

    def notes(self) -> list[str]:
        """Lines for an error message."""
        notes = [self.reason]
        for access in (self.first, self.second):
            if access is not None:
                notes.append(f"{access.kind.value} of {access.buffer.name} in: {head_line(access.node)}")
        return [*notes, *counterexample(self.values)]

    def span(self) -> Span | None:
        """Where the first access stands, if that is in a source."""
        return self.first.node.span if self.first is not None and self.first.node.span.line else None


def head_line(node: Node) -> str:
    """The first line of a node as it prints."""
    text = show(node).strip()
    return text.splitlines()[0] if is_stmt(node) else text


@profiled("obligation", "commutes")
def why_not_commuting(facts: Sequence[Formula], first: Summary, second: Summary) -> Conflict | None:
    """Why first and second may not change places, or None if no location that one modifies is touched by the other.

    Reductions of one buffer commute; bound names may coincide. A `check` commutes only with code that has no effect at all.
    """
    ordered = _checks_in_the_way(first, second)
    if ordered is not None:
        return ordered
    return conflict_between(facts, first.accesses, [fresh(b) for b in second.accesses])


def _checks_in_the_way(first: Summary, second: Summary) -> Conflict | None:
    for one, other in ((first, second), (second, first)):
        if one.checks and (other.checks or any(a.modifies for a in other.accesses) or other.config_writes):
            return Conflict("a check does not move across effects or other checks")
    return None


def conflict_between(facts: Sequence[Formula], first: Iterable[Access], second: Iterable[Access]) -> Conflict | None:
    """An access of first and one of second that may conflict, or None. Bound names of the two must differ."""
    by_buffer: dict[Sym, list[Access]] = {}
    for b in second:
        by_buffer.setdefault(b.buffer, []).append(b)
    for a in first:
        for b in by_buffer.get(a.buffer, ()):
            if conflicting(a, b) and (found := overlap(facts, a, b)) is not None:
                return Conflict(f"both may touch the same location of {a.buffer.name}", a, b, found)
    return None


def instance(accesses: Iterable[Access], env: Mapping[Sym, Lin]) -> list[Access]:
    """The accesses of another instance of the same code: iterators replaced, bound names fresh."""
    return [rename(fresh(a), env) for a in accesses]


@profiled("obligation", "covered by writes")
def covered(facts: Sequence[Formula], read: Access, writes: Sequence[Access]) -> bool:
    """Whether every location of read is certainly written by one of writes (all of them exact)."""
    goal = covering(read.point, [fresh(w) for w in writes if w.buffer is read.buffer and w.exact and w.kind is Kind.WRITE])
    return isinstance(prove([*facts, *read.guard], goal), Proved)


def covering(point: Sequence[Lin], writes: Sequence[Access]) -> Formula:
    """That point is among the locations of writes."""
    options: list[Formula] = []
    for write in writes:
        same = [fml.eq(x - y) for x, y in zip(write.point, point, strict=True)]
        options.append(fml.exists(write.iters, fml.and_([*same, *write.guard])))
    return fml.or_(options)


def order_facts(name: Sym, later: Sym, lo: Lin, hi: Lin) -> list[Formula]:
    """`lo <= name < later < hi`: two different iterations of one loop, in order."""
    a, b = affine.var(name), affine.var(later)
    return [fml.le(lo, a), fml.lt(a, b), fml.lt(b, hi)]
