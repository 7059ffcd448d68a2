"""Counts of what the fuzzer tried. They add up, and are written to and read from JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.fuzz.features import FEATURES, SYMBOLIC
from usl_core.errors import Undecided

if TYPE_CHECKING:
    from tests.fuzz.harness import Failure

ENOUGH = 200
"""Tries after which the share that was accepted says something."""
LEAST_ACCEPTED, LEAST_SYMBOLIC = 0.05, 0.5
_COUNTERS = ("accepted", "refused", "undecided", "features", "accepted_features", "checks")
IN_C, CALLS_OF_C, NO_C = "programs in C", "calls of C", "programs that cannot be C"
"""Keys of `Tally.checks`."""
_NUMBERS = ("programs", "rejected_programs")


@dataclass
class Tally:
    """Counts by operator; of programs, and of accepted steps, by what is in the program."""

    accepted: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    undecided: Counter[str] = field(default_factory=Counter)
    features: Counter[str] = field(default_factory=Counter)
    accepted_features: Counter[str] = field(default_factory=Counter)
    checks: Counter[str] = field(default_factory=Counter)
    """What was done beside the steps."""
    programs: int = 0
    rejected_programs: int = 0
    failures: list[Failure] = field(default_factory=list)

    @property
    def steps(self) -> int:
        return self.accepted.total() + self.refused.total() + self.undecided.total()

    def count(self, operator: str, result: object) -> None:
        """Adds one step. result is what the operator gave, or raised."""
        refused = self.refused if isinstance(result, Exception) else self.accepted
        (self.undecided if isinstance(result, Undecided) else refused)[operator] += 1

    def tried(self, operator: str) -> int:
        return self.accepted[operator] + self.refused[operator] + self.undecided[operator]

    def add(self, other: Tally) -> None:
        for name in _COUNTERS:
            getattr(self, name).update(getattr(other, name))
        for name in _NUMBERS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.failures += other.failures

    def to_json(self) -> dict[str, Any]:
        """The counts, not the failures."""
        return {name: dict(sorted(getattr(self, name).items())) for name in _COUNTERS} | {
            name: getattr(self, name) for name in _NUMBERS
        }

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Tally:
        tally = Tally()
        for name in _COUNTERS:
            getattr(tally, name).update(data.get(name, {}))
        for name in _NUMBERS:
            setattr(tally, name, data[name])
        return tally

    def table(self, operators: Iterable[str]) -> str:
        rows = [f"{'operator':<22}{'accepted':>10}{'':>8}{'refused':>10}{'':>8}{'undecided':>11}"]
        rows += [self._row(name, self.accepted[name], self.refused[name], self.undecided[name]) for name in operators]
        rows.append(self._row("all", self.accepted.total(), self.refused.total(), self.undecided.total()))
        rows += ["", f"{'share with':<22}{'of programs':>18}{'of accepted steps':>20}"]
        for name in FEATURES:
            of_programs = _percent(self.features[name], self.programs)
            rows.append(f"{name:<22}{of_programs:>18}{_percent(self.accepted_features[name], self.accepted.total()):>20}")
        rows += ["", *(f"{name:<40}{count:>10}" for name, count in sorted(self.checks.items()))]
        rows.append(f"{self.programs} programs, {self.rejected_programs} more refused by the frontend")
        return "\n".join(rows)

    @staticmethod
    def _row(name: str, accepted: int, refused: int, undecided: int) -> str:
        total = accepted + refused + undecided
        shares = _percent(accepted, total), _percent(refused, total)
        return f"{name:<22}{accepted:>10}{shares[0]:>8}{refused:>10}{shares[1]:>8}{undecided:>11}"

    def shortfalls(self, operators: Iterable[str]) -> list[str]:
        """Where the programs or the arguments are drawn badly: what is tried and nearly never accepted tests little."""
        rare = [
            f"{name}: {_percent(self.accepted[name], self.tried(name))} of {self.tried(name)} accepted, at least 5 % are wanted"
            for name in operators
            if self.tried(name) >= ENOUGH and self.accepted[name] < LEAST_ACCEPTED * self.tried(name)
        ]
        total, symbolic = self.accepted.total(), self.accepted_features[SYMBOLIC]
        if total >= ENOUGH and symbolic < LEAST_SYMBOLIC * total:
            rare.append(f"{SYMBOLIC}: in {_percent(symbolic, total)} of the accepted steps, at least half are wanted")
        return rare


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "-"
