"""What a program has in it, of the kinds of which the fuzzer wants a fair share."""

from __future__ import annotations

from usl_core.ir.externs import MAX, MIN
from usl_core.ir.nodes import AssignConfig, Call, ExternCall, For, LoopMode, Node, Proc, ReadConfig, WindowExpr, WindowStmt
from usl_core.ir.traverse import names_used, walk
from usl_core.ir.types import SIZE, ScalarType, TensorType, scalar_of

SYMBOLIC = "symbolic sizes"
FEATURES = (SYMBOLIC, "windows", "calls", "par", "min/max", "integer types", "configuration")


def features(proc: Proc) -> set[str]:
    """Those of FEATURES that proc has; a size counts where something depends on it."""
    used = set(names_used(proc))
    symbolic = any(arg.type is SIZE and arg.name in used for arg in proc.args)
    return {feature for node in walk(proc) if (feature := _feature(node))} | ({SYMBOLIC} if symbolic else set())


def _feature(node: Node) -> str | None:
    match node:
        case WindowStmt() | WindowExpr():
            return "windows"
        case Call():
            return "calls"
        case AssignConfig() | ReadConfig():
            return "configuration"
        case For(mode=LoopMode.PAR):
            return "par"
        case ExternCall(fn=fn) if fn in (MIN, MAX):
            return "min/max"
        case _:
            typ = getattr(node, "type", None)
            if isinstance(typ, TensorType) and typ.window:
                return "windows"
            return "integer types" if isinstance(typ, ScalarType | TensorType) and scalar_of(typ).is_int else None
