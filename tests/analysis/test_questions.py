"""Keys of questions: a key and its names give the question back, so that two questions share a key only up to renaming."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.analysis.test_solver import NAMES, formulas, lins
from usl_core.analysis import affine
from usl_core.analysis import formula as fml
from usl_core.analysis.affine import Lin, Stride
from usl_core.analysis.bounding import Hypotheses
from usl_core.analysis.formula import And, Bool, Const, Eq, Exists, Forall, Formula, Ge, Or
from usl_core.analysis.questions import Question, question, relevant
from usl_core.ir.sym import Sym

TRUTHS = (Sym("p"), Sym("q"))


@dataclass
class Reader:
    """Reads a key by the grammar in `questions`."""

    text: str
    position: int = 0

    def take(self, expected: str) -> None:
        assert self.text.startswith(expected, self.position), self.text[self.position :]
        self.position += len(expected)

    def peek(self) -> str:
        return self.text[self.position : self.position + 1]

    def next(self) -> str:
        self.position += 1
        return self.text[self.position - 1]

    def integer(self) -> int:
        start = self.position
        self.position += self.peek() in "+-"
        while self.peek().isdigit():
            self.position += 1
        return int(self.text[start : self.position])

    def refs(self, names: Sequence[int]) -> list[int]:
        """Numbers in what is around, which numbers its names."""
        self.take("<")
        found = []
        while self.peek() != ">":
            found.append(self.integer())
            if self.peek() == ",":
                self.next()
        self.next()
        return [names[n] for n in found] if names else found


def read_key(key: str, names: Sequence[Sym]) -> list[Formula]:
    """The formulas of a key, the goal first."""
    return [read_part(part, names) for part in key.split(";")]


def read_part(text: str, names: Sequence[Sym]) -> Formula:
    reader = Reader(text)
    found = part(reader)
    assert reader.position == len(text)
    return found(names)


def part(reader: Reader):
    """A shape and refs, as a function of the names around."""
    inside = shape(reader)
    numbers = reader.refs(())
    return lambda names: inside([names[n] for n in numbers])


def shape(reader: Reader):
    match reader.next():
        case "T":
            return lambda names: Const(True)
        case "F":
            return lambda names: Const(False)
        case "b":
            return lambda names: Bool(names[0])
        case "n":
            return lambda names: Bool(names[0], False)
        case "G" | "E" as kind:
            form = lin(reader)
            return lambda names: (Ge if kind == "G" else Eq)(form(names))
        case "&" | "|" as kind:
            reader.take("[")
            inner = []
            while reader.peek() != "]":
                inner.append(part(reader))
            reader.next()
            return lambda names: (And if kind == "&" else Or)(tuple(each(names) for each in inner))
        case "?" | "!" as kind:
            body = part(reader)
            bound = reader.refs(())
            return lambda names: (Exists if kind == "?" else Forall)(tuple(names[n] for n in bound), body(names))
        case other:
            raise AssertionError(other)


def lin(reader: Reader):
    reader.take("(")
    constant = reader.integer()
    terms = []
    while reader.peek() != ")":
        c = reader.integer()
        atom = read_atom(reader)
        numbers = reader.refs(())
        terms.append((c, atom, numbers))
    reader.next()
    return lambda names: Lin(constant, {atom([names[n] for n in numbers]): c for c, atom, numbers in terms})


def read_atom(reader: Reader):
    match reader.next():
        case "x":
            return lambda names: names[0]
        case "s":
            dim = reader.integer()
            return lambda names: Stride(names[0], dim)
        case "q":
            den = reader.integer()
            num = lin(reader)
            return lambda names: affine.Quot(num(names), den)
        case "m" | "p" as kind:
            reader.take("[")
            args = []
            while reader.peek() != "]":
                form = lin(reader)
                args.append((form, reader.refs(())))
            reader.next()

            def made(names: Sequence[Sym]) -> affine.Atom:
                values = [form([names[n] for n in numbers]) for form, numbers in args]
                if kind == "m":
                    return affine.Min(frozenset(values))
                (product,) = affine.product(values).terms
                return product

            return made
        case other:
            raise AssertionError(other)


@st.composite
def rich(draw: st.DrawFn, depth: int = 2) -> Formula:
    """Formulas with all that formulas may hold."""
    kind = draw(st.integers(0, 7)) if depth else draw(st.integers(0, 3))
    match kind:
        case 0 | 1:
            return draw(formulas(depth))
        case 2:
            return Bool(draw(st.sampled_from(TRUTHS)), draw(st.booleans()))
        case 3:
            stride = affine.of_atom(Stride(draw(st.sampled_from(NAMES)), draw(st.integers(0, 2))))
            square = affine.product([draw(lins(0)), draw(lins(0))])
            return draw(st.sampled_from((fml.ge, fml.eq)))(square + stride.scale(draw(st.integers(-2, 2))))
        case 4 | 5:
            bound = draw(st.lists(st.sampled_from((*NAMES, *TRUTHS)), min_size=1, max_size=2, unique=True))
            return (fml.exists if kind == 4 else fml.forall)(bound, draw(rich(depth - 1)))
        case _:
            parts = draw(st.lists(rich(depth - 1), min_size=1, max_size=3))
            return (fml.and_ if kind == 6 else fml.or_)(parts)


def ask(hypotheses: Sequence[Formula], goal: Formula) -> Question:
    return question(Hypotheses(hypotheses), goal)


QUESTIONS = st.tuples(st.lists(rich(), max_size=3), rich())


def test_a_product_is_the_same_whatever_the_order_of_its_factors() -> None:
    """Python's hashes of -1 and -2 are equal, and so are those of the two factors."""
    x, y = (affine.var(name) for name in NAMES[:2])
    one, other = -x - y, (-x - y) - y
    assert affine.product([one, other]) == affine.product([other, one])


@given(QUESTIONS)
@settings(max_examples=200)
def test_a_key_and_its_names_give_the_question_back(asked: tuple[list[Formula], Formula]) -> None:
    found = ask(*asked)
    goal, *hypotheses = read_key(found.key, found.names)
    assert goal == asked[1]
    assert set(hypotheses) == set(asked[0])
    assert len(set(hypotheses)) == len(hypotheses)
    assert len(set(found.names)) == len(found.names)


def renamed(f: Formula, env: dict[Sym, Sym]) -> Formula:
    """f with names changed, bound ones too."""
    asked = ask([], f)
    (result,) = read_key(asked.key, [env[name] for name in asked.names])
    return result


@given(QUESTIONS, st.randoms(use_true_random=False))
@settings(max_examples=100)
def test_questions_that_differ_in_names_alone_have_one_key(asked: tuple[list[Formula], Formula], rng: random.Random) -> None:
    env = {name: Sym("other") for name in (*NAMES, *TRUTHS)}
    hypotheses, goal = asked
    first = ask(hypotheses, goal)
    second = ask([renamed(h, env) for h in hypotheses], renamed(goal, env))
    assert second.key == first.key
    assert second.names == tuple(env[name] for name in first.names)


def test_the_order_of_hypotheses_and_their_repetition_do_not_matter() -> None:
    x, y, n = map(affine.var, NAMES)
    facts = [fml.ge(x), fml.ge(y), fml.lt(x, n), fml.lt(y, n), fml.ge(n, 1)]
    goal = fml.lt(x + y, n.scale(2))
    expected = ask(facts, goal)
    for seed in range(20):
        again = [*facts, facts[seed % 5]]
        random.Random(seed).shuffle(again)
        assert ask(again, goal).key == expected.key


def test_a_truth_value_and_a_number_are_told_apart() -> None:
    name = Sym("a")
    assert ask([], Bool(name)).key != ask([], fml.ge(affine.var(name))).key


@given(QUESTIONS)
@settings(max_examples=100)
def test_relevant_hypotheses_are_those_reached_through_shared_names(asked: tuple[list[Formula], Formula]) -> None:
    hypotheses, goal = asked
    reached = set(fml.free_syms(goal))
    if not reached:
        assert list(relevant(Hypotheses(hypotheses), goal)) == hypotheses
        return
    for _ in hypotheses:
        reached |= {name for h in hypotheses for name in fml.free_syms(h) if reached & set(fml.free_syms(h))}
    expected = [h for h in hypotheses if not set(fml.free_syms(h)) or set(fml.free_syms(h)) & reached]
    assert list(relevant(Hypotheses(hypotheses), goal)) == expected
