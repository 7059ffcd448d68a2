"""Checks of what the source promises: `must_reuse`, `@no_alloc`, `@fbip` (functional but in place; Reinking 2022, §4.2.6).

must_reuse(C(..))   this constructor is built in the memory of a matched block, if the function's arguments are unique
@no_alloc           so is every constructor of the function and of the functions that it calls; no closure is made, no array is
                    copied, and what they call gets unique arguments where it builds in them (`sharing`)
@fbip               @no_alloc, and the stack does not grow: functions that call each other do so in tail position

Closures that are called are not looked into: they keep their own promises. So it is with the functions behind them in copies
that are made for known closures (`FunDef.given`). Checked on the program after all passes.
"""

from __future__ import annotations

from collections.abc import Iterator

from usl_perceus.errors import PerceusError
from usl_perceus.explain import Allocation, by_function, source_name
from usl_perceus.ir import Call, FunDef, MakeCon, MakeConHole, Program
from usl_perceus.opt.callgraph import callees, components
from usl_perceus.opt.trmc import SUFFIX as HOLE
from usl_perceus.traverse import walk

Chain = tuple[str, ...]


def check_promises(program: Program) -> None:
    """Check every promise.

    Raises:
        PerceusError: E730 (must_reuse), E731 (@no_alloc or @fbip: an allocation), E732 (@fbip: the stack may grow), at the
            constructor or call at fault.
    """
    if not any(map(_promises, program.funs.values())):
        return
    made = by_function(program)
    for items in made.values():
        for item in items:
            if item.must_reuse and not item.reused:
                raise PerceusError(f"must_reuse: {item.what} takes new memory: {item.why}", span=item.span, code="E730")
    for fun in program.funs.values():
        if fun.fbip or fun.no_alloc:
            _check_allocations(program, fun, made)
        if fun.fbip:
            _check_stack(program, fun)


def _promises(fun: FunDef) -> bool:
    """Whether there is anything to check in a function."""
    return fun.fbip or fun.no_alloc or any(isinstance(e, MakeCon | MakeConHole) and e.must_reuse for e in walk(fun.body))


def _check_allocations(program: Program, fun: FunDef, made: dict[str, list[Allocation]]) -> None:
    promise = "@fbip" if fun.fbip else "@no_alloc"
    for name, chain in reached_from(program, fun.name):
        given = program.funs[name].given
        for item in made[name]:
            if not item.reused and item.called not in given:
                hint = _hint(item)
                raise PerceusError(
                    f"{promise} {source_name(fun.name)}: {item.what} takes new memory: {item.why}",
                    span=item.span,
                    notes=(*_via(chain), hint),
                    code="E731",
                )


def _hint(item: Allocation) -> str:
    if item.size is not None:
        return "hint: match on a block of this size, and do not use it again, on every path that leads here"
    return "hint: use the old value for the last time here, or drop the promise"


def _check_stack(program: Program, fun: FunDef) -> None:
    graph = {name: callees(other.body) for name, other in program.funs.items()}
    group_of = {name: group for group in components(graph) for name in group}
    for name, chain in reached_from(program, fun.name):
        for expr in walk(program.funs[name].body):
            enters_loop = isinstance(expr, Call) and expr.fun == name + HOLE  # made by trmc.py, and tail recursive from there
            if isinstance(expr, Call) and not expr.tail and expr.fun in group_of[name] and not enters_loop:
                what = f"@fbip {source_name(fun.name)}: this call of {source_name(expr.fun)} is not in tail position"
                hint = "hint: pass what remains to be done as an argument, for example as a zipper"
                raise PerceusError(f"{what}, so the stack grows", span=expr.span, notes=(*_via(chain), hint), code="E732")


def _via(chain: Chain) -> tuple[str, ...]:
    """A note on how the function at fault is reached, if it is another one."""
    return (" calls ".join(source_name(step) for step in chain),) if len(chain) > 1 else ()


def reached_from(program: Program, name: str) -> Iterator[tuple[str, Chain]]:
    """The functions that name calls, itself first, each with the calls that lead there; not those of closures."""
    seen: set[str] = set()
    todo: list[Chain] = [(name,)]
    while todo:
        chain = todo.pop(0)
        if chain[-1] in seen:
            continue
        seen.add(chain[-1])
        yield chain[-1], chain
        fun = program.funs[chain[-1]]
        todo.extend((*chain, callee) for callee in sorted(callees(fun.body) - fun.given))
