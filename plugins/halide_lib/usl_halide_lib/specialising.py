"""specialize: copies of a stage for when conditions on sizes hold, with loops of their own."""

from __future__ import annotations

from collections.abc import Iterable

from usl_core.cursors import IfCursor
from usl_core.scheduling import specialize
from usl_halide_lib.compute import transfer
from usl_halide_lib.directives import Directive
from usl_halide_lib.order import Key
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
