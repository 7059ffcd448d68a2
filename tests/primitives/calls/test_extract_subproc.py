"""extract_subproc: a block becomes a procedure and a call."""

from __future__ import annotations

import pytest

from tests.primitives.equivalence import assert_equivalent, parse
from usl_core.cursors.cursor import InvalidCursor
from usl_core.errors import SchedulingError
from usl_core.ir.memory import DRAM
from usl_core.ir.verify import verify
from usl_core.primitives.buffers.set_memory import set_memory
from usl_core.primitives.calls.call_eqv import call_eqv
from usl_core.primitives.calls.extract_subproc import extract_subproc
from usl_core.primitives.calls.inline import inline
from usl_core.primitives.loops.divide_loop import divide_loop
from usl_core.procedure import Procedure

UNIT = parse("def unit(x: [R][4]):\n    assert stride(x, 0) == 1\n    x[0] = 1.0")

TILES = """
    def f(n: size, m: size, x: R[n + 2, m], y: R[n, m]):
        assert m % 4 == 0
        t: R[m]
        for i in seq(0, n):
            for j in seq(0, m):
                t[j] = x[i + 1, j]
            if i > 0:
                for jo in seq(0, m / 4):
                    for ji in seq(0, 4):
                        y[i - 1, 4 * jo + ji] += t[4 * jo + ji]
"""


def extracted(p: Procedure, block: str) -> tuple[str, str]:
    """The call, and the head and assertions of the new procedure; both versions mean the same."""
    q, sub = extract_subproc(p, block, "sub")
    verify(q.ir)
    verify(sub.ir)
    assert_equivalent(p, q)
    assert_equivalent(p, inline(q, "sub(_)"))
    call = next(line.strip() for line in str(q).splitlines() if line.strip().startswith("sub("))
    head = [line.strip() for line in str(sub).splitlines()[1:]]
    kept = [line for line in head if line.startswith(("def ", "assert "))]
    return call, "\n".join(kept)


def test_extract_subproc_takes_what_the_block_needs_and_no_more():
    call, head = extracted(parse(TILES), "for jo in _: _")
    assert call == "sub(n, m, i, y, t)"
    assert head == "def sub(n: size, m: size, i: index, y: R[n, m], t: R[m]):\nassert i < n\nassert i > 0"


def test_extract_subproc_of_an_inner_block_takes_the_limits_of_loops():
    call, head = extracted(parse(TILES), "y[_] += _")
    assert call == "sub(n, m, i, jo, ji, y, t)"
    assert "assert 0 <= ji" in head and "assert ji < 4" in head and "assert jo < m / 4" in head and "m % 4" not in head


def test_extract_subproc_adds_names_that_only_a_fact_mentions():
    p = parse("""
        def f(n: size, k: size, x: R[8]):
            assert n <= k
            assert k <= 8
            for i in seq(0, n):
                x[i] = 1.0
    """)
    call, head = extracted(p, "x[_] = _")
    assert call == "sub(n, k, i, x)"
    assert head == "def sub(n: size, k: size, i: index, x: R[8]):\nassert n <= k\nassert k <= 8\nassert 0 <= i\nassert i < n"


def test_extract_subproc_of_several_statements_forwards_to_the_call():
    p = parse(TILES)
    block = p.find_loop("j").expand(0, 1)
    q, sub = extract_subproc(p, block, "row")
    assert sub.history()[0].operator == "extract_subproc" and q.history()[-1].operator == "extract_subproc"
    assert q.forward(block)[0] == q.find("row(_)")
    assert isinstance(q.forward(p.find("t[_] = _")), InvalidCursor)
    one, _ = extract_subproc(p, p.find_loop("jo"), "tile")
    assert one.forward(p.find_loop("jo")) == one.find("tile(_)")
    assert_equivalent(p, q)


def test_extract_subproc_knows_else_branches_checks_and_bools():
    p = parse("""
        def f(n: size, b: bool, x: R[n], s: index):
            assert s >= 0
            assert s + 1 < n
            if s >= n:
                pass
            else:
                if b:
                    x[s] = 1.0
            x[s + 1] = 2.0
    """)
    assert extracted(p, "if b: _") == (
        "sub(n, b, s, x)",
        "def sub(n: size, b: bool, s: index, x: R[n]):\nassert s >= 0\nassert s < n",
    )
    checked = parse("def f(n: size, x: R[n], s: index):\n    check(0 <= s and s < n)\n    x[s] = 2.0")
    _, sub = extract_subproc(checked, "x[_] = _", "sub")
    assert "assert 0 <= s" in str(sub) and "assert s < n" in str(sub)


def test_extract_subproc_passes_windows_with_the_strides_that_calls_need():
    p = parse("""
        def f(n: size, x: R[n, 8], y: R[n]):
            for i in seq(0, n):
                w = x[i, 2:6]
                unit(w)
                y[i] = w[0]
    """, unit=UNIT)  # fmt: skip
    assert extracted(p, "unit(_)") == ("sub(w)", "def sub(w: [R][4]):\nassert stride(w, 0) == 1")
    assert extracted(p, "y[_] = _")[1] == "def sub(n: size, i: index, y: R[n], w: [R][4]):\nassert 0 <= i\nassert i < n"


def test_extract_subproc_refuses_overlapping_windows():
    p = parse("def f(n: size, x: R[n, 8]):\n    for i in seq(0, n):\n        w = x[i, 2:6]\n        x[i, 0] = w[0]")
    with pytest.raises(SchedulingError, match="arguments x and w of sub may overlap, and it writes one of them"):
        extract_subproc(p, "x[_] = _", "sub")
    whole, _ = extract_subproc(p, p.find("w = _").expand(0, 1), "sub")
    assert_equivalent(p, whole)


def test_extract_subproc_keeps_shadowed_names_apart():
    p = parse("""
        def f(n: size, x: R[n, n]):
            for i in seq(0, n):
                y = x[i, 0:n]
                for i in seq(0, n):
                    y[i] = 1.0
                    x[i, 0] += 1.0
    """)
    q, sub = extract_subproc(p, p.find("y[_] = _"), "sub")
    verify(sub.ir)
    assert_equivalent(p, q)
    nested = parse("def f(x: R[4, 4]):\n    for i in seq(0, 4):\n        for i in seq(0, i + 1):\n            x[i, 0] += 1.0")
    assert_equivalent(nested, extract_subproc(nested, "x[_] += _", "sub")[0])


def test_extract_subproc_keeps_memories_and_scalars():
    class Other(DRAM):
        name = "Other"

    p = set_memory(
        parse("def f(a: R, x: R[4]):\n    t: R[4]\n    for i in seq(0, 4):\n        t[i] = a\n        x[i] = t[i]"), "t", Other
    )
    q, sub = extract_subproc(p, "t[_] = _", "sub")
    assert "sub(i, a, t)" in str(q) and "def sub(i: index, a: R, t: R[4] @ Other):" in str(sub)
    assert_equivalent(p, q)


def test_an_extracted_procedure_can_be_scheduled_and_called_instead():
    p = parse(TILES)
    q, sub = extract_subproc(p, p.find_loop("j"), "row")
    tiled = divide_loop(sub, "j", 4, ["jo", "ji"], tail="cut")
    assert_equivalent(p, call_eqv(q, "row(_)", tiled))


def test_extract_subproc_refuses_names_that_are_used_after_the_block():
    p = parse("def f(x: R):\n    t: R\n    t = 1.0\n    x = t")
    with pytest.raises(SchedulingError, match="t is bound in the block and used after it"):
        extract_subproc(p, p.find("t: _").expand(0, 1), "sub")
    with pytest.raises(SchedulingError, match="must be an identifier"):
        extract_subproc(p, "x = _", "for")


def test_extract_subproc_refuses_code_that_never_runs():
    p = parse("def f(n: size, x: R[n]):\n    if n < 1:\n        x[n] = 1.0")
    with pytest.raises(SchedulingError, match="the block would not be safe in a procedure of its own"):
        extract_subproc(p, "x[_] = _", "sub")
