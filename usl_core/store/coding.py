"""A version of a procedure as bytes: what it is beside the one it was made from.

Kept are the smallest part of the tree that holds all that changed, the forwarding and the step of the history. What was there
before is not written but referred to: subtrees by where they are in the old tree, names and declarations by their place in a
list that begins with those of the source and grows with each version (`Version.things`), places in the source likewise, so
that a source that has moved down its file keeps what was made of it. New names become new names.
"""

from __future__ import annotations

import io
import pickle
import threading
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from usl_core.cursors.forward import Forward, identity
from usl_core.cursors.path import Path
from usl_core.equivalence import Step as HistoryStep
from usl_core.errors import NOWHERE, Span
from usl_core.ir.externs import BUILTINS, Extern
from usl_core.ir.memo import memo_of
from usl_core.ir.nodes import Node, NodeBase, Proc
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import Step, child_fields, fields_of, get_field, made_of, update
from usl_core.ir.types import SCALARS, ScalarType, TensorType
from usl_core.procedure import Procedure
from usl_core.records import dataclass

Source = tuple[Span, ...]
"""The places of a source's nodes."""
Reference = tuple[Path | None, str | int, int | None, int | None]
"""Entries lo..hi-1 of a field of the old node at a path, or without a path of the places of the source with that number."""

NOT_KEPT = (pickle.PicklingError, TypeError, AttributeError, RecursionError)
"""Raised by what cannot be written."""


_growing = threading.Lock()


class Things:
    """Names, callees and declarations in an order. Along a line of versions there is one list that grows; each version knows
    the beginning that was there when it was made."""

    __slots__ = ("entries", "numbers")

    def __init__(self, entries: Iterable[object]) -> None:
        self.entries: list[object] = []
        self.numbers: dict[int, int] = {}
        self._add(entries)

    def _add(self, new: Iterable[object]) -> None:
        for thing in new:
            self.numbers.setdefault(id(thing), len(self.entries))
            self.entries.append(thing)

    def after(self, count: int, new: Sequence[object]) -> Things:
        """The first count entries, and then new."""
        if not new:
            return self
        with _growing:
            grown = self if len(self.entries) == count else Things(self.entries[:count])
            grown._add(new)
            return grown


class Sources:
    """The sources that code comes from, each with the places of its nodes in order."""

    __slots__ = ("entries", "places")

    def __init__(self, entries: Sequence[Source]) -> None:
        self.entries = entries
        self.places: dict[int, Reference] = {}

    def having(self, others: Iterable[Source]) -> Sources:
        """These and others, each once."""
        known = {id(source) for source in self.entries}
        new = {id(source): source for source in others if id(source) not in known}
        return Sources((*self.entries, *new.values())) if new else self

    def referring(self) -> dict[int, Reference]:
        """References to the places, by their identity."""
        if not self.places:
            spans = ((n, i, span) for n, source in enumerate(self.entries) for i, span in enumerate(source))
            for number, index, span in spans:
                self.places.setdefault(id(span), (None, number, index, None))
        return self.places


@dataclass(frozen=True, slots=True)
class Version:
    """What is known of a procedure that calls may be remembered of.

    key tells it from others; the first count of things are those that its tree may hold. is_known says that a version is known
    of all that is declared in it, so that C may be kept. shape is the digest of its tree.
    """

    key: bytes
    things: Things
    count: int
    sources: Sources
    is_known: bool
    shape: bytes

    def number(self, thing: object) -> int | None:
        """The position of a thing."""
        number = self.things.numbers.get(id(thing))
        return number if number is not None and number < self.count else None


# ---- writing


def written(old: Proc, new: Proc, before: Version, brought: Sequence[object], extra: object) -> tuple[bytes, list[object]]:
    """new and extra as bytes, for whoever has old, which is the version before, and what arguments brought; and the names and
    callees that are new.

    Raises:
        one of NOT_KEPT.
    """
    site, was, now = _site(old, new)
    references = {**before.sources.referring(), id(NOWHERE): (None, -1, None, None)}
    _refer(was, now, (), references)
    buffer = io.BytesIO()
    writer = _Writer(buffer, before, brought, references, now)
    writer.dump((now if now is not was else None, writer.new_callees, extra))
    head = (site, [sym.name for sym in writer.new_names], _runs(writer.referred))
    return pickle.dumps(head, 5) + buffer.getvalue(), [*writer.new_names, *writer.new_callees]


def _site(old: Node, new: Node) -> tuple[Path, Node, Node]:
    """The path to the smallest subtree that holds all that differs, and what is there."""
    path: list[Step] = []
    while (step := _only_change(old, new)) is not None:
        path.append(step)
        old, new = _at(old, step), _at(new, step)
    return tuple(path), old, new


def _only_change(old: Node, new: Node) -> Step | None:
    """The step to the one child that differs, if nothing else does."""
    if type(old) is not type(new) or old is new:
        return None
    many = {name: several for name, several in child_fields(old) if name != "shape"}
    found: Step | None = None
    for name in (field for field in type(old).__dataclass_fields__ if field != "memo"):
        before, after = getattr(old, name), getattr(new, name)
        if before is after:
            continue
        if name not in many or found is not None:
            return None
        if not many[name]:
            found = (name, None)
            continue
        if len(before) != len(after):
            return None
        changed = [index for index, (left, right) in enumerate(zip(before, after, strict=True)) if left is not right]
        if len(changed) != 1:
            if changed:
                return None
            continue
        found = (name, changed[0])
    return found


def _refer(old: Node, new: Node | None, path: Path, found: dict[int, Reference]) -> None:
    """Adds references to what is below old, as far as new may hold parts of it: all of it, where new is not known to be old's
    successor."""
    typ = getattr(old, "type", None)
    if isinstance(typ, TensorType):
        found.setdefault(id(typ), (path, "type", None, None))
    match = new if new is not None and type(new) is type(old) else None
    for name, many in child_fields(old):
        inner = get_field(old, name)
        after = () if match is None else get_field(match, name)
        if not many:
            inner, after = (inner,), (after,) if match is not None else ()
        kept = {id(child) for child in after}
        successors = len(inner) == len(after)
        for index, child in enumerate(inner):
            at: Reference = (path, name, index if many else None, None)
            if id(child) in found:
                continue
            found[id(child)] = at
            if id(child) not in kept:
                step = (name, index if many else None)
                _refer(child, after[index] if successors else None, (*path, step), found)


def _runs(references: Iterable[Reference]) -> list[Reference]:
    """References with neighbours joined."""
    found: list[Reference] = []
    for path, field, index, _ in references:
        if found and index is not None and found[-1][:2] == (path, field) and found[-1][3] == index:
            found[-1] = (path, field, found[-1][2], index + 1)
        else:
            found.append((path, field, index, None if index is None else index + 1))
    return found


class _Writer(pickle.Pickler):
    def __init__(
        self, buffer: io.BytesIO, before: Version, brought: Sequence[object], references: dict[int, Reference], root: Node
    ) -> None:
        super().__init__(buffer, 5)
        self.root = root
        self.numbers, self.count, self.references = before.things.numbers, before.count, references
        self.brought = {id(thing): before.count + number for number, thing in enumerate(brought)}
        self.first_new = before.count + len(brought)
        self.new_names: list[Sym] = []
        self.new_numbers: dict[Sym, int] = {}
        self.new_callees: list[Proc] = []
        self.referred: list[Reference] = []
        self.referred_numbers: dict[int, int] = {}

    def persistent_id(self, thing: Any) -> int | None:
        """Things by their number, new names by the numbers after these; what is referred to by -1, -2, ..."""
        number = self.numbers.get(id(thing))
        if number is not None and number < self.count:
            return number
        number = self.brought.get(id(thing))
        if number is not None:
            return number
        if type(thing) is Sym:
            if thing not in self.new_numbers:
                self.new_numbers[thing] = self.first_new + len(self.new_names)
                self.new_names.append(thing)
            return self.new_numbers[thing]
        reference = self.references.get(id(thing))
        if reference is None:
            return None
        if id(thing) not in self.referred_numbers:
            self.referred.append(reference)
            self.referred_numbers[id(thing)] = -len(self.referred)
        return self.referred_numbers[id(thing)]

    def reducer_override(self, thing: Any) -> Any:
        """How nodes, and what they hold, are written."""
        match thing:
            case Proc() if thing is not self.root:
                callee: Procedure | None = memo_of(thing).get(Procedure)
                if callee is None or callee._parent is not None:
                    raise pickle.PicklingError("a callee that is not known, nor new")
                self.new_callees.append(thing)
                return _callee, (callee._step.operator, *fields_of(thing))
            case NodeBase():
                return _node, (type(thing), *fields_of(thing))  # type: ignore[arg-type]
            case TensorType():
                return TensorType, (thing.scalar, thing.shape, thing.window)
            case ScalarType() if SCALARS.get(thing.name) is thing:
                return _scalar, (thing.name,)
            case Span():
                return Span, (thing.file, thing.line, thing.column, thing.end_line, thing.end_column, thing.way)
            case Fraction():
                return Fraction, (thing.numerator, thing.denominator)
            case Extern() if BUILTINS.get(thing.name) is thing:
                return _extern, (thing.name,)
        return NotImplemented


def _node(kind: type[Any], *values: Any) -> Any:
    return made_of(kind, values)


def _callee(operator: str, *values: Any) -> Proc:
    made = made_of(Proc, values)
    Procedure(made, None, HistoryStep(operator), None)
    return made


def _scalar(name: str) -> ScalarType:
    return SCALARS[name]


def _extern(name: str) -> Extern:
    return BUILTINS[name]


# ---- reading


class _Reader(pickle.Unpickler):
    """Reads what refers to the entries of table by number."""

    def __init__(self, file: io.BytesIO, table: Sequence[Any]) -> None:
        super().__init__(file)
        self.table = table

    def persistent_load(self, number: int) -> Any:
        """What the number stands for."""
        return self.table[number]


def read(old: Proc, before: Version, brought: Sequence[object], kept: bytes) -> tuple[Proc, list[object], Any]:
    """The new tree, its new names and callees, and what was written with it."""
    buffer = io.BytesIO(kept)
    site, names, references = pickle.load(buffer)
    spine: list[Any] = [old]
    for step in site:
        spine.append(_at(spine[-1], step))
    new_names = [Sym(name) for name in names]
    referred = _referred(spine[-1], references, before.sources.entries)
    table = [*before.things.entries[: before.count], *brought, *new_names, *referred[::-1]]
    node, new_callees, extra = _Reader(buffer, table).load()
    new = [*new_names, *new_callees]
    if node is None:
        return old, new, extra
    for (field, index), owner in zip(reversed(site), reversed(spine[:-1]), strict=True):
        if index is not None:
            entries = getattr(owner, field)
            node = (*entries[:index], node, *entries[index + 1 :])
        node = update(owner, **{field: node})
    return node, new, extra


def _referred(site: Node, references: Iterable[Reference], sources: Sequence[Source]) -> list[Any]:
    found: list[Any] = []
    for path, field, lo, hi in references:
        if path is None:
            found += [NOWHERE] if lo is None else sources[field][lo:hi]  # type: ignore[index]
            continue
        node = site
        for step in path:
            node = _at(node, step)
        inner: Any = getattr(node, field) if field == "type" else get_field(node, str(field))
        found += [inner] if lo is None else inner[lo:hi]
    return found


def _at(node: Node, step: Step) -> Any:
    field, index = step
    inner = get_field(node, field)
    return inner if index is None else inner[index]


# ---- forwarding


def written_forward(forward: Forward) -> bytes | None:
    """A forwarding as bytes; None is that of an edit that moves nothing.

    Raises:
        one of NOT_KEPT.
    """
    return None if forward is identity else pickle.dumps(forward, 5)


class Kept:
    """A forwarding that was kept; it is read when it is first asked."""

    __slots__ = ("_bytes", "_forward")

    def __init__(self, kept: bytes) -> None:
        self._bytes = kept
        self._forward: Forward | None = None

    def __call__(self, loc: Any) -> Any:
        if self._forward is None:
            self._forward = pickle.loads(self._bytes)
        return self._forward(loc)

    def __reduce__(self) -> Any:
        return pickle.loads, (self._bytes,)


def read_forward(kept: bytes | None) -> Forward:
    """The forwarding."""
    return identity if kept is None else Kept(kept)
