"""Proofs on disk: found is what was put there, whatever happens to the file; trouble means no answer, never an error."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.analysis.test_solver import NAMES, existentials, formulas, holds
from usl_core.analysis import affine, bounding, proof_store, solver, verdicts
from usl_core.analysis import formula as fml
from usl_core.analysis.formula import Formula
from usl_core.analysis.proof_store import ProofStore
from usl_core.analysis.solver import Answer, Proved, Refuted, Unknown, prove
from usl_core.analysis.verdicts import Verdict
from usl_core.ir.sym import Sym

ROOT = Path(__file__).resolve().parents[2]

Restart = Callable[[], None]


@contextlib.contextmanager
def processes(folder: Path) -> Iterator[Restart]:
    """What is asked inside uses the folder; each call of what this gives is like the start of a new process."""
    with pytest.MonkeyPatch.context() as patch:

        def restart() -> None:
            solver.STORE.finish()
            for name, value in (("STORE", ProofStore()), ("_CACHE", {}), ("_UNKNOWN", {})):
                patch.setattr(solver, name, value)

        patch.setenv(proof_store.SWITCH, str(folder))
        patch.setattr(solver, "PATIENCE", 0.0)
        restart()
        yield restart
        solver.STORE.finish()


@contextlib.contextmanager
def no_cache() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(solver, "_caching", False)
        yield


def questions() -> list[tuple[str, Verdict]]:
    """Keys, which need not be those of any question here, with verdicts."""
    kinds = [
        Verdict("proved", "affine"),
        Verdict("proved", "z3"),
        Verdict("refuted", "model", (1, -7, None, True)),
        Verdict("refuted", "z3", (None, 12345, 0, False)),
    ]
    return [(f"G({number}+1x<0>)<0,1,2,3>;{'T<>;' * (number % 30)}F<>", kinds[number % 4]) for number in range(120)]


def find_all(store: ProofStore) -> list[Verdict | None]:
    return [store.find(key, 4) for key, _ in questions()]


def filled(folder: Path) -> None:
    with processes(folder):
        for key, verdict in questions():
            solver.STORE.keep(key, verdict)
        find_all(solver.STORE)


# ---- the same answers


@given(st.lists(formulas(depth=1), max_size=3), st.one_of(formulas(), existentials()))
@settings(max_examples=150, deadline=None)
def test_remembered_answers_equal_fresh_ones(hypotheses: list[Formula], goal: Formula) -> None:
    with no_cache():
        fresh = prove(hypotheses, goal)
    with tempfile.TemporaryDirectory() as folder, processes(Path(folder)) as restart:
        answers = [prove(hypotheses, goal), prove(hypotheses, goal)]
        restart()
        answers.append(prove(hypotheses, goal))
    for answer in answers:
        assert type(answer) is type(fresh)
        if isinstance(answer, Refuted):
            assert_refutes(answer, goal)
        elif isinstance(answer, Proved) and not isinstance(goal, fml.And):
            assert answer == fresh


def assert_refutes(answer: Answer, goal: Formula) -> None:
    if isinstance(answer, Refuted) and not any(isinstance(part, fml.Exists) for part in fml.conjuncts(goal)):
        assert not holds(goal, {name: int(answer.model.get(name, 0)) for name in NAMES})


HARD: list[tuple[list[Formula], Formula]] = []
for factor in range(3, 9):
    a, b = affine.var(Sym("a")), affine.var(Sym("b"))
    square = affine.quotient(a.scale(factor) + 1, 7)
    HARD.append(([fml.or_([fml.eq(a, 5), fml.eq(b, 9)]), fml.ge(square, b)], fml.ge(a.scale(2) - b, 11)))
    HARD.append(([fml.ge(a), fml.ge(square, b)], fml.ge(a.scale(factor) + 7, b)))


def test_another_process_decides_nothing_again(tmp_path: Path) -> None:
    with processes(tmp_path) as restart:
        first = [prove(*asked) for asked in HARD]
        restart()
        before = dict(solver.STATISTICS.settled)
        assert [prove(*asked) for asked in HARD] == first
        after = solver.STATISTICS.settled
    changed = {stage for stage in after if after[stage] != before.get(stage, 0)}
    assert changed <= {"cache", "bounds", "syntactic"}
    assert after["cache"] > before.get("cache", 0)


SCHEDULE = """
import sys
from usl_core.analysis import solver
from demo import data_dependent, kernels, two_stage_blur
solver.PATIENCE = 0.0
if len(sys.argv) > 1:  # the order in which procedures are made and scheduled is no part of a question
    data_dependent.argmax_schedule(kernels.argmax)
two_stage_blur.two_stage_blur_schedule(kernels.two_stage_blur)
print({stage for stage in ("affine", "model", "z3") if solver.STATISTICS.settled.get(stage)}, "z3" in sys.modules)
"""


def test_a_schedule_run_again_in_a_new_process_needs_no_proof_and_no_z3(tmp_path: Path) -> None:
    def run(*arguments: str) -> str:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), proof_store.SWITCH: str(tmp_path)}
        command = [sys.executable, "-c", SCHEDULE, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT, env=environment).stdout.strip()

    assert run("argmax, too").endswith("True")
    assert run() == "set() False"


# ---- what is kept, and for whom


def test_what_is_kept_is_found_by_the_next_process(tmp_path: Path) -> None:
    filled(tmp_path)
    with processes(tmp_path):
        assert find_all(solver.STORE) == [verdict for _, verdict in questions()]
        assert solver.STORE.find("G(0)<>", 0) is None


def test_unknown_is_not_kept(tmp_path: Path) -> None:
    with processes(tmp_path) as restart:
        solver.STORE.keep("T<>", Verdict("unknown", "z3", reason="too hard"))
        solver.STORE.keep("F<>", Verdict("proved", "affine"))
        solver.STORE.find("T<>", 0)
        restart()
        assert solver.STORE.find("T<>", 0) is None
        assert solver.STORE.find("F<>", 0) is not None
    assert verdicts.encode(Verdict("unknown", "z3")) is None


def test_unknown_is_remembered_by_this_process_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = Sym("k")
    hard = fml.exists([name], fml.eq(affine.product([affine.var(name), affine.var(NAMES[0])]), 6))
    with processes(tmp_path) as restart:
        assert isinstance(prove([], hard), Unknown)
        before = solver.STATISTICS.settled.get("cache", 0)
        assert isinstance(prove([], hard), Unknown)
        assert solver.STATISTICS.settled["cache"] == before + 1
        restart()
        monkeypatch.setattr(solver, "_z3_prove", lambda *_: Verdict("proved", "z3"))
        assert isinstance(prove([], hard), Proved)


@pytest.mark.parametrize("changed", ["version", "z3_version"])
def test_proofs_of_another_version_are_not_found(changed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(tmp_path)
    monkeypatch.setattr(proof_store, changed, lambda: "another")
    with processes(tmp_path):
        for (_, verdict), found in zip(questions(), find_all(solver.STORE), strict=True):
            assert found == (verdict if changed == "z3_version" and verdict.how != "z3" else None)


def test_the_version_names_every_module_that_decides() -> None:
    reached, waiting = set(), ["solver"]
    while waiting:
        name = waiting.pop()
        source = Path(proof_store.__file__).with_name(f"{name}.py").read_text(encoding="utf-8")
        if name not in reached and name != "proof_store":
            reached.add(name)
            words = set(source.replace(",", " ").split())
            waiting += [
                path.stem for path in Path(proof_store.__file__).parent.glob("*.py") if imports(source, path.stem, words)
            ]
    assert reached == set(proof_store.DECIDERS)


def imports(source: str, module: str, words: set[str]) -> bool:
    lines = [line for line in source.splitlines() if line.startswith("from usl_core.analysis")]
    return any(
        f"usl_core.analysis.{module} " in line or f" {module}" in line.replace(",", "").split("import")[1] for line in lines
    )


def test_sources_that_changed_since_they_were_imported_have_no_version(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert proof_store.version() is not None
    monkeypatch.setattr(proof_store, "_IMPORTED", 0.0)
    monkeypatch.setattr(proof_store, "version", proof_store.version.__wrapped__)
    assert proof_store.version() is None
    with processes(tmp_path / "proofs"):
        assert solver.STORE.find("T<>", 0) is None
    assert not (tmp_path / "proofs").exists()


def test_the_version_of_z3_is_the_installed_one() -> None:
    import importlib.metadata

    assert proof_store.z3_version() == importlib.metadata.version("z3-solver")


def test_the_oldest_proofs_go_when_the_file_grows_too_big(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proof_store, "MAX_BYTES", 40_000)
    rounds = 8
    with processes(tmp_path) as restart:
        for number in range(rounds):
            for key, verdict in questions():
                solver.STORE.keep(f"{key};{number}", verdict)
            solver.STORE.find("T<>", 0)
            restart()
        kept = [sum(solver.STORE.find(f"{key};{n}", 4) is not None for key, _ in questions()) for n in range(rounds)]
    assert kept[-1] == 120
    assert kept[0] == 0
    assert kept == sorted(kept)


# ---- the environment


def test_the_folder_is_chosen_like_that_of_compiled_objects(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("USL_CACHE_DIR", str(tmp_path))
    monkeypatch.delenv(proof_store.SWITCH)
    assert proof_store.folder() == tmp_path / "proofs"
    monkeypatch.setenv(proof_store.SWITCH, str(tmp_path / "team"))
    assert proof_store.folder() == tmp_path / "team"
    monkeypatch.setenv(proof_store.SWITCH, "off")
    assert proof_store.folder() is None
    monkeypatch.delenv(proof_store.SWITCH)
    monkeypatch.delenv("USL_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    assert proof_store.folder() == tmp_path / "home" / "usl" / "proofs"


def test_nothing_is_written_while_it_is_switched_off(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("USL_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(solver, "STORE", ProofStore())
    monkeypatch.setattr(solver, "_CACHE", {})
    monkeypatch.setattr(solver, "PATIENCE", 0.0)
    for asked in HARD:
        prove(*asked)
    solver.STORE.finish()
    assert list(tmp_path.iterdir()) == []


def test_tests_do_not_use_the_cache_of_whoever_runs_them() -> None:
    assert proof_store.folder() is None


def test_after_disable_cache_neither_memory_nor_disk_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with processes(tmp_path) as restart:
        monkeypatch.setattr(solver, "_caching", True)
        monkeypatch.setattr(bounding, "remembers", True)
        for _ in range(2):
            for asked in HARD:
                prove(*asked)
            restart()
        files = {path: path.read_bytes() for path in tmp_path.glob("*.sqlite3")}
        solver.disable_cache()
        before = dict(solver.STATISTICS.settled)
        for _ in range(2):
            for asked in HARD:
                prove(*asked)
        assert solver.STATISTICS.settled.get("cache", 0) == before.get("cache", 0)
        assert {path: path.read_bytes() for path in tmp_path.glob("*.sqlite3")} == files


# ---- damage


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("sound")
    filled(folder)
    (file,) = folder.glob("*.sqlite3")
    return file.read_bytes()


@given(st.integers(0, 2**32), st.sampled_from((1, 3, 30, 1000)))
@settings(max_examples=100, deadline=None)
def test_a_damaged_file_never_gives_another_answer_nor_an_error(sound: bytes, seed: int, flips: int) -> None:
    rng, content = random.Random(seed), bytearray(sound)
    for _ in range(flips):
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    check_damaged(bytes(content))


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"this is no database, but long enough to be taken for one" * 100,
        lambda content: content[:1000],
        lambda content: content[: len(content) // 2],
        lambda content: content[:100] + bytes(len(content) - 100),
        lambda content: random.Random(1).randbytes(len(content)),
        lambda content: b"",
    ],
    ids=["text", "no page", "half", "only a header", "noise", "empty"],
)
def test_what_is_no_database_is_replaced(damage: Callable[[bytes], bytes], sound: bytes) -> None:
    assert None not in check_damaged(damage(sound))


def check_damaged(content: bytes) -> list[Verdict | None]:
    """Finds and keeps proofs in a folder with such a file; returns what is found in the end."""
    expected = [verdict for _, verdict in questions()]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "proofs-0.sqlite3").write_bytes(content)
        with processes(folder) as restart:
            found = find_all(solver.STORE)
            assert all(each in (None, verdict) for each, verdict in zip(found, expected, strict=True))
            for key, verdict in questions():
                solver.STORE.keep(key, verdict)
            for _ in range(2):
                restart()
                found = find_all(solver.STORE)
                assert all(each in (None, verdict) for each, verdict in zip(found, expected, strict=True))
    return found


def test_a_file_that_was_given_up_has_a_successor_that_works(tmp_path: Path) -> None:
    (tmp_path / "proofs-0.sqlite3").write_bytes(b"nothing of the kind" * 300)
    filled(tmp_path)
    assert proof_store.current_file(tmp_path).name == "proofs-1.sqlite3"
    with processes(tmp_path):
        assert None not in find_all(solver.STORE)
    os.utime(tmp_path / "proofs-0.sqlite3", (0, 0))
    with processes(tmp_path):
        assert None not in find_all(solver.STORE)
    assert [path.name for path in tmp_path.glob("*.sqlite3")] == ["proofs-1.sqlite3"]


def test_a_damaged_row_is_replaced_by_the_next_proof(tmp_path: Path) -> None:
    filled(tmp_path)
    change(tmp_path, "UPDATE proofs SET verdict = CAST('proved affine' AS BLOB)")
    proved = [verdict if verdict == Verdict("proved", "affine") else None for _, verdict in questions()]
    with processes(tmp_path) as restart:
        assert find_all(solver.STORE) == proved
        for key, verdict in questions():
            solver.STORE.keep(key, verdict)
        restart()
        assert None not in find_all(solver.STORE)


@pytest.mark.parametrize(
    "text", ["", "proved", "proved model", "refuted model 1,2", "refuted model 1,2,3,x", "refuted affine 1,2,3,4", "é"]
)
def test_a_row_that_says_nothing_is_ignored_even_if_its_checksum_is_right(text: str, tmp_path: Path) -> None:
    filled(tmp_path)
    key, version = questions()[0][0].encode(), str(proof_store.version()).encode()
    right = proof_store.checksum(key, version, b"", text.encode())
    change(tmp_path, "UPDATE proofs SET verdict = ?, z3 = ?, checksum = ? WHERE question = ?", text.encode(), b"", right, key)
    with processes(tmp_path):
        assert solver.STORE.find(questions()[0][0], 4) is None


def change(folder: Path, statement: str, *values: object) -> None:
    connection = sqlite3.connect(proof_store.current_file(folder))
    with connection:
        connection.execute(statement, values)
    connection.close()


def test_a_folder_that_cannot_be_made_only_means_that_nothing_is_kept(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with processes(tmp_path / "file" / "proofs"):
        assert isinstance(prove(*HARD[0]), Proved | Refuted)
        assert not solver.STORE.is_open


def test_a_locked_file_only_means_that_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proof_store, "BUSY_SECONDS", 0.01)
    filled(tmp_path)
    other = sqlite3.connect(proof_store.current_file(tmp_path), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with processes(tmp_path):
        assert None not in find_all(solver.STORE)  # a writer does not lock readers out
        solver.STORE.keep("T<>", Verdict("proved", "affine"))
        solver.STORE.flush()
        assert solver.STORE.find(questions()[0][0], 4) is None
    other.close()
    with processes(tmp_path):
        assert None not in find_all(solver.STORE)


@pytest.mark.parametrize(
    "error", [sqlite3.OperationalError("database or disk is full"), OSError(28, "no space"), MemoryError()]
)
def test_trouble_while_writing_is_not_the_users(error: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(connection: object) -> None:
        raise error

    monkeypatch.setattr(proof_store, "trim", fail)
    with processes(tmp_path) as restart:
        for asked in HARD:
            prove(*asked)
        solver.STORE.flush()
        assert all(isinstance(prove(*asked), Proved | Refuted) for asked in HARD)
        restart()
        assert solver.STORE.find("T<>", 0) is None


# ---- several processes

RACER = """
import random, sys, time
from tests.analysis.test_proof_store import questions
from usl_core.analysis.proof_store import STORE
rng, expected, known = random.Random(int(sys.argv[1])), dict(questions()), 0
while time.time() < float(sys.argv[2]):
    time.sleep(0.001)
for turn in range(40):
    for key in rng.sample(sorted(expected), 30):
        found = STORE.find(key, 4)
        assert found in (None, expected[key]), (key, found)
        known += found is not None
        STORE.keep(key, expected[key])
    STORE.flush()
print(STORE.is_open, known)
"""


def test_processes_that_write_and_read_at_once_do_not_harm_each_other(tmp_path: Path) -> None:
    import time

    folder = tmp_path / "proofs"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), proof_store.SWITCH: str(folder)}
    start = str(time.time() + 2.0)  # after all imports: they make the file together
    racers = [
        subprocess.Popen(
            [sys.executable, "-c", RACER, str(seed), start],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for seed in range(4)
    ]
    for racer in racers:
        out, err = racer.communicate(timeout=120)
        assert (racer.returncode, err) == (0, "")
        assert out.startswith("True ")
    assert [path.name for path in folder.glob("*.sqlite3")] == ["proofs-0.sqlite3"]
    with processes(folder):
        assert find_all(solver.STORE) == [verdict for _, verdict in questions()]


def test_a_forked_child_opens_the_file_for_itself(tmp_path: Path) -> None:
    filled(tmp_path)
    with processes(tmp_path):
        find_all(solver.STORE)
        solver.STORE.keep("T<>", Verdict("proved", "affine"))
        child = os.fork()
        if child == 0:
            good = not solver.STORE.is_open and None not in find_all(solver.STORE)
            solver.STORE.keep("F<>", Verdict("proved", "affine"))
            solver.STORE.finish()
            os._exit(0 if good else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert solver.STORE.find("F<>", 0) == Verdict("proved", "affine")
    with processes(tmp_path):
        assert solver.STORE.find("T<>", 0) == Verdict("proved", "affine")


def test_a_file_removed_under_a_process_does_no_harm(tmp_path: Path) -> None:
    folder = tmp_path / "proofs"
    filled(folder)
    with processes(folder) as restart:
        assert None not in find_all(solver.STORE)
        shutil.rmtree(folder)
        for key, verdict in questions():
            solver.STORE.keep(key, verdict)
        find_all(solver.STORE)
        restart()
        find_all(solver.STORE)
