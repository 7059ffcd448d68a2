"""The C program that calls compiled procedures on given data: what it is fed, what it answers, and its text.

It reads the storage of all runs from standard input and writes back, for each run, its number, the configuration, the storage
and the status. Each storage is a heap block of its own of exactly its size, so that a sanitizer sees every step outside of it.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from usl_c11.emit import Library
from usl_c11.names import legal
from usl_c11.types import spelling, window_struct
from usl_core.errors import NOWHERE
from usl_core.interp import Buffer, ConfigKey
from usl_core.interp.encoding import bits_of, numbers_of
from usl_core.ir.config import Config
from usl_core.ir.nodes import Arg, Proc
from usl_core.ir.types import B8, BOOL, ControlType, ScalarType, TensorType, scalar_of
from usl_core.ir.written import written_formals

HEAD = """
/* The driver. */
#include <stdio.h>
#include <stdlib.h>

__attribute__((unused)) static void *driver_take(size_t bytes)
{
    void *block = malloc(bytes);
    if (block == NULL || fread(block, 1, bytes, stdin) != bytes)
        exit(90);
    return block;
}

static void driver_put(const void *block, size_t bytes)
{
    if (fwrite(block, 1, bytes, stdout) != bytes)
        exit(91);
}
"""

_FORMATS = {
    "f16": "e",
    "f32": "f",
    "f64": "d",
    "i8": "b",
    "i16": "h",
    "i32": "i",
    "i64": "q",
    "u8": "B",
    "u16": "H",
    "u32": "I",
    "u64": "Q",
    "b8": "B",
}
"""Of an element in memory, as `struct` spells it."""


def packed(scalar: ScalarType, values: Sequence[Any]) -> bytes:
    """The bytes of elements; values are those of the interpreter's machine mode."""
    if scalar.is_encoded:
        return bytes(bits_of(np.array(values), scalar).astype(f"<u{width(scalar)}"))
    if scalar == B8:  # every byte but 0 is True
        return bytes((1, 2, 255)[position % 3] if value else 0 for position, value in enumerate(values))
    return struct.pack(f"<{len(values)}{_FORMATS[scalar.name]}", *values)


def unpacked(scalar: ScalarType, data: bytes) -> list[Any]:
    if scalar.is_encoded:
        found: list[Any] = numbers_of(np.frombuffer(data, f"<u{width(scalar)}"), scalar).tolist()
        return found
    if scalar == B8:
        return [int(byte != 0) for byte in data]
    return [value for (value,) in struct.iter_unpack(f"<{_FORMATS[scalar.name]}", data)]


def width(scalar: ScalarType) -> int:
    """Bytes of one element."""
    return scalar.bits // 8 if scalar.is_encoded else struct.calcsize(f"<{_FORMATS[scalar.name]}")


@dataclass(frozen=True)
class Run:
    """One call: control values and views by name of formal; views of one storage share its list of values."""

    proc: Proc
    values: dict[str, int | bool | Buffer]
    configs: dict[ConfigKey, Any] = field(default_factory=dict)

    def storages(self) -> list[tuple[ScalarType, list[Any]]]:
        """The lists behind the views, each once, in the order of the formals."""
        found = {id(v.data): (v.scalar, v.data) for v in self.values.values() if isinstance(v, Buffer)}
        return list(found.values())


@dataclass(frozen=True)
class Answer:
    """What one run left: its status, the storages, the readable fields."""

    status: int
    storages: list[list[Any]]
    configs: dict[ConfigKey, Any]


def driver_text(lib: Library, runs: Sequence[Run]) -> str:
    """C to be appended to the library's source: a `main` that makes the runs in order."""
    parts = [HEAD, *(_run_text(number, run, lib) for number, run in enumerate(runs))]
    calls = "".join(f"    run_{number}();\n" for number in range(len(runs)))
    return "\n".join([*parts, f"int main(void)\n{{\n{calls}    return 0;\n}}\n"])


def _run_text(number: int, run: Run, lib: Library) -> str:
    storages = run.storages()
    lines = [f"const int number = {number};", "driver_put(&number, sizeof number);"]
    for k, (scalar, data) in enumerate(storages):
        lines.append(f"{spelling(scalar, NOWHERE)} *s{k} = driver_take({len(data)} * sizeof *s{k});")
    names = {id(data): f"s{k}" for k, (_, data) in enumerate(storages)}
    actuals = [_actual(arg, run, names) for arg in run.proc.args]
    context = run.proc in lib.contexts
    if context:
        lines.append(f"struct {lib.name}_ctx ctx = {{0}};")
        lines += [f"ctx.{_member(config, name)} = {_literal(run.configs[config, name])};" for config, name in fields(lib)]
        actuals = ["&ctx", *actuals]
    lines.append(f"const int status = {run.proc.name}({', '.join(actuals)});")
    lines.append("driver_put(&status, sizeof status);")
    for k, (_, data) in enumerate(storages):
        lines += [f"driver_put(s{k}, {len(data)} * sizeof *s{k});", f"free(s{k});"]
    if context:
        lines += [f"driver_put(&ctx.{member}, sizeof ctx.{member});" for member in (_member(c, n) for c, n in fields(lib))]
    lines.append("fflush(stdout);")
    body = "\n".join(f"    {line}" for line in lines)
    return f"static void run_{number}(void)\n{{\n{body}\n}}\n"


def fields(lib: Library) -> list[ConfigKey]:
    """What the context holds."""
    return [(config, name) for config in lib.configs for name, known in config.fields.items() if known.readable]


def _member(config: Config, name: str) -> str:
    return f"{legal(config.name)}.{legal(name)}"


def _literal(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return value.hex() if isinstance(value, float) else str(value)


def _actual(arg: Arg, run: Run, names: dict[int, str]) -> str:
    value = run.values[arg.name.name]
    if not isinstance(value, Buffer):
        return _literal(value)
    place = f"{names[id(value.data)]} + {value.offset}"
    if isinstance(arg.type, TensorType) and arg.type.window:
        tag = window_struct(scalar_of(arg.type), len(value.shape), arg.name not in written_formals(run.proc))
        return f"(struct {tag}){{{place}, {{{', '.join(map(str, value.strides))}}}}}"
    return place


def fed(runs: Sequence[Run]) -> bytes:
    """What the driver reads."""
    return b"".join(packed(scalar, data) for run in runs for scalar, data in run.storages())


def answers(lib: Library, runs: Sequence[Run], output: bytes) -> Iterator[Answer]:
    """What the driver wrote, run by run; fewer answers than runs if it stopped in the middle of one."""
    place = 0

    def take(count: int) -> bytes:
        nonlocal place
        if place + count > len(output):
            raise EOFError
        place += count
        return output[place - count : place]

    for number, run in enumerate(runs):
        try:
            found, status = struct.unpack("<ii", take(8))
            assert found == number
            storages = [unpacked(scalar, take(len(data) * width(scalar))) for scalar, data in run.storages()]
            configs = {}
            if run.proc in lib.contexts:
                for config, name in fields(lib):
                    form = _control_format(config.fields[name].type)
                    configs[config, name] = struct.unpack(form, take(struct.calcsize(form)))[0]
        except EOFError:
            return
        yield Answer(status, storages, configs)


def _control_format(typ: Any) -> str:
    if isinstance(typ, ControlType):
        return "<?" if typ is BOOL else "<q"
    return f"<{_FORMATS[typ.name]}"
