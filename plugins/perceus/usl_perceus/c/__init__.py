"""C11 from functional programs in the linear resource calculus."""

from usl_perceus.c.program import Source, generate, program_c

__all__ = ["Source", "generate", "program_c"]
