"""What a backend asks of the core: that everything is proved once more, that index arithmetic fits 64 bits, what runs in
parallel, what procedures use and call. docs/backends.md shows it at work.

Reads only. A backend makes its text of the copies that `last_check` gives, in which nothing is remembered.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Iterator, Sequence

from usl_core.analysis.conflict import overlap
from usl_core.analysis.context import Context
from usl_core.analysis.effects import Access, block_summary, proc_summary
from usl_core.analysis.last_check import last_check
from usl_core.analysis.memories import check_memories
from usl_core.analysis.parallel import separate_last, shared_reductions
from usl_core.analysis.reaching import reach
from usl_core.arguments import check_all
from usl_core.equivalence import assurance, record_copy
from usl_core.errors import BackendError
from usl_core.ir.config import FieldSym
from usl_core.ir.nodes import Alloc, Block, Call, ExprBase, For, If, LoopMode, Node, Proc, SimpleStmt
from usl_core.ir.printer import show_expr
from usl_core.ir.traverse import child_nodes, has_parallel, walk_kinds
from usl_core.ir.types import TensorType, is_integer_control
from usl_core.ir.written import written_formals, written_names
from usl_core.ranges import INT64_MAX, Ranges, branch, formal_ranges, loop_range, range_of
from usl_core.records import dataclass
from usl_core.store.results import remembered

__all__ = [
    "ParallelLoop", "assurance", "callees", "callees_first", "check_index_arithmetic", "check_memories", "fields_used",
    "fields_written", "is_read_at_start", "last_check", "parallel_loops", "record_copy", "remembered", "separate_last",
    "written_formals",
    "written_names",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class ParallelLoop:
    """A `par` loop where it stands. Buffers are allocations and formals: windows are followed to what they show."""

    loop: For
    context: Context

    def shared_reductions(self) -> list[Access]:
        """What several of its iterations may reduce into."""
        return shared_reductions(self.context, self.loop)

    def accesses(self) -> Iterator[Access]:
        """What one iteration does, or may do."""
        inside = self.context.enter(self.loop, "body")
        for access in inside.scope.resolve_all(block_summary(self.loop.body).accesses):
            if overlap(inside.facts, access, access) is not None:
                yield access


def parallel_loops(proc: Proc) -> Iterator[ParallelLoop]:
    """The `par` loops of proc, inner ones first."""
    yield from _parallel_loops(Context.of_proc(proc), proc.body)


def _parallel_loops(context: Context, block: Block) -> Iterator[ParallelLoop]:
    for stmt in block:
        match stmt:
            case For(body=body) if has_parallel(stmt):
                yield from _parallel_loops(context.enter(stmt, "body"), body)
                if stmt.mode is LoopMode.PAR:
                    yield ParallelLoop(stmt, context)
            case If(body=body, orelse=orelse) if has_parallel(stmt):
                yield from _parallel_loops(context.enter(stmt, "body"), body)
                yield from _parallel_loops(context.enter(stmt, "orelse"), orelse)
            case For() | If() | SimpleStmt():
                pass
        context = context.after(stmt)


def callees(proc: Proc) -> Iterator[Call]:
    """The calls in proc."""
    for stmt in proc.body:
        yield from walk_kinds(stmt, Call)


def callees_first(procs: Iterable[Proc]) -> tuple[Proc, ...]:
    """procs and everything they call, each once, callees before callers, otherwise in order of first mention."""
    done: dict[Proc, None] = {}

    def visit(proc: Proc) -> None:
        if proc in done:
            return
        for call in callees(proc):
            visit(call.proc)
        done.setdefault(proc)

    for proc in procs:
        visit(proc)
    return tuple(done)


def check_index_arithmetic(procs: Sequence[Proc]) -> None:
    """No index expression of procs or of what they call leaves 64 bits, nor does the number of elements of a buffer that is
    allocated, for arguments in the limits of `usl_core.ranges`: sizes up to 2^31 - 1, indices of that magnitude.

    Raises:
        BackendError: one may.
    """
    for proc, known in formal_ranges(callees_first(procs)[::-1], procs).items():
        if proc.instr is None:
            _check_block(proc.body, known)


def _check_block(block: Block, known: Ranges) -> None:
    for stmt in block:
        match stmt:
            case For(lo=lo, hi=hi, body=body):
                _check_arithmetic((lo, hi), known)
                _check_block(body, {**known, stmt.iter: loop_range(stmt, known)})
            case If(cond=cond, body=body, orelse=orelse):
                _check_arithmetic((cond,), known)
                _check_block(body, branch(stmt, known, True))
                _check_block(orelse, branch(stmt, known, False))
            case SimpleStmt():
                _check_arithmetic((stmt,), known)
                if isinstance(stmt, Alloc):
                    _check_size(stmt, known)


def _check_arithmetic(nodes: Iterable[Node], known: Ranges) -> None:
    for node in nodes:
        if isinstance(node, ExprBase) and is_integer_control(node.type):
            range_of(node, known)
        else:
            _check_arithmetic(child_nodes(node), known)


def _check_size(stmt: Alloc, known: Ranges) -> None:
    extents = stmt.type.shape if isinstance(stmt.type, TensorType) else ()
    if math.prod(max(range_of(extent, known).hi, 1) for extent in extents) > INT64_MAX:
        shape = ", ".join(map(show_expr, extents))
        note = "sizes have magnitudes up to 2^31 - 1; assert a smaller bound on them"
        raise BackendError(f"{stmt.name.name}[{shape}] might have more than 2^63 elements", span=stmt.span, notes=(note,))


def fields_used(proc: Proc) -> frozenset[FieldSym]:
    """The configuration fields that proc or a callee reads or writes."""
    return frozenset(proc_summary(proc).fields)


def fields_written(proc: Proc) -> frozenset[FieldSym]:
    """The configuration fields that proc or a callee may write."""
    return frozenset(proc_summary(proc).config_writes)


def is_read_at_start(proc: Proc, field: FieldSym) -> bool:
    """Whether what a field holds when proc is called may matter to it."""
    return reach(proc, (("body", 0),), field).read is not None


check_all(sys.modules[__name__], __all__)
