"""Which iterations of a reduction may run in another order, or at once (halide.md §8): reasons in words where they may not."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from usl_halide_lib.lang.associativity import reassociation
from usl_halide_lib.lang.linear import Extremum, Facts, Lin, Quotient, Unknown, Variable
from usl_halide_lib.lang.nodes import Algorithm, FuncDef, Node, Read, mentions, show, walk
from usl_halide_lib.lang.normal import Normal
from usl_halide_lib.lang.target import For, Let, LoopKey, Target, statements


def origins(target: Target, loop: For) -> frozenset[str]:
    """The reduction variables of whose loops a loop is a part; two of its iterations differ in at least one of them.

    A loop whose name was given away is called `r.1` (`rewrites.freed`).
    """
    at = loop.key
    stage = target.algorithm.func(at.func).stages[at.stage]
    lets = [each for each in statements(target.body) if isinstance(each, Let) and _same_nest(each.key, at)]
    reached = {str(at)}
    while more := {str(s.key) for s in lets if any(mentions(s.value, name) for name in reached)} - reached:
        reached |= more
    bases = {each.var.partition(".")[0] for each in (at, *(let.key for let in lets)) if str(each) in reached}
    return frozenset(each.name for each in stage.rvars if each.name in bases)


def _same_nest(a: LoopKey, b: LoopKey) -> bool:
    return (a.func, a.stage, a.spec) == (b.func, b.stage, b.spec)


def are_independent(algorithm: Algorithm, func: str, number: int, rvars: Collection[str]) -> str | None:
    """None if iterations in which one of rvars differs touch different places of the func, or why that is not known.

    For each variable there has to be a dimension whose index is a multiple of it plus what no iteration changes, in all
    accesses of the stage to the func: in what it writes, reads and decides by.
    """
    definition = algorithm.func(func)
    if not rvars:
        return "it is not known in what two iterations differ"
    for rvar in rvars:
        if not any(_separates(algorithm, definition, number, rvar, dim) for dim in range(len(definition.args))):
            return f"it is not known that iterations with different {rvar} touch different places of {func}"
    return None


def _separates(algorithm: Algorithm, func: FuncDef, number: int, rvar: str, dim: int) -> bool:
    stage = func.stages[number]
    normal = Normal(algorithm, Facts(), lambda hole: None)
    form = normal.form(stage.index[dim])
    factor = dict(form.terms).get(Variable(rvar), 0)
    rest = Lin(tuple((atom, c) for atom, c in form.terms if atom != Variable(rvar)), form.constant)
    names = {each.name for each in stage.rvars}
    if not factor or any(_changes(atom, names) for atom, _ in rest.terms):
        return False
    return all(normal.form(read.index[dim]) == form for read in self_reads(func, number))


def _changes(atom: object, rvars: set[str]) -> bool:
    match atom:
        case Variable(name=name):
            return name in rvars
        case Quotient(form=form):
            return any(_changes(each, rvars) for each, _ in form.terms)
        case Extremum(a=a, b=b):
            return any(_changes(each, rvars) for form in (a, b) for each, _ in form.terms)
        case Unknown():
            return True
        case _:
            raise AssertionError(atom)


def self_reads(func: FuncDef, number: int) -> Iterator[Read]:
    """The reads of a func in one of its own stages."""
    for expression in func.stages[number].expressions():
        for node in walk(expression):
            if isinstance(node, Read) and node.func == func.name:
                yield node


def may_reorder(algorithm: Algorithm, func: str, number: int) -> str | None:
    """None if the iterations of a stage's reduction may run in any order, or why not."""
    definition = algorithm.func(func)
    if are_independent(algorithm, func, number, [each.name for each in definition.stages[number].rvars]) is None:
        return None
    found = reassociation(definition, number)
    if isinstance(found, str):
        return found
    return None if found.commutes else f"{show_all(definition.stages[number].values)} depends on the order"


def show_all(nodes: Iterable[Node]) -> str:
    """Expressions as text."""
    return ", ".join(map(show, nodes))
