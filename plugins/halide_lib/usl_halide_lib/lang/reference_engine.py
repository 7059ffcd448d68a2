"""β0 (fig. 2.10b, corrected as halide.md §5.2 says): plain intervals, conditions ignored. What any engine must at least answer.

Answers are expressions over parameters, windows, the loops around a hole, and other holes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from usl_halide_lib.lang.nodes import Const, Hole, ImageRead, Name, Node, Op, Read, number
from usl_halide_lib.lang.query import Conjunct, Equal, Family, ForAll, HasBox, HasPoint, Path, Query, query
from usl_halide_lib.lang.target import Target
from usl_halide_lib.lang.types import I32

Ends = tuple[Node | None, Node | None]
"""The first and the last value; None is an infinity."""


@dataclass
class Reference:
    """What β0 found; a family with an infinity is not answered, and the engine fails."""

    boxes: dict[Family, tuple[Ends, ...]]

    @property
    def has_failed(self) -> bool:
        """Whether an infinity reaches a hole."""
        return any(end is None for family, box in self.boxes.items() if family.kind != "image" for ends in box for end in ends)

    def fill(self, hole: Hole) -> Node:
        """The expression for a hole, which may have other holes."""
        low, high = self.boxes[Family(hole.kind, hole.func, hole.stage, hole.spec)][hole.dim]
        assert low is not None and high is not None
        return low if hole.end == "min" else _plus(_minus(high, low), number(1))


def reference(target: Target) -> Reference:
    """β0's answer for a target program."""
    asked = query(target)
    found = Reference({})
    for conjunct in reversed(asked.conjuncts):
        _visit(found, asked, conjunct)
    return found


def _visit(found: Reference, asked: Query, conjunct: Conjunct) -> None:
    atom = conjunct.atom
    if not isinstance(atom, HasPoint | HasBox):
        return
    ranges = _ranges(conjunct.path, {str(key) for key in asked.scopes[atom.family]})
    if isinstance(atom, HasPoint):
        box = tuple(interval(each, ranges) for each in atom.index)
    else:
        box = tuple(
            (interval(low, ranges)[0], interval(_minus(_plus(low, length), number(1)), ranges)[1]) for low, length in atom.box
        )
    old = found.boxes.get(atom.family)
    found.boxes[atom.family] = box if old is None else tuple(hull(a, b) for a, b in zip(old, box, strict=True))


def _ranges(path: Path, fixed: set[str]) -> dict[str, Ends]:
    """The intervals of a path's variables; a variable that is fixed is a point."""
    ranges: dict[str, Ends] = {}
    for binder in path:
        match binder:
            case ForAll(key=key, min=low, len=length) if str(key) not in fixed:
                last = interval(_minus(_plus(low, length), number(1)), ranges)[1]
                ranges[str(key)] = (interval(low, ranges)[0], last)
            case Equal(key=key, value=value) if str(key) not in fixed:
                ranges[str(key)] = interval(value, ranges)
            case _:
                pass
    return ranges


def interval(node: Node, ranges: dict[str, Ends]) -> Ends:
    """The interval of an expression."""
    match node:
        case Const() | Hole():
            return node, node
        case Name(name=name, type=typ):
            return ranges.get(name, (node, node)) if typ == I32 else _of_type(node)
        case Read() | ImageRead():
            return _of_type(node)
        case Op(op=op, args=args):
            if op in ("cast", "saturating_cast"):
                inner = interval(args[0], ranges) if args[0].type == I32 else _of_type(args[0])
                return inner if node.type == I32 and not args[0].type.is_float else _of_type(node)
            if node.type != I32:
                return _of_type(node)
            rule = _RULES.get(op)
            return _of_type(node) if rule is None else rule(*(interval(each, ranges) for each in args))


def _of_type(node: Node) -> Ends:
    typ = node.type
    if typ.is_float or typ.bits >= 32:
        return None, None
    return number(typ.least), number(typ.greatest)


def hull(a: Ends, b: Ends) -> Ends:
    """The least interval that has both."""
    return _both("min", a[0], b[0]), _both("max", a[1], b[1])


def _both(op: str, a: Node | None, b: Node | None) -> Node | None:
    if a is None or b is None:
        return None
    return a if a == b else Op(op, (a, b), I32)


def _plus(a: Node, b: Node) -> Node:
    return Op("add", (a, b), I32)


def _minus(a: Node, b: Node) -> Node:
    return Op("sub", (a, b), I32)


def _add(a: Ends, b: Ends) -> Ends:
    return (
        None if a[0] is None or b[0] is None else _plus(a[0], b[0]),
        None if a[1] is None or b[1] is None else _plus(a[1], b[1]),
    )


def _negated(a: Ends) -> Ends:
    return (
        None if a[1] is None else Op("neg", (a[1],), I32),
        None if a[0] is None else Op("neg", (a[0],), I32),
    )


def _product(a: Ends, b: Ends) -> Ends:
    corners = [Op("mul", (x, y), I32) for x in a if x is not None for y in b if y is not None]
    if len(corners) < 4:
        return None, None
    return _all("min", corners), _all("max", corners)


def _all(op: str, nodes: list[Op]) -> Node:
    result: Node = nodes[0]
    for each in nodes[1:]:
        result = Op(op, (result, each), I32)
    return result


def _quotient(a: Ends, _b: Ends) -> Ends:
    """[-M, M], M = max(-min, max): the printed rule ends at M - 1 and misses x itself where the divisor is 1."""
    if a[0] is None or a[1] is None:
        return None, None
    most = Op("max", (Op("neg", (a[0],), I32), a[1]), I32)
    return Op("neg", (most,), I32), most


def _remainder(_a: Ends, b: Ends) -> Ends:
    match b:
        case (Const(value=int(low)), Const(value=high)) if low == high:
            return number(0), number(max(abs(int(low)) - 1, 0))
        case _:
            return None, None


def _bounded(op: str) -> Callable[[Ends, Ends], Ends]:
    """min and max; an operand without an end leaves the other one's on the side that it cannot move."""

    def apply(a: Ends, b: Ends) -> Ends:
        one_sided = 1 if op == "min" else 0
        ends: list[Node | None] = []
        for side in (0, 1):
            x, y = a[side], b[side]
            ends.append((y if x is None else x) if side == one_sided and (x is None or y is None) else _both(op, x, y))
        return ends[0], ends[1]

    return apply


_RULES: dict[str, Callable[..., Ends]] = {
    "add": _add,
    "sub": lambda a, b: _add(a, _negated(b)),
    "neg": _negated,
    "mul": _product,
    "div": _quotient,
    "mod": _remainder,
    "min": _bounded("min"),
    "max": _bounded("max"),
    "select": lambda _c, a, b: hull(a, b),
}
