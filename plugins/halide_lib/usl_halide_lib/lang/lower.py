"""From an algorithm to the target language with holes (fig. 2.9): each func at the root, in order, over its compute bounds."""

from __future__ import annotations

from dataclasses import replace

from usl_halide_lib.lang.nodes import Algorithm, FuncDef, Name, Node, Op, Read, Sort, StageDef, number, rebuilt
from usl_halide_lib.lang.target import Allocate, Assign, For, If, Label, LoopKey, Stmt, Target, cpu, mem, sequence
from usl_halide_lib.lang.types import I32


def lower(algorithm: Algorithm) -> Target:
    """The initial program: pure loops with x_1 innermost, loops of the reduction domain inside of them with r_1 innermost."""
    return Target(algorithm, sequence(tuple(s for func in algorithm.funcs for s in _func(func))))


def _func(func: FuncDef) -> tuple[Stmt, Stmt]:
    box = tuple(mem(func.name, dim) for dim in range(len(func.args)))
    stages = tuple(Label(func.name, i, stage_loops(func, i)) for i in range(len(func.stages)))
    return Allocate(func.name, box), Label(func.name, None, sequence(stages))


def hole_stage(func: FuncDef, stage: int) -> int | None:
    """How a stage's compute holes are labelled: the last stage's have no number."""
    return None if stage == len(func.stages) - 1 else stage


def stage_loops(func: FuncDef, index: int) -> Stmt:
    """The loop nest of one stage."""
    stage = func.stages[index]
    keys = loop_keys(func, index)
    renamed = in_target(func, index)
    body: Stmt = Assign(func.name, index, renamed.index, renamed.values, None, stage.span)
    if renamed.pred is not None:
        body = If(renamed.pred, body)
    for rvar in stage.rvars:
        body = For(keys[rvar.name], rvar.min, rvar.extent, body, is_pure=False)
    for dim, name in enumerate(func.args):
        if func.is_pure_in(index, dim):
            low, length = cpu(func.name, dim, hole_stage(func, index))
            body = For(keys[name], low, length, body, is_pure=True)
    return body


def loop_keys(func: FuncDef, index: int) -> dict[str, LoopKey]:
    """The loops of a stage by variable; a pure variable has one even where no loop is made for it."""
    return {name: LoopKey(func.name, index, name) for name in (*func.args, *(r.name for r in func.stages[index].rvars))}


def in_target(func: FuncDef, index: int) -> StageDef:
    """The stage with loop names for variables, and the number of the stage before it on reads of the func itself."""
    stage = func.stages[index]
    names = {name: key.name() for name, key in loop_keys(func, index).items()}

    def change(node: Node) -> Node | None:
        match node:
            case Name(name=name, sort=Sort.PURE | Sort.RDOM):
                return names[name]
            case Read(func=read) if read == func.name and node.stage is None:
                return rebuilt(replace(node, stage=index - 1), change)
            case _:
                return None

    def renamed(node: Node) -> Node:
        return rebuilt(node, change)

    return stage.mapped(renamed)


def plus(a: Node, b: Node) -> Node:
    """The i32 sum."""
    return Op("add", (a, b), I32)


def last_of(low: Node, length: Node) -> Node:
    """The last place of an interval."""
    return Op("sub", (plus(low, length), number(1)), I32)
