"""The tests of this folder import `kernels_conformance` and what stands beside it by name."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.plugins.sites import Site, on_the_path

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def site(tmp_path, monkeypatch) -> Site:
    """An empty site on sys.path; what is imported from it is forgotten afterwards."""
    with on_the_path(tmp_path / "site", monkeypatch) as site:
        yield site


@pytest.fixture
def work(tmp_path):
    """The folder that commands run in."""
    folder = tmp_path / "work"
    folder.mkdir()
    return folder
