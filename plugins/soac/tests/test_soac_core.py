"""The core's text."""

from __future__ import annotations

from usl_core.ir.sym import Sym
from usl_soac import core
from usl_soac.core import Body, Const, Function, Lambda, Param, Program, Statement, Type
from usl_soac.scalars import F64, I64
from usl_soac.show import show
from usl_soac.sizes import literal, name


def test_a_program_is_shown_with_sizes_and_clashing_names_told_apart():
    n, x, y, r, i = Sym("n"), Sym("x"), Sym("x"), Sym("r"), Sym("i")
    vector = Type(F64, (name(n),))
    double = Lambda(
        (Param(y, Type(F64)),), Body((Statement((Param(r, Type(F64)),), core.Op("+", (y, Const(1, F64)), F64)),), (r,))
    )
    mapped, both = Param(Sym("m"), vector), Param(Sym("b"), Type(F64, (literal(2) * name(n),)))
    body = Body(
        (
            Statement((mapped,), core.Map(double, (x,))),
            Statement((both,), core.Concat((mapped.name, x))),
            Statement((Param(i, Type(I64)),), core.Size(both.name, 0)),
        ),
        (both.name, i),
    )
    function = Function("f", (n,), (Param(x, vector),), (), (both.type, Type(I64)), body)
    assert show(Program((function,))) == (
        "fun f : ∀ n. (x: f64[n]) → f64[2*n], i64\n"
        "    m: f64[n] = map(x) \\x_2: f64 →\n"
        "        r: f64 = x_2 + 1\n"
        "        r\n"
        "    b: f64[2*n] = concat(m, x)\n"
        "    i: i64 = size(b, 0)\n"
        "    b, i\n"
    )
