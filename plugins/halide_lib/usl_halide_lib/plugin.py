"""What usl_halide_lib declares."""

from __future__ import annotations

USL_API = 1
