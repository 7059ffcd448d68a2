"""The counts of all seeds in one JSON file, so that a run can go on where it stopped, and several add up.

An entry stands for one seed, one choice of operators and one version of the code: what another kernel did says nothing about
this one.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.fuzz.tally import Tally

ROOT = Path(__file__).resolve().parents[2]
DEFAULT = ROOT / ".cache" / "fuzz.json"


@dataclass
class Run:
    """What one seed has come to: the programs below `following` are done."""

    seed: int
    code: str
    only: tuple[str, ...] = ()
    following: int = 0
    failure: str = ""
    tally: Tally = field(default_factory=Tally)

    @property
    def key(self) -> str:
        return " ".join((str(self.seed), self.code, *self.only))

    def to_json(self) -> dict[str, Any]:
        counts = {"steps": self.tally.steps, **self.tally.to_json()}
        entry = {"seed": self.seed, "code": self.code, "only": list(self.only), "following": self.following}
        return {**entry, "failure": self.failure, **counts}

    @staticmethod
    def from_json(data: dict[str, Any]) -> Run:
        tally = Tally.from_json(data)
        return Run(data["seed"], data["code"], tuple(data["only"]), data["following"], data["failure"], tally)


def code_version() -> str:
    """A digest of what decides the outcome of a step: the core and the fuzzer."""
    digest = hashlib.sha256()
    for folder in ("usl_core", "plugins/stdlib/usl_stdlib", "tests/fuzz"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            if not path.name.startswith("test_"):
                digest.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:12]


def load(file: Path) -> list[Run]:
    """Every run in file, none if there is no file."""
    if not file.exists():
        return []
    return [Run.from_json(entry) for entry in json.loads(file.read_text())["runs"]]


def save(file: Path, run: Run) -> None:
    """Puts run into file in place of what it has of it. The file is whole at any time; others may write to it as well."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with _locked(file.with_name(file.name + ".lock")):
        runs = {old.key: old for old in load(file)} | {run.key: run}
        lines = ",\n".join(json.dumps(entry.to_json()) for entry in sorted(runs.values(), key=lambda r: (r.seed, r.key)))
        draft = file.with_name(file.name + ".new")
        draft.write_text(f'{{"runs": [\n{lines}\n]}}\n')
        draft.replace(file)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def resume(runs: Sequence[Run], seed: int, code: str, only: tuple[str, ...], any_code: bool) -> Run:
    """The run to go on with. With any_code, programs that another version of the code has tried are not tried again."""
    same = [run for run in runs if (run.seed, run.only) == (seed, only)]
    exact = next((run for run in same if run.code == code), None)
    run = exact or Run(seed, code, only)
    if any_code:
        run.following = max((r.following for r in same), default=0)
    run.failure = ""
    return run


def comparable(runs: Sequence[Run], code: str, only: tuple[str, ...], any_code: bool) -> list[Run]:
    """The runs that add up: of the same operators and, unless any_code, of this version of the code."""
    return [run for run in runs if run.only == only and (any_code or run.code == code)]


def total(runs: Sequence[Run]) -> Tally:
    """The sum of the counts."""
    result = Tally()
    for run in runs:
        result.add(run.tally)
    return result
