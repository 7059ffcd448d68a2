"""Calls in two stages: what gives the sizes of the results, and all that may fail, is called; the rest stands in the caller.

    k, y = g_ext(…)           k, w = g_head(…)
    s = reduce(op, ne, y)  ~> y = g_tail(k, w, …), its body in place
                              s = reduce(op, ne, y)

So y is computed where it is read, and nothing is computed twice. That is worth it for a function that is too long to stand in
its callers whole (those that are not are inlined before), if its tail is short and one function over arrays reads each result.
Reference: docs/soac.md, "Calls in two stages".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from usl_core.ir.sym import Sym
from usl_soac import core
from usl_soac.core import Atom, Body, Const, Function, Lambda, Param, Part, Program, Statement, Type
from usl_soac.dead import body_can_fail
from usl_soac.kernel_uses import Uses, uses_in
from usl_soac.lazy_maps import is_elementwise, is_total_operation
from usl_soac.pipeline import MOST_COPIED, reachable
from usl_soac.scalars import BOOL, CERT
from usl_soac.slicing import stage
from usl_soac.traverse import Renaming, bodies, refresh, rename, used, walk

READERS = (core.Map, core.Reduce, core.Scan)
ARRANGING = (core.Iota, core.Replicate, core.Slice, core.Rearrange, core.Rotate, core.Compress)


@dataclass(frozen=True, slots=True)
class _Cut:
    """A function in two parts."""

    head: Function
    tail: Function
    sizes: int
    """So many results of the head are sizes."""
    results: Sequence[Statement]
    """What makes each result in the tail."""


def staged_calls(program: Program) -> Program:
    """Each function with its calls in two stages where that leaves out an array."""
    return _Calls(program).run()


class _Calls:
    """One program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.functions = {(each.name, each.part): each for each in program.functions}
        self.calls = Counter(
            (each.value.function, each.value.part)
            for function in program.functions
            for each in walk(function.body)
            if isinstance(each.value, core.Call)
        )
        self.cuts: dict[str, _Cut | None] = {}

    def run(self) -> Program:
        """The program, with the heads that are called now."""
        made = {}
        for key, function in self.functions.items():
            made[key] = replace(function, body=_InBody(self, uses_in(function.body)).body(function.body))
        heads = {(cut.head.name, cut.head.part): cut.head for cut in self.cuts.values() if cut is not None}
        last = self.program.functions[-1]
        return reachable({**made, **heads}, (last.name, last.part))

    def cut(self, name: str) -> _Cut | None:
        """The parts of a function, None if its calls stay whole."""
        if name not in self.cuts:
            self.cuts[name] = self._cut(self.functions[name, Part.EXT])
        return self.cuts[name]

    def _cut(self, function: Function) -> _Cut | None:
        if "interleaved" in function.promises or self._is_recursive(function):
            return None
        found = stage(replace(function, body=_flagged(function)), tests_first=True)
        if found is None:
            return None
        head, tail, sizes = _without_tests(*found, len(function.params))
        if any(_needs_test(each) for each in walk(tail.body)):
            return None
        made = {param.name: each for each in tail.body.statements for param in each.pattern}
        results = [made.get(atom) if isinstance(atom, Sym) else None for atom in tail.body.results]
        carried = tail.params[sizes : len(tail.params) - len(function.params)]
        flags = {each.value.flags for each in made.values() if isinstance(each.value, core.Compress)}
        if any(param.type.dims and param.name not in flags for param in carried) or not all(map(_is_free, made.values())):
            return None
        copied = (self.calls[function.name, Part.EXT] - 1) * sum(1 for _ in walk(tail.body))
        if copied > MOST_COPIED or None in results:
            return None
        return _Cut(head, tail, sizes, [each for each in results if each is not None])

    def _is_recursive(self, function: Function) -> bool:
        below = reachable(self.functions, (function.name, function.part))
        return any(each.function == function.name for other in below.functions for each in _called(other))


def _called(function: Function) -> Iterator[core.Call]:
    return (each.value for each in walk(function.body) if isinstance(each.value, core.Call))


def _without_tests(head: Function, tail: Function, sizes: int, params: int) -> tuple[Function, Function, int]:
    """Head and tail, where the tail does not get the tests of the head: these have been passed when it is computed."""
    first, rest = tail.params[: len(tail.params) - params], tail.params[len(tail.params) - params :]
    tests = {param.name: Const(True, BOOL) for param in first if param.type.scalar is CERT}
    kept = [param.name not in tests for param in first]
    body = replace(head.body, results=tuple(atom for atom, is_kept in zip(head.body.results, kept, strict=True) if is_kept))
    results = tuple(typ for typ, is_kept in zip(head.results, kept, strict=True) if is_kept)
    params_left = tuple(param for param in first if param.name not in tests)
    return (
        replace(head, body=body, results=results),
        replace(tail, params=(*params_left, *rest), body=rename(tail.body, tests)),
        sizes,
    )


def _needs_test(statement: Statement) -> bool:
    """Whether only a test that stands before it, if any, makes it safe."""
    expr = statement.value
    if isinstance(expr, core.Op):
        return not is_total_operation(expr) and not isinstance(expr.args[1], Const)
    return isinstance(expr, core.Coerce)


def _is_free(statement: Statement) -> bool:
    """Whether what it makes is computed where it is read."""
    expr = statement.value
    if isinstance(expr, core.Map):
        return is_elementwise(expr) and not body_can_fail(expr.function.body, lambda _: True)
    return isinstance(expr, (core.Op, core.Copy, *ARRANGING))


def _flagged(function: Function) -> Body:
    """The body of a function that returns rows which it filters, with flags first: the rows are copied where they are read."""
    types = {param.name: param.type for param in function.params}
    made: list[Statement] = []
    for each in function.body.statements:
        types.update((param.name, param.type) for param in each.pattern)
        expr = each.value
        number, *rows = each.pattern or (None,)
        is_wide = isinstance(expr, core.Filter) and all(row.type.rank > 1 and row.name in function.body.results for row in rows)
        if not is_wide or not isinstance(expr, core.Filter) or number is None:
            made.append(each)
            continue
        flags = Param(Sym("flags"), Type(BOOL, types[expr.arrays[0]].dims[:1]), span=each.span)
        made += [
            replace(each, pattern=(flags,), value=core.Map(expr.predicate, expr.arrays, span=expr.span)),
            replace(each, pattern=(number,), value=core.Count(flags.name, span=expr.span)),
            replace(each, pattern=tuple(rows), value=core.Compress(flags.name, expr.arrays, span=expr.span)),
        ]
    return replace(function.body, statements=tuple(made))


class _InBody:
    """The calls in one function."""

    def __init__(self, calls: _Calls, uses: Uses) -> None:
        self.calls = calls
        self.uses = uses

    def body(self, body: Body) -> Body:
        """The body with its calls in two stages."""
        made: list[Statement] = []
        renamed: dict[Sym, Atom] = {}
        for position, statement in enumerate(body.statements):
            cut = self.wanted(statement, body.statements[position + 1 :])
            statement = Renaming(renamed).statement(self.inside(statement))
            if cut is None:
                made.append(statement)
                continue
            stages, results = _stages(statement, cut)
            made += stages
            renamed.update(zip((param.name for param in statement.pattern[cut.sizes :]), results, strict=True))
        renaming = Renaming(renamed)
        return replace(body, statements=tuple(made), results=tuple(map(renaming.atom, body.results)))

    def inside(self, statement: Statement) -> Statement:
        if not bodies(statement.value):
            return statement
        expr = statement.value
        match expr:
            case core.If(then=then, orelse=orelse):
                value: core.Expr = replace(expr, then=self.body(then), orelse=self.body(orelse))
            case core.Loop(condition=condition, body=body):
                value = replace(expr, condition=None if condition is None else self.body(condition), body=self.body(body))
            case core.Map(function=function):
                value = replace(expr, function=self.function(function))
            case core.Filter(predicate=function):
                value = replace(expr, predicate=self.function(function))
            case core.Reduce(op=function) | core.Scan(op=function) | core.Hist(op=function):
                value = replace(expr, op=self.function(function))
            case _:
                raise AssertionError(expr)
        return replace(statement, value=value)

    def function(self, function: Lambda) -> Lambda:
        return replace(function, body=self.body(function.body))

    def wanted(self, statement: Statement, later: Sequence[Statement]) -> _Cut | None:
        """The parts of what a statement calls, if each of its arrays is read by one function over arrays behind it."""
        call = statement.value
        if not isinstance(call, core.Call) or call.part is not Part.EXT or (cut := self.calls.cut(call.function)) is None:
            return None
        arrays = statement.pattern[cut.sizes :]
        kept = {param.name for param, made in zip(arrays, cut.results, strict=True) if isinstance(made.value, core.Compress)}
        read = [param.name for param in arrays if self.uses.count[param.name]]
        readers = [self.reader(name, later, kept) for name in read]
        return cut if readers and None not in readers else None

    def reader(self, name: Sym, later: Sequence[Statement], kept: set[Sym]) -> Statement | None:
        """The only one that reads an array; rows that are kept are read beside no others."""
        if not self.uses.once(name):
            return None
        for each in later:
            if name in used(each.value):
                reads = isinstance(each.value, READERS) and name in each.value.arrays
                alone = name not in kept or (isinstance(each.value, READERS) and kept.issuperset(each.value.arrays))
                return each if reads and alone else None
        return None


def _stages(statement: Statement, cut: _Cut) -> tuple[list[Statement], tuple[Atom, ...]]:
    """The call of a head and the statements of a tail, and what is in the place of the results."""
    call = statement.value
    assert isinstance(call, core.Call)
    sizes = statement.pattern[: cut.sizes]
    count = len(cut.tail.params) - len(call.args)
    lengths, carried = cut.tail.params[: cut.sizes], cut.tail.params[cut.sizes : count]
    values: dict[Sym, Atom] = {length.name: size.name for length, size in zip(lengths, sizes, strict=True)}
    values.update((param.name, param.name.copy()) for param in carried)
    values.update((param.name, arg) for param, arg in zip(cut.tail.params[count:], call.args, strict=True))
    renaming = Renaming(values)
    given = [Param(renaming.sym(param.name), renaming.type(param.type), span=statement.span) for param in carried]
    head = replace(statement, pattern=(*sizes, *given), value=replace(call, part=Part.HEAD))
    tail = refresh(cut.tail.body, values)
    return [head, *tail.statements], tail.results
