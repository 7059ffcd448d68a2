"""Draws the pictures of the tutorials (docs/pictures/*.svg) from the procedures that their pages make.

A procedure is walked for small sizes, statement by statement, as it would run; a picture shows what happens when. Only the
order is drawn, no time is measured.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # it is run as a script

from tests.docs.examples import session
from usl_core import Procedure
from usl_core.cursors import (
    AssignCursor,
    BinaryOpCursor,
    CallCursor,
    ExternFunctionCursor,
    ForCursor,
    IfCursor,
    LiteralCursor,
    ReadCursor,
    ReduceCursor,
    UnaryMinusCursor,
)
from usl_stdlib import walk

DOCS = Path(__file__).resolve().parent.parent / "docs"
PICTURES = DOCS / "pictures"

BLUE, ORANGE, GREEN, GREY = "#3b76af", "#e08a2e", "#519e3e", "#9a9a9a"
LANES = (BLUE, ORANGE, GREEN, "#8d69b8")
STEP, GAP, TOP = 12, 40, 34


@dataclass(frozen=True, slots=True)
class Event:
    """A write or a call: of what, at which indices, and the elements that it reads."""

    name: str
    idx: tuple[int, ...]
    reads: tuple[tuple[str, tuple[int, ...]], ...] = ()


def events(p: Procedure, sizes: Mapping[str, int]) -> list[Event]:
    """What a run of a procedure writes and calls, in order."""
    return [each for stmt in p.body() for each in _run(stmt, dict(sizes))]


def _run(stmt: Any, env: dict[str, int]) -> Iterator[Event]:
    match stmt:
        case ForCursor():
            for value in range(_value(stmt.lo(), env), _value(stmt.hi(), env)):
                for inner in stmt.body():
                    yield from _run(inner, env | {stmt.name(): value})
        case IfCursor():
            block = stmt.body() if _value(stmt.cond(), env) else stmt.orelse()
            for inner in block or ():
                yield from _run(inner, env)
        case AssignCursor() | ReduceCursor():
            read = [each for each in walk(stmt.rhs(), ReadCursor) if each.idx()]
            yield Event(stmt.name(), _values(stmt.idx(), env), tuple((each.name(), _values(each.idx(), env)) for each in read))
        case CallCursor():
            windows = [arg for arg in stmt.args() if hasattr(arg, "idx")]
            yield Event(f"{stmt.subproc().name()} {windows[0].name()}", ())


def _values(parts: Sequence[Any], env: Mapping[str, int]) -> tuple[int, ...]:
    return tuple(_value(each, env) for each in parts)


_OPERATIONS: Mapping[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.floordiv,
    "%": operator.mod,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "and": lambda a, b: a and b,
    "or": lambda a, b: a or b,
}


def _value(expr: Any, env: Mapping[str, int]) -> int:
    """A control expression."""
    match expr:
        case LiteralCursor():
            return int(expr.value())
        case ReadCursor():
            return env[expr.name()]
        case UnaryMinusCursor():
            return -_value(expr.arg(), env)
        case BinaryOpCursor():
            return _OPERATIONS[expr.op()](_value(expr.lhs(), env), _value(expr.rhs(), env))
        case ExternFunctionCursor():
            return {"min": min, "max": max}[expr.name()](_value(arg, env) for arg in expr.args())
        case _:
            raise TypeError(f"no control expression: {expr!r}")


# ---- pictures


@dataclass(frozen=True, slots=True)
class Mark:
    """A square at a column and a row, in a colour; a hollow one repeats what was done before."""

    column: int
    row: int
    colour: str
    hollow: bool = False


def panel(title: str, marks: Sequence[Mark], rows: Sequence[str], left: int, legend: str = "") -> tuple[str, int]:
    """The SVG of one panel at an offset, and its width."""
    columns = max(mark.column for mark in marks) + 1
    label = max(map(len, rows), default=0) * 6 + 8
    parts = [
        f'<text x="{left}" y="14" font-weight="bold">{title}</text>',
        f'<text x="{left}" y="28" fill="{GREY}">{legend}</text>',
    ]
    for number, name in enumerate(rows):
        parts.append(f'<text x="{left}" y="{TOP + STEP * number + 10}">{name}</text>')
    for mark in marks:
        x, y = left + label + STEP * mark.column, TOP + STEP * mark.row
        fill = f'fill="none" stroke="{mark.colour}"' if mark.hollow else f'fill="{mark.colour}"'
        parts.append(f'<rect x="{x + 1}" y="{y + 1}" width="{STEP - 2}" height="{STEP - 2}" {fill}/>')
    return "\n".join(parts), max(label + STEP * columns, len(title) * 7)


def picture(panels: Sequence[tuple[str, Sequence[Mark], Sequence[str], str]]) -> str:
    """Panels, one below the other."""
    height, width, parts = 0, 0, []
    for title, marks, rows, legend in panels:
        text, wide = panel(title, marks, rows, 8, legend)
        parts.append(f'<g transform="translate(0 {height})">\n{text}\n</g>')
        height += TOP + STEP * len(rows) + 14
        width = max(width, wide + 16, len(legend) * 6 + 16)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'font-family="sans-serif" font-size="10" fill="#333">\n<rect width="100%" height="100%" fill="#fff"/>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )


def stencil(made: Mapping[str, Any]) -> str:
    """When rows of the two stages are computed, before and after."""
    versions = {
        "blur": "one stage after the other",
        "near": "the rows that a row needs, again and again",
        "slid": "each row once",
    }
    legend = "blue: rows, orange: y, hollow: computed before; time goes right"
    panels = []
    for name, title in versions.items():
        marks: list[Mark] = []
        done: set[tuple[str, int]] = set()
        for time, event in enumerate(events(made[name], {"H": 8, "W": 1})):
            key = (event.name, event.idx[0])
            marks.append(Mark(time, event.idx[0], BLUE if event.name == "rows" else ORANGE, key in done))
            done.add(key)
        panels.append((title, marks, [f"row {row}" for row in range(10)], legend))
    return picture(panels)


def sums(made: Mapping[str, Any]) -> str:
    """Which partial sum an element is added to."""
    panels = []
    for name, title in (("dot", "one sum"), ("grouped", "four sums of groups of four, and a rest")):
        marks = []
        for event in events(made[name], {"n": 45}):
            place = next((idx[0] for buffer, idx in event.reads if buffer == "x"), None)
            if place is not None:
                lane = event.idx[0] if event.idx else None
                marks.append(Mark(place, 0 if lane is None else 1 + lane, GREY if lane is None else LANES[lane]))
        rows = ["out", *([f"out_sum[{lane}]" for lane in range(4)] if name != "dot" else [])]
        panels.append((title, marks, rows, "elements of x from left to right, at the sum that they are added to"))
    return picture(panels)


def tiles(made: Mapping[str, Any]) -> str:
    """The instructions of one tile of C, in order, with one buffer for each operand and with two."""
    rows = ["tile_load C_tile", "tile_load A_tile", "tile_load B_tile", "tile_mac C_tile", "tile_store C"]
    colours = dict(zip(rows, (GREY, BLUE, BLUE, ORANGE, GREY), strict=True))
    versions = {"mapped": "loads, then the product that needs them", "ahead": "loads for the next product before this one"}
    panels = []
    for name, title in versions.items():
        found = events(made[name], {"M": 4, "N": 4, "K": 24})
        marks = [Mark(time, rows.index(event.name), colours[event.name]) for time, event in enumerate(found)]
        panels.append((title, marks, rows, "one tile of C, K = 24; time goes right"))
    return picture(panels)


def gemmini(version: str, first: int) -> Callable[[Mapping[str, Any]], str]:
    """What the controllers of the accelerator do while a version of the product runs, some cycles from first on in detail."""

    def draw(made: Mapping[str, Any]) -> str:
        from usl_gemmini.picture import timeline
        from usl_gemmini.recording import record
        from usl_gemmini.timing import simulate

        return timeline(simulate(record(made[version])), first, 1200)

    return draw


DRAWN: Mapping[str, tuple[str, Callable[[Mapping[str, Any]], str]]] = {
    "stencil.svg": ("tutorial_stencil.md", stencil),
    "sums.svg": ("tutorial_integers.md", sums),
    "tiles.svg": ("tutorial_accelerator.md", tiles),
    "gemmini_waits.svg": ("gemmini.md", gemmini("mapped", 328_300)),
    "gemmini_ahead.svg": ("gemmini.md", gemmini("p", 268_900)),
}
"""By picture: the page whose procedures it shows, and how it is drawn."""


def drawn(name: str) -> str:
    """A picture as its page makes it now."""
    page, draw = DRAWN[name]
    return draw(session((DOCS / page).read_text(encoding="utf-8")))


def main() -> int:
    for name in DRAWN:
        (PICTURES / name).write_text(drawn(name), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
