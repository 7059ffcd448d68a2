"""Printed text parses back to the same procedure, up to renaming."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings

from tests.frontend.programs import procedures
from usl_core.frontend.fragment import env_at
from usl_core.frontend.parser import parse_source
from usl_core.ir.nodes import Assign, Node, Proc, Read, Reduce, StrideExpr, WindowExpr
from usl_core.ir.printer import Printer, show, show_with_scope
from usl_core.ir.traverse import Step, children, same
from usl_core.ir.verify import problems

relaxed = settings(deadline=None, max_examples=300, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


@relaxed
@given(procedures())
def test_the_text_of_a_procedure_parses_back_to_the_same_procedure(proc: Proc) -> None:
    text, scope = show_with_scope(proc)
    parsed = parse_source(text, scope)
    assert same(proc, parsed), f"{text}\nparsed as\n{show(parsed)}"
    assert show(parsed) == text


@relaxed
@given(procedures())
def test_what_the_builders_and_the_parser_make_is_well_formed(proc: Proc) -> None:
    text, scope = show_with_scope(proc)
    assert problems(proc) == []
    assert problems(parse_source(text, scope)) == []


@settings(relaxed, max_examples=60)
@given(procedures())
def test_a_spelling_stands_for_the_innermost_binding_at_every_place(proc: Proc) -> None:
    def visit(node: Node, path: tuple[Step, ...]) -> None:
        for step, child in children(node):
            here = (*path, step)
            if isinstance(child, Read | WindowExpr | Assign | Reduce | StrideExpr):
                env = env_at(proc, here)
                inner = env[child.name.name].sym
                assert inner.name == child.name.name
                assert inner is child.name or inner.number > child.name.number  # shadowed by a later binding
            visit(child, here)

    visit(proc, ())


@settings(relaxed, max_examples=60)
@given(procedures())
def test_two_visible_names_never_share_a_spelling(proc: Proc) -> None:
    class Watching(Printer):
        def bind(self, sym):  # type: ignore[no-untyped-def]
            before = set(self.names.values())
            spelling = super().bind(sym)
            assert spelling not in before
            return spelling

    assert Watching().proc(proc) == show(proc)
