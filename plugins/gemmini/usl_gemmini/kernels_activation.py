"""What a store does to a sum before it scales it."""

from __future__ import annotations

from usl_core import fragment


@fragment
def plain(x):
    """Nothing."""
    return x


@fragment
def rectified(x):
    """ReLU."""
    return relu(x)


ACTIVATIONS = {False: plain, True: rectified}
"""By whether there is one."""
