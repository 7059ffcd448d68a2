"""Programs, and procedures that they call, that several modules of the corpora use."""

from __future__ import annotations

from usl_core.ir.config import Config, ConfigField
from usl_core.ir.types import BOOL, F32, INDEX, SIZE

ACCUMULATE = """
def accumulate(dst: [f32][2], v: f32):
    dst[0] += v
    dst[1] = v
"""
ADD4 = """
def add4(dst: [f32][4], a: [f32][4], b: [f32][4]):
    for k in seq(0, 4):
        dst[k] = a[k] + b[k]
"""
BROADCAST = """
def broadcast(dst: [f32][4], v: f32):
    assert stride(dst, 0) == 1
    for k in seq(0, 4):
        dst[k] = v
"""
BUMP = """
def bump(dst: [f32][2], v: f32):
    dst[0] = v
    v = 2.0
"""
COPY = """
def copy(n: size, dst: [f32][n], src: [f32][n]):
    for k in seq(0, n):
        dst[k] = src[k]
"""
COPY4 = """
def copy4(dst: [f32][4], src: [f32][4]):
    for k in seq(0, 4):
        dst[k] = src[k]
"""
DENSE = """
def dense(dst: f32[4], v: f32):
    for k in seq(0, 4):
        dst[k] = v
"""
MASKED = """
def masked(m: size, dst: [f32][m], src: [f32][m]):
    assert m <= 4
    for k in seq(0, m):
        dst[k] = src[k]
"""
PER_ITERATION = """
for i in seq(0, n):
    t: f32
    t = x[i]
    y[i] = t * t
"""
PER_ITERATION_ARGS = "n: size, x: f32[n], y: f32[n]"
PUT = """
def put(dst: [f32][1], v: f32):
    dst[0] = v
"""
ROW4 = """
def row4(dst: [f32][4], v: f32):
    for k in seq(0, 4):
        dst[k] = v
"""
SAXPY = """
for i in seq(0, n):
    y[i] += a * x[i]
"""
SAXPY_ARGS = "n: size, a: f32, x: f32[n], y: f32[n]"
SHIFT4 = """
def shift4(dst: [f32][4], src: [f32][4]):
    for k in seq(0, 4):
        dst[3 - k] = src[k]
"""
SMOOTH = """
def smooth(dst: [f32][4], src: [f32][4]):
    for k in seq(0, 4):
        dst[k] = src[k] + 1.0
"""
SQUARE = """
def square(dst: [f32][4, 4], v: f32):
    for k in seq(0, 4):
        dst[k, 0] = v
"""
SQUARES = """
def squares(n: size, dst: [f32][n], src: [f32][n]):
    for k in seq(0, n):
        t: f32
        t = src[k]
        dst[k] = t * t
"""
TABLE = """
t: f32[8, 4]
for i in seq(0, 8):
    for j in seq(0, 4):
        t[i, j] = x[i, j]
for i in seq(0, 8):
    for j in seq(0, 4):
        y[i, j] = t[i, j] + t[i, 3 - j]
"""
TABLE_ARGS = "x: f32[8, 4], y: f32[8, 4]"
TILE = ["io", "ii"]
REGISTERS = Config(
    "Reg",
    {
        "a": ConfigField("a", INDEX),
        "b": ConfigField("b", INDEX),
        "len": ConfigField("len", SIZE),
        "on": ConfigField("on", BOOL),
        "scale": ConfigField("scale", F32),
    },
)
CONFIGURED = {"Reg": REGISTERS}
"""The scope of programs that set registers."""
SET_A = """
def set_a(v: index):
    Reg.a = v
"""
NEEDS_A = """
def needs_a(v: index, dst: [f32][1]):
    assert Reg.a == v
    dst[0] = 1.0
"""
SCALED = """
def scaled(n: size, dst: [f32][n], src: [f32][n]):
    for k in seq(0, n):
        dst[k] = Reg.scale * src[k]
"""
TOTAL = """
def total(n: size, y: [f32][1], x: [f32][n]):
    y[0] = 0.0
    for i in seq(0, n):
        y[0] += x[i]
"""
TOTAL_OF_MANY = """
def total_of_many(n: size, y: [f32][1], x: [f32][n]):
    if n > 2:
        y[0] = 0.0
    for i in seq(0, n):
        y[0] += x[i]
"""
