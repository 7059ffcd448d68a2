"""Folders that look to Python like installed packages with plugins in them. Nothing is downloaded or built."""

from __future__ import annotations

import importlib.metadata
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "tests" / "example_plugin"
EXAMPLE_SCHEDULES = ROOT / "tests" / "example_schedules"

HEADER = "from usl_core.plugins.hookspecs import hookimpl\nUSL_API = 1\n"


FAKE_BACKEND = """
class Backend:
    name = "fake"
    def emit(self, procs, name, *, entry_checks=True):
        listed = " ".join(each.name for each in procs)
        return {f"{name}.c": f"/* {listed}; checks: {entry_checks} */\\n", f"{name}.h": "#pragma once\\n"}
    def build(self, procs, name, directory):
        return directory
    def jit(self, procedure):
        return print
class Careless(Backend):
    def emit(self, procs, name, *, entry_checks=True):
        return {"../outside.c": ""}
class Buggy(Backend):
    def emit(self, procs, name, *, entry_checks=True):
        return {}["missing"]
@hookimpl
def usl_backends():
    return {"fake": Backend(), "careless": Careless(), "buggy": Buggy()}
"""
"""A plugin's backend `fake`, which writes the procedures' names instead of C."""


@dataclass(frozen=True, slots=True)
class Site:
    """A folder for sys.path."""

    folder: Path

    def add(self, name: str, source: str, *, dist: str = "", version: str = "1.0", header: str = HEADER) -> Path:
        """Installs a plugin whose module holds the common header and source; returns the module's file."""
        dist = dist or f"usl-{name}"
        module = "plugin_of_" + dist.replace("-", "_")
        self.metadata(dist, version, f"[usl]\n{name} = {module}\n")
        file = self.folder / f"{module}.py"
        file.write_text(header + dedent(source))
        return file

    def metadata(self, dist: str, version: str, entry_points: str) -> Path:
        """The dist-info folder that makes a distribution."""
        folder = self.folder / f"{dist.replace('-', '_')}-{version}.dist-info"
        folder.mkdir(parents=True)
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {dist}\nVersion: {version}\n")
        (folder / "entry_points.txt").write_text(entry_points)
        return folder

    def add_example(self) -> None:
        """Installs tests/example_plugin."""
        self.add_project(EXAMPLE)

    def add_project(self, source: Path) -> None:
        """Installs a distribution with one package as its pyproject.toml says."""
        project = tomllib.loads((source / "pyproject.toml").read_text())["project"]
        entries = "".join(f"{name} = {value}\n" for name, value in project["entry-points"]["usl"].items())
        self.metadata(project["name"], project["version"], f"[usl]\n{entries}")
        package = project["name"].replace("-", "_")
        shutil.copytree(source / package, self.folder / package, ignore=shutil.ignore_patterns("__pycache__"))

    def run(self, *command: str, cwd: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
        """Runs `python command...` with this folder installed."""
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("USL_")}
        path = os.pathsep.join([str(self.folder), str(ROOT)])
        return subprocess.run(
            [sys.executable, *command],
            capture_output=True,
            text=True,
            cwd=cwd or self.folder,
            env={**inherited, "PYTHONPATH": path, **environment},
            check=False,
        )

    def pytest(self, *arguments: str, cwd: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
        """Runs pytest with this folder installed, and our plugin of pytest loaded."""
        # Named where the metadata of an older editable install does not; naming it twice is an error.
        installed = bool(importlib.metadata.entry_points(group="pytest11", name="usl"))
        load = () if installed else ("-p", "usl_conformance.pytest_plugin")
        return self.run("-m", "pytest", "-p", "no:cacheprovider", *load, *arguments, cwd=cwd, **environment)

    def usl(self, *arguments: str, cwd: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
        """Runs the `usl` command with this folder installed."""
        return self.run("-m", "usl_core.cli", *arguments, cwd=cwd, **environment)


@contextmanager
def on_the_path(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """An empty site on sys.path; what is imported from it is forgotten afterwards."""
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    before = set(sys.modules)
    yield Site(folder)
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(folder)):
            del sys.modules[name]
