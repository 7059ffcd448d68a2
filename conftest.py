"""Settings of all test suites: no test fails because a machine is slow, and CI tries the same examples every time."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

os.environ["USL_PROOF_CACHE"] = "off"
"""Tests, and what they start, neither trust nor fill the proof cache of whoever runs them."""

settings.register_profile(
    "suite",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    derandomize=bool(os.environ.get("CI")),
)
settings.load_profile("suite")
