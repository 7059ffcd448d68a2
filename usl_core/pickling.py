"""Pickled procedures, for process pools.

A procedure that a module has under a name is pickled as that name, as Python's functions are, and is the same one again.
Any other, such as the result of a schedule, is pickled as its text with what the text names; whoever reads it checks it again
from the beginning, and its history starts there.
"""

from __future__ import annotations

import copyreg
from collections.abc import Mapping
from typing import Any

from usl_core.errors import UsageError, UslError
from usl_core.ir.identity import Declaration
from usl_core.ir.nodes import Alloc, AssignConfig, Call, Proc, ReadConfig
from usl_core.ir.printer import show
from usl_core.ir.traverse import same, walk
from usl_core.procedure import Procedure, proc_from_source


def install() -> None:
    """Let pickle know how procedures travel."""
    copyreg.pickle(Procedure, reduced)


def reduced(p: Procedure) -> tuple[Any, ...]:
    """What pickle stores of a procedure.

    Raises:
        UsageError: it is an instruction that no module has, or its text does not say all of it.
    """
    try:
        found: tuple[Any, ...] = Declaration.__reduce_ex__(p, 4)
        return found
    except UsageError as error:
        text, named = show(p.ir), _named(p)
        if p.is_instr() or p.ir.aliasable or named is None or not _says_all(p.ir, text, named):
            raise error from None
        return restored, (text, named)


def restored(text: str, named: Mapping[str, Any]) -> Procedure:
    """A procedure from its text and what that names, checked as one that was just written."""
    return proc_from_source(text, dict(named))


def procedure_of(ir: Proc) -> Procedure:
    """The procedure that an IR belongs to."""
    return Procedure.procedure_of(None, ir)  # type: ignore[arg-type]  # it looks at the IR alone


def _named(p: Procedure) -> dict[str, Any] | None:
    """By name: the callees, memories and configurations in the text of a procedure; None if two have one name."""
    found: dict[str, Any] = {}
    for name, thing in _mentioned(p):
        if found.setdefault(name, thing) is not thing:
            return None
    return found


def _mentioned(p: Procedure) -> list[tuple[str, Any]]:
    things: list[tuple[str, Any]] = [(arg.mem.name, arg.mem) for arg in p.ir.args if arg.mem is not None]
    for node in walk(p.ir):
        if isinstance(node, Call):
            callee = p.procedure_of(node.proc)
            things.append((callee.name(), callee))
        elif isinstance(node, Alloc):
            things.append((node.mem.name, node.mem))
        elif isinstance(node, AssignConfig | ReadConfig):
            things.append((node.config.name, node.config))
    return things


def _says_all(ir: Proc, text: str, named: Mapping[str, Any]) -> bool:
    """Whether the text is read back as the same procedure."""
    try:
        return same(restored(text, named).ir, ir)
    except UslError:
        return False
