"""A store of its own for each test, and processes that follow each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from usl_core.primitives import base
from usl_core.store import calls, shelf, stamps


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The file of a store that is empty at first."""
    monkeypatch.setenv(shelf.VARIABLE, "on")
    monkeypatch.setenv("USL_CACHE_DIR", str(tmp_path))
    calls._sources.clear()
    stamps.stamp.cache_clear()
    stamps.stamp_of.cache_clear()
    shelf.reopen()
    yield tmp_path / shelf.FILE
    monkeypatch.undo()
    shelf.reopen()


@pytest.fixture
def new_process(store: Path) -> Callable[[], None]:
    """Forgets what a new process would not know: only the file is left."""

    def forget() -> None:
        shelf.reopen()
        calls._sources.clear()
        stamps.stamp.cache_clear()
        stamps.stamp_of.cache_clear()

    return forget


@pytest.fixture
def worked_out(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The operators that ran, and were not answered from the store."""
    ran: list[str] = []
    derive = base.derive  # type: ignore[attr-defined]

    def noting(*args: object) -> object:
        ran.append(str(args[3]))
        return derive(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(base, "derive", noting)
    return ran
