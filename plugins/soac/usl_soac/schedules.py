"""Schedules for any kernel: `f.schedule(schedules.soac_default)`.

They only compose operators, so that a mistake here costs speed or an error, never a wrong result. A loop that an operator
refuses stays as it is.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from usl_core import Procedure
from usl_core.cursors import BinaryOpCursor
from usl_core.errors import PatternError, UslError
from usl_core.ir.types import ScalarType
from usl_core.scheduling import if_to_select, simplify
from usl_soac.blocks import filtered, running
from usl_soac.parallel import on_threads
from usl_soac.products import tiled

WIDTHS = {"f64": 8, "i64": 8, "u64": 8}
LANES = 16


def soac_default(p: Procedure, target: str = "avx512", parallel: bool = False) -> Procedure:
    """Innermost loops in vectors: elements that stand side by side, sums in as many parts as a register has lanes, filters and
    running sums in blocks (`blocks`), matrix products in tiles (`products`).

    target: "avx512", where the package usl-avx512 and a processor that has it are there; else, and with "c", what the C
    compiler vectorises by itself is all. parallel: outermost loops run on threads of OpenMP, with the same bits
    (`parallel.on_threads`); a call then costs some microseconds more.

    Raises:
        SoacError: there is no such target.
    """
    if target not in ("avx512", "c"):
        from usl_soac.errors import SoacError

        raise SoacError(f"soac_default has no target {target!r}; its targets: 'avx512', 'c'", code="E768")
    if target == "avx512" and has_vectors():
        for loop in list(innermost(p)):
            here = p.forward(loop)
            p = tiled(p, here, in_vectors) or filtered(p, here) or running(p, here) or in_vectors(p, here)
        p = simplify(p)
    return on_threads(p) if parallel else p


def has_vectors() -> bool:
    """Whether usl-avx512 is installed, and this processor has what it needs."""
    try:
        from usl_avx512 import has_avx512
    except ImportError:
        return False
    return bool(has_avx512())


def in_vectors(p: Procedure, loop: Any, width: int | None = None, tail: str = "masked") -> Procedure:
    """A loop in vectors of AVX-512, with the last ones as a tail says; as it is, if that is refused.

    width: the lanes; else as many as a register has of the widest numbers of the kernel, or where that is refused of the
    others, as indices of 64 bits are narrowed when they are read, and narrow ones widened.
    """
    from usl_avx512 import AVX512, cpu_features, isa
    from usl_stdlib import vectorize

    widths = (width,) if width else dict.fromkeys((lanes_of(p), LANES, WIDTHS["i64"]))
    loop = p.find_loop(loop) if isinstance(loop, str) else loop
    made = chosen_by_select(p, loop)
    for lanes, each in itertools.product(widths, dict.fromkeys((tail, "cut"))):
        try:
            return vectorize(made, made.forward(loop), lanes, AVX512, isa.for_lanes(lanes, cpu_features()), tail=each)[0]
        except UslError:
            continue
    return p


def chosen_by_select(p: Procedure, loop: Any) -> Procedure:
    """The branches in a loop as choices, where operators allow it; not where real numbers are compared by more than `<` and
    `>`, as with NaN another branch might be taken."""
    try:
        branches = loop.find("if _: _", many=True)
    except PatternError:
        return p
    for branch in branches:
        if not _compares_reals_for_equality(branch.cond()):
            try:
                p = if_to_select(p, p.forward(branch))
            except UslError:
                continue
    return p


def _compares_reals_for_equality(condition: Any) -> bool:
    if not isinstance(condition, BinaryOpCursor):
        return False
    if condition.op() in ("and", "or"):
        return any(map(_compares_reals_for_equality, (condition.lhs(), condition.rhs())))
    typ = condition.lhs().type()
    return isinstance(typ, ScalarType) and typ.is_real and condition.op() not in ("<", ">")


def lanes_of(p: Procedure) -> int:
    """How many of the widest numbers of a kernel a register has."""
    types = {str(arg.type()) for arg in p.args() if arg.is_tensor()}
    return min((WIDTHS.get(each, LANES) for each in types), default=LANES)


def innermost(p: Procedure) -> Iterator[Any]:
    """The loops that have no loops in them."""
    loops = p.find("for _ in _: _", many=True)
    return (loop for loop in loops if not any(loop != other and loop.is_ancestor_of(other) for other in loops))
