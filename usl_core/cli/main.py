"""The `usl` command: its options, and how errors end.

Exit status: 0 done, 1 a mistake in the input (one message on stderr), 2 wrong usage. What a command does is imported when
it runs, so that `usl --help` stays instant.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from usl_core.cli.messages import as_error, message
from usl_core.errors import PluginError


class _Reporting(click.Group):
    """A group whose commands end in one message when they fail, or in a traceback with --debug.

    Plugins add commands (`usl_commands`). They are asked for a name that is none of ours, and not for the list of --help.
    """

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return super().get_command(ctx, cmd_name) or _plugin_command(ctx, cmd_name)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.Abort, click.exceptions.Exit, BrokenPipeError):
            raise  # click's own: usage errors, and a reader of our output that has gone
        except Exception as error:
            if ctx.params["debug"]:
                traceback.print_exc()
            elif ctx.params["json_errors"]:
                click.echo(json.dumps(as_error(error).as_dict()), err=True)
            else:
                click.echo(message(error), err=True)
            ctx.exit(1)


@click.group(cls=_Reporting, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--debug", is_flag=True, help="Show a traceback with every error.")
@click.option("--json-errors", is_flag=True, help="Print an error as one line of JSON, for editors and scripts.")
@click.option("--no-plugins", is_flag=True, help="Load no plugin at all.")
@click.option("--plugins", "allowed", metavar="NAMES", help="Load only these plugins: names with commas between them.")
@click.version_option(package_name="usl-core", prog_name="usl")
@click.pass_context
def cli(context: click.Context, debug: bool, json_errors: bool, no_plugins: bool, allowed: str | None) -> None:
    """Compile procedures of the user-schedulable language, look at how they were made, and at its plugins.

    A plugin is code from an installed package. USL_NO_PLUGINS=1 and USL_PLUGINS=NAMES in the environment do the same
    as the options. Plugins may add commands; `usl plugins` lists them.
    """
    _select_plugins(no_plugins, allowed)


@cli.command(name="plugins", short_help="List the installed plugins.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for machines.")
@click.option("--selfcheck", is_flag=True, help="Also let each plugin check its installation.")
def plugins_command(as_json: bool, selfcheck: bool) -> None:
    """List the installed plugins: what each provides, and what is wrong with it.

    This imports every plugin.
    """
    from usl_core.cli import plugins

    plugins.show(as_json=as_json, selfcheck=selfcheck)


@cli.command(name="compile", short_help="Compile the procedures of a Python file to C.")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", "directory", type=click.Path(path_type=Path), default=Path(), help="Where to write. [default: .]"
)
@click.option("--name", help="Name of the C files. [default: that of FILE]")
@click.option("--backend", "backend_name", default="c11", show_default=True, help="The backend, from a plugin.")
@click.option("--no-entry-checks", is_flag=True, help="Exported functions trust their caller's sizes, strides, assertions.")
@click.option("--make-variables", is_flag=True, help="Also write NAME.mk: flags, sources and libraries that the .c needs.")
def compile_command(
    file: Path, directory: Path, name: str | None, backend_name: str, no_entry_checks: bool, make_variables: bool
) -> None:
    """Compile the procedures of a Python FILE to C: a .c, a .h, and a .d for make.

    This imports FILE, which runs it. The procedures named in its __all__ are exported; without __all__, every procedure
    that it binds at module level and did not import, except instructions.
    """
    from usl_core.cli import compile as compiling

    checks = not no_entry_checks
    written = compiling.compile_file(
        file, directory, name=name, backend_name=backend_name, entry_checks=checks, make=make_variables
    )
    for path in written:
        click.echo(path)


@cli.command(name="history", short_help="Show how a procedure was made.")
@click.argument("place", metavar="FILE:PROC")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for machines.")
def history_command(place: str, as_json: bool) -> None:
    """Show the steps that made a procedure: operator, arguments, what the result is to its input, time, and proofs.

    This imports FILE, which runs it.
    """
    from usl_core.cli import history

    click.echo(history.history_text(place, as_json=as_json))


@cli.command(name="verify", short_help="Replay a procedure's history without caches.")
@click.argument("place", metavar="FILE[:PROC]")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for machines.")
def verify_command(place: str, as_json: bool) -> None:
    """Make the procedures of FILE (or one of them) again in a fresh process, with every obligation proved anew.

    FILE is imported there, which runs it. No answer is remembered, and the result is checked once more as a whole.
    """
    from usl_core.cli import verify

    click.echo(verify.verify_text(place, as_json=as_json))


@cli.command(name="profile", short_help="Show where the time of a schedule goes.")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--flame-graph", type=click.Path(path_type=Path), metavar="HTML", help="Also write a flame graph, a web page.")
@click.option("--warm", is_flag=True, help="Run FILE once before, so that caches are filled.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for machines.")
def profile_command(file: Path, flame_graph: Path | None, warm: bool, as_json: bool) -> None:
    """Run FILE and show where the time of its schedules goes: per operator, per obligation and per solver stage.

    The flame graph needs plotly: pip install 'usl-core[profile]'.
    """
    from usl_core.cli import profile

    width = max(100, shutil.get_terminal_size().columns)
    click.echo(profile.profile_text(file, warm=warm, as_json=as_json, flame_graph=flame_graph, width=width))


def _select_plugins(no_plugins: bool, allowed: str | None) -> None:
    if no_plugins and allowed is not None:
        raise click.UsageError("--no-plugins and --plugins exclude each other")
    if no_plugins or allowed is not None:
        from usl_core.plugins.manager import configure, split_names

        configure(enabled=not no_plugins, allowed=None if allowed is None else split_names(allowed))


def _plugin_command(ctx: click.Context, name: str) -> click.Command | None:
    """The command that a plugin adds under this name. It is looked up before our own options are acted on."""
    from usl_core.plugins.declarations import Kind
    from usl_core.plugins.manager import plugin_manager

    _select_plugins(ctx.params.get("no_plugins", False), ctx.params.get("allowed"))
    manager = plugin_manager()
    with contextlib.redirect_stdout(sys.stderr):  # what a plugin prints while it is imported is not part of our output
        known = name in manager.names(Kind.COMMANDS)
    if known:
        found: click.Command = manager.lookup(name, Kind.COMMANDS)
        return found
    if (home := _HOMES.get(name)) is not None:
        refusal = manager.refusal(home)
        notes = (f"`usl {name}` is a command of this plugin", f"hint: pip install usl-{home}")
        raise PluginError(refusal.message, notes=notes[: 1 if home in manager.installed() else 2])
    return None


_HOMES = {"plugin": "conformance", "fun": "perceus"}
"""Commands of which people read before they have the package that brings them."""


def main(arguments: Sequence[str] | None = None) -> None:
    """The console script. Exits with the status that the module's docstring promises."""
    cli.main(args=arguments, prog_name="usl")
