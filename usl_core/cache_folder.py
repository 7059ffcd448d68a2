"""Where USL keeps what it need not work out again: compiled libraries, operator calls."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder() -> Path:
    """`USL_CACHE_DIR` if it is set, else the user's cache folder."""
    chosen = os.environ.get("USL_CACHE_DIR")
    if chosen:
        return Path(chosen)
    import platformdirs

    return Path(platformdirs.user_cache_dir("usl", appauthor=False))
