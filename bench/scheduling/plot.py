"""The growth curves as a picture."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

TITLES = {
    "beside": "more statements beside",
    "deeper": "more loops around",
    "uses": "more uses of the buffer or field",
}
COLOURS = {"local": "tab:blue", "uses": "tab:green", "procedure": "tab:red"}


def growth(operators: Mapping[str, Any], file: Path) -> Path:
    """Draw each operator's time against the size, as multiples of that of the smallest procedure."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "usl"
    from matplotlib import pyplot
    from matplotlib.lines import Line2D

    figure, panels = pyplot.subplots(1, len(TITLES), figsize=(13, 4.5), sharey=True)
    for panel, (way, title) in zip(panels, TITLES.items(), strict=True):
        for name, operator in operators.items():
            curve = operator["curves"].get(way, {}).get("milliseconds")
            if not curve:
                continue
            sizes, times = [int(n) for n in curve], list(curve.values())
            relative = [time / times[0] for time in times]
            panel.plot(sizes, relative, color=COLOURS[operator["class"]], linewidth=0.8, alpha=0.7)
            if relative[-1] > 8:
                panel.annotate(name, (sizes[-1], relative[-1]), fontsize=5)
        panel.plot([1, 100], [1, 100], color="black", linestyle=":", linewidth=0.8)
        panel.axhline(1.5, color="grey", linestyle="--", linewidth=0.8)
        panel.set(xscale="log", yscale="log", title=title, xlabel="length of the procedure")
    panels[0].set_ylabel("time, as multiples of the shortest procedure's")
    panels[0].set_ylim(0.5, 200)
    legend = [Line2D([], [], color=colour, label=kind) for kind, colour in COLOURS.items()]
    panels[0].legend(handles=legend, fontsize=7)
    figure.tight_layout()
    file.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(file, metadata={"Date": None})
    pyplot.close(figure)
    return file
