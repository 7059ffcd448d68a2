"""`usl plugin check NAME`: the conformance test of a plugin as text or JSON."""

from __future__ import annotations

import contextlib
import json
import sys

import click

from usl_conformance.check import check_plugin


def run_check(name: str, *, instruction: str | None, backend: str, emulate: bool, as_json: bool) -> bool:
    """Checks, and prints the report; whether nothing failed.

    Raises:
        UslError: there is no such plugin, instruction or backend.
    """
    with contextlib.redirect_stdout(sys.stderr):  # what a plugin prints while it is imported is not part of our output
        report = check_plugin(name, instruction=instruction, backend=backend, emulate=emulate)
    click.echo(json.dumps(report.as_dict(), indent=2) if as_json else report.text())
    return not report.failed
