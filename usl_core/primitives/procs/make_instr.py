"""make_instr: a procedure becomes an instruction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from usl_core.cursors.edit import Edit
from usl_core.ir.nodes import InstrTemplate
from usl_core.ir.template import check_template
from usl_core.primitives.base import edit_of, primitive, refuse, require
from usl_core.primitives.locate import parsed
from usl_core.procedure import Procedure


@primitive(control=True)
def make_instr(
    proc: Procedure,
    template: str,
    *,
    includes: Sequence[str] = (),
    features: Sequence[str] = (),
    c_global: str = "",
    roundings: int | None = None,
    special: Literal["ieee", "unspecified"] = "ieee",
    subnormals: Literal["kept", "flushed"] = "kept",
    implicit: Sequence[str] = (),
    fence: str = "",
) -> Edit:
    """Declare that a C text does what a procedure says, as the decorator `@instr` does.

        @proc                        @instr("relu({n}, {x.ptr});")
        def relu(n: size, ...)  ~>   def relu(n: size, ...)

    template is a `str.format` text over the formals, `{n}`, `{x}`, `{x.ptr}`, `{x.stride0}`; the other arguments are those of
    `@instr`. That the text does it is taken on trust, as with every instruction.

    Raises:
        SchedulingError: template names something that is not a formal, or the procedure is an instruction already.
    Forwarding: every cursor stays.
    """
    if proc.is_instr():
        hint = "hint: start from the procedure that it was made from"
        refuse(f"{proc.name()} is an instruction already", proc.ir.span, [hint], code="E422")

    require(roundings is None or roundings >= 0, f"roundings is None (exact) or a number of roundings, got {roundings!r}")
    parsed(lambda: check_template(proc.ir.args, template, proc.ir.span))

    several = tuple(implicit), fence
    info = InstrTemplate(template, tuple(includes), tuple(features), c_global, roundings, special, subnormals, *several)
    return edit_of(proc).update_proc(instr=info)
