"""Expressions that a rewrite takes along to another place: cursors to them follow."""

from __future__ import annotations

from usl_core.cursors.edit import Edit, Now
from usl_core.cursors.path import NodeLoc, Path
from usl_core.ir.nodes import ExprBase, Node
from usl_core.ir.traverse import children


def forward_kept(edit: Edit, old: Path, was: Node, new: Path, now: Node) -> Edit:
    """Cursors into `was`, which stood at old, go to the same nodes in `now`, which stands at new in the current tree."""
    found = _occurrence(now, was)
    if found is not None:
        return edit.redirect(NodeLoc(old), Now(NodeLoc((*new, *found))))
    for step, child in children(was):
        edit = forward_kept(edit, (*old, step), child, new, now)
    return edit


def _occurrence(node: Node, wanted: Node) -> Path | None:
    if node is wanted:
        return ()
    for step, child in children(node):
        found = _occurrence(child, wanted) if isinstance(child, ExprBase) else None
        if found is not None:
            return (step, *found)
    return None
