"""A user-schedulable language: plain loop nests, rewritten by operators that provably keep their meaning.

    from __future__ import annotations
    from usl_core import proc, divide_loop

    @proc
    def scale(n: size, x: f32[n]):
        for i in seq(0, n):
            x[i] = 2.0 * x[i]

    print(divide_loop(scale, "i", 8, ["io", "ii"], tail="cut"))

The operators are documented one by one in docs/operators.md; cursors and patterns in docs/cursors.md.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from usl_core import schedules as schedules
    from usl_core.assoc import assoc as assoc
    from usl_core.display import Diff as Diff
    from usl_core.display import diff as diff
    from usl_core.errors import BackendError as BackendError
    from usl_core.errors import BoundsError as BoundsError
    from usl_core.errors import InterpError as InterpError
    from usl_core.errors import InvalidCursorError as InvalidCursorError
    from usl_core.errors import JitError as JitError
    from usl_core.errors import ParseError as ParseError
    from usl_core.errors import PatternError as PatternError
    from usl_core.errors import PluginError as PluginError
    from usl_core.errors import SchedulingError as SchedulingError
    from usl_core.errors import Undecided as Undecided
    from usl_core.errors import UsageError as UsageError
    from usl_core.errors import UslError as UslError
    from usl_core.expansion import Fragment as Fragment
    from usl_core.expansion import fragment as fragment
    from usl_core.frontend import build as build
    from usl_core.frontend.config_class import write_only as write_only
    from usl_core.ir.config import Config as Config
    from usl_core.ir.externs import Extern as Extern
    from usl_core.ir.memory import DRAM as DRAM
    from usl_core.ir.memory import Memory as Memory
    from usl_core.procedure import Procedure as Procedure
    from usl_core.procedure import config as config
    from usl_core.procedure import instr as instr
    from usl_core.procedure import proc as proc
    from usl_core.procedure import proc_from_source as proc_from_source
    from usl_core.scheduling import *  # noqa: F403

_HOMES = {
    "BackendError": "usl_core.errors",
    "BoundsError": "usl_core.errors",
    "InterpError": "usl_core.errors",
    "InvalidCursorError": "usl_core.errors",
    "JitError": "usl_core.errors",
    "ParseError": "usl_core.errors",
    "PatternError": "usl_core.errors",
    "PluginError": "usl_core.errors",
    "SchedulingError": "usl_core.errors",
    "Undecided": "usl_core.errors",
    "UsageError": "usl_core.errors",
    "UslError": "usl_core.errors",
    "Diff": "usl_core.display",
    "diff": "usl_core.display",
    "write_only": "usl_core.frontend.config_class",
    "Config": "usl_core.ir.config",
    "Extern": "usl_core.ir.externs",
    "DRAM": "usl_core.ir.memory",
    "Memory": "usl_core.ir.memory",
    "Procedure": "usl_core.connect",
    "assoc": "usl_core.assoc",
    "build": "usl_core.connect",
    "config": "usl_core.connect",
    "Fragment": "usl_core.expansion",
    "fragment": "usl_core.connect",
    "instr": "usl_core.connect",
    "proc": "usl_core.connect",
    "proc_from_source": "usl_core.connect",
}
"""Where the public names live. They load on first use, so that `import usl_core` and the command line stay quick."""

_MODULES = {"schedules": "usl_core.schedules"}


def __getattr__(name: str) -> Any:
    value: Any
    if name in _MODULES:
        return importlib.import_module(_MODULES[name])
    if name in _HOMES:
        value = getattr(importlib.import_module(_HOMES[name]), name)
    elif name == "__all__":
        value = _public()
    elif (value := importlib.import_module("usl_core.scheduling").operator(name)) is None:
        raise AttributeError(f"module 'usl_core' has no attribute {name!r}")
    globals()[name] = value
    return value


def _public() -> list[str]:
    from usl_core.scheduling import homes

    return sorted({*_HOMES, *_MODULES, *homes()})


def __dir__() -> list[str]:
    return sorted({*globals(), *_public()})
