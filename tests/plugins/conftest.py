from __future__ import annotations

import pytest

from tests.plugins.sites import Site, on_the_path


@pytest.fixture
def site(tmp_path, monkeypatch) -> Site:
    """An empty site on sys.path; what is imported from it is forgotten afterwards."""
    with on_the_path(tmp_path / "site", monkeypatch) as site:
        yield site
