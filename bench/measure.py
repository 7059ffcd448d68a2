"""Timing that survives a noisy machine: contestants take turns, medians are compared, ratios come with a confidence bound."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

Contestant = Callable[[], float]
"""Does the work once; the seconds it took."""


def timed(work: Callable[[], object]) -> Contestant:
    """A contestant that runs work in this process."""

    def once() -> float:
        begin = time.perf_counter()
        work()
        return time.perf_counter() - begin

    return once


@dataclass(frozen=True, slots=True)
class Ratio:
    """How many times faster one contestant is: the median over rounds, and the lower end of its 95 % interval."""

    median: float
    lower95: float


@dataclass(frozen=True, slots=True)
class Timings:
    """Seconds of each contestant, one per round, in the order measured."""

    seconds: Mapping[str, tuple[float, ...]]

    def median(self, name: str) -> float:
        return statistics.median(self.seconds[name])

    def speedup(self, of: str, over: str) -> Ratio:
        """How many times faster `of` is than `over`, from the ratios of rounds in which both ran back to back."""
        ratios = sorted(slow / fast for slow, fast in zip(self.seconds[over], self.seconds[of], strict=True))
        return Ratio(statistics.median(ratios), ratios[lower_rank(len(ratios))])


def lower_rank(n: int, level: float = 0.95) -> int:
    """Index of the sorted sample that bounds the median from below with this one-sided confidence.

    The median lies below the k-th smallest value (k from 0) with probability P(Binomial(n, 1/2) <= k); the largest k for
    which that is at most 1 - level is taken, the smallest value where there is none. No distribution is assumed.
    """
    below, rank = 0.0, 0
    for k in range(n):
        below += math.comb(n, k) / 2**n
        if below > 1 - level:
            break
        rank = k
    return rank


def take_turns(
    contestants: Mapping[str, Contestant],
    rounds: int,
    *,
    warm_up: bool = True,
    on_round: Callable[[int], None] = lambda done: None,
) -> Timings:
    """Let each contestant run once per round; odd rounds run in reverse order.

    With warm_up there is a round before that is not counted. It can be left out for what runs so long that caches and clocks
    do not matter.
    """
    names: Sequence[str] = tuple(contestants)
    for name in names if warm_up else ():
        contestants[name]()
    seconds: dict[str, list[float]] = {name: [] for name in names}
    for done in range(rounds):
        for name in names if done % 2 == 0 else reversed(names):
            seconds[name].append(contestants[name]())
        on_round(done + 1)
    return Timings({name: tuple(values) for name, values in seconds.items()})
