"""Settings of all test suites: no test fails because a machine is slow, and CI tries the same examples every time; what was
skipped for lack of which package is said at the end; `USL_HIDE` makes the machine look bare (see CONTRIBUTING.md).
"""

from __future__ import annotations

import gc
import os
import sys
from collections import Counter
from collections.abc import Generator
from importlib.abc import MetaPathFinder

import pytest
from hypothesis import HealthCheck, settings

from tests.bare import CORE, REQUIRED, lacking
from usl_core import probe

settings.register_profile(
    "suite",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    derandomize=bool(os.environ.get("CI")),
)
settings.load_profile("suite")


class _Blocker(MetaPathFinder):
    """Packages that `USL_HIDE` names cannot be imported."""

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> None:
        if probe.hidden_package(fullname):
            raise ModuleNotFoundError(f"No module named {fullname!r}: {probe.VARIABLE} hides it", name=fullname)


os.environ.setdefault("USL_TRACEBACK", "full")
os.environ.setdefault("USL_STORE", "off")  # tests of operators run operators; those of the store switch it on

if os.environ.get(probe.VARIABLE):
    sys.meta_path.insert(0, _Blocker())


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Of the many objects that tests are made of, none is garbage."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """A test of the core must not depend on what a probe finds: the bare run leaves it out."""
    probe.found.clear()
    result = yield
    used = sorted(probe.found - REQUIRED)
    if used and item.nodeid.startswith(CORE):
        pytest.fail(f"a test of the core depends on {', '.join(used)}: move it, or see CORE in tests/bare.py", pytrace=False)
    return result


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Says what was skipped for lack of which package or feature."""
    reasons = (
        str(report.longrepr[2]) for report in terminalreporter.getreports("skipped") if isinstance(report.longrepr, tuple)
    )
    counts = Counter(what for reason in reasons if (what := lacking(reason)))
    if counts:
        terminalreporter.section("skipped for lack of")
        for what, count in counts.most_common():
            terminalreporter.write_line(f"{count:6}  {what}")
        if os.environ.get(probe.VARIABLE):
            terminalreporter.write_line(f"        ({probe.VARIABLE}={os.environ[probe.VARIABLE]!r})")
