"""Random programs on integers (and floats that become integers), as text of the object language."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

from usl_core.frontend.parser import parse_source
from usl_core.ir.nodes import Proc

RANGES = {
    **{f"i{bits}": (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) for bits in (8, 16, 32, 64)},
    **{f"u{bits}": (0, (1 << bits) - 1) for bits in (8, 16, 32, 64)},
}
INTEGERS = tuple(RANGES)
FLOATS = ("f32", "f64")
LENGTH = 24


def values(typ: str) -> st.SearchStrategy[int]:
    """Values of a type, with its limits, powers of two and small numbers more often than chance."""
    lo, hi = RANGES[typ]
    special = {lo, lo + 1, -1, 0, 1, 2, 3, 7, hi // 2, hi // 2 + 1, hi - 1, hi}
    return st.one_of(st.sampled_from(sorted(v for v in special if lo <= v <= hi)), st.integers(lo, hi))


def floats(typ: str) -> st.SearchStrategy[float]:
    special = [0.0, -0.0, 0.5, -0.5, 127.0, 128.0, -129.0, 255.9, 65535.5, 2.0**31, -(2.0**31), 2.0**32, 2.0**63, -(2.0**63)]
    special += [float("inf"), float("-inf"), float("nan")]
    return st.one_of(st.sampled_from(special), st.floats(width=32 if typ == "f32" else 64, allow_nan=True))


@st.composite
def expressions(draw: st.DrawFn, typ: str, depth: int) -> str:
    """The text of an expression of an integer type."""
    if depth == 0:
        return draw(st.one_of(st.just(f"{typ}_in[i]"), values(typ).map(lambda v: f"{typ}({v})"), st.just(f"s_{typ}")))
    inner = expressions(typ, depth - 1)
    forms = ("binary", "binary", "divide", "bits", "bits", "minus", "call", "cast", "index", "float", "gather")
    form = draw(st.sampled_from(forms))
    other = draw(st.sampled_from(INTEGERS))
    match form:
        case "binary":
            return f"({draw(inner)} {draw(st.sampled_from('+-*'))} {draw(inner)})"
        case "divide":
            divisor = draw(st.one_of(inner, values(typ).map(lambda v: f"{typ}({v})")))
            return f"({draw(inner)} {draw(st.sampled_from('/%'))} {divisor})"
        case "bits":
            op = draw(st.sampled_from(("&", "|", "^", "<<", ">>")))
            by = values(typ) if op in "&|^" else st.integers(0, min(RANGES[typ][1], 65))
            return f"({draw(inner)} {op} {draw(st.one_of(inner, by.map(lambda v: f'{typ}({v})')))})"
        case "minus":
            return f"({draw(st.sampled_from('-~'))}{draw(inner)})"
        case "call":
            return draw(_calls(typ, other, depth))
        case "cast":
            return f"{typ}({draw(expressions(other, depth - 1))})"
        case "index":
            return f"{typ}(i * 7 - 30)"
        case "float":
            return f"{typ}({draw(st.sampled_from(FLOATS))}_in[i])"
        case _:
            return f"{typ}_in[idx({draw(expressions(other, depth - 1))}, 0, n)]"


@st.composite
def _calls(draw: st.DrawFn, typ: str, other: str, depth: int) -> str:
    a, b, c = (draw(expressions(typ, depth - 1)) for _ in range(3))
    x, y = (draw(expressions(other, depth - 1)) for _ in range(2))
    forms = [
        f"min({a}, {b})",
        f"max({a}, {b})",
        f"abs({a})",
        f"relu({a})",
        f"clamp({a}, {b}, {c})",
        f"select({x}, {y}, {a}, {b})",
    ]
    return draw(st.sampled_from(forms))


@st.composite
def statements(draw: st.DrawFn) -> str:
    typ = draw(st.sampled_from(INTEGERS))
    op = draw(st.sampled_from(("=", "+=")))
    store = f"{typ}_out[{draw(st.sampled_from(('i', 'n - 1 - i', '(i * 5 + 3) % n_lit')))}] {op} {draw(expressions(typ, 2))}"
    store = store.replace("n_lit", str(LENGTH))
    if draw(st.booleans()):
        return f"        {store}"
    other = draw(st.sampled_from(INTEGERS))
    comparison = draw(st.sampled_from(("<", "<=", ">", ">=", "==", "!=")))
    condition = f"{draw(expressions(other, 1))} {comparison} {draw(expressions(other, 1))}"
    return f"        if {condition}:\n            {store}"


def formals() -> list[str]:
    """Every program takes the same arguments, so that one set of data serves many."""
    names = ["n: size"]
    names += [f"{typ}_in: {typ}[n]" for typ in (*INTEGERS, *FLOATS)]
    names += [f"s_{typ}: {typ}" for typ in INTEGERS]
    return names + [f"{typ}_out: {typ}[n]" for typ in INTEGERS]


@dataclass(frozen=True)
class Program:
    text: str
    proc: Proc


@st.composite
def programs(draw: st.DrawFn, name: str) -> Program:
    body = draw(st.lists(statements(), min_size=1, max_size=3))
    lines = [f"def {name}({', '.join(formals())}):", f"    assert n == {LENGTH}", "    for i in seq(0, n):", *body]
    text = "\n".join(lines) + "\n"
    return Program(text, parse_source(text, {}))
