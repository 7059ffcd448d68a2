"""The schedules that installed plugins offer, as attributes: `usl_core.schedules.NAME`.

Nothing is imported before a name is asked for. A name that two plugins use is refused here; `lookup("avx512.sgemm")` tells
them apart.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from usl_core.errors import PluginError
from usl_core.plugins.declarations import Kind
from usl_core.plugins.manager import plugin_manager


class UnknownScheduleError(PluginError, AttributeError):
    """No installed plugin has a schedule of this name, or several have. Also an AttributeError, so that `hasattr` works."""


def lookup(name: str) -> Callable[..., Any]:
    """The schedule called name, bare or with its plugin's namespace."""
    schedule: Callable[..., Any] = plugin_manager().lookup(name, Kind.SCHEDULES)
    return schedule


def __getattr__(name: str) -> Callable[..., Any]:
    if name.startswith("__"):  # Python itself asks modules for such names; no plugin shall be imported for that
        raise AttributeError(name)
    try:
        return lookup(name)
    except PluginError as error:
        raise UnknownScheduleError(error.message, span=error.span, notes=error.notes) from None


def __dir__() -> list[str]:
    return [*plugin_manager().names(Kind.SCHEDULES), "UnknownScheduleError", "lookup"]
