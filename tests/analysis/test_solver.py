"""The solver's stages against each other, and against brute force over small integers."""

from __future__ import annotations

import itertools
import subprocess
import sys

from hypothesis import given, settings
from hypothesis import strategies as st

from usl_core.analysis import affine, linear, questions, solver
from usl_core.analysis import formula as fml
from usl_core.analysis.affine import Lin, Min, Quot, Stride
from usl_core.analysis.bounding import Hypotheses
from usl_core.analysis.formula import FALSE, And, Bool, Const, Eq, Exists, Forall, Formula, Ge, Or
from usl_core.analysis.solver import Proved, Refuted, prove
from usl_core.ir.sym import Sym

X, Y, N = Sym("x"), Sym("y"), Sym("n")
NAMES = (X, Y, N)
RANGE = range(-5, 6)

coefficients = st.integers(-4, 4)


@st.composite
def lins(draw: st.DrawFn, depth: int = 2) -> Lin:
    lin = affine.const(draw(st.integers(-6, 6)))
    for name in NAMES:
        lin = lin + affine.var(name).scale(draw(coefficients))
    if depth and draw(st.integers(0, 3)) == 0:
        inner = draw(lins(depth=depth - 1))
        kind = draw(st.sampled_from(["quotient", "remainder", "min", "max"]))
        if kind == "quotient":
            lin = lin + affine.quotient(inner, draw(st.integers(1, 5)))
        elif kind == "remainder":
            lin = lin + affine.remainder(inner, draw(st.integers(1, 5)))
        else:
            other = draw(lins(depth=0))
            lin = lin + (affine.minimum([inner, other]) if kind == "min" else affine.maximum([inner, other]))
    return lin


def formulas(depth: int = 2) -> st.SearchStrategy[Formula]:
    literals = st.one_of(lins().map(fml.ge), lins().map(fml.eq), lins().map(lambda x: fml.not_(fml.eq(x))))
    if depth == 0:
        return literals
    inner = st.lists(formulas(depth - 1), min_size=1, max_size=3)
    return st.one_of(literals, inner.map(fml.and_), inner.map(fml.or_), formulas(depth - 1).map(fml.not_))


def value(lin: Lin, env: dict[Sym, int]) -> int:
    return lin.const + sum(c * atom_value(a, env) for a, c in lin.terms.items())


def atom_value(atom: affine.Atom, env: dict[Sym, int]) -> int:
    match atom:
        case Sym():
            return env[atom]
        case Quot(num=num, den=den):
            return value(num, env) // den
        case Min(args=args):
            return min(value(a, env) for a in args)
        case _:
            raise AssertionError(atom)


def holds(f: Formula, env: dict[Sym, int]) -> bool:
    match f:
        case Const(value=truth):
            return truth
        case Ge(lin=lin):
            return value(lin, env) >= 0
        case Eq(lin=lin):
            return value(lin, env) == 0
        case And(args=args):
            return all(holds(a, env) for a in args)
        case Or(args=args):
            return any(holds(a, env) for a in args)
        case Exists(names=names, body=body):
            points = itertools.product(range(-30, 31), repeat=len(names))
            return any(holds(body, {**env, **dict(zip(names, p, strict=True))}) for p in points)
        case Bool() | Forall():
            raise AssertionError(f)


ENVIRONMENTS = [dict(zip(NAMES, point, strict=True)) for point in itertools.product(RANGE, repeat=3)]


@given(st.lists(formulas(), min_size=1, max_size=4))
@settings(max_examples=150, deadline=None)
def test_what_the_linear_refuter_refutes_has_no_solution(parts: list[Formula]) -> None:
    if linear.unsat(parts):
        assert not any(all(holds(f, env) for f in parts) for env in ENVIRONMENTS)


@given(st.lists(formulas(1), max_size=3), formulas(1))
@settings(max_examples=150, deadline=None)
def test_proved_and_refuted_are_true_of_small_integers(hypotheses: list[Formula], goal: Formula) -> None:
    match prove(hypotheses, goal):
        case Proved():
            for env in ENVIRONMENTS:
                assert holds(goal, env) or not all(holds(h, env) for h in hypotheses)
        case Refuted(model=model):
            env = {name: int(model.get(name, 0)) for name in NAMES}
            assert not holds(goal, env)


@st.composite
def existentials(draw: st.DrawFn) -> Formula:
    """That some values of one or two new variables fulfil equations and inequalities: what covering a location asks."""
    bound = [Sym(f"k{position}") for position in range(draw(st.integers(1, 2)))]
    parts: list[Formula] = []
    for name in bound:
        here = affine.var(name)
        parts.append(fml.eq(draw(lins(depth=1)) + here.scale(draw(st.sampled_from((-4, -2, -1, 1, 2, 4))))))
        parts += [fml.ge(here, draw(lins(depth=0))), fml.lt(here, draw(lins(depth=0)))][: draw(st.integers(0, 2))]
    return fml.exists(bound, fml.and_(parts))


@given(st.lists(formulas(depth=1), max_size=3), st.one_of(formulas(), existentials()))
@settings(max_examples=250, deadline=None)
def test_every_answer_agrees_with_z3(hypotheses: list[Formula], goal: Formula) -> None:
    """The stages before z3 (syntactic, affine, instances, models) never contradict it; the cache gives what it was given."""
    answers = [prove(hypotheses, goal) for _ in range(2)]
    assert type(answers[0]) is type(answers[1])
    # Hypotheses that share no variable with the goal are left out: only a contradiction among them could matter.
    verdict = solver._z3_prove(questions.relevant(Hypotheses(hypotheses), goal), goal, []).kind
    assert (type(answers[0]), verdict) not in {(Proved, "refuted"), (Refuted, "proved")}


@given(lins(), st.integers(1, 6))
@settings(max_examples=150, deadline=None)
def test_quotient_and_remainder_round_to_minus_infinity(lin: Lin, den: int) -> None:
    quotient, remainder = affine.quotient(lin, den), affine.remainder(lin, den)
    for env in ENVIRONMENTS[::37]:
        assert value(quotient, env) == value(lin, env) // den
        assert value(remainder, env) == value(lin, env) % den


@given(lins(), lins(), lins())
@settings(max_examples=100, deadline=None)
def test_substitution_commutes_with_evaluation(lin: Lin, for_x: Lin, for_y: Lin) -> None:
    changed = affine.subst(lin, {X: for_x, Y: for_y})
    for env in ENVIRONMENTS[::97]:
        assert value(changed, env) == value(lin, {**env, X: value(for_x, env), Y: value(for_y, env)})


@given(formulas())
@settings(max_examples=100, deadline=None)
def test_negation_is_complement(f: Formula) -> None:
    negated = fml.not_(f)
    assert all(holds(f, env) != holds(negated, env) for env in ENVIRONMENTS[::53])


def test_a_quantifier_binds_truth_values_too() -> None:
    name = Sym("b")
    assert isinstance(prove([], fml.exists([name], fml.and_([Bool(name), fml.ge(affine.var(X), affine.var(X))]))), Proved)
    assert isinstance(prove([], fml.forall([name], Bool(name))), Refuted)


def test_a_location_of_a_tile_is_found_without_z3() -> None:
    """l in [0, 8n) is some 8 * io + ii: the witness is read off the equation."""
    loc, n, io, ii = Sym("l"), Sym("n"), Sym("io"), Sym("ii")
    written = fml.exists(
        (io, ii),
        fml.and_(
            [
                fml.eq(affine.var(io).scale(8) + affine.var(ii), affine.var(loc)),
                fml.ge(affine.var(io)),
                fml.lt(affine.var(io), affine.var(n)),
                fml.ge(affine.var(ii)),
                fml.lt(affine.var(ii), 8),
            ]
        ),
    )
    facts = [fml.ge(affine.var(loc)), fml.lt(affine.var(loc), affine.var(n).scale(8))]
    assert prove(facts, written) == Proved("affine")
    assert isinstance(prove([fml.ge(affine.var(loc)), fml.le(affine.var(loc), affine.var(n).scale(8))], written), Refuted)


def test_alternatives_that_others_exclude_are_resolved_without_z3() -> None:
    """The interior of a loop over seq(0, n) that was cut at clamped places a and b."""
    a, b, n, x = (affine.var(Sym(name)) for name in "abnx")
    low = affine.maximum([affine.minimum([a, n]), affine.const(0)])
    high = affine.maximum([affine.minimum([b, n]), low])
    known = Hypotheses([fml.ge(n, 1), fml.ge(x, low), fml.lt(x, high)])
    for goal in (fml.ge(x), fml.lt(x, n), fml.ge(x, a), fml.lt(x, b)):
        assert goal in known.resolved.members or known.resolved.bound(goal)
    before = solver.STATISTICS.settled.get("z3", 0)
    clamped = affine.maximum([affine.minimum([x, b - 1]), a])
    assert isinstance(prove(known, fml.eq(clamped, x)), Proved)
    assert isinstance(prove(known, fml.ge(x, a + 1)), Refuted)
    assert solver.STATISTICS.settled.get("z3", 0) == before


@given(st.lists(formulas(1), max_size=4))
@settings(max_examples=150, deadline=None)
def test_what_is_resolved_follows(hypotheses: list[Formula]) -> None:
    resolved = Hypotheses(hypotheses).resolved
    for env in ENVIRONMENTS:
        assert all(holds(h, env) for h in resolved) == all(holds(h, env) for h in hypotheses)


@given(st.lists(formulas(1), max_size=4), st.lists(formulas(1), max_size=3), st.lists(formulas(1), max_size=2), formulas(1))
@settings(max_examples=150, deadline=None)
def test_facts_that_come_later_find_the_same_bounds(
    first: list[Formula], second: list[Formula], third: list[Formula], goal: Formula
) -> None:
    """What was found out of the facts of one place is taken over to the places inside of it."""
    outer = Hypotheses(first)
    outer.bound(goal)  # whatever that leaves behind
    inner = outer.with_more(tuple(second)).with_more(tuple(third))
    at_once = Hypotheses([*first, *second, *third])
    assert tuple(inner) == tuple(at_once)
    assert inner._bounds == at_once._bounds
    assert inner.bound(goal) == at_once.bound(goal)


@given(formulas(1), formulas(1), formulas(1))
def test_equivalence_of_conjunctions_with_a_part_in_common(a: Formula, b: Formula, both: Formula) -> None:
    joined = fml.iff(fml.and_([a, both]), fml.and_([both, b]))
    for env in ENVIRONMENTS[::7]:
        assert holds(joined, env) == ((holds(a, env) and holds(both, env)) == (holds(b, env) and holds(both, env)))


def test_unrelated_contradictions_do_not_hide_a_counter_example() -> None:
    """Hypotheses that share no variable with the goal are left out, which can only make fewer goals provable."""
    absurd = [fml.ge(affine.var(X), 1), fml.le(affine.var(X), 0)]
    assert isinstance(prove(absurd, fml.FALSE), Proved)
    assert isinstance(prove(absurd, fml.ge(affine.var(Y))), Refuted)


def test_answers_are_cached_up_to_renaming() -> None:
    def question(name: Sym, size: Sym) -> tuple[list[Formula], Formula]:
        square = affine.quotient(affine.var(name).scale(3) + 1, 7)
        facts = [fml.or_([fml.eq(affine.var(name), 5), fml.eq(affine.var(size), 9)]), fml.ge(square, affine.var(size))]
        return facts, fml.ge(affine.var(name).scale(2) - affine.var(size), 11)

    first = prove(*question(Sym("a"), Sym("b")))
    before = dict(solver.STATISTICS.settled)
    assert type(prove(*question(Sym("c"), Sym("d")))) is type(first)
    after = solver.STATISTICS.settled
    assert after.get("z3", 0) == before.get("z3", 0)
    assert after.get("cache", 0) == before.get("cache", 0) + 1


def test_strides_are_integers_that_are_equal_if_their_names_are() -> None:
    stride = affine.of_atom(Stride(X, 0))
    assert isinstance(prove([fml.eq(stride, 1)], fml.eq(affine.of_atom(Stride(X, 0)), 1)), Proved)
    assert isinstance(prove([fml.eq(stride, 1)], fml.eq(affine.of_atom(Stride(X, 1)), 1)), Refuted)


@given(st.lists(formulas(1), max_size=4), formulas(1))
@settings(max_examples=200, deadline=None)
def test_bounds_and_witnesses_agree_with_the_whole_solver(hypotheses: list[Formula], goal: Formula) -> None:
    known = Hypotheses(hypotheses)
    answer = prove(list(hypotheses), goal)
    if known.bound(goal):
        assert isinstance(answer, Proved)
    witness = known.refuting(goal)
    if witness is not None:
        env = {name: int(witness.get(name, 1)) for name in NAMES}
        assert all(holds(h, env) for h in hypotheses)
        assert not holds(goal, env)
        assert isinstance(answer, Refuted)
    assert solver.holds(known, goal) == (isinstance(answer, Proved) and goal != FALSE)


@given(st.lists(lins(1), min_size=1, max_size=3), st.lists(formulas(0), max_size=4))
@settings(max_examples=200, deadline=None)
def test_equations_that_are_refuted_have_no_solution(equations: list[Lin], others: list[Formula]) -> None:
    known = Hypotheses([*others, *map(fml.eq, equations)])
    if known.bound(FALSE):
        assert not any(all(holds(f, env) for f in known) for env in ENVIRONMENTS)


def test_a_question_to_z3_leaves_ctrl_c_able_to_end_a_wait():
    script = """if True:
        import os, signal, threading
        from usl_core.analysis import affine, formula as fml, solver
        from usl_core.ir.sym import Sym
        signal.signal(signal.SIGINT, signal.default_int_handler)  # what a shell starts with `&` ignores it
        n = Sym("n")
        square = affine.of_atom(affine.Product((affine.var(n), affine.var(n))))
        solver._z3_prove([fml.eq(square - 7)], fml.FALSE, [n])
        lock = threading.Lock()
        lock.acquire()
        threading.Timer(0.2, lambda: signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)).start()
        try:
            lock.acquire()
        except KeyboardInterrupt:
            print("ended")
    """
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=100)
    assert done.stdout == "ended\n", done.stderr
