"""What operators ask: whether a call was made before, by this process or another, and what it gave.

A call is told by the procedure, the operator and its arguments. A procedure is told by what it was made from and by which
calls, or, if it comes from a source, by its tree; so two that only look alike are told apart, as `call_eqv` must. What a call
gave is used where the procedure has the very tree that it had then. Arguments that have no digest, as a Python function,
make the call and all that follows one that is not remembered. Refusals are not kept.
"""

from __future__ import annotations

import pickle
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from usl_core.cursors.cursor import Cursor, InvalidCursor
from usl_core.cursors.path import ArgLoc, BlockLoc, Dead, GapLoc, Loc, NodeLoc
from usl_core.equivalence import Step
from usl_core.ir.config import Config
from usl_core.ir.memory import Memory
from usl_core.ir.nodes import Call, Proc
from usl_core.ir.traverse import walk_kinds
from usl_core.procedure import Procedure
from usl_core.store.coding import NOT_KEPT, Sources, Things, Version, read, read_forward, written, written_forward
from usl_core.store.shapes import Unknown, declaration, lineage, shape, spans, things
from usl_core.store.shelf import Shelf, shelf
from usl_core.store.stamps import digest, stamp, stamp_of

Shown = Callable[[], tuple[str | Callable[[], str], ...]]


@dataclass(frozen=True, slots=True)
class Asked:
    """A call of an operator on parent, by its digest. before is what is known of parent, with the sources of the code that the
    arguments bring; brought are the callees and declarations that they bring."""

    shelf: Shelf
    key: bytes
    parent: Procedure
    before: Version
    brought: Sequence[object]

    def recalled(self, operator: str, shown: Shown) -> Procedure | None:
        """What the call gave when it was made before, if that is known."""
        entry = self.shelf.get(self.key)
        if entry is None:
            return None
        try:
            old_shape, new_shape, forward, tree = pickle.loads(entry)
            if self.before.shape != old_shape:
                return None
            ir, new, rest = read(self.parent.ir, self.before, self.brought, tree)
        except Exception:  # whatever damage, or another version of what is kept: the call is made
            return None
        relation, seconds, proofs, modulo, fixed = rest
        step = Step(operator, shown(), relation, seconds, proofs, modulo, fixed)
        made = Procedure(ir, self.parent, step, read_forward(forward))
        made._version = self._next(new, new_shape)
        return made

    def keep(self, made: Procedure) -> None:
        """Remember what the call gave."""
        step = made._step
        rest = (step.relation, step.seconds, dict(step.proofs), step.modulo, step.fixed)
        try:
            tree, new = written(self.parent.ir, made.ir, self.before, self.brought, rest)
            new_shape = shape(made.ir)
        except (*NOT_KEPT, Unknown):
            return
        made._version = self._next(new, new_shape)
        try:
            forward = written_forward(made._lineage.forward)
        except NOT_KEPT:
            return
        self.shelf.put(self.key, pickle.dumps((self.before.shape, new_shape, forward, tree), 5))

    def _next(self, new: Sequence[object], new_shape: bytes) -> Version:
        before, new = self.before, (*self.brought, *new)
        things = before.things.after(before.count, new)
        return Version(self.key, things, before.count + len(new), before.sources, before.is_known, new_shape)


def asked(parent: Procedure, variant: str, module: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Asked | None:
    """A call of an operator, which a module defines; None if it cannot be remembered, or nothing is.

    variant names the function that is called.
    """
    kept = shelf()
    version = None if kept is None else version_of(parent)
    if kept is None or version is None:
        return None
    brought: list[object] = []
    try:
        told = (version.key, variant, [_told(each, brought) for each in args])
        named = [(name, _told(value, brought)) for name, value in sorted(kwargs.items())]
    except Unknown:
        return None
    code = stamp_of(module)
    if code is None:
        return None
    before, new, numbers = _with(version, brought) if brought else (version, (), [])
    return Asked(kept, digest((told, named, code, numbers)), parent, before, new)


def check_once(source: Procedure, check: Callable[[], None]) -> None:
    """Calls check, which raises what is wrong with a procedure from a source, unless it passed before."""
    kept = shelf()
    version = None if kept is None else version_of(source)
    if kept is None or version is None:
        check()
        return
    key = digest((version.key, "checked"))
    if kept.get(key) is None:
        check()
        kept.put(key, b"checked")


def _with(version: Version, brought: Sequence[object]) -> tuple[Version, tuple[object, ...], list[int | None]]:
    """version with the sources of callees that arguments bring into the tree, what they bring that it has not, and which number
    each has: an entry refers to all by number, and a callee that was read from an entry is a copy, which has another."""
    versions = [found for each in brought if isinstance(each, Procedure) and (found := version_of(each)) is not None]
    sources = version.sources.having(source for each in versions for source in each.sources.entries)
    inside = (each for one in versions for each in one.things.entries[: one.count] if isinstance(each, Proc))
    things = (*(each.ir if isinstance(each, Procedure) else each for each in brought), *inside)
    new = {id(thing): thing for thing in things if version.number(thing) is None}
    is_known = version.is_known and all(each.is_known for each in versions) and all(map(_is_known, new.values()))
    return replace(version, sources=sources, is_known=is_known), tuple(new.values()), [*map(version.number, things)]


def _told(value: Any, brought: list[object]) -> object:
    """What tells an argument from others; what it brings into the tree is added to brought.

    Raises:
        Unknown: it has no digest.
    """
    match value:
        case None | bool() | int() | float() | str():
            return value
        case list() | tuple():
            return (type(value).__name__, [_told(each, brought) for each in value])
        case InvalidCursor():
            raise Unknown
        case Cursor():
            return (type(value).__name__, _key(value.owner), _place(value.loc))
        case Procedure():
            brought.append(value)
            return ("procedure", _key(value))
        case Fraction():
            return ("number", str(value))
        case Config() | type():
            if isinstance(value, type) and not issubclass(value, Memory):
                raise Unknown
            brought.append(value)
            return declaration(value)
        case _:
            raise Unknown


def _key(owner: Any) -> bytes:
    version = version_of(owner) if isinstance(owner, Procedure) else None
    if version is None:
        raise Unknown
    return version.key


def _place(loc: Loc) -> object:
    match loc:
        case NodeLoc(path):
            return path
        case BlockLoc(parent, field, lo, hi):
            return (parent, field, lo, hi)
        case GapLoc(parent, field, index, side):
            return (parent, field, index, side)
        case ArgLoc(index):
            return index
        case Dead():
            raise Unknown


# ---- procedures


def version_of(procedure: Procedure) -> Version | None:
    """What is known of a procedure that calls may be remembered of; None if it has no digest."""
    if procedure._version is None and procedure._parent is None:
        procedure._version = _of_source(procedure)
    found: Version | None = procedure._version
    return found


_sources: dict[bytes, list[weakref.ref[Procedure]]] = {}
MANY = 1000
"""Above so many sources those that are gone are forgotten."""


def _of_source(procedure: Procedure) -> Version | None:
    """A procedure from a source is told by its tree. Two that are alike and alive are told apart by a number."""
    ir = procedure.ir
    try:
        numbers: dict[int, int] = {}
        found = list(things(ir))
        same = [numbers.setdefault(id(thing), len(numbers)) for thing in found]
        callees = [_callee(call.proc) for stmt in ir.body for call in walk_kinds(stmt, Call)]
        told = digest((stamp(), procedure._step.operator, shape(ir), same, [callee.key for callee in callees]))
    except (Unknown, RecursionError):
        return None
    if len(_sources) > MANY:
        for gone in [key for key, alike in _sources.items() if all(ref() is None for ref in alike)]:
            del _sources[gone]
    alike = _sources.setdefault(told, [])
    number = next((n for n, ref in enumerate(alike) if ref() is None), len(alike))
    alike[number : number + 1] = [weakref.ref(procedure)]
    unique = {id(thing): thing for thing in found}
    sources = Sources([tuple(spans(ir))]).having(source for callee in callees for source in callee.sources.entries)
    is_known = all(callee.is_known for callee in callees) and all(map(_is_known, unique.values()))
    return Version(digest((told, number)), Things(unique.values()), len(unique), sources, is_known, shape(ir))


def _callee(ir: Proc) -> Version:
    version = version_of(Procedure.procedure_of(None, ir))  # type: ignore[arg-type]  # it looks at the IR alone
    if version is None:
        raise Unknown
    return version


def _is_known(thing: object) -> bool:
    """Whether a version is known of all that decides what a declaration stands for in C; of other things nothing else does."""
    return not isinstance(thing, type) or all(stamp_of(each.__module__) is not None for each in lineage(thing))
