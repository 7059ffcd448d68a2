"""Which instruction sets this machine's processor has."""

from __future__ import annotations

import platform
from pathlib import Path


def cpu_features() -> frozenset[str]:
    """The processor's feature names in lower case (`avx512f`, `fma`), as far as the system tells; empty if it does not."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return frozenset()
    for line in text.splitlines():
        key, _, value = line.partition(":")
        if key.strip().lower() in ("flags", "features"):
            return frozenset(value.lower().split())
    return frozenset()


def has_avx512() -> bool:
    """Whether this processor runs every instruction that the schedules of this package use."""
    return platform.machine().lower() in ("x86_64", "amd64") and {"avx512f", "avx512bw", "avx512vl"} <= cpu_features()
