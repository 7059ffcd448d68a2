"""The bounds query B(T) (fig. 2.10a, corrected as halide.md §5.1 says): what the holes of a target program must satisfy.

A conjunction in the order of the text. Each conjunct has the loops, conditions and names under which it stands; a hole is
chosen once per iteration of the loops around its label (compute) or its allocation (memory), which are its scope.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from usl_core.errors import Span
from usl_halide_lib.lang.lower import hole_stage
from usl_halide_lib.lang.nodes import FuncDef, ImageRead, Node, Op, Read, children, show, walk
from usl_halide_lib.lang.target import (
    Allocate,
    Assert,
    Assign,
    For,
    If,
    Label,
    Let,
    LoopKey,
    Nop,
    Prefetch,
    Seq,
    Stmt,
    Target,
    cpu,
    statements,
)
from usl_halide_lib.lang.target import window as window_of


@dataclass(frozen=True, slots=True)
class Family:
    """The holes of one func: kind is "mem" or "cpu", stage and spec as in `Hole`; or "image", what is read of an input."""

    kind: str
    func: str
    stage: int | None = None
    spec: int | None = None

    def __str__(self) -> str:
        stage = "" if self.stage is None else f"^{self.stage}"
        return f"?{self.kind} {self.func}{stage}{'' if self.spec is None else f'[{self.spec}]'}"


@dataclass(frozen=True, slots=True)
class ForAll:
    """Under all iterations of a loop."""

    key: LoopKey
    min: Node
    len: Node


@dataclass(frozen=True, slots=True)
class Equal:
    """Under a name for a value, which is known to be in the interval `within` (min, length) if that is given."""

    key: LoopKey
    value: Node
    within: tuple[Node, Node] | None = None


@dataclass(frozen=True, slots=True)
class Given:
    """Where a condition holds, or does not; chosen if it is that of a `select`."""

    cond: Node
    holds: bool
    chosen: bool = False


@dataclass(frozen=True, slots=True)
class Inside:
    """Where a point is in the compute bounds of what is assigned there, in the given dimensions."""

    family: Family
    index: tuple[Node, ...]
    dims: tuple[int, ...]


Binder = ForAll | Equal | Given | Inside
Path = tuple[Binder, ...]


@dataclass(frozen=True, slots=True)
class HasPoint:
    """The holes' box has a point; read is the access that needs it, if it is one."""

    family: Family
    index: tuple[Node, ...]
    read: Read | ImageRead | None = field(default=None, compare=False)
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class HasBox:
    """The holes' box has another one, intervals as (min, length)."""

    family: Family
    box: tuple[tuple[Node, Node], ...]


@dataclass(frozen=True, slots=True)
class IsRange:
    """A length is not negative."""

    length: Node


@dataclass(frozen=True, slots=True)
class Assumed:
    """An assertion of the schedule, tested when the program starts."""

    cond: Node


@dataclass(frozen=True, slots=True)
class Conjunct:
    """One requirement and what it stands under, outermost first."""

    path: Path
    atom: HasPoint | HasBox | IsRange | Assumed


@dataclass(frozen=True, slots=True)
class Query:
    """The conjuncts, and for each family the loops in whose scope its holes are chosen."""

    conjuncts: tuple[Conjunct, ...]
    scopes: dict[Family, tuple[LoopKey, ...]]

    def text(self) -> str:
        """One conjunct per line: what it stands under, and what must hold."""
        return "".join(f"{''.join(map(_binder_text, each.path))}{_atom_text(each.atom)}\n" for each in self.conjuncts)


def _binder_text(binder: Binder) -> str:
    match binder:
        case ForAll(key=key, min=low, len=length):
            return f"∀ {key} ∈ ({show(low)}, {show(length)}): "
        case Equal(key=key, value=value):
            return f"∀ {key} = {show(value)}: "
        case Given(cond=cond, holds=holds):
            return f"{show(cond)} ⇒ " if holds else f"¬({show(cond)}) ⇒ "
        case Inside(family=family, index=index, dims=dims):
            return f"({', '.join(show(index[dim]) for dim in dims)}) ∈ {family} ⇒ "


def _atom_text(atom: HasPoint | HasBox | IsRange | Assumed) -> str:
    match atom:
        case HasPoint(family=family, index=index):
            return f"({', '.join(map(show, index))}) ∈ {family}"
        case HasBox(family=family, box=box):
            return f"[{', '.join(f'({show(low)}, {show(length)})' for low, length in box)}] ⊆ {family}"
        case IsRange(length=length):
            return f"{show(length)} ≥ 0"
        case Assumed(cond=cond):
            return f"assume {show(cond)}"


def query(target: Target, choosing: bool = True) -> Query:
    """B(T). Without choosing both operands of a `select` have to be right, whichever is taken."""
    conjuncts = list(_statement(target, target.body, ()))
    if not choosing:
        conjuncts = [_unconditional(each) for each in conjuncts]
    for name in target.algorithm.outputs:
        arity = len(target.algorithm.func(name).args)
        conjuncts.append(Conjunct((), HasBox(Family("cpu", name), tuple(window_of(name, dim) for dim in range(arity)))))
    return Query(tuple(conjuncts), scopes(target))


def _unconditional(conjunct: Conjunct) -> Conjunct:
    path = tuple(each for each in conjunct.path if not (isinstance(each, Given) and each.chosen))
    return conjunct if len(path) == len(conjunct.path) else replace(conjunct, path=path)


def scopes(target: Target) -> dict[Family, tuple[LoopKey, ...]]:
    """For each family of holes the loops around the place where they are chosen, outermost first."""
    found: dict[Family, tuple[LoopKey, ...]] = {Family("image", name): () for name, _, _ in target.algorithm.images}

    def visit(stmt: Stmt, around: tuple[LoopKey, ...]) -> None:
        match stmt:
            case Allocate(func=func):
                found[Family("mem", func)] = around
            case Label(func=func, stage=None):
                for family in families(target, stmt):
                    found[family] = around
                visit(stmt.body, around)
            case For(key=key, body=body) | Let(key=key, body=body):
                visit(body, (*around, key))
            case Seq(body=parts):
                for each in parts:
                    visit(each, around)
            case If(then=then, other=other):
                visit(then, around)
                visit(other, around)
            case Label(body=body):
                visit(body, around)
            case Nop() | Assert() | Assign() | Prefetch():
                pass

    visit(target.body, ())
    return found


def families(target: Target, label: Label) -> set[Family]:
    """The families of compute holes of a func whose label is given."""
    func = target.algorithm.func(label.func)
    specs = {each.spec for each in statements(label.body) if isinstance(each, Assign) and each.func == label.func}
    return {family_of(target, func.name, stage, spec) for stage in range(len(func.stages)) for spec in specs}


def family_of(target: Target, func: str, stage: int | None, spec: int | None) -> Family:
    """The compute holes of a stage; those of the last stage are shared by all specialisations."""
    last = stage is None or hole_stage(target.algorithm.func(func), stage) is None
    return Family("cpu", func, None if last else stage, None if last else spec)


def _statement(target: Target, stmt: Stmt, path: Path) -> Iterator[Conjunct]:
    match stmt:
        case Nop() | Allocate() | Prefetch():
            return
        case Assert(cond=cond):
            yield Conjunct(path, Assumed(cond))
        case Seq(body=body):
            for each in body:
                yield from _statement(target, each, path)
        case Label(body=body):
            yield from _chain(target, stmt, path)
            yield from _statement(target, body, path)
        case For(key=key, min=low, len=length, body=body):
            yield Conjunct(path, IsRange(length))
            yield from _statement(target, body, (*path, ForAll(key, low, length)))
        case Let(key=key, value=value, body=body):
            yield from _reads(target, value, path, None, None, computes=True)
            yield from _statement(target, body, (*path, Equal(key, value, stmt.within)))
        case If(cond=cond, then=then, other=other):
            yield from _reads(target, cond, path, None, None, computes=True)
            yield from _statement(target, then, (*path, Given(cond, True)))
            yield from _statement(target, other, (*path, Given(cond, False)))
        case Assign():
            yield from _assignment(target, stmt, path)


def _chain(target: Target, label: Label, path: Path) -> Iterator[Conjunct]:
    """`?cpu f^i ⊆ ?cpu f^{i-1}`: what a stage must hold, the stage before must hold too."""
    if not label.stage:
        return
    func = target.algorithm.func(label.func)
    specs = {each.spec for each in statements(label.body) if isinstance(each, Assign) and each.func == label.func}
    for spec in sorted(specs, key=lambda each: -1 if each is None else each):
        here, before = (family_of(target, func.name, stage, spec) for stage in (label.stage, label.stage - 1))
        box = tuple(cpu(func.name, dim, here.stage, here.spec) for dim in range(len(func.args)))
        yield Conjunct(path, HasBox(before, box))


def _assignment(target: Target, stmt: Assign, path: Path) -> Iterator[Conjunct]:
    """`f^i[ē] ← e0`: ē ∈ ?mem f ∧ C(ē) ∧ M(e0) ∧ (ē ∈ ?cpu f^i ⇒ C(e0)).

    A stage that reads its func at other places than it writes sees what its earlier iterations wrote there, so all of a slice
    must be right if any of it is: the antecedent then only speaks of the pure dimensions. (The source has it for all, and
    `f[r] = f[r - 1]` would start from what nobody computed.)
    """
    func, spec = stmt.func, stmt.spec
    yield Conjunct(path, HasPoint(Family("mem", func), stmt.index, None, stmt.span))
    for each in stmt.index:
        yield from _reads(target, each, path, func, spec, computes=True)
    definition = target.algorithm.func(func)
    dims = range(len(definition.args))
    if reads_other_places(definition, stmt.stage):
        dims_kept = tuple(dim for dim in dims if definition.is_pure_in(stmt.stage, dim))
    else:
        dims_kept = tuple(dims)
    inside = (*path, Inside(family_of(target, func, stmt.stage, spec), stmt.index, dims_kept))
    for each in stmt.values:
        yield from _reads(target, each, path, func, spec, computes=False)
        yield from _reads(target, each, inside, func, spec, computes=True)


def reads_other_places(func: FuncDef, number: int) -> bool:
    """Whether a stage reads its own func at a place that is not the one it writes."""
    stage = func.stages[number]
    reads = (each for e in stage.expressions() for each in walk(e) if isinstance(each, Read) and each.func == func.name)
    return any(read.index != stage.index for read in reads)


def _reads(
    target: Target, node: Node, path: Path, own: str | None, spec: int | None, computes: bool, chosen: Path = ()
) -> Iterator[Conjunct]:
    """C(node), or M(node): the accesses in a node; own and spec are the func and the specialisation that it stands in.

    chosen has the conditions of the `select`s around the node: what the other operand reads need not be right, but it is read,
    so memory and the values that it is found by do not depend on them.
    """
    if isinstance(node, ImageRead):
        for each in node.index:
            yield from _reads(target, each, path, own, spec, computes=True)
        yield Conjunct(path, HasPoint(Family("image", node.image), node.index, node, node.span))
        return
    if isinstance(node, Read):
        for each in node.index:
            yield from _reads(target, each, path, own, spec, computes=True)
        yield Conjunct(path, HasPoint(Family("mem", node.func), node.index, node, node.span))
        if computes:
            family = family_of(target, node.func, node.stage, spec if node.func == own else None)
            yield Conjunct((*path, *chosen) if chosen else path, HasPoint(family, node.index, node, node.span))
        return
    if isinstance(node, Op) and node.op == "select":
        cond, then, other = node.args
        yield from _reads(target, cond, path, own, spec, computes, chosen)
        yield from _reads(target, then, path, own, spec, computes, (*chosen, Given(cond, True, True)))
        yield from _reads(target, other, path, own, spec, computes, (*chosen, Given(cond, False, True)))
        return
    for each in children(node):
        yield from _reads(target, each, path, own, spec, computes, chosen)
