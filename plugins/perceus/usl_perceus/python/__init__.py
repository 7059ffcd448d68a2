"""Functional programs from Python: calls of compiled functions, values both ways, a heap that Python owns."""

from usl_perceus.python.call import call
from usl_perceus.python.handle import Handle
from usl_perceus.python.heap import live_blocks

__all__ = ["Handle", "call", "live_blocks"]
