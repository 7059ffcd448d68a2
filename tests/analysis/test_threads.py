"""Several threads ask at once: every answer is the one that a thread alone gets, and none meets an error."""

from __future__ import annotations

import itertools
import sys
import threading
from collections.abc import Callable, Iterator, Sequence

import pytest

from usl_core.analysis import affine, solver
from usl_core.analysis import formula as fml
from usl_core.analysis.bounding import Hypotheses
from usl_core.analysis.formula import Formula
from usl_core.ir.sym import Sym

THREADS = 4
A, B = Sym("a"), Sym("b")


@pytest.fixture(autouse=True)
def switching_often() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def answers(ask: Callable[[int], object]) -> list[object]:
    """What each of THREADS threads, which begin together, gets from ask with its number."""
    found: list[object] = [None] * THREADS
    together = threading.Barrier(THREADS)

    def run(number: int) -> None:
        together.wait()
        try:
            found[number] = ask(number)
        except Exception as error:
            found[number] = error

    threads = [threading.Thread(target=run, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


CHAIN = [Sym(f"x{number}") for number in range(25)]


def place() -> Hypotheses:
    """Names that each must be further than the one before: what satisfies all of that is found in many steps."""
    forms = [affine.var(name) for name in CHAIN]
    return Hypotheses([fml.ge(after - before, 3) for before, after in itertools.pairwise(forms)])


def goals() -> Sequence[Formula]:
    """Of which some hold, and some fail."""
    first, last = affine.var(CHAIN[0]), affine.var(CHAIN[-1])
    return [fml.ge(last - first, distance) for distance in (70, 72, 73, 1000)]


def test_threads_look_for_witnesses_of_one_place() -> None:
    for _ in range(10):
        shared, alone = place(), place()
        found = answers(lambda number, shared=shared: [shared.refuting(goal) is None for goal in goals()])  # type: ignore[misc]
        assert found == [[alone.refuting(goal) is None for goal in goals()]] * THREADS


def test_threads_ask_z3_at_once() -> None:
    a, b = affine.var(A), affine.var(B)

    def ask(number: int) -> list[str]:
        odd = (fml.eq(a.scale(2 * each) - b.scale(2 * each), 1 + each % 2 * (2 * each - 1)) for each in range(1, 13))
        return [solver._z3_prove([fml.ge(a, number)], fml.not_(goal), []).kind for goal in odd]

    assert answers(ask) == [ask(number) for number in range(THREADS)]
    assert set(ask(0)) == {"proved", "refuted"}
