"""The target language (fig. 2.7): statements whose bounds are holes until bounds inference fills them.

Loop variables have unique names `func.s1[2].x` (lemma 2.4): func, stage, specialisation if there is one, variable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum

from usl_core.errors import Span
from usl_halide_lib.lang.errors import refuse
from usl_halide_lib.lang.nodes import Algorithm, Hole, Name, Node, Sort, rebuilt, show


class Mode(Enum):
    """The order in which a loop is traversed."""

    SERIAL = "for"
    PARALLEL = "parallel"
    VECTORIZED = "vectorized"
    UNROLLED = "unrolled"

    @property
    def is_ordered(self) -> bool:
        """Whether one iteration follows the other; else none may see what another one does."""
        return self in (Mode.SERIAL, Mode.UNROLLED)


@dataclass(frozen=True, slots=True)
class LoopKey:
    """⟨func, specialisation, stage, variable⟩; the specialisation is None where the func has none."""

    func: str
    stage: int
    var: str
    spec: int | None = None

    def __str__(self) -> str:
        return f"{self.func}.s{self.stage}{'' if self.spec is None else f'[{self.spec}]'}.{self.var}"

    def name(self) -> Name:
        """The loop's variable in expressions."""
        return Name(str(self), Sort.LET)


@dataclass(frozen=True, slots=True)
class Nop:
    """Does nothing."""


@dataclass(frozen=True, slots=True)
class Assert:
    """Stops the program unless cond holds."""

    cond: Node


@dataclass(frozen=True, slots=True)
class Seq:
    """Statements one after the other."""

    body: tuple[Stmt, ...]


@dataclass(frozen=True, slots=True)
class Allocate:
    """A buffer for a func: for each dimension its min and length. It replaces one of the same func."""

    func: str
    box: tuple[tuple[Node, Node], ...]


@dataclass(frozen=True, slots=True)
class Assign:
    """`f^{stage,spec}[index] ← values`."""

    func: str
    stage: int
    index: tuple[Node, ...]
    values: tuple[Node, ...]
    spec: int | None = None
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class If:
    """A branch; without else part it is Nop."""

    cond: Node
    then: Stmt
    other: Stmt = field(default_factory=Nop)


@dataclass(frozen=True, slots=True)
class For:
    """`for key in (min, len) do body`; is_pure says def. 2.16."""

    key: LoopKey
    min: Node
    len: Node
    body: Stmt
    is_pure: bool
    mode: Mode = Mode.SERIAL


@dataclass(frozen=True, slots=True)
class Let:
    """A name for a value in a statement; within is an interval (min, length) that is known to have it, if there is one."""

    key: LoopKey
    value: Node
    body: Stmt
    within: tuple[Node, Node] | None = None


@dataclass(frozen=True, slots=True)
class Label:
    """The statement that computes a func (stage is None) or one stage of it. It has no meaning of its own."""

    func: str
    stage: int | None
    body: Stmt


@dataclass(frozen=True, slots=True)
class Prefetch:
    """Asks for what the iteration `offset` further on of a loop reads of a func. It does nothing."""

    func: str
    key: LoopKey
    offset: int


Stmt = Nop | Assert | Seq | Allocate | Assign | If | For | Let | Label | Prefetch


@dataclass(frozen=True, slots=True)
class Target:
    """A pipeline: the algorithm that it came from, and the statement. Windows are the parameters `f.min.d`, `f.len.d`."""

    algorithm: Algorithm
    body: Stmt


def window(func: str, dim: int) -> tuple[Name, Name]:
    """The parameters that hold the min and the length of an output's window."""
    return Name(f"{func}.min.{dim}", Sort.PARAM), Name(f"{func}.len.{dim}", Sort.PARAM)


def cpu(func: str, dim: int, stage: int | None, spec: int | None = None) -> tuple[Hole, Hole]:
    """The compute holes of a func's stage; stage None is the last."""
    return Hole("cpu", func, dim, "min", stage, spec), Hole("cpu", func, dim, "len", stage, spec)


def mem(func: str, dim: int) -> tuple[Hole, Hole]:
    """The allocation holes of a func."""
    return Hole("mem", func, dim, "min"), Hole("mem", func, dim, "len")


def below(stmt: Stmt) -> tuple[Stmt, ...]:
    """The statements directly within one."""
    match stmt:
        case Seq(body=body):
            return body
        case If(then=then, other=other):
            return (then, other)
        case For(body=body) | Let(body=body) | Label(body=body):
            return (body,)
        case Nop() | Assert() | Allocate() | Assign() | Prefetch():
            return ()


def statements(stmt: Stmt) -> Iterator[Stmt]:
    """A statement and all within it, in the order of the text."""
    yield stmt
    for each in below(stmt):
        yield from statements(each)


def with_below(stmt: Stmt, new: tuple[Stmt, ...]) -> Stmt:
    """The statement with others directly within it."""
    match stmt:
        case Seq():
            return sequence(new)
        case If():
            return replace(stmt, then=new[0], other=new[1])
        case For() | Let() | Label():
            return replace(stmt, body=new[0])
        case Nop() | Assert() | Allocate() | Assign() | Prefetch():
            return stmt


def mapped(stmt: Stmt, change: Callable[[Stmt], Stmt]) -> Stmt:
    """The statement with change applied to each statement, the innermost first."""
    old = below(stmt)
    new = tuple(mapped(each, change) for each in old)
    return change(stmt if all(a is b for a, b in zip(old, new, strict=True)) else with_below(stmt, new))


def find(target: Target, at: LoopKey) -> For:
    """The loop of a name (lemma 2.4: there is one).

    Raises:
        AlgorithmError: E777, there is none.
    """
    for each in statements(target.body):
        if isinstance(each, For) and each.key == at:
            return each
    loops = [str(s.key) for s in statements(target.body) if isinstance(s, For) and s.key.func == at.func]
    known = f"those of {at.func} are {', '.join(loops)}" if loops else f"{at.func} has no loops"
    raise refuse(f"there is no loop {at}; {known}", code="E777")


def replaced(target: Target, at: LoopKey, new: Stmt) -> Target:
    """The program with another statement in place of a loop."""
    return replace(target, body=mapped(target.body, lambda s: new if isinstance(s, For) and s.key == at else s))


def expressions(stmt: Stmt) -> tuple[Node, ...]:
    """The expressions of a statement itself."""
    match stmt:
        case Assert(cond=cond) | If(cond=cond):
            return (cond,)
        case Assign(index=index, values=values):
            return (*index, *values)
        case For(min=low, len=length):
            return (low, length)
        case Let(value=value):
            return (value,)
        case Allocate() | Nop() | Seq() | Label() | Prefetch():
            return ()


def with_expressions(stmt: Stmt, change: Callable[[Node], Node | None]) -> Stmt:
    """The statement with `rebuilt` applied to all expressions in it."""

    def new(node: Node) -> Node:
        return rebuilt(node, change)

    def changed(each: Stmt) -> Stmt:
        match each:
            case Assign(index=index, values=values):
                return replace(each, index=tuple(map(new, index)), values=tuple(map(new, values)))
            case For():
                return replace(each, min=new(each.min), len=new(each.len))
            case Let():
                within = None if each.within is None else (new(each.within[0]), new(each.within[1]))
                return replace(each, value=new(each.value), within=within)
            case If() | Assert():
                return replace(each, cond=new(each.cond))
            case Allocate():
                return replace(each, box=tuple((new(low), new(length)) for low, length in each.box))
            case Nop() | Seq() | Label() | Prefetch():
                return each

    return mapped(stmt, changed)


def with_keys(stmt: Stmt, keys: Mapping[str, LoopKey]) -> Stmt:
    """The statement with other loops and names for those that keys has, by their texts."""

    def named(node: Node) -> Node | None:
        return keys[node.name].name() if isinstance(node, Name) and node.name in keys else None

    def keyed(each: Stmt) -> Stmt:
        return replace(each, key=keys[str(each.key)]) if isinstance(each, For | Let) and str(each.key) in keys else each

    return mapped(with_expressions(stmt, named), keyed)


def sequence(stmts: tuple[Stmt, ...]) -> Stmt:
    """Statements in order, flat, without Nop."""
    flat: list[Stmt] = []
    for each in stmts:
        flat.extend(each.body if isinstance(each, Seq) else () if isinstance(each, Nop) else (each,))
    return Nop() if not flat else flat[0] if len(flat) == 1 else Seq(tuple(flat))


def text(stmt: Stmt, indent: str = "") -> str:
    """The statement as lines, stable from run to run."""
    deeper = indent + "  "
    match stmt:
        case Nop():
            return f"{indent}nop\n"
        case Assert(cond=cond):
            return f"{indent}assert {show(cond)}\n"
        case Seq(body=body):
            return "".join(text(each, indent) for each in body)
        case Allocate(func=func, box=box):
            return f"{indent}allocate {func}({', '.join(f'[{show(a)}, {show(b)}]' for a, b in box)})\n"
        case Assign(func=func, stage=stage, index=index, values=values):
            left, right = (", ".join(map(show, each)) for each in (index, values))
            return f"{indent}{func}^{stage}[{left}] ← {right}\n"
        case If(cond=cond, then=then, other=other):
            rest = "" if isinstance(other, Nop) else f"{indent}else:\n{text(other, deeper)}"
            return f"{indent}if {show(cond)}:\n{text(then, deeper)}{rest}"
        case For(key=key, min=low, len=length, body=body, mode=mode):
            return f"{indent}{mode.value} {key} in ({show(low)}, {show(length)}):\n{text(body, deeper)}"
        case Let(key=key, value=value, body=body):
            return f"{indent}let {key} = {show(value)}:\n{text(body, deeper)}"
        case Prefetch(func=func, key=key, offset=offset):
            return f"{indent}prefetch {func} for {key} + {offset}\n"
        case Label(func=func, stage=number, body=body):
            return f"{indent}label {func}{'' if number is None else f'.s{number}'}:\n{text(body, deeper)}"
