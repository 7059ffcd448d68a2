"""What assertions of a schedule ask of bounds (halide.md §8): `bound` and `align_bounds` of funcs that are no outputs.

The engine widens an interval so that the assertion holds; what needs more than the assertion allows is refused, or stopped by
the assertion when it runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from usl_halide_lib.lang.errors import refuse
from usl_halide_lib.lang.linear import Facts, Lin, const, ends, extremum, quotient
from usl_halide_lib.lang.nodes import Const, Hole, Node, Op, show
from usl_halide_lib.lang.query import Assumed, Conjunct, Family

Interval = tuple[Lin, Lin]


@dataclass(frozen=True, slots=True)
class Restriction:
    """What is asserted of one dimension; None is nothing."""

    low: Node | None = None
    length: Node | None = None
    modulus: int = 1
    remainder: Node | None = None

    def widened(self, interval: Interval | None, form: Callable[[Node], Lin], facts: Facts, exactly: bool = False) -> Interval:
        """The interval that holds another one and obeys; None is an empty one. exactly: what is asserted, itself."""
        low, high = interval or (const(0), const(-1))
        if exactly and self.length is not None and self.modulus == 1:
            low = low if self.low is None else form(self.low)
            return low, low + form(self.length) - 1
        if self.low is not None:
            low = form(self.low) if interval is None else extremum(False, [low, form(self.low)], facts)
        if self.remainder is not None:
            remainder = form(self.remainder)
            low = quotient(low - remainder, self.modulus).scaled(self.modulus) + remainder
        if self.length is not None:
            first = low if self.low is None else form(self.low)
            high = extremum(True, [high, first + form(self.length) - 1], facts)
        if self.modulus > 1:
            high = low + quotient(high - low + self.modulus, self.modulus).scaled(self.modulus) - 1
        return low, high

    def refuted(self, interval: Interval, form: Callable[[Node], Lin], facts: Facts) -> bool:
        """Whether an interval certainly needs more than is asserted."""
        low, high = interval
        first = low if self.low is None else form(self.low)
        below = ends(low - first, facts)[1]
        beyond = None if self.length is None else ends(high - first - form(self.length), facts)[0]
        return (below is not None and below < 0) or (beyond is not None and beyond >= 0)

    def __str__(self) -> str:
        parts = [f"min {show(self.low)}"] if self.low is not None else []
        parts += [f"extent {show(self.length)}"] if self.length is not None else []
        return " and ".join([*parts, *([f"multiples of {self.modulus}"] if self.modulus > 1 else [])])


@dataclass
class Restrictions:
    """By the family of a func's last stage and the dimension."""

    known: dict[tuple[Family, int], Restriction] = field(default_factory=dict)
    exactly: bool = False
    """Whether what is asserted has been tested, so that it is what there is."""

    @classmethod
    def of(cls, conjuncts: Iterable[Conjunct], outputs: tuple[str, ...]) -> Restrictions:
        """What the assertions of a query say of the bounds of funcs that are no outputs."""
        found = cls()
        for each in conjuncts:
            if isinstance(each.atom, Assumed):
                found._add(each.atom.cond, outputs)
        return found

    def _add(self, cond: Node, outputs: tuple[str, ...]) -> None:
        match cond:
            case Op(op="eq", args=(Hole(end="min") as hole, low)):
                self._put(hole, outputs, low=low)
            case Op(op="eq", args=(Hole(end="len") as hole, length)):
                self._put(hole, outputs, length=length)
            case Op(op="eq", args=(Op(op="mod", args=(Hole(end="min") as hole, Const(value=modulus))), remainder)):
                self._put(hole, outputs, modulus=int(modulus), remainder=remainder)
            case _:
                pass

    def _put(self, hole: Hole, outputs: tuple[str, ...], **given: object) -> None:
        if hole.func not in outputs:
            key = Family(hole.kind, hole.func, hole.stage, hole.spec), hole.dim
            self.known[key] = replace(self.known.get(key, Restriction()), **given)  # type: ignore[arg-type]

    def check(self, boxes: dict[Family, tuple[Interval, ...]], form: Callable[[Node], Lin], facts: Facts) -> None:
        """Refuse an assertion that cannot hold.

        Raises:
            AlgorithmError: E775.
        """
        for (family, dim), restriction in self.known.items():
            box = boxes.get(family)
            if box is not None and restriction.refuted(box[dim], form, facts):
                message = f"{family.func} is needed beyond what is asserted of dimension {dim}: {restriction}"
                raise refuse(message, code="E775", notes=("hint: a larger bound, or none: bounds are found without it",))
