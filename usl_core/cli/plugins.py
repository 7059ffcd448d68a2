"""`usl plugins`: the installed plugins as text or JSON."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import sys
from collections.abc import Iterator, Sequence

import click

from usl_core.plugins.manager import PluginInfo, PluginManager, plugin_manager

MANY, FEW = 30, 5


def show(*, as_json: bool, selfcheck: bool) -> None:
    """Prints every admitted plugin; problems are part of the listing and no failure of the command."""
    manager = plugin_manager()
    with contextlib.redirect_stdout(sys.stderr):  # what a plugin prints while it is imported is not part of our output
        infos = manager.load_all()
        if selfcheck:
            infos = tuple(_with_selfcheck(manager, info) for info in infos)
    if as_json:
        click.echo(json.dumps([dataclasses.asdict(info) for info in infos], indent=2))
    elif infos:
        click.echo("\n".join(line for info in infos for line in _lines(info)))
    elif not manager.selection.enabled:
        click.echo("plugins are switched off")
    elif manager.installed():
        click.echo(f"none of the installed plugins may be loaded (USL_PLUGINS): {', '.join(manager.installed())}")
    else:
        click.echo("no plugin is installed; the C backend comes with `pip install usl-c11`")


def _with_selfcheck(manager: PluginManager, info: PluginInfo) -> PluginInfo:
    found = [
        sentence for plugin in manager.plugins() if info.usable and plugin.name == info.name for sentence in plugin.selfcheck()
    ]
    return dataclasses.replace(info, problems=(*info.problems, *(f"self-check: {sentence}" for sentence in found)))


def _list(names: Sequence[str]) -> str:
    """Names on one line; of very many the first few and how many there are."""
    if len(names) <= MANY:
        return ", ".join(names)
    return f"{len(names)}, such as {', '.join(names[:FEW])} (all of them with --json)"


def _lines(info: PluginInfo) -> Iterator[str]:
    state = f"hook API {info.api}" if info.api is not None else "hook API unknown"
    yield click.style(info.name, bold=True) + f"  {info.dist} {info.version}, {state}" + ("" if info.usable else ", not usable")
    for kind, names in info.provides.items():
        yield f"  {kind.replace('_', ' ')}: {_list(names)}"
    for problem in info.problems:
        yield click.style("  problem: ", fg="red") + problem
