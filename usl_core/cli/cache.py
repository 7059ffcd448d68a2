"""`usl cache`: its commands and their options. What they do is imported when they run."""

from __future__ import annotations

from pathlib import Path

import click


@click.group(name="cache", short_help="Look at, clear or share the proofs kept on disk.")
def cache_group() -> None:
    """Look at, clear or share the answers of the solver that are kept on disk, so that no process proves them again.

    USL_PROOF_CACHE=off in the environment switches them off, USL_PROOF_CACHE=FOLDER keeps them there. `usl verify` never
    reads them.
    """


@cache_group.command(name="path", short_help="Print the folder.")
def path_command() -> None:
    """Print the folder in which the answers are kept. It may not exist yet."""
    from usl_core.cli import proof_cache

    click.echo(proof_cache.place())


@cache_group.command(name="info", short_help="Show how much is kept, and how often it helped.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for machines.")
def info_command(as_json: bool) -> None:
    """Show how many answers are kept, of which version, how often they were used, and what was damaged.

    Every row is read and its checksum compared.
    """
    from usl_core.cli import proof_cache

    click.echo(proof_cache.info_text(as_json=as_json))


@cache_group.command(name="clear", short_help="Remove all answers.")
def clear_command() -> None:
    """Remove all answers that are kept. Processes that run meanwhile go on, and may add new ones."""
    from usl_core.cli import proof_cache

    click.echo(f"removed {proof_cache.clear()} proofs")


@cache_group.command(name="export", short_help="Write the answers to a file, for others.")
@click.argument("file", type=click.Path(path_type=Path))
def export_command(file: Path) -> None:
    """Write all undamaged answers to FILE, for `usl cache import` on another machine."""
    from usl_core.cli import proof_cache

    click.echo(f"exported {proof_cache.export_file(file)} proofs to {file}")


@cache_group.command(name="import", short_help="Add the answers of an exported file.")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for machines.")
def import_command(file: Path, as_json: bool) -> None:
    """Add the answers in FILE, written by `usl cache export`, that this version of USL can use.

    Damaged lines are left out. Import only what comes from people whose proofs you trust: nothing is proved anew.
    """
    from usl_core.cli import proof_cache

    click.echo(proof_cache.import_text(file, as_json=as_json))
