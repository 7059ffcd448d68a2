"""Configuration state that an instruction reads: the calls that establish it, and the values that the interpreter gets.

A field is set by another instruction of the plugin whose body only writes fields: with a formal, or with a constant that the
assertions admit. What it is set to, they say (`Regs.stride == stride(src, 0)`, `not Regs.wide`). A field of control values that
they do not fix is one more control argument, and a field of data gets a value of its own in every run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from usl_conformance.controls import Controls, Strides, Unevaluated, evaluate
from usl_core.ir.config import Config
from usl_core.ir.memory import DRAM
from usl_core.ir.nodes import Arg, AssignConfig, BinaryOp, Call, Expr, Literal, Node, Pass, Proc, Read, ReadConfig, Stmt
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import rewrite, substitute, walk
from usl_core.ir.types import BOOL, INDEX, SIZE, ScalarType, Type

Field = tuple[Config, str]


@dataclass(frozen=True, slots=True)
class Setup:
    """How the fields that one instruction reads get their values before it is called.

    values: for each field of control values an expression over the instruction's own formals and those of free, which are
    formals that the instruction does not have. data: for each other field such a formal. setters: the instructions to call, in
    order. nonnegative: the names of fields of data that get finite numbers from zero on.
    """

    values: Mapping[Field, Expr] = field(default_factory=dict)
    data: Mapping[Field, Arg] = field(default_factory=dict)
    free: tuple[Arg, ...] = ()
    setters: Sequence[Proc] = ()
    nonnegative: frozenset[str] = frozenset()

    def preds(self, proc: Proc) -> tuple[Expr, ...]:
        """The assertions of proc with fields replaced by what they are set to, and those of the setters on what they get."""
        own = (rewrite(pred, self._replace) for pred in proc.preds)
        return (*own, *(pred for setter in self.setters for pred in self._demands(setter)))

    def _demands(self, setter: Proc) -> Iterator[Expr]:
        given = {
            write.rhs.name: self.values[write.config, write.field]
            for write in writes(setter)
            if isinstance(write.rhs, Read) and (write.config, write.field) in self.values
        }
        for arg in setter.args:
            if arg.type is SIZE and arg.name in given:
                yield BinaryOp(">=", given[arg.name], Literal(1, type=INDEX), type=BOOL)
        for pred in setter.preds:
            if all(node.name in given for node in walk(pred) if isinstance(node, Read)):
                yield rewrite(substitute(pred, given), self._replace)

    def _replace(self, node: Node) -> Node | None:
        return self.values.get((node.config, node.field)) if isinstance(node, ReadConfig) else None

    def calls(self, place: Callable[[Expr], Expr], data: Mapping[Sym, Expr]) -> Sequence[Stmt]:
        """The calls of the setters.

        place turns an expression over the instruction's formals into one for the caller. data are the actuals of the
        additional formals; without one it is 1.
        """
        return [self._call(setter, place, data) for setter in self.setters]

    def _call(self, setter: Proc, place: Callable[[Expr], Expr], data: Mapping[Sym, Expr]) -> Stmt:
        actuals: dict[Sym, Expr] = {}
        for write in writes(setter):
            key = (write.config, write.field)
            if isinstance(write.rhs, Read) and key in self.values:
                actuals[write.rhs.name] = place(self.values[key])
            elif isinstance(write.rhs, Read) and key in self.data and self.data[key].name in data:
                actuals[write.rhs.name] = data[self.data[key].name]
        return Call(setter, tuple(actuals.get(arg.name) or one(arg.type) for arg in setter.args))

    def state(self, controls: Controls, strides: Strides, data: Mapping[Sym, Any]) -> dict[Field, Any]:
        """The fields' values for the interpreter; data has those of the additional formals."""
        known: dict[Field, Any] = {}
        for key, value in self.values.items():
            if isinstance(value, Literal) and isinstance(value.type, ScalarType):
                known[key] = value.value
            else:
                known[key] = evaluate(value, controls, strides)
        return known | {key: data[arg.name] for key, arg in self.data.items()}


def find_setup(proc: Proc, instructions: Sequence[Proc]) -> Setup | str:
    """The setup of proc's fields by instructions of its plugin, or why there is none."""
    wanted = {key: _demanded(proc, key) for key in dict.fromkeys(fields_read(proc))}
    for config, name in wanted:
        if config.fields[name].readable:
            return f"C reads {config.name}.{name}, so a call needs a context, which tests do not have"
    setters: dict[Proc, None] = {}
    written: dict[Field, Expr] = {}
    for key in wanted:
        if key in written:
            continue
        setter = _setter(key, wanted, [each for each in instructions if each is not proc])
        if setter is None:
            return f"no instruction of the plugin only sets {key[0].name}.{key[1]}"
        setters[setter] = None
        written |= {(write.config, write.field): write.rhs for write in writes(setter)}
    values: dict[Field, Expr] = {}
    data: dict[Field, Arg] = {}
    free: list[Arg] = []
    for (config, name), demanded in wanted.items():
        declared, rhs = config.fields[name], written[config, name]
        formal = Sym(f"{config.name}_{name}")
        if isinstance(declared.type, ScalarType) and isinstance(rhs, Read):
            data[config, name] = Arg(formal, declared.type, DRAM)
        elif isinstance(rhs, Literal):
            values[config, name] = rhs
        elif demanded is not None:
            values[config, name] = demanded
        else:
            free.append(Arg(formal, declared.type, None))
            values[config, name] = Read(formal, (), type=INDEX if declared.type is SIZE else declared.type)
    return Setup(values, data, tuple(free), tuple(setters))


def _setter(key: Field, wanted: Mapping[Field, Expr | None], instructions: Sequence[Proc]) -> Proc | None:
    """The instruction that sets a field, and others only as they are wanted; of several the one that takes most of them."""
    best: Proc | None = None
    most = 0
    for each in instructions:
        if not _only_sets(each):
            continue
        found = {(write.config, write.field): write.rhs for write in writes(each)}
        fits = all(isinstance(rhs, Read) or _admits(wanted[at], rhs) for at, rhs in found.items() if at in wanted)
        formals = 1 + sum(isinstance(found[at], Read) for at in found if at in wanted)
        if key in found and fits and formals > most and _takes(each, found, wanted):
            best, most = each, formals
    return best


def _takes(setter: Proc, found: Mapping[Field, Expr], wanted: Mapping[Field, Expr | None]) -> bool:
    """Whether the assertions of a setter do not exclude what it would be given."""
    asked = ((rhs, wanted.get(at)) for at, rhs in found.items())
    given = {rhs.name: demanded for rhs, demanded in asked if isinstance(rhs, Read) and demanded is not None}
    for pred in setter.preds:
        try:
            if not evaluate(substitute(pred, given), {}):
                return False
        except Unevaluated:
            continue
    return True


def _admits(demanded: Expr | None, rhs: Expr) -> bool:
    """Whether a field that is written with a constant has the value that is demanded of it, if any is."""
    return isinstance(rhs, Literal) and (demanded is None or (isinstance(demanded, Literal) and demanded.value == rhs.value))


def fields_read(proc: Proc) -> Iterator[Field]:
    """The fields that the assertions and the body read, once for each read."""
    for root in (*proc.preds, *proc.body):
        for node in walk(root):
            if isinstance(node, ReadConfig):
                yield node.config, node.field


def writes(proc: Proc) -> Sequence[AssignConfig]:
    """The writes of fields that stand directly in the body."""
    return [stmt for stmt in proc.body if isinstance(stmt, AssignConfig)]


def _only_sets(proc: Proc) -> bool:
    """Whether proc does nothing but write fields, each with a formal or a constant."""
    return all(
        isinstance(stmt, Pass) or (isinstance(stmt, AssignConfig) and isinstance(stmt.rhs, Read | Literal))
        for stmt in proc.body
    )


def _demanded(proc: Proc, wanted: Field) -> Expr | None:
    """What an assertion says that the field equals, if that has no field in it; `field` alone equals True."""
    for pred in proc.preds:
        if _is_field(pred, wanted):
            return Literal(True, type=BOOL)
        if isinstance(pred, BinaryOp) and pred.op == "==":
            for side, other in ((pred.lhs, pred.rhs), (pred.rhs, pred.lhs)):
                times = _multiple(side, wanted)
                if times is not None and not any(isinstance(node, ReadConfig) for node in walk(other)):
                    return other if times == 1 else BinaryOp("/", other, Literal(times, type=INDEX), type=INDEX)
    return None


def _multiple(side: Expr, wanted: Field) -> int | None:
    """The positive constant that the field is multiplied with in one side of an equation."""
    if _is_field(side, wanted):
        return 1
    if isinstance(side, BinaryOp) and side.op == "*":
        for times, rest in ((side.lhs, side.rhs), (side.rhs, side.lhs)):
            if isinstance(times, Literal) and times.value > 0 and _is_field(rest, wanted):
                return int(times.value)
    return None


def _is_field(expr: Expr, wanted: Field) -> bool:
    return isinstance(expr, ReadConfig) and (expr.config, expr.field) == wanted


def one(typ: Type) -> Expr:
    """A value for what no assertion fixes."""
    if typ is BOOL:
        return Literal(True, type=BOOL)
    if isinstance(typ, ScalarType):
        return Literal(1 if typ.is_int else Fraction(1), type=typ)
    return Literal(1, type=INDEX)
