"""Which maps of a kernel are computed where their elements are read, so that their results are never stored."""

from __future__ import annotations

from usl_core.ir.sym import Sym
from usl_soac import core
from usl_soac.core import Body, Statement
from usl_soac.kernel_uses import Uses
from usl_soac.traverse import walk


def is_elementwise(expr: core.Map) -> bool:
    """Whether each element of the result is computed alone."""
    body = expr.function.body
    if len(body.results) != 1 or expr.sizes or any(map(_is_by_itself, walk(body))):
        return False
    if len(body.statements) == 1 and isinstance(body.statements[0].value, core.Map):
        return is_elementwise(body.statements[0].value)
    return not any(param.type.dims for each in body.statements for param in each.pattern)


def _is_by_itself(statement: Statement) -> bool:
    """Tests are made whether elements are read or not, and loops that end by data in many lanes at once."""
    return isinstance(statement.value, core.Assert) or ends_by_data(statement)


SPECULATED = 8
"""So many operations are done although their results may not be needed, where that saves a branch."""
_PARTIAL = frozenset(("//", "%", "**"))


def is_total_operation(expr: core.Op) -> bool:
    """Whether it cannot fail."""
    return expr.op not in _PARTIAL or expr.operand.is_real


def is_little(body: Body) -> bool:
    """Whether it is a little arithmetic on scalars that cannot fail."""
    return len(body.statements) <= SPECULATED and all(
        isinstance(each.value, core.Copy) or (isinstance(each.value, core.Op) and is_total_operation(each.value))
        for each in body.statements
    )


def ends_by_data(statement: Statement) -> bool:
    """Whether it is a loop whose rounds depend on what it computes."""
    return isinstance(statement.value, core.Loop) and statement.value.condition is not None


def read_whole(body: Body, uses: Uses) -> set[Statement]:
    """The maps in a body that give elements, all of which one other function over arrays reads."""
    readers: dict[Sym, Statement] = {}
    for statement in body.statements:
        if isinstance(statement.value, core.Map | core.Reduce | core.Scan):
            readers.update((each, statement) for each in statement.value.arrays)
    found = set()
    for each in body.statements:
        if not isinstance(each.value, core.Map) or each.value.sizes or not each.pattern:
            continue
        if any(map(ends_by_data, walk(each.value.function.body))):
            continue
        reader = readers.get(each.pattern[0].name)
        if reader is None or any(readers.get(param.name) is not reader for param in each.pattern):
            continue
        if not all(len(param.type.dims) == 1 and uses.once(param.name) for param in each.pattern):
            continue
        if is_strict(reader) or not any(isinstance(inner.value, core.Assert) for inner in walk(each.value.function.body)):
            found.add(each)
    return found


def is_strict(statement: Statement | None) -> bool:
    """Whether it reads all rows of its arrays wherever it stands."""
    return statement is not None and isinstance(statement.value, core.Reduce | core.Scan)
