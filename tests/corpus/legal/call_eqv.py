"""Legal steps of `call_eqv`."""

from __future__ import annotations

from tests.corpus.callees import COPY, SQUARES
from tests.corpus.case import Legal
from usl_core.scheduling import add_assertion, call_eqv, divide_loop, lift_alloc, parallelize_loop, rename

CASES = [
    Legal(
        "call_eqv",
        "a_divided_version",
        "n: size, x: f32[n], y: f32[n]",
        "copy(n, x[0:n], y[0:n])",
        lambda p, c: call_eqv(p, "copy(_)", rename(divide_loop(c.copy, "k", 4, ["ko", "ki"]), "copy_tiled")),
        "copy_tiled(n, x[0:n], y[0:n])",
        callees=(COPY,),
    ),
    Legal(
        "call_eqv",
        "a_version_that_refines",
        "n: size, x: f32[n], y: f32[n]",
        "squares(n, x[0:n], y[0:n])",
        lambda p, c: call_eqv(p, "squares(_)", rename(lift_alloc(c.squares, "t"), "squares_hoisted")),
        "squares_hoisted(n, x[0:n], y[0:n])",
        callees=(SQUARES,),
    ),
    Legal(
        "call_eqv",
        "a_narrower_version_where_its_assertion_holds",
        "n: size, x: f32[4 * n], y: f32[4 * n]",
        "copy(4 * n, x[0:4 * n], y[0:4 * n])",
        lambda p, c: call_eqv(
            p,
            "copy(_)",
            rename(divide_loop(add_assertion(c.copy, "n % 4 == 0"), "k", 4, ["ko", "ki"], perfect=True), "copy_by_four"),
        ),
        "copy_by_four(4 * n, x[0:4 * n], y[0:4 * n])",
        callees=(COPY,),
    ),
    Legal(
        "call_eqv",
        "a_sibling",
        "n: size, x: f32[n], y: f32[n]",
        "copy(n, x[0:n], y[0:n])",
        lambda p, c: call_eqv(
            call_eqv(p, "copy(_)", parallelize_loop(c.copy, "k")),
            "copy(_)",
            divide_loop(c.copy, "k", 4, ["ko", "ki"], tail="cut"),
        ),
        callees=(COPY,),
    ),
]
