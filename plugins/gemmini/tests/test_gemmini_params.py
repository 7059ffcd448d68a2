"""Parameters: what they give, and what no chip can have."""

from __future__ import annotations

import pytest

from usl_core.errors import JitError
from usl_gemmini import GemminiError, GemminiParams, SimulatorError
from usl_gemmini.header import header
from usl_gemmini.library import compile_c
from usl_gemmini.sim import Simulator


def test_the_default_chip_is_that_of_the_sheet():
    chip = GemminiParams()
    assert (chip.sp_rows, chip.sp_bank_rows, chip.acc_rows, chip.acc_bank_rows) == (16384, 4096, 1024, 512)
    assert (chip.row_bits, chip.sum_bits, chip.max_bytes, chip.max_block_len) == (14, 20, 64, 4)
    assert chip.header_name == "gemmini.h"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"dim": 5}, "dim must be a positive power of two, got 5"),
        ({"dim": 64}, "dim must be one of 4, 8, 16, 32, got 64"),
        ({"sp_kib": 0}, "sp_kib must be a positive power of two"),
        ({"acc_kib": 48}, "acc_kib must be a positive power of two"),
        ({"sp_kib": 2.5}, "sp_kib must be an integer"),
        ({"sp_kib": True}, "sp_kib must be an integer"),
        ({"dim": 32, "acc_kib": 1}, "acc_kib=1 in 2 banks gives banks of 4 rows"),
        ({"dim": 4, "sp_kib": 1 << 17}, "rows need 25 bits"),
    ],
)
def test_parameters_that_no_chip_has_are_refused(fields, message):
    with pytest.raises(GemminiError, match=message):
        GemminiParams(**fields)


def test_each_parameter_changes_the_hash():
    chips = [GemminiParams(), GemminiParams(dim=8), GemminiParams(sp_kib=128), GemminiParams(acc_kib=32)]
    chips += [GemminiParams(sp_banks=2), GemminiParams(acc_banks=1)]
    assert len({chip.hash for chip in chips}) == len(chips)
    assert all(f"0x{chip.hash:016x}" in header(chip) for chip in chips)


def test_c_of_another_chip_does_not_compile():
    text = f'#include "gemmini.h"\nGEMMINI_REQUIRE_PARAMS(0x{GemminiParams(dim=8).hash:x});\n'
    with pytest.raises(JitError) as caught:
        compile_c(text)
    assert "generated for a Gemmini of other parameters" in str(caught.value)
    compile_c(text.replace("gemmini.h", GemminiParams(dim=8).header_name), GemminiParams(dim=8))


def test_the_simulator_refuses_commands_of_an_object_made_for_another_chip(chip):
    other = GemminiParams(dim=8).hash
    call = f"gemmini_sim_issue(0x{other:x}u, GEMMINI_FLUSH, 0, 0);"
    text = f'#include "gemmini.h"\nvoid flush(void);\nvoid flush(void) {{ {call} }}\n'
    library = compile_c(text)
    with pytest.raises(SimulatorError, match=f"compiled for parameters 0x{other:016x}"), chip.session():
        library.flush()


def test_chips_of_two_dimensions_live_in_one_process(chip):
    small = Simulator(GemminiParams(dim=4))
    for each in (chip, small):
        text = f'#include "{each.params.header_name}"\nvoid zero(void);\nvoid zero(void) {{ gemmini_config_ld(0);\n'
        with each.session():
            compile_c(text + "gemmini_mvin(0, 0); }\n", each.params).zero()
            assert each.local(0, 1).count() == each.params.dim
