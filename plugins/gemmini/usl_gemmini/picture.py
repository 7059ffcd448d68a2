"""Pictures of what the three controllers do when, as SVG."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from xml.sax.saxutils import escape

import numpy as np

from usl_gemmini.decode import name_of
from usl_gemmini.errors import GemminiError
from usl_gemmini.timing import UNITS, Event, Timing

WIDTH, LEFT, LANE, GAP = 840, 60, 7, 12
"""Pixels: of the cycles, of the names before them, of a row of commands, and between two controllers."""
BINS, HIGH = 210, 36
"""The columns of the overview and their height in pixels."""
COLOURS = {
    "mvin": "#3b76af",
    "mvin2": "#8d69b8",
    "mvin3": "#6cb0d6",
    "preload": "#f2c57c",
    "compute_preloaded": "#e08a2e",
    "compute_accumulated": "#b5651d",
    "mvout": "#519e3e",
    "config_ex": "#c0392b",
    "config_ld": "#c0392b",
    "config_st": "#c0392b",
}
OTHER = "#9a9a9a"


def timeline(timing: Timing, first: int = 0, cycles: int | None = None, title: str = "") -> str:
    """The picture of a simulated trace: above, how busy each controller is during the whole run; below, each command from its
    begin to its release, from cycle first on.

    cycles is how many are shown of these, at most 4096, by default as many as there are up to 640. Commands that a controller
    works on at the same time stand in rows below each other.

    Raises:
        GemminiError: first is not in the run, or cycles is out of range.
    """
    if not 0 <= first < max(timing.cycles, 1):
        raise GemminiError(f"the run has {timing.cycles} cycles, there is no cycle {first}")
    shown = min(640, timing.cycles - first) if cycles is None else cycles
    if not 1 <= shown <= 4096:
        raise GemminiError(f"a picture shows 1 to 4096 cycles, got {cycles}")
    events = list(timing.timeline())
    head = f"{title + ': ' if title else ''}{timing.cycles} cycles, {timing.utilisation:.1%} of peak"
    parts = [_text(8, 16, head, bold=True), _text(8, 30, "how busy each controller is, over the whole run")]
    below = 40
    for unit in UNITS:
        parts += [_text(8, below + HIGH - 4, unit), *_overview(timing, [each for each in events if each.unit == unit], below)]
        below += HIGH + GAP
    parts.append(_text(8, below + 8, f"cycles {first} to {first + shown}"))
    below += 18
    within = [each for each in events if each.begun < first + shown and each.released > first]
    for unit in UNITS:
        rows = _rows(each for each in within if each.unit == unit)
        parts.append(_text(8, below + LANE, unit))
        for number, row in enumerate(rows):
            parts += [_bar(timing, each, first, shown, below + LANE * number) for each in row]
        below += LANE * max(len(rows), 1) + GAP
    parts += _legend(timing, within, below)
    return _svg(parts, below + 16)


def _overview(timing: Timing, events: Sequence[Event], top: int) -> Iterator[str]:
    """The share of each part of the run in which a controller has work, as columns."""
    busy = np.zeros(timing.cycles + 1, np.int32)
    begun = np.array([each.begun for each in events], np.int64)
    released = np.array([min(each.released, timing.cycles) for each in events], np.int64)
    np.add.at(busy, begun, 1)
    np.add.at(busy, released, -1)
    at_work = np.cumsum(busy)[: timing.cycles] > 0
    edges = np.linspace(0, timing.cycles, BINS + 1).astype(int)
    wide = WIDTH / BINS
    for number, (lo, hi) in enumerate(pairwise(edges)):
        share = float(at_work[lo:hi].mean()) if hi > lo else 0.0
        high = HIGH * share
        if high >= 0.05:
            x = LEFT + number * wide
            yield f'<rect x="{x:.1f}" y="{top + HIGH - high:.1f}" width="{wide:.1f}" height="{high:.1f}" fill="{OTHER}"/>'
    yield f'<path d="M{LEFT} {top + HIGH}h{WIDTH}" stroke="{OTHER}"/>'


def _rows(events: Iterable[Event]) -> list[list[Event]]:
    """Commands in as few rows as need be, so that none overlaps another one."""
    rows: list[list[Event]] = []
    for each in sorted(events, key=lambda event: (event.begun, event.command)):
        free = next((row for row in rows if row[-1].released <= each.begun), None)
        if free is None:
            rows.append([each])
        else:
            free.append(each)
    return rows


def _bar(timing: Timing, event: Event, first: int, shown: int, top: int) -> str:
    scale = WIDTH / shown
    lo, hi = max(event.begun, first), min(event.released, first + shown)
    x, wide = LEFT + (lo - first) * scale, max((hi - lo) * scale - 0.5, 0.5)
    return f'<rect x="{x:.1f}" y="{top}" width="{wide:.1f}" height="{LANE - 1}" fill="{_colour(_name(timing, event))}"/>'


def _name(timing: Timing, event: Event) -> str:
    funct, rs1 = timing.trace[event.command, :2].tolist()
    return name_of(funct, rs1) or f"funct {funct}"


def _colour(name: str) -> str:
    return COLOURS.get(name, OTHER)


def _legend(timing: Timing, events: Iterable[Event], top: int) -> Iterator[str]:
    x = LEFT
    for name in dict.fromkeys(_name(timing, each) for each in sorted(events, key=lambda event: event.unit)):
        yield f'<rect x="{x}" y="{top - 7}" width="10" height="8" fill="{_colour(name)}"/>'
        yield _text(x + 14, top, name)
        x += 24 + 6 * len(name)


def _text(x: int, y: int, text: str, *, bold: bool = False) -> str:
    return f'<text x="{x}" y="{y}"{" font-weight=" + chr(34) + "bold" + chr(34) if bold else ""}>{escape(text)}</text>'


def _svg(parts: Sequence[str], height: int) -> str:
    width = LEFT + WIDTH + 12
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif" font-size="10" fill="#333">\n<rect width="100%" height="100%" fill="#fff"/>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )
