"""The conformance test inside a vendor's own test suite: one test for each instruction and memory of a plugin.

pytest loads this module wherever usl-conformance is installed, so it imports nothing of ours until somebody asks: with a
fixture

    @pytest.mark.usl_plugin("my_accel")
    def test_conformance(usl_conformance):
        usl_conformance.check()

or on the command line, `pytest --usl-plugin my_accel`, which adds the tests to whatever else is collected.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from usl_conformance.suite import Subject

FIXTURE = "usl_conformance"
RAN = "usl_ran"
"""The property of a test's report that says how the code of its subject ran."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options `--usl-plugin` and `--usl-emulate`."""
    group = parser.getgroup("usl")
    group.addoption(
        "--usl-plugin",
        action="append",
        default=[],
        metavar="NAME",
        help="Test the installed USL plugin NAME (may be repeated).",
    )
    group.addoption(
        "--usl-emulate", action="store_true", help="Use plugins' emulations of CPU features wherever there are any."
    )


def pytest_configure(config: pytest.Config) -> None:
    """Makes the marker `usl_plugin` known, for `--strict-markers`."""
    config.addinivalue_line("markers", f"usl_plugin(name): the USL plugin that the fixture {FIXTURE} tests")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test with the fixture runs once for each subject of the plugin that its marker names.

    Raises:
        pytest.UsageError: the test has no marker that names one plugin.
    """
    if FIXTURE not in metafunc.fixturenames:
        return
    marker = metafunc.definition.get_closest_marker("usl_plugin")
    if marker is None or len(marker.args) != 1:
        raise pytest.UsageError(f'{metafunc.definition.nodeid}: mark the test with @pytest.mark.usl_plugin("NAME")')
    subjects = _subjects(marker.args[0], metafunc.config)
    metafunc.parametrize(FIXTURE, subjects, ids=[subject.label for subject in subjects])


def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Adds an item for each subject of the plugins given by `--usl-plugin`; no test file is needed."""
    for name in config.getoption("--usl-plugin"):
        items += [
            ConformanceItem.from_parent(session, name=f"{name}::{subject.label}", subject=subject)
            for subject in _subjects(name, config)
        ]


def _subjects(name: str, config: pytest.Config) -> list[Subject]:
    from usl_conformance.suite import subjects_of
    from usl_core.errors import UslError

    try:
        return list(subjects_of(name, emulate=config.getoption("--usl-emulate")))
    except UslError as error:
        raise pytest.UsageError(str(error)) from None


class ConformanceItem(pytest.Item):
    """The test of one instruction or memory, for `--usl-plugin`."""

    def __init__(self, *, subject: Subject, **options: Any) -> None:
        super().__init__(**options)
        self.subject = subject

    def runtest(self) -> None:
        """Checks the subject; a failed check is an AssertionError."""
        self.subject.check()

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The report of a failed check alone: a traceback through this package would say nothing to its reader."""
        if isinstance(excinfo.value, AssertionError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[str, int | None, str]:
        """Where the subject is declared; lines are counted from 0 here, as pytest does."""
        span = self.subject.span
        if span is None or span.line == 0:
            return self.subject.plugin, None, self.name
        return span.file, span.line - 1, self.name


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
    """How the code of a subject ran is a property of its test's report, which survives the way from another process."""
    report = yield
    subject = item.subject if isinstance(item, ConformanceItem) else getattr(item, "funcargs", {}).get(FIXTURE)
    if subject is not None and call.when == "call" and subject.ran:
        report.user_properties.append((RAN, subject.ran))
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Counts the subjects by how their code ran; why others were skipped is told by pytest itself (`-rs`)."""
    reports = [*terminalreporter.getreports("passed"), *terminalreporter.getreports("failed")]
    ways = Counter(value for report in reports for name, value in report.user_properties if name == RAN)
    if ways:
        terminalreporter.write_line(f"usl conformance: {', '.join(f'{count} {way}' for way, count in ways.items())}")


def pytest_report_header(config: pytest.Config) -> Iterator[str]:
    """Names the plugins given by `--usl-plugin`."""
    names = config.getoption("--usl-plugin")
    if names:
        yield f"usl plugins: {', '.join(names)}"
