"""`usl soac`: its options. What it does is imported when it runs."""

from __future__ import annotations

from pathlib import Path

import click


@click.command(name="soac", short_help="Show what becomes of programs of arrays.")
@click.argument("place", metavar="FILE[:NAME]")
@click.option("--show", "form", metavar="PASS", help="Print the program after this pass, or `core`.")
@click.option(
    "--explain",
    is_flag=True,
    help="Say how sizes are known, what is tested where, what is one kernel, and where arrays are allocated.",
)
@click.option("--check-operators", is_flag=True, help="Try on random values whether operators are associative.")
@click.option(
    "-o", "--output", "directory", type=click.Path(path_type=Path), help="Write the C and the runtime to this folder."
)
@click.option("--unchecked", is_flag=True, help="With -o: leave out all tests, to measure what they cost.")
@click.option("--debug", is_flag=True, help="With -o: test, too, that arrays have the sizes that were computed for them.")
def soac_command(
    place: str,
    form: str | None,
    explain: bool,
    check_operators: bool,
    directory: Path | None,
    unchecked: bool,
    debug: bool,
) -> None:
    """List the functions of FILE (decorated with @soac) with their types, or show what the compiler makes of them, or
    write their C.

    This imports FILE, which runs it. With NAME only that function and what it uses. An unknown PASS gives the list of all.
    """
    if (form is not None) + explain + check_operators + (directory is not None) > 1:
        raise click.UsageError("--show, --explain, --check-operators and --output exclude each other")
    if (unchecked or debug) and directory is None:
        raise click.UsageError("--unchecked and --debug are about the C that --output writes")
    from usl_soac import report

    for name, function in report.functions(place).items():
        if form is not None:
            click.echo(function.show(form), nl=False)
        elif check_operators:
            click.echo(f"{name}: {function.check_operators()} operators tried, none refuted")
        elif explain:
            click.echo(function.explain())
            click.echo(function.show("fusion"), nl=False)
        elif directory is not None:
            if unchecked or debug:
                function = function.with_tests(of_program=not unchecked, of_compiler=debug)
            for path in report.written(function, directory):
                click.echo(path)
        else:
            click.echo(f"{name} : {function.type()}")
