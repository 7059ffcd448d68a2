"""A network of integer layers as one procedure that calls them, one after another.

Activations are [pixels, channels] of int8 in main memory. Each layer is a procedure for its shape and for the classes of its
input and output (`ports`), scheduled once for all layers that are alike. It waits for the layer before it and configures the
accelerator by itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from usl_core import Procedure, proc_from_source, rename
from usl_gemmini import memories
from usl_gemmini.border import with_border
from usl_gemmini.conv import conv
from usl_gemmini.matmul import matmul
from usl_gemmini.params import GemminiParams
from usl_gemmini.pool import max_pool
from usl_gemmini.ports import PLAIN, Port
from usl_gemmini.residual import residual


@dataclass(frozen=True, slots=True)
class Tensor:
    """An activation: its name, its class of main memory and its shape."""

    name: str
    port: Port
    rows: int
    columns: int

    @property
    def type(self) -> str:
        """As a formal or an allocation says it."""
        return f"i8[{self.rows}, {self.columns}] @ {self.port.memory.name}"


@dataclass(frozen=True, slots=True)
class Operation:
    """A layer. shape is a Layer of convolution or pooling, a Border, M, N, K of a product, or rows and columns of a sum."""

    name: str
    kind: str
    shape: Any
    inputs: tuple[Tensor, ...]
    output: Tensor
    relu: bool = False

    @property
    def weights(self) -> tuple[tuple[int, ...], ...]:
        """The shapes of its weights and of its bias; none for layers without."""
        match self.kind:
            case "conv":
                layer = self.shape
                return (layer.KH, layer.KW, layer.IC, layer.OC), (layer.OC,)
            case "product":
                _, columns, depth = self.shape
                return (depth, columns), (columns,)
            case _:
                return ()

    @property
    def products(self) -> int:
        """Multiplications."""
        match self.kind:
            case "conv":
                return int(self.shape.products)
            case "product" | "average":
                M, N, K = self.shape
                return int(M * N * K)
            case _:
                return 0

    @property
    def fences(self) -> int:
        """How many fences it has: one for each class that it reads, and one at its end."""
        return 1 + len({tensor.port for tensor in self.inputs} - {PLAIN})

    def schedule(self, params: GemminiParams | None) -> Procedure:
        """Its procedure. Formals are a scale, the inputs, weights and bias if it has some, and the output.

        Raises:
            GemminiError: it does not fit the chip.
        """
        source, out = self.inputs[-1].port, self.output.port
        match self.kind:
            case "conv":
                return conv(self.shape, relu=self.relu, params=params, source=source, out=out)
            case "product":
                return matmul(*self.shape, relu=self.relu, bias="row", params=params, a=source, out=out)
            case "average":
                return matmul(*self.shape, params=params, b=source, out=out)
            case "border":
                return with_border(self.shape, params=params, out=out)
            case "pool":
                return max_pool(self.shape, params=params, source=source, out=out)
            case _:
                first = self.inputs[0].port
                return residual(*self.shape, relu=self.relu, params=params, a=first, b=source, out=out)


@dataclass(slots=True)
class Network:
    """Layers in their order. The input of the first and the output of the last are those of the network."""

    operations: list[Operation] = field(default_factory=list)

    def add(
        self,
        name: str,
        kind: str,
        shape: Any,
        inputs: tuple[Tensor, ...],
        port: Port,
        size: tuple[int, int],
        relu: bool = False,
    ) -> Tensor:
        """A layer with these inputs, whose output has this class and size."""
        self.operations.append(Operation(name, kind, shape, inputs, Tensor(f"{name}_out", port, *size), relu))
        return self.operations[-1].output

    def kept(self) -> dict[str, Tensor]:
        """The activations that are formals: inputs of the network, sums, and its output. All others are its own."""
        made = {each.output.name for each in self.operations}
        inputs = {tensor.name: tensor for each in self.operations for tensor in each.inputs if tensor.name not in made}
        last = self.operations[-1]
        return inputs | {each.output.name: each.output for each in self.operations if each.kind == "sum" or each is last}

    def procedure(self, name: str, params: GemminiParams | None = None) -> Procedure:
        """The procedure: its formals are those of `formals`, in that order.

        Raises:
            GemminiError: a layer does not fit the chip.
        """
        made: dict[tuple[Any, ...], Procedure] = {}
        kept, lines = self.kept(), []
        for each in self.operations:
            ports = (*(tensor.port for tensor in each.inputs), each.output.port)
            key = (each.kind, each.shape, each.relu, ports)
            if key not in made:
                made[key] = rename(each.schedule(params), f"{each.name}_layer")
            if each.output.name not in kept:
                lines.append(f"    {each.output.name}: {each.output.type}")
            lines.append(f"    {made[key].name()}({', '.join(name for name, _ in _arguments(each))})")
        formals = ", ".join(f"{each}: {kind}" for each, kind in self.formals())
        source = f"@proc\ndef {name}({formals}):\n" + "\n".join(lines)
        classes = {each: getattr(memories, each) for each in ("GEMMINI_OUT", "GEMMINI_OUT2", "GEMMINI_OUT3")}
        return proc_from_source(source, classes | {each.name(): each for each in made.values()})

    def formals(self) -> list[tuple[str, str]]:
        """The formals by name, with their types: scales, weights, and the activations that are kept, each once."""
        own = {each.output.name for each in self.operations} - set(self.kept())
        every = [formal for each in self.operations for formal in _arguments(each) if formal[0] not in own]
        return list(dict.fromkeys(every))


def _arguments(each: Operation) -> list[tuple[str, str]]:
    """What a layer is called with, and the types."""
    named = zip((f"{each.name}_w", f"{each.name}_b"), ("i8", "i32"), each.weights, strict=False)
    weights = [(name, f"{kind}[{', '.join(map(str, shape))}]") for name, kind, shape in named]
    inputs = [(tensor.name, tensor.type) for tensor in each.inputs]
    scales = [] if each.kind == "border" else [(f"{each.name}_scale", "f32")]
    return [*scales, *inputs, *weights, (each.output.name, each.output.type)]
