"""Illegal steps of `inline_window`."""

from __future__ import annotations

from tests.corpus.case import Illegal, Misuse
from usl_core.procedure import proc_from_source
from usl_core.scheduling import inline_window

CASES = [
    Illegal(
        "inline_window",
        "no_window",
        "x: f32[4]",
        "x[0] = 1.0",
        lambda p: inline_window(p, "x"),
        "E404",
        "there is no window named x",
        Misuse("nothing to inline"),
    ),
    Illegal(
        "inline_window",
        "an_assignment",
        "x: f32[4]",
        "x[0] = 1.0",
        lambda p: inline_window(p, p.body()[0]),
        "E404",
        "a window statement is wanted here",
        Misuse("nothing to inline"),
    ),
    Illegal(
        "inline_window",
        "a_window_of_another_procedure",
        "x: f32[4]",
        "x[0] = 1.0",
        lambda p: inline_window(p, proc_from_source("def g(y: f32[4]):\n    w = y[0:2]\n    w[0] = 1.0\n").body()[0]),
        "E403",
        "belongs to g",
        Misuse("another procedure"),
    ),
]
