"""Satisfiability of clauses (Davis, Logemann, Loveland 1962): literals are numbers, negative where the variable is false."""

from __future__ import annotations

from examples.functional.lists import List
from usl_perceus import data, fun


@data
class Answer:
    Unsatisfiable: ()
    Model: List[i64]  # the literals that are true


@data
class Left:
    Clauses: List[List[i64]]
    Contradiction: ()


@fun
def has(clause: borrowed[List[i64]], literal: i64) -> bool:
    match clause:
        case Nil():
            return False
        case Cons(x, rest):
            return x == literal or has(rest, literal)


@fun
def without(clause: List[i64], literal: i64) -> List[i64]:
    match clause:
        case Nil():
            return Nil
        case Cons(x, rest):
            return without(rest, literal) if x == literal else Cons(x, without(rest, literal))


@fun
def assigned(clauses: List[List[i64]], literal: i64) -> Left:
    """What is left of the clauses once a literal is true."""
    match clauses:
        case Nil():
            return Clauses(Nil)
        case Cons(clause, rest):
            if has(clause, literal):
                return assigned(rest, literal)
            match without(clause, -literal):
                case Nil():
                    return Contradiction
                case shorter:
                    match assigned(rest, literal):
                        case Contradiction():
                            return Contradiction
                        case Clauses(others):
                            return Clauses(Cons(shorter, others))


@fun
def unit(clauses: borrowed[List[List[i64]]]) -> i64:
    """A literal that stands alone in a clause, 0 if none does."""
    match clauses:
        case Nil():
            return 0
        case Cons(Cons(x, Nil()), _):
            return x
        case Cons(_, rest):
            return unit(rest)


@fun
def some(clauses: borrowed[List[List[i64]]]) -> i64:
    match clauses:
        case Cons(Cons(x, _), _):
            return x
        case _:
            return 0


@fun
def with_true(clauses: List[List[i64]], literal: i64, model: List[i64]) -> Answer:
    match assigned(clauses, literal):
        case Contradiction():
            return Unsatisfiable
        case Clauses(rest):
            return satisfied(rest, Cons(literal, model))


@fun
def satisfied(clauses: List[List[i64]], model: List[i64]) -> Answer:
    match clauses:
        case Nil():
            return Model(model)
        case _:
            alone = unit(clauses)
            if alone != 0:
                return with_true(clauses, alone, model)
            literal = some(clauses)
            match with_true(clauses, literal, model):
                case Unsatisfiable():
                    return with_true(clauses, -literal, model)
                case answer:
                    return answer


@fun
def clause_at(literals: borrowed[array[i64]], i: i64) -> List[i64]:
    return Nil if literals[i] == 0 else Cons(literals[i], clause_at(literals, i + 1))


@fun
def clauses_from(literals: borrowed[array[i64]], i: i64, start: i64) -> List[List[i64]]:
    if i == len(literals):
        return Nil
    if literals[i] == 0:
        return Cons(clause_at(literals, start), clauses_from(literals, i + 1, i + 1))
    return clauses_from(literals, i + 1, start)


@fun
def solved(literals: array[i64]) -> Answer:
    """A model of clauses as DIMACS writes them: their literals, each clause ended by 0."""
    return satisfied(clauses_from(literals, 0, 0), Nil)
