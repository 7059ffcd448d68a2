"""`usl history FILE:PROC`: the steps that made a procedure."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType
from typing import Any

from usl_core.cli.modules import exported, import_file
from usl_core.equivalence import Step
from usl_core.errors import UslError
from usl_core.procedure import Procedure


def split_place(place: str) -> tuple[Path, str | None]:
    """FILE and PROC of `FILE:PROC`; PROC is None if there is no colon. A file whose name has a colon is found first."""
    if Path(place).exists() or ":" not in place:
        return Path(place), None
    file, _, name = place.rpartition(":")
    return Path(file), name


def find_procedure(module: ModuleType, name: str) -> Procedure:
    """The procedure bound to name in the module, or else exported under that name.

    Raises:
        UslError: there is none; the message lists those there are.
    """
    bound = module.__dict__.get(name)
    if isinstance(bound, Procedure):
        return bound
    known = {key: value for key, value in module.__dict__.items() if isinstance(value, Procedure)}
    named = [value for value in known.values() if value.name() == name]
    if named:
        return named[-1]
    raise UslError(f"{module.__file__} has no procedure {name!r}", notes=(f"it has: {', '.join(known) or 'none'}",))


def history_text(place: str, *, as_json: bool) -> str:
    """The history of one procedure, as a table or as JSON."""
    file, name = split_place(place)
    module = import_file(file)
    procedures = [find_procedure(module, name)] if name is not None else exported(module)
    if as_json:
        return json.dumps([as_data(p) for p in procedures], indent=2)
    return "\n\n".join(_table(p) for p in procedures)


def as_data(procedure: Procedure) -> dict[str, Any]:
    """A procedure's history as plain data; seconds are wall time."""
    return {
        "procedure": procedure.name(),
        "assurance": procedure.assurance(),
        "steps": [
            {
                "operator": step.operator,
                "arguments": step.arguments,
                "relation": step.relation.value,
                "seconds": step.seconds,
                "proofs": dict(step.proofs),
                "modulo": sorted(field.name for field in step.modulo),
            }
            for step in procedure.history()
        ],
    }


def _table(procedure: Procedure) -> str:
    steps = procedure.history()
    width = max(len(step.operator) for step in steps)
    lines = [f"{procedure.name()}: {len(steps) - 1} steps; {procedure.assurance()}"]
    lines += [f"  {number:3}  {_line(step, width)}" for number, step in enumerate(steps)]
    return "\n".join(lines)


def _line(step: Step, width: int) -> str:
    proofs = ", ".join(f"{count} {how}" for how, count in step.proofs.items())
    head = f"{step.operator:{width}}  {step.relation.value:9}  {1000 * step.seconds:7.1f} ms  "
    modulo = f"  modulo {', '.join(sorted(field.name for field in step.modulo))}" if step.modulo else ""
    return f"{head}{step.arguments}{modulo}{f'  [{proofs}]' if proofs else ''}".rstrip()
