"""The registers of the accelerator. A move reads its stride from one of them, not from its operands.

They are write-only: instructions set them, and no program can read them back. So generated C never mentions them.
"""

from __future__ import annotations

from usl_core import config, write_only


@config
class LoadA:
    src_stride: write_only[stride]


@config
class LoadB:
    src_stride: write_only[stride]


@config
class Store:
    dst_stride: write_only[stride]


CONFIGS = (LoadA, LoadB, Store)
