"""What this package adds to the `usl` command: nothing until its commands are there."""

from __future__ import annotations

USL_API = 1
