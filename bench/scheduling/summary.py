"""Medians, means and shares of recorded calls."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

Call = Mapping[str, Any]
"""As `record` writes it."""


def outermost(calls: Sequence[Call]) -> list[Call]:
    """Those that a schedule makes, without those that operators of the library make in turn."""
    return [call for call in calls if call["depth"] == 0]


def distribution(calls: Sequence[Call]) -> dict[str, float]:
    """Count, and CPU milliseconds: median, mean, 95th percentile, maximum, sum."""
    times = sorted(1e3 * call["seconds"] for call in calls)
    if not times:
        return {"count": 0}
    return {
        "count": len(times),
        "median": statistics.median(times),
        "mean": statistics.fmean(times),
        "p95": times[min(len(times) - 1, int(0.95 * len(times)))],
        "max": times[-1],
        "sum": sum(times),
    }


def of_run(run: Mapping[str, Any]) -> dict[str, Any]:
    """A run in figures: all operator calls but those of `replace`, and these apart."""
    calls = outermost(run["calls"])
    replaces = [call for call in calls if call["operator"] == "replace"]
    asking = [call for call in calls if call["z3"]]
    return {
        "seconds": run["seconds"],
        "collector_seconds": run["collector_seconds"],
        "calls": distribution(calls),
        "nested": len(run["calls"]) - len(calls),
        "without_replace": distribution([call for call in calls if call["operator"] != "replace"]),
        "replace": distribution([call for call in replaces if not call["failed"]]),
        "replace_failed": distribution([call for call in replaces if call["failed"]]),
        "asking_z3": len(asking),
        "share_asking_z3": len(asking) / len(calls) if calls else 0.0,
        "settled": run["settled"],
        "by_operator": by_operator(calls),
    }


def by_operator(calls: Sequence[Call]) -> dict[str, dict[str, float]]:
    """The distribution of each operator, the most expensive first."""
    names = {call["operator"] for call in calls}
    found = {name: distribution([call for call in calls if call["operator"] == name]) for name in names}
    return dict(sorted(found.items(), key=lambda item: -item[1]["sum"]))
