"""The timing model, one rule of the fact sheet at a time."""

from __future__ import annotations

from pathlib import Path

import pytest

from usl_gemmini import GemminiError, GemminiParams
from usl_gemmini.timing import CAUSES, CONSTANTS, constants, simulate
from usl_gemmini.trace import trace_of
from usl_gemmini.words import ACC, ACC_ADD, GARBAGE, command

EX = command("config_ex", dataflow=1)
LD = command("config_ld", stride=64)
ST = command("config_st", stride=64)
BANK = 4096


def pair(a, b, c=ACC, rows=16):
    compute = "compute_accumulated" if b == GARBAGE else "compute_preloaded"
    return [
        command("preload", bd=b, bd_cols=16, bd_rows=16, c=c, c_cols=16, c_rows=rows),
        command(compute, a=a, a_cols=16, a_rows=rows, bd=GARBAGE),
    ]


def mvin(local, cols=16, rows=16, dram=1 << 20):
    return command("mvin", dram=dram, local=local, cols=cols, rows=rows)


def cycles(commands, **changed):
    return simulate(trace_of(commands), **changed).cycles


def per_more(make, few=20, many=120, **changed):
    """Cycles that one more of many equal parts takes."""
    return (cycles(make(many), **changed) - cycles(make(few), **changed)) / (many - few)


def test_the_constants_stand_in_one_table():
    names = [each.name for each in CONSTANTS]
    assert len(set(names)) == len(names)
    assert all(each.source and each.certainty for each in CONSTANTS)
    default = constants(GemminiParams())
    assert (default["read_latency"], default["write_latency"], default["result_latency"]) == (100, 250, 50)


def test_the_page_has_the_table_of_constants(chip):
    page = (Path(__file__).resolve().parents[3] / "docs" / "gemmini.md").read_text(encoding="utf-8")
    for each in CONSTANTS:
        assert f"| `{each.name}` | {each.of(GemminiParams())} | {each.certainty} | {each.source} | {each.meaning} |" in page


def test_pairs_share_slots_of_16_cycles(chip):
    assert per_more(lambda n: [EX, *pair(0, BANK) * n], issue=1) == 16


def test_operands_in_one_bank_cost_32_cycles(chip):
    assert per_more(lambda n: [EX, *pair(0, 64) * n], issue=1) == 32
    timing = simulate(trace_of([EX, *pair(0, 64) * 100]), issue=1)
    assert timing.limit == "bank conflicts"


def test_pairs_of_kept_weights_cost_their_rows_and_at_least_4(chip):
    for rows, expected in ((16, 16), (9, 9), (4, 4), (1, 4)):
        assert per_more(lambda n, rows=rows: [EX, *pair(0, BANK), *pair(0, GARBAGE, rows=rows) * n], issue=1) == expected


def test_short_blocks_with_new_weights_cost_16_cycles(chip):
    assert per_more(lambda n: [EX, *pair(0, BANK, rows=3) * n], issue=1) == 16
    assert simulate(trace_of([EX, *pair(0, BANK, rows=3) * 100]), issue=1).limit == "short blocks"


@pytest.mark.parametrize("issue", [10, 20])
def test_a_slow_host_costs_its_commands(chip, issue):
    assert per_more(lambda n: [EX, *pair(0, BANK), *pair(0, GARBAGE, rows=4) * n], issue=issue) == 2 * issue


def test_wide_rows_use_the_read_transactions_better(chip):
    wide = per_more(lambda n: [LD, *[mvin(64 * i, cols=64) for i in range(n)]], issue=1)
    narrow = per_more(lambda n: [LD, *[mvin(16 * i) for i in range(n)]], issue=1)
    assert wide == pytest.approx(16 * 100 / 16, abs=1)  # 16 in flight: 10.24 bytes a cycle
    assert narrow == pytest.approx(16 * 100 / 16, abs=1)  # 2.56 bytes a cycle


def test_rows_that_are_not_aligned_take_more_transactions(chip):
    there = (1 << 20) + 32
    assert per_more(lambda n: [LD, *[mvin(64 * i, cols=64, dram=there) for i in range(n)]], issue=1) == pytest.approx(
        200, abs=2
    )


def test_zeros_cost_a_cycle_a_row_and_no_traffic(chip):
    assert per_more(lambda n: [LD, *[mvin(ACC, cols=64, dram=0)] * n], issue=1) == pytest.approx(64, abs=1)


def test_a_repeated_row_is_read_once(chip):
    broadcast = command("config_ld", stride=0)
    once = per_more(lambda n: [broadcast, *[mvin(16 * i) for i in range(n)]], issue=1)
    assert once < 60


def test_scaling_takes_four_cycles_a_row(chip):
    scaled = command("config_ld", stride=64, scale=0.5)
    fast = {"issue": 1, "read_latency": 10}
    assert per_more(lambda n: [scaled, *[mvin(16 * i, cols=64, rows=1) for i in range(n)]], **fast) == pytest.approx(16, abs=1)


@pytest.mark.parametrize("latency", [200, 300])
def test_stores_are_bound_by_their_latency(chip, latency):
    def stores(n):
        return [ST, *[command("mvout", dram=(1 << 20) + 1024 * i, local=ACC, cols=64, rows=16) for i in range(n)]]

    assert per_more(stores, issue=1, write_latency=latency, rewrite_latency=latency) == pytest.approx(latency, abs=2)


def test_pooling_reads_a_row_for_each_element_of_a_window(chip):
    pool = {"pool_stride": 2, "pool_size": 2, "pool_out_dim": 2, "porows": 2, "pocols": 2, "orows": 4, "ocols": 4}
    config = command("config_st", stride=64, **pool)
    many = [config, *[command("mvout", dram=(1 << 20) + 4096 * i, local=ACC, cols=16) for i in range(50)]]
    assert simulate(trace_of(many), issue=1, write_latency=1, rewrite_latency=1).cycles == pytest.approx(50 * 16, abs=160)


def test_a_product_waits_for_what_it_reads_and_an_mvout_for_the_product(chip):
    commands = [EX, LD, ST, mvin(0), mvin(BANK), *pair(0, BANK), command("mvout", dram=1 << 21, local=ACC, cols=16, rows=16)]
    timing = simulate(trace_of(commands), issue=1)
    events = {event.command: event for event in timing.timeline()}
    assert events[5].begun >= events[4].released
    assert events[7].begun >= events[5].released
    assert timing.cycles >= events[7].released + 200
    assert [event.unit for event in timing.timeline()][3:] == ["load", "load", "execute", "execute", "store"]


def test_transfers_into_a_bank_delay_reads_of_it(chip):
    zeros = [mvin(1024, cols=64, dram=0)]
    free = [mvin(2 * BANK, cols=64, dram=0)]
    work = [*pair(0, BANK) * 4]
    slow = simulate(trace_of([EX, LD, *(work + zeros) * 20]), issue=1)
    quick = simulate(trace_of([EX, LD, *(work + free) * 20]), issue=1)
    assert quick.causes["transfers into a bank"] == 0
    assert slow.cycles > quick.cycles + 500
    assert slow.causes["transfers into a bank"] == slow.cycles - quick.cycles


def test_a_burst_of_loads_blocks_the_host(chip):
    loads = [mvin(2 * BANK + 64 * i, cols=64) for i in range(32)]
    burst = simulate(trace_of([EX, LD, *pair(0, BANK) * 10, *loads, *pair(0, BANK, ACC_ADD) * 200]), issue=1)
    assert burst.blocked["load"] > 1000
    assert burst.limit == "load"


def test_config_ex_drains_the_array(chip):
    preload = 16  # alone; the slot of the compute is a part of the drain
    assert 50 <= per_more(lambda n: [EX, *[*pair(0, BANK), EX] * n], issue=1) - preload <= 70


def test_a_fence_waits_for_the_last_write(chip):
    store = command("mvout", dram=1 << 20, local=ACC, cols=16, rows=1)
    assert cycles([ST, store, command("fence"), EX], issue=1) > 210


def test_causes_account_for_every_cycle(chip):
    timing = simulate(trace_of([EX, LD, mvin(0), mvin(BANK), *pair(0, BANK) * 30, command("fence")]))
    assert sum(timing.causes[cause] for cause in CAUSES) == timing.cycles
    assert timing.causes["execute"] == 30 * 16
    assert "utilisation" in timing.summary()


def test_wrong_constants_and_endless_commands_are_refused(chip):
    with pytest.raises(GemminiError, match="no constant 'latency'"):
        simulate(trace_of([]), latency=3)
    with pytest.raises(GemminiError, match="issue must be at least 1"):
        simulate(trace_of([]), issue=0)
    with pytest.raises(GemminiError, match="writes = 65; it has room for 64"):
        simulate(trace_of([]), writes=65)
    with pytest.raises(GemminiError, match="do not end"):
        simulate(trace_of([EX, pair(0, BANK)[0]]))
