"""Procedures on vectors as C functions on registers: the text that `isa.functions` makes instructions of.

The loop of a procedure is cut to one register, vectorized by the instructions of the package, and its C taken out of the
library that the backend makes of it. `python tools/functions.py` writes the functions of all procedures to isa/functions.h.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from usl_avx512 import isa
from usl_avx512.isa.function_texts import FILE, function_texts
from usl_avx512.memories import AVX512
from usl_c11.emit import library
from usl_core import Procedure
from usl_core.scheduling import partial_eval, rename, set_window, simplify
from usl_stdlib import vectorize

LANES = {"f32": 16, "f64": 8}
SUFFIXES = {"f32": "ps", "f64": "pd"}
VECTORS = {"f32": "__m512", "f64": "__m512d"}

TABLES = ("basics", "floats", "exponents", "choices", "bits", "integers", "conversions", "casts")


@cache
def instructions(typ: str) -> tuple[Procedure, ...]:
    """What functions on f32 or f64 are made of: operations of this type and of integers as wide."""
    bits = typ[1:]
    types = frozenset({typ, f"i{bits}", f"u{bits}"})
    return tuple(_found(LANES[typ], types))


def _found(lanes: int, types: frozenset[str]) -> Iterator[Procedure]:
    from importlib import import_module

    for name in TABLES:
        table = import_module(f"usl_avx512.isa.{name}").TABLE
        for each in table.of_lanes(lanes, frozenset(isa.PLAIN), types):
            if "_mask" not in each:
                yield table.find(each)


def on_registers(p: Procedure, typ: str) -> Procedure:
    """A procedure on vectors for as many elements as a register has, by instructions."""
    p = partial_eval(p, LANES[typ])
    for operand in [arg.name() for arg in p.args()]:
        p = set_window(p, operand, False)
    p, _ = vectorize(p, "i", LANES[typ], AVX512, instructions(typ), tail="perfect")
    return simplify(p)


def c_function(p: Procedure, name: str, typ: str) -> str:
    """A procedure on vectors x (and z) and y as a C function on registers, which takes x (and z) and returns y."""
    made = library([rename(on_registers(p, typ), "body").ir], "body", exported=False).files["body.c"]
    found = re.search(r"^static void body_body\(.*?\)\n\{\n(.*?)^\}\n", made, flags=re.MULTILINE | re.DOTALL)
    assert found is not None, made
    s, vector = SUFFIXES[typ], VECTORS[typ]
    body = re.sub(rf"_mm512_loadu_{s}\((\w)\)", r"\1", found[1])
    body = re.sub(rf"_mm512_storeu_{s}\(y, (\w+)\);", r"return \1;", body)
    assert "loadu" not in body and "storeu" not in body, body
    formals = [arg.name() for arg in p.args() if arg.is_tensor() and arg.name() != "y"]
    head = f"static inline {vector} {name}({', '.join(f'{vector} {formal}' for formal in formals)})"
    return f"{head}\n{{\n{body}}}\n"


def procedures() -> dict[str, tuple[Procedure, str]]:
    """By the name of its C function: each procedure, and its type."""
    from usl_avx512.functions import kernels_f32

    found = {}
    for module in (kernels_f32,):
        for name, value in vars(module).items():
            if isinstance(value, Procedure):
                function, _, typ = name.rpartition("_")
                found[f"usl_avx512_{function}_{SUFFIXES[typ]}"] = (value, typ)
    return found


HEAD = """\
/* Functions on registers, from the procedures in usl_avx512/functions. Do not edit: `python tools/functions.py` writes this. */
"""


def section(name: str, p: Procedure, typ: str) -> str:
    """A C function with its guard."""
    return f"#ifndef {name.upper()}\n#define {name.upper()}\n{c_function(p, name, typ)}#endif\n"


def write(names: Sequence[str] = ()) -> list[str]:
    """Write the header again, or only the functions of these names; what is different now."""
    old, new = function_texts(), {}
    for name, (p, typ) in procedures().items():
        wanted = not names or name.split("_")[2] in names or name not in old
        new[name] = section(name, p, typ) if wanted else old[name]
    FILE.write_text(HEAD + "\n" + "\n".join(new.values()), encoding="utf-8")
    return [name for name, text in new.items() if old.get(name) != text]
