"""`configs=[...]`: which configurations the text of a schedule may name."""

from __future__ import annotations

import pytest

from tests.primitives.config.programs import CFG, program
from usl_core.errors import SchedulingError
from usl_core.ir.config import Config, ConfigField
from usl_core.ir.types import INDEX
from usl_core.scheduling import add_assertion


def test_two_configurations_of_one_name_are_refused() -> None:
    other = Config(CFG.name, {"a": ConfigField("a", INDEX)})
    p = program("Cfg.a = n")
    assert "assert Cfg.b == n" in str(add_assertion(p, "Cfg.b == n", configs=[CFG]))
    with pytest.raises(SchedulingError, match="uses another configuration called Cfg"):
        add_assertion(p, "Cfg.a == n", configs=[other])
    with pytest.raises(SchedulingError, match="uses another configuration called Cfg"):
        add_assertion(program("x[0] = 1.0"), "Cfg.a == n", configs=[CFG, other])
