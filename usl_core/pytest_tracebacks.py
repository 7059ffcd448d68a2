"""pytest shows uncaught errors without the frames of this package (`usl_core.tracebacks`).

pytest loads this module wherever usl-core is installed, so it imports nothing of ours until a test fails.
"""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterable
from typing import Any

import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[Any]) -> None:
    """Shorten what a test raised before it is reported."""
    if call.excinfo is not None and "usl_core.errors" in sys.modules:
        from usl_core.tracebacks import shorten

        shorten(call.excinfo.value)
        if call.excinfo.value.__traceback__ is not None:
            call.excinfo = pytest.ExceptionInfo.from_exception(call.excinfo.value)


def pytest_collectstart(collector: pytest.Collector) -> None:
    """Shorten what a module raises while it is imported."""
    if isinstance(collector, pytest.Module):
        collector.collect = _collecting(collector.collect)  # type: ignore[method-assign]


def _collecting(collect: Any) -> Any:
    def collected() -> Iterable[Any]:
        return list(_collected(collect))

    return collected


def _collected(collect: Any) -> Generator[Any, None, None]:
    try:
        yield from collect()
    except Exception as error:
        if "usl_core.errors" in sys.modules:
            from usl_core.tracebacks import shorten

            shorten(error)
        raise
