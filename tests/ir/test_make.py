"""The light folding of control expressions that rewrites build."""

from __future__ import annotations

import pytest

from usl_core.ir import make
from usl_core.ir.nodes import Expr, index_literal, index_read
from usl_core.ir.printer import show_expr
from usl_core.ir.sym import Sym

N, K = index_read(Sym("n")), index_read(Sym("i"))
C = index_literal


@pytest.mark.parametrize(
    ("built", "text"),
    [
        (make.add(N, C(0)), "n"),
        (make.add(C(0), N), "n"),
        (make.add(C(2), C(3)), "5"),
        (make.add(make.add(N, C(4)), C(-1)), "n + 3"),
        (make.add(N, C(-4)), "n - 4"),
        (make.add(make.sub(N, C(4)), C(4)), "n"),
        (make.add(N, K), "n + i"),
        (make.sub(N, C(0)), "n"),
        (make.sub(C(0), N), "-n"),
        (make.sub(N, make.add(K, C(1))), "n - (i + 1)"),
        (make.neg(make.neg(N)), "n"),
        (make.neg(C(3)), "-3"),
        (make.mul(4, N), "4 * n"),
        (make.mul(N, C(1)), "n"),
        (make.mul(C(0), N), "0"),
        (make.mul(C(3), C(-2)), "-6"),
        (make.quot(N, 1), "n"),
        (make.quot(C(-7), 2), "-4"),
        (make.mod(N, 1), "0"),
        (make.mod(C(-7), 4), "1"),
        (make.ceil_quot(N, 8), "(n + 7) / 8"),
        (make.ceil_quot(make.sub(N, C(7)), 8), "n / 8"),
        (make.ceil_quot(C(9), 4), "3"),
        (make.compare("<", N, C(3)), "n < 3"),
    ],
)
def test_expressions_are_folded_lightly(built: Expr, text: str):
    assert show_expr(built) == text
