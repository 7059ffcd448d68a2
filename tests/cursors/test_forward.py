"""Forwarding through many versions."""

from __future__ import annotations

import random

import pytest

from usl_core.cursors.edits import delete, insert
from usl_core.cursors.forward import Lineage, compose, forward_through, identity
from usl_core.cursors.path import BlockLoc, Dead, GapLoc, Loc, NodeLoc
from usl_core.ir.nodes import Pass, Proc

FIRST = GapLoc((), "body", 0, "before")


def shift(loc: Loc) -> Loc:
    """The forwarding of an insertion at the top of a body."""
    assert isinstance(loc, NodeLoc)
    ((name, index),) = loc.path
    assert index is not None
    return NodeLoc(((name, index + 1),))


def die(loc: Loc) -> Loc:
    return Dead("removed by die")


def at(index: int) -> NodeLoc:
    return NodeLoc((("body", index),))


def test_composition_applies_the_oldest_step_first_and_stops_at_death():
    assert forward_through([shift, shift], at(0)) == at(2)
    assert compose(shift, die, shift)(at(0)) == Dead("removed by die")
    assert compose() is identity
    assert compose(identity, shift) is shift


def test_a_lineage_forwards_from_every_ancestor_as_the_steps_one_by_one():
    versions = [Lineage()]
    for _ in range(40):
        versions.append(versions[-1].step(shift))
    for start in range(41):
        for end in range(start, 41):
            assert versions[end].forward_from(versions[start], at(5)) == at(5 + end - start)


def test_versions_branch():
    root = Lineage()
    stem = root.step(shift)
    left, right = stem.step(shift), stem.step(die)
    assert left.forward_from(root, at(0)) == at(2)
    assert right.forward_from(root, at(0)) == Dead("removed by die")
    assert left.descends_from(stem)
    assert not left.descends_from(right)
    assert not stem.descends_from(left)
    with pytest.raises(ValueError, match="not an ancestor"):
        left.forward_from(right, at(0))


def test_a_lineage_of_random_length_and_start_agrees_with_the_plain_composition():
    rng = random.Random(7)
    proc = Proc("p", (), (), tuple(Pass() for _ in range(6)))
    procs, steps, versions = [proc], [], [Lineage()]
    for _ in range(60):
        if rng.random() < 0.4 and len(procs[-1].body) > 1:
            from_end = NodeLoc((("body", rng.randrange(len(procs[-1].body))),))
            index = from_end.path[0][1]
            new, forward = delete(procs[-1], block_at(index or 0))
        else:
            new, forward = insert(procs[-1], GapLoc((), "body", rng.randrange(len(procs[-1].body)), "after"), (Pass(),))
        procs.append(new)
        steps.append(forward)
        versions.append(versions[-1].step(forward))
    for start in (0, 1, 7, 31, 58):
        for index in range(len(procs[start].body)):
            for end in (start, 32, 59, 60):
                if end >= start:
                    expected = forward_through(steps[start:end], at(index))
                    assert versions[end].forward_from(versions[start], at(index)) == expected


def block_at(index: int) -> BlockLoc:
    return BlockLoc((), "body", index, index + 1)


def test_ten_thousand_steps_are_forwarded_once_and_then_remembered():
    calls = 0

    def counted(loc: Loc) -> Loc:
        nonlocal calls
        calls += 1
        return shift(loc)

    first = version = Lineage()
    for _ in range(10_000):
        version = version.step(counted)
    assert version.forward_from(first, at(0)) == at(10_000)
    assert calls == 10_000
    assert version.forward_from(first, at(0)) == at(10_000)
    assert calls == 10_000  # asked again: nothing is recomputed
    for more in range(1, 101):  # a schedule that forwards its cursor after each step pays for the new steps, not for all
        version = version.step(counted)
        assert version.forward_from(first, at(0)) == at(10_000 + more)
    assert calls < 10_000 + 100 * 40


def test_ten_thousand_insertions_are_forwarded_through_real_edits():
    proc = Proc("p", (), (), (Pass(),))
    version = first = Lineage()
    edited = proc
    for _ in range(10_000):
        edited, forward = insert(proc, FIRST, (Pass(),))  # each step's tree has one statement; only the map matters here
        version = version.step(forward)
    assert len(edited.body) == 2
    assert version.forward_from(first, at(0)) == at(10_000)
