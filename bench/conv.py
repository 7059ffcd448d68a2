"""Convolutions with ReLU against oneDNN (channels last): the layer of Reinking 2022, table 3.2, and layers of ResNet-50.

`python -m bench conv` prepares both sides and has this module measure them in the environment that has PyTorch, in a process of its
own. There it needs neither this project's packages installed nor a compiler of its own: it gets paths.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench import versus
from bench.blas import clean_environment
from bench.peak import PeakProbe
from bench.toolchain import ToolError, run_tool
from bench.versus import Case, Row, TimingLoop

if TYPE_CHECKING:
    from numpy.typing import NDArray

PEER = "oneDNN"
SHARE_OF_PEAK = 0.96
LAYER_GOAL, GEOMETRIC_MEAN = 1.0, 1.1
ENVIRONMENT = Path(__file__).parents[1] / ".venv-onednn"
"""Where `make bench WHAT=conv` puts PyTorch."""


@dataclass(frozen=True, slots=True)
class Layer:
    """A convolution of N images, H_in x W_in pixels with their border, IC to OC channels, K x K windows."""

    name: str
    N: int
    H_in: int
    W_in: int
    IC: int
    OC: int
    K: int
    stride: int = 1

    @property
    def output(self) -> tuple[int, int, int, int]:
        return self.N, (self.H_in - self.K) // self.stride + 1, (self.W_in - self.K) // self.stride + 1, self.OC

    @property
    def case(self) -> Case:
        """A sum of products for each output; every element of x, w and y moved once."""
        n, h, w, oc = self.output
        window = self.K * self.K * self.IC
        elements = n * self.H_in * self.W_in * self.IC + window * oc + n * h * w * oc
        return Case(self.name, 2.0 * n * h * w * oc * window, 4.0 * elements)


THESIS = Layer("3x3 128-128, 80x100", 5, 82, 102, 128, 128, 3)
RESNET = (
    Layer("conv1 7x7/2 3-64, 112", 4, 230, 230, 3, 64, 7, 2),
    Layer("conv2 1x1 64-64, 56", 4, 56, 56, 64, 64, 1),
    Layer("conv2 3x3 64-64, 56", 4, 58, 58, 64, 64, 3),
    Layer("conv2 1x1 64-256, 56", 4, 56, 56, 64, 256, 1),
    Layer("conv2 1x1 256-64, 56", 4, 56, 56, 256, 64, 1),
    Layer("conv3 3x3/2 128-128, 28", 4, 57, 57, 128, 128, 3, 2),
    Layer("conv3 1x1/2 256-512, 28", 4, 56, 56, 256, 512, 1, 2),
    Layer("conv3 3x3 128-128, 28", 4, 30, 30, 128, 128, 3),
    Layer("conv4 3x3 256-256, 14", 4, 16, 16, 256, 256, 3),
    Layer("conv4 1x1 256-1024, 14", 4, 14, 14, 256, 1024, 1),
    Layer("conv4 1x1 1024-256, 14", 4, 14, 14, 1024, 256, 1),
    Layer("conv5 3x3 512-512, 7", 4, 9, 9, 512, 512, 3),
    Layer("conv5 1x1 2048-512, 7", 4, 7, 7, 2048, 512, 1),
)
"""Layers as in He 2016, table 1, images with their border of zeros; /2 is the stride, the last number the output's width."""

STATE = """
struct conv {
    void *function;
    int64_t n;
    const float *x, *w;
    float *y;
};
typedef void (*usl_conv)(int64_t, const float *, const float *, float *);
void run_usl(void *state)
{
    const struct conv *c = state;
    ((usl_conv)c->function)(c->n, c->x, c->w, c->y);
}
"""


class State(ctypes.Structure):
    """`struct conv` of STATE."""

    _fields_ = (
        ("function", ctypes.c_void_p),
        ("n", ctypes.c_int64),
        *((array, ctypes.c_void_p) for array in "xwy"),
    )
