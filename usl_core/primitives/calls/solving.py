"""From a match of a callee's body with a block to the arguments of the call.

What the statements and accesses leave open is determined by whole buffers, by where loops start, and by the callee's
assertions; what nothing uses is filled with something that fits.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from usl_core.analysis import affine
from usl_core.analysis import formula as fml
from usl_core.analysis.affine import Lin, Stride
from usl_core.analysis.lower import index_lin, truth
from usl_core.ir.memory import DRAM
from usl_core.ir.nodes import Arg, Block, Literal, bool_literal
from usl_core.ir.sym import Sym
from usl_core.ir.types import BOOL, SIZE, ControlType, ScalarType, TensorType, scalar_of
from usl_core.primitives.calls.unify import Mismatch, Solution, Unifier, WindowGuess
from usl_core.profiling import profiled


@profiled("analysis", "unification")
def solve(match: Unifier, block: Block) -> Solution:
    """The arguments that make the callee of match equal to block, as far as matching can tell.

    Raises:
        Mismatch: the block is not an instance of the callee's body.
    """
    match.blocks(match.callee.body, block)
    match.solve_controls()
    if any(name not in match.solution.controls for name in match.control_formals):
        _determine(match)
    for name, uses in match.accesses.items():
        match.solution.windows[name] = match.window(name, uses)
    for formal in match.callee.args:
        if not match.known(formal.name):
            _fill(match, formal)
    return match.solution


def _determine(match: Unifier) -> None:
    """More equations for the control formals that those of the body leave open; some may stay open."""
    for name, typ in _buffers(match):
        if not typ.window:
            _as_a_whole(match, name, typ)
    match.solve_controls()
    for low, low_b, at, other in match.starts:
        if _open(match, low):
            match.equate(low, low_b, at, other)
            match.solve_controls()
    for pred in match.callee.preds:
        for part in fml.conjuncts(truth(pred)):
            if (
                isinstance(part, fml.Eq)
                and _open(match, part.lin)
                and not any(isinstance(a, Stride) for a in affine.atoms(part.lin))
            ):
                match.equate(match.ctx.settle(part.lin), affine.ZERO, pred, pred)
                match.solve_controls()
    for name, typ in _buffers(match):
        if any(_open(match, index_lin(extent)) for extent in typ.shape):
            _up_to_the_end(match, name, typ)
            match.solve_controls()


def _buffers(match: Unifier) -> Iterator[tuple[Sym, TensorType]]:
    for arg in match.callee.args:
        if isinstance(arg.type, TensorType) and arg.name in match.accesses:
            yield arg.name, arg.type


def _open(match: Unifier, lin: Lin) -> set[Sym]:
    """The formals without a value in a form over the callee's names."""
    return {n for n in affine.syms(lin) if n in match.control_formals and n not in match.solution.controls}


def _as_a_whole(match: Unifier, name: Sym, typ: TensorType) -> None:
    """A dense formal is all of the buffer that the block accesses: the same indices, the same extents."""
    uses = match.accesses[name]
    for use in uses:
        for index, index_b in zip(use.callee, use.block, strict=False):
            if _open(match, match.map(index)):
                match.equate(index, index_b, use.at, use.other)
    for extent, extent_b in zip(typ.shape, match.ctx.scope.shape(uses[0].buffer), strict=False):
        match.equate(index_lin(extent), extent_b, uses[0].at, uses[0].other)


def _up_to_the_end(match: Unifier, name: Sym, typ: TensorType) -> None:
    """A window of which only the start is known goes on to the end of the buffer."""
    uses = match.accesses[name]
    found = match.window(name, uses)
    for at, dim in enumerate(found.dims):
        if dim is not None and _open(match, index_lin(typ.shape[dim])):
            rest = match.ctx.scope.shape(found.buffer)[at] - found.offsets[at]
            match.equate(index_lin(typ.shape[dim]), rest, uses[0].at, uses[0].other)


def _fill(match: Unifier, formal: Arg) -> None:
    """Something for a formal that the body does not use: its value does not matter as long as the assertions hold."""
    found, typ = match.solution, formal.type
    if typ is BOOL:
        found.bools[formal.name] = bool_literal(False)
    elif isinstance(typ, ControlType):
        found.controls[formal.name] = affine.const(1 if typ is SIZE else 0)
    elif isinstance(typ, ScalarType):
        found.literals[formal.name] = Literal(0 if typ.is_int else Fraction(0), type=typ)
    else:
        assert isinstance(typ, TensorType)
        found.windows[formal.name] = _unused_buffer(match, formal, typ)


def _unused_buffer(match: Unifier, formal: Arg, typ: TensorType) -> WindowGuess:
    """A buffer in scope that fits a formal and is no other argument, from its first element."""
    ctx, taken = match.ctx, {match.ctx.scope.root(guess.buffer) for guess in match.solution.windows.values()}
    wanted = [affine.subst(index_lin(extent), match.solution.controls) for extent in typ.shape]
    for name, info in ctx.scope.buffers.items():
        extents = ctx.scope.shape(name)
        if scalar_of(info.type) != typ.scalar or not issubclass(info.mem, formal.mem or DRAM) or len(extents) != len(wanted):
            continue
        fits = fml.and_([fml.le(x, y) if typ.window else fml.eq(x, y) for x, y in zip(wanted, extents, strict=True)])
        if ctx.scope.root(name) not in taken and ctx.holds(fits):
            return WindowGuess(name, [affine.ZERO] * len(wanted), tuple(range(len(wanted))))
    raise Mismatch(f"the body does not determine the argument {formal.name.name} of {match.callee.name}")
