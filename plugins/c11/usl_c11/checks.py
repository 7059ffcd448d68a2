"""What must hold of procedures before C is made from them, beyond what `last_check` proves of all."""

from __future__ import annotations

from collections.abc import Sequence

from usl_c11.names import is_identifier, is_of_the_library, is_reserved
from usl_c11.types import spelling
from usl_c11.usage import is_data, is_placed
from usl_core.backend import callees_first, check_memories
from usl_core.errors import BackendError
from usl_core.ir.nodes import Alloc, Arg, AssignConfig, Call, Proc, ReadConfig
from usl_core.ir.printer import show_expr
from usl_core.ir.traverse import walk, walk_kinds
from usl_core.ir.types import ControlType, ScalarType, TensorType


def check_exported(procs: Sequence[Proc]) -> None:
    """Exported procedures have distinct, legal C names, are no instructions, and can be called from C."""
    seen: set[str] = set()
    for proc in procs:
        if proc.instr is not None:
            raise BackendError(
                f"{proc.name} is an instruction: C is made of procedures that call it",
                span=proc.span,
                notes=("export a procedure whose body calls it",),
            )
        if not is_identifier(proc.name) or is_reserved(proc.name):
            raise BackendError(
                f"{proc.name} cannot be the name of a C function", span=proc.span, notes=("give it another one with rename",)
            )
        if proc.name in seen:
            raise BackendError(
                f"two exported procedures are called {proc.name}", span=proc.span, notes=("give one another name with rename",)
            )
        seen.add(proc.name)
        _check_assertions(proc)


def check_public(procs: Sequence[Proc]) -> None:
    """Programs that link the exported procedures keep the functions of their C library."""
    for proc in procs:
        for name in (proc.name, f"{proc.name}_error"):
            if is_of_the_library(name):
                raise BackendError(
                    f"{name} is a function of the C library, and programs that link this would call yours in its place",
                    span=proc.span,
                    notes=(f"give {proc.name} another name with rename",),
                )


def _check_assertions(proc: Proc) -> None:
    """Assertions on write-only fields are facts for the analysis that no entry can test."""
    for pred in proc.preds:
        for node in walk(pred):
            if isinstance(node, ReadConfig) and not node.config.fields[node.field].readable:
                raise BackendError(
                    f"{proc.name} asserts on the write-only field {node.config.name}.{node.field}: `{show_expr(pred)}`",
                    span=pred.span,
                    notes=("no caller in C could establish it; call this procedure from an exported one that does",),
                )


def check_registers(exported: Proc) -> None:
    """No instruction that runs may depend on a write-only field that a statement sets: C has no such statement."""
    procs = [proc for proc in callees_first([exported]) if proc.instr is None]
    calls = {
        node.proc for proc in procs for stmt in proc.body for node in walk_kinds(stmt, Call) if node.proc.instr is not None
    }
    needed = {
        node.config.sym(node.field): instr.name
        for instr in calls
        for callee in callees_first([instr])
        for node in walk(callee)
        if isinstance(node, ReadConfig)
    }
    for proc in procs:
        for stmt in proc.body:
            for write in walk_kinds(stmt, AssignConfig):
                field = write.config.sym(write.field)
                if field in needed and not field.declared.readable:
                    raise BackendError(
                        f"{proc.name} sets the write-only field {field.name}, on which the instruction {needed[field]} "
                        "depends: only an instruction can set it",
                        span=write.span,
                        notes=("hint: replace the statement by a call of an instruction that sets the field",),
                    )


def check_procedure(proc: Proc, exported: bool) -> None:
    """Every buffer has a C type and a usable memory, and what parallel iterations share has a form in OpenMP."""
    check_memories(proc)
    for arg in proc.args:
        _check_formal(arg, exported)
    for stmt in proc.body:
        for node in walk_kinds(stmt, Alloc):
            _check_scalar(node)


def _check_scalar(binder: Alloc | Arg) -> None:
    match binder.type:
        case ControlType():
            return
        case ScalarType() as scalar:
            spelling(scalar, binder.span)
        case TensorType(scalar=scalar):
            spelling(scalar, binder.span)


def _check_formal(arg: Arg, exported: bool) -> None:
    """Memory without addresses has none to pass; of memory in rows, functions that C cannot see pass the number of a row."""
    _check_scalar(arg)
    if is_placed(arg) and not exported:
        return
    if is_data(arg) and arg.mem is not None and not arg.mem.addressable:
        raise BackendError(
            f"{arg.name.name} is in memory {arg.mem.name}, which has no addresses: a C function cannot take it",
            span=arg.span,
            notes=("only instructions take such arguments; inline the procedure",),
        )
