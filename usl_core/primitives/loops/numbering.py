"""Other numbers for the iterations of a loop, in sums that stay short."""

from __future__ import annotations

from usl_core.analysis.lower import index_lin
from usl_core.analysis.raise_ import from_lin
from usl_core.cursors.rewriting import Rule
from usl_core.ir import make
from usl_core.ir.nodes import BinaryOp, Expr, Node, Read, ReadConfig
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import depends_on_data, walk, walk_kinds
from usl_core.ir.types import INDEX


def renumbering(iterator: Sym, number: Expr, *, symbolic: bool = False) -> Rule:
    """The rewrite that puts number in the place of iterator, and adds up the sums that this makes."""

    def rule(node: Node) -> Node | None:
        if isinstance(node, Read) and node.name is iterator:
            return number
        if isinstance(node, BinaryOp) and node.type is INDEX and node.op in ("+", "-"):
            return short(node, symbolic)
        return None

    return rule


def short(expr: Expr, symbolic: bool) -> Expr:
    """A sum with its constants collected; where names may cancel, in normal form if that is shorter."""
    if isinstance(expr, BinaryOp) and expr.op in ("+", "-"):
        expr = make.add(expr.lhs, expr.rhs) if expr.op == "+" else make.sub(expr.lhs, expr.rhs)
    if not symbolic or depends_on_data(expr) or any(walk_kinds(expr, ReadConfig)):
        return expr
    normal = from_lin(index_lin(expr), expr.span)
    return normal if sum(1 for _ in walk(normal)) < sum(1 for _ in walk(expr)) else expr
