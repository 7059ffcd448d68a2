"""Failures at run time: a `check` that does not hold, storage that cannot be had.

A function that can fail returns a status. On its way out it releases what it holds. Inside a parallel loop nothing may
return: the iteration ends, later ones of the same thread do nothing, and the loop's status is looked at after it.
"""

from __future__ import annotations

from usl_c11.scope import Function


def fail(code: str, fn: Function) -> list[str]:
    """The statements that leave with status code (C text)."""
    fn.failed = True
    loop = fn.parallel[-1] if fn.parallel else None
    held = fn.frees[loop.depth :] if loop else fn.frees
    releases = [*fn.fences, *(line for scope in reversed(held) for line in reversed(scope))]
    if loop is None:
        return [*releases, f"return {code};"]
    if not loop.failed:
        loop.failed, loop.label = True, fn.names.lasting("next")
    return [*releases, f"{loop.status} = {code};", f"goto {loop.label};"]
