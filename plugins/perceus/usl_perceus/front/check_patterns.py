"""Checking patterns: constructors are looked up, variables get types, matches are exhaustive and without redundant cases."""

from __future__ import annotations

from collections.abc import Sequence

from usl_core.errors import Span
from usl_perceus.errors import PerceusError
from usl_perceus.front import patterns as pt
from usl_perceus.front import syntax as sx
from usl_perceus.front.builtins import EXCEPTIONS
from usl_perceus.front.definitions import (
    MISSING,
    ConDef,
    DataDef,
    ExceptionDef,
    Scope,
    definition,
    unknown,
)
from usl_perceus.front.expressions import bare_constructor
from usl_perceus.front.inference import Inference
from usl_perceus.front.members import require_open
from usl_perceus.front.resolve import constructors, exception_fields, lookup
from usl_perceus.front.types import BOOL, TUPLE, App, Meta, Type, resolve, substitute

Binds = dict[str, Type]


class Patterns(Inference):
    """Patterns against types."""

    def pattern(self, node: sx.Pattern, type_: Type, binds: Binds) -> pt.Resolved:
        """The pattern with its constructors looked up; its variables are added to binds."""
        match node:
            case sx.WildcardPattern():
                return pt.Any((), node.span)
            case sx.NamePattern(name=name):
                self._refuse_constructor(name, type_, node.span)
                _bind(name, type_, node.span, binds)
                return pt.Any((name,), node.span)
            case sx.AsPattern(pattern=inner, name=name):
                found = self.pattern(inner, type_, binds)
                _bind(name, type_, node.span, binds)
                return _named(found, name)
            case sx.LiteralPattern(value=value):
                self.expect(type_, BOOL if isinstance(value, bool) else self.literal(node), node.span)
                head = pt.BoolHead(value) if isinstance(value, bool) else pt.LiteralHead(value)
                return pt.Construct(head, (), (), node.span)
            case sx.TuplePattern(items=items):
                parts: tuple[Type, ...] = tuple(Meta() for _ in items)
                self.expect(type_, App(TUPLE, parts), node.span)
                resolved = tuple(self.pattern(item, part, binds) for item, part in zip(items, parts, strict=True))
                return pt.Construct(pt.TupleHead(len(items)), resolved, (), node.span)
            case sx.OrPattern():
                return self._alternatives(node, type_, binds)
            case sx.ConstructorPattern():
                return self._constructed(node, type_, binds)

    def _refuse_constructor(self, name: str, type_: Type, span: Span) -> None:
        """`case Red:` is nearly always a mistake for `case Red():`, and would swallow every value."""
        known = resolve(type_)
        if isinstance(known, App) and isinstance(known.head, DataDef):
            if any(con.name == name for con in constructors(known.head)):
                raise bare_constructor(name, span)
        elif name[:1].isupper() and self.constructor(name, type_) is not None:
            raise bare_constructor(name, span)

    def _alternatives(self, node: sx.OrPattern, type_: Type, binds: Binds) -> pt.Resolved:
        items: list[pt.Resolved] = []
        first: Binds | None = None
        for alternative in node.alternatives:
            own: Binds = {}
            items.append(self.pattern(alternative, type_, own))
            if first is None:
                first = own
            elif own.keys() != first.keys():
                different = sorted(own.keys() ^ first.keys())
                raise PerceusError(f"only some alternatives bind {', '.join(different)}", span=alternative.span, code="E725")
            else:
                for name, bound in own.items():
                    self.expect(first[name], bound, alternative.span)
        for name, bound in (first or {}).items():
            _bind(name, bound, node.span, binds)
        return pt.Alternatives(tuple(items), (), node.span)

    def _constructed(self, node: sx.ConstructorPattern, type_: Type, binds: Binds) -> pt.Resolved:
        con = self.pattern_constructor(node, type_)
        require_open(con.data, self.scope, node.span)
        types: tuple[Type, ...] = tuple(Meta() for _ in con.data.typevars)
        self.expect(type_, App(con.data, types), node.span)
        parts = node.args if not node.keywords else _in_order(node, con.name, con.names)
        if len(parts) != len(con.fields):
            raise PerceusError(
                f"{con.name} has {_fields(len(con.fields))}, the pattern has {len(node.args)}", span=node.span, code="E713"
            )
        named = dict(zip(con.data.typevars, types, strict=True))
        fields = [substitute(field, named) for field in con.fields]
        args = tuple(self.pattern(arg, field, binds) for arg, field in zip(parts, fields, strict=True))
        return pt.Construct(con, args, (), node.span)

    def pattern_constructor(self, node: sx.ConstructorPattern, type_: Type) -> ConDef:
        """The constructor that a pattern names."""
        name = ".".join(node.path)
        if len(node.path) == 1:
            match self.constructor(name, type_):
                case ConDef() as con:
                    return con
                case (ConDef() as first, *_):
                    raise ambiguous(name, [first], node.span)
                case None:
                    raise unknown(name, "constructor", self.constructor_names(), node.span)
        found = qualified(node.path, self.scope)
        if found is None:
            raise unknown(name, "constructor", (), node.span)
        return found

    # -- whole matches

    def require_exhaustive(self, rows: Sequence[tuple[pt.Row, bool]], columns: int, span: Span) -> None:
        """rows with whether they have a guard, in order.

        Raises:
            PerceusError: a value is matched by no row, or a row matches nothing that those above it leave over.
        """
        above: list[pt.Row] = []
        for row, guarded in rows:
            self._require_useful(above, row)
            if not guarded:
                above.append(row)
        example = pt.missing(above, columns, span)
        if example is not None:
            raise PerceusError(
                "the match is not exhaustive",
                span=span,
                notes=(f"not matched: {', '.join(map(pt.show, example))}", "hint: add a case for it, or case _:"),
                code="E714",
            )

    def _require_useful(self, above: Sequence[pt.Row], row: pt.Row) -> None:
        if pt.useful(above, row) is None:
            raise PerceusError(
                "this case is never reached",
                span=_row_span(row),
                notes=("the cases above match all that it matches",),
                code="E715",
            )
        for position, pattern in enumerate(row):
            for alternative in _redundant_alternatives(above, row, position, pattern):
                raise PerceusError(
                    "this alternative is never reached",
                    span=alternative.span,
                    notes=("the cases and alternatives before it match all that it matches",),
                    code="E715",
                )

    def irrefutable(self, node: sx.Pattern, type_: Type, binds: Binds) -> pt.Resolved:
        """The pattern of an assignment."""
        found = self.pattern(node, type_, binds)
        self.require_exhaustive([((found,), False)], 1, node.span)
        return found

    def handled(self, node: sx.ConstructorPattern, binds: Binds) -> tuple[ExceptionDef, pt.Resolved]:
        """The exception that a handler catches, and the pattern for its fields."""
        exception = exception_named(node.path, self.scope, node.span)
        fields = exception_fields(exception)
        parts = node.args if not node.keywords else _in_order(node, exception.name, exception.syntax.names)
        if parts and len(parts) != len(fields):
            raise PerceusError(
                f"{exception.name} has {_fields(len(fields))}, the handler names {len(parts)}", span=node.span, code="E713"
            )
        args = parts or tuple(sx.WildcardPattern(span=node.span) for _ in fields)
        found = tuple(self.pattern(arg, field, binds) for arg, field in zip(args, fields, strict=True))
        return exception, pt.Construct(pt.TupleHead(len(fields)), found, (), node.span)


def _in_order(node: sx.ConstructorPattern, owner: str, names: Sequence[str]) -> tuple[sx.Pattern, ...]:
    """The patterns of all fields, where some are given by name: those that are not mentioned may be anything."""
    count = len(node.args) - len(node.keywords)
    found = dict(zip(names, node.args[:count], strict=False))
    for name, pattern in zip(node.keywords, node.args[count:], strict=True):
        if name not in names:
            hint = f"hint: there are {', '.join(names)}" if names else "hint: its fields have no names"
            raise PerceusError(f"{owner} has no field {name}", span=pattern.span, notes=(hint,), code="E713")
        if name in found:
            raise PerceusError(f"{name} is given twice", span=pattern.span, code="E713")
        found[name] = pattern
    return tuple(found.get(name) or sx.WildcardPattern(span=node.span) for name in names)


def _redundant_alternatives(above: Sequence[pt.Row], row: pt.Row, position: int, pattern: pt.Resolved) -> list[pt.Resolved]:
    """The alternatives directly in a column of row that add nothing to those before them."""
    if not isinstance(pattern, pt.Alternatives):
        return []
    redundant: list[pt.Resolved] = []
    rows = list(above)
    for item in pattern.items:
        alone = (*row[:position], item, *row[position + 1 :])
        if pt.useful(rows, alone) is None:
            redundant.append(item)
        rows.append(alone)
    return redundant


def _row_span(row: pt.Row) -> Span:
    first, last = row[0].span, row[-1].span
    return Span(first.file, first.line, first.column, last.end_line, last.end_column)


def _bind(name: str, type_: Type, span: Span, binds: Binds) -> None:
    if name in binds:
        raise PerceusError(f"the pattern binds {name} twice", span=span, code="E725")
    binds[name] = type_


def _named(pattern: pt.Resolved, name: str) -> pt.Resolved:
    match pattern:
        case pt.Any(names=names, span=span):
            return pt.Any((*names, name), span)
        case pt.Construct(head=head, args=args, names=names, span=span):
            return pt.Construct(head, args, (*names, name), span)
        case pt.Alternatives(items=items, names=names, span=span):
            return pt.Alternatives(items, (*names, name), span)


def _fields(count: int) -> str:
    return "no fields" if count == 0 else "1 field" if count == 1 else f"{count} fields"


def qualified(path: Sequence[str], scope: Scope) -> ConDef | None:
    """The constructor that `Tree.Node` or `module.Tree.Node` means."""
    data = definition(lookup(path[:-1], scope))
    if isinstance(data, DataDef):
        for con in constructors(data):
            if con.name == path[-1]:
                return con
    return None


def ambiguous(name: str, cons: Sequence[ConDef], span: Span) -> PerceusError:
    """The error for a bare constructor name that two data types have."""
    hint = f"hint: write {cons[0].data.name}.{name}"
    return PerceusError(f"{name} is a constructor of several data types", span=span, notes=(hint,), code="E711")


def exception_named(path: Sequence[str], scope: Scope, span: Span) -> ExceptionDef:
    """The exception that a name stands for: one of the program, or one of the language."""
    found = lookup(path, scope)
    exception = definition(found)
    if isinstance(exception, ExceptionDef):
        return exception
    if len(path) == 1 and path[0] in EXCEPTIONS and exception is None and (found is MISSING or isinstance(found, type)):
        return EXCEPTIONS[path[0]]
    names = {name for name in scope.names() if isinstance(definition(scope.get(name)), ExceptionDef)}
    raise unknown(".".join(path), "exception", {*names, *EXCEPTIONS}, span)
