"""What every node of a program has."""

from __future__ import annotations

from dataclasses import dataclass, field

from usl_core.errors import NOWHERE, Span


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True, kw_only=True)
class Node:
    """What every node has: its place in the source. Nodes are compared by identity."""

    span: Span = field(default=NOWHERE, repr=False)
