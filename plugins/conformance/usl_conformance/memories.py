"""The check of memories: what `alloc`, `free`, `window`, `read`, `write`, `reduce` give is compiled and run.

Buffers are allocated side by side, in loops, with constant and with run-time extents, filled with distinct numbers and read
back. Storage from the heap must have been released afterwards, where the C library can count it.
"""

from __future__ import annotations

import ctypes
import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from usl_conformance.compiled import Compiled, Toolchain, ways_of
from usl_conformance.controls import admissible, shape_of
from usl_conformance.driver import depends_on_controls
from usl_conformance.findings import LEAK, NAME, NO_CODE, STOPPED, VALUE, Finding, Outcome
from usl_conformance.isolate import Progress, Stopped, run_isolated
from usl_conformance.names import check_memory_name
from usl_conformance.routes import Key, Router, why_not_reached
from usl_conformance.transfer import Route, copy_in, copy_out, nest, tensor
from usl_core.errors import NOWHERE, BackendError, UslError
from usl_core.interp.arrays import dtype_of
from usl_core.ir.memory import DRAM, MemoryClass
from usl_core.ir.nodes import Alloc, Arg, Assign, For, Literal, Pass, Proc, Read, Reduce, Stmt, index_literal, index_read
from usl_core.ir.sym import Sym
from usl_core.ir.types import F32, F64, I8, I32, SIZE, U8, U16, ScalarType, TensorType

KIND = "memory"

SCALARS = (F32, F64, I32, I8, U8, U16)
SHAPES = ((4,), (3, 5), (16,), (8, 8), (8,), (32,), (64,), (4, 4), (16, 16), (2, 16), (1,))
"""Types and shapes that are tried where no instruction names any, paired so that the first few differ in both."""
MOST_KEYS = 3
REPEATS, ROUNDS = 300, 5
"""Calls over which a leak would add up, and how often that is looked at: Python too takes and gives back storage now and then,
so the median counts."""
LEAK_BYTES = 16 * REPEATS


@dataclass
class Plan:
    """One memory on its way through the check: procedures to compile, and what to do with each."""

    memory: MemoryClass
    findings: list[Finding] = field(default_factory=list)
    skipped: str = ""
    procs: dict[str, tuple[Proc, Callable[[Any], Finding | None], str]] = field(default_factory=dict)
    """By name: the procedure, what runs and judges it, and what it does in words."""
    compiled: Mapping[str, Compiled] = field(default_factory=dict)
    ran: str = ""
    """How the procedures run, in words."""


def check_memories(memories: Sequence[MemoryClass], instructions: Sequence[Proc], tools: Toolchain) -> Iterator[Outcome]:
    """The outcome for each memory. Instructions tell which buffers it is meant for."""
    for plan in prepare_memories(memories, instructions, tools):
        yield memory_outcome(plan)


def prepare_memories(memories: Sequence[MemoryClass], instructions: Sequence[Proc], tools: Toolchain) -> Sequence[Plan]:
    """The memories with their procedures compiled."""
    router = Router(tools, instructions)
    plans = [_plan(number, memory, instructions, router, tools) for number, memory in enumerate(memories)]
    procs = [proc for plan in plans for proc, _, _ in plan.procs.values()]
    compiled = tools.compile(procs, "usl_check_memories") if procs else {}
    for plan in plans:
        plan.compiled = {name: compiled[name] for name in plan.procs}
        plan.ran = ways_of([proc for proc, _, _ in plan.procs.values()], tools)
    return plans


def _plan(number: int, memory: MemoryClass, instructions: Sequence[Proc], router: Router, tools: Toolchain) -> Plan:
    plan = Plan(memory, list(check_memory_name(memory)))
    if wrong := why_not_reached(memory):
        plan.findings.append(Finding(NAME, wrong))
    plan.skipped = tools.why_not(memory.features)
    if plan.findings or plan.skipped:
        return plan
    keys = list(itertools.islice(_keys(memory, instructions, tools), MOST_KEYS))
    if not keys:
        plan.skipped = "it takes no buffer of the types and shapes that were tried"
        return plan
    plain = not memory.addressable or _plain_code_may_touch(memory)
    router.prepare(keys if plain else ())
    for position, key in enumerate(keys):
        _add(plan, f"memory_{number}_{position}", key, router.route(key) if plain else "plain code may not touch it")
    if memory.addressable and plain:
        _add_run_time(plan, f"memory_{number}", keys[0][1], tools)
    return plan


def _plain_code_may_touch(memory: MemoryClass) -> bool:
    """Whether C without instructions reads and writes elements. C may have pointers to others, such as what is in flight."""
    try:
        return bool(memory.read("x", "int", NOWHERE)) and bool(memory.write("x", "int", "0", NOWHERE))
    except BackendError:
        return False


def _keys(memory: MemoryClass, instructions: Sequence[Proc], tools: Toolchain) -> Iterator[Key]:
    """Buffers that the memory takes: those of the instructions' formals, then common ones."""
    seen: set[Key] = set()
    for key in itertools.chain(_keys_of_formals(memory, instructions), _common(memory)):
        if key in seen or (len(seen) >= MOST_KEYS):
            continue
        if _takes(key, tools):
            seen.add(key)
            yield key


def _keys_of_formals(memory: MemoryClass, instructions: Sequence[Proc]) -> Iterator[Key]:
    for instr in instructions:
        for arg in instr.args:
            if arg.mem is memory and isinstance(arg.type, TensorType):
                for controls in admissible(instr, 1) if depends_on_controls(arg) else admissible(instr, 12)[:1]:
                    yield memory, arg.type.scalar, shape_of(arg.type, controls)


def _common(memory: MemoryClass) -> Iterator[Key]:
    for number in range(math.lcm(len(SCALARS), len(SHAPES))):
        yield memory, SCALARS[number % len(SCALARS)], SHAPES[number % len(SHAPES)]


def _takes(key: Key, tools: Toolchain) -> bool:
    memory, scalar, shape = key
    try:
        dtype_of(scalar)
        tools.backend.emit([_only_alloc("takes", memory, scalar, shape)], "takes")
    except UslError:
        return False
    return True


def _only_alloc(name: str, memory: MemoryClass, scalar: ScalarType, shape: tuple[int, ...]) -> Proc:
    """Allocates twice, one inside a loop, and does nothing."""
    inner: tuple[Stmt, ...] = (Alloc(Sym("inner"), tensor(scalar, shape), memory), Pass())
    loop = For(Sym("i"), index_literal(0), index_literal(3), inner)
    return Proc(name, (), (), (Alloc(Sym("outer"), tensor(scalar, shape), memory), loop))


# ---- procedures and what they must do


def _add(plan: Plan, name: str, key: Key, route: Route | str) -> None:
    memory, scalar, shape = key
    what = f"{scalar}{list(shape)}"
    only = _only_alloc(f"{name}_alloc", memory, scalar, shape)
    plan.procs[only.name] = (only, lambda call: _leak(lambda: call(), what), f"allocating {what}, also in a loop")
    if isinstance(route, str):
        return
    whole = (route.slots, *shape) if route.slots > 1 else shape
    pair = _pair(f"{name}_pair", key, route)
    plan.procs[pair.name] = (pair, lambda call: _run_pair(call, scalar, whole, what), f"two buffers {what} side by side")
    if memory.addressable:
        total = _accumulate(f"{name}_reduce", key)
        plan.procs[total.name] = (total, lambda call: _run_reduce(call, scalar, shape, what), f"`+=` into {what}")


def _pair(name: str, key: Key, route: Route) -> Proc:
    """`(x, y, u, v)`: x goes into one buffer, y into a second; u comes out of the first, v of the second."""
    memory, scalar, shape = key
    whole = (route.slots, *shape) if route.slots > 1 else shape
    typ = tensor(scalar, whole)
    x, y, u, v = (Sym(letter) for letter in "xyuv")
    a, b = Sym("a"), Sym("b")
    body = (
        Alloc(a, typ, memory),
        *copy_in(route, memory, scalar, shape, a, x),
        Alloc(b, typ, memory),
        *copy_in(route, memory, scalar, shape, b, y),
        *copy_out(route, memory, scalar, shape, a, u),
        *copy_out(route, memory, scalar, shape, b, v),
    )
    return Proc(name, tuple(Arg(sym, typ, DRAM) for sym in (x, y, u, v)), (), body)


def _accumulate(name: str, key: Key) -> Proc:
    """`(x, u)`: u becomes 2 x by way of a buffer that x is added to."""
    memory, scalar, shape = key
    typ = tensor(scalar, shape)
    x, u, a = Sym("x"), Sym("u"), Sym("a")
    zero = Literal(0 if scalar.is_int else Fraction(0), type=scalar)
    body = (
        Alloc(a, typ, memory),
        *nest(shape, lambda points: (Assign(a, tuple(points), zero),)),
        *nest((2, *shape), lambda points: (Reduce(a, tuple(points[1:]), Read(x, tuple(points[1:]), type=scalar)),)),
        *nest(shape, lambda points: (Assign(u, tuple(points), Read(a, tuple(points), type=scalar)),)),
    )
    return Proc(name, (Arg(x, typ, DRAM), Arg(u, typ, DRAM)), (), body)


def _add_run_time(plan: Plan, name: str, scalar: ScalarType, tools: Toolchain) -> None:
    """Extents that are known at run time only, if the memory takes them."""
    n, x, u = Sym("n"), Sym("x"), Sym("u")
    a, b, i, j = Sym("a"), Sym("b"), Sym("i"), Sym("j")
    size = index_read(n)
    typ = TensorType(scalar, (size,))
    fill = [Assign(buffer, (index_read(i),), Read(x, (index_read(i),), type=scalar)) for buffer in (a, b)]
    body = (
        Alloc(a, typ, plan.memory),
        Alloc(b, typ, plan.memory),
        For(i, index_literal(0), size, tuple(fill)),
        For(j, index_literal(0), size, (Assign(u, (index_read(j),), Read(a, (index_read(j),), type=scalar)),)),
    )
    proc = Proc(f"{name}_run_time", (Arg(n, SIZE), Arg(x, typ, DRAM), Arg(u, typ, DRAM)), (), body)
    try:
        tools.backend.emit([proc], proc.name)
    except BackendError:
        return
    plan.procs[proc.name] = (proc, lambda call: _run_sizes(call, scalar), "extents known at run time")


# ---- running


def memory_outcome(plan: Plan) -> Outcome:
    """Runs the procedures of one memory in a child process, unless something has been found before."""
    name = plan.memory.name
    if plan.findings:
        return Outcome(KIND, name, "failed", 0, tuple(plan.findings))
    if plan.skipped:
        return Outcome(KIND, name, "skipped", reason=plan.skipped)
    for proc_name, (_, _, what) in list(plan.procs.items()):
        function = plan.compiled[proc_name]
        if isinstance(function, UslError) and function.code == "E621":
            del plan.procs[proc_name]  # two buffers, and the memory has room for one, as it says itself
        elif isinstance(function, UslError):
            finding = Finding(NO_CODE, f"{what}: {function.message}", tuple(function.notes))
            return Outcome(KIND, name, "failed", 0, (finding,))
    result = run_isolated(lambda progress: _run_all(plan, progress))
    if isinstance(result, Stopped):
        what = plan.procs[result.at or next(iter(plan.procs))][2]
        finding = Finding(
            STOPPED,
            f"{what}: running it ended with {result.signal}{f'; {result.said}' if result.said else ''}",
            likely="`free` releases what `alloc` did not give, or `window` gives a place outside of the buffer",
        )
        return Outcome(KIND, name, "failed", 0, (finding,))
    return Outcome(KIND, name, "failed" if result else "passed", len(plan.procs), tuple(result), ran=plan.ran)


def _run_all(plan: Plan, progress: Progress) -> list[Finding]:
    for name, (_, judge, _) in plan.procs.items():
        progress(name)
        found = judge(plan.compiled[name])
        if found is not None:
            return [found]
    return []


def _numbers(scalar: ScalarType, shape: Sequence[int], first: int) -> Any:
    """Distinct numbers as far as the type has them."""
    count = math.prod(shape)
    values = np.arange(first, first + count)
    return (values % 113 if scalar.is_int else values).reshape(shape).astype(dtype_of(scalar))


def _run_pair(call: Any, scalar: ScalarType, shape: tuple[int, ...], what: str) -> Finding | None:
    x, y = _numbers(scalar, shape, 1), _numbers(scalar, shape, 50)
    u, v = np.zeros_like(x), np.zeros_like(y)
    call(x, y, u, v)
    for wanted, got, which in ((x, u, "first"), (y, v, "second")):
        if found := _differs(wanted, got, f"the {which} of two buffers {what} does not hold what was stored into it"):
            return found
    return _leak(lambda: call(x, y, u, v), what)


def _run_reduce(call: Any, scalar: ScalarType, shape: tuple[int, ...], what: str) -> Finding | None:
    x = (_numbers(scalar, shape, 1) % 50).astype(dtype_of(scalar))
    u = np.zeros_like(x)
    call(x, u)
    return _differs(x + x, u, f"adding twice to {what} does not give the sum: `reduce`, `read` or `write`")


def _run_sizes(call: Any, scalar: ScalarType) -> Finding | None:
    for count in (1, 2, 7, 64, 1000, 10_000):
        x = _numbers(scalar, (count,), 1)
        u = np.zeros_like(x)
        call(count, x, u)
        if found := _differs(x, u, f"a buffer of {count} elements, known at run time, does not hold what was stored"):
            return found
    return _leak(lambda: call(7, x[:7], u[:7]), f"{scalar}[7]")


def _differs(wanted: Any, got: Any, problem: str) -> Finding | None:
    if (wanted == got).all():
        return None
    place = tuple(int(i) for i in np.argwhere(wanted != got)[0])
    return Finding(
        VALUE,
        problem,
        (f"element {list(place)} of {list(wanted.shape)}",),
        str(wanted[place]),
        str(got[place]),
        "`window` gives the wrong place, `alloc` too little storage, or two buffers share storage",
    )


def _leak(call: Callable[[], object], what: str) -> Finding | None:
    """Runs often, and looks at how much storage from the heap is left in use.

    The least of several rounds counts: a leak is in each of them, what the process allocates besides is not.
    """
    growth = []
    for _ in range(ROUNDS):
        before = _heap_in_use()
        for _ in range(REPEATS):
            call()
        after = _heap_in_use()
        if before is None or after is None:
            return None
        growth.append(after - before)
    least = min(growth)
    if least < LEAK_BYTES:
        return None
    return Finding(
        LEAK,
        f"allocating {what} {REPEATS} times leaves {least} bytes of the heap in use",
        likely="`free` is missing, or releases something else than `alloc` gave",
    )


class _MallocInfo(ctypes.Structure):
    _fields_ = tuple(
        (name, ctypes.c_size_t)
        for name in (
            "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost"
        )
    )  # fmt: skip


def _heap_in_use() -> int | None:
    """Bytes of the C library's heap in use, or None where it does not tell (glibc 2.33 and later do)."""
    try:
        ask = ctypes.CDLL(None).mallinfo2
    except AttributeError:
        return None
    ask.restype = _MallocInfo
    info = ask()
    return int(info.uordblks + info.hblkhd)
