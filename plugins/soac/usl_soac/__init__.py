"""Functional array programs whose sizes are known before the arrays are computed.

from __future__ import annotations
from usl_soac import soac

@soac
def sums(a: f64[n, m]) -> f64[n]:
    return map(lambda row: reduce(add, 0.0, row), a)
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from usl_soac.decorators import checked_once as checked_once
    from usl_soac.decorators import interleaved as interleaved
    from usl_soac.decorators import no_alloc as no_alloc
    from usl_soac.decorators import parse_program as parse_program
    from usl_soac.decorators import sliced as sliced
    from usl_soac.decorators import soac as soac
    from usl_soac.decorators import static_sizes as static_sizes
    from usl_soac.errors import ShapeError as ShapeError
    from usl_soac.errors import SoacError as SoacError
    from usl_soac.errors import TooLargeError as TooLargeError

_HOMES = {
    **dict.fromkeys(("ShapeError", "SoacError", "TooLargeError"), "usl_soac.errors"),
    **dict.fromkeys(
        ("checked_once", "interleaved", "no_alloc", "parse_program", "sliced", "soac", "static_sizes"), "usl_soac.decorators"
    ),
}

__all__ = [
    "ShapeError",
    "SoacError",
    "TooLargeError",
    "checked_once",
    "interleaved",
    "no_alloc",
    "parse_program",
    "sliced",
    "soac",
    "static_sizes",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(home), name)
