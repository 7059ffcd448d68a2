"""AVX-512 for USL: register memories, instructions, and schedules for SGEMM and the 3x3 box blur.

    from usl_avx512 import AVX512, mm512_fmadd_ps, sgemm, sgemm_schedule

Importing this package needs no AVX-512; running what uses its instructions does (`has_avx512`). Names are found in their
modules when they are first asked for, so that loading the plugin does not parse instructions that nobody uses.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_MODULES = ("memories", "cpu", "isa", "kernels_algorithms", "kernels_int", "schedules", "scanning")
"""Where public names are, the cheap modules first."""


def __getattr__(name: str) -> Any:
    if not name.startswith("_") and name not in _MODULES:
        for module in _MODULES:
            found = getattr(import_module(f"{__name__}.{module}"), name, None)
            if found is not None:
                globals()[name] = found
                return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """What `from usl_avx512 import` finds: instructions, and what the other modules define."""
    from usl_core import Procedure

    found = {name for name in globals() if name.startswith("__")}
    for name in _MODULES:
        module = import_module(f"{__name__}.{name}")
        for each in dir(module):
            value = None if name == "isa" else getattr(module, each)
            own = isinstance(value, Procedure) or getattr(value, "__module__", "").startswith(__name__)
            found.update([each] if not each.startswith("_") and (own or name == "isa") else ())
    return sorted(found)
