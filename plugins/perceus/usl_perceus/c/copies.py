"""The C of blocks that are copied if they are shared (`copying.py`)."""

from __future__ import annotations

from usl_perceus.c import counts
from usl_perceus.c.frame import Frame
from usl_perceus.c.types import identifier
from usl_perceus.c.unit import INDENT
from usl_perceus.ir import CopyToken, DecRef, Dup, IfUnique, Op, TakeToken, Var


def copy_with_token(op: Op) -> Var | None:
    """The token, if op makes it of a block or its copy and does nothing else in the one case."""
    match op:
        case IfUnique(unique=(TakeToken(token=token),), shared=(*_, CopyToken(), DecRef())):
            return token
        case _:
            return None


def own(op: IfUnique, frame: Frame) -> str:
    """The block that op tests, or a copy if it is shared."""
    name = frame.variables[op.var]
    return f"usl_is_unique({name}) ? {name} : {copied(op, frame)}"


def copied(op: IfUnique, frame: Frame) -> str:
    """A call of a function that does what is to be done to a shared block. Out of line it takes no registers from what lives
    over calls; a function without calls has them to spare."""
    con, types, unit = frame.constructed[op.var], frame.unit.types, frame.unit
    record = types.constructor(con)
    dups = [frame.fields[inner.var] for inner in op.shared if isinstance(inner, Dup)]

    def write(name: str) -> str:
        linkage = "inline" if frame.loop_only else "USL_NOINLINE"
        lines = [f"static {linkage} usl_value {name}(usl_value block, const char *site USL_UNUSED, usl_context *ctx)", "{"]
        for i in dups:
            type = con.fields[i][1]
            lines.append(f"{INDENT}{types.declaration(type, f'f{i}')} = {types.load(record, 'block', i, type)};")
            lines += [INDENT + line for line in counts.dup(types, type, f"f{i}")]
        lines.append(f"{INDENT}usl_value copy = usl_copy(block, {unit.header(record)}, site, ctx);")
        return "\n".join([*lines, f"{INDENT}usl_decref(block, ctx);", f"{INDENT}return copy;", "}"])

    all_counted = dups == [i for i, (_, type) in enumerate(con.fields) if types.is_counted(type)]
    which = "" if all_counted else "".join(f"_{i}" for i in dups)
    wanted = f"copied_{identifier(con.data)}_{identifier(con.name)}{which}"
    helper = unit.helper(f"copied {con.data} {con.name} {frame.loop_only}", wanted, write)
    return f"{helper}({frame.variables[op.var]}, USL_SITE({unit.site(op.span)}), ctx)"
