"""A profile as a flame graph: a web page of its own that shows who called what, to be zoomed into. plotly draws it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from usl_core.cli.files import write_all
from usl_core.errors import UslError

if TYPE_CHECKING:
    from usl_core.cli.profile import Frame

COLOURS = {
    "file": "#d9d9d9",
    "operator": "#fdb462",
    "obligation": "#80b1d3",
    "solver": "#fb8072",
    "analysis": "#b3de69",
    "cursor": "#bebada",
    "frontend": "#fccde5",
}


def require_plotly() -> None:
    """Raises UslError if plotly is not installed, which is an extra."""
    try:
        import plotly.graph_objects  # noqa: F401
    except ImportError:
        raise UslError("the flame graph needs plotly", notes=["hint: pip install 'usl-core[profile]'"]) from None


def write(root: Frame, file: Path, *, title: str) -> None:
    """Write the flame graph as one HTML file that needs nothing else. Widths are CPU time, in milliseconds."""
    import plotly.graph_objects as go

    ids: list[str] = []
    parents: list[str] = []
    frames: list[Frame] = []

    def add(frame: Frame, above: str) -> None:
        ids.append(f"{above}/{frame.kind}:{frame.name}")
        parents.append(above)
        frames.append(frame)
        place = ids[-1]
        for callee in sorted(frame.callees.values(), key=lambda each: -each.total):
            add(callee, place)

    add(root, "")
    icicle = go.Icicle(
        ids=ids,
        parents=parents,
        labels=[frame.name for frame in frames],
        values=[frame.total / 1e6 for frame in frames],
        text=[f"{frame.kind}, {frame.calls} calls, own {frame.own / 1e6:.2f} ms" for frame in frames],
        marker={"colors": [COLOURS[frame.kind] for frame in frames]},
        branchvalues="total",
        sort=False,
        hovertemplate="%{label}<br>%{value:.2f} ms (%{percentRoot:.1%} of all)<br>%{text}<extra></extra>",
        texttemplate="%{label} %{value:.1f}",
    )
    figure = go.Figure(
        icicle, layout={"title": f"{title}: milliseconds by caller", "margin": {"t": 40, "l": 0, "r": 0, "b": 0}}
    )
    write_all(file.parent, {file.name: figure.to_html(include_plotlyjs=True, full_html=True)})
