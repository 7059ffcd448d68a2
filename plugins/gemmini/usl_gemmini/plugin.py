"""What usl_gemmini declares."""

from __future__ import annotations

from collections.abc import Mapping

from usl_core.plugins.hookspecs import Driver, hookimpl

USL_API = 1


@hookimpl
def usl_drivers() -> Mapping[str, Driver]:
    """The headers of the chips of each dimension, with what C that includes them is linked with."""
    from usl_gemmini.driver import SimulatorDriver
    from usl_gemmini.params import DIMENSIONS, GemminiParams

    return {f"dim{dim}": SimulatorDriver(GemminiParams(dim=dim)) for dim in DIMENSIONS}
