"""What C that includes a chip's header is compiled and linked with."""

from __future__ import annotations

from pathlib import Path

from usl_core.plugins.hookspecs import Driver
from usl_gemmini.library import library_name, library_path
from usl_gemmini.params import KNOWN, GemminiParams


class SimulatorDriver(Driver):
    """The driver of one chip. The simulator is compiled when somebody asks where it is, not when plugins are listed."""

    __slots__ = ("params",)
    params: GemminiParams

    def __init__(self, params: GemminiParams) -> None:
        object.__setattr__(self, "params", params)
        for name in ("flags", "sources"):
            object.__setattr__(self, name, ())
        object.__setattr__(self, "headers", (params.header_name,))
        object.__setattr__(self, "libraries", (library_name(params),))

    def serving(self, header: str) -> Driver | None:
        """The driver of the chip with this header, if it is this one, or one of the same dimension that the process knows."""
        known = KNOWN.get(header)
        if header in self.headers or known is None or known.dim != self.params.dim:
            return Driver.serving(self, header)
        return SimulatorDriver(known)

    @property
    def include_dirs(self) -> tuple[Path, ...]:
        """The folder of the header."""
        return (library_path(self.params).parent,)

    @property
    def library_dirs(self) -> tuple[Path, ...]:
        """The folder of the simulator."""
        return (library_path(self.params).parent,)
