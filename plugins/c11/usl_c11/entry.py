"""The exported entry of a procedure: tests what its body function trusts, and says which condition failed.

Conditions are numbered from 1 in the order in which they are tested; `NAME_error` gives the text of a number. Statuses of the
body (a failed `check`, no memory) follow after them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from usl_c11.ctext import C, unary
from usl_c11.expr import condition, control, product
from usl_c11.func import Formal, bind_formals, heading, new_function
from usl_c11.names import legal
from usl_c11.scope import Buffer, Function
from usl_c11.stmt import INDENT
from usl_c11.unit import Unit
from usl_c11.usage import is_data, readable_fields
from usl_core.backend import assurance, fields_used, is_read_at_start, written_formals
from usl_core.calling import must_be_disjoint
from usl_core.ir.nodes import Arg, Proc
from usl_core.ir.printer import Printer
from usl_core.ir.types import BOOL, SIZE, ControlType, TensorType
from usl_core.ranges import INDICES, SIZE_MAX, SIZES, assume, entry_ranges

NO_CHECKS = "USL_NO_ENTRY_CHECKS"


@dataclass(slots=True)
class _Tests:
    """The lines that test, and the sentence of each condition."""

    lines: list[str] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)

    def refuse_if(self, violated: str, message: str) -> None:
        self.messages.append(message)
        self.lines += [f"if ({violated})", f"{INDENT}return {len(self.messages)};"]


@dataclass(frozen=True, slots=True)
class Entry:
    """C of an exported procedure: the prototypes for the header, and the definitions."""

    prototypes: str
    definitions: str


def entry(proc: Proc, unit: Unit, checked: bool) -> Entry:
    """The entry of proc, whose body function is already written."""
    fn = new_function(proc, unit)
    fn.ranges = entry_ranges(proc)
    formals = bind_formals(proc, fn, trusted=False)
    tests = _tests(proc, formals, fn) if checked else _Tests()
    head = heading("int", proc.name, [formal.declaration(False) for formal in formals])
    error_head = f"const char *{proc.name}_error(int status)"
    call = f"{unit.functions[proc]}({', '.join(formal.name for formal in formals)})"
    definition = [
        assurance_comment(proc),
        head,
        "{",
        *_guarded(tests.lines),
        *_finish(call, proc in unit.fallible, len(tests.messages)),
        "}",
    ]
    return Entry(
        f"{head};\n{error_head};", "\n".join([*definition, "", *_error_function(error_head, tests.messages, proc, unit)])
    )


def assurance_comment(proc: Proc) -> str:
    """How the procedure relates to the source that a user wrote."""
    return f"/* {proc.name}: {assurance(proc)} */"


def _guarded(lines: Sequence[str]) -> list[str]:
    return [f"#ifndef {NO_CHECKS}", *(INDENT + line for line in lines), "#endif"] if lines else []


def _finish(call: str, fallible: bool, offset: int) -> list[str]:
    if not fallible:
        return [f"{INDENT}{call};", f"{INDENT}return 0;"]
    if offset == 0:
        return [f"{INDENT}return {call};"]
    return [f"{INDENT}const int usl_status = {call};", f"{INDENT}return usl_status == 0 ? 0 : {offset} + usl_status;"]


def _error_function(head: str, messages: Sequence[str], proc: Proc, unit: Unit) -> list[str]:
    known = [*messages, *(unit.failures if proc in unit.fallible else [])]
    cases = [f'{INDENT}case {number}:\n{INDENT * 2}return "{_escape(text)}";' for number, text in enumerate(known, start=1)]
    return [
        head,
        "{",
        f"{INDENT}switch (status) {{",
        f'{INDENT}case 0:\n{INDENT * 2}return "success";',
        *cases,
        f'{INDENT}default:\n{INDENT * 2}return "unknown status";',
        f"{INDENT}}}",
        "}",
    ]


def _escape(text: str) -> str:
    """text inside a C string literal; non-ASCII as UTF-8 octets, `?` escaped because of trigraphs."""
    plain = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ").replace("?", "\\?")
    return "".join(ch if ch.isascii() else "".join(f"\\{byte:03o}" for byte in ch.encode()) for ch in plain)


# ---- the tests


def _tests(proc: Proc, formals: Sequence[Formal], fn: Function) -> _Tests:
    tests = _Tests()
    arguments = [(formal.arg, formal.name) for formal in formals if formal.arg is not None]
    if fn.context is not None:
        tests.refuse_if(f"{fn.context} == NULL", "the context is NULL")
        _test_fields(proc, fn, tests)
    for arg, name in arguments:
        _test_control(arg, name, tests)
    _test_assertions(proc, fn, tests)
    pairs = must_be_disjoint(proc)
    compared = {arg for pair in pairs for arg in pair}
    written = written_formals(proc)
    places = {arg: _test_data(arg, arg in compared, arg.name in written, fn, tests) for arg, _ in arguments if is_data(arg)}
    _test_aliasing(pairs, places, fn, tests)
    return tests


def _test_fields(proc: Proc, fn: Function, tests: _Tests) -> None:
    """Fields that proc may read as the caller left them have the values that the analysis takes for granted."""
    for name in sorted(fields_used(proc)):
        typ = name.declared.type
        if not (name.declared.readable and isinstance(typ, ControlType) and typ is not BOOL):
            continue
        asserted = any(found is name for found in readable_fields(proc.preds))
        if asserted or is_read_at_start(proc, name):
            limits = SIZES if typ is SIZE else INDICES
            place = f"{fn.context}->{legal(name.config.name)}.{legal(name.field)}"
            outside = f"{place} < {limits.lo} || {place} > {limits.hi}"
            tests.refuse_if(outside, f"{name.name} must be between {limits.lo} and {limits.hi}")


def _test_control(arg: Arg, name: str, tests: _Tests) -> None:
    if arg.type is SIZE:
        tests.refuse_if(f"{name} < 1 || {name} > {SIZE_MAX}", f"{arg.name.name} must be between 1 and {SIZE_MAX}")
    elif isinstance(arg.type, ControlType) and arg.type.name == "index":
        limits = f"{name} < -{SIZE_MAX} || {name} > {SIZE_MAX}"
        tests.refuse_if(limits, f"{arg.name.name} must be between -{SIZE_MAX} and {SIZE_MAX}")


def _test_assertions(proc: Proc, fn: Function, tests: _Tests) -> None:
    printer = Printer()
    for arg in proc.args:
        printer.bind(arg.name)
    for pred in proc.preds:
        # An assertion is no fact for itself: it would decide its own test. Those before it have been tested.
        violated = unary("!", C(f"({condition(pred, fn)})"))
        fn.ranges = assume(pred, fn.ranges)
        tests.refuse_if(violated.text, f"the assertion `{printer.expr(pred)}` must hold")


def _test_data(arg: Arg, compared: bool, written: bool, fn: Function, tests: _Tests) -> str | None:
    """Tests one data argument by itself; the local that holds its footprint, which is made for windows or if compared."""
    buffer = fn.buffers[arg.name]
    tests.refuse_if(f"{buffer.data} == NULL", f"{arg.name.name} must not be NULL")
    message = f"the extents of {arg.name.name} must be at least 1 and its size in bytes must fit PTRDIFF_MAX"
    if not isinstance(arg.type, TensorType):
        return _declare_footprint(buffer, "0, NULL, NULL", fn, tests) if compared else None
    extents = [control(extent, fn) for extent in arg.type.shape]
    rank, shape = len(extents), f"(const int64_t[]){{{', '.join(map(str, extents))}}}"
    if arg.type.window:
        place = _declare_footprint(buffer, f"{rank}, {shape}, {buffer.name}.strides", fn, tests)
        tests.refuse_if(f"!{place}.valid", message)
        if written:
            distinct = f"!{fn.unit.helpers.distinct()}({place})"
            tests.refuse_if(distinct, f"the elements of {arg.name.name}, which is written, must not overlap each other")
        return place
    tests.refuse_if(f"!{fn.unit.helpers.dense_fits()}(sizeof *{buffer.data}, {rank}, {shape})", message)
    one_row = f"1, (const int64_t[]){{{product(extents)}}}, (const ptrdiff_t[]){{1}}"
    return _declare_footprint(buffer, one_row, fn, tests) if compared else None


def _declare_footprint(buffer: Buffer, layout: str, fn: Function, tests: _Tests) -> str:
    place = fn.names.fresh(f"{buffer.name}_place")
    call = f"{fn.unit.helpers.footprint()}({buffer.data}, sizeof *{buffer.data}, {layout})"
    tests.lines.append(f"const struct usl_footprint {place} = {call};")
    return place


def _test_aliasing(pairs: Sequence[tuple[Arg, Arg]], places: Mapping[Arg, str | None], fn: Function, tests: _Tests) -> None:
    for a, b in pairs:
        violated = f"!{fn.unit.helpers.disjoint()}({places[a]}, {places[b]})"
        tests.refuse_if(violated, f"{a.name.name} and {b.name.name} must not overlap")
