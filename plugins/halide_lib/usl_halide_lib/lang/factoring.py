"""Rewrites of algorithms that schedules ask for, before lowering (halide.md §7, §8): rfactor, inline, in_, clone_in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from usl_core.errors import Span
from usl_halide_lib.lang.associativity import Reassociation, new, old, reassociation
from usl_halide_lib.lang.errors import refuse
from usl_halide_lib.lang.inlining import inlined
from usl_halide_lib.lang.nodes import (
    Algorithm,
    FuncDef,
    ImageRead,
    Name,
    Node,
    Read,
    Sort,
    StageDef,
    rebuilt,
    substituted,
    walk,
)
from usl_halide_lib.lang.valid import check_algorithm, stage_name


@dataclass(frozen=True, slots=True)
class Factored:
    """What rfactor made: the func, the intermediate func that it reads now, and by what right."""

    func: FuncDef
    intermediate: FuncDef
    law: Reassociation


def rfactor(
    func: FuncDef,
    number: int,
    preserved: Sequence[tuple[str, str]],
    *,
    assume: bool = False,
    name: str | None = None,
    span: Span | None = None,
    source: Any = None,
) -> Factored:
    """A stage `f[x̄] ← op(f[x̄], g)` whose variables r are preserved as pure variables v of a func of its own.

    That one reduces the others, f reduces it over what the r ran over. source is the user's object for it. The order of
    iterations changes, unless the r are the outermost ones: then op need not be commutative.

    Raises:
        AlgorithmError: E785, the update is not associative, with three numbers that show it, or may not be reordered; E777, no
            such reduction variable, or a name that is taken.
    """
    what = f"{stage_name(func.name, number)}.rfactor"
    stage = func.stages[number]
    names = {each.name: each for each in stage.rvars}
    for rvar, made in preserved:
        if rvar not in names:
            known = ", ".join(names) or "none"
            raise refuse(f"{what}: there is no reduction variable {rvar}; there are: {known}", code="E777", span=span)
        if made in func.args or made in names or [v for _, v in preserved].count(made) > 1:
            raise refuse(f"{what}: {made} is a variable already", code="E777", span=span)
    if len({rvar for rvar, _ in preserved}) < len(preserved) or not preserved:
        raise refuse(f"{what}: each reduction variable is preserved once", code="E777", span=span)
    law = reassociation(func, number, assume=assume)
    if isinstance(law, str):
        raise refuse(f"{what}: {law}", code="E785", span=span, notes=(HINT,))
    outermost = {each.name for each in stage.rvars[len(stage.rvars) - len(preserved) :]} == {rvar for rvar, _ in preserved}
    if not law.commutes and not outermost:
        raise refuse(f"{what}: the order of iterations counts, so only the outermost can be preserved", code="E785", span=span)
    name = name or f"{func.name}_intm"
    return Factored(
        _merging(func, number, law, preserved, name, source), _intermediate(func, number, law, preserved, name), law
    )


HINT = 'hint: assume="associative" takes your word for it, and says so in the assurance'


def _intermediate(func: FuncDef, number: int, law: Reassociation, preserved: Sequence[tuple[str, str]], name: str) -> FuncDef:
    """`f_i(x̄, v̄) = id`, then op over the variables that are left."""
    stage, chosen = func.stages[number], dict(preserved)
    pure: dict[str, Node] = {rvar: Name(made, Sort.PURE) for rvar, made in preserved}
    added = tuple(Name(made, Sort.PURE) for _, made in preserved)
    index = (*(substituted(each, pure) for each in stage.index), *added)
    args = (*func.args, *(made for _, made in preserved))
    init = StageDef((), tuple(Name(each, Sort.PURE) for each in args), law.identity, None, stage.span)
    own = [Read(name, index, part, typ, None, stage.span) for part, typ in enumerate(func.types)]
    given = [substituted(each, pure) for each in law.given]
    values = _combined(func, law, own, given)
    rest = tuple(each for each in stage.rvars if each.name not in chosen)
    pred = None if stage.pred is None else substituted(stage.pred, pure)
    return FuncDef(name, args, func.types, (init, StageDef(rest, index, values, pred, stage.span)), func.span)


def _merging(
    func: FuncDef, number: int, law: Reassociation, preserved: Sequence[tuple[str, str]], name: str, source: Any
) -> FuncDef:
    """f with `rdom(r̄) in f[x̄] ← op(f[x̄], f_i[x̄, r̄])` in place of the stage.

    Where the stage's index depends on the reduction, all places of the dimension are merged: the others hold the identity.
    """
    stage, chosen = func.stages[number], dict(preserved)
    index = tuple(Name(arg, Sort.PURE) if _varies(each) else each for arg, each in zip(func.args, stage.index, strict=True))
    added = tuple(Name(rvar, Sort.RDOM, source=domain) for rvar, _ in preserved for domain in [_domain(stage, rvar)])
    own = [Read(func.name, index, part, typ, None, stage.span) for part, typ in enumerate(func.types)]
    given = [Read(name, (*index, *added), part, typ, None, stage.span, source) for part, typ in enumerate(func.types)]
    rvars = tuple(each for each in stage.rvars if each.name in chosen)
    merging = StageDef(rvars, index, _combined(func, law, own, given), None, stage.span)
    return replace(func, stages=(*func.stages[:number], merging, *func.stages[number + 1 :]))


def _varies(index: Node) -> bool:
    """Whether an index depends on the reduction, or on data."""
    return any(
        isinstance(each, Read | ImageRead) or (isinstance(each, Name) and each.sort is Sort.RDOM) for each in walk(index)
    )


def _domain(stage: StageDef, rvar: str) -> Any:
    """The user's RDom of a variable."""
    names = (each for e in stage.expressions() for each in walk(e) if isinstance(each, Name))
    return next((each.source for each in names if each.name == rvar and each.sort is Sort.RDOM), None)


def _combined(func: FuncDef, law: Reassociation, olds: Sequence[Node], news: Sequence[Node]) -> tuple[Node, ...]:
    names = (*old(func.types), *new(func.types))
    values = {name.name: value for name, value in zip(names, (*olds, *news), strict=True)}
    return tuple(substituted(each, values) for each in law.combine)


def factored(algorithm: Algorithm, func: str, number: int, preserved: Sequence[tuple[str, str]], **options: Any) -> Algorithm:
    """The algorithm after `rfactor` of one stage.

    Raises:
        AlgorithmError: as there.
    """
    made = rfactor(algorithm.func(func), number, preserved, **options)
    funcs = tuple(e for each in algorithm.funcs for e in ((made.intermediate, made.func) if each.name == func else (each,)))
    return _valid(replace(algorithm, funcs=funcs))


def inline(algorithm: Algorithm, func: str) -> Algorithm:
    """The algorithm without a func: its readers compute its value themselves ([FUNC-EVAL]).

    Raises:
        AlgorithmError: E783, it is an output, or has updates.
    """
    definition = _named(algorithm, func, "compute_inline")
    if func in algorithm.outputs:
        raise refuse(f"{func}.compute_inline(): {func} is an output", code="E783")
    if len(definition.stages) > 1:
        raise refuse(f"{func}.compute_inline(): {func} has updates", code="E783", notes=("hint: compute_at its consumer",))

    others = [each.name for each in algorithm.funcs if each.name != func]
    return _valid(inlined(algorithm, others, [func]).algorithm)


def wrap(algorithm: Algorithm, func: str, name: str, consumers: Iterable[str] = ()) -> Algorithm:
    """The algorithm with a func that copies another one, through which consumers (all if none is given) read it (`in_`).

    Raises:
        AlgorithmError: E771, there is no such func or consumer.
    """
    definition = _named(algorithm, func, "in_")
    index = tuple(Name(each, Sort.PURE) for each in definition.args)
    values = tuple(Read(func, index, part, typ) for part, typ in enumerate(definition.types))
    stage = StageDef((), index, values, None, definition.span)
    return _rerouted(algorithm, func, FuncDef(name, definition.args, definition.types, (stage,), definition.span), consumers)


def clone(algorithm: Algorithm, func: str, name: str, consumers: Iterable[str]) -> Algorithm:
    """The algorithm with a func that computes the same as another one, which consumers read instead (`clone_in`).

    Raises:
        AlgorithmError: as `wrap`.
    """
    definition = _named(algorithm, func, "clone_in")

    def change(node: Node) -> Node | None:
        if isinstance(node, Read) and node.func == func:
            return replace(node, func=name, index=tuple(rebuilt(each, change) for each in node.index))
        return None

    return _rerouted(algorithm, func, replace(_changed(definition, change), name=name), consumers)


def _rerouted(algorithm: Algorithm, func: str, made: FuncDef, consumers: Iterable[str]) -> Algorithm:
    chosen = set(consumers)
    for consumer in sorted(chosen):
        _named(algorithm, consumer, "in_")

    def change(node: Node) -> Node | None:
        if isinstance(node, Read) and node.func == func:
            return replace(node, func=made.name, index=tuple(rebuilt(each, change) for each in node.index), source=None)
        return None

    funcs: list[FuncDef] = []
    for each in algorithm.funcs:
        is_reader = each.name != func and (not chosen or each.name in chosen)
        funcs.append(_changed(each, change) if is_reader else each)
        if each.name == func:
            funcs.append(made)
    return _valid(replace(algorithm, funcs=tuple(funcs)))


def _named(algorithm: Algorithm, func: str, directive: str) -> FuncDef:
    for each in algorithm.funcs:
        if each.name == func:
            return each
    known = ", ".join(each.name for each in algorithm.funcs)
    raise refuse(f"{directive}: there is no func {func}; the funcs are {known}", code="E771")


def _changed(func: FuncDef, change: Callable[[Node], Node | None]) -> FuncDef:
    def stage(each: StageDef) -> StageDef:
        pred = None if each.pred is None else rebuilt(each.pred, change)
        index, values = (tuple(rebuilt(e, change) for e in es) for es in (each.index, each.values))
        return replace(each, index=index, values=values, pred=pred)

    return replace(func, stages=tuple(map(stage, func.stages)))


def _valid(algorithm: Algorithm) -> Algorithm:
    check_algorithm(algorithm)
    return algorithm
