"""`usl fun`: its options. What it does is imported when it runs."""

from __future__ import annotations

import click


@click.command(name="fun", short_help="Show what becomes of functional programs.")
@click.argument("place", metavar="FILE[:NAME]")
@click.option("--show", "form", metavar="PASS", help="Print the program after this pass, or `core`, or `c`.")
@click.option("--off", metavar="PASSES", default="", help="Leave out these passes: names with commas between them.")
def fun_command(place: str, form: str | None, off: str) -> None:
    """List the functions of FILE (decorated with @fun) with their types, or show what the compiler makes of them.

    This imports FILE, which runs it. With NAME only that function and what it uses. An unknown PASS gives the list of all.
    """
    from usl_c11.perceus import report

    chosen = report.functions(place)
    left_out = [name for name in (part.strip() for part in off.split(",")) if name]
    click.echo(report.overview(chosen) if form is None else report.shown(chosen, form, left_out))
