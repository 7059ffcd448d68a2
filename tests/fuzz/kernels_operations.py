"""Operations of reductions as users declare them, for random programs."""

from __future__ import annotations

from usl_core import assoc


@assoc(identity=0)
def adds(a: u8, b: u8):
    return u8(min(u16(a) + u16(b), 255))


@assoc(idempotent=True)
def lesser(a: f32, b: f32):
    return select(b, a, b, a)


@assoc()
def masked(a: i32, b: i32):
    return a & b | a & 7 | b & 7


DECLARED = (adds, lesser, masked)
