"""Maxima and means of squares of images on AVX-512: pooling, with channels side by side or images one after another.

    from usl_avx512.networks.pooling import Pool, pooling

    p = pooling(Pool(mean=False, size=3, step=2, border=1, channels_last=True))

Channels side by side are lanes. Otherwise lanes are columns, and a row of results takes two steps: what the rows of the squares
make of each column, with the borders beside it, then what the columns of the squares make of that.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from usl_avx512.isa import lanes_apart
from usl_core import Procedure, proc_from_source
from usl_core.scheduling import lift_alloc, rename

CHANNELS_LAST = """\
def NAME(B: size, H: size, W: size, C: size, x: f32[B, H, W, C], y: f32[B, HEIGHT, WIDTH, C]):
    assert H >= LEAST
    assert W >= LEAST
    for n in seq(0, B):
        for a in seq(0, HEIGHT):
            for b in seq(0, WIDTH):
                for j in seq(0, C):
                    m: f32
                    m = FIRST(x[n, FROM(a), FROM(b), j])
                    for r in seq(FROM(a), TO(a, H)):
                        for c in seq(FROM(b), TO(b, W)):
                            m WITH(x[n, r, c, j])
                    y[n, a, b, j] = RESULT(m)
"""

CHANNELS_FIRST = """\
def NAME(B: size, H: size, W: size, x: f32[B, H, W], y: f32[B, HEIGHT, WIDTH]):
    assert H >= LEAST
    assert W >= LEAST
    for n in seq(0, B):
        for a in seq(0, HEIGHT):
            t: f32[W + 2 * BORDER]
            for j in seq(0, W):
                m: f32
                m = FIRST(x[n, FROM(a), j])
                for r in seq(FROM(a), TO(a, H)):
                    m WITH(x[n, r, j])
                t[BORDER + j] = m
            for e in seq(0, BORDER):
                t[e] = FIRST(t[BORDER])
                t[BORDER + W + e] = FIRST(t[BORDER + W - 1])
            for j in seq(0, WIDTH):
                m: f32
                m = t[STEP * j]
                for c in seq(1, SIZE):
                    m WITH(t[STEP * j + c])
                y[n, a, j] = RESULT(m)
"""
"""What is beyond the edge of a row is as at the edge for maxima, which changes none, and 0 for means."""

IN_PLACE = """\
def NAME(B: size, H: size, W: size, x: f32[B, H, W], y: f32[B, HEIGHT, WIDTH]):
    assert H >= LEAST
    assert W >= LEAST
    for n in seq(0, B):
        for a in seq(0, HEIGHT):
            for j in seq(0, WIDTH):
                m: f32
                m = FIRST(x[n, FROM(a), STEP * j])
                for r in seq(FROM(a), TO(a, H)):
                    m WITH(x[n, r, STEP * j])
                    m WITH(x[n, r, STEP * j + 1])
                y[n, a, j] = RESULT(m)
"""
"""Squares of 2 x 2 without a border, in one step: in two they take twice as long on a Zen 4 where no cache holds the images."""

LOADS = {step: f"load{step}_ps" for step in (2, 3, 4)}
"""Of elements so far apart."""


@dataclass(frozen=True, slots=True)
class Pool:
    """What is pooled: the maxima or means of squares of size x size elements, step apart, of an image with a border around it.

    The border, of zeros that count for means and of nothing for maxima, is at most half a square, so that each square has an
    element of the image.
    """

    mean: bool
    size: int
    step: int
    border: int
    channels_last: bool

    def squares(self, extent: int) -> int:
        """How many fit beside each other in so many elements; 0 or less if none does."""
        return (extent + 2 * self.border - self.size) // self.step + 1

    @property
    def name(self) -> str:
        """Of the kernel."""
        order = "nhwc" if self.channels_last else "nchw"
        return f"{'mean' if self.mean else 'max'}_pool_{order}_{self.size}_{self.step}_{self.border}"

    def text(self) -> str:
        """The kernel as plain loops."""
        in_place = self.size == 2 and not self.border
        text = CHANNELS_LAST if self.channels_last else IN_PLACE if in_place else CHANNELS_FIRST
        if not self.border:
            text = re.sub(r" *for e in .*\n.*\n.*\n", "", text)
        if self.size == 1:
            text = re.sub(r" *for c in seq\(1.*\n.*\n", "", text)
        for pattern, word in self._words():
            text = re.sub(pattern, word, text)
        return text

    def _words(self) -> list[tuple[str, str]]:
        step, size, border = self.step, self.size, self.border
        least = size - 2 * border
        return [
            ("NAME", self.name),
            ("LEAST", str(max(least, 1))),
            ("HEIGHT", f"(H - {least}) / {step} + 1"),
            ("WIDTH", f"(W - {least}) / {step} + 1"),
            (r"FROM\((\w)\)", rf"max({step} * \1 - {border}, 0)" if border else rf"{step} * \1"),
            (r"TO\((\w), (\w)\)", rf"min({step} * \1 + {size - border}, \2)" if border else rf"{step} * \1 + {size}"),
            (r"FIRST\((.*)\)", "0.0" if self.mean else r"\1"),
            ("WITH", "+= " if self.mean else "@= max"),
            (r"RESULT\((\w)\)", rf"\1 * {1 / size**2!r}" if self.mean else r"\1"),
            ("BORDER", str(border)),
            ("STEP", str(step)),
            ("SIZE", str(size)),
        ]


@cache
def pooling(pool: Pool) -> Procedure:
    """The scheduled kernel."""
    from usl_avx512.networks.rows import rows_schedule  # only where something is scheduled

    p = proc_from_source(pool.text())
    forms = [f"mm512_{form}{LOADS[pool.step]}" for form in ("", "mask_")] if pool.step in LOADS else []
    p = rows_schedule(p, more=[getattr(lanes_apart, form) for form in forms])
    return rename(lift_alloc(p, "t", 2) if " t: " in pool.text() else p, pool.name)
