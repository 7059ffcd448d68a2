"""The data on which the procedures of a chain are compared: what one of them leaves is known when the next is judged."""

from __future__ import annotations

import random
from typing import Any

from tests.fuzz.inputs import Controls, Inputs, control_vectors, random_inputs
from tests.fuzz.refine import Difference, compare_at
from usl_core.analysis.effects import proc_summary
from usl_core.ir.config import FieldSym
from usl_core.ir.nodes import Proc

FACTOR = 4
"""A number around which the sizes of the data for a whole chain lie."""
AROUND = 3
"""Data more for a step with another factor."""
POISONED = (0.0, 0.0, 0.1, 0.4)
"""Shares of what is poison."""


class Samples:
    """Data for `vectors` sizes, drawn anew whenever a step changes what a procedure takes."""

    def __init__(self, rng: random.Random, vectors: int) -> None:
        self.rng, self.vectors = rng, vectors
        self.made_for: Proc | None = None
        self.inputs: list[tuple[Controls, Inputs]] = []

    def difference(
        self,
        before: Proc,
        after: Proc,
        factor: int,
        fixed: Controls,
        modulo: frozenset[FieldSym],
        permute: random.Random | None,
    ) -> Difference | None:
        """Where a step's result does not refine what it was made from, None if it does; the arguments are those of
        `refine.refinement_failure`."""
        if self.made_for is None or fixed or not self._fit(before) or not self._fit(after):
            self.made_for = after
            self.inputs = self._drawn(before, control_vectors(after, self.rng, FACTOR, self.vectors))
        fresh: list[tuple[Controls, Inputs]] = []
        if factor != FACTOR:
            known = [controls for controls, _ in self.inputs]
            more = [c for c in control_vectors(after, self.rng, factor, 2 + AROUND) if c not in known]
            fresh = self._drawn(before, more[:AROUND])
        for controls, inputs in (*self.inputs, *fresh):
            what = compare_at(before, after, inputs, fixed, permute, modulo)
            if what is not None:
                return Difference(controls, inputs, what)
        return None

    def _drawn(self, before: Proc, vectors: list[Controls]) -> list[tuple[Controls, Inputs]]:
        """Data for a step from before to what the data are made for, at each of the vectors."""
        made_for, rng, found = self.made_for, self.rng, []
        assert made_for is not None
        for controls in vectors:
            inputs = random_inputs(made_for, controls, rng, rng.choice(POISONED), proc_summary(before).fields)
            found.append((controls, inputs))
        return found

    def _fit(self, proc: Proc) -> bool:
        """Whether proc takes what is there: the same formals under the same assertions, and no field that has no value."""
        made_for: Any = self.made_for
        same = proc.args is made_for.args and proc.preds is made_for.preds
        return same and all(set(proc_summary(proc).fields) <= set(inputs.fields) for _, inputs in self.inputs)
