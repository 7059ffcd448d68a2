"""Functions, foreign functions, kernels, and whole programs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from usl_perceus.ir.atoms import Var
from usl_perceus.ir.exprs import Expr
from usl_perceus.ir.nodes import Node
from usl_perceus.ir.types import Con, DataDecl, Type


@dataclass(frozen=True, slots=True, eq=False)
class Param:
    """borrowed: the caller keeps the ownership. In the core: as annotated in the source; `borrow.py` may set it on more."""

    var: Var
    borrowed: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class FunDef(Node):
    """A top-level function; its body has no free variables but the parameters.

    name: unique in the program, any text (`map[i64,i64]`); the back end makes a C name of it.
    throws: a call may raise (inferred by the front end, for mutually recursive functions together).
    inline: the source asks for inlining. specialize: it asks for a copy for each known closure that it is called with.
    fbip: promised: on unique arguments each constructor reuses a matched block, and the stack does not grow.
    no_alloc: promised: as fbip, but the stack may grow.
    given: the functions behind closures that this is a copy for; what they do the promises do not cover.
    loop: functions with the same number (not None) call each other in tail position, which must not grow the stack; set by
    `tail_calls`.
    """

    name: str
    params: tuple[Param, ...]
    result: Type
    body: Expr
    throws: bool = False
    inline: bool = False
    specialize: bool = False
    fbip: bool = False
    no_alloc: bool = False
    given: frozenset[str] = frozenset()
    loop: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ForeignDecl(Node):
    """A C function `symbol`; borrowed: for each parameter whether the caller keeps it. Results are owned. header: the file to
    include, or None for a prototype made from the types. A foreign function never raises."""

    name: str
    symbol: str
    params: tuple[Type, ...]
    borrowed: tuple[bool, ...]
    result: Type
    header: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class KernelDecl(Node):
    """A @proc: written[i] says whether argument i is an array or scalar that the kernel writes. result: the VALUE constructor
    that collects several of these; None for one. proc: the procedure, for the back end. fails: it may fail although its
    arguments are right, so that `kernel_failed` comes behind each call. parts: the positions of the arrays of which the
    procedure gets a part only; for each the last parameters are its first element and their number."""

    name: str
    params: tuple[Type, ...]
    written: tuple[bool, ...]
    result: Con | None
    proc: object
    fails: bool = True
    parts: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """A whole program. exports: the functions that are called from outside (Python, C); their parameters are owned."""

    datas: Mapping[str, DataDecl]
    funs: Mapping[str, FunDef]
    foreigns: Mapping[str, ForeignDecl] = field(default_factory=dict)
    kernels: Mapping[str, KernelDecl] = field(default_factory=dict)
    exports: tuple[str, ...] = ()
