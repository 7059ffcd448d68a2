"""Public functions answer arguments of any kind with a UslError."""

from __future__ import annotations

from tests.fuzz.junk import tracebacks


def test_junk_arguments_give_usl_errors_only() -> None:
    assert not tracebacks(3000, 7)
