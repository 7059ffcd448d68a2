"""`python tools/blas_testers.py`: LAPACK's own testers of CBLAS, run with our library (`usl_avx512.kernels.cblas`) in the
place of theirs.

The testers are those of Debian's packages libblas-test and libgfortran5, which apt downloads (nothing is installed), or what
already lies in `--testers`: a folder with xscblat1, xscblat2, xscblat3, the same for double precision, and their inputs sin2,
... A run is right when a tester says so in its own words. Exit status 1 if one does not, 77 if there are no testers.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from subprocess import run

from usl_core import probe

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("libblas-test", "libgfortran5", "libquadmath0")
SKIPPED = 77


def downloaded(folder: Path) -> Path | None:
    """The folder of the testers, from Debian's packages; None where apt or dpkg is missing or refuses."""
    found = next(iter(folder.glob("usr/lib/*/blas")), None)
    if found is not None:
        return found
    if probe.program("apt-get") is None or probe.program("dpkg") is None:
        return None
    folder.mkdir(parents=True, exist_ok=True)
    for package in PACKAGES:
        run(["apt-get", "download", package], cwd=folder, capture_output=True, check=False)
    for file in folder.glob("*.deb"):
        run(["dpkg", "-x", str(file), str(folder)], capture_output=True, check=False)
    return next(iter(folder.glob("usr/lib/*/blas")), None)


def undefined(testers: Sequence[Path], library: Path) -> list[str]:
    """The routines that testers name and the library has not: the loader wants all of them, though most are never called."""
    listed = run(["nm", "-D", "--undefined-only", *map(str, testers)], capture_output=True, text=True, check=True).stdout
    ours = run(["nm", "-D", "--defined-only", str(library)], capture_output=True, text=True, check=True).stdout.split()
    return sorted(set(re.findall(r" U ((?:cblas_\w+)|(?:\w+_))$", listed, flags=re.MULTILINE)) - set(ours))


def output_of(tester: Path, level: int, environment: dict[str, str]) -> str:
    """What a tester prints."""
    letter = tester.name[1]
    given = ""
    if level > 1:
        given = (tester.parent / f"{letter}in{level}").read_text(encoding="ascii")
    with tempfile.TemporaryDirectory() as folder:
        done = run(
            [str(tester)], input=given, capture_output=True, text=True, check=False, env=environment, cwd=folder, timeout=600
        )
    return f"{done.stdout}{done.stderr}" + (f"\nended with status {done.returncode}\n" if done.returncode else "")


def is_right(output: str, level: int) -> bool:
    """Whether a tester says that all is as it should be."""
    wrong = re.search(r"FAIL|\*\*\*\*\*|ended with status|FATAL|SUSPECT", output)
    return wrong is None and ("END OF TESTS" in output if level > 1 else "PASS" in output)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser("blas_testers", description="LAPACK's testers of CBLAS with our library.")
    parser.add_argument("--testers", type=Path, help="the folder with xscblat3 and the others")
    parser.add_argument("--library", type=Path, help="libusl_cblas.so, if it is built already")
    chosen = parser.parse_args(arguments)
    testers = chosen.testers or downloaded(ROOT / ".cache" / "blas-testers")
    if testers is None or not (testers / "xscblat3").exists():
        print("skipped: LAPACK's testers are not here, and apt does not give them (Debian: libblas-test)")
        return SKIPPED
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if chosen.library is None:
            from usl_avx512.kernels.cblas import build

            library = build(folder / "library")
        else:
            library = chosen.library.resolve()
        (folder / "libblas.so.3").symlink_to(library)
        levels = {level: [testers / f"x{letter}cblat{level}" for letter in "sd"] for level in (1, 2, 3)}
        stubs = undefined([each for level in levels.values() for each in level], library)
        source = folder / "stubs.c"
        source.write_text("#include <stdlib.h>\n" + "".join(f"void {stub}(void) {{ abort(); }}\n" for stub in stubs))
        run([os.environ.get("CC", "cc"), "-shared", "-fPIC", str(source), "-o", str(folder / "stubs.so")], check=True)
        places = [folder, testers.parent]
        environment = os.environ | {"LD_LIBRARY_PATH": ":".join(map(str, places)), "LD_PRELOAD": str(folder / "stubs.so")}
        for level, programs in levels.items():
            for tester in programs:
                output = output_of(tester, level, environment)
                print("\n".join(line for line in output.splitlines() if "PASS" in line or not is_right(output, level)))
                print(f"{tester.name}: {'right' if is_right(output, level) else 'WRONG'}", flush=True)
                failed += not is_right(output, level)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
