"""Random programs of two stages: one fills a buffer, in overlapping tiles or not, the other reads it with a halo.

Rewrites that repeat work apply to such programs, and seldom to others. About half of the programs have a flaw that makes one of
these rewrites wrong: values that depend on more than the place, reads that go too far, inputs that are overwritten.
"""

from __future__ import annotations

import random
from textwrap import indent

from usl_core.ir.nodes import Proc
from usl_core.procedure import proc_from_source

_FORMALS = "n: size, m: size, a: f32[2 * n + 12], c: f32[2 * n + 12], q: i32[2 * n + 12], o: f32[m + 2, 2 * n + 12]"


def stage_program(rng: random.Random) -> Proc:
    """A program that the frontend accepts in most cases; its errors are those of the frontend."""
    return proc_from_source(stage_text(rng), {}).ir


def stage_text(rng: random.Random) -> str:
    place = rng.choice(("    b: f32[2 * n + 12]\n", "    b: f32[(n + 7) / 4 * 4 + n + 8]\n", ""))
    formals = _FORMALS if place else _FORMALS + ", b: f32[2 * n + 12]"
    least = rng.choice((1, 1, 2, 4, 5))
    body = _stages(rng)
    if rng.random() < 0.3:
        body = f"for l in seq(0, {rng.choice(('m', '2', '3'))}):\n" + indent(body, "    ")
    head = f"def stages({formals}):\n" + (f"    assert n >= {least}\n" if least > 1 else "")
    return head + place + indent(body, "    ")


def _stages(rng: random.Random) -> str:
    extent = rng.choice(("n", "n", "n + 1", "n + 2", "4", "6", "7"))
    mode = rng.choice(("seq", "seq", "seq", "par"))
    first = f"for i in seq(0, {extent}):\n" + indent(_producer(rng), "    ")
    reader = rng.choice((extent, extent, "n", "n + 2"))
    second = f"for j in {mode}(0, {reader}):\n" + indent(_consumer(rng, "j"), "    ")
    if rng.random() < 0.25:  # both in one loop: for guard_redundant
        return f"for i in {mode}(0, {extent}):\n" + indent(_producer(rng) + _consumer(rng, "i"), "    ")
    return first + second if rng.random() < 0.85 else second + first


def _producer(rng: random.Random) -> str:
    value = _value(rng, "i")
    if rng.random() < 0.35:
        return _write(rng, "i", value)
    halo = rng.randint(1, 4)
    at = "i + k" if rng.random() < 0.85 else rng.choice(("2 * i + k", "min(i + k, n + 1)", "i"))
    return f"for k in seq(0, {halo}):\n" + indent(_write(rng, at, _value(rng, at)), "    ")


def _write(rng: random.Random, at: str, value: str) -> str:
    match rng.randrange(8):
        case 0:
            return f"t: f32\nt = {value}\nb[{at}] = t\n"
        case 1:
            return f"b[{at}] = 0.0\nfor l2 in seq(0, 2):\n    b[{at}] += a[{at} + l2]\n"
        case 2:
            return f"if {at} < 3:\n    b[{at}] = {value}\nelse:\n    b[{at}] = 1.0\n"
        case 3 if rng.random() < 0.5:
            return f"if a[0] > 0.0:\n    b[{at}] = {value}\n"
        case 4 if rng.random() < 0.5:
            return f"b[{at}] += {value}\n"
        case 5 if rng.random() < 0.5:
            return f"w = b[{at}:{at} + 2]\nw[0] = {value}\n"
        case _:
            return f"b[{at}] = {value}\n"


def _value(rng: random.Random, at: str) -> str:
    good = (f"a[{at}]", f"a[{at}] + a[{at} + 2]", "2.0", f"f32({at})", f"a[idx(q[{at}], 0, n)]", f"a[{at}] * c[2 * n + 11]")
    bad = ("a[i]", "f32(i)", "a[idx(q[i], 0, n)]", f"b[{at} + 1]", f"c[{at}]")
    return rng.choice(good if rng.random() < 0.8 else bad)


def _consumer(rng: random.Random, i: str) -> str:
    reach = rng.randint(0, 3)
    read = f"b[{i}] + b[{i} + {reach}]" if rng.random() < 0.9 else f"b[2 * {i}]"
    match rng.randrange(8):
        case 0:
            return f"c[{i}] = {read}\na[{i}] = 0.0\n"
        case 1 if rng.random() < 0.5:
            return f"c[{i}] = {read}\na[{i} + 1] = 0.0\n"
        case 2 if rng.random() < 0.5:
            return f"c[{i}] = {read}\nb[{i}] = 0.0\n"
        case 3:
            return f"c[{i}] += {read}\n"
        case 4:
            return f"for x in seq(0, 2):\n    c[{i} + x] = {read}\n" if rng.random() < 0.4 else f"o[0, {i}] = {read}\n"
        case 5:
            return f"c[{i}] = 0.0\nc[{i}] += {read}\n"
        case _:
            return f"c[{i}] = {read}\n"
