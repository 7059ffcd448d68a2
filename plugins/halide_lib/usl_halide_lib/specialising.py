"""specialize: copies of a stage for when conditions on sizes hold, with loops of their own.

If other funcs are computed in the stage, the whole block is copied with it, so that each copy of the stage has its own
producers; halide.md, I.3, where Halide has a copy of these in each branch.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from usl_core.cursors import IfCursor
from usl_core.scheduling import specialize
from usl_halide_lib.compute import transfer
from usl_halide_lib.directives import Directive
from usl_halide_lib.order import LOOPS, Key
from usl_halide_lib.places import Stage
from usl_halide_lib.working import Working


def specialisations(working: Working, directives: Iterable[Directive], stage: Stage) -> list[Key]:
    """Make the specialisations of a stage; the keys of all of them, the unspecialised stage last.

    Several make one chain, in the order of the text, of which the first whose condition holds is taken.
    """
    found = sorted(directives, key=lambda each: each.position)
    mine = [each for each in found if each.func == stage.func.name and each.stage == stage.number]
    return [*_below(working, mine, stage, ""), (stage.func.name, stage.number, "")]


def _below(working: Working, directives: list[Directive], stage: Stage, branch: str) -> list[Key]:
    """Those of one branch, and of the branches inside of them."""
    keys: list[Key] = []
    for directive in directives:
        if directive.branch != branch:
            continue
        condition, name = directive.args
        key = (stage.func.name, stage.number, name)
        with working.applying(directive):
            copy = _copied(working, stage, condition)
        working.branches[key] = copy
        keys += [*_below(working, directives, copy, name), key]
    return keys


def _copied(working: Working, stage: Stage, condition: str) -> Stage:
    """The copy of a stage for when a condition holds; the stage itself becomes the other one."""
    order = working.order(stage)
    root = working.at(stage.loops[order[0]] if order else stage.write)
    copy = Stage(
        stage.func,
        stage.number,
        root,
        list(stage.writes),
        dict(stage.loops),
        pairs=dict(stage.pairs),
        labels=dict(stage.labels),
    )
    working.do(specialize, root, [condition])
    here = working.at(root)
    branch = here.parent()
    assert isinstance(branch, IfCursor)
    orelse = branch.orelse()
    assert orelse
    transfer(working, stage, here, orelse[0])
    return copy


# ---- stages that others are computed in

ON_LOOPS = (
    *LOOPS,
    "vectorize",
    "unroll",
    "parallel",
    "serial",
    "atomic",
    "prefetch",
    "partition",
    "never_partition",
    "specialize",
)
"""The directives that a copy of a stage has of its own."""


def hosting(directives: Iterable[Directive]) -> Directive | None:
    """The first specialisation of a stage in whose loops other funcs are computed or stored."""
    found = list(directives)
    hosts = {each.args[0] for each in found if each.name in ("compute_at", "store_at", "hoist_storage")}
    mine = [each for each in found if each.name == "specialize" and not each.branch and each.func in hosts]
    return min(mine, key=lambda each: each.position, default=None)


def directives_of(copy: bool, directives: Iterable[Directive], chosen: Directive) -> list[Directive]:
    """The directives for the copy of a block for when a specialisation holds, or for the block where it does not."""
    found = list(directives)
    inside = {chosen.args[1]}
    while more := {one.args[1] for one in found if one.name == "specialize" and one.branch in inside} - inside:
        inside |= more
    result = []
    for each in found:
        elsewhere = (each.func, each.stage) != (chosen.func, chosen.stage) or each.name not in ON_LOOPS
        if elsewhere or (not copy and each is not chosen and each.branch not in inside):
            result.append(each)
        elif copy and each.branch in inside:
            result.append(replace(each, branch="") if each.branch == chosen.args[1] else each)
    return result


def block_copied(working: Working, chosen: Directive) -> tuple[Any, Any, Any]:
    """Copy the block that is worked on: the `if`, the copy for when the condition holds, and the other one."""
    first = next(stage for func in working.funcs.values() for stage in func.stages)
    with working.applying(chosen):
        block = working.block_of(first.write).expand()
        working.do(specialize, block, [chosen.args[0]])
        copy = working.at(block)
        branch = copy[0].parent()
        return branch, copy, branch.orelse()
