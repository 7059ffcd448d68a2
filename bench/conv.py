"""Convolutions with ReLU against oneDNN (channels last): the layer of Reinking 2022, table 3.2, and layers of ResNet-50.

`python -m bench conv` builds our side, and has this module measure both in a process of its own, in the environment that has
PyTorch. There this project is not installed: nothing is scheduled, the sources only have to be found.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench import versus
from bench.peak import PeakProbe
from bench.toolchain import ToolError, run_tool
from bench.versus import Case, Row, TimingLoop

if TYPE_CHECKING:
    from numpy.typing import NDArray

FORMS = ("oneDNN pointwise", "oneDNN prepacked")
"""`_convolution_pointwise` looks for the primitive each time, `conv2d_run` keeps it; the faster one of a case counts."""
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


@dataclass(frozen=True, slots=True)
class Built:
    """A layer of ours, compiled: where, under which name, and how many channels a block of its weights has."""

    layer: Layer
    library: str
    symbol: str
    block: int


def build(layer: Layer) -> Built:
    """Schedule and compile our side; in the environment of this project."""
    from usl_avx512.conv import Shape, blocking_of
    from usl_avx512.kernels.conv import conv_path, flattened, symbol

    _, h, w, oc = layer.output
    shape = flattened(Shape(h, w, oc, layer.H_in, layer.W_in, layer.IC, layer.K, layer.K, layer.stride))
    return Built(layer, str(conv_path(shape)), symbol(shape), blocking_of(layer.K, layer.K, layer.IC, oc).channels)


class Peer:
    """oneDNN through PyTorch, called from C.

    Raises:
        ImportError: this environment has no PyTorch. ToolError: conv_onednn.cpp does not compile against it.
    """

    def __init__(self) -> None:
        import torch
        from torch.utils import cpp_extension

        torch.set_num_threads(1)
        self.version = f"PyTorch {torch.__version__}, {onednn_version(torch.__config__.show())}"
        self._directory = tempfile.TemporaryDirectory(prefix="usl-onednn-")
        library = Path(self._directory.name, "onednn.so")
        folders = [f"-I{folder}" for folder in cpp_extension.include_paths()]
        libraries = [option for folder in cpp_extension.library_paths() for option in (f"-L{folder}", f"-Wl,-rpath,{folder}")]
        source = str(Path(__file__).with_name("conv_onednn.cpp"))
        flags = ["-std=c++20", "-O1", "-fPIC", "-shared"]
        run_tool(["c++", *flags, *folders, source, *libraries, "-ltorch_cpu", "-lc10", "-o", str(library)])
        self.library = ctypes.CDLL(str(library))
        self.library.onednn_layer.restype = self.library.onednn_result.restype = ctypes.c_void_p
        run = ctypes.cast(self.library.run_onednn, ctypes.c_void_p).value
        assert run is not None
        self.run: int = run

    def prepared(self, layer: Layer, x: NDArray[Any], w: NDArray[Any]) -> dict[str, int]:
        """The state of each form that PyTorch accepts; w is (KH, KW, IC, OC)."""
        import numpy as np

        plain = np.ascontiguousarray(w.transpose(3, 2, 0, 1))
        sizes = [ctypes.c_int64(size) for size in (layer.N, layer.H_in, layer.W_in, layer.IC)]
        more = [ctypes.c_int64(size) for size in (layer.OC, layer.K, layer.stride)]
        forms = {}
        for form, name in enumerate(FORMS):
            image, weights = (ctypes.c_void_p(array.ctypes.data) for array in (x, plain))
            state = self.library.onednn_layer(form, image, *sizes, weights, *more)
            if state is not None:
                forms[name] = state
        return forms

    def result(self, state: int, shape: Sequence[int]) -> NDArray[Any]:
        """What the last run of a state left."""
        import numpy as np

        data = self.library.onednn_result(ctypes.c_void_p(state))
        if data is None:
            raise ToolError("oneDNN's result is not laid out as N, H, W, C")
        return np.ctypeslib.as_array(ctypes.cast(data, ctypes.POINTER(ctypes.c_float)), tuple(shape))


def onednn_version(config: str) -> str:
    """The line of PyTorch's configuration about oneDNN, once called MKL-DNN."""
    return next((line.strip(" -") for line in config.splitlines() if "MKL-DNN" in line), "oneDNN of unknown version")


def compare(built: Built, loop: TimingLoop, peer: Peer | None, rounds: int) -> Row:
    """Run both sides on the same random images and weights, require the same results, let them take turns."""
    import numpy as np

    from usl_avx512.kernels.conv import aligned, pack

    layer, random = built.layer, np.random.default_rng(16)
    x = aligned((layer.N, layer.H_in, layer.W_in, layer.IC))
    x[...] = random.uniform(-1, 1, x.shape)
    w = random.uniform(-1, 1, (layer.K, layer.K, layer.IC, layer.OC)).astype(np.float32)
    packed, y = pack(w, built.block), aligned(layer.output)
    function = ctypes.cast(getattr(ctypes.CDLL(built.library), built.symbol), ctypes.c_void_p).value
    state = State(function, layer.N, *(array.ctypes.data for array in (x, packed, y)))
    contestants: dict[str, tuple[int, Sequence[int]]] = {versus.OURS: (loop.address("run_usl"), [ctypes.addressof(state)])}
    forms = peer.prepared(layer, x, w) if peer is not None else {}
    for name, prepared in forms.items():
        assert peer is not None
        contestants[name] = (peer.run, [prepared])
    row = loop.measure(layer.case, contestants, rounds)
    for prepared in forms.values():
        assert peer is not None
        # Both round each step of a sum: of K K IC products of numbers up to 1, so that they differ by at most twice that bound.
        terms = layer.K * layer.K * layer.IC
        np.testing.assert_allclose(y, peer.result(prepared, layer.output), rtol=0, atol=2 * terms * terms * 2.0**-24)
    return row


def measure(plan: Sequence[Built], rounds: int) -> dict[str, Any]:
    """Rows for all layers, in this process: with oneDNN if its environment is this one."""
    versus.pin()
    missing: list[str] = []
    try:
        peer = Peer()
    except (ImportError, OSError, ToolError) as error:
        peer, missing = None, [f"oneDNN: {error}"]
    from usl_avx512.cpu import cpu_features

    rows, peaks = [], []
    print(versus.heading([versus.OURS, *(FORMS if peer else ())]))
    with TimingLoop(STATE) as loop, PeakProbe(cpu_features()) as probe:
        for built in plan:
            peaks.append(probe.gflops(repeats=3))
            rows.append(compare(built, loop, peer, rounds))
            peaks.append(probe.gflops(repeats=3))
            print(versus.line(rows[-1], max(peaks)), flush=True)
        bandwidth = loop.bandwidth()
    return {
        "rows": [row.as_json() for row in rows],
        "peak_gflops": max(peaks),
        "bandwidth_gbs": bandwidth,
        "peers": [peer.version] if peer else [],
        "missing": missing,
    }


def in_environment(rounds: int, only: Sequence[str] = ()) -> dict[str, Any]:
    """Build our side here, and have it measured where PyTorch is, or here if it is nowhere."""
    plan = [build(layer) for layer in (THESIS, *RESNET) if not only or layer.name in only]
    python = str(ENVIRONMENT / "bin" / "python") if (ENVIRONMENT / ".installed").exists() else sys.executable
    with tempfile.TemporaryDirectory(prefix="usl-conv-") as folder:
        file = Path(folder, "plan.json")
        file.write_text(json.dumps([asdict(built) for built in plan]), encoding="utf-8")
        arguments = ["--plan", str(file), "--rounds", str(rounds)]
        return versus.run_pinned("bench.conv", *arguments, python=python)


def judge(result: dict[str, Any]) -> list[str]:
    """The goals that are missed."""
    rows = [Row.from_json(row) for row in result["rows"]]
    compared = [row for row in rows if row.peers]
    found = versus.missed(compared, LAYER_GOAL)
    layers = [versus.ratio_to_best(row).median for row in compared if row.case.name != THESIS.name]
    if layers and versus.geometric_mean(layers) < GEOMETRIC_MEAN * versus.TOLERANCE:
        found.append(f"geometric mean of the ratios on ResNet-50: {versus.geometric_mean(layers):.3f}, goal {GEOMETRIC_MEAN}")
    for row in rows:
        share = row.gflops(versus.OURS) / result["peak_gflops"]
        if row.case.name == THESIS.name and share < SHARE_OF_PEAK * versus.TOLERANCE:
            found.append(f"{row.case.name}: {100 * share:.1f} % of the peak, goal {100 * SHARE_OF_PEAK:.0f} %")
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.conv")
    parser.add_argument("--plan", type=Path, required=True, help="what was built, as JSON")
    parser.add_argument("--rounds", type=int, default=15)
    chosen = parser.parse_args(arguments)
    plan = json.loads(chosen.plan.read_text(encoding="utf-8"))
    print(json.dumps(measure([Built(**built | {"layer": Layer(**built["layer"])}) for built in plan], chosen.rounds)))


if __name__ == "__main__":
    main()
