"""Registers, instructions that set and use them, and random programs made of these."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from usl_core import Config, Procedure, proc_from_source
from usl_core.ir.config import ConfigField
from usl_core.ir.types import F32, INDEX

CFG = Config("Cfg", {"a": ConfigField("a", INDEX), "b": ConfigField("b", INDEX), "s": ConfigField("s", F32)})
A, B, S = (CFG, "a"), (CFG, "b"), (CFG, "s")

_SCOPE: dict[str, Any] = {"Cfg": CFG}


def program(text: str) -> Procedure:
    """A procedure, which may use Cfg and the instructions below."""
    return proc_from_source(text, _SCOPE)


_TEXTS = (
    "def set_a(v: index):\n    Cfg.a = v\n",
    "def set_ab(v: index, w: index):\n    Cfg.a = v\n    Cfg.b = w\n",
    "def set_a_if(c: bool, v: index):\n    if c:\n        Cfg.a = v\n",
    "def use_a(v: index, x: [f32][4]):\n    assert Cfg.a == v\n    for i in seq(0, 4):\n        x[i] = x[i] + 1.0\n",
    "def use_b(v: index, x: [f32][4]):\n    assert Cfg.b == v\n    for i in seq(0, 4):\n        x[i] = x[i] + 2.0\n",
    "def use_s(x: [f32][4]):\n    for i in seq(0, 4):\n        x[i] = x[i] + Cfg.s\n",
    "def mix(x: [f32][4]):\n    for i in seq(0, 4):\n        x[i] = 3.0 * x[i] + f32(Cfg.a)\n",
)
for _text in _TEXTS:
    _made = program(_text)
    _SCOPE[_made.name()] = _made


@st.composite
def programs(draw: st.DrawFn) -> Procedure:
    """A procedure that writes and reads Cfg in nests of loops and branches; each order of its writes is visible in x."""
    body = _block(draw, ("n",), 3)
    return program("def f(n: size, y: f32, z: f32[4], x: f32[4]):\n" + "\n".join(f"    {line}" for line in body) + "\n")


def _block(draw: st.DrawFn, known: tuple[str, ...], depth: int) -> list[str]:
    return [line for _ in range(draw(st.integers(1, 3))) for line in _stmt(draw, known, depth)]


def _stmt(draw: st.DrawFn, known: tuple[str, ...], depth: int) -> list[str]:
    value = st.sampled_from(("1", "2", *known))
    kind = draw(st.sampled_from((*("loop",) * 3, "if", *("write",) * 3, *("use",) * 3)))
    if kind in ("loop", "if") and depth:
        inner = (*known, f"i{depth}") if kind == "loop" else known
        head = (
            f"for i{depth} in seq(0, {draw(st.sampled_from(('n', 'n', '2', 'n - 1')))}):"
            if kind == "loop"
            else f"if {draw(value)} < {draw(value)}:"
        )
        return [head, *(f"    {line}" for line in _block(draw, inner, depth - 1))]
    if kind in ("loop", "write"):
        return [
            draw(
                st.sampled_from(
                    (
                        f"Cfg.a = {draw(value)}",
                        f"set_a({draw(value)})",
                        f"set_ab({draw(value)}, {draw(value)})",
                        f"set_a_if({draw(value)} < 2, {draw(value)})",
                        "Cfg.b = Cfg.a",
                        "Cfg.a = Cfg.b",
                        "Cfg.s = 2.0",
                        "Cfg.s = y",
                        "Cfg.s = z[1]",
                    )
                )
            )
        ]
    return [draw(st.sampled_from(("mix(x[0:4])", "use_s(x[0:4])", "x[0] += f32(Cfg.b)", "z[1] = 2.0 * z[1]", "y = 3.0")))]
