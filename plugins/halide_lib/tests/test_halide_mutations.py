"""Known bugs, put into the theory one at a time, make a test fail (halide.md §17)."""

from __future__ import annotations

import pytest
from halide_mutations import MUTATIONS, is_found


@pytest.mark.parametrize("name", MUTATIONS)
def test_a_known_bug_is_found(name):
    assert is_found(MUTATIONS[name])
