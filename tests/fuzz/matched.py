"""Random programs for `replace`: blocks that are what a procedure does, beside some that only look so.

The procedures gather and scatter through `idx`, read a configuration field or have a scalar for it, pass their formals on, and
take rows as dense buffers. The blocks differ from their bodies in names, offsets, sizes, the order of operands and the form of
sums; some differ in what they compute.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from textwrap import indent

from tests.fuzz.configured import REGISTERS
from usl_core.ir.nodes import Proc
from usl_core.procedure import proc_from_source

_FORMALS = "n: size, m: size, s: f32, x: f32[n + 8], y: f32[n + 8], q: i32[n + 8], z: f32[m, n + 2]"


@dataclass(frozen=True)
class _Pattern:
    """A callee, and the blocks that are or look like its body: `{e}` a size, `{a}` to `{c}` offsets, `{r}` a row."""

    callee: str
    blocks: tuple[str, ...]
    needs: tuple[str, ...] = ()
    """Callees that the callee calls."""


_FILL = "def fill(n: size, a: f32, dst: [f32][n]):\n    for k in seq(0, n):\n        dst[k] = a\n"
_PATTERNS = (
    _Pattern(
        "def gather(n: size, m: size, dst: [f32][n], src: [f32][m], at: [i32][n]):\n"
        "    for k in seq(0, n):\n        dst[k] = src[idx(at[k], 0, m)]\n",
        (
            "for i in seq(0, {e}):\n    y[i + {a}] = x[idx(q[i + {b}], 0, n)]\n",
            "for i in seq(0, {e}):\n    y[i + {a}] = x[idx(q[i + {b}], 1, n + 2)]\n",
            "for i in seq(0, {e}):\n    y[i + {a}] = x[idx(q[i + {b}] + 1, 0, n)]\n",
            "for i in seq(0, {e}):\n    y[i + {a}] = x[idx(q[{b}], 0, n)]\n",
        ),
    ),
    _Pattern(
        "def scatter(n: size, m: size, dst: [f32][m], at: [i32][n], a: f32):\n"
        "    for k in seq(0, n):\n        dst[idx(at[k], 0, m)] += a\n",
        (
            "for i in seq(0, {e}):\n    y[idx(q[i + {b}], 0, n)] += s\n",
            "for i in seq(0, {e}):\n    y[idx(q[i + {b}], 0, n)] += 2.0\n",
            "for i in seq(0, {e}):\n    y[idx(q[i + {b}], 0, n)] = s\n",
            "for i in seq(0, {e}):\n    y[idx(q[i + {b}], 0, n)] += x[i]\n",
        ),
    ),
    _Pattern(
        "def scaled(n: size, dst: [f32][n], src: [f32][n]):\n    for k in seq(0, n):\n        dst[k] += Reg.scale * src[k]\n",
        (
            "for i in seq(0, {e}):\n    y[i + {a}] += Reg.scale * x[i + {b}]\n",
            "for i in seq(0, {e}):\n    y[i + {a}] = x[i + {b}] * Reg.scale + y[i + {a}]\n",
            "for i in seq(0, {e}):\n    y[i + {a}] += s * x[i + {b}]\n",
            "Reg.scale = s\nfor i in seq(0, {e}):\n    y[i + {a}] += s * x[i + {b}]\n",
            "Reg.scale = 2.0\nfor i in seq(0, {e}):\n    y[i + {a}] += 2.0 * x[i + {b}]\n",
            "Reg.scale = s\ns = 3.0\nfor i in seq(0, {e}):\n    y[i + {a}] += s * x[i + {b}]\n",
        ),
    ),
    _Pattern(
        "def axpy(n: size, a: f32, dst: [f32][n], src: [f32][n]):\n    for k in seq(0, n):\n        dst[k] += a * src[k]\n",
        (
            "for i in seq(0, {e}):\n    y[i + {a}] += Reg.scale * x[i + {b}]\n",
            "for i in seq(0, {e}):\n    y[i + {a}] += x[i + {b}] * 2.0\n",
            "for i in seq(0, {e}):\n    y[i + {a}] += x[{c}] * x[i + {b}]\n",
            "for i in seq(0, {e}):\n    y[i + {a}] += y[{c}] * x[i + {b}]\n",
        ),
    ),
    _Pattern(
        "def at_lane(v: index, dst: [f32][8]):\n    assert 0 <= v and v < 8\n    assert Reg.a == v\n    dst[v] = 1.0\n",
        ("Reg.a = {a}\ny[{a}] = 1.0\n", "Reg.a = {a}\ny[{b}] = 1.0\n", "Reg.a = {a}\ny[{a} + {b}] = 1.0\n"),
    ),
    _Pattern(
        "def filled(n: size, a: f32, dst: [f32][n], src: [f32][n]):\n"
        "    fill(n, a, dst[0:n])\n    for k in seq(0, n):\n        dst[k] += src[k]\n",
        (
            "fill({e}, s, y[{a}:{a} + {e}])\nfor i in seq(0, {e}):\n    y[i + {a}] += x[i + {b}]\n",
            "fill({e}, 1.0, y[{a}:{a} + {e}])\nfor i in seq(0, {e}):\n    y[i + {a}] = x[i + {b}] + y[i + {a}]\n",
            "fill({e}, s, y[{a}:{a} + {e}])\nfor i in seq(0, {e}):\n    y[i + {b}] += x[i + {b}]\n",
            "fill({e}, Reg.scale, y[{a}:{a} + {e}])\nfor i in seq(0, {e}):\n    y[i + {a}] += x[i + {b}]\n",
        ),
        (_FILL,),
    ),
    _Pattern(
        "def clear(n: size, dst: f32[n]):\n    for k in seq(0, n):\n        dst[k] = 0.0\n",
        (
            "for i in seq(0, {e}):\n    z[{r}, i + {a} % 2] = 0.0\n",
            "for i in seq(0, {r} + 1):\n    z[i, {a}] = 0.0\n",
            "for i in seq(0, n + 8):\n    y[i] = 0.0\n",
            "w = y[{a}:{a} + {e}]\nfor i in seq(0, {e}):\n    w[i] = 0.0\n",
        ),
    ),
)


def matched_program(rng: random.Random) -> tuple[Proc, tuple[Proc, ...]]:
    """A program and its callees."""
    chosen = rng.sample(_PATTERNS, 3)
    scope: dict[str, object] = {"Reg": REGISTERS}
    callees: list[Proc] = []
    for text in dict.fromkeys(text for pattern in chosen for text in (*pattern.needs, pattern.callee)):
        made = proc_from_source(text, scope)
        scope[made.name()] = made
        callees.append(made.ir)
    blocks = [_around(rng, _filled(rng, rng.choice(rng.choice(chosen).blocks))) for _ in range(rng.randint(2, 4))]
    text = f"def matched({_FORMALS}):\n" + indent("".join(blocks), "    ")
    return proc_from_source(text, scope).ir, tuple(callees)


def _filled(rng: random.Random, block: str) -> str:
    size = rng.choice(("n", "n", "4", "2", "n + 1", "1"))
    offsets = {name: rng.choice(("0", "0", "1", "2", "3")) for name in "abc"}
    return block.format(e=size, r=rng.choice(("0", "m - 1")), **offsets)


def _around(rng: random.Random, block: str) -> str:
    """The block by itself, in a loop, or in a branch; names of windows differ where there are several."""
    block = block.replace("w", f"w{rng.randrange(1000)}")
    kind = rng.random()
    if kind < 0.2:
        return "for t in seq(0, m):\n" + indent(block, "    ")
    return f"if n {rng.choice(('==', '>', '<='))} 4:\n" + indent(block, "    ") if kind < 0.4 else block
