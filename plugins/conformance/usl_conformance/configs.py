"""Configuration state that an instruction reads: the calls that establish it, and the values that the interpreter gets.

A field is set by another instruction of the plugin whose body only writes fields. What it is set to, the assertions say
(`Regs.stride == stride(src, 0)`). A field of control values that they do not fix is one more control argument, and a field of
data gets a value of its own in every run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from usl_conformance.controls import Controls, Strides, evaluate
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
    order.
    """

    values: Mapping[Field, Expr] = field(default_factory=dict)
    data: Mapping[Field, Arg] = field(default_factory=dict)
    free: tuple[Arg, ...] = ()
    setters: Sequence[Proc] = ()

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
        known: dict[Field, Any] = {key: evaluate(value, controls, strides) for key, value in self.values.items()}
        return known | {key: data[arg.name] for key, arg in self.data.items()}


def find_setup(proc: Proc, instructions: Sequence[Proc]) -> Setup | str:
    """The setup of proc's fields by instructions of its plugin, or why there is none."""
    values: dict[Field, Expr] = {}
    data: dict[Field, Arg] = {}
    free: list[Arg] = []
    setters: dict[Proc, None] = {}
    for config, name in dict.fromkeys(fields_read(proc)):
        declared = config.fields[name]
        if declared.readable:
            return f"C reads {config.name}.{name}, so a call needs a context, which tests do not have"
        setter = next((each for each in instructions if each is not proc and _sets(each, (config, name))), None)
        if setter is None:
            return f"no instruction of the plugin only sets {config.name}.{name}"
        setters[setter] = None
        formal = Sym(f"{config.name}_{name}")
        demanded = _demanded(proc, (config, name))
        if isinstance(declared.type, ScalarType):
            data[config, name] = Arg(formal, declared.type, DRAM)
        elif demanded is not None:
            values[config, name] = demanded
        else:
            free.append(Arg(formal, declared.type, None))
            values[config, name] = Read(formal, (), type=INDEX if declared.type is SIZE else declared.type)
    return Setup(values, data, tuple(free), tuple(setters))


def fields_read(proc: Proc) -> Iterator[Field]:
    """The fields that the assertions and the body read, once for each read."""
    for root in (*proc.preds, *proc.body):
        for node in walk(root):
            if isinstance(node, ReadConfig):
                yield node.config, node.field


def writes(proc: Proc) -> Sequence[AssignConfig]:
    """The writes of fields that stand directly in the body."""
    return [stmt for stmt in proc.body if isinstance(stmt, AssignConfig)]


def _sets(proc: Proc, wanted: Field) -> bool:
    """Whether proc only writes fields, each with a formal, and wanted is one of them."""
    if not all(isinstance(stmt, AssignConfig | Pass) for stmt in proc.body):
        return False
    fields = {(write.config, write.field): write.rhs for write in writes(proc)}
    return wanted in fields and all(isinstance(rhs, Read) for rhs in fields.values())


def _demanded(proc: Proc, wanted: Field) -> Expr | None:
    """The other side of an assertion that the field equals it, if that has no field in it."""
    for pred in proc.preds:
        if isinstance(pred, BinaryOp) and pred.op == "==":
            for side, other in ((pred.lhs, pred.rhs), (pred.rhs, pred.lhs)):
                is_field = isinstance(side, ReadConfig) and (side.config, side.field) == wanted
                if is_field and not any(isinstance(node, ReadConfig) for node in walk(other)):
                    return other
    return None


def one(typ: Type) -> Expr:
    """A value for what no assertion fixes."""
    if typ is BOOL:
        return Literal(True, type=BOOL)
    if isinstance(typ, ScalarType):
        return Literal(1 if typ.is_int else Fraction(1), type=typ)
    return Literal(1, type=INDEX)
