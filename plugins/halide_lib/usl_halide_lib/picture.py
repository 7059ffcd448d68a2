"""A picture of a schedule as one HTML file: loops as nested boxes, buffers with their extents; it loads nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from usl_core import Procedure
from usl_halide_lib.nest import Node
from usl_stdlib import traffic

PAGE = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<title>{{ title }}</title>
<style>
body { font: 14px/1.4 sans-serif; margin: 2em; color: #222 }
.box { border: 1px solid #999; border-left: 6px solid; border-radius: 3px; margin: 4px 0 4px 1em; padding: 2px 8px }
.for { border-left-color: #5a7fb0 } .parallel { border-left-color: #c2632d } .vectorized { border-left-color: #3f8f57 }
.unrolled { border-left-color: #8a6fb0 } .produce { border-left-color: #222; background: #f7f7f7 }
.consume { border: none; padding: 0; margin-left: 0 } .store { border-left-color: #b08a2d }
.compute { border: none; font-family: monospace } .set { float: right; color: #777 }
td, th { padding: 2px 12px; text-align: left }
</style>
<h1>{{ title }}</h1>
{% macro boxes(nodes) %}{% for node in nodes %}
<div class="box {{ node.kind }}">{% if node.kind != "consume" %}{{ node }}{% endif %}
{% if sets.get(node.code) %}<span class="set">touches {{ sets[node.code] }} bytes</span>{% endif %}
{{ boxes(node.inside) }}</div>{% endfor %}{% endmacro %}
{{ boxes(nodes) }}
<h2>Buffers</h2>
<table><tr><th>func</th><th>buffer</th><th></th></tr>
{% for name, buffer in buffers %}<tr><td>{{ name }}</td><td><code>{{ buffer }}</code></td>
<td>{{ remarks[name] | join("; ") }}</td></tr>{% endfor %}</table>
</html>
"""


def page(p: Procedure, nodes: Sequence[Node], buffers: Sequence[tuple[str, str]], remarks: Iterable[tuple[str, str]]) -> str:
    """The HTML of a nest that was made of p, with how many bytes one iteration of each loop touches."""
    import jinja2  # here alone: schedules without a picture need not wait for it

    by_func: dict[str, list[str]] = {name: [] for name, _ in buffers}
    for name, text in remarks:
        by_func.setdefault(name, []).append(text)
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True)
    return environment.from_string(PAGE).render(
        title=p.name(), nodes=nodes, buffers=buffers, remarks=by_func, sets=_working_sets(p)
    )


def _working_sets(p: Procedure) -> dict[object, str]:
    """By loop the bytes that one of its iterations touches."""
    return {row.loop: str(row.working_set) for row in traffic(p).rows if row.loop is not None}
