from __future__ import annotations

import pytest

from tests.plugins.sites import Site

BACKEND = """
class Backend:
    name = "fake"
    def emit(self, procs, name, *, entry_checks=True):
        listed = " ".join(each.name for each in procs)
        return {f"{name}.c": f"/* {listed}; checks: {entry_checks} */\\n", f"{name}.h": "#pragma once\\n"}
    def build(self, procs, name, directory):
        return directory
    def jit(self, procedure):
        return print
class Careless(Backend):
    def emit(self, procs, name, *, entry_checks=True):
        return {"../outside.c": ""}
class Buggy(Backend):
    def emit(self, procs, name, *, entry_checks=True):
        return {}["missing"]
@hookimpl
def usl_backends():
    return {"fake": Backend(), "careless": Careless(), "buggy": Buggy()}
"""


@pytest.fixture
def site(tmp_path) -> Site:
    """A site with a plugin `fake`, whose backend writes the procedures' names instead of C."""
    folder = tmp_path / "site"
    folder.mkdir()
    site = Site(folder)
    site.add("fake", BACKEND)
    return site


@pytest.fixture
def work(tmp_path):
    """The folder that commands run in."""
    folder = tmp_path / "work"
    folder.mkdir()
    return folder
