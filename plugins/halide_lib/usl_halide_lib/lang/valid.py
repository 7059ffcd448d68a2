"""Validity of definitions (halide.md §2; defs. 2.7-2.10): checked when a definition is made, one message at its line."""

from __future__ import annotations

from collections.abc import Iterator

from usl_halide_lib.lang.errors import AlgorithmError, refuse
from usl_halide_lib.lang.nodes import Algorithm, FuncDef, ImageRead, Name, Node, Op, Read, Sort, show, walk
from usl_halide_lib.lang.types import BOOL


def is_startup(node: Node) -> bool:
    """Def. 2.9: numbers and parameters only. A random number depends on a place."""
    return not any(
        isinstance(each, Read | ImageRead)
        or (isinstance(each, Name) and each.sort is not Sort.PARAM)
        or (isinstance(each, Op) and each.op == "random")
        for each in walk(node)
    )


def stage_name(func: str, stage: int) -> str:
    """How messages call a stage."""
    return func if stage == 0 else f"{func}.update({stage - 1})"


def check_stage(func: FuncDef, number: int) -> None:
    """Refuse a stage that is not valid in its func.

    Raises:
        AlgorithmError: the first violation, at the stage's line.
    """
    for error in violations(func, number):
        raise error


def violations(func: FuncDef, number: int) -> Iterator[AlgorithmError]:
    """What is wrong with a stage of a func, whose earlier stages are right."""
    stage = func.stages[number]
    label = stage_name(func.name, number)
    if len(set(func.args)) != len(func.args):
        yield refuse(f"{label}: the variables {', '.join(func.args)} are not all different", span=stage.span)
    names = [each.name for each in stage.rvars]
    if len(set(names)) != len(names):
        yield refuse(f"{label}: the reduction variables {', '.join(names)} are not all different", span=stage.span)
    for name in sorted(set(names) & set(func.args)):
        yield refuse(
            f"{label}: the reduction variable {name} has the name of a pure variable of {func.name}",
            span=stage.span,
            notes=("hint: name the RDom otherwise",),
        )
    yield from _variables(func, number)
    yield from _self_reads(func, number)
    for node in (each for e in stage.expressions() for each in walk(e)):
        if isinstance(node, Read) and node.func != func.name and node.source is not None and node.source.definition is None:
            yield refuse(f"{label}: {node.func} has no definition", code="E788", span=stage.span)
    if len(stage.values) != len(func.types):
        yield refuse(f"{label}: {len(stage.values)} values, and the first definition has {len(func.types)}", span=stage.span)
    for value, typ in zip(stage.values, func.types, strict=False):
        if value.type != typ:
            yield refuse(f"{label}: the value {show(value)} is {value.type}, not {typ}", span=stage.span)
    if stage.pred is not None and stage.pred.type != BOOL:
        yield refuse(f"{label}: the predicate {show(stage.pred)} is {stage.pred.type}, not a condition", span=stage.span)


def _variables(func: FuncDef, number: int) -> Iterator[AlgorithmError]:
    """Every variable is bound by the func, the stage or the pipeline."""
    stage = func.stages[number]
    bound = {Sort.PURE: set(func.args), Sort.RDOM: {each.name for each in stage.rvars}}
    for name in (each for e in stage.expressions() for each in walk(e) if isinstance(each, Name)):
        if name.sort in bound and name.name not in bound[name.sort]:
            what = (
                "no variable of the left side"
                if name.sort is Sort.PURE
                else "of a reduction domain; the first definition has none"
            )
            yield refuse(f"{stage_name(func.name, number)}: {name.name} is {what}", span=stage.span)
            return
        if name.sort is Sort.PARAM and name.name in func.args:
            yield refuse(f"{stage_name(func.name, number)}: {name.name} is a parameter and a variable", span=stage.span)
            return


def _self_reads(func: FuncDef, number: int) -> Iterator[AlgorithmError]:
    """Def. 2.7: where a pure variable occurs, all accesses to the func have it in its dimension. Stage 0 has no self reads."""
    stage = func.stages[number]
    label = stage_name(func.name, number)
    reads = [each for e in stage.expressions() for each in walk(e) if isinstance(each, Read) and each.func == func.name]
    if number == 0:
        for read in reads[:1]:
            yield refuse(
                f"{label}: the first definition reads {func.name} itself",
                span=read.span or stage.span,
                notes=("hint: an update may",),
            )
        return
    for dim, name in enumerate(func.args):
        if not func.is_pure_in(number, dim):
            continue
        variable = Name(name, Sort.PURE)
        if stage.index[dim] != variable:
            yield refuse(
                f"{label}: {name} is used, so dimension {dim} of the left side must be {name}; here {show(stage.index[dim])}",
                span=stage.span,
            )
            return
        for read in reads:
            if read.index[dim] != variable:
                yield refuse(
                    f"{label}: every access to {func.name} must have {name} in dimension {dim}, as the left side has; "
                    f"here {show(read.index[dim])}",
                    span=read.span or stage.span,
                )
                return


def check_algorithm(algorithm: Algorithm) -> None:
    """Refuse what only shows in the whole: names used twice, funcs that are not defined before they are read.

    Raises:
        AlgorithmError: E772 or E788.
    """
    seen: set[str] = set()
    inputs = {name for name, _ in algorithm.params} | {name for name, _, _ in algorithm.images}
    for func in algorithm.funcs:
        if func.name in seen or func.name in inputs:
            raise refuse(f"the name {func.name} stands for two things of the pipeline", span=func.span)
        for name in sorted(inputs & {*func.args, *(r.name for s in func.stages for r in s.rvars)}):
            raise refuse(f"{func.name}: {name} is an input and a variable", span=func.span)
        for number, stage in enumerate(func.stages):
            for node in (each for e in stage.expressions() for each in walk(e)):
                if isinstance(node, Read) and node.func not in seen | {func.name}:
                    raise refuse(
                        f"{stage_name(func.name, number)} reads {node.func}, which is not defined before it",
                        code="E788",
                        span=stage.span,
                    )
                if isinstance(node, Read) and node.func != func.name and len(node.index) != len(algorithm.func(node.func).args):
                    raise refuse(
                        f"{stage_name(func.name, number)}: {node.func} has {len(algorithm.func(node.func).args)} dimensions",
                        code="E788",
                        span=stage.span,
                    )
            for error in violations(func, number):
                raise error
        seen.add(func.name)
    for name in algorithm.outputs:
        if name not in seen:
            raise refuse(f"the output {name} is not defined", code="E788")
