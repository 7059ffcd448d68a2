"""Facts about control values that last as long as the names in them, and what follows from them alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from usl_core.analysis import affine, bounding
from usl_core.analysis.affine import Atom, Lin
from usl_core.analysis.bounding import Hypotheses
from usl_core.analysis.equations import limits, solved
from usl_core.analysis.formula import Formula
from usl_core.ir.memo import lazy

_MANY = 64
"""Continuations of some facts that are kept."""


@dataclass(frozen=True)
class Facts:
    """Formulas that hold at a place, in the order in which they became known."""

    formulas: tuple[Formula, ...] = ()
    before: Facts | None = field(default=None, compare=False, repr=False)
    """Facts that these are a continuation of."""

    def with_more(self, formulas: Iterable[Formula]) -> Facts:
        """These and more; what was known stays known."""
        new = tuple(formulas)
        if not new:
            return self
        if not bounding.remembers:
            return Facts((*self.formulas, *new), self)
        found = self._more.get(new)
        if found is None:
            if len(self._more) >= _MANY:
                self._more.clear()
            found = self._more[new] = Facts((*self.formulas, *new), self)
        return found

    @lazy
    def _more(self) -> dict[tuple[Formula, ...], Facts]:
        """These facts with others: the same objects each time that a place is reached."""
        return {}

    def knowing(self, formulas: Iterable[Formula]) -> Facts:
        """With facts about sizes, which often are known already, or follow at once: `n + 3 >= 1` where n is a size."""
        known = self.hypotheses
        return self.with_more(f for f in dict.fromkeys(formulas) if f not in known.members and not known.bound(f))

    @lazy
    def hypotheses(self) -> Hypotheses:
        """The formulas, indexed for `prove`."""
        if self.before is None:
            return Hypotheses.at(self.formulas)
        return self.before.hypotheses.with_more(self.formulas[len(self.before.formulas) :])

    @lazy
    def numbers(self) -> Mapping[Atom, Lin]:
        """Atoms that can be one number only, which is a bound of them, as the bounds of the others show."""
        return {atom: affine.const(end) for atom, end, rest in limits(self.formulas) if self.hypotheses.bound(rest)}

    @lazy
    def equations(self) -> Mapping[Atom, Lin]:
        """What else equations between control values determine, to be put into forms together with `numbers`."""
        return solved(self.formulas, self.numbers)
