"""The typed builders."""

from __future__ import annotations

from textwrap import dedent

import pytest

from usl_core.errors import BoundsError, TypeError_
from usl_core.frontend import build as b
from usl_core.frontend.parser import parse_source
from usl_core.ir.config import Config, ConfigField
from usl_core.ir.nodes import Proc
from usl_core.ir.printer import show, show_with_scope
from usl_core.ir.traverse import same
from usl_core.ir.types import BOOL, F32, I32, INDEX

CFG = Config("Cfg", {"rows": ConfigField("rows", INDEX), "scale": ConfigField("scale", F32)})


def test_a_built_procedure_equals_the_written_one() -> None:
    callee = b.ProcBuilder("callee")
    cn = callee.size("n")
    cx = callee.tensor("x", F32, (cn,), window=True)
    callee.assign(cx, (0,), 1)

    p = b.ProcBuilder("built")
    n, k, flag = p.size("n"), p.index("k"), p.bool_("flag")
    x, s, v = p.tensor("x", F32, (n, 8)), p.scalar("s", F32), p.tensor("v", I32, (n,))
    p.require(b.eq(b.mod(n, 4), 0))
    p.require(b.eq(b.stride(x, 1), 1))
    t = p.alloc("t", F32)
    acc = p.alloc("acc", F32, (b.add(n, 1), 2))
    w = p.window("w", x, (0, n), 3)
    with p.for_("i", 0, n) as i:
        with p.if_(b.and_(b.lt(i, k), flag, b.not_(b.le(n, 3)))):
            p.assign(w, (i,), b.mul(b.read(x, i, 0), 2))
            p.reduce(s, (), b.neg(1.5))
        with p.else_():
            p.check(b.or_(b.gt(n, 1), b.ge(k, 0)))
        with p.for_("j", 0, 2, parallel=True) as j:
            p.assign(acc, (i, j), b.select(s, 1, b.clamp(t, 0, 1), b.max_(s, b.cast(F32, i))))
            p.assign(t, (), b.div(b.read(x, b.idx(b.read(v, i), 0, n), 0), b.read_config(CFG, "scale")))
        p.assign_config(CFG, "rows", b.min_(i, b.sub(n, 1)))
    p.call(callee.typed_ir(), n, b.window(x, slice(None), 0))
    p.pass_()
    text, scope = show_with_scope(p.typed_ir())
    assert text + "\n" == dedent(
        """\
        @proc
        def built(n: size, k: index, flag: bool, x: f32[n, 8], s: f32, v: i32[n]):
            assert n % 4 == 0
            assert stride(x, 1) == 1
            t: f32
            acc: f32[n + 1, 2]
            w = x[0:n, 3]
            for i in seq(0, n):
                if i < k and flag and n > 3:
                    w[i] = x[i, 0] * 2.0
                    s += -1.5
                else:
                    check(n > 1 or k >= 0)
                for j in par(0, 2):
                    acc[i, j] = select(s, 1.0, clamp(t, 0.0, 1.0), max(s, f32(i)))
                    t = x[idx(v[i], 0, n), 0] / Cfg.scale
                Cfg.rows = min(i, n - 1)
            callee(n, x[0:n, 0])
            pass
        """
    )
    assert same(parse_source(text, scope), p.typed_ir())


def test_empty_blocks_become_pass() -> None:
    p = b.ProcBuilder("empty")
    with p.for_("i", 0, 4), p.if_(True):
        pass
    assert show(p.typed_ir()).splitlines()[-3:] == ["    for i in seq(0, 4):", "        if True:", "            pass"]


def test_a_literal_may_state_its_type() -> None:
    assert b.literal(3, F32).type is F32
    assert b.literal(True, BOOL).type is BOOL
    with pytest.raises(TypeError_, match="does not fit"):
        b.literal(1 << 40, I32)


def test_builders_refuse_what_the_parser_refuses() -> None:
    p = b.ProcBuilder("f")
    n = p.size("n")
    x = p.tensor("x", F32, (n,))
    with pytest.raises(TypeError_, match="not affine"):
        b.mul(n, n)
    with pytest.raises(TypeError_, match=r"convert it explicitly with f32\(n\)"):
        p.assign(x, (0,), n)
    with pytest.raises(TypeError_, match="x has 1 dimension, got 2 indices"):
        b.read(x, 0, 0)
    with pytest.raises(TypeError_, match="no step"):
        b.window(x, slice(0, 4, 2))
    with pytest.raises(TypeError_, match="'in' cannot be a name"):
        p.size("in")
    with pytest.raises(TypeError_, match="is not a procedure"):
        p.call(print)
    with pytest.raises(TypeError_, match="at least one extent"):
        p.tensor("y", F32, ())


def test_else_needs_an_if_just_before() -> None:
    p = b.ProcBuilder("f")
    with pytest.raises(TypeError_, match="must follow an if_"), p.else_():
        p.pass_()
    with p.if_(True):
        p.pass_()
    with p.else_():
        p.pass_()
    with pytest.raises(TypeError_, match="must follow an if_"), p.else_():
        p.pass_()


def test_a_buffer_used_outside_its_block_is_refused() -> None:
    p = b.ProcBuilder("f")
    with p.if_(True):
        t = p.alloc("t", F32)
    p.assign(t, (), 1)
    with pytest.raises(TypeError_, match="used outside its scope"):
        p.typed_ir()


def test_a_builder_cannot_finish_inside_a_block() -> None:
    p = b.ProcBuilder("f")
    with p.for_("i", 0, 3), pytest.raises(TypeError_, match="inside an open block"):
        p.typed_ir()


def test_an_error_inside_a_block_leaves_the_builder_usable() -> None:
    p = b.ProcBuilder("f")
    x = p.tensor("x", F32, (4,))
    with pytest.raises(TypeError_), p.for_("i", 0, 4):
        p.assign(x, (0, 0), 1)
    p.assign(x, (0,), 1)
    assert show(p.typed_ir()).splitlines()[2:] == ["    x[0] = 1.0"]


def test_finish_ir_proves_the_bounds() -> None:
    good, bad = b.ProcBuilder("good"), b.ProcBuilder("bad")
    for builder, last in ((good, 0), (bad, 1)):
        n = builder.size("n")
        x = builder.tensor("x", F32, (n,))
        with builder.for_("i", 0, n) as i:
            builder.assign(x, (b.add(i, last),), 0)
    assert isinstance(good.finish_ir(), Proc)
    with pytest.raises(BoundsError):
        bad.finish_ir()


def test_finish_hands_the_typed_procedure_to_the_layer_above(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(b, "_finish", None)
    b.set_finish(lambda proc: (proc.name, len(proc.args)))
    p = b.ProcBuilder("f")
    p.size("n")
    assert p.finish() == ("f", 1)
