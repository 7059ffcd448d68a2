"""Which pixels a resized image is made of, and with which weights: Keys' cubic, as wide as the smaller image's pixels.

Reference: Keys 1981, equation (4) with a = -1/2. Places and normalisation at the borders are Pillow's.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any


@lru_cache(maxsize=64)
def cubic_taps(old: int, new: int) -> tuple[Any, Any]:
    """For each of new places in a row of old ones the numbers of old ones, int32 [new, taps], and their weights, float32."""
    import numpy as np

    scale = old / new
    wide = max(scale, 1.0)
    centre = (np.arange(new) + 0.5) * scale
    first = np.maximum((centre - 2 * wide + 0.5).astype(np.int64), 0)
    behind = np.minimum((centre + 2 * wide + 0.5).astype(np.int64), old)
    places = first[:, None] + np.arange(int((behind - first).max()))
    weights = np.where(places < behind[:, None], cubic((places - centre[:, None] + 0.5) / wide), 0.0)
    weights /= weights.sum(axis=1, keepdims=True)
    made = np.minimum(places, old - 1).astype(np.int32), weights.astype(np.float32)
    for each in made:
        each.flags.writeable = False
    return made


def cubic(x: Any) -> Any:
    """Keys' cubic kernel."""
    import numpy as np

    x = np.abs(x)
    near = (1.5 * x - 2.5) * x * x + 1
    far = ((-0.5 * x + 2.5) * x - 4) * x + 2
    return np.where(x < 1, near, np.where(x < 2, far, 0.0))
