"""Functions of four registers at once: what four calls that `interleave` put beside each other become by `replace_all`.

    p, vectors = vectorize(p, "i", 8, AVX512, isa.for_lanes(8))
    p, _ = interleave(p, vectors.loop, 4)
    p = replace_all(p, isa.instructions("fours"))

Their bodies are four calls of an instruction of `usl_avx512.isa.functions`, and they give the same bits.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from usl_avx512.isa import functions
from usl_avx512.isa.families import Lanes, Source, Table, family
from usl_avx512.isa.function_texts import alone, four_texts
from usl_avx512.isa.lanes import PD, PS

if TYPE_CHECKING:
    from usl_core import Procedure

FOURS = range(4)


def _of_four(name: str, function: str, row: Lanes) -> Iterator[Source]:
    """The instruction of a C function on four registers."""
    operands = ("src", "power") if function == "pow" else ("src",)
    registers = [f"{operand}{at}" for operand in ("dst", *operands) for at in FOURS]
    actual = ", ".join(f"{'&' if register.startswith('dst') else ''}{{{register}}}" for register in registers)
    formals = ", ".join(f"{register}: [$t][$l] @ $m" for register in registers)
    called = f"{row.p}_{function}_{row.s}"
    lines = [f"    {called}({', '.join(f'{operand}{at}[0:$l]' for operand in ('dst', *operands))})" for at in FOURS]
    options = functions.TWO_ULPS if function == "pow" else functions.ONE_ULP
    text = "\n".join([f"@instr('{name}({actual});', {options})", f"def ${{p}}x4_{function}_$s({formals}):", *lines])
    yield from family(text, row, calls=partial(_called, called))


def _called(name: str) -> dict[str, Procedure]:
    return {name: functions.TABLE.find(name)}


def _all() -> Iterator[Source]:
    for row in (PS, PD):
        for name in four_texts():
            function, _, suffix = alone(name).removeprefix("usl_avx512_").rpartition("_")
            if suffix == row.s:
                yield from _of_four(name, function, row)


TABLE = Table(__name__, _all())


def __getattr__(name: str) -> Any:
    return TABLE.find(name)
