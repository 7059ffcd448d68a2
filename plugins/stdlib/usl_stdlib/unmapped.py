"""Why `vectorize` finds no instruction for a statement, and what helps."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from usl_core.cursors import AssignCursor, IfCursor, ReadCursor, ReduceCursor
from usl_core.errors import SchedulingError
from usl_stdlib.expressions import mentions, text, window_text
from usl_stdlib.inspection import children, walk
from usl_stdlib.selection import Shape
from usl_stdlib.spreading import SELECT, reads_data
from usl_stdlib.symbolic import value_of


def no_instruction(stmt: Any, reasons: Sequence[str], lanes: str = "", shapes: Sequence[Shape] = ()) -> SchedulingError:
    """The refusal of a statement in the loop lanes, where the instructions at hand have the given shapes."""
    return SchedulingError(
        f"no instruction computes `{text(stmt)}` in all lanes",
        span=stmt.node.span,
        notes=[*reasons[:4], *_hints(stmt, reasons, lanes, shapes)],
        code="E461",
    )


def _hints(stmt: Any, reasons: Sequence[str], lanes: str, shapes: Sequence[Shape]) -> list[str]:
    if not isinstance(stmt, AssignCursor | ReduceCursor):
        return ["hint: add one"]
    around = stmt.parent()
    if isinstance(around, IfCursor) and reads_data(around.cond()):
        return [SELECT]
    accesses = [stmt, *[each for each in walk(stmt.rhs(), ReadCursor) if each.idx()]]
    for access in accesses:
        apart, shown = _distance(access, lanes), window_text(access.name(), access.idx())
        if apart is not None and any(f"`{shown}`" in reason or "replace:" in reason for reason in reasons):
            return [
                f"neighbouring lanes of `{shown}` are not neighbours in memory, but {apart} apart",
                "hint: vectorize another loop, or copy the part to a buffer with the lanes last (stage_mem, rearrange_dim)",
            ]
    unknown = next((found for each in reasons if (found := re.search(r"assertion stride\(\w+, \d+\) == 1", each))), None)
    if unknown is not None:
        wanted = " and ".join(
            f"assert stride({each.name()}, {len(each.idx()) - 1}) == 1" for each in accesses if each.idx() and _is_formal(each)
        )
        return [f"hint: {wanted} in the procedure, or specialize the loop for it"]
    types = {str(shape.target.type()) for shape in shapes}
    if shapes and str(stmt.type()) not in types:
        return [f"the given instructions of this width compute {', '.join(sorted(types))}, and this is {stmt.type()}"]
    operations = any(children(each) for each in walk(stmt.rhs()))
    return ["hint: add an instruction with this body, or cut the statement by rules" if operations else "hint: add one"]


def _is_formal(access: Any) -> bool:
    return any(arg.name() == access.name() and arg.is_tensor() for arg in access.proc().args())


def _distance(access: Any, lanes: str) -> str | None:
    """How far apart the elements are that neighbouring lanes access, in words; None if they are neighbours or not known."""
    idx = access.idx()
    for dim, each in enumerate(idx):
        if not lanes or not mentions(each, lanes):
            continue
        if dim < len(idx) - 1:
            return f"a step in dimension {dim}"
        value = value_of(each)
        step = value.coefficient(lanes) if value is not None else 1
        return None if step == 1 else f"{step} elements"
    return None
