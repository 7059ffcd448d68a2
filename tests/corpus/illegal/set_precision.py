"""Illegal steps of `set_precision`."""

from __future__ import annotations

from tests.corpus.callees import DENSE
from tests.corpus.case import Illegal, Malformed, Misuse, Wrong
from usl_core.scheduling import set_precision

CASES = [
    Illegal(
        "set_precision",
        "integers_would_not_wrap_any_more",
        "x: u8, y: u8",
        """
        t: u8
        t = x + y
        x = t / 2
        """,
        lambda p: set_precision(p, "t", "f32"),
        "E458",
        "integers wrap",
        Wrong("""
        t: f32
        t = f32(x) + f32(y)
        x = u8(t / 2.0)
        """),
    ),
    Illegal(
        "set_precision",
        "a_wider_integer_wraps_elsewhere",
        "x: u8, y: u8",
        """
        t: u8
        t = x + y
        x = t / 2
        """,
        lambda p: set_precision(p, "t", "i32"),
        "E458",
        "integers wrap",
        Wrong("""
        t: i32
        t = i32(x) + i32(y)
        x = u8(t / 2)
        """),
    ),
    Illegal(
        "set_precision",
        "a_float_whose_bits_are_taken",
        "x: f32, y: u32",
        """
        t: f32
        t = x
        y = bits(t)
        """,
        lambda p: set_precision(p, "t", "f64"),
        "E458",
        "bits gives u64",
        Misuse("the bits of an f64 are no u32"),
    ),
    Illegal(
        "set_precision",
        "a_float_would_be_cut",
        "x: f32, y: f32",
        """
        t: f32
        t = x
        y = t
        """,
        lambda p: set_precision(p, "t", "i8"),
        "E458",
        "integers wrap",
        Wrong("""
        t: i8
        t = i8(x)
        y = f32(t)
        """),
    ),
    Illegal(
        "set_precision",
        "back_to_a_real",
        "x: f32",
        "x = 1.0",
        lambda p: set_precision(p, "x", "R"),
        "E404",
        "cannot go back to R",
        Misuse("a decision is not taken back"),
    ),
    Illegal(
        "set_precision",
        "an_argument_of_a_callee",
        "v: f32, y: f32",
        """
        t: f32[4]
        dense(t, v)
        y = t[0]
        """,
        lambda p, c: set_precision(p, "t", "f64"),
        "E458",
        "is the argument dst of dense",
        Malformed(
            """
            t: f64[4]
            dense(t, v)
            y = f32(t[0])
            """,
            "E200",
        ),
        callees=(DENSE,),
    ),
    Illegal(
        "set_precision",
        "a_size",
        "n: size, x: f32[n]",
        "x[0] = 1.0",
        lambda p: set_precision(p, "n", "f32"),
        "E404",
        "n",
        Misuse("a control value has no precision"),
    ),
]
