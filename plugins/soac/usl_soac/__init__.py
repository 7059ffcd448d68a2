"""Functional array programs whose sizes are known before the arrays are computed."""

from __future__ import annotations
