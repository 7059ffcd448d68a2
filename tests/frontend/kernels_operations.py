"""Operations of reductions, as users declare them."""

from __future__ import annotations

from usl_core import assoc, config


@assoc(identity=0)
def adds(a: u8, b: u8):
    """A sum that saturates."""
    return u8(min(u16(a) + u16(b), 255))


@assoc(idempotent=True)
def greater(a: R, b: R):
    return select(a, b, b, a)


@assoc(identity=-128, idempotent=True)
def later(a: i8, b: i8):
    return max(a, b)


@assoc(identity=0.0, trust=True)
def hypot(a: f32, b: f32):
    return sqrt(a * a + b * b)


@assoc()
def kept(a: u8, b: u8):
    """Neither has an identity nor is idempotent."""
    return a & b | 128


SCOPE = {op.name: op for op in (adds, greater, later, hypot, kept)}


def sums(a: i8, b: i8):
    return i8(clamp(i16(a) + i16(b), -128, 127))


def least(a: u8, b: u8):
    return min(a, b)


def total(a: R, b: R):
    return a + b


def root(a: f32, b: f32):
    return sqrt(a * b)


def quotient(a: R, b: R):
    return a / b


def one(a: u8):
    return a


def mixed(a: u8, b: i8):
    return a


def array(a: u8[4], b: u8):
    return b


@config
class Cfg:
    scale: f32


def scaled(a: f32, b: f32):
    return (a + b) * Cfg.scale


def wide(a: u8, b: u8):
    return u16(a)
