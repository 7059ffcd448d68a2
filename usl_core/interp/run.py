"""The reference interpreter: the definition of what a procedure means.

Exact mode computes R and floating types as rationals and integers modulo 2^N; two procedures related by a legal rewrite
give equal results in it, reassociation included. Machine mode rounds every operation to its type, on NumPy arrays, and is
equal bit for bit to the generated C on integer programs. In both, uninitialised data is poison and an access out of bounds
is an error with its place. Instructions mean their bodies.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from types import TracebackType
from typing import Any, Literal

from usl_core.errors import NOWHERE, InterpError
from usl_core.interp.arith import Arithmetic
from usl_core.interp.bind import bind
from usl_core.interp.buffers import Buffer
from usl_core.interp.compile import Compiled, Compiler
from usl_core.interp.exact import ExactArithmetic
from usl_core.interp.machine import MachineArithmetic
from usl_core.interp.runtime import ConfigKey, ConfigState, State, Trace
from usl_core.interp.values import Fault, PoisonBranch, PoisonFault, SizeFault, ValueTooLarge
from usl_core.ir.nodes import Arg, Call, ExprBase, Node, Proc
from usl_core.ir.types import ScalarType
from usl_core.records import dataclass

Mode = Literal["exact", "machine"]


@dataclass(frozen=True, slots=True)
class Result:
    """The final state: the buffers by name of formal (with poison in them), and the configuration fields that were set."""

    buffers: dict[str, Buffer]
    configs: dict[ConfigKey, Any]


def run(
    proc: Proc,
    args: Mapping[str, object] | Sequence[object],
    *,
    mode: Mode = "machine",
    configs: Mapping[ConfigKey, Any] | None = None,
    permute: random.Random | None = None,
    trace: Trace | None = None,
    max_bits: int | None = None,
) -> Result:
    """Runs proc on args, one per formal, by name or in order; data is changed in place.

    Control arguments are ints and bools. Data is a `Buffer`, or in machine mode a NumPy array of the formal's dtype (bf16:
    ml_dtypes, or the bits as uint16; R: float64), windows with any strides; elements that are poison at the end keep their
    old content in an array. A scalar formal also takes a number, if proc does not write it. configs gives fields their
    values at entry, others are poison. With permute, `par` loops run in a random order, the last iteration included: a
    program in which that must follow the others has to say so (`analysis.parallel.separate_last`). trace is called with an
    `Access` for each access to data and each write of a configuration field. max_bits limits the length of exact reals,
    numerator and denominator together.

    Raises:
        InterpError: an argument that does not fit, a precondition that does not hold, overlapping arguments of which one is
            written, an access or window out of bounds, a failed `check`. PoisonBranch: control depends on poison.
            ValueTooLarge: see max_bits.
    """
    compiler = _compiler(mode, trace is not None)
    state = State(ConfigState(_fields(configs or {}, compiler.arith)), permute, trace, max_bits)
    try:
        compiled = compiler.compile(proc)
        values, stores = bind(proc, args, compiler.arith)
        compiled.function(state, *values)
    except Fault as fault:
        raise _located(fault, proc) from None
    for store in stores:
        store()
    buffers = {arg.name.name: value for arg, value in zip(proc.args, values, strict=True) if isinstance(value, Buffer)}
    return Result(buffers, dict(state.configs))


def _fields(configs: Mapping[ConfigKey, Any], arith: Arithmetic) -> Iterator[tuple[ConfigKey, Any]]:
    """The values of fields; floats are rounded to their types."""
    for (owner, name), value in configs.items():
        typ = owner.fields[name].type
        if isinstance(typ, ScalarType) and typ.is_real and type(value) in (int, float, Fraction):
            value = arith.number(value, typ)
        yield (owner, name), value


@cache
def _compiler(mode: Mode, traced: bool) -> Compiler:
    return Compiler(ExactArithmetic() if mode == "exact" else MachineArithmetic(), traced)


# ---- errors

_KINDS: dict[type[Fault], type[InterpError]] = {PoisonFault: PoisonBranch, SizeFault: ValueTooLarge}

_Frame = tuple[Compiled, Node, list[str]]
"""A procedure under way, what it was doing, and `i = 3` for each of its iterators."""


def _located(fault: Fault, proc: Proc) -> InterpError:
    """The error that a user sees: the innermost node that stood for the failing line, iterators, and the calls around it."""
    kind = _KINDS.get(type(fault), InterpError)
    frames = list(_frames(fault.__traceback__))
    if not frames:
        return kind(str(fault), span=proc.span)
    compiled, node, _ = frames[-1]
    calls = [(a, b) for a, b in itertools.pairwise(frames) if isinstance(a[1], Call)]
    iterators = _iterators(frames)
    notes = [f"where {', '.join(iterators)}"] if iterators else []
    notes += [f"in {callee.name}, called from {caller.name} at {call.span}" for (caller, call, _), (callee, _, _) in calls]
    if isinstance(node, (Arg, ExprBase)) and calls:  # what a callee demands at entry is its caller's mistake
        node = calls[-1][0][1]
    return kind(f"{compiled.name}: {fault}", span=proc.span if node.span is NOWHERE else node.span, notes=notes)


def _frames(traceback: TracebackType | None) -> Iterator[_Frame]:
    """The way to a fault, outermost first; a deep loop nest is a Python function, so a frame, of its own."""
    while traceback is not None:
        frame = traceback.tb_frame
        compiled = frame.f_globals.get("compiled")
        if isinstance(compiled, Compiled):
            node = compiled.nodes[traceback.tb_lineno]
            assert node is not None
            scope = compiled.scopes[traceback.tb_lineno]
            yield compiled, node, [f"{spelling} = {frame.f_locals[name]}" for name, spelling in scope if name in frame.f_locals]
        traceback = traceback.tb_next


def _iterators(frames: list[_Frame]) -> list[str]:
    """The iterators around the fault within its procedure."""
    own: list[str] = []
    for _, node, iterators in frames:
        own += [text for text in iterators if text not in own]
        if isinstance(node, Call) and node is not frames[-1][1]:
            own = []
    return own
