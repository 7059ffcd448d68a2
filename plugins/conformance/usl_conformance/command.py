"""`usl plugin new` and `usl plugin check`: their options. What they do is imported when they run."""

from __future__ import annotations

from pathlib import Path

import click


@click.group(name="plugin", short_help="Begin a plugin, or test one.")
def plugin_group() -> None:
    """Begin a plugin, or test one. `usl plugins` lists those that are installed."""


@plugin_group.command(name="new", short_help="Write a new plugin package.")
@click.argument("name")
@click.option(
    "--dir", "directory", type=click.Path(path_type=Path), help="The folder to make. [default: NAME in the current folder]"
)
@click.option(
    "--kind",
    type=click.Choice(["accelerator", "cpu", "schedules", "backend"]),
    default="accelerator",
    show_default=True,
    help="What the package is: a target with registers to configure, a vector unit, schedules for any, an output beside C.",
)
def new_command(name: str, directory: Path | None, kind: str) -> None:
    """Write a complete package called NAME: a memory, instructions, a schedule and tests, ready for `pip install`.

    NAME becomes the plugin's namespace, an identifier such as my_accel; the package is usl_NAME.
    """
    from usl_conformance import new_command

    click.echo(new_command.write_package(name, directory, kind))


@plugin_group.command(name="check", short_help="Test a plugin's instructions and memories.")
@click.argument("name")
@click.option("--instr", "instruction", metavar="X", help="Only this instruction.")
@click.option("--backend", default="c11", show_default=True, help="The backend that compiles the tests.")
@click.option("--emulate", is_flag=True, help="Use the plugin's emulation even where the processor has the features.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for machines.")
@click.pass_context
def check_command(
    context: click.Context, name: str, instruction: str | None, backend: str, emulate: bool, as_json: bool
) -> None:
    """Compile and run every instruction of the plugin NAME, and compare with what its body means; test its memories.

    This imports the plugin and runs its C. Exit status 1 if anything failed.
    """
    from usl_conformance import check_command

    if not check_command.run_check(name, instruction=instruction, backend=backend, emulate=emulate, as_json=as_json):
        context.exit(1)
