"""Why a size is not known before its array: the statements that give it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from usl_core.errors import NOWHERE, Span
from usl_core.ir.sym import Sym
from usl_soac import core
from usl_soac.core import Part, Statement
from usl_soac.elaborate import Elaborated
from usl_soac.sizes import Term
from usl_soac.traverse import used_by_statement


@dataclass(frozen=True, slots=True)
class Reason:
    """A place, and what it does to a size."""

    span: Span
    text: str


def why_with_result(done: Elaborated, dim: Term) -> tuple[Reason, ...]:
    """What gives a size that is no term over the parameters: each statement that it comes from, the last one first."""
    defined = {param.name: each for each in done.body.statements for param in each.pattern}
    found: dict[Reason, None] = {}
    seen: set[Sym] = set()
    open_ = sorted(dim.names())
    while open_:
        sym = open_.pop(0)
        statement = defined.get(sym)
        if statement is None or sym in seen:
            continue
        seen.add(sym)
        text = _does(statement)
        if text is not None:
            found[Reason(span_of(statement), text)] = None
        else:
            open_ += sorted(used_by_statement(statement))
    return tuple(found)


def span_of(statement: Statement) -> Span:
    return statement.span if statement.span is not NOWHERE else statement.value.span


def _does(statement: Statement) -> str | None:
    """What a statement has to do with the sizes that it gives, None for scalar code that they pass through."""
    match statement.value:
        case core.Filter():
            return "filter keeps as many rows as its predicate says"
        case core.Map(sizes=sizes) if sizes:
            return "the function of the map gives its sizes with its result: those of the first element"
        case core.Loop():
            return "each round of the loop changes the size"
        case core.Call(function=function, part=Part.EXT):
            return f"{function} returns its sizes with its result"
        case core.Call(function=function):
            return f"{function} computes it"
        case core.Index() | core.Reduce():
            return "it depends on elements"
        case core.If(then=then, orelse=orelse):
            inside = (_does(each) for body in (then, orelse) for each in body.statements)
            return next((text for text in inside if text is not None), None)
        case _:
            return None


def explained_dimensions(done: Elaborated) -> Sequence[str]:
    """A line for each dimension of the results, and why where it is not in the type."""
    lines = []
    for position, (dims, terms) in enumerate(zip(done.dims, done.terms, strict=True)):
        for d, (dim, term) in enumerate(zip(dims, terms, strict=True)):
            which = f"dimension {d}" + (f" of result {position}" if len(done.dims) > 1 else "")
            if term is not None:
                lines.append(f"{which} is {term}")
                continue
            lines.append(f"{which} is no term over the parameters")
            lines += [f"    {reason.span}: {reason.text}" for reason in why_with_result(done, dim)]
    return lines
