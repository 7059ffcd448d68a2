"""Turning a loop into vector instructions: `vectorize`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from usl_core import Procedure
from usl_core.cursors import AllocCursor, AssignCursor, CallCursor, ForCursor, ReduceCursor
from usl_core.errors import SchedulingError, UsageError
from usl_core.ir.memory import Memory
from usl_core.scheduling import replace, set_memory, stage_mem
from usl_stdlib.cutting import Cutting, Machine, Memories
from usl_stdlib.dividing import divide
from usl_stdlib.expressions import fresh, loop_at, require, statements, text
from usl_stdlib.invariants import hoist_values
from usl_stdlib.reductions import ParallelReduction, parallelize_reduction
from usl_stdlib.reporting import Places, explained
from usl_stdlib.rules import Lanes, Rule
from usl_stdlib.selection import Selection
from usl_stdlib.spreading import guarded_body, spread
from usl_stdlib.sums import reductions
from usl_stdlib.unmapped import no_instruction


@dataclass(frozen=True, slots=True, repr=False)
class Vectorized(Places):
    """What `vectorize` created: the loop over vectors, what does the rest of the iterations (none if the tail is "perfect" or
    "guard"), the vector registers and the calls of instructions, in source order. reduction tells of the partial sums; values
    are scalars computed before the loop."""

    loop: ForCursor
    tail: ForCursor | None
    registers: tuple[AllocCursor, ...]
    calls: tuple[CallCursor, ...]
    reduction: ParallelReduction | None
    values: tuple[AllocCursor, ...]


@explained
def vectorize(
    p: Procedure,
    loop: Any,
    width: int,
    memory: Memories,
    instructions: Iterable[Procedure] = (),
    *,
    tail: str = "cut",
    rules: Sequence[Rule] | None = None,
) -> tuple[Procedure, Vectorized]:
    """Compute width iterations of a loop at once, in vector registers, by instructions.

                                         for io in seq(0, n / 16):
                                             x_v: f32[16] @ AVX512
        for i in seq(0, n):          ~>      load(x_v[0:16], x[16 * io:16 * io + 16])
            y[i] = a * x[i]                  v: f32[16] @ AVX512
                                             scale(v[0:16], a, x_v[0:16])
                                             store(y[16 * io:16 * io + 16], v[0:16])

    is `vectorize(p, "i", 16, AVX512, [load, store, scale])` with a loop for the rest. The loop is divided, expressions are cut
    into operations with a register for each value, the loop over lanes goes around each, also inside of inner loops, and an
    instruction takes its place. Operations on values that the loop does not change come before it. Locations that the loop adds
    to get partial sums (`parallelize_reduction`).

    memory is where registers live; instructions on others are left out, but for its `parts`, where narrower values live if
    it has such. instructions decide how expressions are cut: with as few of them as possible. Without instructions, or
    where given, rules decide; `fma_rule`, `select_rule` and `abs_rule` are some, and by default every operation is by
    itself; `replace_all` may then map them. tail says what becomes of the last iterations:

    - "perfect": there are none; width must divide the extent.
    - "cut": a loop of single iterations, as they were.
    - "guard": all vectors are masked, by instructions with `if i < n` in their bodies.
    - "masked": full vectors, then one that is masked.

    Returns the procedure and a `Vectorized`.

    Raises:
        SchedulingError: a statement is nothing that the instructions compute, shown; width does not divide the extent;
        iterations depend on each other. Nothing is changed then.
    """
    loop = loop_at(p, loop)
    homes = tuple(memory.values()) if isinstance(memory, Mapping) else (memory,)
    if not all(isinstance(home, type) and issubclass(home, Memory) for home in homes):
        raise UsageError(f"memory is a class such as DRAM, or one for each type by name, got {memory!r}")
    require(isinstance(width, int) and width >= 2, f"the width must be at least 2 lanes, got {width!r}")
    chosen = list(instructions)
    require(all(isinstance(each, Procedure) for each in chosen), "instructions are procedures")
    machine = Machine.of(width, memory, chosen, rules)

    p, loop, values = hoist_values(p, loop)
    p, main, rest, vectors, reduction = _divided(p, loop, machine, tail)
    registers = list(reduction.sums) if reduction is not None else []
    singles: list[Any] = []
    for each in vectors:
        masked = guarded_body(p.forward(each))[1] == 2
        p, loops, allocs = _vector_code(p, each, machine, machine.rules_for(masked))
        registers += allocs
        singles += [(single, machine.selection(masked)) for single in loops]
    calls: list[Any] = []
    buffers: dict[Any, Any] = {}
    for single, fit in singles if chosen else ():
        p = _instruction(p, single, fit, buffers)
        calls.append(single)
    if reduction is not None and chosen:
        for end in reduction.ends:
            p, added = _add_up(p, end, machine)
            calls += added
    return p, Vectorized(
        p.forward(main),
        None if rest is None else p.forward(rest),
        tuple([p.forward(each) for each in registers]),
        tuple([found for each in calls if isinstance(found := p.forward(each), CallCursor)]),
        None if reduction is None else reduction.forward(p),
        tuple([p.forward(each) for each in values]),
    )


def _divided(
    p: Procedure, loop: ForCursor, machine: Machine, tail: str
) -> tuple[Procedure, ForCursor, ForCursor | None, list[Any], ParallelReduction | None]:
    """The loop divided: over vectors, over the rest, all loops over lanes, and what became of sums."""
    if not reductions(loop):
        p, divided = divide(p, loop, machine.width, tail)
        masked = [divided.tail.body()[0]] if divided.tail is not None and divided.masked else []
        return p, divided.loop, divided.tail, [divided.loop.body()[0], *masked], None
    p, made = parallelize_reduction(p, loop, machine.width, None, tail)
    for alloc in made.sums:
        p = set_memory(p, alloc, machine.home(alloc.type()))
    lanes = [*made.starts, made.lanes, *([made.tail_lanes] if made.tail_lanes is not None else [])]
    return p, made.loop, made.tail, lanes, made


# ---- one loop over lanes


def _vector_code(
    p: Procedure, loop: Any, machine: Machine, rules: Sequence[Rule]
) -> tuple[Procedure, list[ForCursor], list[AllocCursor]]:
    """A loop over lanes as loops around single operations on registers; these loops, and the registers."""
    loop = p.forward(loop)
    own = [stmt for stmt in statements(loop.body()) if isinstance(stmt, AllocCursor) and not stmt.shape()]
    cutting = Cutting(loop.name(), machine, rules, {alloc.name(): machine.home(alloc.type()) for alloc in own})
    for write in [stmt for stmt in statements(loop.body()) if isinstance(stmt, AssignCursor | ReduceCursor)]:
        p = cutting.cut(p, write)
    p, singles, allocs = spread(p, loop, lanes_last=True)
    for alloc in allocs:
        p = set_memory(p, alloc, cutting.registers.get(alloc.name(), machine.home(alloc.type())))
    return p, singles, allocs


# ---- instructions


def _instruction(p: Procedure, loop: Any, fit: Selection, buffers: dict[Any, Any]) -> Procedure:
    """The loop replaced by the first instruction that it is."""
    loop = p.forward(loop)
    write = guarded_body(loop)[0][0]
    reasons = []
    for each in (
        fit.fitting(write, Lanes(loop.name(), {}, buffers=buffers)) if isinstance(write, AssignCursor | ReduceCursor) else ()
    ):
        try:
            return replace(p, loop, each)
        except SchedulingError as error:
            reasons.append(f"{each.name()}: {error.message}")
    raise no_instruction(write, reasons or ["no given instruction has such a body"], loop.name())


def _add_up(p: Procedure, loop: Any, machine: Machine) -> tuple[Procedure, list[Any]]:
    """The loop that adds the lanes of partial sums up: one instruction, or lane by lane in memory after a store."""
    loop = p.forward(loop)
    for each in machine.instructions:
        try:
            return replace(p, loop, each), [loop]
        except SchedulingError:
            continue
    sums = loop.body()[0].rhs()
    own = fresh(p, f"{sums.name()}_lanes")
    p = stage_mem(p, loop, f"{sums.name()}[{', '.join([*map(text, sums.idx()[:-1]), f'0:{machine.width}'])}]", own)
    store = p.forward(loop).prev()
    if not isinstance(store, ForCursor):
        message = "vectorize: the loop never runs, as the conditions around it never hold"  # so that nothing is copied
        raise SchedulingError(message, notes=["hint: eliminate_dead_code removes it"], span=loop.node.span, code="E461")
    return _instruction(p, store, machine.selection(masked=False), {}), [store]
