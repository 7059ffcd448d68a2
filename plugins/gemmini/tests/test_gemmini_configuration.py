"""Configuration is written as rarely as can be: what each instruction would set for itself, `hoist_config` sets once."""

from __future__ import annotations

import pytest

from usl_core import SchedulingError, delete_config
from usl_core.cursors import CallCursor
from usl_gemmini.chip import chip
from usl_gemmini.configuration import configure_array
from usl_gemmini.conv import conv
from usl_gemmini.decode import name_of
from usl_gemmini.kernels_matmul import ALGORITHMS
from usl_gemmini.kernels_registers import SETTINGS
from usl_gemmini.layers import Layer
from usl_gemmini.matmul import configured_commands, cut, cut_for, matmul, stage
from usl_gemmini.recording import record
from usl_stdlib import count_config_writes, max_config_writes

KERNELS = {
    "matmul": lambda: matmul(64, 128, 96),
    "matmul_tails_row": lambda: matmul(40, 80, 50, bias="row", relu=True),
    "matmul_matrix": lambda: matmul(33, 65, 17, bias="matrix"),
    "conv": lambda: conv(Layer(2, 12, 12, 32, 32, 3, 3)),
}


def config_commands(p):
    return sum((name_of(funct, rs1) or "").startswith("config") for funct, rs1, _ in record(p).tolist())


def setters(p):
    return [stmt for stmt in p.body() if isinstance(stmt, CallCursor) and stmt.subproc().name().startswith("config")]


@pytest.mark.parametrize("name", KERNELS)
def test_no_redundant_write_remains(name):
    p = KERNELS[name]()
    found = setters(p)
    assert max_config_writes(p, 1, SETTINGS) is p and config_commands(p) == len(found) >= 4
    for setter in found:
        with pytest.raises(SchedulingError, match="may be read before it is written again"):
            delete_config(p, setter)


@pytest.mark.parametrize("bias", ["none", "row"])
def test_without_hoisting_each_instruction_sets_its_channel_every_time(bias):
    target = chip()
    shape = cut_for(64, 128, 96, target.params)
    p = ALGORITHMS[bias](False).partial_eval(M=64, N=128, K=96)
    p = configured_commands(stage(cut(p, shape, bias), shape, target), shape, target, False, bias)
    names = [name_of(funct, rs1) for funct, rs1, _ in record(p).tolist()]
    assert config_commands(p) == sum(names.count(name) for name in ("mvin", "mvin2", "mvin3", "mvout", "preload"))
    with pytest.raises(SchedulingError, match=r"max_config_writes: .* may be written more than"):
        max_config_writes(p, 1, SETTINGS)


def test_a_contract_about_some_records_leaves_out_others():
    p = matmul(32, 32, 32)
    assert count_config_writes(p).static[SETTINGS[0], "dataflow"] == 1
    with pytest.raises(SchedulingError, match=r"FENCE\.pending may be written more than"):
        max_config_writes(p, 1)


def test_a_second_configuration_of_the_same_values_is_redundant():
    p = matmul(32, 32, 32)
    q = configure_array(p, chip())
    assert len(setters(q)) == len(setters(p)) + 1
    q = delete_config(q, setters(q)[0])
    assert str(q) == str(p) and q.history()[-1].modulo == frozenset()
