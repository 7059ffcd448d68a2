"""The tables of docs/performance.md, written from the last results between their marks, so that nobody types figures."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

Results = Mapping[str, Any]
_MARKED = re.compile(r"(<!-- generated: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def refresh(page: Path, results: Results) -> Path:
    """Write the tables that results have anything for into the page; the others stay as they are."""

    def fresh(match: re.Match[str]) -> str:
        start, name, end = match.groups()
        table = TABLES[name](results)
        return f"{start}{table}\n{end}" if table else match.group(0)

    page.write_text(_MARKED.sub(fresh, page.read_text(encoding="utf-8")), encoding="utf-8")
    return page


def table(heading: list[str], rows: list[list[str]]) -> str:
    lines = [heading, ["---", *["---:"] * (len(heading) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def machine(results: Results) -> str:
    if "machine" not in results:
        return ""
    about = results["machine"]
    return f"{about['cpu']}, Python {about['python']}, {results['when'][:10]}."


def shapes(results: Results) -> str:
    """Whole schedules: calls, seconds, the share that reaches z3, the peer."""
    times = ["cold, s", "collector", "warm, s", "collector", "again, s"]
    heading = ["schedule", "operator calls", *times, "calls that reach z3", "Exo: calls", "Exo: s"]
    rows = []
    for shape in results.get("shapes", {}).values():
        cold, warm, count = shape["cold"], shape["warm"], str(shape["cold"]["calls"]["count"])
        spent = [seconds(run[key]) for run in (cold, warm) for key in ("seconds", "collector_seconds")]
        share = f"{cold['asking_z3']} ({100 * cold['share_asking_z3']:.1f} %)"
        peer = [f"{shape['peer'][1]:,}", str(shape["peer"][0])] if shape["peer"] else ["", ""]
        rows.append([shape["title"], count, *spent, seconds(shape["again"]["seconds"]), share, *peer])
    return table(heading, rows) if rows else ""


def calls(results: Results) -> str:
    """Milliseconds of single calls, cold and warm, `replace` and its failed tries apart."""
    heading = ["schedule", "", "calls", "median", "mean", "95th percentile", "longest"]
    parts = {"without_replace": "", "replace": ", replace", "replace_failed": ", failed tries"}
    rows = []
    for shape in results.get("shapes", {}).values():
        for when in ("cold", "warm"):
            for key, label in parts.items():
                found = shape[when][key]
                if found["count"]:
                    figures = [milliseconds(found[name]) for name in ("median", "mean", "p95", "max")]
                    rows.append([shape["title"], f"{when}{label}", str(found["count"]), *figures])
    return table(heading, rows) if rows else ""


def operators(results: Results) -> str:
    """Warm milliseconds by operator, over all schedules."""
    merged: dict[str, list[tuple[str, Mapping[str, float]]]] = {}
    for name, shape in results.get("shapes", {}).items():
        for operator, found in shape["warm"]["by_operator"].items():
            merged.setdefault(operator, []).append((name, found))
    rows = []
    for operator, parts in sorted(merged.items(), key=lambda item: -sum(found["sum"] for _, found in item[1])):
        count, total = (sum(found[key] for _, found in parts) for key in ("count", "sum"))
        worst_in, worst = max(parts, key=lambda part: part[1]["max"])
        rows.append(
            [
                f"`{operator}`",
                str(count),
                milliseconds(total),
                milliseconds(total / count),
                milliseconds(worst["max"]),
                worst_in,
            ]
        )
    return table(["operator", "calls", "all", "mean", "longest", "in"], rows) if rows else ""


def growth(results: Results) -> str:
    """Classes and exponents."""
    heading = ["operator", "class", "beside, x20", "exponent", "deeper, x20", "exponent", "uses, x20", "exponent"]
    rows = []
    for name, operator in results.get("growth", {}).items():
        row = [f"`{name}`", operator["class"]]
        for way in ("beside", "deeper", "uses"):
            curve = operator["curves"].get(way, {})
            row += [f"{curve['times_20']:.2f}", f"{curve['exponent']:.2f}"] if "exponent" in curve else ["", ""]
        rows.append(row)
    return table(heading, rows) if rows else ""


def limits(results: Results) -> str:
    """Long histories and long procedures, with the goals."""
    found = results.get("limits")
    if not found:
        return ""
    successive, forwarding, memory, text = (found[name] for name in ("successive", "forwarding", "memory", "text"))
    steps = f"{forwarding['steps']:,}"
    rows = [
        ["n successive operators, places found anew: exponent", f"{successive['new_cursors']['exponent']:.2f}", "1"],
        [
            "n successive operators, places from the first version: exponent",
            f"{successive['old_cursors']['exponent']:.2f}",
            "1",
        ],
        [f"forwarding through {steps} steps, the first time", f"{forwarding['first_ms']:.1f} ms", "100 ms"],
        ["again", f"{forwarding['again_ms']:.2f} ms", "10 ms"],
        ["the longest of the first times", f"{forwarding['first_longest_ms']:.1f} ms", ""],
        [f"memory of {steps} steps on {memory['statements']:,} statements", f"{memory['megabytes']:.0f} MB", "500 MB"],
        ["the same: CPU time of a step", f"{1e3 * memory['seconds'] / memory['steps']:.2f} ms", ""],
        [f"parsing and checking {text['statements']:,} statements", seconds(text["parse_seconds"]) + " s", "0.5 s"],
        [f"printing {text['statements']:,} statements", seconds(text["print_seconds"]) + " s", "1 s"],
        [f"C of {text['statements']:,} statements", seconds(text["c_seconds"]) + " s", "1 s"],
    ]
    large = found.get("large", {"milliseconds": {}})
    for name, taken in large["milliseconds"].items():
        rows.append([f"`{name}` on {large['statements']:,} statements", f"{taken:.1f} ms", "5 ms"])
    if start := found.get("start"):
        rows.append(["a script of two operators, all cached", seconds(start["script_seconds"]) + " s", "0.2 s"])
        rows.append(["Python with NumPy alone", seconds(start["with_numpy_seconds"]) + " s", ""])
    tries = found.get("tries", {})
    for name, goal in (("refused", "0.1 ms"), ("replaced", "")):
        if name in tries:
            rows.append([f"`replace` of a loop, {name}", f"{tries[name]['median_ms']:.3f} ms", goal])
    return table(["", "measured", "goal"], rows)


def seconds(value: float) -> str:
    return f"{value:.2f}"


def milliseconds(value: float) -> str:
    return f"{value:.2f}" if value < 100 else f"{value:.0f}"


TABLES: Mapping[str, Callable[[Results], str]] = {
    function.__name__: function for function in (machine, shapes, calls, operators, growth, limits)
}
