"""A small vector machine for tests of automation: registers of four lanes, and instructions with and without masks."""

from __future__ import annotations

import re
from typing import Any

from usl_core.ir.memory import Memory
from usl_core.procedure import Procedure, proc_from_source

LANES = 4


class Reg(Memory):
    """Registers of four lanes."""

    name = "Reg"
    addressable = False


class Half(Memory):
    """Registers of four narrow lanes."""

    name = "Half"
    addressable = False


MEMORIES: dict[str, Any] = {"Reg": Reg, "Half": Half}

BODIES = {
    "load": "dst[i] = src[i]",
    "store": "mem[i] = src[i]",
    "copy": "dst[i] = a[i]",
    "set1": "dst[i] = value",
    "add": "dst[i] = a[i] + b[i]",
    "sub": "dst[i] = a[i] - b[i]",
    "mul": "dst[i] = a[i] * b[i]",
    "neg": "dst[i] = -a[i]",
    "fma": "dst[i] += a[i] * b[i]",
    "accumulate": "dst[i] += a[i]",
    "less": "dst[i] = min(a[i], b[i])",
    "more": "dst[i] = max(a[i], b[i])",
    "absolute": "dst[i] = abs(a[i])",
    "choose": "dst[i] = select(a[i], b[i], c[i], d[i])",
}
"""What each instruction does with lane i. src of load and mem are in DRAM, value is one number, the others are registers."""


def instruction(name: str, body: str, masked: bool, scalar: str = "f32") -> Procedure:
    """An instruction as a procedure: a loop over the lanes, those below n if masked."""
    known = {"value": f"value: {scalar}", "mem": f"mem: [{scalar}][{LANES}]"}
    if name == "load":
        known["src"] = f"src: [{scalar}][{LANES}]"
    formals = [known.get(each, f"{each}: [{scalar}][{LANES}] @ Reg") for each in _names(body)]
    if masked:
        formals = ["n: size", *(each.replace(f"][{LANES}]", "][n]") if "Reg" not in each else each for each in formals)]
    guard = ["        if i < n:", f"            {body}"] if masked else [f"        {body}"]
    asserts = [f"    assert stride({each.split(':')[0]}, 0) == 1" for each in formals if "[" in each]
    head = f"def {'mask_' if masked else ''}{name}({', '.join(formals)}):"
    return proc_from_source("\n".join([head, *asserts, f"    for i in seq(0, {LANES}):", *guard]) + "\n", MEMORIES)


def _names(body: str) -> list[str]:
    order = ("dst", "mem", "src", "value", "a", "b", "c", "d")
    return [each for each in order if each in re.findall(r"\w+", body)]


PLAIN = [instruction(name, body, False) for name, body in BODIES.items()]
MASKED = [instruction(name, body, True) for name, body in BODIES.items()]
MACHINE = [*PLAIN, *MASKED]


def program(text: str) -> Procedure:
    """A procedure from text."""
    return proc_from_source(text.strip() + "\n", MEMORIES)
