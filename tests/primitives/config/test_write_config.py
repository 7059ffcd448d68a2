"""write_config."""

from __future__ import annotations

import pytest

from tests.primitives.config.programs import CFG, fields, program
from tests.primitives.equivalence import assert_body, assert_equivalent
from usl_core.errors import SchedulingError, UslError
from usl_core.ir.nodes import Assign, AssignConfig
from usl_core.primitives.config.write_config import write_config
from usl_core.primitives.loops.cut_loop import cut_loop
from usl_core.procedure import Procedure

LOOP = "for i in seq(0, n):\n    x[i] = 1.0"


@pytest.mark.parametrize(
    ("field", "value", "line"),
    [
        ("a", "n + 1", "Cfg.a = n + 1"),
        ("a", 3, "Cfg.a = 3"),
        ("len", "n", "Cfg.len = n"),
        ("on", True, "Cfg.on = True"),
        ("on", "n > 2 and q", "Cfg.on = n > 2 and q"),
        ("scale", 2, "Cfg.scale = 2.0"),
        ("scale", 0.5, "Cfg.scale = 0.5"),
        ("scale", "s * x[0]", "Cfg.scale = s * x[0]"),
        ("count", 7, "Cfg.count = 7"),
        ("mode", "stride(x, 0)", "Cfg.mode = stride(x, 0)"),
    ],
)
def test_a_write_of_each_type(field: str, value: object, line: str) -> None:
    p = program(LOOP)
    q = write_config(p, p.body()[0].before(), CFG, field, value)
    assert_body(q, f"{line}\n{LOOP}")
    assert q.history()[-1].modulo == fields(field)
    assert_equivalent(p, q)


def test_a_value_given_by_a_cursor() -> None:
    p = program("x[0] = f32(n + 1)")
    q = write_config(p, p.body()[0].after(), CFG, "a", p.find("n + 1"))
    assert_body(q, "x[0] = f32(n + 1)\nCfg.a = n + 1")
    with pytest.raises(SchedulingError, match="an expression of type index is wanted here"):
        write_config(p, p.body()[0].after(), CFG, "a", p.find("f32(n + 1)"))


def test_text_may_name_the_fields_that_the_procedure_uses() -> None:
    p = program("Cfg.a = n\nx[0] = f32(Cfg.a)")
    q = write_config(p, p.body()[1].after(), CFG, "b", "Cfg.a + 1")
    assert_body(q, "Cfg.a = n\nx[0] = f32(Cfg.a)\nCfg.b = Cfg.a + 1")
    assert_equivalent(p, q)
    r = cut_loop(program("for i in seq(0, n):\n    x[i] = f32(min(n, max(0, Cfg.b)))"), "i", "min(n, max(0, Cfg.b))")
    assert "for i in seq(0, min(n, max(0, Cfg.b))):" in str(r)
    other = program("x[0] = 1.0")
    with pytest.raises(SchedulingError, match="unknown configuration or module Cfg") as caught:
        write_config(other, other.body()[0].after(), CFG, "b", "Cfg.a")
    assert caught.value.code == "E200"


def test_at_the_end_of_a_loop_and_in_an_else() -> None:
    p = program("for i in seq(0, n):\n    if q:\n        x[i] = 1.0\n    else:\n        x[i] = 2.0")
    q = write_config(p, p.find("x[_] = 2.0").after(), CFG, "a", "i")
    assert_body(q, "for i in seq(0, n):\n    if q:\n        x[i] = 1.0\n    else:\n        x[i] = 2.0\n        Cfg.a = i")
    assert_equivalent(p, q)


@pytest.mark.parametrize(
    ("body", "modulo"),
    [
        ("x[0] = 1.0\nCfg.a = 2", ()),
        ("x[0] = 1.0\nCfg.b = 2", ("a",)),
        ("x[0] = 1.0\nif q:\n    Cfg.a = 2", ("a",)),
        ("x[0] = 1.0\nif q:\n    Cfg.a = 2\nelse:\n    Cfg.a = 3", ()),
        ("x[0] = 1.0\ncheck(n > 0)\nCfg.a = 2", ("a",)),
        ("x[0] = 1.0\nset_a(n)", ()),
    ],
)
def test_the_step_says_which_fields_the_caller_may_see_changed(body: str, modulo: tuple[str, ...]) -> None:
    p = program(body)
    q = write_config(p, p.body()[0].after(), CFG, "a", 9)
    assert q.history()[-1].modulo == fields(*modulo)
    assert ("Cfg.a" in q.assurance()) is bool(modulo)
    assert_equivalent(p, q)


def test_what_the_field_holds_already_is_no_change() -> None:
    p = program("Cfg.a = n\nfor i in seq(0, n):\n    x[i] = f32(Cfg.a)")
    q = write_config(p, p.find("x[_] = _").before(), CFG, "a", "n")
    assert q.history()[-1].modulo == frozenset()
    assert_equivalent(p, q)
    with pytest.raises(SchedulingError) as caught:
        write_config(p, p.find("x[_] = _").before(), CFG, "a", "n + 1")
    assert caught.value.code == "E440"


def test_everything_else_stays() -> None:
    p = program(LOOP)
    q = write_config(p, p.body()[0].before(), CFG, "a", 1)
    assert isinstance(q.body()[0].node, AssignConfig)
    assert isinstance(q.forward(p.find("x[_] = _")).node, Assign)


def _write(p: Procedure, config: object = CFG, field: object = "a", value: object = 1) -> Procedure:
    return write_config(p, p.body()[0].before(), config, field, value)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("body", "arguments", "code", "message"),
    [
        ("x[0] = f32(Cfg.a)", {}, "E440", r"write_config: Cfg\.a may be read before it is written again"),
        ("x[0] = 1.0", {"config": "Cfg"}, "E405", "config must be a Config, got 'Cfg'"),
        ("x[0] = 1.0", {"field": "z"}, "E404", "Cfg has no field 'z'; its fields are a, b, len, on, scale, count, mode"),
        ("x[0] = 1.0", {"field": ["a"]}, "E405", "field must be a text"),
        ("x[0] = 1.0", {"value": None}, "E405", "value must be an expression .*, got None"),
        ("x[0] = 1.0", {"field": "on", "value": 1}, "E200", "1 is not of type bool"),
        ("x[0] = 1.0", {"value": True}, "E200", "write_config"),
        ("x[0] = 1.0", {"value": 1.5}, "E200", "write_config"),
        ("x[0] = 1.0", {"value": "y"}, "E200", "unknown name y"),
        ("x[0] = 1.0", {"field": "len", "value": 0}, "E410", "is a size and may be set to less than 1: 0"),
        ("x[0] = 1.0", {"field": "scale", "value": "x[n + 1]"}, "E410", "index 0 of x may be out of bounds"),
    ],
)
def test_refusals(body: str, arguments: dict[str, object], code: str, message: str) -> None:
    p = program(body)
    with pytest.raises(UslError, match=message) as caught:
        _write(p, **arguments)
    assert caught.value.code == code


def test_a_parallel_loop_is_no_place_for_a_write() -> None:
    p = program("for i in par(0, n): x[i] = 1.0")
    with pytest.raises(SchedulingError, match="inside the parallel loop i") as caught:
        write_config(p, p.find("x[_] = _").before(), CFG, "a", 1)
    assert caught.value.code == "E442"
    assert_equivalent(p, _write(p))


def test_only_a_gap_will_do() -> None:
    p = program(LOOP)
    with pytest.raises(SchedulingError, match=r"a gap is wanted here") as caught:
        write_config(p, p.body()[0], CFG, "a", 1)
    assert caught.value.code == "E404"


def test_the_note_names_the_reader() -> None:
    p = program("pass\nset_a(n)\nneeds_a(n, x[0:1])")
    with pytest.raises(SchedulingError, match=r"it is read in: needs_a\(n, x\[0:1\]\)"):
        write_config(p, p.body()[1].after(), CFG, "a", 2)
