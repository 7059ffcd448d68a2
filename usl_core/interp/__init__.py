"""The reference interpreter, which defines what a procedure means. NumPy is loaded only when an array is passed.

Its arithmetic is a parameter (`Arithmetic`), so that others can run procedures on values of their own.
"""

from usl_core.interp.arith import SHARED, Arithmetic
from usl_core.interp.bind import bind
from usl_core.interp.buffers import Buffer, dense_strides
from usl_core.interp.compile import Compiler
from usl_core.interp.exact import ExactArithmetic
from usl_core.interp.exponentials import rational
from usl_core.interp.machine import format_of, largest, round_float, round_rational
from usl_core.interp.run import Result, run
from usl_core.interp.runtime import Access, ConfigKey, ConfigState, State
from usl_core.interp.values import POISON, Poison, PoisonBranch, Value, ValueTooLarge

__all__ = [
    "POISON", "SHARED", "Access", "Arithmetic", "Buffer", "Compiler", "ConfigKey", "ConfigState",
    "ExactArithmetic", "Poison", "PoisonBranch", "Result", "State", "Value", "ValueTooLarge", "bind",
    "dense_strides", "format_of", "largest", "rational", "round_float", "round_rational", "run",
]  # fmt: skip
