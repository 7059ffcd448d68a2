"""vectorize as `usl_stdlib.vectorize`, with the instructions of a target that fit the types of a loop."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from usl_core import Procedure
from usl_core.cursors import (
    AssignCursor,
    BinaryOpCursor,
    ExternFunctionCursor,
    ForCursor,
    IfCursor,
    ReadCursor,
    ReduceCursor,
    UnaryMinusCursor,
)
from usl_core.errors import SchedulingError, Undecided, UsageError
from usl_core.ir.memory import Memory
from usl_core.ir.types import ScalarType
from usl_core.scheduling import divide_loop, reorder_loops, rewrite_expr
from usl_halide_lib.avx512_operations import avx512_operation
from usl_halide_lib.compute import substituted
from usl_halide_lib.directives import Directive, TailStrategy
from usl_halide_lib.errors import DirectiveError
from usl_halide_lib.lanes import by_operations
from usl_halide_lib.loops import alone, start_at_zero
from usl_halide_lib.places import Stage, statements, text_of
from usl_halide_lib.tails import MASKED, can_shift, divides, enough, is_pure, make_room, require_factor, require_pure
from usl_halide_lib.working import Working
from usl_stdlib import vectorize as vectorize_loop
from usl_stdlib import walk

BITS = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64, "i8": 8, "u8": 8, "i16": 16, "u16": 16, "i32": 32, "u32": 32, "i64": 64}


@dataclass(frozen=True, slots=True)
class Target:
    """What vectorised loops run on: the memory of registers by their bits, and the instructions for lanes of some types.

    Of the instructions, those for some operations (`+`, `*`, `sqrt`, ...) are tried first, then all (None).
    """

    name: str
    memories: Mapping[int, type[Memory]]
    instructions: Callable[[int, frozenset[str], frozenset[str] | None], Iterable[Procedure]]
    find: Callable[[str, str, str, int, bool], Procedure | None] = lambda *_: None
    """The instruction for one operation, which is tried before all else: its name, the types of result and operands, the
    number of lanes, and whether only those below a number are wanted."""

    @classmethod
    def c(cls) -> Target:
        """The vectors that the C compiler makes of loops: those that are vectorised are left as they are, with any types."""
        return cls("C", {}, lambda width, types, operations: ())

    @classmethod
    def best(cls) -> Target | None:
        """AVX-512, if its package is installed."""
        return avx512() if importlib.util.find_spec("usl_avx512") is not None else None


@cache
def avx512() -> Target:
    """The instructions of `usl_avx512`."""
    from usl_avx512 import AVX512, AVX512_XMM, AVX512_YMM

    return Target("AVX-512", {512: AVX512, 256: AVX512_YMM, 128: AVX512_XMM}, _avx512_instructions, avx512_operation)


_ALWAYS = "loadu storeu set1 setzero"
_OPERATIONS = {
    "+": "add3 add_set1",
    "-": "sub",
    "*": "mul mul_set1",
    "/": "div div_set1",
    "*+": "fmadd3 fmadd3_set1",
    "*-": "fmsub3 fnmadd3",
    "+=": "add fmadd fmadd_set1 accumulateu reduce_add",
    **{name: name for name in ("min", "max", "sqrt", "abs", "select")},
    "neg": "neg",
}
"""By what occurs in a loop, the instructions on floating data that compute it, by the middle of their names."""


@cache
def _avx512_instructions(width: int, types: frozenset[str], operations: frozenset[str] | None) -> tuple[Procedure, ...]:
    """The instructions for data of some types, those for some operations or all; each that is tried takes time."""
    from usl_avx512 import isa

    if operations is None or not (types <= {"f32"} or types <= {"f64"}):
        try:
            return isa.for_lanes(width, types=types)
        except UsageError:  # no registers of so many lanes: `vectorize` says which there are
            return isa.instructions("basics")
    suffix = "ps" if "f32" in types else "pd"
    both = {f"*{sign}" for sign in "+-" if {"*", sign} <= operations}
    words = " ".join([_ALWAYS, *(_OPERATIONS.get(each, "") for each in sorted(operations | both))]).split()
    known = set(isa.names())
    names = [f"mm512_{mask}{word}_{suffix}" for word in words for mask in ("", "mask_")]
    return tuple(getattr(isa, each) for each in names if each in known)


def vectorize_stage(working: Working, directive: Directive, target: Target | None) -> None:
    """Compute several iterations of a loop of a stage at once."""
    stage = working.stage(directive)
    name, factor, tail = directive.args
    loop = working.loop(stage, name, directive)
    alone(working, stage, name)
    loop = working.loop(stage, name, directive)
    start_at_zero(working, loop)
    loop = working.at(loop)
    hi = text_of(loop.hi())
    if factor is None:
        if not hi.isdecimal():
            raise directive.refuse(f"{name} has {hi} iterations, which is no number", "E780", ["hint: give a factor, or split"])
        factor = int(hi)
    require_factor(directive, factor, "E780")
    if factor == 1:
        return
    if target is not None and not target.memories:
        working.log.remark(stage.func.name, f"the lanes of {name} are left to the C compiler")
        while holds_one_loop(here := working.at(loop)):
            if working.attempt(partial(working.do, reorder_loops, here)) is not None:
                break
        return
    types = _types(loop)
    if target is None:
        working.do(divide_loop, loop, factor, [loop.name(), working.fresh(f"{name}_lanes")], tail="cut")
        working.log.remark(stage.func.name, "no package of vector instructions is installed; loops over lanes are left to C")
        return
    if _by_operations(working, directive, stage, loop, factor, tail, target):
        stage.gone[name] = f"{directive} vectorised it"
        return
    width, memories = _registers(target, types, factor)
    ways = list(_ways(working, directive, stage, loop, width, tail))
    why: SchedulingError | Undecided | None = None
    for wanted in (_operations(loop), None):
        instructions = list(target.instructions(width, types, wanted))
        step = partial(_vectorized, loop=loop, width=width, memory=memories, instructions=instructions)
        found = _first_of(working, [partial(_one_way, working, step, prepare, way) for prepare, way in ways])
        if found is None:
            stage.gone[name] = f"{directive} vectorised it"
            return
        why = found if why is None or wanted is None else why
    if _in_part_of_registers(working, stage, loop, width, target, types, ways):
        stage.gone[name] = f"{directive} vectorised it"
        return
    assert why is not None
    if isinstance(why, DirectiveError):
        raise why
    raise directive.refuse(why.message, "E780", why.notes)


def _first_of(working: Working, steps: Iterable[Callable[[], None]]) -> SchedulingError | Undecided | None:
    """Do the first of some steps that is not refused; if all are, why the last of them is."""
    why: SchedulingError | Undecided | None = None
    for step in steps:
        why = working.attempt(step)
        if why is None:
            return None
    return why


def _in_part_of_registers(
    working: Working, stage: Stage, loop: Any, width: int, target: Target, types: frozenset[str], ways: Iterable[Way]
) -> bool:
    """Whether the loop was done by masked instructions of full registers, of which width lanes take part.

    For vectors that are shorter than any register whose instructions compute what the loop does.
    """
    largest = max(target.memories)
    full = largest // max((BITS[each] for each in types), default=32)
    if width >= full:
        return False
    instructions = target.instructions(full, types, None)
    memory = dict.fromkeys(types, target.memories[largest])
    step = partial(_vectorized, loop=loop, width=full, memory=memory, instructions=instructions)
    steps = []
    for prepare, way in ways:
        if prepare is None and not (way == "perfect" and _is_guarded(loop)):
            prepare = partial(_divided, working, stage, loop, width, "perfect" if way == "perfect" else "bound")
        steps.append(partial(_one_way, working, step, prepare, "guard"))
    return _first_of(working, steps) is None


def holds_one_loop(loop: Any) -> bool:
    """Whether the body of a loop is another one, in which C compilers look for vectors first."""
    body = list(loop.body())
    return len(body) == 1 and isinstance(body[0], ForCursor)


def _by_operations(
    working: Working, directive: Directive, stage: Stage, loop: Any, factor: int, tail: TailStrategy, target: Target
) -> bool:
    """Whether the loop was full vectors, or shifted, rounded up or guarded tiles, of operations that the target finds."""
    width = _lanes(target, loop, factor)
    guarded = _is_guarded(loop)
    if width < 2 or (guarded and text_of(loop.hi()) != str(width)):
        return False
    prepare, way = next(iter(_ways(working, directive, stage, loop, width, tail)))

    def put(lanes: Any, masked: bool = False) -> None:
        find = partial(_found, target, width, masked)
        by_operations(working, lanes, width, lambda kind: target.memories[width * BITS[kind]], find, target)

    def full() -> None:
        put(_divided(working, stage, loop, width, "perfect") if prepare is None else prepare())

    def with_rest() -> None:
        put(_divided(working, stage, loop, width, "cut"))
        if (rest := working.at(loop).next()) and isinstance(rest, ForCursor):
            put(_divided(working, stage, rest, width, "guard"), masked=True)

    def bounded() -> None:
        _bound_guard(working, loop, width)
        put(loop, masked=True)

    if guarded:
        return _first_of(working, [partial(put, loop, masked=True), bounded]) is None
    return working.attempt(full if way == "perfect" else with_rest) is None


def _bound_guard(working: Working, loop: Any, width: int) -> None:
    """Let the condition of a guarded tile say that no more lanes than there are take part: parts of buffers are no longer.

    Raises:
        SchedulingError: it is something else than `e + lane < f`.
    """
    lane, cond = loop.name(), working.at(loop).body()[0].cond()
    if not isinstance(cond, BinaryOpCursor) or cond.op() != "<":
        raise SchedulingError("the condition does not say how many lanes take part", code="E461")
    first = substituted(text_of(cond.lhs()), lane, "0")
    working.do(rewrite_expr, cond, f"{lane} < min({text_of(cond.rhs())} - ({first}), {width})")


def _found(target: Target, width: int, masked: bool, operation: str, kind: str, of: str) -> Procedure | None:
    """The instruction for an operation on values that have registers."""
    fits = all(width * BITS.get(each, 0) in target.memories for each in (kind, of) if each)
    return target.find(operation, kind, of, width, masked) if fits else None


def _lanes(target: Target, loop: Any, factor: int) -> int:
    """The number of lanes, at most factor, so that what is stored fits a register, and all that is loaded."""
    kinds = {str(each.type()) for each in statements(loop) if isinstance(each, AssignCursor | ReduceCursor)}
    kinds |= {str(each.type()) for each in walk(loop, ReadCursor) if isinstance(each.type(), ScalarType)}
    widest, largest = max((BITS.get(each, 0) for each in kinds), default=0), max(target.memories)
    while factor * widest > largest and factor % 2 == 0:
        factor //= 2
    return factor if widest and factor * widest <= largest else 0


def _one_way(working: Working, step: Callable[..., Procedure], prepare: Callable[[], Any] | None, tail: str) -> None:
    inner = prepare() if prepare is not None else None
    working.do(named("vectorize", step), tail=tail, **({} if inner is None else {"loop": inner}))


def _vectorized(p: Procedure, **options: Any) -> Procedure:
    return vectorize_loop(p, options.pop("loop"), **options)[0]


def named(name: str, step: Callable[..., Procedure]) -> Callable[..., Procedure]:
    """A step under the name that `explain` shows."""
    step.__name__ = name
    return step


def _types(loop: Any) -> frozenset[str]:
    """The types of data in a loop."""
    found: set[str] = set()
    for stmt in statements(loop):
        if isinstance(stmt, AssignCursor | ReduceCursor):
            for each in (stmt, *walk(stmt.rhs(), "expressions")):
                kind = each.type()
                if isinstance(kind, ScalarType) and str(kind) in BITS:
                    found.add(str(kind))
    return frozenset(found)


def _operations(loop: Any) -> frozenset[str]:
    """What is computed in a loop: operators and functions by name, `+=`, and "neg"."""
    found: set[str] = set()
    for stmt in statements(loop):
        if not isinstance(stmt, AssignCursor | ReduceCursor):
            continue
        if isinstance(stmt, ReduceCursor):
            found |= {"+=", "+"} if stmt.op() == "+" else {stmt.op()}
        for each in walk(stmt.rhs(), "expressions"):
            if isinstance(each, BinaryOpCursor):
                found.add(each.op())
            elif isinstance(each, ExternFunctionCursor):
                found.add(each.name())
            elif isinstance(each, UnaryMinusCursor):
                found.add("neg")
    return frozenset(found)


def _registers(target: Target, types: frozenset[str], factor: int) -> tuple[int, Mapping[str, type[Memory]]]:
    """The number of lanes, at most factor, so that the widest type fits a register; and the memory of each type."""
    widest = max((BITS[each] for each in types), default=32)
    width = factor
    largest = max(target.memories)
    while width * widest > largest and width % 2 == 0:
        width //= 2
    homes = {}
    for each in types:
        bits = width * BITS[each]
        homes[each] = target.memories.get(bits, target.memories[largest])
    return width, homes or {"f32": target.memories[largest]}


Way = tuple[Callable[[], Any] | None, str]
"""What is done first, which gives the loop over the lanes, and the tail of `vectorize`."""


def _ways(working: Working, directive: Directive, stage: Stage, loop: Any, width: int, tail: TailStrategy) -> Iterable[Way]:
    """What to try, in turn."""
    if _is_guarded(loop):
        yield None, "perfect"
        return
    if divides(loop, width):
        yield None, "perfect"
        return
    shift = partial(_divided, working, stage, loop, width, "shift_inwards")
    match tail:
        case TailStrategy.ShiftInwards:
            require_pure(directive, stage, loop, tail)
            if can_shift(working, stage, loop, width):
                yield shift, "perfect"
            else:
                yield None, "masked"
                yield None, "cut"
        case TailStrategy.RoundUp:
            require_pure(directive, stage, loop, tail)
            yield partial(_rounded_up, working, directive, stage, loop, width), "perfect"
        case _ if tail in MASKED:
            if tail is TailStrategy.RoundUpAndBlend and stage.number == 0:
                require_pure(directive, stage, loop, tail)
            yield None, "masked"
        case _:
            if (
                tail is TailStrategy.Auto
                and stage.number == 0
                and stage.func.local
                and is_pure(stage, loop)
                and enough(loop, width)
            ):
                yield shift, "perfect"
            yield None, "masked"
            yield None, "cut"


def _is_guarded(loop: Any) -> bool:
    """Whether all of a loop of a constant number of iterations is under one `if`: the tail of a split."""
    body = list(loop.body())
    return len(body) == 1 and isinstance(body[0], IfCursor) and text_of(loop.hi()).isdecimal()


def _rounded_up(working: Working, directive: Directive, stage: Stage, loop: Any, width: int) -> Any:
    """The loop over lanes of a loop that is divided so that its last tile is full, with room for it."""
    make_room(working, directive, stage, loop, width)
    return _divided(working, stage, loop, width, "round_up")


def _divided(working: Working, stage: Stage, loop: Any, width: int, tail: str) -> Any:
    """The loop over lanes of a loop that is divided so that no tile is partial."""
    del stage
    working.do(divide_loop, loop, width, [loop.name(), working.fresh(f"{loop.name()}_lanes")], tail=tail)
    return working.at(loop).body()[0]
