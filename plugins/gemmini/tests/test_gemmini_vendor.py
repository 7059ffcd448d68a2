"""What stands in the page's table of a vendor's problems, one program each where no other test has it."""

from __future__ import annotations

import pytest

from usl_core import SchedulingError, UslError, delete_config, insert_noop_call, proc_from_source, reorder_stmts, replace
from usl_gemmini import memories
from usl_gemmini.chip import chip
from usl_gemmini.kernels_registers import BY_NAME, FENCE
from usl_gemmini.matmul import matmul
from usl_stdlib import holds_at_end

NAMES = {name: getattr(memories, name) for name in ("GEMMINI_OUT", "SPAD", "ACC")} | BY_NAME


def test_a_schedule_that_lost_its_fence_is_refused():
    p = matmul(32, 32, 32)
    assert "FENCE" not in p.assurance()
    without = delete_config(p, "fence(_)")
    assert "FENCE.pending" in without.assurance()
    with pytest.raises(SchedulingError, match=r"FENCE\.pending may hold something else than False at the end"):
        holds_at_end(without, FENCE, "pending", False)


def test_plain_code_cannot_touch_outputs():
    p = proc_from_source("def f(C: i8[16] @ GEMMINI_OUT):\n    for i in seq(0, 16):\n        C[i] = 1\n", NAMES)
    with pytest.raises(UslError, match="GEMMINI_OUT cannot be written by plain C"):
        p.c_code()


def test_a_fence_stays_behind_the_stores_that_it_waits_for():
    p = matmul(16, 16, 16)
    fence = p.find("fence(_)")
    with pytest.raises(SchedulingError):
        reorder_stmts(p, fence.expand(1, 0))


def test_assertions_are_about_control_values():
    with pytest.raises(UslError, match="an assertion must depend on control values only"):
        proc_from_source("def f(x: i8[4]):\n    assert LD0.scale == 1.0\n    x[0] = 0\n", NAMES)


def test_a_field_stands_for_the_scalar_that_it_holds():
    target = chip()
    p = proc_from_source(
        """
def f(s: f32, y: i8[16, 16] @ GEMMINI_OUT):
    sum: i32[1, 16, 16] @ ACC
    FENCE.pending = True
    for r in seq(0, 16):
        for c in seq(0, 16):
            y[r, c] = i8(rne(f32(sum[c / 16, r, c % 16]) * s))
""",
        NAMES | {"rne": __import__("usl_gemmini.rounding", fromlist=["rne"]).rne},
    )
    p = insert_noop_call(p, p.body()[0].before(), target["config_st"], [16, 0, "s"])
    assert "mvout(16, 16, y" in str(replace(p, p.find_loop("r").expand(1, 0), target["mvout"]))


def test_no_caller_is_asked_to_have_set_a_record():
    p = proc_from_source("def f(x: i8[4]):\n    assert EX.dataflow == 1\n    x[0] = 0\n", NAMES)
    with pytest.raises(UslError, match="asserts on the write-only field"):
        p.c_code()
