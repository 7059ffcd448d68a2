"""What Halide's language and schedules ask of the core, of C and of AVX-512: each with its program, and what becomes of it.

`docs/halide_needs.md` shows the list; `python plugins/halide_lib/tests/halide_tables.py` writes it there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from kernels_halide import reduced

from usl_core import Procedure, proc_from_source
from usl_core.errors import UslError
from usl_core.inspect import prove
from usl_core.scheduling import (
    clone_buffer,
    cut_loop,
    delete_dead_writes,
    divide_loop,
    divide_with_recompute,
    fold_into_reduce,
    fuse,
    guard_redundant,
    inline_producer,
    mult_loops,
    rename_loop,
    reorder_loops,
    resize_dim,
    sink_alloc,
    stage_mem,
    unroll_loop,
    widen_loop,
)
from usl_halide_lib import schedule
from usl_stdlib import infer_bounds


@dataclass(frozen=True, slots=True)
class Need:
    """One need: its number in the list, what it was, what became of it.

    works and refused have functions that run its programs; the texts are part of what comes out, or of the message.
    """

    number: int
    what: str
    now: str
    works: list[tuple[str, Callable[[], object]]] = field(default_factory=list)
    refused: list[tuple[str, Callable[[], object]]] = field(default_factory=list)
    lanes: list[tuple[str, str, int, str]] = field(default_factory=list)
    """Loops that become vectors: arguments, statement, number of lanes, and the instruction that is used."""
    no_lanes: list[tuple[str, str, int]] = field(default_factory=list)

    @property
    def verdict(self) -> str:
        """How much of it works."""
        works, refused = bool(self.works or self.lanes), bool(self.refused or self.no_lanes)
        return "in part" if works and refused else "works" if works else "refused" if refused else "elsewhere"


def outcome(run: Callable[[], object]) -> tuple[bool, str]:
    """Whether it works, and what came out or the message."""
    try:
        return True, str(run())
    except UslError as error:
        return False, str(error)


def vectors(arguments: str, statement: str, width: int) -> Procedure:
    """A loop of n iterations around a statement that writes y, whose lanes are asked for and nothing else."""
    s = schedule(proc_from_source(f"def k(n: size, {arguments}):\n    for i in seq(0, n):\n        {statement}\n"))
    s["y"].vectorize("i", width)
    return s.apply()


def loop(body: str, arguments: str = "x: f32[n]", iterations: str = "n") -> Procedure:
    """A procedure with one loop."""
    return proc_from_source(f"def p(n: size, {arguments}):\n    for i in seq(0, {iterations}):\n        {body}\n")


def stages(extent: str, producer: str, iterations: str, consumer: str, arguments: str) -> Procedure:
    """A procedure with a local producer d of some extent, and a consumer y."""
    return proc_from_source(
        f"def p(n: size, {arguments}):\n    d: f32[{extent}]\n    for i in seq(0, {extent}):\n        {producer}\n"
        f"    for i in seq(0, {iterations}):\n        {consumer}\n"
    )


HALVES = stages("n + 1", "d[i] = x[i] * 2.0", "2 * n", "y[i] = d[i / 2] + d[(i + 1) / 2]", "x: f32[n + 1], y: f32[2 * n]")
BORDER = proc_from_source(
    """
def border(n: size, x: f32[n], y: f32[n]):
    b: f32[n + 2]
    for i in seq(0, n + 2):
        if i >= 1 and i < n + 1:
            b[i] = x[i - 1]
        else:
            b[i] = 0.0
    for i in seq(0, n):
        y[i] = b[i] + b[i + 1] + b[i + 2]
"""
)
SURPLUS = stages("2 * n", "d[i] = x[i] + 1.0", "n", "y[i] = d[i]", "x: f32[2 * n], y: f32[n]")
ROWS = proc_from_source(
    "def rows(H: size, W: size, x: f32[H, W]):\n    for i in seq(0, H):\n        for j in seq(0, W):\n"
    "            x[i, j] = 1.0\n"
)
GARBAGE = proc_from_source(
    """
def garbage(n: size, x: f32[n + 1], y: f32[(n + 3) / 4 * 4]):
    g: f32[(n + 3) / 4 * 4 + 1]
    for i in seq(0, n + 1):
        g[i] = x[i]
    for xo in seq(0, (n + 3) / 4):
        for xi in seq(0, 4):
            y[4 * xo + xi] = g[4 * xo + xi] + g[4 * xo + xi + 1]
"""
)
TABLE = proc_from_source(
    """
def table(n: size, t: f32[16], z: f32[n]):
    k: i32[(n + 7) / 8 * 8]
    w: f32[(n + 7) / 8 * 8]
    for i in seq(0, (n + 7) / 8 * 8):
        k[i] = 3
    for i in seq(0, n):
        w[i] = t[idx(k[i], 0, 16)]
    for i in seq(0, n):
        z[i] = w[i]
"""
)
WINDOW = proc_from_source(
    """
def window(n: size, k: size, x: f32[n + k], y: f32[n]):
    d: f32[n + k]
    for i in seq(0, n + k):
        d[i] = x[i]
    for i in seq(0, n):
        y[i] = 0.0
        for r in seq(0, k + 1):
            y[i] += d[min(i + r, n + k - 1)]
"""
)
TWICE = proc_from_source(
    """
def twice(n: size, x: f32[n], y: f32[n]):
    d: f32[n]
    for i in seq(0, n):
        d[i] = x[i] + 1.0
    for i in seq(0, n):
        y[i] = d[i]
    for i in seq(0, n):
        y[i] += d[i] * 2.0
"""
)
COLUMNS = "def columns(m: size, n: size, x: f32[m, n], y: f32[m]):\n    for i in seq(0, n):\n        for j in seq(0, m):\n"


def computed_at(p: Procedure, loop: str, rooted: bool = False) -> Procedure:
    """The producer d in a loop of y."""
    s = schedule(p)
    s["d"].compute_at("y", loop)
    if rooted:
        s["d"].store_root()
    return s.apply()


def fused_rows() -> Procedure:
    """Two loops, fused to be parallel."""
    s = schedule(ROWS)
    s["x"].fuse("j", "i", "t").parallel("t")
    return s.apply()


def maximum() -> Procedure:
    """The greatest element."""
    return loop("m[0] @= max(x[i])", "x: f32[n], m: f32[1]")


def factored() -> Procedure:
    """Partial maxima in parallel."""
    s = schedule(reduced("f32", "@= max({})"))
    s["a"].update().rfactor("r", "u")
    return s.apply()


def sunk_with_garbage() -> Procedure:
    """A producer of which places are read that nothing writes."""
    p = divide_with_recompute(GARBAGE, "i", "(n + 3) / 4", 4, ["xo", "d"], base="4 * xo", extent="min(5, n + 1 - 4 * xo)")
    return sink_alloc(fuse(p, "xo", "xo #1"), "g")


def guarded() -> Procedure:
    """The producer of halves, each place computed when it is needed."""
    p = divide_with_recompute(HALVES, "i", "2 * n", 1, ["i", "im"], base="i / 2", extent="2")
    p = fuse(p, "i", "i #1")
    return guard_redundant(p, p.find_loop("im").body(), "i == 0 or im == 1 and i % 2 == 1")


def chain(count: int) -> Procedure:
    """So many stages in tiles of the last one."""
    text = [f"def chain(n: size, x: f32[n + {count}], y: f32[n]):"]
    text += [f"    d{k}: f32[n + {count - k - 1} + 1]" for k in range(count)]
    for k in range(count):
        read = f"d{k - 1}" if k else "x"
        text += [f"    for i in seq(0, n + {count - k - 1}):", f"        d{k}[i] = {read}[i] + {read}[i + 1]"]
    text += ["    for i in seq(0, n):", f"        y[i] = d{count - 1}[i]"]
    s = schedule(proc_from_source("\n".join(text) + "\n"))
    s["y"].split("i", "io", "ii", 8)
    for k in range(count):
        s[f"d{k}"].compute_at("y", "io")
    return s.apply()


def two_sources() -> Any:
    """Two procedures from texts; an operator refuses something of the first."""
    first = loop("x[i] = 1.0")
    proc_from_source("def second(n: size, x: f32[n]):\n    for q in seq(0, n):\n        x[q] = 2.0\n")
    return unroll_loop(first, "i")


def accesses(index: str) -> str:
    """The places of x that ten iterations read."""
    return str(infer_bounds(loop(f"y[i] = x[{index}]", "x: f32[13], y: f32[10]", "10"), "x"))


def through(types: tuple[str, ...], arguments: str, statement: str, word: str, widths: dict[str, int]) -> list[Any]:
    """The same loop for several types: T stands for each of them, its instructions have their suffix."""
    suffix = {"f32": "ps", "u8": "epu8", "u16": "epu16", "i16": "epi16", "i32": "epi32", "i8": "epi8", "u32": "epu32"}
    return [(arguments.replace("T", t), statement.replace("T(", f"{t}("), widths[t], f"{word}_{suffix[t]}") for t in types]


WIDTHS = {"f32": 16, "i32": 16, "u32": 16, "u16": 32, "i16": 32, "u8": 32, "i8": 64}
ALL = ("f32", "u8", "u16", "i32")


NEEDS = [
    Need(
        1,
        "`compute_inline` of any read: `d[i / 2]`, look-ups, producers that end in `if`",
        "`inline_producer(p, buffer)`, which `compute_inline()` is",
        works=[
            ("x[(i + 1) / 2] * 2.0", lambda: inline_producer(HALVES, "d")),
            ("else", lambda: inline_producer(BORDER, "b")),
            (
                "y[i] = 2.0",
                lambda: inline_producer(
                    stages("256", "d[i] = 2.0", "n", "y[i] = d[idx(k[i], 0, 256)]", "k: i32[n], y: f32[n]"), "d"
                ),
            ),
        ],
    ),
    Need(
        2,
        "A producer that makes more than is read",
        "`delete_dead_writes`; `compute_at` uses it where tiles would leave gaps",
        works=[
            ("for i in seq(0, n)", lambda: delete_dead_writes(q := cut_loop(SURPLUS, "i", "n"), q.find_loop("i #1"))),
        ],
    ),
    Need(
        3,
        "Empty loops stay",
        '`divide_loop(tail="bound")` makes none; `simplify` and `delete_pass` drop them',
        works=[("min(8, n - 8 * io)", lambda: divide_loop(loop("x[i] = 1.0"), "i", 8, ["io", "ii"], tail="bound"))],
    ),
    Need(
        4,
        "`fuse` of loops with any extents",
        "`fuse(x, y, t).parallel(t)` makes both parallel, shared by threads together (`collapse`); `mult_loops` asks for one "
        "constant extent, since quotients by a size are no index",
        works=[("for i in par(0, H)", fused_rows)],
        refused=[("the extent W of the inner loop is not a constant", lambda: mult_loops(ROWS, "i", "ij"))],
    ),
    Need(
        5,
        "Factors that are expressions",
        "a size is a factor where it is known to be one number (`assert k == 8`, `specialize`); "
        "else refused, as `k * io` is no index",
        works=[
            (
                "8 * io + ii",
                lambda: divide_loop(
                    proc_from_source(
                        "def p(n: size, k: size, x: f32[n]):\n    assert k == 8\n    for i in seq(0, n):\n        x[i] = 1.0\n"
                    ),
                    "i",
                    "k",
                    ["io", "ii"],
                    tail="guard",
                ),
            )
        ],
        refused=[
            (
                "may be more than one number",
                lambda: divide_loop(loop("x[i] = 1.0", "k: size, x: f32[n]"), "i", "k", ["io", "ii"], tail="guard"),
            )
        ],
    ),
    Need(
        6,
        "Reductions other than sums",
        "`*=`, `@= max`, `@= min` and functions proved to be associative; `fold_into_reduce` finds them in `=`",
        works=[
            (
                "for j in seq(0, m)",
                lambda: reorder_loops(proc_from_source(f"{COLUMNS}            y[j] @= max(x[j, i])\n"), "i"),
            ),
            ("for j in seq(0, m)", lambda: reorder_loops(proc_from_source(f"{COLUMNS}            y[j] *= x[j, i]\n"), "i")),
            ("m[0] @= max(t)", lambda: stage_mem(maximum(), "i", "m[0]", "t", accum=True)),
            ("m[0] @= max(x[i])", lambda: fold_into_reduce(loop("m[0] = max(m[0], x[i])", "x: f32[n], m: f32[1]"), "m[_] = _")),
            ("a_intm", factored),
        ],
    ),
    Need(
        7,
        "`round_up` with `idx`; `sink_alloc` of what is read and never written",
        "both, as what decides about control is filled to the end of the last tile",
        works=[
            ("t[idx(k[8 * io + ii], 0, 16)]", lambda: divide_loop(TABLE, "i #1", 8, ["io", "ii"], tail="round_up")),
            ("        g: f32[", sunk_with_garbage),
        ],
    ),
    Need(
        8,
        "A producer runs on into a larger buffer",
        "`widen_loop`",
        works=[
            (
                "for i in seq(0, n + 5)",
                lambda: widen_loop(
                    proc_from_source(
                        "def p(n: size, x: f32[n + 8], y: f32[n]):\n    d: f32[n + 8]\n    for i in seq(0, n):\n"
                        "        d[i] = x[i]\n    for i in seq(0, n):\n        y[i] = d[i]\n"
                    ),
                    "i",
                    "n + 5",
                ),
            )
        ],
    ),
    Need(
        9,
        "Circular buffers of a symbolic size",
        "refused: an index modulo a size is none. A size that is one number there is allowed",
        refused=[
            ("a circular buffer has a literal number of places", lambda: resize_dim(WINDOW, "d", 0, "k + 1", 0, fold=True))
        ],
    ),
    Need(
        10,
        "A guard that is exactly when a place is needed",
        "`guard_redundant` also proves “not needed yet”; pyramids slide and keep two places",
        works=[
            ("if i == 0 or im == 1 and i % 2 == 1", guarded),
            ("d: f32[2]", lambda: computed_at(HALVES, "i", rooted=True)),
        ],
    ),
    Need(
        11,
        "Products and quotients of two control values",
        "refused: indices are linear, so that every access is proved",
        refused=[
            ("is not affine", lambda: proc_from_source("def p(a: size, b: size, x: f32[a * b]):\n    x[0] = 1.0\n")),
            ("divided by a constant only", lambda: loop("x[i % m] = 1.0", "m: size, x: f32[m]")),
        ],
    ),
    Need(
        12,
        "Types and operators",
        "`u64`; `& \\| ^ ~ << >>` and `%` of integers; floor, ceil, trunc, exp, log, pow, sin, cos, tan, atan2, tanh and more. "
        "Not: `bool` as data (`u8` holds it), `round` (half to even is `rint` in Halide's language), `asin`, `%` of floats",
        works=[
            ("x[i] & 15 | x[i] >> 2", lambda: loop("x[i] = (x[i] & 15) | (x[i] >> 2)", "x: u8[n], y: u64[n]")),
            ("pow(x[i], trunc(x[i]))", lambda: loop("x[i] = pow(x[i], trunc(x[i]))")),
            ("atan2(tan(x[i]), floor(x[i]))", lambda: loop("x[i] = atan2(tan(x[i]), floor(x[i]))")),
        ],
        refused=[
            ("bool is a control type", lambda: loop("x[i] = 1", "x: bool[n]")),
            ("unknown function asin", lambda: loop("x[i] = asin(x[i])")),
            ("defined on integers only", lambda: loop("x[i] = x[i] % 2.0")),
        ],
    ),
    Need(
        13,
        "Empty images",
        "sizes are at least 1, as before: `realize` and C entries of Halide's language return empty arrays without a call",
        refused=[
            ("may be below 1", lambda: proc_from_source("def p(n: size, x: f32[n]):\n    t: f32[n - 1]\n    t[0] = x[0]\n"))
        ],
    ),
    Need(
        14,
        "A producer of two stages moves into both",
        "`clone_buffer`; `compute_at` makes one copy for each stage that reads, as Halide does. "
        "`sink_alloc` itself still takes one",
        works=[
            ("c[i] = x[i] + 1.0", lambda: clone_buffer(TWICE, "d", "i #1", "c")),
            ("d_0[0] = x[i] + 1.0", lambda: computed_at(TWICE, "i")),
        ],
        refused=[("so it cannot move into one of them", lambda: sink_alloc(TWICE, "d"))],
    ),
    Need(
        15,
        "`infer_bounds` keeps terms together that belong together; a public question whether something holds",
        "both: `usl_core.inspect.prove`",
        works=[
            ("x[0:6]", lambda: accesses("i - i / 2")),
            ("x[0:4]", lambda: accesses("i / 4 * 4 + 3 - i")),
            ("x[0:2]", lambda: accesses("(i + 1) / 2 - i / 2")),
            ("x[0:7]", lambda: accesses("max(i, 3) - min(i, 3)")),
            ("True", lambda: prove(HALVES.find_loop("i #1").body()[0], "i / 2 <= n")),
        ],
    ),
    Need(
        16,
        "Long chains of `compute_at`",
        "time grows a little more than linearly: 40 stages in 0.7 s, 100 in 2.7 s (5.9 s and not tried)",
        works=[("d9: f32[8]", lambda: chain(10))],
    ),
    Need(
        17,
        "Errors of procedures made from texts",
        "each text has a name of its own, so that messages show the right one",
        refused=[("for i in seq(0, n)", two_sources)],
    ),
    Need(
        18,
        "Names for loops of generated code",
        "`rename_loop`; schedules name loops after funcs and variables",
        works=[("for f_x in seq(0, n)", lambda: rename_loop(loop("x[i] = 1.0"), "i", "f_x"))],
    ),
    Need(
        19,
        "C: parallel loops that add into elements of arrays",
        "refused: `rfactor` gives each iteration partial sums of its own",
        refused=[
            (
                "reduce into one element of h",
                lambda: proc_from_source(
                    "def p(n: size, x: f32[n], h: f32[4]):\n    for i in par(0, n):\n        h[1] += x[i]\n"
                ).c_code(),
            )
        ],
    ),
    Need(
        20,
        "Failures that depend on data",
        "Halide's language tests extents in Python and returns a code from C; `check` ends a process, as before",
    ),
    Need(
        21,
        "Loads of lanes that are not neighbours",
        "strides of 2, 3 and 4, channels, reversed, `i / 2`, clamped at both ends, look-ups by keys of any width",
        lanes=[
            *through(ALL, "x: T[2 * n], y: T[n]", "y[i] = x[2 * i]", "load2", WIDTHS),
            *through(("f32", "u8"), "x: T[3 * n], y: T[n]", "y[i] = x[3 * i + 1]", "load3", WIDTHS),
            *through(("u16", "i32"), "x: T[4 * n], y: T[n]", "y[i] = x[4 * i + 3]", "load4", WIDTHS),
            *through(ALL, "x: T[n, 3], y: T[n]", "y[i] = x[i, 1]", "load_of3", WIDTHS),
            *through(("f32", "u8"), "x: T[n, 4], y: T[n]", "y[i] = x[i, 2]", "load_of4", WIDTHS),
            *through(ALL, "x: T[n], y: T[n]", "y[i] = x[i / 2]", "load_doubled", WIDTHS),
            *through(ALL, "x: T[n], y: T[n]", "y[i] = x[n - 1 - i]", "load_backwards", WIDTHS),
            *through(ALL, "x: T[n], y: T[n]", "y[i] = x[min(max(i - 1, 0), n - 1)]", "load_clamped", WIDTHS),
            ("x: u8[n], t: u8[256], y: u8[n]", "y[i] = t[idx(x[i], 0, 256)]", 32, "lookup_u8_epu8"),
            ("x: u8[n], t: f32[256], y: f32[n]", "y[i] = t[idx(x[i], 0, 256)]", 16, "lookup_u8_ps"),
            ("x: i32[n], t: f32[256], y: f32[n]", "y[i] = t[idx(x[i], 0, 256)]", 16, "lookup_i32_ps"),
            ("x: f32[n], y: f32[n, 3]", "y[i, 1] = x[i]", 16, "store_of3_ps"),
        ],
    ),
    Need(
        22,
        "Arithmetic of small integers",
        "widening, saturating, averages, distances, division by constants",
        lanes=[
            ("x: u8[n + 2], y: u16[n]", "y[i] = u16(x[i]) + u16(x[i + 1]) + u16(x[i + 2])", 32, "cast32_u8_u16"),
            ("x: u16[n + 2], y: u16[n]", "y[i] = (x[i] + x[i + 1] + x[i + 2]) / 3", 32, "div_epu16"),
            ("x: u16[n + 2], y: u16[n]", "y[i] = u16((u32(x[i]) + u32(x[i + 1])) / 9)", 16, "div_epu32"),
            ("x: u8[n], z: u8[n], y: u8[n]", "y[i] = max(x[i], z[i]) - min(x[i], z[i])", 64, "absd_epu8"),
            ("x: u8[n], z: u8[n], y: u8[n]", "y[i] = u8(min(u16(x[i]) + u16(z[i]), 255))", 32, "adds_epu8"),
            ("x: u8[n], z: u8[n], y: u8[n]", "y[i] = u8((u16(x[i]) + u16(z[i]) + 1) / 2)", 32, "avg_epu8"),
            ("x: u16[n], z: u16[n], y: u16[n]", "y[i] = u16((u32(x[i]) + u32(z[i]) + 1) / 2)", 16, "avg_epu16"),
            ("x: i16[n], z: i16[n], y: i32[n]", "y[i] = i32(x[i]) * i32(z[i])", 16, "cast_i16_i32"),
        ],
    ),
    Need(
        23,
        "Division of `i32` by constants, `select` at all widths, the iterator as data",
        "all; the condition may have another width than what it chooses, of 8 to 32 bits",
        lanes=[
            *through(("i32", "i16", "i8"), "x: T[n], y: T[n]", "y[i] = x[i] / 7", "div", WIDTHS),
            ("x: i32[n], y: i32[n]", "y[i] = x[i] / 4", 16, "div_epi32"),
            *(
                (f"x: {t}[n], z: {t}[n], y: {t}[n]", "y[i] = select(x[i], z[i], x[i], z[i])", w, "select")
                for t, w in (("i32", 16), ("u8", 64), ("u16", 32), ("i64", 8), ("f64", 8))
            ),
            ("x: f32[n], z: u8[n], y: u8[n]", "y[i] = select(x[i], 0.5, z[i], z[i] + 1)", 16, "select_f32_u8"),
            ("x: u16[n], z: f32[n], y: f32[n]", "y[i] = select(x[i], 5, z[i], z[i] + 1.0)", 16, "select_u16_f32"),
            *through(("i32", "u16", "f32"), "y: T[n]", "y[i] = T(i)", "iota", WIDTHS),
        ],
    ),
    Need(
        24,
        "Functions, f16, maxima, conditions and histograms in lanes",
        "functions of f32 and f64, and maxima. Not: arithmetic of f16 (there is some of bf16), `if` on data (write `select`), "
        "histograms (`rfactor`)",
        lanes=[
            ("x: f32[n], y: f32[n]", "y[i] = exp(x[i])", 16, "exp_ps"),
            ("x: f32[n], y: f32[n]", "y[i] = pow(x[i], x[i])", 16, "pow_ps"),
            ("x: f32[n], y: f32[1]", "y[0] @= max(x[i])", 16, "reduce_max_ps"),
        ],
        no_lanes=[
            ("x: f16[n], y: f16[n]", "y[i] = x[i] + x[i]", 32),
            ("x: f32[n], y: f32[n]", "if x[i] > 0.0:\n            y[i] = x[i]", 16),
            ("x: u8[n], y: i32[256]", "y[idx(x[i], 0, 256)] += 1", 16),
        ],
    ),
    Need(
        25,
        "What worked before",
        "still does",
        lanes=[
            ("x: f32[n + 2], y: f32[n]", "y[i] = x[i] + x[i + 1] + x[i + 2]", 16, "add3_ps"),
            ("x: u8[n], y: f32[n]", "y[i] = f32(x[i])", 16, "cast_u8_f32"),
            ("x: f32[n], z: f32[n], y: f32[n]", "y[i] = select(x[i], z[i], x[i], z[i])", 16, "select_ps"),
        ],
    ),
]
