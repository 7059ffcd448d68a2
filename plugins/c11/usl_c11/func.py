"""The C function that holds a procedure's body, and the formals that it shares with the exported entry."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from usl_c11.alloc import dense_strides
from usl_c11.ctext import C
from usl_c11.expr import control
from usl_c11.fences import fences_of
from usl_c11.names import Names
from usl_c11.reductions import reductions
from usl_c11.scope import Buffer, Function, Place
from usl_c11.stmt import INDENT, scoped
from usl_c11.types import control_spelling
from usl_c11.unit import Unit
from usl_c11.usage import is_placed, known_strides
from usl_core.backend import separate_last, written_formals, written_names
from usl_core.ir.nodes import Arg, Block, Proc
from usl_core.ir.printer import Printer
from usl_core.ir.sym import Sym
from usl_core.ir.types import ControlType, ScalarType, TensorType

WIDTH = 120

_USED = re.compile(r"(?<![.>\w])[^\W\d]\w*")
"""Names in C text, but for the fields of structs."""
_NO_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:[^"\\\n]|\\.)*"', re.DOTALL)
"""Comments and strings."""


@dataclass(frozen=True, slots=True)
class Formal:
    """A formal in C: declaration `{type}{qualifier}{name}`, qualifier being `restrict ` in body functions or empty."""

    arg: Arg | None
    ctype: str
    name: str
    restrict: bool

    def declaration(self, body: bool) -> str:
        """How C declares it; body says that it is for the function behind the entry, which may be restrict."""
        return f"{self.ctype}{'restrict ' if body and self.restrict else ''}{self.name}"


def new_function(proc: Proc, unit: Unit, body: Block | None = None) -> Function:
    """The state of a function for proc: nothing bound yet, the ranges of its formals known.

    body is proc's, as it will be written.
    """
    taken = frozenset(unit.functions.values())
    ranges = dict(unit.ranges.get(proc, {}))
    written = written_names(proc.body if body is None else body)
    placed = unit.placed.get(proc, {})
    return Function(unit, Names(taken), ranges=ranges, label=proc.name, written=written, placed=placed)


def bind_formals(proc: Proc, fn: Function, *, trusted: bool = True) -> list[Formal]:
    """Names for the formals in order, bound in fn; control formals first, since extents mention them.

    trusted says that the assertions hold, so that strides which they fix are written as constants.
    """
    formals: list[Formal] = []
    if proc in fn.unit.contexts:
        fn.context = fn.names.fresh("ctx")
        formals.append(Formal(None, f"struct {fn.unit.name}_ctx *", fn.context, False))
    names = {arg.name: fn.names.fresh(arg.name.name) for arg in proc.args}
    for arg in proc.args:
        if isinstance(arg.type, ControlType):
            fn.controls[arg.name] = names[arg.name]
    known = known_strides(proc.preds) if trusted else {}
    written = written_formals(proc)
    for arg in proc.args:
        if is_placed(arg):
            formals += _bind_rows(arg, names[arg.name], known, fn)
        else:
            formals.append(_bind(arg, names[arg.name], arg.name in written, arg.name.name in proc.aliasable, known, fn))
    return formals


def _bind_rows(arg: Arg, name: str, known: dict[tuple[Sym, int], int], fn: Function) -> list[Formal]:
    """A formal in a memory of rows: the number of its first row; of a window, the strides that no assertion fixes too."""
    assert isinstance(arg.type, TensorType) and arg.mem is not None
    formals = [Formal(arg, "uint32_t ", name, False)]
    if not arg.type.window:
        strides = dense_strides([control(extent, fn) for extent in arg.type.shape])
    else:
        strides = ()
        for dim in range(len(arg.type.shape)):
            fixed = known.get((arg.name, dim))
            text = str(fixed) if fixed is not None else fn.names.fresh(f"{name}_stride{dim}")
            if fixed is None:
                formals.append(Formal(None, "int64_t ", text, False))
            strides = (*strides, C(text))
    fn.buffers[arg.name] = Buffer(name, arg.type.scalar, arg.mem, Place.DENSE, strides)
    return formals


def _bind(arg: Arg, name: str, written: bool, aliasable: bool, known: dict[tuple[Sym, int], int], fn: Function) -> Formal:
    unit, const = fn.unit, "" if written else "const "
    match arg.type:
        case ControlType() as typ:
            return Formal(arg, f"{control_spelling(typ)} ", name, False)
        case ScalarType() as scalar:
            assert arg.mem is not None
            fn.buffers[arg.name] = Buffer(name, scalar, arg.mem, Place.POINTER, const=not written)
            return Formal(arg, f"{const}{unit.ctype(scalar, arg.span)} *", name, not aliasable)
        case TensorType(scalar=scalar, shape=shape, window=False):
            assert arg.mem is not None
            strides = dense_strides([control(extent, fn) for extent in shape])
            fn.buffers[arg.name] = Buffer(name, scalar, arg.mem, Place.DENSE, strides, const=not written)
            return Formal(arg, f"{const}{unit.ctype(scalar, arg.span)} *", name, not aliasable)
        case TensorType(scalar=scalar, shape=shape):
            assert arg.mem is not None
            dims = range(len(shape))
            strides = tuple(C(str(known.get((arg.name, dim), f"{name}.strides[{dim}]"))) for dim in dims)
            fn.buffers[arg.name] = Buffer(name, scalar, arg.mem, Place.WINDOW, strides, const=not written)
            return Formal(arg, f"{unit.window(scalar, len(shape), not written, arg.span)} ", name, False)


def heading(result: str, name: str, formals: Sequence[str], prefix: str = "") -> str:
    """A function's declarator; one formal a line where it would be too long."""
    arguments = list(formals) or ["void"]
    line = f"{prefix}{result} {name}({', '.join(arguments)})"
    if len(line) <= WIDTH:
        return line
    return f"{prefix}{result} {name}(\n" + ",\n".join(f"{INDENT}{formal}" for formal in arguments) + ")"


def signature_comment(proc: Proc) -> str:
    """The procedure's formals and assertions in the object language, as a C comment."""
    printer = Printer()
    formals = ", ".join(printer.formal(arg) for arg in proc.args)
    lines = [f"{proc.name}({formals})", *(f"    assert {printer.expr(pred)}" for pred in proc.preds)]
    text = "\n".join(f" * {line}" for line in lines).replace("*/", "* /")
    return f"/*\n{text}\n */"


def body_function(proc: Proc, unit: Unit) -> str:
    """The function that does a procedure's work and trusts its arguments; notes in unit whether it can fail."""
    apart = separate_last(proc)
    body = apart.body
    fn = new_function(proc, unit, body)
    fn.reductions = reductions(apart)
    formals = bind_formals(proc, fn)
    fn.fences = fences_of(body)
    lines = scoped(body, fn, fn.fences)
    used = frozenset(_USED.findall(_NO_CODE.sub("", "\n".join(lines))))
    unused = [f"{INDENT}(void){formal.name};" for formal in formals if formal.name not in used]
    if fn.failed:
        unit.fallible.add(proc)
        lines.append(f"{INDENT}return 0;")
    head = heading("int" if fn.failed else "void", unit.functions[proc], [f.declaration(True) for f in formals], "static ")
    return "\n".join([signature_comment(proc), head, "{", *unused, *lines, "}"]) + "\n"
