"""`usl halide`: its options. What it does is imported when it runs."""

from __future__ import annotations

from pathlib import Path

import click


@click.command(name="halide", short_help="Compile a pipeline in Halide's language to C, or show it.")
@click.argument("place", metavar="FILE:FUNC")
@click.option("-o", "--output", "directory", type=click.Path(path_type=Path), help="Write the C to this folder.")
@click.option("--name", help="Name of the entry and of the C files. [default: FUNC]")
@click.option("--show", "form", metavar="PASS", help="Print a stage: alg, tgt?, query, bounds, tgt, p0, procedure or c.")
@click.option("--nest", is_flag=True, help="Print the loops, as Halide does.")
@click.option("--picture", type=click.Path(path_type=Path), metavar="FILE", help="Draw the loops as an HTML file.")
def halide_command(
    place: str, directory: Path | None, name: str | None, form: str | None, nest: bool, picture: Path | None
) -> None:
    """Compile the pipeline FUNC of FILE: a Func, a Pipeline, or a function without arguments that returns one.

    This imports FILE, which runs it. With -o it writes NAME.c and NAME.h, whose entry takes buffers and returns an error code,
    and NAME_kernel.c and NAME_kernel.h, which that calls. Without options it says what was done.
    """
    if name is not None and directory is None:
        raise click.UsageError("--name goes with --output")
    from usl_halide_lib import report

    pipeline, own = report.pipeline(place)
    if form is not None:
        click.echo(report.shown(pipeline, form), nl=False)
    if nest:
        click.echo(pipeline.loop_nest(), nl=False)
    if picture is not None:
        pipeline.picture(picture)
        click.echo(picture)
    if directory is not None:
        for path in report.written(pipeline, directory, name or own):
            click.echo(path)
    if form is None and not nest and picture is None and directory is None:
        click.echo(pipeline.explain())
        click.echo(pipeline.assurance())
