"""Which arrays a kernel certainly writes from end to end before it reads them, so that what is in them before the call is of no
matter: `array(n, 0.0)` as such an argument need not be filled.

The procedure as it was written is asked: what operators make of it refines it. It has to write the array by one nest of loops,
each from 0 to the extent of one dimension, whose indices are those of the array; everything that is not so says no.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from weakref import WeakKeyDictionary

from usl_core import Procedure
from usl_core.ir.nodes import Arg, Assign, Block, Expr, For, If, Literal, Node, Proc, Read, Reduce, Stmt
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import mentioned, same, walk
from usl_core.ir.types import TensorType
from usl_perceus.front.empty_arrays import as_written

_known: WeakKeyDictionary[Procedure, frozenset[int]] = WeakKeyDictionary()


def filled(kernel: Procedure) -> frozenset[int]:
    """The positions of the arrays that a kernel writes from end to end, and has not read before."""
    if kernel not in _known:
        written = as_written(kernel)
        _known[kernel] = frozenset() if written is None else frozenset(_filled(written))
    return _known[kernel]


def _filled(proc: Proc) -> Iterator[int]:
    for position, arg in enumerate(proc.args):
        if isinstance(arg.type, TensorType) and not arg.type.window and _fills(proc.body, arg, ()):
            yield position


def _fills(block: Block, arg: Arg, loops: Sequence[For]) -> bool:
    """Whether a block writes all of arg, or in loops the elements of this round, before it reads one."""
    for stmt in block:
        if arg.name in mentioned(stmt):
            return _fills_at_once(stmt, arg, loops)
    return False


def _fills_at_once(stmt: Stmt, arg: Arg, loops: Sequence[For]) -> bool:
    match stmt:
        case Assign(idx=idx, rhs=rhs):
            return arg.name not in mentioned(rhs) and _is_everywhere(idx, arg, loops)
        case For(lo=Literal(value=0), body=body):
            return _fills(body, arg, (*loops, stmt)) and _only_at(body, arg)
        case If(cond=cond, body=body, orelse=orelse):
            return arg.name not in mentioned(cond) and _fills(body, arg, loops) and _fills(orelse, arg, loops)
        case _:
            return False


def _is_everywhere(idx: Sequence[Expr], arg: Arg, loops: Sequence[For]) -> bool:
    """Whether the indices take on all values in the rounds of the loops around: each loop is the index of one dimension."""
    assert isinstance(arg.type, TensorType)
    left = {loop.iter: loop.hi for loop in loops}
    for index, extent in zip(idx, arg.type.shape, strict=True):
        match index:
            case Read(name=name, idx=()) if name in left and same(left[name], extent):
                del left[name]
            case Literal(value=0) if isinstance(extent, Literal) and extent.value == 1:
                pass
            case _:
                return False
    return not left


def _only_at(body: Block, arg: Arg) -> bool:
    """Whether a round has nothing to do with elements of other rounds."""
    places = [_place(node, arg.name) for stmt in body for node in walk(stmt) if _names(node, arg.name)]
    first = next((place for place in places if place is not None), ())
    return all(place is not None and all(map(same, place, first)) for place in places)


def _names(node: Node, name: Sym) -> bool:
    return getattr(node, "name", None) == name


def _place(node: Node, name: Sym) -> tuple[Expr, ...] | None:
    """The indices of an access to one element; None if it is something else."""
    return node.idx if isinstance(node, Assign | Reduce | Read) and node.idx else None
