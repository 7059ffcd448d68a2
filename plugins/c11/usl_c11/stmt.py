"""Statements of the language as lines of C."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import assert_never

from usl_c11 import alloc, parallel
from usl_c11.access import region_of, struct_name, window_initializer
from usl_c11.arith import narrow, promoted_fits
from usl_c11.call import call_text, instruction_text
from usl_c11.ctext import ADDITIVE, C, binary, cast, unary
from usl_c11.expr import TRUE, condition, config_field, control, data, element, in_ring, stored
from usl_c11.fences import releasing
from usl_c11.folding import Ends
from usl_c11.intervals import ends
from usl_c11.memory import ask, overrides
from usl_c11.mirror import mirrored
from usl_c11.scope import Buffer, Function, Place
from usl_c11.status import fail
from usl_c11.types import require_arithmetic, ring
from usl_c11.usage import last_uses, mentions
from usl_core.errors import BackendError, Span
from usl_core.ir.combining import written_out
from usl_core.ir.nodes import (
    Alloc,
    Assign,
    AssignConfig,
    BinaryOp,
    Call,
    Check,
    Expr,
    For,
    If,
    LoopMode,
    Pass,
    ReadConfig,
    Reduce,
    Stmt,
    StrideExpr,
    WindowStmt,
)
from usl_core.ir.printer import show_expr
from usl_core.ir.traverse import walk
from usl_core.ir.types import BOOL, SIZE, ControlType, ScalarType, is_integer_control
from usl_core.ranges import INDICES, SIZES, Range, branch, decided_by, loop_range, range_of

INDENT = "    "

_DECLARATION = re.compile(r"(\w+) (\w+);")


def indent(lines: Iterable[str]) -> list[str]:
    """Lines one level deeper; preprocessor lines stay at the margin."""
    return [line if not line or line.startswith("#") else INDENT + line for line in lines]


def block(stmts: Sequence[Stmt], fn: Function) -> list[str]:
    """The lines of stmts; what they bind stays bound in the open scope. Storage on the heap is freed after its last use."""
    lines: list[str] = []
    declared: list[tuple[int, str]] = []
    unneeded = last_uses(stmts)
    for position, stmt in enumerate(stmts):
        new = statement(stmt, stmts[position + 1 :], fn)
        if position and isinstance(stmts[position - 1], Alloc) and isinstance(stmt, Assign):
            _merge_declaration(lines, new)
        lines += new
        if isinstance(stmt, Alloc) or (isinstance(stmt, WindowStmt) and new):
            declared.append((len(lines), fn.buffers[stmt.name].name))
        lines += releasing([line for name in unneeded.get(position, ()) for line in alloc.released(name, fn)], fn)
    return _mark_unused(lines, declared) if declared else lines


_USE = re.compile(r"(?<![.>\w])\w+\b(?! \+?= )")
_STORE = re.compile(r"\w+(?=\[.*\] \+?= .*;)")
"""The array at the start of a line into which the line stores."""


def _mark_unused(lines: Sequence[str], declared: Sequence[tuple[int, str]]) -> list[str]:
    """lines with `(void)x;` where later ones do no more with x than to store into it, or compilers warn.

    declared has names, each with the number of lines before its use may start. Folding may have dropped a use.
    """
    used: set[str] = set()
    result: list[str] = []  # from the end to the start
    end = len(lines)
    for position, name in reversed(declared):
        for line in reversed(lines[position:end]):
            result.append(line)
            text = line.lstrip()
            store = _STORE.match(text)
            used.update(_USE.findall(text, store.end() if store else 0))
        end = position
        if name not in used:
            result.append(f"(void){name};")
    result.extend(reversed(lines[:end]))
    result.reverse()
    return result


def _merge_declaration(lines: list[str], new: list[str]) -> None:
    """`float x;` and `x = 1.0f;` become `float x = 1.0f;`, the second in place of the first."""
    match = _DECLARATION.fullmatch(lines[-1]) if lines else None
    if match is not None and len(new) == 1 and new[0].startswith(f"{match[2]} = "):
        new[0] = f"{match[1]} {new[0]}"
        del lines[-1]


def scoped(stmts: Sequence[Stmt], fn: Function, end: Sequence[str] = ()) -> list[str]:
    """The lines of stmts in a scope of their own, releasing at its end what they allocated; end if that is nothing."""
    with fn.scope() as frees:
        lines = block(stmts, fn)
        return indent([*lines, *(releasing(frees[::-1], fn) or end)])


def statement(stmt: Stmt, rest: Sequence[Stmt], fn: Function) -> list[str]:
    """The lines of one statement; rest is what follows it in its block."""
    match stmt:
        case Assign():
            return _assign(stmt, fn)
        case Reduce():
            return _reduce(stmt, fn)
        case AssignConfig():
            return _assign_config(stmt, fn)
        case Pass():
            return []
        case Check():
            return _check(stmt, fn)
        case If():
            return _if(stmt, fn)
        case For() if range_of(stmt.hi, fn.ranges).hi <= range_of(stmt.lo, fn.ranges).lo:
            return []  # it never runs, and compilers warn about subscripts in it
        case For(mode=LoopMode.SEQ):
            return sequential_loop(stmt, fn)
        case For():
            return parallel.loop(stmt, fn, block, indent)
        case Alloc():
            return alloc.allocate(stmt, rest, fn)
        case WindowStmt():
            return _window(stmt, rest, fn)
        case Call():
            return _call(stmt, fn)
        case _:
            assert_never(stmt)


# ---- stores


def _place(stmt: Assign | Reduce, fn: Function) -> tuple[Buffer, C]:
    buffer = fn.buffer(stmt.name, stmt.span)
    return buffer, element(buffer, [control(i, fn) for i in stmt.idx], fn, stmt.span)


def _assign(stmt: Assign, fn: Function) -> list[str]:
    buffer, place = _place(stmt, fn)
    value = stored(stmt.rhs, fn).text
    if stmt.name in fn.values:
        fn.values[stmt.name] = ends(stmt.rhs, fn)
    elif stmt.name in fn.elements:
        fn.elements[stmt.name] = ends(stmt.rhs, fn).hull(Ends(0, 0))
    if value == place.text:  # compilers warn about it
        return []
    return [ask(buffer.mem, "write", place.text, fn.unit.ctype(buffer.scalar, stmt.span), value, stmt.span)]


def _reduce(stmt: Reduce, fn: Function) -> list[str]:
    """`+=`; on types that C would promote or overflow, a store of the sum reduced to the type. Others are written out."""
    held = fn.buffer(stmt.name, stmt.span)
    if held.scalar.is_encoded or (stmt.op != "+" and held.place is not Place.ACCUMULATOR):
        return _assign(Assign(stmt.name, stmt.idx, written_out(stmt), span=stmt.span), fn)
    buffer, place = _place(stmt, fn)
    scalar, ctype = buffer.scalar, fn.unit.ctype(buffer.scalar, stmt.span)
    require_arithmetic(scalar, stmt.span)
    if buffer.place is Place.ACCUMULATOR:
        return [f"{place} {stmt.op}= {in_ring(stmt.rhs, scalar, fn) if scalar.is_int else data(stmt.rhs, fn)};"]
    if overrides(buffer.mem, "reduce") or scalar.name in ("f32", "f64", "u32"):
        return [ask(buffer.mem, "reduce", place.text, ctype, data(stmt.rhs, fn).text, stmt.span)]
    old = C(ask(buffer.mem, "read", place.text, ctype, stmt.span), place.prec)
    total = _sum(old, stmt.rhs, scalar, fn, stmt.span)
    return [ask(buffer.mem, "write", place.text, ctype, total.text, stmt.span)]


def _sum(old: C, rhs: Expr, scalar: ScalarType, fn: Function, span: Span) -> C:
    if not scalar.is_int:
        return cast(fn.unit.ctype(scalar, span), binary("+", old, data(rhs, fn)))
    if promoted_fits("+", scalar):
        return narrow(binary("+", old, data(rhs, fn)), scalar, fn.unit, span)
    from_ring = binary("+", cast(ring(scalar), old), in_ring(rhs, scalar, fn))
    return narrow(from_ring, scalar, fn.unit, span)


def _assign_config(stmt: AssignConfig, fn: Function) -> list[str]:
    """A write of a readable field. A write-only field exists only in the hardware, whose instructions set it."""
    field = stmt.config.fields[stmt.field]
    if not field.readable:
        return []
    place = config_field(ReadConfig(stmt.config, stmt.field, type=field.type, span=stmt.span), fn)
    if not isinstance(field.type, ControlType):
        return [f"{place} = {stored(stmt.rhs, fn)};"]
    if field.type is BOOL:
        return [f"{place} = {condition(stmt.rhs, fn)};"]
    assert is_integer_control(field.type)
    allowed = SIZES if field.type is SIZE else INDICES
    if any(isinstance(node, StrideExpr) for node in walk(stmt.rhs)):
        return _assign_stride(stmt, place, allowed, fn)
    value = range_of(stmt.rhs, fn.ranges)
    if not (allowed.lo <= value.lo and value.hi <= allowed.hi):
        raise BackendError(
            f"{stmt.config.name}.{stmt.field} might be set to {value.lo} .. {value.hi}, outside {allowed.lo} .. {allowed.hi}",
            span=stmt.span,
        )
    return [f"{place} = {control(stmt.rhs, fn)};"]


def _assign_stride(stmt: AssignConfig, place: C, allowed: Range, fn: Function) -> list[str]:
    """A write of a value that has a stride in it, about which only the caller knows: tested when it is made."""
    value = fn.names.fresh("stride")
    message = f"{stmt.config.name}.{stmt.field} must be between {allowed.lo} and {allowed.hi}"
    test = f"if ({value} < {allowed.lo} || {value} > {allowed.hi}) {{"
    lines = [
        f"const int64_t {value} = {control(stmt.rhs, fn)};",
        test,
        *indent(fail(str(fn.unit.failure(message)), fn)),
        "}",
        f"{place} = {value};",
    ]
    return ["{", *indent(lines), "}"]


# ---- control


def _check(stmt: Check, fn: Function) -> list[str]:
    holds = condition(stmt.cond, fn)
    if holds == TRUE:
        return []
    where = f"{stmt.span.file.rsplit('/', 1)[-1]}:{stmt.span.line}: "
    code = fn.unit.failure(f"{where}check failed: {show_expr(stmt.cond)}")
    return [f"if ({unary('!', C(f'({holds})'))}) {{", *indent(fail(str(code), fn)), "}"]


def _if(stmt: If, fn: Function, opening: str = "if") -> list[str]:
    lines = [f"{opening} ({condition(stmt.cond, fn)}) {{", *_branch(stmt, True, fn)]
    match stmt.orelse:
        case ():
            return [*lines, "}"]
        case (If() as chained,):
            outer = fn.ranges
            fn.ranges = branch(stmt, outer, False)
            rest = _if(chained, fn, "} else if")
            fn.ranges = outer
            return lines + rest
        case _:
            return [*lines, "} else {", *_branch(stmt, False, fn), "}"]


def _branch(stmt: If, taken: bool, fn: Function) -> list[str]:
    if _decided(stmt.cond, fn) is (not taken):
        return []  # it never runs, and compilers warn about subscripts in it
    outer = fn.ranges
    fn.ranges = branch(stmt, outer, taken)
    lines = scoped(stmt.body if taken else stmt.orelse, fn)
    fn.ranges = outer
    return lines


def _decided(cond: Expr, fn: Function) -> bool | None:
    """The truth of a comparison of control values, where their ranges tell."""
    if isinstance(cond, BinaryOp) and is_integer_control(cond.lhs.type):
        return decided_by(cond.op, range_of(cond.lhs, fn.ranges), range_of(cond.rhs, fn.ranges))
    return None


def sequential_loop(stmt: For, fn: Function) -> list[str]:
    """A loop in order, as lines of C."""
    lo, hi = control(stmt.lo, fn), control(stmt.hi, fn)
    prologue: list[str] = []
    with fn.scope() as frees:
        if any(isinstance(node, ReadConfig) for node in walk(stmt.hi)):  # the body may change what it reads
            end = fn.names.fresh(f"{stmt.iter.name}_end")
            prologue, hi = [f"const int64_t {end} = {hi};"], C(end)
        name = bind_iterator(stmt, fn)
        body = block(stmt.body, fn)
        loop = [
            f"for (int64_t {name} = {lo}; {name} < {hi.at(ADDITIVE)}; {name}++) {{",
            *indent([*body, *releasing(frees[::-1], fn)]),
            "}",
        ]
    return ["{", *indent(prologue + loop), "}"] if prologue else loop


def bind_iterator(stmt: For, fn: Function) -> str:
    """The C name of an iterator, from here on."""
    name = fn.names.fresh(stmt.iter.name)
    fn.controls[stmt.iter] = name
    fn.ranges[stmt.iter] = loop_range(stmt, fn.ranges)
    return name


# ---- names and calls


def _window(stmt: WindowStmt, rest: Sequence[Stmt], fn: Function) -> list[str]:
    """A named window is a struct; of memory without addresses it is only a name for indices."""
    at = region_of(stmt.rhs, fn)
    if not at.base.mem.addressable:
        base = fn.buffer(stmt.rhs.name, stmt.span)
        fn.buffers[stmt.name] = Buffer(
            stmt.name.name, base.scalar, base.mem, Place.VIEW, at.strides, base=base, view=stmt.rhs.idx
        )
        return []
    if not any(mentions(later, stmt.name) for later in rest):
        return []
    const = stmt.name not in fn.written
    name = fn.names.fresh(stmt.name.name)
    fn.unit.window(at.base.scalar, len(at.dims), const, stmt.span)
    initial = window_initializer(stmt.rhs, fn)
    strides = tuple(stride if stride.text.isdigit() else C(f"{name}.strides[{dim}]") for dim, stride in enumerate(at.strides))
    window = Buffer(name, at.base.scalar, at.base.mem, Place.WINDOW, strides, const)
    fn.buffers[stmt.name] = window
    return [f"const {struct_name(window)} {name} = {initial};"]


def _call(stmt: Call, fn: Function) -> list[str]:
    if stmt.proc.instr is not None:
        writes = [line for write in mirrored(stmt) for line in _assign_config(write, fn)]
        return [*instruction_text(stmt, fn).splitlines(), *writes]
    text = call_text(stmt, fn)
    if stmt.proc not in fn.unit.fallible:
        return [*fn.fences, f"{text};"]
    handle = ["if (usl_status != 0) {", *indent(fail("usl_status", fn)), "}"]
    return [*fn.fences, "{", *indent([f"const int usl_status = {text};", *handle]), "}"]
