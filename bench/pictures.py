"""A real photograph as sixteen-bit grey levels, its repetition to a large frame, and what SciPy says its blur is."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Pixels = NDArray[np.uint16]

FRAME = (4320, 7680)
"""Rows and columns of an 8K video frame."""


def photograph_file(directory: Path) -> Path:
    """A copy in directory of the photograph that scikit-image ships: a retina, 1411 x 1411."""
    import skimage

    original = Path(skimage.__file__).parent / "data" / "retina.jpg"
    copy = directory / original.name
    directory.mkdir(parents=True, exist_ok=True)
    if not copy.exists():
        shutil.copyfile(original, copy)
    return copy


def read_grey(file: Path) -> Pixels:
    """The picture's luminance (ITU-R 601) over the whole range of u16: its darkest pixel is 0 and its brightest 65535."""
    import numpy as np
    from PIL import Image

    with Image.open(file) as image:
        rgb = np.asarray(image.convert("RGB"), dtype=np.float64)
    luminance = rgb @ np.array([0.299, 0.587, 0.114])
    low, high = luminance.min(), luminance.max()
    grey: Pixels = np.rint((luminance - low) * (65535.0 / max(high - low, 1.0))).astype(np.uint16)
    return grey


def write_grey(pixels: Pixels, file: Path) -> None:
    """Write sixteen-bit grey levels as PNG."""
    from PIL import Image

    Image.fromarray(pixels).save(file)


def repeat_to(pixels: Pixels, shape: tuple[int, int]) -> Pixels:
    """The picture side by side and cut to shape."""
    import numpy as np

    down, across = (-(-want // have) for want, have in zip(shape, pixels.shape, strict=True))
    return np.ascontiguousarray(np.tile(pixels, (down, across))[: shape[0], : shape[1]])


def with_border(pixels: Pixels) -> Pixels:
    """The picture with its edge pixels repeated once around it, which is what the blur reads there."""
    import numpy as np

    return np.pad(pixels, 1, mode="edge")


def scipy_blur(pixels: Pixels) -> Pixels:
    """The reference: sums of nine in 32 bits by SciPy, divided once, rounding down."""
    import numpy as np
    from scipy import ndimage

    sums = ndimage.correlate(pixels.astype(np.uint32), np.ones((3, 3), np.uint32), mode="nearest")
    blurred: Pixels = (sums // 9).astype(np.uint16)
    return blurred
