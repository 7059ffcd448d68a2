"""The schedule of convolutions: images with channels innermost (NHWC), any window, any stride, f32.

`conv_schedule` takes the loops of `kernels_convolution.convolution`, with given sizes, to tiles of output pixels by output
channels that stay in registers: `tiles` is about one of them, `schedule` cuts a convolution into them and orders them.
"""

from __future__ import annotations

from usl_avx512.conv.schedule import Blocking, Shape, blocking_of, conv_schedule

__all__ = ["Blocking", "Shape", "blocking_of", "conv_schedule"]
