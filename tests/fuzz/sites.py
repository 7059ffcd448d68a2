"""The places of a procedure at which an operator could be tried."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from usl_core.cursors.path import ArgLoc, BlockLoc, GapLoc, NodeLoc, Path, get
from usl_core.ir.nodes import Alloc, Block, Expr, For, If, Interval, Node, Proc, Stmt
from usl_core.ir.traverse import children

_LISTS = ("body", "orelse")


@dataclass(frozen=True)
class Site:
    """A statement, with the path that leads to it."""

    path: Path
    stmt: Stmt

    @property
    def loc(self) -> NodeLoc:
        return NodeLoc(self.path)

    @property
    def field(self) -> str:
        return self.path[-1][0]

    @property
    def index(self) -> int:
        index = self.path[-1][1]
        assert index is not None
        return index

    def block(self, length: int = 1) -> BlockLoc:
        return BlockLoc(self.path[:-1], self.field, self.index, self.index + length)

    def after(self) -> GapLoc:
        return GapLoc(self.path[:-1], self.field, self.index, "after")


def sites(proc: Proc) -> list[Site]:
    """Every statement, in source order."""
    return list(_below((), "body", proc.body))


def _below(parent: Path, field: str, block: Block) -> Iterator[Site]:
    for index, stmt in enumerate(block):
        path = (*parent, (field, index))
        yield Site(path, stmt)
        for inner in _LISTS:
            yield from _below(path, inner, getattr(stmt, inner, ()))


def siblings(proc: Proc, site: Site) -> Block:
    """The list of statements that site stands in."""
    block: Block = getattr(get(proc, site.path[:-1]), site.field)
    return block


def enclosing(proc: Proc, path: Path) -> list[Node]:
    """The statements around the node at path, outermost first."""
    return [node for end in range(1, len(path)) if isinstance(node := get(proc, path[:end]), Stmt)]


def expressions(proc: Proc, site: Site) -> list[tuple[NodeLoc, Expr]]:
    """The expressions of one statement, its inner statements left out."""
    found: list[tuple[NodeLoc, Expr]] = []

    def visit(node: Node, path: Path) -> None:
        for step, child in children(node):
            if isinstance(child, Expr):
                found.append((NodeLoc((*path, step)), child))
            if isinstance(child, Expr | Interval):
                visit(child, (*path, step))

    if not isinstance(site.stmt, Alloc):
        visit(site.stmt, site.path)
    return found


def formals(proc: Proc) -> list[ArgLoc]:
    return [ArgLoc(k) for k in range(len(proc.args))]


def loops(proc: Proc) -> list[Site]:
    return [site for site in sites(proc) if isinstance(site.stmt, For)]


def scopes(proc: Proc) -> list[Site]:
    """Loops and ifs."""
    return [site for site in sites(proc) if isinstance(site.stmt, For | If)]
