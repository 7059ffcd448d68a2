from __future__ import annotations

import pytest

from tests.plugins.sites import FAKE_BACKEND, Site


@pytest.fixture
def site(tmp_path) -> Site:
    """A site with a plugin `fake`, whose backend writes the procedures' names instead of C."""
    folder = tmp_path / "site"
    folder.mkdir()
    site = Site(folder)
    site.add("fake", FAKE_BACKEND)
    return site


@pytest.fixture
def work(tmp_path):
    """The folder that commands run in."""
    folder = tmp_path / "work"
    folder.mkdir()
    return folder
