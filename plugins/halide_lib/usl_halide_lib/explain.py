"""What a schedule did, for people: where each func is computed and stored, and which operators each directive was."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from usl_halide_lib.directives import Directive
from usl_halide_lib.nest import Node
from usl_halide_lib.working import Log


def explanation(nodes: Iterable[Node], stored: Iterable[tuple[str, str]], directives: Iterable[Directive], log: Log) -> str:
    """A paragraph for each func, then a line for each directive."""
    lines: list[str] = []
    buffers = dict(stored)
    for func, path in _places(nodes):
        lines.append(f"{func}: computed {path}")
        if func in buffers:
            lines.append(f"  stored as {buffers[func]}")
        lines += [f"  {text}" for name, text in log.remarks if name == func]
    lines += [text for name, text in log.remarks if not name]
    for directive in dict.fromkeys(directives):
        counted = Counter(log.operators.get(directive.position, ()))
        operators = ", ".join(f"{name} x {count}" if count > 1 else name for name, count in counted.items())
        tail = log.tails.get(directive.position)
        lines.append(f"{directive}: {operators or 'nothing to do'}{f' (tail: {tail})' if tail else ''}")
    return "\n".join(dict.fromkeys(lines))


def _places(nodes: Iterable[Node], inside: tuple[str, ...] = ()) -> Iterable[tuple[str, str]]:
    """Each func that is computed, and the loops around it."""
    for node in nodes:
        if node.kind == "produce":
            yield node.name, f"in {' '.join(inside)}" if inside else "at root"
        names = inside if node.kind in ("produce", "consume", "store") else (*inside, node.name)
        if node.kind == "produce":
            names = inside
        yield from _places(node.inside, names)
