"""The conditions that rewrites stand on, asked directly: commuting, running again, covering, races."""

from __future__ import annotations

from textwrap import indent

import pytest

from tests.primitives.equivalence import parse
from usl_core.analysis.conditions import covered, instance, why_not_commuting
from usl_core.analysis.context import Context
from usl_core.analysis.effects import Summary, block_summary, replace_accesses, summary
from usl_core.analysis.parallel import check_parallel, why_not_race_free
from usl_core.analysis.repeating import why_not_running_again
from usl_core.errors import BackendError
from usl_core.ir.config import Config, ConfigField
from usl_core.ir.nodes import Block, For
from usl_core.ir.types import F32

CFG = Config("Cfg", {"a": ConfigField("a", F32)})
CHECKS = parse("def checks(n: index, x: f32): check(n > 3)")
COPY = parse("def copy(d: [f32][4], s: [f32][4]):\n    for i in seq(0, 4): d[i] = s[i]")
MAYBE = parse("def maybe(d: f32, s: f32):\n    if s < 1.0: d = 0.0")
STRIDED = parse("def strided(d: [f32][4]):\n    if stride(d, 0) == 1: d[0] = 0.0")
STORE = parse("def store(d: f32, s: f32): d = s")
SCOPE = {"Cfg": CFG, "checks": CHECKS, "copy": COPY, "maybe": MAYBE, "strided": STRIDED, "store": STORE}
HEAD = "def foo(n: size, m: index, x: f32[16], y: f32[16], z: f32[16, 16], k: i32):\n    assert m >= 0 and m < n and n < 16\n"


def code(body: str) -> tuple[Context, Block]:
    program = parse(HEAD + indent(body, "    "), **SCOPE).ir
    return Context.of_proc(program), program.body


def effect(ctx: Context, block: Block) -> Summary:
    whole = block_summary(block)
    return replace_accesses(whole, ctx.scope.resolve_all(whole.accesses))


def halves(body: str) -> tuple[Context, Summary, Summary]:
    """The effects of the two statements of a body."""
    ctx, (first, second) = code(body)
    return ctx, effect(ctx, (first,)), effect(ctx.after(first), (second,))


@pytest.mark.parametrize(
    "body",
    [
        "x[0] = 1.0\nx[0] = 2.0",
        "x[0] = 1.0\nx[0] += 2.0",
        "x[0] += 1.0\ny[0] = x[0]",
        "y[0] = x[0]\nx[0] += 1.0",
        "check(n > 3)\nx[0] = 1.0",
        "x[0] = 1.0\ncheck(n > 3)",
        "check(n > 3)\ncheck(n > 4)",
        "checks(n, x[0])\nx[1] = 1.0",
        "for i in seq(0, n): x[i] = 1.0\nfor j in seq(1, n): x[j - 1] = 2.0",
        "copy(x[0:4], y[0:4])\ncopy(x[3:7], y[4:8])",
        "copy(z[0:4, 0], y[0:4])\nz[3, 0] = 1.0",
        "if x[0] < 1.0: y[0] = 1.0\nx[0] = 2.0",
        "y[idx(k, 0, 4)] = 1.0\nk = 2",
        "y[idx(k, 0, 4)] = 1.0\ny[3] = 2.0",
        "x[0] = f32(idx(k, 0, 4))\nk = 2",
        "Cfg.a = x[0]\nx[0] = 1.0",
    ],
)
def test_code_that_touches_what_the_other_modifies_does_not_commute(body: str) -> None:
    ctx, first, second = halves(body)
    assert why_not_commuting(ctx.facts, first, second) is not None
    assert why_not_commuting(ctx.facts, second, first) is not None


@pytest.mark.parametrize(
    "body",
    [
        "x[0] += 1.0\nx[0] += 2.0",
        "x[0] = 1.0\nx[1] = 2.0",
        "y[0] = x[0]\ny[1] = x[0]",
        "x[m] = 1.0\nx[n] = 2.0",
        "check(n > 3)\npass",
        "for i in seq(0, n): x[i] = 1.0\nx[n] = 2.0",
        "copy(x[0:4], y[0:4])\ncopy(x[4:8], y[0:4])",
    ],
)
def test_code_that_touches_different_locations_or_only_reads_commutes(body: str) -> None:
    ctx, first, second = halves(body)
    assert why_not_commuting(ctx.facts, first, second) is None


def test_two_runs_of_the_same_code_are_told_apart() -> None:
    ctx, (loop,) = code("for i in seq(0, 4): x[i] += x[i + 1]")
    assert why_not_commuting(ctx.facts, summary(loop), summary(loop)) is not None


@pytest.mark.parametrize(
    "body",
    [
        "x[0] += 1.0",
        "x[0] = x[0] * 2.0",
        "for i in seq(0, 4): x[i] = x[i + 1]",
        "for i in seq(0, 4):\n    x[i] = y[i]\n    y[i + 1] = 1.0",
        "if x[0] < 1.0: x[0] = 1.0",
        "if y[0] < 1.0: x[0] = 0.0\nx[0] += 1.0",
        "maybe(x[0], y[0])\ny[0] = 2.0",
        "k = 2\nx[idx(k, 0, 4)] = 1.0\nk = 3\nx[idx(k, 0, 4)] += 1.0",
    ],
)
def test_code_that_changes_what_it_starts_from_does_not_run_again(body: str) -> None:
    ctx, block = code(body)
    assert why_not_running_again(ctx, block) is not None


@pytest.mark.parametrize(
    "body",
    [
        "x[0] = 1.0",
        "for i in seq(0, 4): x[i] = y[i]",
        "x[0] = y[0]\nif y[0] < 1.0: x[0] = 1.0",
        "check(n > 3)",
        "x[0] = 0.0\nfor i in seq(0, 4): x[0] += y[i]",
        "if y[0] < 1.0: x[0] = 1.0",
        "if y[0] < 1.0: x[0] = 1.0\nelse: x[0] = 2.0",
        "maybe(x[0], y[0])",
        "strided(z[0, 0:4])",
        "x[idx(k, 0, 4)] = 1.0",
    ],
)
def test_code_that_leaves_what_it_starts_from_runs_again(body: str) -> None:
    ctx, block = code(body)
    assert why_not_running_again(ctx, block) is None


@pytest.mark.parametrize(
    ("body", "legal"),
    [
        ("x[0] = y[0]\ny[1] = 1.0", True),
        ("x[0] = y[0]\ny[0] = 1.0", False),
        ("x[0] = y[0]\nx[0] = 1.0", False),
        ("x[0] = y[0]\ny[1] = x[0]", True),
        ("x[0] += y[0]\ny[1] = x[0]", False),
        ("check(n > 3)\nx[0] = 1.0", True),
        ("check(n > 3)\npass", True),
        ("if y[0] < 1.0: x[0] = 1.0\ny[0] = 2.0", False),
        ("if y[0] < 1.0: x[0] = 1.0\nx[0] = 2.0", False),
        ("for i in seq(0, 4): x[i] = y[i]\nfor j in seq(0, 4): y[j + 1] = 1.0", False),
    ],
)
def test_code_runs_again_if_nothing_undid_it_or_its_inputs(body: str, legal: bool) -> None:
    ctx, (first, second) = code(body)
    since = instance(effect(ctx.after(first), (second,)).accesses, {})
    assert (why_not_running_again(ctx, (first,), since=since) is None) == legal


def test_only_certain_assignments_to_the_same_buffer_cover_a_read() -> None:
    ctx, block = code("x[0] += 1.0\ny[0] = 1.0\nif y[1] < 1.0: x[0] = 2.0\nx[0] = 3.0")
    reduce, other, _, write = [next(a for a in summary(s).accesses if a.modifies) for s in block]
    maybe = next(a for a in summary(block[2]).accesses if a.modifies)
    assert covered(ctx.facts, reduce, [write])
    assert not covered(ctx.facts, reduce, [reduce])
    assert not covered(ctx.facts, reduce, [maybe])
    assert not covered(ctx.facts, reduce, [other])


def test_a_read_in_a_loop_is_not_covered_by_a_write_of_another_element_in_it() -> None:
    ctx, (loop,) = code("for i in seq(0, 4):\n    x[3 * i] = 1.0\n    y[i] = x[2 * i]")
    accesses = summary(loop).accesses
    write, read = accesses[0], next(a for a in accesses if not a.modifies)
    assert not covered(ctx.facts, read, [write])


# ---- parallel loops


@pytest.mark.parametrize(
    "body",
    ["x[0] = 1.0", "check(i < n)", "Cfg.a = 1.0", "x[i] = x[i + 1]", "w = x[0:4]\n    w[i % 4] = 1.0", "x[i / 2] = 1.0"],
)
def test_iterations_that_may_interfere_are_found(body: str) -> None:
    ctx, (loop,) = code(f"for i in seq(0, 8):\n    {body}")
    assert isinstance(loop, For)
    assert why_not_race_free(ctx, loop) is not None


@pytest.mark.parametrize(
    "around",
    ["{}", "for j in seq(0, 4):\n    {}", "if n > 3:\n    {}", "if n > 3: pass\nelse:\n    {}", "for j in par(0, 1):\n    {}"],
)
def test_parallel_loops_are_checked_wherever_they_stand(around: str) -> None:
    check_parallel(parse(HEAD + indent(around.format("for i in par(0, 8): x[i] = 1.0"), "    "), **SCOPE).ir)
    racing = parse(HEAD + indent(around.format("for i in par(0, 8): x[0] = 1.0"), "    "), **SCOPE).ir
    with pytest.raises(BackendError, match="the iterations of parallel loop i may interfere"):
        check_parallel(racing)


# ---- calls


def test_a_call_has_its_callees_checks_and_names_of_its_own() -> None:
    _, (one, two, check) = code("copy(x[0:4], y[0:4])\ncopy(x[4:8], y[4:8])\nchecks(n, x[0])")
    assert summary(check).checks
    assert not summary(one).checks
    assert not set(summary(one).accesses[0].iters) & set(summary(two).accesses[0].iters)
