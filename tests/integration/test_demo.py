"""The demonstration as a user runs it, in a process and a directory of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import demo.options
import demo.sections
import demo.tour
import usl_avx512
from bench.sgemm import matrices
from demo.__main__ import main
from demo.schedules import blur_plan, sgemm_plan
from demo.screen import Screen, clip, function_text
from demo.sections import SECTIONS, Section, tour_section
from demo.tour import Outcome
from usl_avx512 import has_avx512
from usl_core.procedure import proc_from_source

pytest.importorskip("skimage")
ROOT = Path(__file__).resolve().parents[2]


def run_demo(directory: Path, *options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "demo", *options],
        cwd=directory,
        env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "120", "USL_CACHE_DIR": str(directory / "cache"), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


SECTIONS_DONE = "; ".join(rf"{each} \d+ steps" for each in ("two-stage blur", "Halide's blur", "histogram", "argmax"))
SECTIONS_DONE += r"; options [\d.]+ times as fast"


def percent_of_peak(output: str, name: str) -> float:
    found = re.search(rf"{re.escape(name)}\D*[\d.]+\D+([\d.]+) %", output)
    assert found is not None, output
    return float(found[1])


@pytest.mark.parametrize("portable", [False, True], ids=["best", "portable"])
def test_the_demo_passes_and_says_so_in_its_last_line(portable: bool, tmp_path: Path) -> None:
    done = run_demo(tmp_path, "--quick", *(["--portable"] if portable else []))
    assert done.returncode == 0, done.stdout + done.stderr
    last = done.stdout.rstrip().splitlines()[-1]
    assert re.fullmatch(rf"demo passed in \d+ s: SGEMM .* of the FMA peak; blur .* at 8K, .*; {SECTIONS_DONE}", last), last
    assert ("portable schedules" in done.stdout) is (portable or not has_avx512())
    for part in ("for k in seq(0, K):", "the schedule", "the scheduled procedure", "its C", "every pixel is SciPy's"):
        assert part in done.stdout, part
    for name in ("unscheduled C, -O3", "scheduled C", "NumPy BLAS, one thread"):
        assert 0 < percent_of_peak(done.stdout, name) <= 100
    assert (tmp_path / "out" / "retina.jpg").exists() and (tmp_path / "out" / "retina_blurred.png").exists()
    assert len(re.findall(r"\d+ steps, every step proved: \d+ obligations", done.stdout)) == len(SECTIONS)
    for section in SECTIONS:
        assert str(section.plain).strip() in done.stdout
        assert f"the result is that of {section.expected}" in done.stdout
    if not portable:
        check_written(tmp_path / "out")


def check_written(out: Path) -> None:
    """What the demo left in its directory: a picture that is SciPy's, and C that compiles."""
    image, ndimage = pytest.importorskip("PIL.Image"), pytest.importorskip("scipy.ndimage")
    from bench.pictures import read_grey

    with image.open(out / "retina_blurred.png") as picture:
        blurred = np.asarray(picture)
    sums = ndimage.correlate(read_grey(out / "retina.jpg").astype(np.uint32), np.ones((3, 3), np.uint32), mode="nearest")
    np.testing.assert_array_equal(blurred, sums // 9)
    for file in out.glob("*.c"):
        features = ["-mavx512f", "-mavx512bw", "-mavx512vl"] if "avx512" in file.name else []
        assert subprocess.run(["cc", "-std=c11", "-fsyntax-only", *features, str(file)], check=False).returncode == 0


def test_a_missing_compiler_is_one_message_and_status_1(tmp_path: Path) -> None:
    done = run_demo(tmp_path, "--quick", CC="/no/such/compiler")
    assert done.returncode == 1
    assert "demo failed:" in done.stdout and "/no/such/compiler" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr


def test_a_failed_check_is_shown_and_makes_the_status_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(demo.tour, "tour_sgemm", lambda screen, portable: Outcome("a", ("scheduled C is above the peak",)))
    monkeypatch.setattr(demo.tour, "tour_blur", lambda screen, portable: Outcome("b"))
    monkeypatch.setattr(demo.sections, "SECTIONS", ())
    monkeypatch.setattr(demo.options, "tour_options", lambda screen: Outcome("c"))
    assert main(["--quick"]) == 1
    lines = capsys.readouterr().out.strip().splitlines()
    assert lines[-2:] == ["problem: scheduled C is above the peak", "demo failed in 0 s: a; b; c"]


def test_a_processor_without_avx512_gets_the_portable_schedules_and_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    chosen: list[bool] = []

    def tour(screen: Screen, *, portable: bool) -> Outcome:
        chosen.append(portable)
        return Outcome("fine")

    monkeypatch.setattr(usl_avx512, "has_avx512", lambda: False)
    monkeypatch.setattr(demo.tour, "tour_sgemm", tour)
    monkeypatch.setattr(demo.tour, "tour_blur", tour)
    monkeypatch.setattr(demo.sections, "SECTIONS", ())
    assert main([]) == 0
    assert chosen == [True, True]
    assert "This processor has no AVX-512" in capsys.readouterr().out


def section_named(name: str) -> Section:
    return next(section for section in SECTIONS if section.name == name)


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [("two-stage blur", "/ 9", "/ 8"), ("histogram", "bins)] += 1", "bins)] += 2"), ("argmax", "x[i] > top", "x[i] < top")],
)
def test_a_section_whose_result_is_not_the_references_has_a_problem(
    name: str, right: str, wrong: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("scipy")
    monkeypatch.chdir(tmp_path)
    section = section_named(name)
    assert right in str(section.plain)
    mistaken = replace(section, plain=proc_from_source(str(section.plain).replace(right, wrong)))
    (problem,) = tour_section(Screen(quick=True), mistaken).problems
    assert re.fullmatch(rf"{name}: [1-9]\d* values differ from {section.expected}", problem)


def test_a_section_with_a_step_that_narrows_the_inputs_has_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    section = replace(section_named("histogram"), schedule=lambda p: p.add_assertion("bins >= 2"))
    (problem,) = tour_section(Screen(quick=True), section).problems
    assert problem == "histogram: every step proved, up to: add_assertion (narrower)"


@pytest.mark.parametrize("shape", [(1, 1, 1), (5, 70, 3), (9, 64, 8)])
def test_the_portable_product_is_right_for_sizes_that_fill_no_tile(shape: tuple[int, int, int]) -> None:
    plan = sgemm_plan(portable=True)
    m, n, k = shape
    a, b, c = (np.rint(x) for x in matrices(m, n, k))
    want = c + a @ b
    plan.schedule(plan.plain).jit()(m, n, k, a, b, c)
    np.testing.assert_array_equal(c, want)


def test_the_portable_schedules_use_no_instructions() -> None:
    for plan in (sgemm_plan(portable=True), blur_plan(portable=True)):
        code = plan.schedule(plan.plain).c_code()
        assert "_mm" not in code and "immintrin" not in code


def test_long_listings_are_cut_in_the_middle() -> None:
    assert clip([str(i) for i in range(10)], 6) == ["0", "1", "2", "3", "    ... 5 more lines ...", "9"]
    assert clip(["a", "b"], 6) == ["a", "b"]


def test_one_function_is_shown_of_a_file_of_c() -> None:
    code = (
        "int g(void);\n\nstatic int f_body(\n    int x)\n{\n    return g();\n}\n\nint f(int x)\n{\n    return f_body(x);\n}\n"
    )
    assert function_text(code, "f_body") == "static int f_body(\n    int x)\n{\n    return g();\n}"
    assert function_text(code, "h") == ""
