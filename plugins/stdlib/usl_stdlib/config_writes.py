"""How often a procedure writes each configuration field: in its text, and in a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from usl_core import Procedure
from usl_core.arguments import checked
from usl_core.cursors import (
    ArgCursor,
    AssignConfigCursor,
    BinaryOpCursor,
    BlockCursor,
    CallCursor,
    ExternFunctionCursor,
    ForCursor,
    IfCursor,
    LiteralCursor,
    ReadCursor,
    StmtCursor,
    UnaryMinusCursor,
    head_line,
)
from usl_core.errors import SchedulingError
from usl_core.interp import Access, Buffer, ConfigKey, run
from usl_core.ir.config import FieldSym
from usl_core.ir.types import ControlType


@dataclass(frozen=True, slots=True)
class ConfigWrites:
    """Writes of each configuration field, by record and name: `writes.static[LoadA, "stride"]`.

    static counts the statements that write it in the text of the procedure, and for each call those of the callee. per_run
    counts the writes of one run with sizes; it is empty where none were given.
    """

    static: Mapping[ConfigKey, int]
    per_run: Mapping[ConfigKey, int] = field(default_factory=dict)
    sizes: Mapping[str, int | bool] | None = None

    def __str__(self) -> str:
        """One line a field."""
        return "\n".join(f"{config.name}.{name}: {self._shown((config, name))}" for config, name in self.static)

    def _shown(self, key: ConfigKey) -> str:
        text = f"{self.static[key]} in the text"
        return text if self.sizes is None else f"{text}, {self.per_run[key]} in a run with {shown(self.sizes)}"


@checked
def count_config_writes(
    p: Procedure, sizes: Mapping[str, int | bool] | None = None, configs: Mapping[ConfigKey, Any] | None = None
) -> ConfigWrites:
    """How often each configuration field is written: in the text, and in a run of the interpreter.

    sizes gives every control formal a value, by name; without it there is no run. Data is zero in the run, and configs gives
    fields their values at its start, `{(LoadA, "stride"): 64}`.

    Raises:
        SchedulingError: sizes lacks a control formal. InterpError: the procedure cannot run with these sizes.
    """
    static = Counter[ConfigKey]()
    for config, name, _ in config_writes(p.body()):
        static[config, name] += 1
    if sizes is None:
        return ConfigWrites(dict(static))
    per_run = dict.fromkeys(static, 0)

    def count(access: Access) -> None:
        if isinstance(access.name, FieldSym):
            per_run[access.name.config, access.name.field] += 1

    run(p.ir, _zeros(p, sizes), configs=configs, trace=count)
    return ConfigWrites(dict(static), per_run, dict(sizes))


Way = tuple[StmtCursor, ...]
"""A statement with those around it, outermost first, callers included."""


def statements(block: BlockCursor) -> Iterator[StmtCursor]:
    """Every statement in block, those that contain others before these."""
    for stmt in block:
        yield stmt
        for inner in inner_blocks(stmt):
            yield from statements(inner)


def inner_blocks(stmt: Any) -> list[BlockCursor]:
    """The blocks directly inside a statement."""
    match stmt:
        case ForCursor():
            return [stmt.body()]
        case IfCursor():
            orelse = stmt.orelse()
            return [stmt.body(), orelse] if isinstance(orelse, BlockCursor) else [stmt.body()]
        case _:
            return []


def config_writes(block: BlockCursor, around: Way = ()) -> Iterator[tuple[Any, str, Way]]:
    """The writes in block and in what it calls, each with its record, its field and the way to it."""
    for stmt in block:
        way = (*around, stmt)
        match stmt:
            case AssignConfigCursor():
                yield stmt.config(), stmt.field(), way
            case CallCursor():
                yield from config_writes(stmt.subproc().body(), way)
            case _:
                for inner in inner_blocks(stmt):
                    yield from config_writes(inner, way)


def first_line(stmt: StmtCursor) -> str:
    """A statement in one line, a loop or `if` without its body."""
    return head_line(stmt.owner.ir, stmt.node, stmt.path).strip().splitlines()[0].removesuffix(":")


# ---- the run


def _zeros(p: Procedure, sizes: Mapping[str, int | bool]) -> dict[str, object]:
    """Arguments for p: the sizes as given, and data that is zero."""
    formals = {arg.name(): arg for arg in p.args()}
    control = [name for name, arg in formals.items() if isinstance(arg.type(), ControlType)]
    if set(control) != set(sizes):
        wanted = ", ".join(control) or "nothing"
        raise SchedulingError(f"count_config_writes: sizes must give a value to {wanted}, got {dict(sizes)}", code="E404")
    return {name: sizes[name] if name in sizes else _zero(arg, sizes) for name, arg in formals.items()}


def _zero(arg: ArgCursor, sizes: Mapping[str, int | bool]) -> Buffer:
    shape = tuple(_value(extent, sizes) for extent in arg.shape())
    buffer = Buffer(arg.type(), shape)  # type: ignore[arg-type]  # control formals are not asked for
    buffer.data[:] = [0 if buffer.scalar.is_int else 0.0] * len(buffer.data)
    return buffer


def _value(extent: Any, sizes: Mapping[str, int | bool]) -> int:
    """An extent for given sizes."""
    match extent:
        case LiteralCursor():
            return int(extent.value())
        case ReadCursor():
            return int(sizes[extent.name()])
        case UnaryMinusCursor():
            return -_value(extent.arg(), sizes)
        case BinaryOpCursor():
            a, b = _value(extent.lhs(), sizes), _value(extent.rhs(), sizes)
            return {"+": a + b, "-": a - b, "*": a * b, "/": a // (b or 1), "%": a % (b or 1)}[extent.op()]
        case ExternFunctionCursor():
            values = [_value(arg, sizes) for arg in extent.args()]
            return min(values) if extent.name() == "min" else max(values)
        case _:
            raise AssertionError(f"not an extent: {extent}")


def shown(sizes: Mapping[str, int | bool]) -> str:
    """The sizes of an example, as text."""
    return ", ".join(f"{name} = {value}" for name, value in sizes.items())
