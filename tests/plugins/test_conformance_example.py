"""The example plugin conforms, and so do the memories of the backend."""

from __future__ import annotations

import pytest

pytest.importorskip("usl_c11")


@pytest.mark.parametrize("name", ["example", "c11"])
def test_a_plugin_of_this_repository_conforms(site, tmp_path, name):
    site.add_example()
    done = site.usl("plugin", "check", name, USL_CACHE_DIR=str(tmp_path / "cache"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "skipped" not in done.stdout
