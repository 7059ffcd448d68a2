"""Which instruction sets this machine's processor has."""

from __future__ import annotations

import platform

from usl_core import probe


def cpu_features() -> frozenset[str]:
    """The processor's feature names in lower case (`avx512f`, `fma`), as far as the system tells; empty if it does not."""
    return probe.cpu_flags() or frozenset()


def has_avx512() -> bool:
    """Whether this processor runs every instruction that the schedules of this package use."""
    here = platform.machine().lower() in ("x86_64", "amd64") and {"avx512f", "avx512bw", "avx512vl"} <= cpu_features()
    if here:
        probe.found.add("avx512f")
    return here
