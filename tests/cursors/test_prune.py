"""Searches that pass by subtrees find what a search through everything finds."""

from __future__ import annotations

from unittest.mock import patch

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.frontend.programs import procedures
from usl_core.cursors import search
from usl_core.cursors.display import spellings
from usl_core.cursors.path import Loc
from usl_core.cursors.prune import anywhere
from usl_core.cursors.search import Want, find_locs
from usl_core.ir.nodes import For, If, Node, Pass, Proc, Stmt, index_literal
from usl_core.ir.signature import heads, words
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import rewrite, update, walk

FORMS = (
    *("{a}", "{a} {b}", "for {a} in _: _", "for {a} in seq(0, _): _", "for _ in _: _", "for {a} in _: {b} = _", "if _: _"),
    *("{a}: _", "_: _[_]", "{a} = _", "{a} += _", "{a}[_] = _", "_ = _", "_ += _", "{a} = _ ; {b} = _", "_ ; {a} += _"),
    *("{a}[_]", "{a}[_] + _", "_ + {b}", "-{a}", "{a} * {b}", "{a}[_:_]", "{a}(_)", "_(_)", "check(_)", "stride({a}, 0)"),
    *("max({a}, _)", "select(_)", "f32(_)", "1.0", "{a} < {b}", "{a}.{b}", "{a}.{b} = _", "pass", "_", "{a} #1"),
)


@settings(max_examples=30, deadline=None)
@given(procedures(), st.data())
def test_the_index_hides_no_match_and_adds_none(proc: Proc, data: st.DataObject) -> None:
    names = sorted({node.name.name for node in walk(proc) if isinstance(getattr(node, "name", None), Sym)})
    names += [*spellings(proc).values(), *(node.iter.name for node in walk(proc) if isinstance(node, For)), "nothing", "_"]
    for form in FORMS:
        pattern = form.format(a=data.draw(st.sampled_from(names)), b=data.draw(st.sampled_from(names)))
        for want in ("stmt", "expr", "any"):
            assert find_locs(proc, None, pattern, want) == _through_everything(proc, pattern, want), pattern


def _through_everything(proc: Proc, pattern: str, want: Want) -> list[Loc]:
    with patch.object(search, "may_hold", lambda *_: anywhere):
        return find_locs(proc, None, pattern, want)


@settings(max_examples=20, deadline=None)
@given(procedures())
def test_a_remembered_signature_is_that_of_a_fresh_copy(proc: Proc) -> None:
    stmts = [node for node in walk(proc) if isinstance(node, Stmt)]
    remembered = [(heads(stmt), words(stmt)) for stmt in stmts]
    fresh = rewrite(proc, lambda node: update(node) if isinstance(node, Stmt) else None)
    assert [(heads(node), words(node)) for node in walk(fresh) if isinstance(node, Stmt)] == remembered


def test_a_changed_statement_forgets_its_signature() -> None:
    loop = For(Sym("i"), index_literal(0), index_literal(8), (Pass(),))
    assert heads(loop) and words(loop)
    assert update(loop, iter=Sym("j")).heads == 0
    inside: Node = If(index_literal(0), (loop,))
    assert isinstance(inside, If) and inside.words == 0
