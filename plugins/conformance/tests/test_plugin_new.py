"""`usl plugin new`: the package that it writes works, and what it refuses leaves nothing behind."""

from __future__ import annotations

import json
import tomllib

import pytest

FILES = {
    "README.md",
    "pyproject.toml",
    "tests/test_conformance.py",
    "tests/test_schedules.py",
    "usl_my_accel/__init__.py",
    "usl_my_accel/config.py",
    "usl_my_accel/kernels.py",
    "usl_my_accel/memories.py",
    "usl_my_accel/plugin.py",
    "usl_my_accel/py.typed",
    "usl_my_accel/schedules.py",
}


def files_below(folder):
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc"}


@pytest.fixture
def package(site, work):
    """A package my_accel, written and made importable as if pip had installed it."""
    done = site.usl("plugin", "new", "my_accel", cwd=work)
    assert done.returncode == 0, done.stderr
    folder = work / "my_accel"
    project = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    entries = "".join(f"{name} = {value}\n" for name, value in project["entry-points"]["usl"].items())
    site.metadata(project["name"], project["version"], f"[usl]\n{entries}")
    (site.folder / "usl_my_accel").symlink_to(folder / "usl_my_accel")
    return folder


def test_a_complete_package_is_written(package):
    assert files_below(package) == FILES
    for path in FILES:
        assert "$" not in (package / path).read_text(), path


def test_the_plugin_loads_without_problems(site, package):
    (listed,) = json.loads(site.usl("--plugins", "my_accel", "plugins", "--json").stdout)
    assert listed["problems"] == []
    assert listed["provides"] == {
        "configs": ["Load"],
        "instructions": ["config_load", "load", "madd", "store"],
        "memories": ["MY_ACCEL_REGS"],
        "schedules": ["vectorize"],
    }


def test_its_own_tests_and_its_conformance_test_pass(site, package, tmp_path):
    cache = {"USL_CACHE_DIR": str(tmp_path / "cache")}
    done = site.pytest("-q", str(package), cwd=package, **cache)
    assert done.returncode == 0, done.stdout
    assert "14 passed" in done.stdout
    checked = site.usl("plugin", "check", "my_accel", **cache)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert checked.stdout.startswith("my_accel: 6 passed (")


def test_the_folder_can_be_chosen(site, work):
    assert site.usl("plugin", "new", "tpu", "--dir", "deep/down", cwd=work).returncode == 0
    assert (work / "deep" / "down" / "usl_tpu" / "plugin.py").exists()
    assert sorted(path.name for path in (work / "deep").iterdir()) == ["down"], "the temporary folder is gone"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("my-accel", "'my-accel' is not an identifier"),
        ("1st", "'1st' is not an identifier"),
        ("größe", "'größe' is not an identifier of ASCII letters"),
        ("", "'' is not an identifier"),
        ("lambda", "'lambda' is a keyword of Python"),
        ("struct", "'struct' is a keyword of C"),
        ("_hidden", "begins with an underscore"),
        ("stdlib", "a plugin called 'stdlib' is installed already"),
        ("core", "a Python package usl_core exists already"),
    ],
)
def test_a_name_that_cannot_be_used_is_one_message(site, work, name, reason):
    done = site.usl("--json-errors", "plugin", "new", name, cwd=work)
    assert done.returncode == 1
    error = json.loads(done.stderr)
    assert error["code"] == "E820"
    assert reason in error["message"]
    assert list(work.iterdir()) == []


def test_nothing_is_overwritten(site, work):
    (work / "my_accel").mkdir()
    (work / "my_accel" / "mine.txt").write_text("mine")
    done = site.usl("--json-errors", "plugin", "new", "my_accel", cwd=work)
    assert done.returncode == 1
    assert json.loads(done.stderr)["code"] == "E821"
    assert files_below(work) == {"my_accel/mine.txt"}


def test_a_folder_that_cannot_be_written_is_one_message(site, work):
    (work / "file").write_text("")
    done = site.usl("plugin", "new", "my_accel", "--dir", "file/below", cwd=work)
    assert done.returncode == 1
    assert done.stderr.startswith("cannot write file/below: ")
    assert "Traceback" not in done.stderr


def test_a_failure_halfway_leaves_nothing(tmp_path, monkeypatch):
    from pathlib import Path

    from usl_conformance.new_command import write_package
    from usl_core.errors import PluginError

    written = []
    original = Path.write_text

    def write_three(self, *args, **options):
        written.append(self)
        if len(written) > 3:
            raise OSError(28, "No space left on device")
        return original(self, *args, **options)

    monkeypatch.setattr(Path, "write_text", write_three)
    with pytest.raises(PluginError, match="No space left on device"):
        write_package("my_accel", tmp_path / "new")
    assert list(tmp_path.iterdir()) == []


def installed(site, folder, name):
    """Makes a package that was written importable as if pip had installed it."""
    project = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    entries = "".join(f"{entry} = {value}\n" for entry, value in project["entry-points"]["usl"].items())
    site.metadata(project["name"], project["version"], f"[usl]\n{entries}")
    (site.folder / f"usl_{name}").symlink_to(folder / f"usl_{name}")


@pytest.mark.parametrize(
    ("kind", "tests", "checked", "provides"),
    [
        ("cpu", 14, "my_unit: 8 passed (", {"instructions", "memories", "schedules"}),
        ("schedules", 5, "my_unit: 1 passed", {"schedules"}),
    ],
)
def test_packages_of_other_kinds_pass_their_tests_and_their_conformance_test(
    kind, tests, checked, provides, site, work, tmp_path
):
    done = site.usl("plugin", "new", "my_unit", "--kind", kind, cwd=work)
    assert done.returncode == 0, done.stderr
    folder = work / "my_unit"
    installed(site, folder, "my_unit")
    assert all("$" not in path.read_text() for path in folder.rglob("*") if path.is_file())
    cache = {"USL_CACHE_DIR": str(tmp_path / "cache")}
    ran = site.pytest("-q", str(folder), cwd=folder, **cache)
    assert ran.returncode == 0, ran.stdout
    assert f"{tests} passed" in ran.stdout
    report = site.usl("plugin", "check", "my_unit", **cache)
    assert report.returncode == 0, report.stdout + report.stderr
    assert report.stdout.startswith(checked), report.stdout
    (listed,) = json.loads(site.usl("--plugins", "my_unit", "plugins", "--json").stdout)
    assert (set(listed["provides"]), listed["problems"]) == (provides, [])


def test_a_package_with_a_backend_passes_its_tests_and_its_conformance_test(site, work, tmp_path):
    pytest.importorskip("llvmlite")
    assert site.usl("plugin", "new", "my_unit", "--kind", "backend", cwd=work).returncode == 0
    folder = work / "my_unit"
    installed(site, folder, "my_unit")
    assert all("$" not in path.read_text() for path in folder.rglob("*") if path.is_file())
    (listed,) = json.loads(site.usl("--plugins", "my_unit", "plugins", "--selfcheck", "--json").stdout)
    assert (listed["provides"], listed["problems"]) == ({"backends": ["my_unit"]}, [])
    cache = {"USL_CACHE_DIR": str(tmp_path / "cache")}
    ran = site.pytest("-q", "-k", "test_backend or calls or i32", str(folder), cwd=folder, **cache)
    assert ran.returncode == 0, ran.stdout
    assert "6 passed" in ran.stdout, ran.stdout
    report = site.usl("plugin", "check", "my_unit", **cache)
    assert report.returncode == 0, report.stdout + report.stderr
    assert report.stdout.splitlines()[-1].startswith("my_unit: 55 passed, 10 skipped ("), report.stdout
    assert "skipped: 1 construct: refused: my_unit has no configuration\n  my_unit.configuration" in report.stdout


def test_usl_compile_writes_what_the_backend_of_a_plugin_makes(site, work):
    assert site.usl("plugin", "new", "my_unit", "--kind", "backend", cwd=work).returncode == 0
    installed(site, work / "my_unit", "my_unit")
    (work / "sums.py").write_text(
        "from __future__ import annotations\nfrom usl_core import proc\n\n@proc\ndef total(n: size, x: f32[n], s: f32):\n"
        "    for i in seq(0, n):\n        s += x[i]\n"
    )
    done = site.usl("compile", "--backend", "my_unit", "-o", "out", "sums.py", cwd=work)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["out/sums.d", "out/sums.ll"]
    assert "define i32 @total(" in (work / "out" / "sums.ll").read_text()


def test_an_unknown_kind_is_refused(site, work):
    assert "'accelerator', 'cpu', 'schedules', 'backend'" in site.usl("plugin", "new", "x", "--kind", "gpu", cwd=work).stderr
