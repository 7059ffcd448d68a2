"""What a name of the object language stands for at a place."""

from __future__ import annotations

from collections.abc import Mapping

from usl_core.ir.memory import MemoryClass
from usl_core.ir.nodes import Alloc, Arg, Assign, AssignConfig, Call, Check, For, If, Pass, Reduce, Stmt, WindowStmt
from usl_core.ir.sym import Sym
from usl_core.ir.types import INDEX, ControlType, ScalarType, TensorType, Type
from usl_core.records import dataclass


@dataclass(frozen=True, slots=True)
class Binding:
    """A visible name: a control value (mem None), a scalar, or a buffer or window in a memory."""

    sym: Sym
    type: Type
    mem: MemoryClass | None = None

    @property
    def is_control(self) -> bool:
        """Whether the name has a control value."""
        return isinstance(self.type, ControlType)

    @property
    def rank(self) -> int:
        """The number of dimensions; 0 for a scalar and a control value."""
        return len(self.type.shape) if isinstance(self.type, TensorType) else 0

    @property
    def scalar(self) -> ScalarType:
        """The element type of data."""
        assert not isinstance(self.type, ControlType)
        return self.type.scalar if isinstance(self.type, TensorType) else self.type


Env = Mapping[str, Binding]
"""The names visible at a place, by spelling; the innermost binding of a spelling wins."""


def arg_binding(arg: Arg) -> Binding:
    """What a formal means in the body."""
    return Binding(arg.name, arg.type, arg.mem)


def loop_binding(loop: For) -> Binding:
    """The iterator, as the body sees it."""
    return Binding(loop.iter, INDEX)


def stmt_binding(stmt: Stmt, env_by_sym: Mapping[Sym, Binding]) -> Binding | None:
    """The name that stmt binds for the statements after it. A window lives in the memory of its buffer."""
    match stmt:
        case Alloc(name=name, type=typ, mem=mem):
            return Binding(name, typ, mem)
        case WindowStmt(name=name, rhs=rhs):
            return Binding(name, rhs.type, env_by_sym[rhs.name].mem)
        case Assign() | Reduce() | AssignConfig() | Pass() | Check() | If() | For() | Call():
            return None
