"""`usl plugin check NAME`: the conformance test of a plugin as text or JSON."""

from __future__ import annotations

import contextlib
import json
import sys

import click

from usl_core.errors import UslError
from usl_core.plugins.conformance.findings import Report


def run_check(name: str, *, instruction: str | None, backend: str, emulate: bool, as_json: bool) -> bool:
    """Checks, and prints the report; whether nothing failed.

    Raises:
        UslError: there is no such plugin, instruction or backend, or NumPy is missing.
    """
    with contextlib.redirect_stdout(sys.stderr):  # what a plugin prints while it is imported is not part of our output
        report = _report(name, instruction, backend, emulate)
    click.echo(json.dumps(report.as_dict(), indent=2) if as_json else report.text())
    return not report.failed


def _report(name: str, instruction: str | None, backend: str, emulate: bool) -> Report:
    try:
        from usl_core.plugins.conformance.check import check_plugin
    except ModuleNotFoundError as error:
        raise UslError(f"the conformance test needs {error.name}", notes=(f"hint: pip install {error.name}",)) from None
    return check_plugin(name, instruction=instruction, backend=backend, emulate=emulate)
