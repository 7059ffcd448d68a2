"""C11 from functional programs in the linear resource calculus."""

from usl_c11.perceus.c.program import Source, generate, program_c, runtime_files

__all__ = ["Source", "generate", "program_c", "runtime_files"]
