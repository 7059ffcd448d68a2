"""The semantics rule by rule: fig. 2.6 as corrected against the oracle, fig. 2.8 by the machine, state by state."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from halide_pipelines import pipeline

from usl_core.errors import UslError
from usl_halide_lib import hl
from usl_halide_lib.lang import rewrites
from usl_halide_lib.lang.collect import collect, inputs_of
from usl_halide_lib.lang.evaluate import evaluator
from usl_halide_lib.lang.inference import infer
from usl_halide_lib.lang.interp import Oracle, image_reader, parameters
from usl_halide_lib.lang.lower import lower
from usl_halide_lib.lang.nodes import ImageRead, Name, Op, Read, Sort, number
from usl_halide_lib.lang.reference_engine import reference
from usl_halide_lib.lang.target import (
    Allocate,
    Assert,
    Assign,
    For,
    If,
    Let,
    LoopKey,
    Mode,
    Nop,
    Seq,
    Target,
    statements,
)
from usl_halide_lib.lang.target_interp import Machine, Stuck
from usl_halide_lib.lang.types import BOOL, I32
from usl_halide_lib.lang.values import EPS_MEM, EPS_RDOM, Eps, guarded, operation

x = hl.Var("x")


class Rules:
    """Fig. 2.6 as it is printed, with the corrections of halide.md §15: all updates of a reduction one after the other, each a
    choice between its value and what the func was before it."""

    def __init__(self, algorithm, inputs):
        self.algorithm, self.params = algorithm, parameters(algorithm, inputs, True)
        self.images, self.known = inputs, {}
        self.updates = {func.name: list(self.unrolled(func)) for func in algorithm.funcs}

    def unrolled(self, func):
        """[RDOM-EVAL]: for each update of each stage its reduction variables' values, r_1 fastest."""
        for stage in func.stages[1:]:
            ranges = []
            for rvar in reversed(stage.rvars):
                low, length = (evaluator(each, None, True)(self.params) for each in (rvar.min, rvar.extent))
                if length < 0:
                    raise ValueError("ε_rdom")
                ranges.append([(rvar.name, low + k) for k in range(length)])
            for values in itertools.product(*ranges):
                yield stage, dict(values)

    def value(self, func, point, count=None):
        """f[c̄] after `count` of its updates: [FUNC-EVAL] without any, else [UPDATE-EVAL]."""
        definition, updates = self.algorithm.func(func), self.updates[func]
        count = len(updates) if count is None else count
        key = func, point, count
        if key not in self.known:
            variables = dict(zip(definition.args, point, strict=True))
            if count == 0:
                self.known[key] = [self.evaluated(each, variables, func, 0) for each in definition.stages[0].values]
            else:
                stage, rvars = updates[count - 1]
                env = {**variables, **rvars}

                def run(node):
                    return self.evaluated(node, env, func, count - 1)

                hit = all(run(index) == place for index, place in zip(stage.index, point, strict=True))
                taken = hit and (stage.pred is None or run(stage.pred))
                self.known[key] = list(map(run, stage.values)) if taken else self.value(func, point, count - 1)
        return self.known[key]

    def evaluated(self, node, variables, func, before):
        """[FUNC-ARG-EVAL], [OP-EVAL] and so on; reads of func itself see `before` updates."""

        def access(read, index):
            if isinstance(read, ImageRead):
                return image_reader(read, index, self.images[read.image], True)
            count = before if read.func == func else None
            return lambda env: self.value(read.func, tuple(each(env) for each in index), count)[read.part]

        return evaluator(node, access, True)({**self.params, **variables})


@pytest.mark.parametrize("seed", range(30))
def test_the_oracle_is_figure_2_6(seed):
    made = pipeline(seed)
    program = collect([made.output])
    inputs = inputs_of(program)
    rules = Rules(program.algorithm, inputs)
    expected = Oracle(program.algorithm, inputs).realize(made.output.name(), made.window)
    for point, values in list(expected.items())[:12]:
        assert rules.value(made.output.name(), point) == list(values)


def test_errors_are_sticky_and_the_greatest_wins():
    add = guarded(operation("add", (I32, I32), I32, True), 2)
    assert EPS_RDOM < EPS_MEM and add(1, EPS_RDOM) == EPS_RDOM and add(EPS_MEM, EPS_RDOM) == EPS_MEM
    neg = guarded(operation("neg", (I32,), I32, True), 1)
    assert neg(EPS_MEM) == EPS_MEM
    select = guarded(operation("select", (BOOL, I32, I32), I32, True), 3)
    assert select(EPS_RDOM, 1, 2) == EPS_RDOM and select(1, 5, EPS_MEM) == 5 and select(0, EPS_MEM, 6) == 6
    assert select(1, 5, EPS_RDOM) == EPS_RDOM and select(1, EPS_MEM, EPS_RDOM) == EPS_MEM


def test_a_negative_domain_is_an_error_at_each_place_that_it_may_write():
    p, f, g = hl.Param(hl.Int(32), "p", -1), hl.Func("f"), hl.Func("g")
    f[x] = x
    r = hl.RDom([(0, p)], "r")
    f[r] += 1
    g[x] = f[x] + 1
    program = collect([g])
    oracle = Oracle(program.algorithm, inputs_of(program))
    assert oracle.at("g", (3,)) == (EPS_RDOM,)
    with pytest.raises(UslError) as caught:
        oracle.realize("g", [(0, 2)])
    assert caught.value.code == "E787"


# ---- fig. 2.8


def place(value):
    return (number(value),)


def read(at):
    return Read("f", place(at) if isinstance(at, int) else (at,), 0, I32, 0)


def write(at, value):
    given = number(value) if isinstance(value, int) else value
    return Assign("f", 0, place(at) if isinstance(at, int) else (at,), (given,))


def allocate(length, low=0):
    return Allocate("f", ((number(low), number(length)),))


def machine(*stmts, window=(0, 4)):
    f = hl.Func("f")
    f[x] = x
    return Machine(Target(collect([f]).algorithm, Seq(stmts)), lambda hole: hole, {}, {"f": [window]})


def after(*stmts, **options):
    return {at: value for (at,), (value,) in machine(*stmts, **options).run()["f"].values.items()}


def stuck(kind, *stmts):
    with pytest.raises(Stuck) as caught:
        machine(*stmts).run()
    assert caught.value.kind == kind


K = LoopKey("f", 0, "k")


def test_sequence_assignment_and_reading():
    assert after(allocate(4), write(1, 5), Nop(), write(2, Op("add", (read(1), number(1)), I32))) == {1: 5, 2: 6}


def test_an_allocation_forgets_what_was_there():
    assert after(allocate(4), write(1, 5), allocate(4), write(0, 1)) == {0: 1}
    assert after(allocate(4), write(1, 5), allocate(4), write(0, read(1))) == {0: EPS_MEM}


def test_assertions():
    assert after(allocate(4), Assert(Op("lt", (number(1), number(2)), BOOL)), write(0, 1)) == {0: 1}
    stuck("assert", allocate(4), Assert(Op("lt", (number(2), number(1)), BOOL)))
    stuck("branch", allocate(4), Assert(Op("lt", (read(0), number(1)), BOOL)))


def test_branches():
    cond = Op("lt", (number(1), number(2)), BOOL)
    assert after(allocate(4), If(cond, write(0, 1), write(0, 2))) == {0: 1}
    assert after(allocate(4), If(Op("not", (cond,), BOOL), write(0, 1), write(0, 2))) == {0: 2}
    stuck("branch", allocate(4), If(Op("lt", (read(0), number(1)), BOOL), write(0, 1)))


def test_loops_run_over_minimum_and_length_in_order():
    body = write(Op("mod", (K.name(), number(2)), I32), K.name())
    assert after(allocate(4), For(K, number(3), number(4), body, True)) == {0: 6, 1: 5}
    assert after(allocate(4), For(K, number(3), number(0), body, True)) == {}
    stuck("extent", allocate(4), For(K, number(3), number(-1), body, True))


def test_the_name_of_a_let_ends_with_its_statement():
    inner = Let(K, number(1), write(K.name(), 7))
    assert after(allocate(4), inner, Let(K, number(2), write(K.name(), 8))) == {1: 7, 2: 8}
    with pytest.raises(KeyError):
        machine(allocate(4), inner, write(K.name(), 9)).run()


def test_accesses_out_of_bounds_are_stuck_on_both_sides():
    stuck("write", allocate(4), write(4, 1))
    stuck("write", allocate(4, low=1), write(0, 1))
    stuck("read", allocate(4), write(0, read(-1)))
    stuck("write", allocate(4), write(read(0), 1))  # an index that nobody computed


def test_what_nobody_computed_spreads_and_is_counted():
    run = machine(allocate(4), write(1, Op("add", (read(0), number(1)), I32)))
    assert isinstance(run.run()["f"].values[1,][0], Eps) and run.trace.poison_reads == 1


@pytest.mark.parametrize("mode", [Mode.PARALLEL, Mode.VECTORIZED])
def test_iterations_at_once_run_in_any_order_and_do_not_meet(mode):
    body = write(K.name(), K.name())
    assert after(allocate(4), For(K, number(0), number(4), body, True, mode)) == {0: 0, 1: 1, 2: 2, 3: 3}
    stuck("race", allocate(4), For(K, number(0), number(4), write(0, K.name()), True, mode))
    above = write(Op("add", (K.name(), number(1)), I32), read(K.name()))
    stuck("race", allocate(5), write(0, 1), For(K, number(0), number(4), above, True, mode))
    private = Seq((allocate(1), write(0, K.name())))
    assert machine(allocate(1), For(K, number(0), number(4), private, True, mode)).run()


def test_a_window_is_bound_when_the_pipeline_is_realized():
    low, length = Name("f.min.0", Sort.PARAM), Name("f.len.0", Sort.PARAM)
    stmts = (Allocate("f", ((low, length),)), For(K, low, length, write(K.name(), 1), True))
    assert after(*stmts, window=(-2, 3)) == {-2: 1, -1: 1, 0: 1}


# ---- all together


@pytest.mark.parametrize("seed", range(40, 52))
def test_oracle_and_lowered_programs_with_either_engine_agree(seed):
    """Within the quality constraint (def. 2.5): where β0 asserts nothing, β gives the pipeline's values; and it answers."""
    made = pipeline(seed)
    program = collect([made.output])
    inputs, name = inputs_of(program), made.output.name()
    expected = Oracle(program.algorithm, inputs).realize(name, made.window)
    target = lower(program.algorithm)
    plain = reference(target)
    fills = [infer(target).fill] + ([] if plain.has_failed else [plain.fill])
    for fill in fills:
        values = Machine(target, fill, inputs, {name: made.window}).run()[name].values
        assert all(values[at] == expected[at] for at in expected)


def test_parallel_refuses_a_loop_whose_predicate_reads_what_it_writes():
    f, r = hl.Func("f"), hl.RDom([(1, 8)], "r")
    f[x] = x
    r.where(f[r - 1] > 2)
    f[r] = f[r] + 1
    loop = LoopKey("f", 1, "r")
    target = lower(collect([f]).algorithm)
    with pytest.raises(UslError, match="iterations of a reduction meet") as caught:
        rewrites.traverse(target, loop, Mode.PARALLEL)
    assert caught.value.code == "E779"
    forced = Target(target.algorithm, rewrites.replaced(target, loop, with_mode(target, loop)).body)
    with pytest.raises(Stuck, match="race"):
        Machine(forced, infer(forced).fill, {}, {"f": [(0, 9)]}).run()


def with_mode(target, key):
    return replace(next(s for s in statements(target.body) if isinstance(s, For) and s.key == key), mode=Mode.PARALLEL)


def test_parallel_allows_a_reduction_whose_iterations_are_known_to_be_apart():
    f, r = hl.Func("f"), hl.RDom([(1, 8), (0, 3)], "r")
    f[x] = x
    r.where(f[2 * r.x] > 2)
    f[2 * r.x] = f[2 * r.x] * 3 + r.y
    target = lower(collect([f]).algorithm)
    split = rewrites.split(target, LoopKey("f", 1, "r$x"), "ro", "ri", 3)
    expected = Machine(target, infer(target).fill, {}, {"f": [(0, 12)]}).run()["f"].values
    for each in ("ro", "ri"):
        wide = rewrites.traverse(split, LoopKey("f", 1, each), Mode.PARALLEL)
        assert Machine(wide, infer(wide).fill, {}, {"f": [(0, 12)]}).run()["f"].values == expected
    with pytest.raises(UslError):
        rewrites.traverse(split, LoopKey("f", 1, "r$y"), Mode.PARALLEL)


def test_a_trailing_identity_changes_nothing():
    made = pipeline(7)
    program = collect([made.output])
    before = Oracle(program.algorithm, inputs_of(program)).realize(made.output.name(), made.window)
    last, variables = hl.Func("last"), made.output.args()
    last[tuple(variables)] = made.output[tuple(variables)]
    program = collect([last])
    inputs = inputs_of(program)
    target = lower(program.algorithm)
    values = Machine(target, infer(target).fill, inputs, {"last": made.window}).run()["last"].values
    assert all(values[at] == before[at] for at in before)
