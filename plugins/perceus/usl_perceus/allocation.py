"""Which expressions take memory from the heap: one answer for promises, `explain` and the inference of borrowed parameters."""

from __future__ import annotations

from enum import Enum

from usl_perceus import prims
from usl_perceus.ir import CallClosure, Expr, ForeignCall, KernelCall, Lambda, Layout, MakeCon, MakeConHole, Prim, Program


class Takes(Enum):
    """Whether an expression takes memory itself; what a `Call` does is its function's matter."""

    NEVER = "never"
    IF_SHARED = "only if what it builds in is shared"
    ALWAYS = "always"
    UNKNOWN = "that is up to a closure or a foreign function"


def takes_memory(expr: Expr, program: Program) -> Takes:
    """Whether the node takes memory, the nodes inside of it aside."""
    match expr:
        case MakeCon(con=con, token=token) | MakeConHole(con=con, token=token):
            if program.datas[con.data].layout is not Layout.BOXED:
                return Takes.NEVER
            return Takes.ALWAYS if token is None else Takes.IF_SHARED
        case Lambda(captures=captures):
            return Takes.ALWAYS if captures else Takes.NEVER
        case Prim(op=op) if op in prims.ALLOCATING:
            return Takes.ALWAYS
        case Prim(op=op) if op in prims.COPYING:
            return Takes.IF_SHARED
        case KernelCall():
            return Takes.IF_SHARED
        case CallClosure() | ForeignCall():
            return Takes.UNKNOWN
        case _:
            return Takes.NEVER
