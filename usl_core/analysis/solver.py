"""Three answers: proved, refuted with a model, or unknown with a reason.

In front of z3 stand structural equality, bounds by substitution, what this process has answered before, the linear refuter,
and a short search for a counter-example. Remembered answers are found by the whole question with its names numbered
(`questions`), compared and not only hashed. z3's limit is its resource count, not time, so that every
machine gives the same answer. Unknown is never success.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field
from typing import Any, TypeVar, assert_never

from usl_core.analysis import affine, bounding, linear, questions
from usl_core.analysis import formula as fml
from usl_core.analysis.affine import Atom, Lin, Min, Product, Quot, Stride
from usl_core.analysis.bounding import Hypotheses
from usl_core.analysis.formula import FALSE, And, Bool, Const, Eq, Exists, Forall, Formula, Ge, Or
from usl_core.analysis.models import find_model
from usl_core.analysis.questions import Question, nearest, question, relevant
from usl_core.ir.sym import Sym
from usl_core.profiling import profiled
from usl_core.records import dataclass
from usl_core.shared_z3 import alone_in_z3, z3_module

K = TypeVar("K")

RLIMIT = 3_000_000
"""z3's resource limit of one query."""


@dataclass(frozen=True, slots=True)
class Proved:
    """The goal holds; `how` is syntactic, affine, cache or z3."""

    how: str


@dataclass(frozen=True, slots=True)
class Refuted:
    """The goal fails for these values of the variables (those that z3 left open are missing)."""

    model: Mapping[Sym, int | bool]


@dataclass(frozen=True, slots=True)
class Unknown:
    """Neither; the reason is the solver's."""

    reason: str


Answer = Proved | Refuted | Unknown


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is remembered of a question: proved, refuted or unknown, and the stage (affine, model, z3) that found it out. values
    are those of a refuting model in the order of the question's names, None where any value does."""

    kind: str
    how: str
    values: tuple[int | bool | None, ...] = ()
    reason: str = ""


@dataclass
class Statistics:
    """How many obligations each stage has settled since the process began."""

    settled: dict[str, int] = field(default_factory=dict)

    def count(self, stage: str) -> None:
        """One more question was settled by stage."""
        self.settled[stage] = self.settled.get(stage, 0) + 1


STATISTICS = Statistics()
MAX_REMEMBERED = 200_000


@dataclass
class Memory:
    """Answers found before."""

    verdicts: dict[str, Verdict] = field(default_factory=dict)
    """By the keys of questions."""
    unknown: dict[tuple[Hypotheses, Formula], Verdict] = field(default_factory=dict)
    """What could not be decided, exactly as it was asked: in another order or with other names it might be."""


_memory: Memory | None = Memory()
statements_remember = True
"""Whether statements remember where they are proved: of no use where each is proved once."""


def disable_cache() -> None:
    """From now on every question is answered anew in this process: for `usl verify`."""
    global _memory
    _memory = None
    bounding.remembers = False


@contextmanager
def nothing_remembered() -> Iterator[None]:
    """Inside, nothing is known that was found out before; afterwards nothing of what was found out inside."""
    global _memory, statements_remember
    before = _memory, statements_remember, bounding.remembers, questions.shapes
    _memory, statements_remember, bounding.remembers, questions.shapes = None if _memory is None else Memory(), False, False, {}
    try:
        yield
    finally:
        _memory, statements_remember, bounding.remembers, questions.shapes = before


@profiled("solver", "syntactic")
def prove(hypotheses: Sequence[Formula], goal: Formula) -> Answer:
    """Whether hypotheses imply goal for all integers and truth values of their free variables."""
    if isinstance(goal, Const) and goal.value:
        STATISTICS.count("syntactic")
        return Proved("syntactic")
    known = hypotheses if isinstance(hypotheses, Hypotheses) else Hypotheses(hypotheses)
    if goal in known.members:
        STATISTICS.count("syntactic")
        return Proved("syntactic")
    if isinstance(goal, And):
        return _prove_all(known, goal.args)
    if known.bound(goal) or known.resolved.bound(goal):
        STATISTICS.count("bounds")
        return Proved("affine")
    answer = _ask(question(relevant(known.resolved, goal), goal))
    if isinstance(answer, Proved):
        known.proved(goal)
    return answer


def holds(hypotheses: Hypotheses, goal: Formula) -> bool:
    """Whether goal is proved; False never is, even where hypotheses contradict each other, as in code that never runs.

    That a goal is not proved is found out sooner than by `prove`, which looks for a short counter-example.
    """
    if isinstance(goal, And):
        return all(holds(hypotheses, part) for part in goal.args)
    if isinstance(goal, Const) and not goal.value:
        return False
    if isinstance(goal, Const) or goal in hypotheses.members:
        STATISTICS.count("syntactic")
        return True
    if hypotheses.bound(goal):
        STATISTICS.count("bounds")
        return True
    if hypotheses.refuting(goal) is not None:
        STATISTICS.count("witness")
        return False
    return isinstance(prove(hypotheses, goal), Proved)


def _prove_all(hypotheses: Sequence[Formula], goals: Iterable[Formula]) -> Answer:
    how = "syntactic"
    for goal in goals:
        answer = prove(hypotheses, goal)
        if not isinstance(answer, Proved):
            return answer
        how = how if answer.how == "syntactic" else answer.how
    return Proved(how)


@profiled("solver", "instance")
def _prove_by_instance(hypotheses: Hypotheses, goal: Formula) -> bool:
    """Exists-goals whose names are fixed by equalities: substitute and prove the rest."""
    match goal:
        case Or(args=args):
            return any(_prove_by_instance(hypotheses, arg) for arg in args if isinstance(arg, Exists | And))
        case Exists(names=names, body=body):
            instance = _solve_names(names, body)
            return instance is not None and all(
                hypotheses.bound(part) or _excludes(hypotheses, fml.not_(part)) or _prove_by_instance(hypotheses, part)
                for part in fml.conjuncts(instance)
            )
        case And(args=args):
            return all(hypotheses.bound(a) or _excludes(hypotheses, fml.not_(a)) for a in args)
        case _:
            return False


def _solve_names(names: tuple[Sym, ...], body: Formula) -> Formula | None:
    """body with names eliminated by its equations: unit coefficients, and `c * outer + inner` with inner in [0, c)."""
    open_names = list(names)
    while open_names:
        solution = _solve_one(open_names, fml.conjuncts(body))
        if solution is None:
            return None
        body = fml.subst(body, solution)
        open_names = [n for n in open_names if n not in solution]
    return body


def _solve_one(names: Sequence[Sym], parts: Sequence[Formula]) -> dict[Sym, Lin] | None:
    equations = [p.lin for p in parts if isinstance(p, Eq)]
    for lin in equations:  # an equation with one open name, of any coefficient c: x = -rest / c (checked later)
        present = [n for n in names if n in lin.terms]
        if len(present) == 1:
            (name,) = present
            c = lin.terms[name]
            rest = Lin(lin.const, {a: v for a, v in lin.terms.items() if a is not name})
            if name in set(affine.syms(rest)):
                continue
            solved = -rest if c > 0 else rest
            return {name: affine.quotient(solved, abs(c))}
    for lin in equations:  # c * outer + inner == rest: outer = rest / c, inner = rest % c
        present = sorted((n for n in names if n in lin.terms), key=lambda n: -abs(lin.terms[n]))
        if len(present) < 2:
            continue
        outer, c = present[0], lin.terms[present[0]]
        rest = Lin(lin.const, {a: v for a, v in lin.terms.items() if a not in present})
        solved = -rest if c > 0 else rest
        if abs(c) > 1 and not set(affine.syms(rest)) & set(names):
            return {outer: affine.quotient(solved, abs(c))}
    return None


# ---- what is remembered


@profiled("solver", "cache")
def _ask(asked: Question) -> Answer:
    verdict = _recall(asked) or _learn(asked)
    match verdict:
        case Verdict("proved", how):
            return Proved(how)
        case Verdict("refuted", _, values):
            return Refuted({n: v for n, v in zip(asked.names, values, strict=True) if v is not None})
        case _:
            return Unknown(verdict.reason)


def _recall(asked: Question) -> Verdict | None:
    """What this process has answered before; it says how it was found then."""
    if _memory is None:
        return None
    hit = _memory.verdicts.get(asked.key) or _memory.unknown.get((asked.hypotheses, asked.goal))
    if hit is not None:
        STATISTICS.count("cache")
    return hit


def _learn(asked: Question) -> Verdict:
    """The answer, found now and kept."""
    verdict = _decide_without_z3(asked)
    if verdict is None:
        STATISTICS.count("z3")
        verdict = _z3_prove(asked.hypotheses, asked.goal, asked.names)
    if _memory is not None and verdict.kind == "unknown":
        _remember(_memory.unknown, (asked.hypotheses, asked.goal), verdict)
    elif _memory is not None:
        _remember(_memory.verdicts, asked.key, verdict)
    return verdict


def _remember(where: dict[K, Verdict], key: K, verdict: Verdict) -> None:
    if len(where) >= MAX_REMEMBERED:
        where.clear()
    where[key] = verdict


def _decide_without_z3(asked: Question) -> Verdict | None:
    hypotheses, goal = asked.hypotheses, asked.goal
    if goal == FALSE and (model := find_model(hypotheses)) is not None:  # whether assertions can hold: as a rule they can
        STATISTICS.count("model")
        return Verdict("refuted", "model", tuple(model.get(n) for n in asked.names))
    near = [] if isinstance(goal, Exists) else nearest(hypotheses, goal)
    if len(near) < len(hypotheses) and _excludes(near, fml.not_(goal)):
        STATISTICS.count("affine")
        return Verdict("proved", "affine")
    if (not isinstance(goal, Exists) and _excludes(hypotheses, fml.not_(goal))) or _prove_by_instance(hypotheses, goal):
        STATISTICS.count("affine")
        return Verdict("proved", "affine")
    model = find_model([fml.not_(goal), *hypotheses])
    if model is not None:
        STATISTICS.count("model")
        return Verdict("refuted", "model", tuple(model.get(n) for n in asked.names))
    return None


def _excludes(hypotheses: Sequence[Formula], f: Formula) -> bool:
    """Whether f contradicts the hypotheses, as far as linear arithmetic shows."""
    return linear.unsat(Hypotheses((*hypotheses, f)).resolved)


def _order(value: object) -> tuple[object, ...]:
    """A key that orders atoms and forms the same way in every process: by kind, then by the numbers of their names."""
    match value:
        case Sym():
            return (0, value.number)
        case Stride():
            return (1, value.buffer.number, value.dim)
        case Quot():
            return (2, value.den, *_order(value.num))
        case Min() | Product():
            return (3, type(value).__name__, *sorted(map(_order, value.args)))
        case Lin():
            return (4, value.const, *sorted((_order(a), c) for a, c in value.terms.items()))
        case _:
            raise AssertionError(f"not an atom: {value!r}")


# ---- z3


@profiled("solver", "z3")
@alone_in_z3
def _z3_prove(hypotheses: Sequence[Formula], goal: Formula, names: Sequence[Sym]) -> Verdict:
    if any(_quantifies_product(f) for f in (*hypotheses, goal)):
        return Verdict("unknown", "z3", reason="a product of extents depends on a quantified variable")
    z3 = z3_module()
    encoder = _Encoder(z3)
    solver = z3.Solver()
    solver.set("rlimit", RLIMIT)
    solver.set("ctrl_c", False)  # z3's own handler would make an unknown of it, and leave waits that no signal ends
    for h in hypotheses:
        solver.add(encoder.formula(h))
    solver.add(z3.Not(encoder.formula(goal)))
    solver.add(*encoder.definitions)
    result = solver.check()
    if result == z3.unsat:
        return Verdict("proved", "z3")
    if result == z3.sat:
        model = solver.model()
        return Verdict("refuted", "z3", tuple(encoder.value(model, n) for n in names))
    return Verdict("unknown", "z3", reason=solver.reason_unknown())


def _quantifies_product(f: Formula) -> bool:
    """Whether a quantifier binds a name in a product: products are encoded as constants, which would then be wrong."""
    match f:
        case And(args=args) | Or(args=args):
            return any(_quantifies_product(arg) for arg in args)
        case Exists(names=names, body=body) | Forall(names=names, body=body):
            atoms = (atom for lin in fml.lins(body) for atom in affine.atoms(lin))
            products = (atom for atom in atoms if isinstance(atom, Product))
            bound = any(set(names) & set(affine.syms(affine.of_atom(product))) for product in products)
            return bound or _quantifies_product(body)
        case _:
            return False


def consistent(formulas: Sequence[Formula]) -> Answer:
    """Proved if some values satisfy all formulas, Refuted if none do."""
    match prove(formulas, FALSE):
        case Proved():
            return Refuted({})
        case Refuted():
            return Proved("z3")
        case Unknown() as unknown:
            return unknown


class _Encoder:
    """Formulas as z3 terms. Products and strides are uninterpreted integers, equal where their arguments are."""

    def __init__(self, z3: Any) -> None:
        self.z3 = z3
        self.ints: dict[object, Any] = {}
        self.bools: dict[Sym, Any] = {}
        self.definitions: list[Any] = []

    def value(self, model: Any, name: Sym) -> int | bool | None:
        if name in self.ints:
            found = model[self.ints[name]]
            return None if found is None else int(found.as_long())
        if name in self.bools:
            found = model[self.bools[name]]
            return None if found is None else bool(self.z3.is_true(found))
        return None

    def atom(self, atom: Atom) -> Any:
        z3 = self.z3
        match atom:
            case Sym():
                if atom not in self.ints:
                    self.ints[atom] = z3.Int(f"{atom.name}!{atom.number}")
                return self.ints[atom]
            case Quot(num=num, den=den):
                return self.lin(num) / den  # z3's division rounds down for a positive divisor
            case Min(args=args):
                terms = [self.lin(a) for a in sorted(args, key=_order)]
                least = terms[0]
                for term in terms[1:]:
                    least = z3.If(term < least, term, least)
                return least
            case Stride(buffer=buffer, dim=dim):
                key = ("stride", buffer, dim)
                if key not in self.ints:
                    self.ints[key] = z3.Int(f"stride!{buffer.number}!{dim}")
                return self.ints[key]
            case Product(args=args):
                if atom not in self.ints:
                    self.ints[atom] = z3.Int(f"product!{len(self.ints)}")
                return self.ints[atom]
            case _:
                assert_never(atom)

    def lin(self, lin: Lin) -> Any:
        total = self.z3.IntVal(lin.const)
        for atom, c in lin.terms.items():
            total = total + c * self.atom(atom)
        return total

    def formula(self, f: Formula) -> Any:
        z3 = self.z3
        match f:
            case Const(value=value):
                return z3.BoolVal(value)
            case Ge(lin=lin):
                return self.lin(lin) >= 0
            case Eq(lin=lin):
                return self.lin(lin) == 0
            case Bool(name=name, positive=positive):
                term = self.bools.setdefault(name, z3.Bool(f"{name.name}!{name.number}"))
                return term if positive else z3.Not(term)
            case And(args=args):
                return z3.And(*[self.formula(a) for a in args])
            case Or(args=args):
                return z3.Or(*[self.formula(a) for a in args])
            case Exists(names=names, body=body):
                inside = self.formula(body)
                return z3.Exists([self.variable(n) for n in names], inside)
            case Forall(names=names, body=body):
                inside = self.formula(body)
                return z3.ForAll([self.variable(n) for n in names], inside)
            case _:
                assert_never(f)

    def variable(self, name: Sym) -> Any:
        """A bound name, of the sort that it has where it occurs."""
        return self.bools[name] if name in self.bools else self.atom(name)
