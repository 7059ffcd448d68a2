"""A build cache for the run, and a simulator for each dimension."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # helpers beside the tests

from usl_gemmini import GemminiParams
from usl_gemmini.sim import Simulator


@pytest.fixture(autouse=True, scope="session")
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A build cache of its own for each test run, which its processes share: each simulator is compiled once."""
    run = tmp_path_factory.getbasetemp()
    run = run.parent if "PYTEST_XDIST_WORKER" in os.environ else run
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("USL_CACHE_DIR", str(run / "build-cache"))
        yield


@pytest.fixture(scope="session", params=[4, 8, 16, 32])
def sim(request: pytest.FixtureRequest, _own_cache: None) -> Simulator:
    """The simulator of a chip of each dimension; tests that write begin with a reset."""
    return Simulator(GemminiParams(dim=request.param))


@pytest.fixture
def chip(_own_cache: None) -> Simulator:
    """The simulator of the default chip after power-up."""
    simulator = Simulator()
    simulator.reset()
    return simulator
