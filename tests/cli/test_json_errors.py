"""`usl --json-errors`: an error as one line of JSON."""

from __future__ import annotations

import json

BAD = """\
from __future__ import annotations

from usl_core import proc

@proc
def bad(n: size, x: f32[n]):
    x[n] = 1.0
"""


def test_a_mistake_in_a_program_is_one_line_of_json_with_place_and_values(site, work):
    (work / "bad.py").write_text(BAD)
    done = site.usl("--json-errors", "compile", "bad.py", "--backend", "fake", cwd=work)
    assert done.returncode == 1
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    found = json.loads(line)
    assert found["code"] == "E305"
    assert found["file"].endswith("bad.py")
    assert (found["line"], found["column"], found["end_line"], found["end_column"]) == (7, 7, 7, 8)
    assert found["counterexample"].keys() == {"n"}
    assert found["notes"][0] == f"counter-example: n = {found['counterexample']['n']}"


def test_without_the_option_the_same_error_is_text(site, work):
    (work / "bad.py").write_text(BAD)
    done = site.usl("compile", "bad.py", "--backend", "fake", cwd=work)
    assert done.returncode == 1
    assert "counter-example: n = " in done.stderr
    assert not done.stderr.startswith("{")


def test_a_file_that_cannot_be_read_has_no_place(site, work):
    done = site.usl("--json-errors", "compile", "missing.py", cwd=work)
    found = json.loads(done.stderr)
    assert done.returncode == 1
    assert found["code"] == "E000"
    assert found["file"] is None
    assert "missing.py" in found["message"]


def test_a_bug_is_reported_with_its_own_code(site, work):
    (work / "good.py").write_text(BAD.replace("x[n]", "x[n - 1]"))
    done = site.usl("--json-errors", "compile", "good.py", "--backend", "buggy", cwd=work)
    found = json.loads(done.stderr)
    assert done.returncode == 1
    assert found["code"] in ("E001", "E800")
    assert "KeyError" in found["message"]


def test_a_missing_future_import_is_explained(site, work):
    (work / "old.py").write_text(BAD.replace("from __future__ import annotations\n", ""))
    done = site.usl("compile", "old.py", "--backend", "fake", cwd=work)
    assert done.returncode == 1
    assert "name 'size' is not defined" in done.stderr
    assert "hint: begin the file with `from __future__ import annotations`" in done.stderr
