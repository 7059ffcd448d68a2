"""rename: another name for a procedure."""

from __future__ import annotations

from usl_core.cursors.edit import Edit
from usl_core.primitives.base import edit_of, primitive
from usl_core.primitives.moving import new_name
from usl_core.procedure import Procedure


@primitive(control=True)
def rename(proc: Procedure, name: str) -> Edit:
    """The same procedure under another name. An instruction stays one.

        def f(...)   ~>   def name(...)

    Raises:
        SchedulingError: name is not an identifier.
    Forwarding: every cursor stays.
    """
    return edit_of(proc).update_proc(name=new_name(name).name)
