"""What this package refuses, as errors of the USL family."""

from __future__ import annotations

from usl_core.errors import UslError


class GemminiError(UslError):
    """Parameters that no chip has, a trace that is none, or C that was made for a chip of other parameters."""

    code = "E830"


class SimulatorError(UslError):
    """A command that hardware would fail on, or whose result nobody can rely on. `index` counts the commands from 0.

    index is None where the host did it, between commands.
    """

    code = "E831"
    index: int | None = None
