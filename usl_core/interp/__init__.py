"""The reference interpreter, which defines what a procedure means. NumPy is loaded only when an array is passed."""

from usl_core.interp.buffers import Buffer
from usl_core.interp.run import Result, run
from usl_core.interp.runtime import Access, ConfigKey
from usl_core.interp.values import POISON, Poison, PoisonBranch, ValueTooLarge

__all__ = ["POISON", "Access", "Buffer", "ConfigKey", "Poison", "PoisonBranch", "Result", "ValueTooLarge", "run"]
