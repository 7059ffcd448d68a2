"""Configuration state that an instruction reads: the calls that establish it, and the values that the interpreter gets.

A field is set by another instruction of the plugin whose body only writes fields. What it is set to, the assertions say
(`Regs.stride == stride(src, 0)`); a field of data that no assertion fixes gets a value of its own in every run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from usl_core.ir.config import Config
from usl_core.ir.memory import DRAM
from usl_core.ir.nodes import Arg, AssignConfig, BinaryOp, Call, Expr, Literal, Node, Pass, Proc, Read, ReadConfig, Stmt
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import rename, rewrite, substitute, update, walk
from usl_core.ir.types import BOOL, INDEX, ControlType, ScalarType
from usl_core.plugins.conformance.controls import Controls, Strides, Unevaluated, evaluate

Field = tuple[Config, str]


@dataclass(frozen=True, slots=True)
class Setup:
    """How the fields that one instruction reads get their values before it is called.

    values: an expression over the instruction's own formals for each field of control values. data: for each other field
    the formal that a driver gets in addition. setters: the instructions to call, in order.
    """

    values: Mapping[Field, Expr] = field(default_factory=dict)
    data: Mapping[Field, Arg] = field(default_factory=dict)
    setters: Sequence[Proc] = ()

    def preds(self, proc: Proc) -> tuple[Expr, ...]:
        """The assertions of proc with fields replaced by what they are set to."""
        return tuple(rewrite(pred, self._replace) for pred in proc.preds)

    def _replace(self, node: Node) -> Node | None:
        return self.values.get((node.config, node.field)) if isinstance(node, ReadConfig) else None

    def calls(self, controls: Mapping[Sym, Expr], names: Mapping[Sym, Sym], strides: object = None) -> Sequence[Stmt]:
        """The calls of the setters, with the instruction's control formals replaced and its tensors renamed."""
        return [self._call(setter, controls, names) for setter in self.setters]

    def _call(self, setter: Proc, controls: Mapping[Sym, Expr], names: Mapping[Sym, Sym]) -> Stmt:
        actuals: dict[Sym, Expr] = {}
        for write in writes(setter):
            key = (write.config, write.field)
            if isinstance(write.rhs, Read):
                if key in self.data:
                    arg = self.data[key]
                    actuals[write.rhs.name] = Read(arg.name, (), type=arg.type)
                elif key in self.values:
                    actuals[write.rhs.name] = rename(substitute(self.values[key], controls), names)
        return Call(setter, tuple(actuals.get(arg.name, _any(arg.type)) for arg in setter.args))

    def states(self, controls: Controls, strides: Strides, data: Mapping[Sym, Any]) -> dict[Field, Any]:
        """The fields' values for the interpreter; data has those of the additional formals."""
        known: dict[Field, Any] = {key: evaluate(value, controls, strides) for key, value in self.values.items()}
        return known | {key: data[arg.name] for key, arg in self.data.items()}


def setup(proc: Proc, instructions: Sequence[Proc]) -> Setup | str:
    """The setup of proc's fields by instructions of its plugin, or why there is none."""
    needed = list(dict.fromkeys(fields_read(proc)))
    values: dict[Field, Expr] = {}
    data: dict[Field, Arg] = {}
    setters: dict[Proc, None] = {}
    for config, name in needed:
        declared = config.fields[name]
        if declared.readable:
            return f"{config.name}.{name} can be read by C, so a call needs a context"
        setter = next((one for one in instructions if one is not proc and _sets(one, (config, name))), None)
        if setter is None:
            return f"no instruction of the plugin only sets {config.name}.{name}"
        setters[setter] = None
        if isinstance(declared.type, ScalarType):
            data[config, name] = Arg(Sym(f"{config.name}_{name}"), declared.type, DRAM)
        else:
            values[config, name] = _demanded(proc, (config, name)) or _any(declared.type)
    return Setup(values, data, tuple(setters))


def fields_read(proc: Proc) -> Iterator[Field]:
    for root in (*proc.preds, *proc.body):
        for node in walk(root):
            if isinstance(node, ReadConfig):
                yield node.config, node.field


def writes(proc: Proc) -> Sequence[AssignConfig]:
    return [stmt for stmt in proc.body if isinstance(stmt, AssignConfig)]


def _sets(proc: Proc, wanted: Field) -> bool:
    """Whether proc only writes fields, this one among them, each with a formal or a constant."""
    if not all(isinstance(stmt, AssignConfig | Pass) for stmt in proc.body):
        return False
    return all(isinstance(write.rhs, Read | Literal) for write in writes(proc)) and any(
        (write.config, write.field) == wanted for write in writes(proc)
    )


def _demanded(proc: Proc, wanted: Field) -> Expr | None:
    """The other side of an assertion that the field equals it, if that has no field in it."""
    for pred in proc.preds:
        match pred:
            case BinaryOp(op="==", lhs=lhs, rhs=rhs):
                for one, other in ((lhs, rhs), (rhs, lhs)):
                    is_field = isinstance(one, ReadConfig) and (one.config, one.field) == wanted
                    if is_field and not any(isinstance(node, ReadConfig) for node in walk(other)):
                        return other
            case _:
                pass
    return None


def _any(typ: object) -> Expr:
    """Some value of a type, for what no assertion fixes."""
    match typ:
        case ControlType() if typ is BOOL:
            return Literal(True, type=BOOL)
        case ScalarType():
            from fractions import Fraction

            return Literal(1 if typ.is_int else Fraction(1), type=typ)
        case _:
            return Literal(1, type=INDEX)


__all__ = ["Field", "Setup", "Unevaluated", "fields_read", "setup", "update", "writes"]
