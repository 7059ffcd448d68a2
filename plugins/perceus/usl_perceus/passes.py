"""The passes from the core to the form that C is made of, in order. Those that are not required may be left out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import partial

from usl_core.deep import deep
from usl_perceus.copying import copy_shared
from usl_perceus.fuse import fuse
from usl_perceus.insert import insert
from usl_perceus.ir import Program
from usl_perceus.linear import check_linear
from usl_perceus.opt.borrow import infer_borrows, wrap_borrowing
from usl_perceus.opt.functions import specialize_functions
from usl_perceus.opt.handlers import open_handlers
from usl_perceus.opt.inline import inline
from usl_perceus.opt.results import narrow_matches
from usl_perceus.opt.simplify import simplify
from usl_perceus.opt.tail_calls import tail_calls
from usl_perceus.opt.throws import narrow_throws
from usl_perceus.opt.trmc import trmc
from usl_perceus.promises import check_promises
from usl_perceus.reuse import keep_fields, reuse
from usl_perceus.specialize import specialize_drops, specialize_reuses
from usl_perceus.verify import verify


@dataclass(frozen=True, slots=True)
class Pass:
    """One step. about: what it does, in a line. required: without it the result is not what C can be made of."""

    name: str
    about: str
    apply: Callable[[Program], Program]
    required: bool = False


PASSES: tuple[Pass, ...] = (
    Pass("simplify", "flatten bindings, resolve matches on known constructors, inline join points", simplify),
    Pass("function-specialization", "copy higher-order functions for known arguments", specialize_functions),
    Pass("inline", "inline small functions, and larger ones that are called once or twice", inline),
    Pass("throws", "find out again which functions may raise", narrow_throws),
    Pass("handlers", "jump to the handlers of exceptions that are raised in sight of them", open_handlers),
    Pass("results", "find out what calls give, and leave out the other branches of matches", narrow_matches),
    Pass("trmc", "tail recursion modulo constructor", trmc),
    Pass("borrow", "infer borrowed parameters of functions that only look", infer_borrows),
    Pass("wrappers", "owned parameters for closures and exports", wrap_borrowing, required=True),
    Pass("perceus", "insert dup and drop", insert, required=True),
    Pass("fusion", "push dups down into branches, cancel them with drops", fuse),
    Pass("reuse", "pair dropped blocks with constructors of their size", reuse),
    Pass("reuse-specialization", "leave fields in place that do not change", keep_fields),
    Pass("drop-specialization", "test uniqueness in the open, so that dups and drops cancel", specialize_drops),
    Pass("reuse-token-specialization", "the same for the drops that give a reuse token", specialize_reuses),
    Pass("copying", "copy shared blocks at once, so that reuse tokens are memory for certain", copy_shared),
    Pass("tail-calls", "mark the calls in tail position", tail_calls, required=True),
)
"""In the order in which they run."""

OPTIONAL = frozenset(step.name for step in PASSES if not step.required)


def trace(program: Program, *, off: Collection[str] = ()) -> Iterator[tuple[str, Program]]:
    """The program as it comes (`core`), then after each pass that is not off.

    Raises:
        ValueError: off names something that is not an optional pass.
    """
    unknown = sorted(set(off) - OPTIONAL)
    if unknown:
        raise ValueError(f"no optional pass is called {', '.join(unknown)}; there are: {', '.join(sorted(OPTIONAL))}")
    yield "core", program
    for step in PASSES:
        if step.name not in off:
            program = deep(partial(step.apply, program))
            yield step.name, program


def compile_program(program: Program, *, off: Collection[str] = ()) -> Program:
    """The program after all passes that are not off. Promises of the source are checked if none is off.

    Raises:
        Malformed: a pass has made a program that is ill-typed or breaks the rules of ownership, which is a bug.
        PerceusError: a promise (`must_reuse`, `@fbip`, `@no_alloc`) is not kept.
    """
    return deep(partial(_compiled, program, off))


def _compiled(program: Program, off: Collection[str]) -> Program:
    *_, (_, last) = trace(program, off=off)
    verify(last)
    check_linear(last)  # C made from a program that breaks the rules would corrupt memory
    if not off:
        check_promises(last)
    return last
