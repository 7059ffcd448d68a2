"""Instruction templates: `str.format` text with names of formals only."""

from __future__ import annotations

import pytest

from usl_core.errors import NOWHERE, ParseError, TypeError_
from usl_core.frontend.parser import parse_source
from usl_core.ir.template import check_template, fill, placeholders

ARGS = parse_source("def f(n: size, x: [f32][n, 4], y: f32[n], s: f32):\n    s = 0.0\n", {}).args


def test_placeholders_are_names_with_an_optional_attribute() -> None:
    assert placeholders("f({x.ptr}, {n}, {{not}}, {n})") == {("x", "ptr"), ("n", None)}


def test_escaped_braces_stay_braces() -> None:
    assert fill("{{ {n}; }}", lambda name, attribute, delimited: "8") == "{ 8; }"


def test_a_placeholder_between_brackets_or_commas_is_delimited() -> None:
    seen: list[bool] = []

    def value(name: str, attribute: str | None, delimited: bool) -> str:
        seen.append(delimited)
        return name

    assert fill("f({n}, {x.ptr} , {n} + 1, a[{n}], {s}) {n}", value) == "f(n, x , n + 1, a[n], s) n"
    assert seen == [True, True, False, True, True, False]


@pytest.mark.parametrize("template", ["{x.ptr} {x.stride0} {x.stride1} {x}", "{n} {y} {y.ptr} {y.stride0} {s} {s.ptr}", "none"])
def test_parts_that_formals_have_are_accepted(template: str) -> None:
    check_template(ARGS, template, NOWHERE)


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("{m}", "m is not a formal"),
        ("{n.ptr}", "n has no ptr"),
        ("{s.stride0}", "s has no stride0"),
        ("{x.stride2}", "x has no stride2"),
        ("{x.stride01}", "x has no stride01"),
        ("{x.data}", "x has no data"),
    ],
)
def test_unknown_names_and_parts_are_refused(template: str, message: str) -> None:
    with pytest.raises(TypeError_, match=message):
        check_template(ARGS, template, NOWHERE)


@pytest.mark.parametrize("template", ["{}", "{0}", "{x[0]}", "{n!r}", "{n:d}", "{x.ptr.y}", "{", "}", "f({n)", "{ n }"])
def test_what_is_not_a_plain_name_is_refused(template: str) -> None:
    with pytest.raises(ParseError, match="instruction template: "):
        check_template(ARGS, template, NOWHERE)
