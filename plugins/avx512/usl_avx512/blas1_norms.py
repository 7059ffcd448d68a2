"""BLAS level 1 on AVX-512, what takes more than one pass of one statement: the Euclidean norm, and the largest element.

`nrm2` neither over- nor underflows where its result does not. In f32 the squares are summed up in f64, which holds any of them
and their sum. In f64 the plain sum of squares is used where it is large enough that squares lost to underflow do not count, and
finite; otherwise a second pass has three sums, of squares of large elements scaled down, of small ones scaled up, and of those
between (Blue 1978, A Portable Fortran Program to Find the Euclidean Norm of a Vector, ACM TOMS 4(1)).

`iamax` keeps in each lane the largest magnitude so far and where the vector began that it was first in. Elements that are NaN
are passed over; where all are, the position is that of the first. Elements that lie apart are gathered. What a first-level
cache holds is faster read twice: `amax` finds the largest magnitude, and `first` looks for it, some elements at a time.
"""

from __future__ import annotations

import re
import sys
from functools import cache

from usl_avx512 import isa
from usl_avx512.blas1 import LANES, elements_apart, instructions
from usl_avx512.isa import lookups, movement
from usl_avx512.memories import AVX512
from usl_core import Procedure, proc_from_source
from usl_core.scheduling import rename, set_memory, simplify, specialize, unroll_loop
from usl_stdlib import interleave, replace_all, vectorize

SNRM2 = """\
def nrm2(n: size, x: [f32][n], out: f32):
    s: f64
    s = 0.0
    for i in seq(0, n):
        t: f64
        t = f64(x[i])
        s += t * t
    out = f32(sqrt(s))
"""

DNRM2 = """\
def nrm2(n: size, x: [f64][n], out: f64):
    s: f64
    s = 0.0
    for i in seq(0, n):
        s += x[i] * x[i]
    if s < LEAST_SUM:
        s = -1.0
    if GREATEST_SUM < s:
        s = -1.0
    if s < 0.0:
        large: f64
        large = 0.0
        between: f64
        between = 0.0
        small: f64
        small = 0.0
        for i in seq(0, n):
            down: f64
            down = DOWN * x[i]
            up: f64
            up = UP * x[i]
            large += select(LARGE, abs(x[i]), down * down, 0.0)
            between += select(abs(x[i]), SMALL, 0.0, select(LARGE, abs(x[i]), 0.0, x[i] * x[i]))
            small += select(abs(x[i]), SMALL, up * up, 0.0)
        if 0.0 < large:
            out = sqrt(large + between * DOWN * DOWN) * UP_AGAIN
        else:
            out = sqrt(small + between * UP * UP) * DOWN_AGAIN
    else:
        out = sqrt(s)
"""
CONSTANTS = {
    "LEAST_SUM": 2.0
    ** -960,  # squares lost to underflow, fewer than 2^31 and each below 2^-1074, are less than 2^31 2^-114 of it
    "GREATEST_SUM": sys.float_info.max,
    "SMALL": 2.0**-511,
    "LARGE": 2.0**486,
    "UP": 2.0**537,
    "DOWN_AGAIN": 2.0**-537,
    "DOWN": 2.0**-538,
    "UP_AGAIN": 2.0**538,
}
"""For f64, from Blue 1978: the square of anything between SMALL and LARGE, and the sum of 2^31 of them, is a normal number; so
it is of smaller numbers times UP and of larger ones times DOWN."""


IAMAX = """\
def iamax(n: size, x: [T][n], out: i64):
    best: T[R, V]
    place: I[R, V]
    for r in seq(0, R):
        for l in seq(0, V):
            best[r, l] = -1.0
    for r in seq(0, R):
        for l in seq(0, V):
            place[r, l] = I(0)
    for i in seq(0, n / (R * V)):
        for r in seq(0, R):
            for l in seq(0, V):
                t: T
                t = abs(x[R * V * i + V * r + l])
                place[r, l] = select(best[r, l], t, I(R * V * i + V * r), place[r, l])
                best[r, l] = max(t, best[r, l])
    for r in seq(0, R):
        if V * r < n % (R * V):
            number: I
            number = I(n / (R * V) * (R * V) + V * r)
            for l in seq(0, V):
                if V * r + l < n % (R * V):
                    t: T
                    t = abs(x[n / (R * V) * (R * V) + V * r + l])
                    place[r, l] = select(best[r, l], t, number, place[r, l])
                    best[r, l] = max(t, best[r, l])
    most: T[V]
    for l in seq(0, V):
        most[l] = best[0, l]
    for r in seq(1, R):
        for l in seq(0, V):
            most[l] = max(most[l], best[r, l])
    top: T
    top = -1.0
    for l in seq(0, V):
        top @= max(most[l])
    first: I[V]
    for l in seq(0, V):
        first[l] = MOST
    for r in seq(0, R):
        for l in seq(0, V):
            first[l] = min(first[l], select(best[r, l], top, MOST, place[r, l] + I(l)))
    position: I
    position = MOST
    for l in seq(0, V):
        position @= min(first[l])
    out = i64(position)
"""
"""V: the lanes of a register, R: registers, I: numbers as wide as T, which hold positions exactly."""

AMAX = """\
def amax(n: size, x: [T][n], out: T):
    assert stride(x, 0) == 1
    best: T[R, V]
    for r in seq(0, R):
        for l in seq(0, V):
            best[r, l] = -1.0
    for i in seq(0, n / (R * V)):
        for r in seq(0, R):
            for l in seq(0, V):
                best[r, l] = max(abs(x[R * V * i + V * r + l]), best[r, l])
    for r in seq(0, R):
        if V * r < n % (R * V):
            for l in seq(0, V):
                if V * r + l < n % (R * V):
                    best[r, l] = max(abs(x[n / (R * V) * (R * V) + V * r + l]), best[r, l])
    most: T[V]
    for l in seq(0, V):
        most[l] = best[0, l]
    for r in seq(1, R):
        for l in seq(0, V):
            most[l] = max(most[l], best[r, l])
    top: T
    top = -1.0
    for l in seq(0, V):
        top @= max(most[l])
    out = top
"""
"""The largest magnitude, -1 where there is none but NaN."""

FIRST = """\
def first(n: size, x: [T][n], below: T, out: i64):
    assert stride(x, 0) == 1
    place: I[V]
    for l in seq(0, V):
        place[l] = MOST
    for i in seq(0, n / V):
        number: I
        number = I(V * i)
        for l in seq(0, V):
            place[l] = min(place[l], select(below, abs(x[V * i + l]), number, MOST))
    if 0 < n % V:
        rest: I
        rest = I(n / V * V)
        for l in seq(0, V):
            if l < n % V:
                place[l] = min(place[l], select(below, abs(x[n / V * V + l]), rest, MOST))
    first: I[V]
    for l in seq(0, V):
        first[l] = place[l] + I(l)
    position: I
    position = MOST
    for l in seq(0, V):
        position @= min(first[l])
    out = i64(position)
"""
"""Where the first element is whose magnitude is greater than below, MOST where none is: for fewer elements than that."""
FAR = 1024
"""MOST of FIRST."""

REGISTERS = 4
"""Registers of magnitudes in iamax: a comparison and the choice after it take longer than the next vector takes to come."""


@cache
def nrm2(typ: str) -> Procedure:
    """snrm2 or dnrm2, into `out`."""
    p = proc_from_source(SNRM2) if typ == "f32" else proc_from_source(DNRM2, CONSTANTS)
    available = (*instructions(), *isa.instructions("conversions"))
    loop = p.find_loop("i")
    p = elements_apart(specialize(p, loop, "stride(x, 0) == 1"), loop)
    p, vectorized = vectorize(p, loop, LANES["f64"], AVX512, available, tail="masked")
    p, _ = interleave(p, vectorized.loop, 4, par_reduce=True)
    return rename(simplify(replace_all(p, available)), f"{'s' if typ == 'f32' else 'd'}nrm2")


@cache
def iamax(typ: str) -> Procedure:
    """isamax or idamax, into `out`: positions count from 0."""
    p = _in_registers(IAMAX, typ, 2**31 - 1)
    p = simplify(specialize(p, p.body(), "stride(x, 0) == 1"))
    suffix = "ps" if typ == "f32" else "pd"
    gather = [getattr(movement, f"mm512_{form}gather_{suffix}") for form in ("", "mask_")]
    available = (*instructions(), *isa.instructions("integers"), lookups.mm512_iota_pd, *gather)
    branches = p.body()[0].body(), p.body()[0].orelse()
    for block in branches:
        for name in ("best", "place", "most", "first"):
            p = set_memory(p, p.forward(block).find(f"{name}: _"), AVX512)
        for lanes in block.find("for l in _: _", many=True):
            p, _ = vectorize(p, p.forward(lanes), LANES[typ], AVX512, available, tail="perfect")
    p = replace_all(simplify(p), available)
    for block in branches:
        for registers in block.find("for r in _: _", many=True):
            p = unroll_loop(p, p.forward(registers))
    return rename(simplify(p), f"i{'s' if typ == 'f32' else 'd'}amax")


@cache
def amax(typ: str) -> Procedure:
    """samax or damax, into `out`: the largest magnitude of neighbours."""
    p = _near(_in_registers(AMAX, typ, FAR), typ, ("best", "most"))
    for registers in p.find("for r in _: _", many=True):
        p = unroll_loop(p, p.forward(registers))
    return rename(simplify(p), f"{'s' if typ == 'f32' else 'd'}amax")


@cache
def first(typ: str) -> Procedure:
    """sfirst or dfirst, into `out`: the position of the first magnitude above `below`, of fewer than FAR neighbours."""
    p = _near(_in_registers(FIRST, typ, FAR), typ, ("place", "first"))
    return rename(p, f"{'s' if typ == 'f32' else 'd'}first")


def _in_registers(text: str, typ: str, most: int) -> Procedure:
    """A text with the words in it replaced."""
    words = {"T": typ, "I": "i32" if typ == "f32" else "f64", "R": str(REGISTERS), "V": str(LANES[typ])}
    words["MOST"] = str(most) if typ == "f32" else f"{most}.0"
    return proc_from_source(re.sub(r"\b([TIRV]|MOST)\b", lambda match: words[match[0]], text))


def _near(p: Procedure, typ: str, registers: tuple[str, ...]) -> Procedure:
    """Loops over lanes as instructions."""
    available = (*instructions(), *isa.instructions("integers"), lookups.mm512_iota_pd)
    for name in registers:
        p = set_memory(p, p.find(f"{name}: _"), AVX512)
    for lanes in p.find("for l in _: _", many=True):
        p, _ = vectorize(p, p.forward(lanes), LANES[typ], AVX512, available, tail="perfect")
    return replace_all(simplify(p), available)
