"""What became of each mutant, kept in files so that a run can go on where the last one stopped."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from tests.mutation import hook
from tests.mutation.conditions import Condition
from tests.mutation.kernel import PACKAGE, ROOT, path_of
from tests.mutation.operators import operators_of
from tests.mutation.processes import run_all
from tests.mutation.suites import first_failure, rank, record_file, test_files

CACHE = ROOT / ".cache" / "mutation"
LIMIT = 200
"""No process gets more seconds of processor time than this."""
TESTS = 20.0
"""Of the tests in which a condition matters, so many seconds' worth are tried: of this process, as the machine may be busy."""

Tests = dict[str, dict[str, Any]]
"""By id: how long a test takes, whether it passes, and the conditions that matter in it."""


def load(name: str) -> dict[str, Any]:
    path = CACHE / name
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return found


def save(name: str, value: dict[str, Any]) -> None:
    CACHE.mkdir(parents=True, exist_ok=True)
    draft = CACHE / f"{name}.part"
    draft.write_text(json.dumps(value, indent=1), encoding="utf-8")
    draft.rename(CACHE / name)


def digest(paths: Iterable[Path]) -> str:
    sha = hashlib.sha256()
    for path in paths:
        sha.update(str(path).encode() + b"\0" + path.read_bytes())
    return sha.hexdigest()[:16]


@cache
def kernel_digest() -> str:
    return digest(sorted((ROOT / PACKAGE).rglob("*.py")))


@cache
def tests_digest() -> str:
    helpers = [path for path in sorted((ROOT / "tests").rglob("*.py")) if "mutation" not in path.parts]
    return digest([*helpers, *(ROOT / file for file in test_files())])


# ---- which tests a condition matters to


def recorded_tests(jobs: int) -> Tests:
    """Every test of the suites with the conditions that matter in it; what is known from before is kept."""
    known, found = load("recorded.json"), dict[str, Any]()
    todo: list[str] = []
    for file in test_files():
        key = f"{kernel_digest()} {digest([ROOT / file])}"
        if known.get(file, {}).get("key") == key:
            found[file] = known[file]
        else:
            todo.append(file)
    if todo:
        hook.recorded_code()
    for file, result, _ in run_all([(f, lambda f=f: record_file(f)) for f in todo], jobs, LIMIT):  # type: ignore[misc]
        if "error" in result:
            raise SystemExit(f"recording {file}: {result['error']}")
        found[file] = {"key": f"{kernel_digest()} {digest([ROOT / file])}", "tests": result}
    if todo:
        save("recorded.json", found)
    return {name: test for file in test_files() for name, test in found[file]["tests"].items()}


def killers(tests: Tests, name: str, before: str) -> list[str]:
    """The tests that may notice that a condition is disabled: the one that did before, then near ones, then quick ones."""
    chosen = [test for test, seen in tests.items() if seen["passed"] and name in seen["fired"]]
    chosen.sort(key=lambda test: (test != before, rank(test), tests[test]["seconds"]))
    spent, kept = 0.0, list[str]()
    for test in chosen:
        spent += tests[test]["seconds"]
        if kept and spent > TESTS:
            break
        kept.append(test)
    return kept


# ---- one mutant


def verdict(condition: Condition, chosen: Sequence[str], fuzz_seconds: float) -> dict[str, Any]:
    """Disables a condition in this process, and looks for a test that fails."""
    hook.disable(condition.id)
    failed = first_failure(chosen)
    if failed:
        return {"by": _kind_of(failed), "test": failed}
    found = _fuzzed(condition, fuzz_seconds) if fuzz_seconds > 0 else ""
    return {"by": "fuzz", "test": found} if found else {"by": "", "test": ""}


def _kind_of(test: str) -> str:
    if test.startswith("import of"):
        return "import"
    return "units" if test.startswith("tests/primitives") else Path(test.partition("::")[0]).parts[1]


class _OutOfTime(Exception):
    pass


def _fuzzed(condition: Condition, seconds: float) -> str:
    """What the fuzzer finds in so many seconds of this process."""
    from tests.fuzz.harness import available, fuzz  # imports the kernel, which must be mutated before

    served = set(operators_of(condition.module))
    only = [name for name in available() if name in served] or None
    deadline = time.process_time() + seconds

    def progress(_: int) -> None:
        if time.process_time() > deadline:
            raise _OutOfTime

    try:
        tally = fuzz(1_000_000, 0, only, progress=progress)
    except _OutOfTime:
        return ""
    failure = tally.failures[0]
    return f"{failure.operator} (program seed {failure.seed}): {failure.what}"


def verdict_of_one(condition: Condition, test: str) -> dict[str, Any]:
    """Whether the test that noticed before still does."""
    hook.disable(condition.id)
    return {"by": _kind_of(test) if first_failure([test]) else "", "test": test}


# ---- all of them


def still_valid(old: dict[str, Any], condition: Condition) -> bool:
    """Whether a verdict from before would be the same now."""
    if old.get("text") != condition.text or old.get("module") != digest([path_of(condition.module)]):
        return False
    if not old["by"]:
        unchanged = old["kernel"] == kernel_digest() and old["tests"] == tests_digest()
        return bool(unchanged and not old["test"].startswith("error"))
    file = ROOT / str(old["test"]).partition("::")[0]
    return not file.is_file() or old.get("file") == digest([file])


def entry(condition: Condition, found: dict[str, Any], seconds: float) -> dict[str, Any]:
    """A verdict with what it depends on."""
    if "error" in found:
        late = found["error"] == "timeout"
        found = {"by": "timeout" if late else "", "test": "" if late else f"error: {found['error']}"}
    file = ROOT / str(found["test"]).partition("::")[0]
    return {
        **found,
        "seconds": round(seconds, 1),
        "text": condition.text,
        "module": digest([path_of(condition.module)]),
        "kernel": kernel_digest(),
        "tests": tests_digest(),
        "file": digest([file]) if file.is_file() else "",
    }
