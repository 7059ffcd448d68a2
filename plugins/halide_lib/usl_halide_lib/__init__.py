"""Halide's scheduling directives on any procedure, as compositions of operators: no schedule can change a result."""

from usl_halide_lib.errors import DirectiveError

__all__ = ["DirectiveError"]
