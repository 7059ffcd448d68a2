"""delete_config."""

from __future__ import annotations

import pytest

from tests.primitives.config.programs import CFG, fields, program
from tests.primitives.equivalence import assert_body, assert_equivalent, parse
from usl_core.errors import InvalidCursorError, SchedulingError
from usl_core.primitives.calls.call_eqv import call_eqv
from usl_core.primitives.config.delete_config import delete_config
from usl_core.primitives.config.write_config import write_config


@pytest.mark.parametrize(
    ("body", "number", "expected", "modulo"),
    [
        ("Cfg.a = 1\nCfg.a = 2", 0, "Cfg.a = 2", ()),
        ("Cfg.a = 1\nCfg.a = 1", 1, "Cfg.a = 1", ()),
        ("x[0] = 1.0\nCfg.a = 1", 1, "x[0] = 1.0", ("a",)),
        ("set_a(n)\nset_a(n)\nneeds_a(n, x[0:1])", 1, "set_a(n)\nneeds_a(n, x[0:1])", ()),
        ("set_both(n)\nset_a(2)", 0, "set_a(2)", ("b",)),
        ("Cfg.b = 1\nset_both(n)\nset_a(2)", 1, "Cfg.b = 1\nset_a(2)", ()),
        ("Cfg.a = n\nif q:\n    Cfg.b = 2\nset_a(n)\nneeds_a(n, x[0:1])", 2, None, ()),
        ("Cfg.scale = s\nx[0] = 1.0\nCfg.scale = s\nx[1] = Cfg.scale", 2, None, ()),
        ("Cfg.on = n > 2\nCfg.on = q\ncheck(Cfg.on == q)", 0, "Cfg.on = q\ncheck(Cfg.on == q)", ()),
        ("Cfg.a = 1\ncheck(n > 0)\nCfg.a = 2", 0, "check(n > 0)\nCfg.a = 2", ("a",)),
        ("Cfg.a = Cfg.a", 0, "pass", ()),
    ],
)
def test_a_write_goes(body: str, number: int, expected: str | None, modulo: tuple[str, ...]) -> None:
    p = program(body)
    q = delete_config(p, p.body()[number])
    if expected is not None:
        assert_body(q, expected)
    assert len(q.body()) == max(1, len(p.body()) - 1)
    assert q.history()[-1].modulo == fields(*modulo)
    assert_equivalent(p, q)


def test_the_only_statement_of_a_branch_or_loop_leaves_pass() -> None:
    p = program("for i in seq(0, n):\n    Cfg.a = i\nx[0] = 1.0")
    assert_body(delete_config(p, "Cfg.a = _"), "for i in seq(0, n):\n    pass\nx[0] = 1.0")
    p = program("if q:\n    x[0] = 1.0\nelse:\n    Cfg.a = 1")
    assert_body(delete_config(p, "Cfg.a = _"), "if q:\n    x[0] = 1.0")


def test_the_statement_is_gone() -> None:
    p = program("Cfg.a = 1\nx[0] = 1.0")
    q = delete_config(p, "Cfg.a = _")
    with pytest.raises(InvalidCursorError, match="delete_config"):
        q.forward(p.body()[0]).parent()
    assert q.forward(p.body()[1]).name() == "x"


def test_a_write_and_its_deletion_are_no_equality_with_the_start() -> None:
    """The steps add up, although the text is the same: a third version may stand for either modulo both."""
    p = program("x[0] = 1.0")
    written = write_config(p, p.body()[0].before(), CFG, "a", 1)
    back = delete_config(written, "Cfg.a = _")
    assert str(back) == str(p)
    assert back.history()[-1].modulo == fields("a")
    assert "the values at the end of Cfg.a" in back.assurance()


def test_versions_take_each_others_place_where_the_field_does_not_matter() -> None:
    f = program("x[0] = 1.0\nCfg.a = n")
    without = delete_config(f, "Cfg.a = _")
    scope = {"f": f}
    head = "def g(n: size, q: bool, s: f32, x: f32[n + 1]):\n    "
    set_again = parse(head + "f(n, q, s, x)\n    Cfg.a = 1", Cfg=CFG, **scope)
    assert call_eqv(set_again, "f(_)", without).history()[-1].modulo == frozenset()
    last = parse(head + "f(n, q, s, x)", Cfg=CFG, **scope)
    assert call_eqv(last, "f(_)", without).history()[-1].modulo == fields("a")
    read = parse(head + "f(n, q, s, x)\n    Cfg.b = Cfg.a", Cfg=CFG, **scope)
    with pytest.raises(SchedulingError, match=r"Cfg\.a may be read before it is written again") as caught:
        call_eqv(read, "f(_)", without)
    assert caught.value.code == "E440"
    looped = parse(head + "for i in seq(0, n):\n        Cfg.b = Cfg.a\n        f(n, q, s, x)", Cfg=CFG, **scope)
    with pytest.raises(SchedulingError, match=r"it is read in: Cfg\.a"):
        call_eqv(looped, "f(_)", without)


@pytest.mark.parametrize(
    ("body", "number", "code", "message"),
    [
        ("Cfg.a = n\nneeds_a(n, x[0:1])", 0, "E440", r"Cfg\.a may be read before it is written again"),
        ("Cfg.a = 1\nx[0] = f32(Cfg.a)", 0, "E440", "may be read"),
        ("set_both(n)\nCfg.a = Cfg.b", 0, "E440", r"Cfg\.b may be read"),
        ("Cfg.scale = s\ns = 2.0\nCfg.scale = s\nx[1] = Cfg.scale", 2, "E440", r"Cfg\.scale may be read"),
        ("x[0] = 1.0", 0, "E404", "a configuration write, or a call that does nothing else"),
        ("sets_data(x[0:1])", 0, "E404", "a configuration write"),
        ("stops(n)", 0, "E404", "a configuration write"),
        ("takes(n, x[0:1])", 0, "E404", "a configuration write"),
        ("nothing(n)", 0, "E404", "a configuration write"),
        ("if q:\n    Cfg.a = 1", 0, "E404", "a configuration write"),
        ("for i in seq(0, n):\n    Cfg.a = 1", 0, "E404", "a configuration write"),
    ],
)
def test_refusals(body: str, number: int, code: str, message: str) -> None:
    p = program(body)
    with pytest.raises(SchedulingError, match=message) as caught:
        delete_config(p, p.body()[number])
    assert caught.value.code == code
