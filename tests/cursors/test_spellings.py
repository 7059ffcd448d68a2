"""The spelling of names at one place, found without printing the procedure."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.frontend.programs import procedures
from usl_core.cursors.display import head_line, spelling, spellings
from usl_core.cursors.path import Path
from usl_core.ir.nodes import Alloc, Arg, Assign, Expr, For, Node, Proc, Read, Reduce, WindowExpr, WindowStmt
from usl_core.ir.printer import Printer, written
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import binders, children, rename, update


class _Recording(Printer):
    """Remembers how the printer spelt each name."""

    def __init__(self) -> None:
        super().__init__()
        self.spelt: dict[Sym, str] = {}

    def bind(self, sym: Sym) -> str:
        self.spelt[sym] = super().bind(sym)
        return self.spelt[sym]


def _places(node: Node, path: Path = ()) -> list[tuple[Path, Node]]:
    return [(path, node), *(place for step, inner in children(node) for place in _places(inner, (*path, step)))]


@settings(max_examples=60, deadline=None)
@given(procedures())
def test_a_name_is_spelt_at_every_place_as_the_whole_text_spells_it(proc: Proc) -> None:
    printer = _Recording()
    printer.proc(proc)
    assert {sym: spellings(proc).get(sym, sym.name) for sym in printer.spelt} == printer.spelt
    for path, node in _places(proc):
        match node:
            case Read(name=name) | Assign(name=name) | Reduce(name=name) | WindowExpr(name=name) | Arg(name=name):
                assert spelling(proc, name, path) == printer.spelt[name]
            case For(iter=name) | Alloc(name=name) | WindowStmt(name=name):
                assert spelling(proc, name, path) == printer.spelt[name]
            case _:
                pass


@settings(max_examples=40, deadline=None)
@given(procedures())
def test_the_head_of_a_statement_is_its_line_in_the_whole_text(proc: Proc) -> None:
    lines = [line.strip() for line in Printer().proc(proc).split("\n")]
    for path, node in _places(proc):
        if path and not isinstance(node, Expr | Arg) and path[-1][0] in ("body", "orelse"):
            head = head_line(proc, node, path)
            assert head in lines or f"el{head}" in lines
            assert head == head_line(proc, node)


class _Plain(Printer):
    """The definition: the first spelling that no visible name has, looked for from the start each time."""

    def bind(self, sym: Sym) -> str:
        found = base = written(sym)
        suffix = 0
        while found in self.names.values():
            suffix += 1
            found = f"{base}_{suffix}"
        self.names[sym] = found
        return found

    @contextmanager
    def scope(self) -> Iterator[None]:
        names = dict(self.names)
        yield
        self.names = names


@settings(max_examples=60, deadline=None)
@given(procedures(), st.data())
def test_spellings_are_the_first_free_ones(proc: Proc, data: st.DataObject) -> None:
    few = ["x", "x_1", "x_2"]
    sampled = {name: Sym(data.draw(st.sampled_from(few))) for name in binders(proc)}
    body = rename(update(proc, args=(), preds=()), sampled).body
    assert _Plain().block(body) == Printer().block(body)
