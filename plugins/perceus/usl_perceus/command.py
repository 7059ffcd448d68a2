"""`usl fun`: its options. What it does is imported when it runs."""

from __future__ import annotations

from pathlib import Path

import click


@click.command(name="fun", short_help="Show what becomes of functional programs.")
@click.argument("place", metavar="FILE[:NAME]")
@click.option("--show", "form", metavar="PASS", help="Print the program after this pass, or `core`, or `c`.")
@click.option("--explain", is_flag=True, help="Say for every allocation whether and why it reuses memory.")
@click.option(
    "-o", "--output", "directory", type=click.Path(path_type=Path), help="Write the C and the runtime to this folder."
)
@click.option("--name", help="Name of the C files. [default: that of FILE]")
@click.option("--off", metavar="PASSES", default="", help="Leave out these passes: names with commas between them.")
def fun_command(place: str, form: str | None, explain: bool, directory: Path | None, name: str | None, off: str) -> None:
    """List the functions of FILE (decorated with @fun) with their types, or show what the compiler makes of them, or
    write their C.

    This imports FILE, which runs it. With NAME only that function and what it uses. An unknown PASS gives the list of all.
    """
    if (form is not None) + explain + (directory is not None) > 1:
        raise click.UsageError("--show, --explain and --output exclude each other")
    if name is not None and directory is None:
        raise click.UsageError("--name goes with --output")
    if off and not (form is not None or explain or directory is not None):
        raise click.UsageError("--off goes with --show, --explain or --output")
    from usl_perceus import report

    chosen = report.functions(place)
    left_out = [name for name in (part.strip() for part in off.split(",")) if name]
    if form is not None:
        click.echo(report.shown(chosen, form, left_out))
    elif explain:
        click.echo(report.explained(chosen, left_out))
    elif directory is not None:
        for path in report.written(chosen, directory, name or report.stem(place), left_out):
            click.echo(path)
    else:
        click.echo(report.overview(chosen))
