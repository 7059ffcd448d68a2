"""An instruction's C template by itself, as a function that a test can call.

Every formal becomes a pointer (data) or an `int64_t` (control). What lives in a vector register is loaded before the template
and stored after it with memcpy, so that the harness needs no instruction of its own.
"""

from __future__ import annotations

from collections.abc import Sequence

from usl_avx512.memories import _VectorRegister
from usl_core import Procedure
from usl_core.errors import NOWHERE
from usl_core.ir.nodes import Arg
from usl_core.ir.template import fill
from usl_core.ir.types import ControlType, TensorType, scalar_of

CTYPES = {
    "f32": "float",
    "f64": "double",
    "bf16": "uint16_t",
    "b8": "uint8_t",
    **{f"{sign}{bits}": f"{'u' * (sign == 'u')}int{bits}_t" for sign in "iu" for bits in (8, 16, 32, 64)},
}


def is_register(arg: Arg) -> bool:
    return arg.mem is not None and issubclass(arg.mem, _VectorRegister)


def wrapper(instruction: Procedure) -> str:
    """A C function `run_NAME` that executes the template once."""
    ir = instruction.ir
    assert ir.instr is not None
    formals, before, after, text = [], [], [], {}
    for arg in ir.args:
        name = arg.name.name
        if isinstance(arg.type, ControlType):
            formals.append(f"int64_t {name}")
            before.append(f"(void){name};")  # an extent of an operand, which the template need not name
            text[name, None] = name
            continue
        ctype = CTYPES[scalar_of(arg.type).name]
        formals.append(f"{ctype} *{name}")
        text[name, "ptr"] = name
        text[name, "stride0"] = "32"
        if is_register(arg):
            assert arg.mem is not None
            shape = [str(extent.value) for extent in arg.type.shape]  # type: ignore[union-attr]
            before += [arg.mem.alloc(f"{name}_r", ctype, shape, NOWHERE), f"memcpy(&{name}_r, {name}, sizeof {name}_r);"]
            after += [f"memcpy({name}, &{name}_r, sizeof {name}_r);"]
            text[name, None] = arg.mem.window(f"{name}_r", ctype, ["0"] * len(shape), ["1"] * len(shape), NOWHERE)
        elif not isinstance(arg.type, TensorType):
            text[name, None] = f"*{name}"
    body = fill(ir.instr.template, lambda name, attribute, delimited: text[name, attribute])
    lines = "\n".join(f"    {line}" for line in [*before, body, *after])
    return f"void run_{ir.name}({', '.join(formals)})\n{{\n{lines}\n}}\n"


def source(instructions: Sequence[Procedure]) -> str:
    """A C file with the wrapper of each instruction."""
    templates = [i.ir.instr for i in instructions if i.ir.instr is not None]
    includes = dict.fromkeys(header for t in templates for header in t.includes)
    shared = dict.fromkeys(t.c_global for t in templates if t.c_global)
    head = ["#include <stdint.h>", "#include <string.h>", *(f"#include <{header}>" for header in includes)]
    prototypes = [wrapper(i).partition("\n")[0] + ";" for i in instructions]
    return "\n".join([*head, *shared, *prototypes, "", *map(wrapper, instructions)])
