"""Types of lambda terms with let, inferred as Damas and Milner (1982) do; unknown types are cells that unification fills."""

from __future__ import annotations

from examples.functional.lists import List
from usl_perceus import data, exception, fun


@data
class Term:
    Number: ()
    Truth: ()
    Variable: i64  # how many binders lie between
    Lambda: "Term"
    Apply: ("Term", "Term")
    Let: ("Term", "Term")
    If: ("Term", "Term", "Term")


@data
class Type:
    Integer: ()
    Boolean: ()
    Unknown: i64
    Arrow: ("Type", "Type")


@data
class Scheme:
    Scheme: (List[i64], Type)  # for all of these variables


@exception
class Mismatch:
    pass


@exception
class Infinite:
    pass


@exception
class Unbound:
    pass


# -- substitutions: what the unknowns are, by their numbers; themselves, if nothing is known


@fun
def fresh(known: array[Type]) -> tuple[Type, array[Type]]:
    unknown = Unknown(count(known))
    return unknown, known.set(count(known) + 1, unknown).set(0, Unknown(count(known) + 1))


@fun
def count(known: borrowed[array[Type]]) -> i64:
    """The first place says how many unknowns there are."""
    match known[0]:
        case Unknown(n):
            return n
        case _:
            return 0


@fun
def resolved(t: Type, known: borrowed[array[Type]]) -> Type:
    """t, or what the unknown t is known to be, as far as its outermost constructor."""
    match t:
        case Unknown(i):
            match known[i + 1]:
                case Unknown(j) if i == j:
                    return t
                case other:
                    return resolved(other, known)
        case _:
            return t


@fun
def occurs(i: i64, t: Type, known: borrowed[array[Type]]) -> bool:
    match resolved(t, known):
        case Unknown(j):
            return i == j
        case Arrow(a, b):
            return occurs(i, a, known) or occurs(i, b, known)
        case _:
            return False


@fun
def unified(a: Type, b: Type, known: array[Type]) -> array[Type]:
    match resolved(a, known), resolved(b, known):
        case Unknown(i), Unknown(j) if i == j:
            return known
        case Unknown(i), other:
            if occurs(i, other, known):
                raise Infinite()
            return known.set(i + 1, other)
        case other, Unknown(i):
            if occurs(i, other, known):
                raise Infinite()
            return known.set(i + 1, other)
        case Integer(), Integer():
            return known
        case Boolean(), Boolean():
            return known
        case Arrow(a1, b1), Arrow(a2, b2):
            return unified(b1, b2, unified(a1, a2, known))
        case _, _:
            raise Mismatch()


# -- schemes


@fun
def member(i: i64, xs: borrowed[List[i64]]) -> bool:
    match xs:
        case Nil():
            return False
        case Cons(x, rest):
            return i == x or member(i, rest)


@fun
def free(t: Type, known: borrowed[array[Type]], found: List[i64]) -> List[i64]:
    match resolved(t, known):
        case Unknown(i):
            return found if member(i, found) else Cons(i, found)
        case Arrow(a, b):
            return free(b, known, free(a, known, found))
        case _:
            return found


@fun
def free_around(environment: List[Scheme], known: borrowed[array[Type]], found: List[i64]) -> List[i64]:
    match environment:
        case Nil():
            return found
        case Cons(Scheme(_, t), rest):
            return free_around(rest, known, free(t, known, found))


@fun
def without(xs: List[i64], others: borrowed[List[i64]]) -> List[i64]:
    match xs:
        case Nil():
            return Nil
        case Cons(x, rest):
            return without(rest, others) if member(x, others) else Cons(x, without(rest, others))


@fun
def replaced(t: Type, i: i64, by: Type, known: borrowed[array[Type]]) -> Type:
    match resolved(t, known):
        case Unknown(j):
            return by if i == j else Unknown(j)
        case Arrow(a, b):
            return Arrow(replaced(a, i, by, known), replaced(b, i, by, known))
        case other:
            return other


@fun
def instance(variables: List[i64], t: Type, known: array[Type]) -> tuple[Type, array[Type]]:
    match variables:
        case Nil():
            return t, known
        case Cons(i, rest):
            new, more = fresh(known)
            return instance(rest, replaced(t, i, new, more), more)


# -- inference


@fun
def scheme_of(environment: borrowed[List[Scheme]], i: i64) -> Scheme:
    match environment:
        case Nil():
            raise Unbound()
        case Cons(s, rest):
            return s if i == 0 else scheme_of(rest, i - 1)


@fun
def inferred(t: Term, environment: List[Scheme], known: array[Type]) -> tuple[Type, array[Type]]:
    match t:
        case Number():
            return Integer, known
        case Truth():
            return Boolean, known
        case Variable(i):
            match scheme_of(environment, i):
                case Scheme(variables, found):
                    return instance(variables, found, known)
        case Lambda(body):
            argument, with_argument = fresh(known)
            result, after = inferred(body, Cons(Scheme(Nil, argument), environment), with_argument)
            return Arrow(argument, result), after
        case Apply(f, a):
            function, after_f = inferred(f, environment, known)
            argument, after_a = inferred(a, environment, after_f)
            result, with_result = fresh(after_a)
            return result, unified(function, Arrow(argument, result), with_result)
        case Let(value, body):
            found, after = inferred(value, environment, known)
            general = without(free(found, after, Nil), free_around(environment, after, Nil))
            return inferred(body, Cons(Scheme(general, found), environment), after)
        case If(condition, then, otherwise):
            c, after_c = inferred(condition, environment, known)
            a, after_a = inferred(then, environment, unified(c, Boolean, after_c))
            b, after_b = inferred(otherwise, environment, after_a)
            return a, unified(a, b, after_b)


@fun
def whole(t: Type, known: borrowed[array[Type]]) -> Type:
    match resolved(t, known):
        case Arrow(a, b):
            return Arrow(whole(a, known), whole(b, known))
        case other:
            return other


@fun
def text(t: borrowed[Type]) -> str:
    match t:
        case Integer():
            return "int"
        case Boolean():
            return "bool"
        case Unknown(i):
            return f"t{i}"
        case Arrow(Arrow(a, b), c):
            return "(" + text(Arrow(a, b)) + ") -> " + text(c)
        case Arrow(a, b):
            return text(a) + " -> " + text(b)


@fun
def type_of(t: Term, room: i64) -> str:
    """The most general type of a closed term; room for so many unknowns.

    Raises:
        Mismatch, Infinite, Unbound: it has none.
    """
    found, known = inferred(t, Nil, array(room + 1, Unknown(0)))
    return text(whole(found, known))
