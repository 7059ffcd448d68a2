"""Arrays that a loop of outer code carries and a kernel makes anew in each round: where the next round's are written.

A kernel cannot write where it reads, so there is a second array, and the two are swapped. Where the array that the loop begins
with is needed afterwards, by the body itself, behind the loop, or by the next round of a loop around it, there is a third:

    now, spare, other = start, a, b
    first round:  now, spare, other = kernel(now, …) in spare, other, now
    any other:    now, spare        = kernel(now, …) in spare, now

Nothing is copied, and of three arrays each is always one of the names. All are made before the outermost loop if their size is
known there. What other holds is free for the next time if the array of a loop around becomes what this loop gives; if nothing
of a later round needs what this loop gives, that is, as other is it from then on. Where neither holds, an array that is still
needed is found to be shared when it is to be written, and another is made then: that costs time, and is never wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from usl_core.ir.sym import Sym
from usl_soac import core
from usl_soac.core import Atom, Param, Type
from usl_soac.outer_frame import Frame, Value
from usl_soac.regions import KERNELS
from usl_soac.views import View


@dataclass(frozen=True, slots=True)
class Buffers:
    """The names of the arrays beside one that is carried."""

    spare: str
    other: str | None


def buffers(expr: core.Loop, pattern: Sequence[Param], targets: Sequence[Value], frame: Frame) -> dict[str, Buffers]:
    """By the name of a carried array, those beside it: for arrays of a size that stays, made by a kernel in each round."""
    if frame.uses is None:
        return {}
    made = {param.name: statement.value for statement in expr.body.statements for param in statement.pattern if param.type.dims}
    inside = {other.name for other in expr.params} | {expr.index.name if expr.index else None}
    found: dict[str, Buffers] = {}
    for param, start, target, result, after in zip(expr.params, expr.initial, targets, expr.body.results, pattern, strict=True):
        if not isinstance(target, View) or not isinstance(result, Sym) or not isinstance(made.get(result), KERNELS):
            continue
        sizes = {sym for dim in param.type.dims if dim is not None for sym in dim.names()}
        if sizes & inside or expr.body.results.count(result) > 1:
            continue
        spare = _made("spare", param.type, target, frame)
        other = _made("other", param.type, target, frame) if _is_needed_later(start, frame) else None
        if other is not None and after.name not in frame.kept:
            frame.at_end_of_round(other, target.base)
        found[target.base] = Buffers(spare, other)
        frame.spares[result] = spare
    return found


def _made(name: str, typ: Type, like: View, frame: Frame) -> str:
    dims = [dim for dim in typ.dims if dim is not None]
    made = frame.made_before_loops(name, typ.scalar, dims)
    return made if made is not None else frame.made(name, typ.scalar, like.dims, blank=True).base


def _is_needed_later(start: Atom, frame: Frame) -> bool:
    """Whether the array that a loop begins with may be needed in the loop or after it, and cannot be overwritten."""
    assert isinstance(start, Sym) and frame.uses is not None
    view = frame.view(start)
    names = [sym for sym, value in frame.values.items() if isinstance(value, View) and value.base == view.base]
    # Each name but the first was made of another, which is a use of that.
    uses = sum(frame.uses.count[sym] for sym in names) - (len(names) - 1)
    return uses > 1 or any(sym in frame.uses.repeated or sym in frame.lent for sym in names) or frame.is_scratch(view.base)


def swap(
    targets: Sequence[Value], results: Sequence[Value], beside: Mapping[str, Buffers], is_first: str, frame: Frame
) -> None:
    """The end of a round: what is carried becomes the results, what was written into next is free; is_first: a test."""
    results = [frame.whole(each) if isinstance(each, View) else each for each in results]
    swapped = [target for target in targets if isinstance(target, View) and target.base in beside]
    spares = [replace(each, base=beside[each.base].spare) for each in swapped]
    thirds = {each.base: replace(each, base=other) for each in swapped if (other := beside[each.base].other) is not None}
    if not thirds:
        frame.assign([*targets, *spares], [*results, *swapped])
        return
    with frame.block(f"if {is_first}"):
        free = [thirds.get(each.base, each) for each in swapped]
        starts = [each for each in swapped if each.base in thirds]
        frame.assign([*targets, *spares, *thirds.values()], [*results, *free, *starts])
    with frame.block("else"):
        frame.assign([*targets, *spares], [*results, *swapped])
