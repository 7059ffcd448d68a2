"""What the packages of this repository agree on."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PROJECTS = [ROOT, *sorted(path.parent for path in ROOT.glob("plugins/*/pyproject.toml"))]
PLUGINS = PROJECTS[1:]


def content(project):
    return tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))


def test_mypy_leaves_out_exactly_the_modules_in_the_object_language():
    listed = set()
    for override in content(ROOT)["tool"]["mypy"]["overrides"]:
        if override.get("ignore_errors"):
            listed.update(override["module"])
    packages = [ROOT / "usl_core", *(plugin / f"usl_{plugin.name}" for plugin in PLUGINS)]
    files = [path for package in packages for path in package.rglob("kernels_*.py")]
    names = {".".join(path.relative_to(_base(path, packages)).with_suffix("").parts) for path in files}
    assert listed == {"*.kernels", "usl_perceus.std.*", *names}


def _base(path, packages):
    return next(package.parent for package in packages if path.is_relative_to(package))


@pytest.mark.parametrize("plugin", PLUGINS, ids=lambda plugin: plugin.name)
def test_a_plugin_is_a_distribution_of_its_own(plugin):
    project = content(plugin)["project"]
    package = f"usl_{plugin.name}"
    assert project["name"] == f"usl-{plugin.name.replace('_', '-')}"
    assert project["entry-points"]["usl"] == {plugin.name: f"{package}.plugin"}
    assert any(need.startswith("usl-core>=0.1.dev") for need in project["dependencies"]), "must accept development versions"
    assert (plugin / package / "py.typed").exists()
    assert any((plugin / "tests").rglob("test_*.py"))


@pytest.mark.parametrize("project", PROJECTS, ids=lambda project: project.name)
def test_versions_come_from_the_repository_and_have_a_fallback(project):
    tables = content(project)
    assert tables["project"]["dynamic"] == ["version"]
    scm = tables["tool"]["setuptools_scm"]
    assert scm["fallback_version"].startswith("0.")
    assert (project / scm.get("root", ".")).resolve() == ROOT


def test_every_error_code_is_documented_and_no_other():
    used = set()
    for project in PROJECTS:
        for path in project.glob("usl_*/**/*.py"):
            used.update(re.findall(r"\"(E\d{3})\"", path.read_text(encoding="utf-8")))
    documented = set(re.findall(r"^\| `(E\d+)` ", (ROOT / "docs" / "errors.md").read_text(encoding="utf-8"), re.MULTILINE))
    assert documented == used


def test_links_between_the_documents_lead_somewhere():
    broken = []
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            if not (page.parent / target).exists():
                broken.append(f"{page.relative_to(ROOT)}: {target}")
    assert not broken, "\n".join(broken)
