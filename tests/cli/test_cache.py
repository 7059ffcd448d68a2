"""`usl cache`, and that `usl verify` trusts nothing in it."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tests.analysis.test_proof_store import change, filled, find_all, processes, questions
from usl_core.analysis import proof_store, solver

ROOT = Path(__file__).resolve().parents[2]
COUNT = len(questions())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "proofs"


def usl(folder: Path | str, *arguments: object) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path]), proof_store.SWITCH: str(folder)}
    command = [sys.executable, "-m", "usl_core.cli", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


def info(folder: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads(usl(folder, "cache", "info", "--json").stdout)
    return found


def test_path_prints_the_folder_and_makes_nothing(folder: Path) -> None:
    assert usl(folder, "cache", "path").stdout == f"{folder}\n"
    assert info(folder)["entries"] == 0
    assert usl(folder, "cache", "clear").stdout == "removed 0 proofs\n"
    assert not folder.exists()


def test_info_counts_proofs_uses_and_damage(folder: Path) -> None:
    filled(folder)
    with processes(folder):
        find_all(solver.STORE)
        solver.STORE.find("T<>", 0)
    change(folder, "UPDATE proofs SET verdict = CAST('proved affine' AS BLOB) WHERE verdict = CAST('proved z3' AS BLOB)")
    found = info(folder)
    assert found["entries"] == COUNT * 3 // 4
    assert found["damaged_entries"] == COUNT // 4
    assert (found["hits"], found["misses"]) == (COUNT, COUNT + 1)  # the file was empty when it was filled
    assert found["version"] == proof_store.version()
    text = usl(folder, "cache", "info").stdout
    assert f"proofs: {COUNT * 3 // 4} of this version" in text
    assert f"damaged: {COUNT // 4} proofs, 0 files" in text


def test_info_counts_files_that_were_given_up(folder: Path) -> None:
    folder.mkdir()
    (folder / "proofs-0.sqlite3").write_text("no database" * 1000)
    filled(folder)
    assert info(folder)["damaged_files"] == 1
    assert usl(folder, "cache", "clear").stdout == f"removed {COUNT} proofs\n"
    found = info(folder)
    assert (found["entries"], found["damaged_files"], found["hits"]) == (0, 0, 0)


def test_proofs_are_exported_and_imported(folder: Path, tmp_path: Path) -> None:
    filled(folder)
    file, other = tmp_path / "proofs.jsonl", tmp_path / "other"
    assert usl(folder, "cache", "export", file).stdout == f"exported {COUNT} proofs to {file}\n"
    done = usl(other, "cache", "import", file, "--json")
    assert json.loads(done.stdout) == {"new": COUNT, "known": 0, "other_versions": 0, "damaged": 0}
    with processes(other):
        assert find_all(solver.STORE) == [verdict for _, verdict in questions()]
    again = usl(other, "cache", "import", file).stdout
    assert again == f"imported 0 proofs ({COUNT} known already, 0 of other versions and 0 damaged ones left out)\n"


def test_damaged_lines_and_other_versions_are_not_imported(folder: Path, tmp_path: Path) -> None:
    filled(folder)
    file, other = tmp_path / "proofs.jsonl", tmp_path / "other"
    usl(folder, "cache", "export", file)
    header, *lines = file.read_text().splitlines()
    lines[0] = lines[0].replace("proved", "refuted") if "proved" in lines[0] else lines[0].replace("refuted", "proved")
    lines[1] = lines[1][:-5]
    lines[2] = '["too", "short"]'
    fields = [field.encode() for field in json.loads(lines[3])[:4]]
    fields[1] = b"another version"
    lines[3] = json.dumps([*(field.decode() for field in fields), proof_store.checksum(*fields).hex()])
    file.write_text("\n".join([header, *lines[:-7]]) + "\n")
    done = json.loads(usl(other, "cache", "import", file, "--json").stdout)
    assert done == {"new": COUNT - 11, "known": 0, "other_versions": 1, "damaged": 10}


@pytest.mark.parametrize(
    "content", [b"", b"\xff\xfe\x00", b"[]\n", b'{"format": "usl proofs 0", "proofs": 1}\n[]\n', b"{" * 5000]
)
def test_what_was_not_exported_is_one_message(content: bytes, folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "something"
    file.write_bytes(content)
    done = usl(folder, "cache", "import", file)
    assert done.returncode == 1
    assert done.stderr == f"{file} was not written by `usl cache export` of this version of the format (usl proofs 1)\n"


def test_files_that_cannot_be_used_are_one_message(folder: Path, tmp_path: Path) -> None:
    for command in ("import", "export"):
        done = usl(folder, "cache", command, tmp_path / "missing" / "file")
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr == f"usl: {tmp_path / 'missing' / 'file'}: No such file or directory\n"
    (tmp_path / "file").write_text("in the way")
    done = usl(tmp_path / "file" / "proofs", "cache", "import", tmp_path / "file")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr


def test_a_cache_that_is_switched_off_says_so() -> None:
    for command in ("path", "info", "clear"):
        done = usl("off", "cache", command)
        assert done.returncode == 1
        assert done.stderr == "the proof cache is switched off by USL_PROOF_CACHE\n  hint: unset USL_PROOF_CACHE\n"


def test_a_cache_that_cannot_be_opened_says_so(tmp_path: Path) -> None:
    (tmp_path / "proofs-0.sqlite3").mkdir()
    done = usl(tmp_path, "cache", "info")
    assert done.returncode == 1
    assert done.stderr.startswith(f"cannot use the proof cache {tmp_path}: ")
    assert "hint: set USL_PROOF_CACHE to a folder that you may write" in done.stderr


UNEVEN = """
from __future__ import annotations
from usl_core import proc, divide_loop
from usl_core.analysis import solver
solver.PATIENCE = 0.0

@proc
def scale(n: size, x: f32[n]):
    for i in seq(0, n):
        x[i] = 2.0 * x[i]

tiled = divide_loop(scale, "i", 8, ["io", "ii"], perfect=True)
"""


def test_verify_does_not_believe_a_forged_proof(folder: Path, tmp_path: Path) -> None:
    """That 8 divides every n, as a row with the right checksum: schedules believe it, `usl verify` does not."""
    file = tmp_path / "kernels.py"
    file.write_text(UNEVEN)
    refused = usl(folder, "history", f"{file}:tiled")
    assert "cannot prove that 8 divides n" in refused.stderr
    forge(folder)
    believed = usl(folder, "history", f"{file}:tiled")
    assert believed.returncode == 0
    assert "cache" in believed.stdout
    verified = usl(folder, "verify", f"{file}:tiled")
    assert verified.returncode == 1
    assert "cannot prove that 8 divides n" in verified.stderr


def forge(folder: Path) -> None:
    """Turns every refutation into a proof."""
    version, verdict = str(proof_store.version()).encode(), b"proved affine"
    changed = 0
    connection = sqlite3.connect(proof_store.current_file(folder))
    for key, found in connection.execute("SELECT question, verdict FROM proofs").fetchall():
        if found.startswith(b"refuted"):
            right = proof_store.checksum(key, version, b"", verdict)
            connection.execute(
                "UPDATE proofs SET verdict = ?, z3 = ?, checksum = ? WHERE question = ?", (verdict, b"", right, key)
            )
            changed += 1
    connection.commit()
    connection.close()
    assert changed
