"""The tests that may kill a mutant, run in a process of their own: which of them a condition matters to, and which fails."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.mutation import hook
from tests.mutation.kernel import ROOT

SUITES = (
    "tests/primitives",
    "tests/corpus",
    "tests/analysis",
    "tests/frontend",
    "tests/cursors",
    "plugins/stdlib/tests",
    "tests/fuzz",
    "plugins/c11/tests/test_text.py",
)
"""The cheap and near ones first."""

FIRST = 2
"""So many files with tests in which a condition matters are tried before the others are read."""

BESIDE = frozenset({"test_roundtrip.py", "test_random_edits.py", "test_models.py", "test_raise.py", "test_solver.py"})
"""Long tests of what holds no conditions."""

# Plain asserts: pytest would import the kernel itself to rewrite its asserts, past the hook that disables a condition.
OPTIONS = (
    "-q",
    "--assert=plain",
    "-p",
    "no:cacheprovider",
    "-p",
    "no:xdist",
    "-p",
    "no:randomly",
    "-p",
    "no:hypothesispytest",  # it parses every imported module to find constants, which takes longer than most tests
    "--no-header",
    "--rootdir",
    str(ROOT),
)


def test_files() -> list[str]:
    """The files of all suites, relative to the repository, in the order in which they are tried."""
    found: list[Path] = []
    for suite in SUITES:
        path = ROOT / suite
        found += sorted(path.rglob("test_*.py")) if path.is_dir() else [path] if path.exists() else []
    return [str(path.relative_to(ROOT)) for path in found if path.name not in BESIDE]


def rank(file: str) -> int:
    """The position of the suite that a file belongs to."""
    return next(position for position, suite in enumerate(SUITES) if file.startswith(suite))


@dataclass(eq=False)
class Recorder:
    """A pytest plugin: for each test, how long it takes, whether it passes, and the conditions that matter in it."""

    current: set[str] = field(default_factory=set)
    on_import: set[str] = field(default_factory=set)
    tests: dict[str, dict[str, Any]] = field(default_factory=dict)

    def note(self, name: str) -> None:
        self.current.add(name)

    def pytest_collection_finish(self) -> None:
        self.on_import = self.current

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self.current = set()
        started = time.process_time()
        self.tests[item.nodeid] = {"passed": True}
        yield
        found = self.tests[item.nodeid]
        found |= {"seconds": time.process_time() - started, "fired": sorted(self.current | self.on_import)}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed or report.skipped:
            self.tests[report.nodeid]["passed"] = False


def record_file(file: str) -> dict[str, dict[str, Any]]:
    """Runs the tests of a file with the kernel recording; to be called in a process of its own."""
    recorder = Recorder()
    hook.record(recorder.note)
    pytest.main([*OPTIONS, str(ROOT / file)], plugins=[recorder])
    return recorder.tests


@dataclass(eq=False)
class Selection:
    """A pytest plugin: runs chosen tests in a given order."""

    chosen: Sequence[str]

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        place = {name: position for position, name in enumerate(self.chosen)}
        items[:] = sorted((item for item in items if item.nodeid in place), key=lambda item: place[item.nodeid])


@dataclass(eq=False)
class Passing(Selection):
    """Remembers the tests that pass."""

    passed: set[str] = field(default_factory=set)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and report.passed:
            self.passed.add(report.nodeid)


@dataclass(eq=False)
class Killers(Selection):
    """Remembers the first test that fails."""

    failed: str = ""

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed and not self.failed:
            self.failed = f"import of {report.nodeid}"

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and not self.failed:
            self.failed = report.nodeid


def passing(chosen: Sequence[str]) -> list[str]:
    """Those of the tests that are there and pass as things are."""
    found = Passing(chosen)
    files = dict.fromkeys(str(ROOT / _file(name)) for name in chosen if (ROOT / _file(name)).is_file())
    if files:
        pytest.main([*OPTIONS, *files], plugins=[found])
    return sorted(found.passed)


def first_failure(chosen: Sequence[str]) -> str:
    """Runs tests by their ids until one fails, and gives its id; empty if none does.

    Those of the first files go first and by themselves: to collect all files takes longer than most mutants live.
    """
    files = list(dict.fromkeys(_file(name) for name in chosen))
    for some in (files[:FIRST], files[FIRST:]):
        failed = _first_failure([name for name in chosen if _file(name) in some], some) if some else ""
        if failed:
            return failed
    return ""


def _file(test: str) -> str:
    return test.partition("::")[0]


def _first_failure(chosen: Sequence[str], files: Sequence[str]) -> str:
    killers = Killers(chosen)
    status = pytest.main([*OPTIONS, "-x", *(str(ROOT / file) for file in files)], plugins=[killers])
    if not killers.failed and status != pytest.ExitCode.OK:
        raise RuntimeError(f"pytest ended with {status!r}, but no test failed")
    return killers.failed
