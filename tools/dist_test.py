"""Builds every distribution of this repository, installs the wheels into a clean environment elsewhere, and tries them.

Each sdist is built first and its wheel from it, so that an sdist is known to be complete. Our own wheels are installed with
`--no-index`; only what they depend on comes from the package index.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import venv
import zipfile
from collections.abc import Iterable, Mapping
from email.parser import HeaderParser
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SMOKE = ROOT / "tools" / "kernels_smoke.py"


def main() -> None:
    projects = [ROOT, *sorted(path.parent for path in ROOT.glob("plugins/*/pyproject.toml"))]
    with tempfile.TemporaryDirectory(prefix="usl-dist-test-") as folder:
        work = Path(folder)
        say(f"dist-test [1/5]: build {len(projects)} sdists, and a wheel from each")
        build_python = new_environment(work / "build-env", ["build", *build_requirements(projects)])
        for project in projects:
            build(build_python, project, work / "dist")
        say("dist-test [2/5]: look into them")
        check_contents(work / "dist", projects)
        say("dist-test [3/5]: install the wheels into a clean environment")
        python = install(work)
        say("dist-test [4/5]: smoke test")
        smoke_test(python, work, [project_name(project) for project in projects[1:]])
        say("dist-test [5/5]: a new plugin")
        new_plugin_test(python, build_python, work)
    say(f"dist-test: passed, {len(projects)} distributions build, install and run")


def say(text: str) -> None:
    print(text, flush=True)


def run(*command: str | Path, cwd: Path) -> str:
    """The command's output; on failure the whole of it, and the end of this script."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("USL_", "PYTHON"))}
    done = subprocess.run(command, cwd=cwd, env=clean, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        sys.exit(f"{done.stdout}\ndist-test: FAILED: {' '.join(map(str, command))}")
    return done.stdout


def metadata(project: Path) -> Mapping[str, object]:
    content: Mapping[str, object] = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))
    return content


def project_name(project: Path) -> str:
    table = metadata(project)["project"]
    assert isinstance(table, dict)
    return str(table["name"])


def build_requirements(projects: Iterable[Path]) -> list[str]:
    """What the projects' build backends need. One environment serves all builds, which saves making six."""
    needed: set[str] = set()
    for project in projects:
        table = metadata(project)["build-system"]
        assert isinstance(table, dict)
        needed.update(table["requires"])
    return sorted(needed)


def new_environment(folder: Path, packages: Iterable[str]) -> Path:
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    if listed := list(packages):
        run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *listed, cwd=folder)
    return python


def build(python: Path, project: Path, output: Path) -> None:
    """The sdist of project, and the wheel of that sdist. `build` checks that the requirements are there."""
    run(python, "-m", "build", "--no-isolation", "--outdir", output, project, cwd=output.parent)


def check_contents(dist: Path, projects: Iterable[Path]) -> None:
    for project in projects:
        stem = project_name(project).replace("-", "_")
        (wheel,) = dist.glob(f"{stem}-*.whl")
        (sdist,) = dist.glob(f"{stem}-*.tar.gz")
        packed = zipfile.ZipFile(wheel).namelist()
        require(f"{stem}/py.typed" in packed, f"{wheel.name} lacks py.typed")
        foreign = [name for name in packed if not name.startswith((f"{stem}/", f"{stem}-"))]
        require(not foreign, f"{wheel.name} installs files outside {stem}: {foreign[:5]}")
        require(modules_below(project / stem) <= set(packed), f"{wheel.name} lacks modules or data")
        with tarfile.open(sdist) as archive:
            source = [name.partition("/")[2] for name in archive.getnames()]
        require(not any(name.startswith("plugins/") for name in source), f"{sdist.name} packs plugins/")


def modules_below(package: Path) -> set[str]:
    """Modules, and what else they need at run time: templates of files, C."""
    found = [path for pattern in ("*.py", "*.tmpl", "*.h", "*.c") for path in package.rglob(pattern)]
    return {path.relative_to(package.parent).as_posix() for path in found}


def require(holds: bool, message: str) -> None:
    if not holds:
        sys.exit(f"dist-test: FAILED: {message}")


def install(work: Path) -> Path:
    wheels = sorted((work / "dist").glob("*.whl"))
    own = [wheel.name.split("-")[0].replace("_", "-") for wheel in wheels]
    foreign = sorted({need for wheel in wheels for need in requirements(wheel) if not need.startswith("usl-")})
    python = new_environment(work / "clean", foreign)
    quiet = ("--quiet", "--disable-pip-version-check")
    run(python, "-m", "pip", "install", *quiet, "--no-index", "--find-links", work / "dist", *own, cwd=work)
    run(python, "-m", "pip", "check", *quiet[1:], cwd=work)
    return python


def requirements(wheel: Path) -> list[str]:
    """What a wheel needs at run time; extras are left out."""
    with zipfile.ZipFile(wheel) as archive:
        name = next(name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        headers = HeaderParser().parsestr(archive.read(name).decode())
    return [need for need in headers.get_all("Requires-Dist", []) if "extra ==" not in need]


def smoke_test(python: Path, work: Path, plugins: Iterable[str]) -> None:
    folder = work / "smoke"
    folder.mkdir()
    kernels = folder / SMOKE.name
    kernels.write_text(SMOKE.read_text(encoding="utf-8"), encoding="utf-8")
    usl = python.parent / "usl"
    version = run(usl, "--version", cwd=folder).strip()
    listed = {each["dist"]: each for each in json.loads(run(usl, "plugins", "--json", cwd=folder))}
    for name in plugins:
        require(name in listed, f"{name} is installed, but `usl plugins` does not list it")
        require(not listed[name]["problems"], f"{name} has problems: {listed[name]['problems']}")
    run(usl, "compile", kernels.name, "-o", "out", cwd=folder)
    for suffix in (".c", ".h", ".d"):
        require((folder / "out" / kernels.stem).with_suffix(suffix).stat().st_size > 0, f"no {kernels.stem}{suffix}")
    run(python, kernels.name, cwd=folder)
    say(f"  {version}; plugins without problems: {', '.join(plugins)}; compile and jit work")


NEW = "my_accel"


def new_plugin_test(python: Path, build_python: Path, work: Path) -> None:
    """`usl plugin new`, installed as a wheel from no index; its own tests and its conformance test pass."""
    usl = python.parent / "usl"
    folder = work / "new"
    folder.mkdir()
    run(usl, "plugin", "new", NEW, cwd=folder)
    run(build_python, "-m", "build", "--no-isolation", "--wheel", "--outdir", work / "dist", folder / NEW, cwd=folder)
    (wheel,) = (work / "dist").glob(f"usl_{NEW}-*.whl")
    require(f"usl_{NEW}/py.typed" in zipfile.ZipFile(wheel).namelist(), f"{wheel.name} lacks py.typed")
    quiet = ("--quiet", "--disable-pip-version-check")
    run(python, "-m", "pip", "install", *quiet, "pytest", cwd=folder)
    run(python, "-m", "pip", "install", *quiet, "--no-index", "--find-links", work / "dist", f"usl-{NEW}[test]", cwd=folder)
    run(python, "-m", "pip", "check", "--disable-pip-version-check", cwd=folder)
    tests = work / "new-tests"  # away from the source, so that the installed package is what is tested
    (folder / NEW / "tests").rename(tests)
    tested = run(python, "-m", "pytest", "-q", tests, cwd=work)
    by_option = run(python, "-m", "pytest", "-q", "--usl-plugin", NEW, "-k", "instruction", tests, cwd=work)
    checked = run(usl, "plugin", "check", NEW, cwd=work).strip()
    require("passed" in by_option, f"pytest --usl-plugin {NEW} ran nothing")
    say(f"  its tests: {tested.strip().splitlines()[-1].strip('= ')}; usl plugin check: {checked}")


if __name__ == "__main__":
    main()
