"""Gemmini, a systolic array with explicit memories: its parameters, its instruction words, and a simulator of both."""

from usl_gemmini.decode import decode
from usl_gemmini.errors import GemminiError, SimulatorError
from usl_gemmini.params import GemminiParams

__all__ = ["GemminiError", "GemminiParams", "SimulatorError", "decode"]
