"""rename_loop: another name for the iterator of a loop."""

from __future__ import annotations

from usl_core.cursors.edit import Edit
from usl_core.cursors.path import NodeLoc, body_of
from usl_core.ir.nodes import index_read
from usl_core.primitives.base import edit_of, primitive
from usl_core.primitives.locate import Where, loop_at
from usl_core.primitives.moving import new_name
from usl_core.procedure import Procedure


@primitive(control=True)
def rename_loop(proc: Procedure, loop: Where, name: str) -> Edit:
    """Give the iterator of a loop another name, by which patterns find the loop.

        for i in seq(a, b):  ~>      for name in seq(a, b):
            s                            s[i -> name]

    Raises:
        SchedulingError: name is not an identifier.
    Forwarding: everything stays itself.
    """
    path, old = loop_at(proc, loop)
    iterator = new_name(name)

    edit = edit_of(proc).substitute(body_of(path, len(old.body)), {old.iter: index_read(iterator)})
    return edit.update(NodeLoc(path), iter=iterator)
