"""Operations of reductions, as users declare them."""

from __future__ import annotations

from usl_core import assoc


@assoc(identity=0)
def adds(a: u8, b: u8):
    return u8(min(u16(a) + u16(b), 255))


@assoc(idempotent=True)
def greater(a: f32, b: f32):
    return select(a, b, b, a)


@assoc()
def kept(a: u8, b: u8):
    return a & b | 128
