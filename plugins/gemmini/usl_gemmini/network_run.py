"""Networks on arrays: random weights, a run on the simulator, what NumPy gives, and how long each layer takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from usl_gemmini.decode import name_of
from usl_gemmini.layers import Border, Layer
from usl_gemmini.network import Network, Operation
from usl_gemmini.sim import Simulator
from usl_gemmini.trace import Trace

Values = dict[str, Any]
"""Arrays and scales by the names of a network's formals."""


def aligned(array: np.ndarray) -> np.ndarray:
    """The same elements from a multiple of 64 bytes on, so that no row of a transfer is split."""
    room = np.empty(array.nbytes + 64, np.uint8)
    start = -room.ctypes.data % 64
    copy: np.ndarray = room[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


def random_values(network: Network, seed: int = 0) -> Values:
    """Input, weights and scales with which activations keep about the same size; what the network writes is zeros."""
    rng, values = np.random.default_rng(seed), Values()
    for each in network.operations:
        if each.kind != "border":
            values[f"{each.name}_scale"] = np.float32(scale_of(each))
        for tensor in each.inputs:
            if tensor.name == "ones":  # for each image a row with ones for its pixels
                pixels = np.ones(tensor.columns // tensor.rows, np.int8)
                values["ones"] = aligned(np.kron(np.eye(tensor.rows, dtype=np.int8), pixels))
            elif tensor.name not in values:
                values[tensor.name] = aligned(rng.integers(-128, 128, (tensor.rows, tensor.columns), np.int8))
        for end, shape in zip("wb", each.weights, strict=False):
            low, high, kind = (-128, 128, np.int8) if end == "w" else (-4096, 4096, np.int32)
            values[f"{each.name}_{end}"] = aligned(rng.integers(low, high, shape, kind))
    for tensor in network.kept().values():
        if tensor.name not in values:
            values[tensor.name] = aligned(np.zeros((tensor.rows, tensor.columns), np.int8))
    return values


def scale_of(each: Operation) -> float:
    """What brings random sums of a layer back to int8."""
    match each.kind:
        case "conv" | "product":
            return 1 / (50 * float(np.sqrt(np.prod(each.weights[0][:-1]))))
        case "average":
            return float(each.shape[0] / each.shape[2])
        case "pool":
            return 1.0
        case _:
            return 0.9


def run(network: Network, kernel: Any, values: Values, sim: Simulator) -> Trace:
    """Runs the compiled procedure of a network, which fills the activations that are kept, and returns its commands.

    Raises:
        SimulatorError: a command that hardware would fail on.
    """
    arguments = [values[name] for name, _ in network.formals()]
    with sim.session(record=True):
        kernel(*arguments)
        sim.host_reads(values[network.operations[-1].output.name])
    return sim.trace()


def expected(network: Network, values: Mapping[str, Any]) -> Iterator[tuple[Operation, np.ndarray]]:
    """What NumPy gives for each layer, from its own results for the layers before."""
    known = dict(values)
    for each in network.operations:
        inputs = [known[tensor.name] for tensor in each.inputs]
        out = _expected(each, inputs, known)
        known[each.output.name] = out
        yield each, out


def _expected(each: Operation, inputs: list[np.ndarray], values: Mapping[str, Any]) -> np.ndarray:
    if each.kind == "border":
        return _bordered(each.shape, inputs[0])
    scale = values[f"{each.name}_scale"]
    match each.kind:
        case "pool":
            return _windows(each.shape, inputs[0], scale)
        case "conv":
            sums = _sums(each.shape, inputs[0], values[f"{each.name}_w"]) + values[f"{each.name}_b"]
        case "product":
            sums = _exact(inputs[0], values[f"{each.name}_w"]) + values[f"{each.name}_b"]
        case "average":
            sums = _exact(*inputs)
        case _:
            sums = inputs[0].astype(np.int64) + inputs[1]
    result = _read_out(sums.astype(np.int32), scale)
    return np.maximum(result, 0) if each.relu else result


def _read_out(sums: np.ndarray, scale: np.float32) -> np.ndarray:
    small: np.ndarray = np.clip(np.rint(sums.astype(np.float32) * scale), -128, 127).astype(np.int8)
    return small


def _exact(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The product in doubles, which is exact here, and fast."""
    return (a.astype(np.float64) @ b.astype(np.float64)).astype(np.int64)


def _bordered(border: Border, x: np.ndarray) -> np.ndarray:
    below, right = border.HO - border.above - border.HI, border.WO - border.left - border.WI
    images = x.reshape(border.N, border.HI, border.WI)
    return np.pad(images, ((0, 0), (border.above, below), (border.left, right))).reshape(-1, border.WO)


def _images(layer: Layer, x: np.ndarray) -> np.ndarray:
    if layer.slide:
        windows = np.lib.stride_tricks.sliding_window_view(x.reshape(layer.N, layer.HI, layer.WI), layer.IC, axis=2)
        return windows[:, :, :: layer.slide]
    border = (layer.pad, layer.pad)
    return np.pad(x.reshape(layer.N, layer.HI, layer.WI, layer.IC), ((0, 0), border, border, (0, 0)))


def _taps(layer: Layer, images: np.ndarray) -> Iterator[tuple[int, int, np.ndarray]]:
    """For each place in a window the pixels there, [pixels, channels]."""
    across = 1 if layer.slide else layer.step
    high, wide = layer.step * (layer.H - 1) + 1, across * (layer.W - 1) + 1
    for r in range(layer.KH):
        for c in range(layer.KW):
            pixels = images[:, r : r + high : layer.step, c : c + wide : across]
            yield r, c, np.ascontiguousarray(pixels).reshape(-1, layer.IC)


def _sums(layer: Layer, x: np.ndarray, w: np.ndarray) -> np.ndarray:
    parts = (_exact(pixels, w[r, c]) for r, c, pixels in _taps(layer, _images(layer, x)))
    sums: np.ndarray = np.sum(list(parts), axis=0)
    return sums


def _windows(layer: Layer, x: np.ndarray, scale: np.float32) -> np.ndarray:
    images = _images(layer, _read_out(x.astype(np.int32), scale))
    most: np.ndarray = np.max([pixels for _, _, pixels in _taps(layer, images)], axis=0)
    return most


def layers_of(network: Network, trace: Trace) -> Iterator[tuple[Operation, Trace]]:
    """The commands of each layer: a layer ends with a fence, and begins with one for each class of outputs that it reads."""
    fences = [place for place, (funct, rs1, _) in enumerate(trace.tolist()) if name_of(funct, rs1 & 3) == "fence"]
    begin, passed = 0, 0
    for each in network.operations:
        passed += each.fences
        end = fences[passed - 1] + 1
        yield each, trace[begin:end]
        begin = end
