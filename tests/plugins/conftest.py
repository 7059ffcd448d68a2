from __future__ import annotations

import sys

import pytest

from tests.plugins.sites import Site


@pytest.fixture
def site(tmp_path, monkeypatch) -> Site:
    """An empty site on sys.path; what is imported from it is forgotten afterwards."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    before = set(sys.modules)
    yield Site(folder)
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(folder)):
            del sys.modules[name]
