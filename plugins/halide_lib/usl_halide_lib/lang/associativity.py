"""When a reduction may be taken apart (halide.md §8, "rfactor's proof"): its update is an operation that is associative.

An update `f[x] ← op(f[x], g)` is seen as op on two values of f's type. Sums, products, least and greatest values and bit
operations are known; other polynomials are compared as such (which holds modulo 2^N too); the rest is proved by z3 on bit
vectors of the type, or refuted by numbers that are tried first. What is not proved is refused.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from usl_halide_lib.lang import bitvectors
from usl_halide_lib.lang.evaluate import evaluator
from usl_halide_lib.lang.nodes import (
    Const,
    FuncDef,
    ImageRead,
    Name,
    Node,
    Op,
    Read,
    Sort,
    children,
    rebuilt,
    show,
    substituted,
    walk,
)
from usl_halide_lib.lang.polynomials import same_polynomial
from usl_halide_lib.lang.types import BOOL, Type
from usl_halide_lib.lang.valid import is_startup, stage_name

IDENTITIES = {"add": 0, "mul": 1, "bitand": -1, "bitor": 0, "bitxor": 0, "and": 1, "or": 0, "ne": 0}
"""Operations known to be associative and commutative (`ne` on truth values), and what does not count in them."""


@dataclass(frozen=True, slots=True)
class Reassociation:
    """An update as an operation: `combine` over the names of `old` and `new` values, one per element of the func's tuple.

    given is what the stage combines with what is there; identity what changes nothing; how is "known", "polynomial", "z3", or
    "assumed".
    """

    combine: tuple[Node, ...]
    given: tuple[Node, ...]
    identity: tuple[Node, ...]
    commutes: bool
    how: str

    @property
    def ground(self) -> str:
        """Why it may be taken apart, as the assurance says it."""
        if self.how == "assumed":
            return "user's word"
        return "proved" if self.is_exact else "reassociated"

    @property
    def is_exact(self) -> bool:
        """Whether it holds for the machine's numbers, and not only for the reals."""
        return not any(each.type.is_float and _operates(each) for each in self.combine)


def _operates(node: Node) -> bool:
    return any(isinstance(each, Op) and each.op not in ("min", "max", "select", "lt", "le", "gt", "ge") for each in walk(node))


def old(types: Sequence[Type]) -> tuple[Name, ...]:
    """The names of the values that are there."""
    return tuple(Name(f"old.{part}", Sort.LET, typ) for part, typ in enumerate(types))


def new(types: Sequence[Type]) -> tuple[Name, ...]:
    """The names of the values that are combined with these."""
    return tuple(Name(f"new.{part}", Sort.LET, typ) for part, typ in enumerate(types))


def reassociation(func: FuncDef, number: int, *, assume: bool = False) -> Reassociation | str:
    """The operation of an update, or why it is none that may be taken apart. assume: take the user's word that it is one."""
    stage = func.stages[number]
    where = stage_name(func.name, number)
    if number == 0:
        return f"{where} is no update"
    own = [each for each in (*stage.index, *(() if stage.pred is None else (stage.pred,))) if _reads(each, func.name)]
    if own:
        return f"{where} reads {func.name} in {show(own[0])}, and not only in what it combines"
    reads = [each for e in stage.values for each in walk(e) if isinstance(each, Read) and each.func == func.name]
    if any(each.index != stage.index for each in reads):
        return f"{where} reads {func.name} at another place too"
    reason = f"{where} combines {func.name} with no one value per element"
    for combine, given in _operations(func, number):
        found = _recognised(func, number, combine, given, assume)
        if not isinstance(found, str):
            return found
        reason = found
    return reason


def _recognised(
    func: FuncDef, number: int, combine: tuple[Node, ...], given: tuple[Node, ...], assume: bool
) -> Reassociation | str:
    where = stage_name(func.name, number)
    if len(combine) == 1 and isinstance(combine[0], Op) and set(combine[0].args) == {*old(func.types), *new(func.types)}:
        identity = _known_identity(func, number, combine[0])
        if isinstance(identity, str):
            return identity
        if identity is not None:
            return Reassociation(combine, given, (identity,), True, "known")
    how = "assumed" if assume else _associates(combine, func.types)
    if how not in _PROOFS and not assume:
        return f"{where} is not associative: {how}"
    found = _identity(combine, func.types)
    if found is None:
        return f"{where}: nothing is known that does not count in {show_operation(combine)}"
    commutes = assume or _equal(_applied(combine, func.types, "ab"), _applied(combine, func.types, "ba"), func.types) in _PROOFS
    return Reassociation(combine, given, found, commutes, how)


_PROOFS = ("polynomial", "z3")


def show_operation(combine: Sequence[Node]) -> str:
    """An operation as users read it, on a and b."""
    types = [each.type for each in combine]
    return ", ".join(map(show, _applied(combine, types, "ab")))


def _reads(node: Node, func: str) -> bool:
    return any(isinstance(each, Read) and each.func == func for each in walk(node))


def _operations(func: FuncDef, number: int) -> Iterator[tuple[tuple[Node, ...], tuple[Node, ...]]]:
    """The operation over the names of old and new values, and what the new ones are: one expression for each element.

    Which expression is new for which element is open where types agree, so all ways are given.
    """
    stage, olds, news = func.stages[number], old(func.types), new(func.types)
    found: list[Node] = []
    for value in stage.values:
        for node in _without(value, func):
            if not isinstance(node, Const) and node not in found:
                found.append(node)
    if not found:  # f[x] + 3
        found = [each for value in stage.values if isinstance(value, Op) for each in value.args if isinstance(each, Const)]
    if len(found) != len(func.types):
        return
    for places in itertools.permutations(found):
        if [each.type for each in places] != list(func.types):
            continue

        def change(node: Node, places: tuple[Node, ...] = places) -> Node | None:
            if isinstance(node, Read) and node.func == func.name and node.index == stage.index:
                return olds[node.part]
            return next((name for name, given in zip(news, places, strict=True) if node == given), None)

        yield tuple(rebuilt(value, change) for value in stage.values), places


def _without(node: Node, func: FuncDef) -> Iterator[Node]:
    """The greatest parts of an expression that do not read a func and have the type of one of its elements."""
    if not _reads(node, func.name) and (node.type in func.types or not isinstance(node, Op) or node.op != "cast"):
        yield node
    elif not isinstance(node, Read | ImageRead):
        for each in children(node):
            yield from _without(each, func)


def _known_identity(func: FuncDef, number: int, combine: Op) -> Node | str | None:
    """What does not count in an operation of the table; a text if there is nothing, None if it is not in the table."""
    typ, op = combine.type, combine.op
    if op in ("min", "max") and not typ.is_float:
        return Const(typ.greatest if op == "min" else typ.least, typ)
    if op in ("min", "max"):  # of floats an infinity, but no number: what the func begins with takes its place
        first = func.stages[0].values[0]
        if number == 1 and is_startup(first):
            return first
        return (
            f"{op} of floats may be infinite: give {func.name} a number as its first definition, and this as its first update"
        )
    if op not in IDENTITIES or (op == "ne" and combine.args[0].type != BOOL) or (op in ("and", "or") and typ != BOOL):
        return None
    value = IDENTITIES[op]
    return Const(typ.greatest if value < 0 and not typ.is_signed else value, typ)


def _applied(combine: Sequence[Node], types: Sequence[Type], order: str, inner: str = "") -> tuple[Node, ...]:
    """op on the values of two names; with inner, op(op(a, b), c) for "abc" and "left", op(a, op(b, c)) for "right"."""

    def named(name: str) -> tuple[Node, ...]:
        return tuple(Name(name if len(types) == 1 else f"{name}.{part}", Sort.LET, typ) for part, typ in enumerate(types))

    def apply(a: Sequence[Node], b: Sequence[Node]) -> tuple[Node, ...]:
        names = {each.name: value for each, value in zip((*old(types), *new(types)), (*a, *b), strict=True)}
        return tuple(substituted(each, names) for each in combine)

    values = [named(name) for name in order]
    if len(values) == 2:
        return apply(values[0], values[1])
    a, b, c = values
    return apply(apply(a, b), c) if inner == "left" else apply(a, apply(b, c))


def _associates(combine: Sequence[Node], types: Sequence[Type]) -> str:
    """How it is known, or the numbers for which it does not hold."""
    left, right = (_applied(combine, types, "abc", inner) for inner in ("left", "right"))
    return _equal(left, right, types)


def _equal(left: Sequence[Node], right: Sequence[Node], types: Sequence[Type]) -> str:
    """How it is known that two tuples of expressions are equal, or why it is not."""
    if all(same_polynomial(a, b) for a, b in zip(left, right, strict=True)):
        return "polynomial"
    different = _tried(left, right)
    if different is not None:
        return different
    proof = bitvectors.prove_equal(left, right)
    if proof is None:
        return "z3"
    if isinstance(proof, str):
        return proof
    return _shown(left, right, proof) or "z3 gives a counterexample that does not count"


def _names(nodes: Sequence[Node]) -> dict[str, Type]:
    return {each.name: each.type for node in nodes for each in walk(node) if isinstance(each, Name)}


def _samples(typ: Type) -> list[Any]:
    if typ == BOOL:
        return [0, 1]
    if typ.is_float:
        return [Fraction(each) for each in (0, 1, -1, 2, 60, -50, 1000)]
    wanted = (0, 1, -1, 2, 3, 60, -50, 100, typ.least, typ.greatest)
    return sorted({each for each in wanted if typ.least <= each <= typ.greatest}, key=lambda each: (abs(each), each < 0))


MOST_TRIES = 3000
"""How many combinations of numbers are tried before a proof."""


def _tried(left: Sequence[Node], right: Sequence[Node]) -> str | None:
    names = _names((*left, *right))
    for values in itertools.islice(itertools.product(*(_samples(typ) for typ in names.values())), MOST_TRIES):
        different = _shown(left, right, dict(zip(names, values, strict=True)))
        if different is not None:
            return different
    return None


def _shown(left: Sequence[Node], right: Sequence[Node], env: dict[str, Any]) -> str | None:
    """Both results for given values if they differ."""
    results = [tuple(evaluator(each, _no_access, True)(env) for each in side) for side in (left, right)]
    if results[0] == results[1]:
        return None
    given = ", ".join(f"{name} = {_number(value)}" for name, value in sorted(env.items()))
    first, second = (", ".join(map(_number, side)) for side in results)
    return f"with {given} one order gives {first}, the other {second}"


def _number(value: Any) -> str:
    return str(value)


def _no_access(node: Any, index: Any) -> Any:
    raise AssertionError(node)


def _identity(combine: Sequence[Node], types: Sequence[Type]) -> tuple[Node, ...] | None:
    """Numbers of 0, 1, -1 and the ends of the types with op(a, id) = a. From that and op's law, op(a, op(id, b)) = op(a, b)."""
    applied = _applied(combine, types, "ab")
    alone = tuple(Name("a" if len(types) == 1 else f"a.{part}", Sort.LET, typ) for part, typ in enumerate(types))
    for values in itertools.product(*(_candidates(typ) for typ in types)):
        consts = [Const(value, typ) for value, typ in zip(values, types, strict=True)]
        names = ["b"] if len(types) == 1 else [f"b.{part}" for part in range(len(types))]
        right = tuple(substituted(each, dict(zip(names, consts, strict=True))) for each in applied)
        if _equal(right, alone, types) in _PROOFS:
            return tuple(consts)
    return None


def _candidates(typ: Type) -> list[int]:
    if typ == BOOL:
        return [0, 1]
    if typ.is_float:
        return [0, 1]
    return list(dict.fromkeys(each for each in (0, 1, -1, typ.least, typ.greatest) if typ.least <= each <= typ.greatest))
