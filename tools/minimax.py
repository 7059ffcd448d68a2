"""Coefficients of polynomials and entries of tables for the functions in usl_avx512/functions.

python tools/minimax.py NAME...    # prints the coefficients of these recipes, highest first, and the errors they leave
python tools/minimax.py tables     # writes usl_avx512/table_values.py

Polynomials are minimax in a weighted error, by the exchange algorithm on a grid (Remez 1934), computed with 50 digits.
Coefficients are rounded to their type one after another from the lowest; each time those above are computed again.
Needs mpmath: pip install mpmath.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import mpmath as mp  # type: ignore[import-untyped,unused-ignore]
import numpy as np

mp.mp.dps = 50
Real = Any
"""A number of mpmath."""


def grid(lo: Real, hi: Real, count: int = 600) -> list[Real]:
    """Points of an interval, denser at its ends, which are among them."""
    middle, half = (mp.mpf(hi) + lo) / 2, (mp.mpf(hi) - lo) / 2
    return [middle - half * mp.cos(mp.pi * i / (count - 1)) for i in range(count)]


def rounded(x: Real, typ: str) -> Real:
    """The number of a type next to x."""
    if typ == "f64":
        return mp.mpf(float(x))
    if x == 0:
        return mp.mpf(0)
    mantissa, exponent = mp.frexp(x)
    return mp.ldexp(mp.nint(mp.ldexp(mantissa, 24)), exponent - 24)


def exchange(values: Sequence[Real], rows: Sequence[Sequence[Real]], weights: Sequence[Real]) -> list[Real]:
    """The coefficients of the columns of rows that come nearest to values in the weighted error."""
    best = least_squares(values, rows, weights)
    least = max(abs(w * (v - mp.fdot(row, best))) for v, row, w in zip(values, rows, weights, strict=True))
    count, size = len(rows[0]), len(values)
    at = [round((size - 1) * (i + 0.5) / (count + 1)) for i in range(count + 1)]
    for _ in range(30):
        system = mp.matrix(count + 1, count + 1)
        for i, j in enumerate(at):
            for column in range(count):
                system[i, column] = rows[j][column]
            system[i, count] = (-1) ** i / weights[j]
        solved = mp.lu_solve(system, mp.matrix([values[j] for j in at]))
        coefficients = [solved[i] for i in range(count)]
        errors = [w * (v - mp.fdot(row, coefficients)) for v, row, w in zip(values, rows, weights, strict=True)]
        worst = max(map(abs, errors))
        if worst < least:
            best, least = coefficients, worst
        if worst <= abs(solved[count]) * mp.mpf("1.0001"):
            break
        at = alternating(errors, count + 1)
    return best


def least_squares(values: Sequence[Real], rows: Sequence[Sequence[Real]], weights: Sequence[Real]) -> list[Real]:
    """The coefficients with the least sum of squares: where coefficients that are given leave an error, nothing alternates."""
    count = len(rows[0])
    scaled = [[w * each for each in row] for row, w in zip(rows, weights, strict=True)]
    right = [w * v for v, w in zip(values, weights, strict=True)]
    system = mp.matrix(count, count)
    for i in range(count):
        for j in range(count):
            system[i, j] = mp.fsum(row[i] * row[j] for row in scaled)
    solved = mp.lu_solve(
        system, mp.matrix([mp.fsum(row[i] * v for row, v in zip(scaled, right, strict=True)) for i in range(count)])
    )
    return [solved[i] for i in range(count)]


def alternating(errors: Sequence[Real], count: int) -> list[int]:
    """Where the greatest errors of alternating sign are, so many of them."""
    peaks: list[int] = []
    for i, error in enumerate(errors):
        if peaks and (error > 0) == (errors[peaks[-1]] > 0):
            if abs(error) > abs(errors[peaks[-1]]):
                peaks[-1] = i
        else:
            peaks.append(i)
    while len(peaks) > count:
        if len(peaks) == count + 1:
            peaks.pop(0 if abs(errors[peaks[0]]) < abs(errors[peaks[-1]]) else -1)
        else:  # the least one goes, with a neighbour, so that signs still alternate
            i = min(range(len(peaks) - 1), key=lambda i: max(abs(errors[peaks[i]]), abs(errors[peaks[i + 1]])))
            del peaks[i : i + 2]
    while len(peaks) < count:
        peaks.append(peaks[-1] + 1 if peaks[-1] + 1 < len(errors) else peaks[0] - 1)
    return sorted(peaks)


@dataclass(frozen=True)
class Recipe:
    """f as a polynomial of these powers of x on [lo, hi], least in weight times the error; some coefficients may be given."""

    f: Callable[[Real], Real]
    lo: Real
    hi: Real
    powers: Sequence[int]
    weight: Callable[[Real], Real]
    typ: str
    given: dict[int, Real] = field(default_factory=dict)

    def solve(self) -> tuple[dict[int, Real], Real]:
        """The coefficients by power, and the greatest weighted error with these, rounded, ones."""
        points = [x for x in grid(self.lo, self.hi) if x != 0]
        values, weights = [self.f(x) for x in points], [self.weight(x) for x in points]
        known = dict(self.given)
        for power in sorted(self.powers):
            if power in known:
                continue
            free = [each for each in self.powers if each not in known]
            rest = [v - sum((c * x**each for each, c in known.items()), mp.mpf(0)) for v, x in zip(values, points, strict=True)]
            found = exchange(rest, [[x**each for each in free] for x in points], weights)
            known[power] = rounded(found[free.index(power)], self.typ)
        errors = [
            w * (v - sum(c * x**each for each, c in known.items())) for v, x, w in zip(values, points, weights, strict=True)
        ]
        return known, max(map(abs, errors))


def shown(x: Real, typ: str) -> str:
    """The shortest text of a number of a type."""
    return str(np.float32(float(x))) if typ == "f32" else repr(float(x))


# ---- recipes -------------------------------------------------------------------------------------------------------

LN2 = mp.log(2)


def log_tail(r: Real) -> Real:
    return (mp.log1p(r) - r) / r**2


def log2_tail(typ: str) -> Callable[[Real], Real]:
    """log2(1 + r) / r, without 1 / ln 2 in this type."""
    return lambda r: mp.log1p(r) / (r * LN2) - rounded(1 / LN2, typ)


def exp_tail(r: Real) -> Real:
    """(e^r - 1 - r) / r^2."""
    return (mp.expm1(r) - r) / r**2


def cubic_tail(r: Real) -> Real:
    """log(1 + r) = r - r^2 / 2 + r^3 / 2 times this."""
    return 2 * (mp.log1p(r) - r + r**2 / 2) / r**3


def odd_tail(f: Callable[[Real], Real]) -> Callable[[Real], Real]:
    """(f(x) - x) / x^3 as a function of u = x^2."""
    return lambda u: (f(mp.sqrt(u)) - mp.sqrt(u)) / mp.sqrt(u) ** 3


def tan_tail(u: Real) -> Real:
    """(tan x - x - x^3 / 2) / x^3 as a function of u = x^2."""
    return odd_tail(mp.tan)(u) - mp.mpf(0.5)


def cbrt_tail(r: Real) -> Real:
    """((1 + r)^(1/3) - 1) / r."""
    return (mp.cbrt(1 + r) - 1) / r


def cosine_tail(u: Real) -> Real:
    """(cos x - 1) / x^2 as a function of u = x^2."""
    return -2 * (mp.sin(mp.sqrt(u) / 2) / mp.sqrt(u)) ** 2


HALF_LN2 = mp.mpf("0.34664")
"""Where the remainders of exp end, and a little more."""

RECIPES: dict[str, Recipe] = {
    "log_f32": Recipe(log_tail, -mp.mpf("0.0206"), 1 / mp.mpf(32), range(3), abs, "f32"),
    "log2_f32": Recipe(log2_tail("f32"), -mp.mpf("0.0206"), 1 / mp.mpf(32), range(4), lambda r: 1, "f32"),
    "exp_f32": Recipe(exp_tail, -HALF_LN2, HALF_LN2, range(5), lambda r: abs(r * r / mp.expm1(r)), "f32"),
    "expm1_f32": Recipe(exp_tail, -HALF_LN2, HALF_LN2, range(6), lambda r: abs(r * r / mp.expm1(r)), "f32"),
    "expm1_f64": Recipe(exp_tail, -HALF_LN2, HALF_LN2, range(11), lambda r: abs(r * r / mp.expm1(r)), "f64", {0: mp.mpf(0.5)}),
    "log2_f64": Recipe(log2_tail("f64"), -mp.mpf("0.0372"), 1 / mp.mpf(16), range(10), lambda r: 1, "f64"),
    "pow_f32": Recipe(cubic_tail, -mp.mpf("0.0206"), 1 / mp.mpf(32), range(3), lambda r: r * r / 2, "f32"),
    "pow_f64": Recipe(cubic_tail, -mp.mpf("0.0372"), 1 / mp.mpf(16), range(10), lambda r: r * r / 2, "f64"),
    "tan_f32": Recipe(tan_tail, 0, (mp.pi / 3.9997) ** 2, range(7), lambda u: u / mp.tan(mp.sqrt(u)) * mp.sqrt(u), "f32"),
    "tan_f64": Recipe(odd_tail(mp.tan), 0, (mp.pi / 31.9) ** 2, range(5), lambda u: u, "f64"),
    "cbrt_f32": Recipe(cbrt_tail, -mp.mpf("0.0176"), mp.mpf("0.0315"), range(3), abs, "f32"),
    "cbrt_f64": Recipe(cbrt_tail, -mp.mpf("0.0375"), mp.mpf("0.0628"), range(9), abs, "f64"),
    "sine_f32": Recipe(odd_tail(mp.sin), 0, (mp.pi / 15.9) ** 2, range(2), lambda u: u, "f32"),
    "cosine_f32": Recipe(cosine_tail, 0, (mp.pi / 15.9) ** 2, range(2), lambda u: u * (3 if u > 0.0169 else 1), "f32"),
    "sine_f64": Recipe(odd_tail(mp.sin), 0, (mp.pi / 31.9) ** 2, range(4), lambda u: u, "f64"),
    "cosine_f64": Recipe(cosine_tail, 0, (mp.pi / 31.9) ** 2, range(4), lambda u: u, "f64", {0: mp.mpf(-0.5)}),
    "log_f64": Recipe(log_tail, -mp.mpf("0.0372"), 1 / mp.mpf(16), range(10), abs, "f64", {0: mp.mpf(-0.5)}),
}


# ---- tables --------------------------------------------------------------------------------------------------------


def mantissas(entries: int) -> list[tuple[Real, Real]]:
    """The intervals of numbers in [0.75, 1.5) that share the first bits after the point, by the number of these bits."""
    half = entries // 2
    above = [(1 + mp.mpf(j) / entries, 1 + mp.mpf(j + 1) / entries) for j in range(half)]
    below = [((1 + mp.mpf(j) / entries) / 2, (1 + mp.mpf(j + 1) / entries) / 2) for j in range(half, entries)]
    return above + below


def multiple(x: Real, of: int) -> Real:
    """The multiple of 2^-of next to x."""
    return mp.ldexp(mp.nint(mp.ldexp(x, of)), -of)


def inverses(entries: int, places: int, below: int) -> list[Real]:
    """Numbers of so many binary places near the inverses of mantissas; 1 on both sides of 1.

    Few places, fewer for mantissas below 1, so that the remainder m c - 1 is exact.
    """
    half = entries // 2
    found = [multiple(2 / (lo + hi), places if j < half else below) for j, (lo, hi) in enumerate(mantissas(entries))]
    return [mp.mpf(1), *found[1:-1], mp.mpf(1)]


def logarithms(typ: str, c: Sequence[Real], coarse: int, base: Real) -> tuple[list[Real], list[Real]]:
    """-log c of a base as a multiple of 2^-coarse and the rest.

    A lower half stands for mantissas below 1, whose exponent is one less than what they are multiplied by: log 2 is added.
    """
    two = LN2 / mp.log(base)
    # The rest is positive, so that both products with an infinite exponent have one sign.
    high_two = mp.ldexp(mp.floor(mp.ldexp(two, coarse)), -coarse)
    high, low = [], []
    for j, inverse in enumerate(c):
        below = j >= len(c) // 2
        value = -mp.log(inverse) / mp.log(base) + (two if below else 0)
        first = multiple(value - (two - high_two if below else 0), coarse)
        high.append(first)
        low.append(rounded(value - first, typ) if value != first else mp.mpf(0))
    return high, low


def turns(typ: str, step: Real) -> list[list[Real]]:
    """The sine of 16 multiples of step, a fraction of pi, in two parts, and the cosine.

    The first of both parts is -0, which takes the sign of a zero that is added.
    """
    sines, cosines = ([f(k * step) for k in range(16)] for f in (mp.sin, mp.cos))
    sines, cosines = ([x if abs(x) > 1e-9 else mp.mpf(0) for x in each] for each in (sines, cosines))
    high = [rounded(x, typ) for x in sines]
    rest = [rounded(x - y, typ) for x, y in zip(sines, high, strict=True)]
    return [[-0.0, *high[1:]], [-0.0, *rest[1:]], [rounded(x, typ) for x in cosines]]


def tangents(typ: str, entries: int) -> list[list[Real]]:
    """The tangent of (k / entries - 1 / 2) pi / 2 in two parts, the first one with its sign turned."""
    whole = [mp.tan((mp.mpf(k) / entries - 0.5) * mp.pi / 2) if k != entries // 2 else mp.mpf(0) for k in range(entries)]
    whole[0] = mp.mpf(-1)
    high = [rounded(x, typ) for x in whole]
    return [[-x for x in high], [rounded(x - y, typ) for x, y in zip(whole, high, strict=True)]]


def cube_roots(typ: str, entries: int, digits: int) -> tuple[list[Real], list[Real]]:
    """Inverses c, and c^(-1/3), of mantissas below 1 (2 / c)^(1/3), with digits more than the type has."""
    found, roots = [], []
    for j, c in enumerate(inverses(entries, digits, digits)):
        place = mp.ldexp(1, -40 if typ == "f64" else -23)
        for i in itertools.count():
            inverse = rounded(c + place * (i // 2 * (1 if i % 2 else -1)), typ)
            root = mp.cbrt((2 if j >= entries // 2 else 1) / inverse)
            if abs(root / rounded(root, typ) - 1) < mp.ldexp(1, -digits - (53 if typ == "f64" else 24)):
                break
        found.append(inverse)
        roots.append(rounded(root, typ))
    return found, roots


def roots_of_two(typ: str, entries: int) -> tuple[list[Real], list[Real]]:
    """2^(j/3) for j = 0, 1, 2, again and again, in two parts."""
    roots = [mp.cbrt(2**j) for j in (0, 1, 2)]
    high = [rounded(x, typ) for x in roots]
    low = [rounded(x - y, typ) if x != y else mp.mpf(0) for x, y in zip(roots, high, strict=True)]
    return [high[j % 4 % 3] for j in range(entries)], [low[j % 4 % 3] for j in range(entries)]


SLICES = 32
"""Of a function on f32: as many as a table has entries."""
TANH_DEGREE = 5
ERF_DEGREE = 12


def around(
    f: Callable[[Real], Real], node: Real, lo: Real, hi: Real, degree: int, given: dict[int, Real], typ: str = "f32"
) -> Recipe:
    """f(node + d) in its relative error."""
    return Recipe(lambda d: f(node + d), lo, hi, range(degree + 1), lambda d: 1 / f(node + d), typ, given)


def slices(f: Callable[[Real], Real], first: int, degree: int) -> list[list[Real]]:
    """Nodes b and coefficients of f(b + d) on slices, four to each power of two, from 2^first; the first slice begins at 0.

    They are in the order of the last five bits of the exponent and the next two. f(b) is nearly an f32. In the first slice b is
    0 and coefficients are those of an odd function: the error is relative.
    """
    columns: list[list[Real]] = [[mp.mpf(0)] * SLICES for _ in range(degree + 2)]
    for i in range(SLICES):
        lo = mp.ldexp(1 + mp.mpf(i % 4) / 4, first + i // 4)
        hi = lo + mp.ldexp(1, first + i // 4) / 4
        at = (4 * (first + i // 4 + 127) + i % 4) % SLICES
        if i == 0:
            node, given, lo = mp.mpf(0), {0: mp.mpf(0), 1: mp.mpf(1)}, mp.mpf(0)
        else:
            node = (lo + hi) / 2
            for step in itertools.count():
                node = rounded((lo + hi) / 2 + mp.ldexp(step // 2 * (1 if step % 2 else -1), first + i // 4 - 23), "f32")
                value = f(node)
                if abs(value / rounded(value, "f32") - 1) < mp.ldexp(1, -32) or step > 4000:
                    break
            given = {0: rounded(value, "f32")}
        found, error = around(f, node, lo - node, hi - node, degree, given).solve()
        print(f"    slice {i} from {float(lo)}: off by at most 2^{float(mp.log(error, 2)):.2f}")
        for column, value in zip(columns, [node, *(found[power] for power in range(degree + 1))], strict=True):
            column[at] = value
    return columns


def node_near(f: Callable[[Real], Real], middle: Real, place: Real) -> Real:
    """A number near the middle of a slice where f and its derivative are nearly f64."""

    def loss(x: Real) -> Real:
        return abs(x / rounded(x, "f64") - 1) * 2**53

    nodes = (rounded(middle + place * (step // 2 * (1 if step % 2 else -1)), "f64") for step in itertools.count())
    return next(node for node in nodes if loss(f(node)) < 1 / 64 and loss(mp.diff(f, node)) < 1 / 8)


def even_slices(f: Callable[[Real], Real], first: Real, width: Real, degree: int) -> list[list[Real]]:
    """Nodes b and coefficients of f(b + d), f odd, on a first slice from 0 on and 15 more of a width.

    In the first slice b is 0, and the polynomial is that of f(d) - d.
    """
    entries = 16
    columns: list[list[Real]] = [[mp.mpf(0)] * entries for _ in range(degree + 2)]
    for i in range(entries):
        if i == 0:
            node = mp.mpf(0)
            recipe = Recipe(lambda d: f(d) / d - 1, node, first, range(degree), lambda d: d / f(d), "f64")
            solved, error = recipe.solve()
            found = {0: mp.mpf(0), **{power + 1: value for power, value in solved.items()}}
        else:
            lo, hi = first + (i - 1) * width, first + i * width
            middle = (lo + hi) / 2
            step = max(mp.ldexp(1, -44), min(mp.ldexp(1, -14), mp.ldexp(1, -58) / mp.diff(f, middle)))
            node = node_near(f, middle, step)
            given = {0: rounded(f(node), "f64"), 1: rounded(mp.diff(f, node), "f64")}
            found, error = around(f, node, lo - node, hi - node, degree, given, "f64").solve()
        print(f"    slice {i} at {float(node)}: off by at most 2^{float(mp.log(error, 2)):.2f}", flush=True)
        for column, value in zip(columns, [node, *(found[power] for power in range(degree + 1))], strict=True):
            column[i] = value
    return columns


def table_values() -> dict[str, dict[str, list[Real]]]:
    """All tables, by type and name."""
    f32: dict[str, list[Real]] = {}
    f64: dict[str, list[Real]] = {}
    for typ, found, entries, places, below, coarse in (("f32", f32, 32, 6, 6, 16), ("f64", f64, 16, 5, 4, 41)):
        s = "" if typ == "f32" else "_f64"
        for name, base in (("ln", mp.e), ("log2", mp.mpf(2))):
            c = inverses(entries, places, below)
            high, low = logarithms(typ, c, coarse, base)
            found |= {f"mantissa_inverse{s}": c, f"{name}_high{s}": high, f"{name}_low{s}": low}
        found |= dict(
            zip((f"sine{s}", f"sine_rest{s}", f"cosine{s}"), turns(typ, mp.pi / (8 if typ == "f32" else 16)), strict=True)
        )
        found |= dict(zip((f"cbrt_inverse{s}", f"cbrt_root{s}"), cube_roots(typ, entries, 8), strict=True))
        found |= dict(zip((f"root_of_two{s}", f"root_of_two_rest{s}"), roots_of_two(typ, entries), strict=True))
    f64 |= dict(zip(("minus_tangent_f64", "tangent_rest_f64"), tangents("f64", 8), strict=True))
    del f32["root_of_two_rest"]  # what is left is less than a third of a place
    of_tanh = ("tanh_at", *(f"tanh_{power}" for power in range(TANH_DEGREE + 1)))
    f32 |= dict(zip(of_tanh, slices(mp.tanh, -4, TANH_DEGREE), strict=True))
    of_erf = ("erf_at_f64", *(f"erf_{power}_f64" for power in range(ERF_DEGREE + 1)))
    f64 |= dict(zip(of_erf, even_slices(mp.erf, mp.mpf(5) / 16, mp.mpf(3) / 8, ERF_DEGREE), strict=True))
    return {"F32_TABLES": f32, "F64_TABLES": f64}


TABLES_FILE = Path(__file__).parents[1] / "plugins/avx512/usl_avx512/table_values.py"
TABLES_HEAD = '''"""The numbers in the tables of `usl_avx512.tables`, which `python tools/minimax.py tables` writes."""

'''


def tables_text() -> str:
    """The file of all tables."""
    lines = [TABLES_HEAD]
    for variable, tables in table_values().items():
        typ = variable[:3].lower()
        lines.append(f"{variable}: dict[str, tuple[float, ...]] = {{\n")
        for name, values in tables.items():
            lines.append(f'    "{name}": (\n')
            lines += [f"        {shown_float(x, typ)},\n" for x in values]
            lines.append("    ),\n")
        lines.append("}\n")
    return "".join(lines)


def shown_float(x: Real, typ: str) -> str:
    """A number of a table, with a point or an exponent."""
    return repr(float(shown(x, typ)))


def main(names: list[str]) -> int:
    """The exit status."""
    if names == ["tables"]:
        TABLES_FILE.write_text(tables_text(), encoding="utf-8")
        return 0
    for name in names or list(RECIPES):
        recipe = RECIPES[name]
        found, error = recipe.solve()
        print(f"{name}: " + ", ".join(shown(found[power], recipe.typ) for power in sorted(found, reverse=True)))
        print(f"    off by at most 2^{float(mp.log(error, 2)):.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
