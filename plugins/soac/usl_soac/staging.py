"""Filters in two stages: first the flags, which say how many rows there are, then the rows, read where they are needed.

    k, y = filter(x) p        flags = map(x) p
    s = reduce(op, ne, y)  ~> k = count(flags)
                              y = compress(flags, x)
                              s = reduce(op, ne, y)

The predicate is evaluated once for each row, and the function over arrays that reads y passes over the rows that are not kept:
none is copied. A filter stays as it is where something else needs its rows, or where copying them costs less.
Reference: docs/soac.md, "Filters in two stages".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from usl_core.ir.sym import Sym
from usl_soac import core
from usl_soac.core import Body, Function, Lambda, Param, Part, Program, Statement, Type
from usl_soac.kernel_uses import Uses, uses_in
from usl_soac.lazy_maps import is_elementwise, is_little
from usl_soac.scalars import BOOL
from usl_soac.siblings import is_plain
from usl_soac.staged_calls import staged_calls
from usl_soac.traverse import binders, lambda_of, rename, used, used_by_lambda, walk

READERS = (core.Map, core.Reduce, core.Scan)


def in_stages(program: Program) -> Program:
    """A program after all other passes, with its calls and filters in two stages where that is less work."""
    return staged(staged_calls(program))


def explained_stages(program: Program) -> Iterator[str]:
    """A line for each call and each filter of the last function that is in two stages."""
    for each in walk(in_stages(program).functions[-1].body):
        match each.value:
            case core.Call(function=name, part=Part.HEAD):
                yield f"{each.span}: {name}, in two stages: its sizes first, its result where that is read"
            case core.Count(span=span):
                yield f"{span}: filter, in two stages: flags first, the rows where they are read"
            case _:
                pass


def staged(program: Program) -> Program:
    """Each function with its filters in two stages where that is less work."""
    return Program(tuple(replace(each, body=_Staging(each).body(each.body, in_function=False)) for each in program.functions))


@dataclass(frozen=True, slots=True)
class _Readers:
    """What reads the rows of a filter: maps that are computed where they are read, and what reads these or the rows at last."""

    lazy: Sequence[Statement]
    last: Sequence[Statement]


class _Staging:
    """One function."""

    def __init__(self, function: Function) -> None:
        self.uses: Uses = uses_in(function.body)
        self.types: dict[Sym, Type] = {param.name: param.type for param in binders(function)}

    def body(self, body: Body, *, in_function: bool) -> Body:
        """in_function: whether it is inside of a function over arrays, where a kernel has no room for what is kept."""
        left = [self.inside(each, in_function) for each in body.statements]
        made: list[Statement] = []
        while left:
            statement = left.pop(0)
            readers = self.readers(statement, left, in_function) if isinstance(statement.value, core.Filter) else None
            if readers is None:
                made.append(statement)
            else:
                stages, left = self.stages(statement, readers, left)
                made += stages
        return replace(body, statements=tuple(made))

    def inside(self, statement: Statement, in_function: bool) -> Statement:
        """The statement with the filters in its bodies in two stages."""
        expr = statement.value
        match expr:
            case core.If(then=then, orelse=orelse):
                then, orelse = (self.body(each, in_function=in_function) for each in (then, orelse))
                return replace(statement, value=replace(expr, then=then, orelse=orelse))
            case core.Loop(condition=condition, body=body):
                asked = None if condition is None else self.body(condition, in_function=in_function)
                return replace(statement, value=replace(expr, condition=asked, body=self.body(body, in_function=in_function)))
            case core.Map(function=function):
                return replace(statement, value=replace(expr, function=self.function(function)))
            case core.Filter(predicate=function):
                return replace(statement, value=replace(expr, predicate=self.function(function)))
            case core.Reduce(op=function) | core.Scan(op=function) | core.Hist(op=function):
                return replace(statement, value=replace(expr, op=self.function(function)))
            case _:
                return statement

    def function(self, function: Lambda) -> Lambda:
        return replace(function, body=self.body(function.body, in_function=True))

    # ---- one filter

    def readers(self, statement: Statement, later: Sequence[Statement], in_function: bool) -> _Readers | None:
        """What reads the rows of a filter; None if it stays as it is."""
        assert isinstance(statement.value, core.Filter)
        number, *rows = statement.pattern
        names = {each.name for each in rows}
        lazy: list[Statement] = []
        last: list[Statement] = []
        reads = 0
        for each in later:
            expr = each.value
            if names.isdisjoint(used(expr)):
                continue
            if not isinstance(expr, READERS) or not names.issuperset(expr.arrays):
                return None
            if names & used_by_lambda(lambda_of(expr)) or names.intersection(getattr(expr, "neutral", ())):
                return None
            reads += len(expr.arrays)
            if self.is_lazy(each, later):
                lazy.append(each)
                names.add(each.pattern[0].name)
            else:
                last.append(each)
        if reads != sum(self.uses.count[name] for name in names) or not self.uses.repeated.isdisjoint(names):
            return None  # some are read elsewhere
        is_counted = bool(self.uses.count[number.name])
        found = _Readers(lazy, last)
        return found if _pays(statement, found, is_counted, in_function) else None

    def is_lazy(self, statement: Statement, later: Sequence[Statement]) -> bool:
        """Whether it is a map that another function over arrays reads, element by element."""
        if not isinstance(statement.value, core.Map) or not is_elementwise(statement.value):
            return False
        (param,) = statement.pattern
        read = any(
            param.name in each.value.arrays for each in later if isinstance(each.value, core.Map | core.Reduce | core.Scan)
        )
        return read and self.uses.once(param.name)

    def stages(
        self, statement: Statement, readers: _Readers, left: Sequence[Statement]
    ) -> tuple[list[Statement], list[Statement]]:
        """The statements in the place of a filter, and what stands behind them: each last reader has rows of its own."""
        expr = statement.value
        assert isinstance(expr, core.Filter)
        number, *rows = statement.pattern
        flags = Param(Sym("flags"), Type(BOOL, self.types[expr.arrays[0]].dims[:1]), span=statement.span)
        self.types[flags.name] = flags.type
        stages = [
            replace(statement, pattern=(flags,), value=core.Map(expr.predicate, expr.arrays, span=expr.span)),
            replace(statement, pattern=(number,), value=core.Count(flags.name, span=expr.span)),
        ]
        changed: dict[Statement, Statement] = {}
        for reader in readers.last:
            chain = [*_chain(reader, readers.lazy), reader]
            read = {sym for each in chain for sym in used(each.value)}
            wanted = [(row, array) for row, array in zip(rows, expr.arrays, strict=True) if row.name in read]
            own = {row.name: row.name.copy() for row, _ in wanted}
            self.types.update((name, self.types[row]) for row, name in own.items())
            pattern = tuple(replace(row, name=own[row.name]) for row, _ in wanted)
            value = core.Compress(flags.name, tuple(array for _, array in wanted), span=expr.span)
            stages.append(replace(statement, pattern=pattern, value=value))
            changed.update((each, rename(each, own)) for each in chain)
        return stages, [changed.get(each, each) for each in left]


def _chain(reader: Statement, lazy: Sequence[Statement]) -> list[Statement]:
    """The maps that compute what a statement reads."""
    read, found = set(used(reader.value)), list[Statement]()
    for each in reversed(lazy):
        if each.pattern[0].name in read:
            found.insert(0, each)
            read |= used(each.value)
    return found


def _pays(statement: Statement, readers: _Readers, is_counted: bool, in_function: bool) -> bool:
    """Whether two stages are less work than the rows in an array of their own."""
    if in_function or not readers.last:
        return all(isinstance(each.value, core.Reduce) for each in readers.last)
    wide = {param.name for param in statement.pattern if param.type.rank > 1}
    if wide and all(not wide.isdisjoint(_reads(each, readers.lazy)) for each in readers.last):
        return True
    return len(readers.last) == 1 and not is_counted and _is_choice(readers.last[0], readers.lazy)


def _reads(reader: Statement, lazy: Sequence[Statement]) -> set[Sym]:
    return {sym for each in (reader, *_chain(reader, lazy)) for sym in used(each.value)}


def _is_choice(reader: Statement, lazy: Sequence[Statement]) -> bool:
    """Whether it costs little to compute and not to add what is not kept."""
    if not is_plain(reader) or not isinstance(reader.value, core.Reduce):
        return False
    ops = [each.value for each in reader.value.op.body.statements if isinstance(each.value, core.Op)]
    if any(op.op in ("min", "max") and op.operand.is_real for op in ops):
        return False  # which NaN is forgotten depends on what is passed over
    bodies = [each.value.function.body for each in lazy if isinstance(each.value, core.Map)]
    return all(is_little(body) and not any(map(_is_expensive, body.statements)) for body in bodies)


def _is_expensive(statement: Statement) -> bool:
    return isinstance(statement.value, core.Op) and statement.value.op in EXPENSIVE


EXPENSIVE = frozenset("exp log sin cos tan tanh pow atan2 erf **".split())
"""What costs so much that copying the rows that are kept, in vectors, costs less."""
