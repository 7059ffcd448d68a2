"""What stands behind the dot after a value: its fields and methods, and the message where there is no such thing."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping

from usl_core.errors import Span
from usl_perceus.errors import PerceusError
from usl_perceus.front.definitions import DataDef, Scope
from usl_perceus.front.resolve import constructors, function_of
from usl_perceus.front.types import ARRAY, REF, App, Meta, Type, show

ARRAY_METHODS = {"set": 2, "swap": 2, "take": 1, "modify": 2, "append": 1, "pop": 0, "truncate": 1}
CELL_METHODS = {"swap": 1, "take": 0, "modify": 1}
"""The methods of arrays and of cells, each with the number of its arguments."""

INSTEAD = {
    "enumerate": "for i in range(len(a)), and a[i]",
    "zip": "for i in range(len(a)), and a[i] with b[i]",
    "reversed": "for i in range(len(a) - 1, -1, -1), and a[i]",
    "sum": "for x in a: total += x",
    "any": "a loop that returns True, or lists.any of usl_perceus.std",
    "all": "a loop that returns False, or lists.all of usl_perceus.std",
    "sorted": "sorting.sort and sorting.sort_array of usl_perceus.std",
    "list": "List of usl_perceus.std.lists, or an array: [] and a.append(x)",
    "dict": "HashMap of usl_perceus.std.hashmaps, or Map of usl_perceus.std.maps",
    "set": "HashSet of usl_perceus.std.hashsets, or Set of usl_perceus.std.sets",
}
"""What to write for functions of Python that the language does not have."""


def is_open(data: DataDef, scope: Scope) -> bool:
    """Whether what stands in scope may look into its values. Where fields do not tell what a value is, only its package may."""
    return not data.abstract or scope.same_package(data.scope)


def require_open(data: DataDef, scope: Scope, span: Span) -> None:
    """Refuses a constructor of a data type that is closed there.

    Raises:
        PerceusError: with its methods.
    """
    if not is_open(data, scope):
        hint = _listed(_methods(data), "method")
        raise PerceusError(f"only functions of its own look into a {data.name}", span=span, notes=(hint,), code="E711")


def missing(owner: Type, name: str, span: Span, scope: Scope, *, called: bool = False) -> PerceusError:
    """The error for `owner.name`; called: for `owner.name(...)`."""
    if isinstance(owner, Meta):
        notes = ["hint: the type is not known here; give it to a variable: p: P = ..."]
        return _error(owner, name, span, {}, notes, called)
    fields: list[str] = []
    methods: list[str] = []
    notes = []
    if isinstance(owner, App) and isinstance(owner.head, DataDef):
        cons = constructors(owner.head)
        methods = _methods(owner.head)
        if is_open(owner.head, scope):
            fields = list(dict.fromkeys(field for con in cons for field in con.names))
            without = [con.name for con in cons if name not in con.names]
            if name in fields:
                notes.append(f"hint: {', '.join(without)} has no such field; match takes values apart")
                return _error(owner, name, span, {}, notes, called)
            if not fields and any(con.fields for con in cons):
                notes.append("hint: fields are taken out by match")
            if fields and "set" not in methods:
                methods = [*methods, "set"]
    elif isinstance(owner, App) and owner.head == ARRAY:
        methods = sorted(ARRAY_METHODS)
    elif isinstance(owner, App) and owner.head == REF:
        fields, methods = ["value"], sorted(CELL_METHODS)
    if fields:
        notes.append(_listed(fields, "field"))
    if methods and not (isinstance(owner, App) and isinstance(owner.head, DataDef) and scope.same_package(owner.head.scope)):
        notes.append(_listed(methods, "method"))
    near = {each: f"{each}()" for each in methods} | ({} if called else {each: each for each in fields})
    return _error(owner, name, span, near, notes, called)


def _error(owner: Type, name: str, span: Span, near: Mapping[str, str], notes: Iterable[str], called: bool) -> PerceusError:
    """near: what there is, and how it is written."""
    close = difflib.get_close_matches(name, list(near), 1)
    hint = f"; did you mean {near[close[0]]}?" if close else ""
    what = "method" if called else "attribute"
    return PerceusError(f"a value of type {show(owner)} has no {what} {name}{hint}", span=span, notes=tuple(notes), code="E711")


def _listed(names: Iterable[str], what: str) -> str:
    listed = list(names)
    return (
        f"hint: its {what}s are {', '.join(listed)}"
        if len(listed) > 1
        else f"hint: its {what} is {listed[0]}"
        if listed
        else f"hint: it has no {what}s"
    )


def _methods(data: DataDef) -> list[str]:
    """The public functions of its module that take a value of it first."""
    return sorted(name for name in data.scope.names() if function_of(App(data, ()), name) is not None)
