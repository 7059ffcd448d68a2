"""Lowering, the bounds query and its two engines: target programs compute what the oracle says, in memory that is enough."""

from __future__ import annotations

import itertools
import random
import sys

import pytest
from halide_pipelines import Pipeline, pipeline

from usl_core.errors import UslError
from usl_halide_lib import hl
from usl_halide_lib.lang import rewrites
from usl_halide_lib.lang.collect import collect, inputs_of
from usl_halide_lib.lang.engine import Extremes, Range
from usl_halide_lib.lang.evaluate import evaluator
from usl_halide_lib.lang.inference import infer, node_of
from usl_halide_lib.lang.interp import Oracle
from usl_halide_lib.lang.linear import Facts, const
from usl_halide_lib.lang.lower import lower
from usl_halide_lib.lang.nodes import Algorithm, show
from usl_halide_lib.lang.normal import Normal
from usl_halide_lib.lang.query import Family
from usl_halide_lib.lang.reference_engine import reference
from usl_halide_lib.lang.target import LoopKey, cpu, mem, text
from usl_halide_lib.lang.target_interp import Machine, Stuck

x, y = hl.vars("x y")


def two_stage():
    g, f = hl.Func("g"), hl.Func("f")
    g[x] = x * x
    f[x] = g[x] + g[x + 1]
    return f


def test_lowering_is_figure_2_9():
    f, r = two_stage(), hl.RDom([(0, 3), (0, 2)], "r")
    r.where(r.x > r.y)
    f[x] += r.x
    assert text(lower(collect([f]).algorithm).body) == (
        "allocate g([?mem g_0.min, ?mem g_0.len])\n"
        "label g:\n"
        "  label g.s0:\n"
        "    for g.s0.x in (?cpu g_0.min, ?cpu g_0.len):\n"
        "      g^0[g.s0.x] ← g.s0.x * g.s0.x\n"
        "allocate f([?mem f_0.min, ?mem f_0.len])\n"
        "label f:\n"
        "  label f.s0:\n"
        "    for f.s0.x in (?cpu f^{0,}_0.min, ?cpu f^{0,}_0.len):\n"
        "      f^0[f.s0.x] ← g[f.s0.x] + g[f.s0.x + 1]\n"
        "  label f.s1:\n"
        "    for f.s1.x in (?cpu f_0.min, ?cpu f_0.len):\n"
        "      for f.s1.r$y in (0, 2):\n"
        "        for f.s1.r$x in (0, 3):\n"
        "          if f.s1.r$x > f.s1.r$y:\n"
        "            f^1[f.s1.x] ← f^0[f.s1.x] + f.s1.r$x\n"
    )


def boxes(func):
    """What β finds for the funcs of a pipeline at the root, as texts."""
    algorithm = collect([func]).algorithm
    bounds = infer(lower(algorithm))
    return {
        each.name: [show(bounds.fill(hole)) for dim in range(len(each.args)) for hole in mem(each.name, dim)]
        for each in algorithm.funcs
    }


def test_figure_2_1_is_exact():
    assert boxes(two_stage()) == {"g": ["f.min.0", "f.len.0 + 1"], "f": ["f.min.0", "f.len.0"]}


@pytest.mark.parametrize(
    ("index", "box"),
    [
        (lambda: 2 * x + 1, ["2 * f.min.0 + 1", "2 * f.len.0 - 1"]),
        (lambda: x - x % 4, ["4 * (f.min.0 / 4)", "4 * ((f.len.0 + f.min.0 + 3) / 4) - 3 - 4 * (f.min.0 / 4)"]),
        (lambda: hl.clamp(x, 0, 9), ["max(min(f.min.0, 9), 0)", None]),
        (lambda: 3 - x, ["4 - f.len.0 - f.min.0", "f.len.0"]),
        (lambda: hl.RDom([(1, 5)], "r") + x, ["f.min.0 + 1", "f.len.0 + 4"]),
    ],
)
def test_boxes_of_usual_accesses_are_exact(index, box):
    g, f = hl.Func("g"), hl.Func("f")
    g[x] = x
    f[x] = 0
    f[x] += g[index()]
    found = boxes(f)["g"]
    assert [a for a, b in zip(found, box, strict=True) if b is not None] == [b for b in box if b is not None]


def test_what_has_no_bounds_is_refused_where_it_is_read():
    table, f, g = hl.Func("table"), hl.Func("f"), hl.Func("g")
    table[x] = x
    g[x] = x * x * x
    f[x] = table[g[x]]
    with pytest.raises(UslError) as caught:
        boxes(f)
    assert caught.value.code == "E784" and caught.value.span.file == __file__
    assert "table is read at g[" in str(caught.value) and "hl.clamp" in str(caught.value)


def test_values_that_a_type_or_a_definition_limits_are_bounds():
    table, f, g = hl.Func("table"), hl.Func("f"), hl.Func("g")
    table[x] = x
    g[x] = hl.clamp(x * x, 3, 9)
    f[x] = table[hl.u8(x)] + table[-g[x]]
    assert boxes(f)["table"] == ["-9", "265"]


def test_stages_of_one_func_are_chained():
    """Without `?cpu f^i ⊆ ?cpu f^{i-1}` the first stage would only compute what the second reads."""
    f = hl.Func("f")
    f[x] = x
    f[0] = f[3] + 5
    algorithm = collect([f]).algorithm
    bounds = infer(lower(algorithm))
    low, high = bounds.interval(Family("cpu", "f", 0), 0)
    assert "f.min.0" in low.names and "f.len.0" in high.names


def test_a_scan_needs_its_earlier_iterations():
    """The source asks for what a place reads only where the place is wanted; a scan reaches back further."""
    f, r = hl.Func("f"), hl.RDom([(1, 9)], "r")
    f[x] = x
    f[r] = f[r] + f[r - 1]
    made = Pipeline(f, [(7, 2)])
    check_confluence(made)


def test_a_predicate_narrows_what_is_computed():
    g, f, r = hl.Func("g"), hl.Func("f"), hl.RDom([(0, 100)], "r")
    g[x] = x
    f[x] = 0
    r.where(r < 10)
    f[x] += g[r]
    assert boxes(f)["g"] == ["0", "10"]


def test_the_end_of_a_quotient_is_not_as_printed():
    """x div y is printed as 2M - 1 values from -M, which misses x itself: x of {0, 1}, x div 1."""
    g, f = hl.Func("g"), hl.Func("f")
    g[x] = x * 7
    f[x] = g[x / 1]
    target = lower(collect([f]).algorithm)
    machine = Machine(target, reference(target).fill, {}, {"f": [(0, 2)]})
    assert machine.run()["f"].values == {(0,): (0,), (1,): (7,)}


def test_a_select_narrows_what_its_operands_must_have_right():
    """Memory is for all that is read, as both operands are evaluated; what is right is asked of the one that is taken."""
    g, f = hl.Func("g"), hl.Func("f")
    g[x] = x * x
    f[x] = hl.select(x < 3, g[x + 10], g[x - 10])
    target = lower(collect([f]).algorithm)
    bounds = infer(target)
    machine = Machine(target, bounds.fill, {}, {"f": [(0, 6)]})
    values = machine.run()["f"].values
    assert [values[at,][0] for at in range(6)] == [100, 121, 144, 49, 36, 25]
    assert machine.buffers["g"].box == ((-10, 26),)
    low = bounds.interval(Family("cpu", "g"), 0)[0]
    assert show(node_of(low)) == "min(max(f.min.0, 3) - 10, f.min.0 + 10)"
    low = infer(target, choosing=False).interval(Family("cpu", "g"), 0)[0]
    assert show(node_of(low)) == "f.min.0 - 10"
    h = hl.Func("h")
    h[x] = hl.select(x < 3, g[x + 10], 0) + hl.select(x > 90, g[x], 1)
    machine = Machine(target := lower(collect([h]).algorithm), infer(target).fill, {}, {"h": [(0, 6)]})
    values = machine.run()["h"].values
    assert [values[at,][0] for at in range(6)] == [101, 122, 145, 1, 1, 1]
    assert machine.trace.computed["g"] < 16 and machine.trace.poison_reads > 0


def test_what_finds_a_place_is_right_on_either_side_of_a_select():
    """`table[g[x]]` is read where it is not taken, too: a wrong g[x] would be a place outside of the table."""
    table, g, f = hl.Func("table"), hl.Func("g"), hl.Func("f")
    table[x] = x
    g[x] = hl.clamp(x, 0, 3)
    f[x] = hl.select(x > 100, table[g[x]], 7)
    target = lower(collect([f]).algorithm)
    machine = Machine(target, infer(target).fill, {}, {"f": [(0, 4)]})
    assert machine.run()["f"].values[2,] == (7,) and machine.trace.computed["g"] == 4


@pytest.mark.parametrize(
    ("index", "box"),
    [
        (lambda: hl.select(x < 0, 0 - x, x), (0, 6)),
        (lambda: hl.select(x > 2, 2, hl.select(x < -1, -1, x)) + 5, (4, 7)),
        (lambda: hl.select(x % 2 == 0, x, x + 1), (-3, 7)),
    ],
)
def test_an_index_may_choose(index, box):
    g, f = hl.Func("g"), hl.Func("f")
    g[x] = x
    f[x] = g[index()]
    made = Pipeline(f, [(-3, 10)])
    check_confluence(made)
    bounds = infer(lower(collect([f]).algorithm))
    env = {"f.min.0": -3, "f.len.0": 10}
    low, high = (evaluator(node_of(end), None, True)(env) for end in bounds.interval(Family("mem", "g"), 0))
    assert low <= box[0] and box[1] <= high <= 7 and low >= -3


def test_a_condition_on_data_and_a_variable_bounds_nothing():
    g, f, r = hl.Func("g"), hl.Func("f"), hl.RDom([(0, 10)], "r")
    g[x] = x * x * x
    f[x] = 0
    r.where(g[r] < r + 3)
    f[x] += g[r]
    assert boxes(f)["g"] == ["0", "10"]


def random_index(chosen, depth):
    """A random expression of + - * / % min max in x and y."""
    if depth == 0 or chosen.random() < 0.2:
        return chosen.choice([x, y]) if chosen.random() < 0.7 else hl.Expr(chosen.randint(-4, 9))
    a, op = random_index(chosen, depth - 1), chosen.choice("+-*/%<>+-")
    match op:
        case "*":
            return a * chosen.randint(-3, 4)
        case "/":
            return a / chosen.randint(1, 5)
        case "%":
            return a % chosen.randint(1, 6)
    b = random_index(chosen, depth - 1)
    return {"+": lambda: a + b, "-": lambda: a - b, "<": lambda: hl.min(a, b), ">": lambda: hl.max(a, b)}[op]()


def exactness(count, seed):
    """The share of random expressions over numeric ranges whose interval is exact; it holds all values always."""
    chosen, exact = random.Random(seed), 0
    for _ in range(count):
        node = random_index(chosen, 3).node
        low, size = [chosen.randint(-5, 5) for _ in "xy"], [chosen.randint(1, 12) for _ in "xy"]
        value = evaluator(node, None, True)
        places = itertools.product(*(range(a, a + n) for a, n in zip(low, size, strict=True)))
        values = [value({"x": i, "y": j}) for i, j in places]
        facts = Facts()
        form = Normal(Algorithm((), (), (), ()), facts, lambda hole: None).form(node)
        ranges = tuple(Range(name, const(a), const(a + n - 1)) for name, a, n in zip("xy", low, size, strict=True))
        least, most = (end(form, ranges).constant for end in (Extremes(facts).lower, Extremes(facts).upper))
        assert least <= min(values) and max(values) <= most, show(node)
        exact += (least, most) == (min(values), max(values))
    return exact / count


def test_the_engine_is_exact_on_most_expressions():
    assert exactness(300, seed=5) >= 0.88


def run(target, fill, made, inputs):
    machine = Machine(target, fill, inputs, {made.output.name(): made.window})
    values = machine.run()[made.output.name()].values
    return {point: values[point] for point in itertools.product(*(range(a, a + n) for a, n in made.window))}, machine.trace


def check_confluence(made):
    """The oracle, the lowered program with β0 and that with β agree; β never computes or allocates more than β0."""
    program = collect([made.output])
    inputs = inputs_of(program)
    expected = Oracle(program.algorithm, inputs).realize(made.output.name(), made.window)
    target = lower(program.algorithm)
    values, trace = run(target, infer(target).fill, made, inputs)
    assert values == expected
    plain = reference(target)
    if not plain.has_failed:
        values, more = run(target, plain.fill, made, inputs)
        assert values == expected
        assert all(trace.computed.get(f, 0) <= more.computed.get(f, 0) for f in more.computed)
        assert all(trace.allocated[f] <= more.allocated[f] for f in trace.computed)


@pytest.mark.parametrize("seed", range(20))
def test_lowered_programs_compute_what_the_oracle_says(seed):
    check_confluence(pipeline(seed))


def test_a_long_chain_is_inferred_with_growing_margins():
    bounds = infer(chain(100))
    low, length = (show(bounds.fill(hole)) for hole in mem("f", 0))
    assert [low, length] == ["c99.min.0 - 100", "c99.len.0 + 200"]


def calls_of(work):
    """How many Python functions are called: the same on each machine."""
    count = 0

    def see(frame, event, arg):
        nonlocal count
        count += event == "call"

    sys.setprofile(see)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def chain(stages):
    f = two_stage()
    for k in range(stages):
        g = hl.Func(f"c{k}")
        g[x] = f[x - 1] + f[x + 1]
        f = g
    return lower(collect([f]).algorithm)


def test_inference_of_a_chain_takes_work_in_proportion_to_its_length():
    calls = {n: calls_of(lambda n=n: infer(chain(n))) for n in (30, 60, 120)}
    assert calls[60] - calls[30] > 0
    assert (calls[120] - calls[60]) / (calls[60] - calls[30]) < 2.3


def test_two_negative_extents_do_not_make_a_positive_one():
    """The product of a fused loop's extents says nothing of either, so both are tested."""
    p, q = (hl.Param(hl.Int(32), name, -2) for name in "pq")
    f, r = hl.Func("f"), hl.RDom([(0, p), (0, q)], "r")
    f[x] = 0
    f[x] += r.x + r.y
    program = collect([f])
    target = rewrites.fuse(lower(program.algorithm), LoopKey("f", 1, "r$y"), "z")
    with pytest.raises(Stuck, match="assert"):
        Machine(target, infer(target).fill, inputs_of(program), {"f": [(0, 2)]}).run()


def test_parameters_are_points_for_either_engine():
    """With parameters anywhere, as printed, `g[x + p]` has no bounds."""
    p, g, f = hl.Param(hl.Int(32), "p", 5), hl.Func("g"), hl.Func("f")
    g[x] = x
    f[x] = g[x + p]
    target = lower(collect([f]).algorithm)
    assert not reference(target).has_failed
    assert boxes(f)["g"] == ["f.min.0 + p", "f.len.0"]


class TestMachine:
    """Fig. 2.8, state by state."""

    def stuck(self, kind, act):
        with pytest.raises(Stuck) as caught:
            act()
        assert caught.value.kind == kind

    def test_too_little_memory_is_a_stuck_read_or_write(self):
        target = lower(collect([two_stage()]).algorithm)
        bounds = infer(target)

        def fill(hole, kind):
            node = bounds.fill(hole)
            is_it = hole.kind == kind and hole.func == "g" and hole.end == "len"
            return hl.Expr(node_expr(node) - 1).node if is_it else node

        def node_expr(node):
            from usl_halide_lib.lang.expr import wrap

            return wrap(node)

        self.stuck("write", lambda: Machine(target, lambda h: fill(h, "mem"), {}, {"f": [(0, 4)]}).run())
        poor = Machine(target, lambda h: fill(h, "cpu"), {}, {"f": [(0, 4)]})
        assert poor.run()["f"].values[3,][0].rank == 1  # ε_mem: computed from a place that nobody wrote
        assert poor.trace.poison_reads == 1

    def test_a_negative_length_is_stuck(self):
        p = hl.Param(hl.Int(32), "p", -2)
        f, r = hl.Func("f"), hl.RDom([(0, p)], "r")
        f[x] = 0
        f[x] += r
        program = collect([f])
        target = lower(program.algorithm)
        self.stuck("extent", lambda: Machine(target, infer(target).fill, inputs_of(program), {"f": [(0, 1)]}).run())


def test_holes_are_named_as_in_definition_2_14():
    assert show(cpu("f", 0, None)[0]) == "?cpu f_0.min" and show(cpu("f", 1, 2, 3)[1]) == "?cpu f^{2,3}_1.len"
