"""`usl profile FILE`: where the time of a schedule goes, by operator, obligation and solver stage."""

from __future__ import annotations

import io
import json
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from usl_core.cli.modules import import_file
from usl_core.profiling import listening

KINDS = {
    "operator": "operators",
    "obligation": "obligations",
    "solver": "solver stages",
    "analysis": "analyses",
    "cursor": "cursors",
    "frontend": "from text to procedures",
}
"""The kinds of spans, in the order of the tables, with the tables' titles."""


@dataclass
class Frame:
    """A span in one chain of callers: how often it was entered and left by an error, and nanoseconds, callees included."""

    kind: str
    name: str
    calls: int = 0
    failed: int = 0
    total: int = 0
    callees: dict[tuple[str, str], Frame] = field(default_factory=dict)

    @property
    def own(self) -> int:
        """Nanoseconds without those of callees."""
        return self.total - sum(callee.total for callee in self.callees.values())


@dataclass
class Row:
    """A span in all chains of callers. In total, a span inside one of its own name counts once."""

    calls: int = 0
    failed: int = 0
    total: int = 0
    own: int = 0


class Profile:
    """Listens to spans and adds them up by chains of callers."""

    kinds = frozenset(KINDS)

    def __init__(self) -> None:
        self.root = Frame("file", "the file")
        self.durations: dict[str, list[int]] = {}
        self._open: list[tuple[Frame, int]] = [(self.root, 0)]

    def begin(self, kind: str, name: str) -> None:
        """A span begins inside of the one that is open."""
        above = self._open[-1][0].callees
        frame = above.get((kind, name))
        if frame is None:
            frame = above[kind, name] = Frame(kind, name)
        self._open.append((frame, time.process_time_ns()))

    def end(self, error: BaseException | None) -> None:
        """The open span ends."""
        frame, began = self._open.pop()
        spent = time.process_time_ns() - began
        frame.calls += 1
        frame.failed += error is not None
        frame.total += spent
        if frame.kind == "operator":
            self.durations.setdefault(frame.name, []).append(spent)

    def rows(self, kind: str) -> dict[str, Row]:
        """The spans of a kind by name, those that took longest first."""
        found: dict[str, Row] = {}
        for frame, outermost in _frames(self.root, ()):
            if frame.kind == kind:
                row = found.setdefault(frame.name, Row())
                row.calls += frame.calls
                row.failed += frame.failed
                row.total += frame.total if outermost else 0
                row.own += frame.own
        return dict(sorted(found.items(), key=lambda item: -item[1].total))


def _frames(frame: Frame, above: Sequence[tuple[str, str]]) -> Iterator[tuple[Frame, bool]]:
    """Every frame below, and whether no frame around it has its name."""
    for key, callee in frame.callees.items():
        yield callee, key not in above
        yield from _frames(callee, (*above, key))


def profile_file(path: Path, *, warm: bool = False) -> Profile:
    """Run a file and listen. With warm it runs once before, so that caches hold what it needs.

    Raises:
        UslError: the file cannot be read, or running it fails.
    """
    if warm:
        import_file(path)
    return profiled_call(lambda: import_file(path))


def profiled_call(work: Callable[[], object]) -> Profile:
    """Call work once and listen."""
    profile = Profile()
    began = time.process_time_ns()
    with listening(profile):
        work()
    profile.root.calls, profile.root.total = 1, time.process_time_ns() - began
    return profile


def profile_text(path: Path, *, warm: bool, as_json: bool, flame_graph: Path | None, width: int) -> str:
    """The profile as tables or as JSON; the flame graph is written besides, if a path for it is given."""
    if flame_graph is not None:
        from usl_core.cli.flamegraph import require_plotly, write

        require_plotly()
        profile = profile_file(path, warm=warm)
        write(profile.root, flame_graph, title=path.name)
    else:
        profile = profile_file(path, warm=warm)
    return json.dumps(as_data(profile), indent=2) if as_json else tables(profile, width)


def as_data(profile: Profile) -> dict[str, Any]:
    """The profile as plain data; seconds are CPU time."""

    def entry(kind: str, name: str, row: Row) -> dict[str, Any]:
        data = {"calls": row.calls, "failed": row.failed, "seconds": row.total / 1e9, "own_seconds": row.own / 1e9}
        return data | (_times(profile.durations[name]) if kind == "operator" else {})

    kinds = {kind: {name: entry(kind, name, row) for name, row in profile.rows(kind).items()} for kind in KINDS}
    return {"seconds": profile.root.total / 1e9, **kinds}


def _times(durations: Sequence[int]) -> dict[str, float]:
    return {"median_seconds": statistics.median(durations) / 1e9, "longest_seconds": max(durations) / 1e9}


def tables(profile: Profile, width: int) -> str:
    """A table for each kind of span, drawn for so many columns."""
    from rich.console import Console

    console = Console(file=io.StringIO(), width=width)
    total = max(profile.root.total, 1)
    parts = [f"{spent / 1e9:.3f} s in {title}" for kind, title in KINDS.items() if (spent := _outermost(profile.root, kind))]
    console.print(
        f"{total / 1e9:.3f} s in all, of which {', '.join(parts)} (one inside another counts in both).\n"
        "ms: with what it calls; own ms: without other rows of any table."
        if parts
        else f"{total / 1e9:.3f} s in all, none of it in operators or analyses: the file schedules nothing.",
        highlight=False,
    )
    for kind, title in KINDS.items():
        rows = profile.rows(kind)
        if rows:
            console.print()
            console.print(_table(profile, kind, title, rows, total))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue().rstrip("\n")


def _outermost(frame: Frame, kind: str) -> int:
    """Nanoseconds in spans of a kind, one inside another counted once."""
    return sum(each.total if each.kind == kind else _outermost(each, kind) for each in frame.callees.values())


def _table(profile: Profile, kind: str, title: str, rows: dict[str, Row], total: int) -> Any:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("", no_wrap=True)
    columns = ["calls", "failed", "ms", "%", "own ms", *(["median ms", "longest ms"] if kind == "operator" else [])]
    for column in columns:
        table.add_column(column, justify="right", no_wrap=True)
    for name, row in rows.items():
        cells = [str(row.calls), str(row.failed or ""), _ms(row.total), f"{100 * row.total / total:.1f}", _ms(row.own)]
        if kind == "operator":
            cells += [_ms(statistics.median(profile.durations[name])), _ms(max(profile.durations[name]))]
        table.add_row(name, *cells)
    return table


def _ms(nanoseconds: float) -> str:
    return f"{nanoseconds / 1e6:.2f}"
