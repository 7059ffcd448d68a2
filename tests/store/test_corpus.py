"""What the store gives is what the operator gives: for every legal step of the corpus."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.corpus import legal
from tests.corpus.case import Legal, apply, cases_in
from usl_core.cursors.path import ArgLoc, BlockLoc, GapLoc, Loc, NodeLoc
from usl_core.ir.nodes import For, If, Node, Proc
from usl_core.ir.traverse import children, same
from usl_core.ir.verify import verify
from usl_core.procedure import Procedure

CASES: list[Legal] = cases_in(legal)


def locations(proc: Proc) -> Iterator[Loc]:
    """The places of a procedure: nodes, gaps, and blocks."""
    yield from map(ArgLoc, range(len(proc.args)))
    yield from _below(proc, ())


def _below(node: Node, path: tuple[tuple[str, int | None], ...]) -> Iterator[Loc]:
    for step, child in children(node):
        yield NodeLoc((*path, step))
        yield from _below(child, (*path, step))
    for field in ("body", "orelse") if isinstance(node, If) else ("body",) if isinstance(node, For | Proc) else ():
        length = len(getattr(node, field))
        for lo in range(length):
            yield GapLoc(path, field, lo, "before")
            yield GapLoc(path, field, lo, "after")
            yield from (BlockLoc(path, field, lo, hi) for hi in range(lo + 1, length + 1))


@pytest.mark.parametrize("case", CASES, ids=[f"{case.operator}-{case.name}" for case in CASES])
def test_a_step_from_the_store_is_the_step(case: Legal, new_process: Callable[[], None], worked_out: list[str]) -> None:
    before, step = apply(case, case.program.names())
    after = step()
    first = len(worked_out)
    new_process()
    again, step = apply(case, case.program.names())
    made = step()
    assert worked_out[first:] == [], "not from the store"
    assert_same(before, after, again, made)


def assert_same(before: Procedure, after: Procedure, again: Procedure, made: Procedure) -> None:
    """Text, history and forwarding of two versions are the same."""
    verify(made.ir)
    assert same(after.ir, made.ir)
    assert str(made) == str(after)
    assert made.assurance() == after.assurance()
    told = [
        (str(s), s.relation, dict(s.proofs), {f.name for f in s.modulo}, {(n.name, v) for n, v in s.fixed})
        for s in after.history()
    ]
    assert told == [
        (str(s), s.relation, dict(s.proofs), {f.name for f in s.modulo}, {(n.name, v) for n, v in s.fixed})
        for s in made.history()
    ]
    if after._lineage.descends_from(before._lineage):
        for loc in locations(before.ir):
            assert made._lineage.forward_from(again._lineage, loc) == after._lineage.forward_from(before._lineage, loc), loc
