"""Instructions of a small unit whose registers are variables in C, so that compiled programs show what was set in them.

The registers are write-only in the language: only an instruction (`probe`, `gained`) lets a program see them.
"""

from __future__ import annotations

from usl_core.ir.config import Config, ConfigField
from usl_core.ir.types import INDEX
from usl_core.procedure import Procedure, proc_from_source
from usl_core.scheduling import make_instr

UNIT = Config("Unit", {"gain": ConfigField("gain", INDEX, readable=False), "lane": ConfigField("lane", INDEX, readable=False)})
_STATE = "__attribute__((unused)) static int64_t unit_gain, unit_lane;\n"


def _instruction(text: str, template: str) -> Procedure:
    return make_instr(proc_from_source(text, {"Unit": UNIT}), template, c_global=_STATE)


INSTRUCTIONS = {
    instruction.name(): instruction
    for instruction in (
        _instruction("def set_gain(v: index):\n    Unit.gain = v\n", "unit_gain = {v};"),
        _instruction("def set_lane(v: index):\n    Unit.lane = v\n", "unit_lane = {v};"),
        _instruction(
            "def set_unit(v: index):\n    Unit.gain = v\n    Unit.lane = v + 1\n", "unit_gain = {v}; unit_lane = {v} + 1;"
        ),
        _instruction(
            "def probe(dst: [i32][2]):\n    dst[0] = i32(Unit.gain)\n    dst[1] = i32(Unit.lane)\n",
            "{dst.ptr}[0] = (int32_t)unit_gain; {dst.ptr}[{dst.stride0}] = (int32_t)unit_lane;",
        ),
        _instruction(
            "def gained(n: size, dst: [i32][n], src: [i32][n]):\n"
            "    for i in seq(0, n):\n        dst[i] = src[i] + i32(Unit.gain)\n",
            "for (int64_t k_ = 0; k_ < {n}; k_++) {{ {dst.ptr}[k_ * {dst.stride0}] = "
            "(int32_t)((uint32_t){src.ptr}[k_ * {src.stride0}] + (uint32_t)unit_gain); }}",
        ),
        _instruction("def touch(n: size, src: [i32][n]):\n    pass\n", "(void){src.ptr};"),
        _instruction(
            "def twice(dst: [i32][4]):\n    for i in seq(0, 4):\n        dst[i] += dst[i]\n",
            "for (int64_t k_ = 0; k_ < 4; k_++) {{ {dst.ptr}[k_ * {dst.stride0}] = "
            "(int32_t)(2u * (uint32_t){dst.ptr}[k_ * {dst.stride0}]); }}",
        ),
    )
}
"""By name."""
