"""`par` loops: OpenMP where the compiler has it, the plain loop where it has not.

A scalar that the loop reduces (usl_c11.reductions) is summed up in a local accumulator: of the floating type, or for integers
of the unsigned type that wraps. Additions then happen in any order; on floats the result may differ in rounding from run to
run. Products likewise. A least or greatest value is kept in a variable of its own type, in a reduction that is declared before
the loop: each thread starts at the value from before, as C compilers differ in what theirs start at (some not at an infinity).

Where the whole body of one is another that runs equally often in each of its iterations, threads share the iterations of both
(`collapse`): few rows of many columns keep them all busy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from usl_c11.arith import narrow
from usl_c11.ctext import ADDITIVE, C, cast
from usl_c11.expr import control, data, element, is_true
from usl_c11.fences import fences_of
from usl_c11.memory import ask
from usl_c11.scope import Buffer, Function, ParallelLoop, Place
from usl_c11.status import fail
from usl_c11.types import ring
from usl_core.errors import BackendError
from usl_core.ir.combining import identity, is_function, is_idempotent
from usl_core.ir.memory import DRAM
from usl_core.ir.nodes import For, LoopMode, Stmt
from usl_core.ir.operation import Operation
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import free_names, mentioned
from usl_core.ir.types import B8, F32, F64
from usl_core.plugins.manager import plugin_manager
from usl_core.ranges import loop_range

Lines = list[str]


def loop(
    stmt: For, fn: Function, block: Callable[[Sequence[Stmt], Function], Lines], indent: Callable[[Iterable[str]], Lines]
) -> Lines:
    """The lines of a `par` loop; block and indent write its body (they belong to the module of statements)."""
    fn.unit.has_parallel_loops = True
    lo, hi = control(stmt.lo, fn), control(stmt.hi, fn)
    with fn.scope():
        ops = fn.reductions[stmt]
        outer = {name: fn.buffers[name] for name in ops}
        inner = {name: _accumulator(name, buffer, ops[name], stmt, fn) for name, buffer in outer.items()}
        state, windows = ParallelLoop(fn.names.fresh("failed"), len(fn.frees)), _windows(stmt, fn)
        fn.buffers.update(inner)
        template = plugin_manager().parallel_template("c11")
        inside = _shared_with(stmt, fn) if template is None else None
        nest = _nest(stmt, lo, hi, state, fn, block, indent, inside)
        if template is not None:
            return [*fn.fences, *_from_template(template, stmt, nest, lo, hi, bool(inner) or state.failed)]
        lines = [_load(outer[name], acc, fn, stmt) for name, acc in inner.items()]
        lines += [f"int {state.status} = 0;"] if state.failed else []
        declared = [_declared(acc, ops[name], fn, stmt) for name, acc in inner.items() if is_function(ops[name])]
        clauses = [" collapse(2)"] if inside is not None else []
        clauses += [f" reduction({_clause(ops[name], acc)} : {acc.name})" for name, acc in inner.items()]
        clauses += [f" reduction(max : {state.status})"] if state.failed else []
        clauses += [f" firstprivate({', '.join(windows)})"] if windows else []
        lines += [*fn.fences, "#ifdef _OPENMP", *declared, f"#pragma omp parallel for{''.join(clauses)}", "#endif", *nest]
        lines += [_store(outer[name], acc, fn, stmt) for name, acc in inner.items()]
        if state.failed:
            lines += [f"if ({state.status} != 0) {{", *indent(fail(state.status, fn)), "}"]
    return ["{", *indent(lines), "}"] if inner or state.failed else lines


def _windows(stmt: For, fn: Function) -> list[str]:
    """The structs of windows that a loop uses: each thread has its own, which stores are known to leave as they are."""
    found = []
    for name in sorted(mentioned(stmt) & fn.buffers.keys(), key=list(fn.buffers).index):
        buffer: Buffer | None = fn.buffers[name]
        while buffer is not None and buffer.place is Place.VIEW:
            buffer = buffer.base
        if buffer is not None and buffer.place is Place.WINDOW:
            found.append(buffer.name)
    return list(dict.fromkeys(found))


def _from_template(template: str, stmt: For, nest: Lines, lo: C, hi: C, stateful: bool) -> Lines:
    """The form that a plugin gives parallel loops, over the iterator, the limits and the lines of the body."""
    if stateful:
        raise BackendError(
            f"parallel loop {stmt.iter.name} reduces or may fail, which a plugin's form of `par` cannot express",
            span=stmt.span,
            notes=("make it a seq loop, or keep heap buffers and reductions out of it",),
        )
    name = nest[0].removeprefix("for (int64_t ").partition(" ")[0]
    return template.format(iter=name, lo=lo, hi=hi.at(ADDITIVE), body="\n".join(nest[1:-1])).splitlines()


def _nest(
    stmt: For,
    lo: C,
    hi: C,
    state: ParallelLoop,
    fn: Function,
    block: Callable[[Sequence[Stmt], Function], Lines],
    indent: Callable[[Iterable[str]], Lines],
    inside: For | None = None,
) -> Lines:
    """The loop itself, with the loop inside if threads share both. After a failure the thread's further iterations do nothing,
    and the failing one ends at the label.

    The test is `> 0`: a thread's own copy of a variable under `reduction(max)` starts at INT_MIN.
    """
    if inside is not None:
        with fn.scope():
            name = _named(stmt, fn)
            body = _nest(inside, control(inside.lo, fn), control(inside.hi, fn), state, fn, block, indent)
        return [f"for (int64_t {name} = {lo}; {name} < {hi.at(ADDITIVE)}; {name}++) {{", *indent(body), "}"]
    fn.parallel.append(state)
    with fn.scope() as frees:
        name = _named(stmt, fn)
        body = [*block(stmt.body, fn), *fences_of(stmt.body), *reversed(frees)]
    fn.parallel.pop()
    if state.failed:
        body = [f"if ({state.status} > 0) {{", "    continue;", "}", *body, f"{state.label}:;"]
    return [f"for (int64_t {name} = {lo}; {name} < {hi.at(ADDITIVE)}; {name}++) {{", *indent(body), "}"]


def _named(stmt: For, fn: Function) -> str:
    """The name of a loop's iterator in C."""
    name = fn.names.fresh(stmt.iter.name)
    fn.controls[stmt.iter], fn.ranges[stmt.iter] = name, loop_range(stmt, fn.ranges)
    return name


def _shared_with(stmt: For, fn: Function) -> For | None:
    """The `par` loop inside whose iterations threads can share with those of stmt: it is all of the body, and a rectangle."""
    inside = stmt.body[0]
    if len(stmt.body) > 1 or not isinstance(inside, For) or inside.mode is not LoopMode.PAR or fn.reductions[inside]:
        return None
    return inside if stmt.iter not in free_names(inside.lo, inside.hi) else None


def _clause(op: str | Operation, acc: Buffer) -> str:
    """What OpenMP calls a reduction."""
    return f"{acc.name}_of" if is_function(op) else str(op)


def _declared(acc: Buffer, op: str | Operation, fn: Function, stmt: For) -> str:
    """The declaration of the reduction by which acc keeps the least or greatest value, or what a user's operation gives."""
    ctype = fn.unit.ctype(acc.scalar, stmt.span)
    start = "omp_orig"
    if isinstance(op, Operation):
        if not is_idempotent(op):
            neutral = identity(op, acc.scalar)
            if neutral is None:
                raise BackendError(
                    f"a parallel loop cannot reduce by {op}, which has no value to start at",
                    span=stmt.span,
                    notes=("declare its identity, or that it is idempotent: @assoc(identity=...)",),
                )
            start = data(neutral, fn).text
        combine = f"omp_out = {_applied(op, ('omp_out', 'omp_in'), acc, fn)}"
    else:
        relation = "<" if op == "min" else ">"
        combine = f"omp_out = omp_in {relation} omp_out ? omp_in : omp_out"
    return f"#pragma omp declare reduction({_clause(op, acc)} : {ctype} : {combine}) initializer(omp_priv = {start})"


def _applied(op: Operation, names: Sequence[str], acc: Buffer, fn: Function) -> str:
    """C of a user's operation on two variables."""
    for formal, name in zip(op.formals, names, strict=True):
        fn.buffers[formal] = replace(acc, name=name, place=Place.VALUE, mem=DRAM)
    return data(op.body, fn).text


def _accumulator(name: Sym, buffer: Buffer, op: str | Operation, stmt: For, fn: Function) -> Buffer:
    if not buffer.scalar.is_int and buffer.scalar not in (F32, F64):
        raise BackendError(
            f"a parallel loop cannot reduce into {name.name} of type {buffer.scalar}",
            span=stmt.span,
            notes=("OpenMP has no reduction of that type; accumulate in f32",),
        )
    if is_function(op):
        return replace(buffer, name=fn.names.fresh(f"{name.name}_{op}"), place=Place.VALUE, mem=DRAM)
    return replace(buffer, name=fn.names.fresh(f"{name.name}_sum"), place=Place.ACCUMULATOR)


def _load(buffer: Buffer, acc: Buffer, fn: Function, stmt: For) -> str:
    ctype = fn.unit.ctype(buffer.scalar, stmt.span)
    place = element(buffer, (), fn, stmt.span)
    value = C(ask(buffer.mem, "read", place.text, ctype, stmt.span), place.prec)
    value = is_true(value) if buffer.scalar == B8 else value
    if acc.place is Place.VALUE:
        return f"{ctype} {acc.name} = {value};"
    if not buffer.scalar.is_int or buffer.place is Place.ACCUMULATOR:
        return f"{_accumulator_type(buffer, ctype)} {acc.name} = {value};"
    return f"{_accumulator_type(buffer, ctype)} {acc.name} = {cast(ring(buffer.scalar), value)};"


def _store(buffer: Buffer, acc: Buffer, fn: Function, stmt: For) -> str:
    ctype = fn.unit.ctype(buffer.scalar, stmt.span)
    place = element(buffer, (), fn, stmt.span)
    total = C(acc.name)
    if buffer.scalar.is_int and acc.place is Place.ACCUMULATOR and buffer.place is not Place.ACCUMULATOR:
        total = narrow(total, buffer.scalar, fn.unit, stmt.span)
    return ask(buffer.mem, "write", place.text, ctype, total.text, stmt.span)


def _accumulator_type(buffer: Buffer, ctype: str) -> str:
    return ring(buffer.scalar) if buffer.scalar.is_int else ctype
