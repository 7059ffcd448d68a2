"""The tests of this folder import their common modules (`perceus_*.py`) by name."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(autouse=True, scope="module")
def _objects_of_other_tests_are_left_alone() -> Iterator[None]:
    """Many tests count blocks of the heap, and collect garbage first: of their own module, not of millions of older objects."""
    gc.freeze()
    yield
    gc.unfreeze()
