"""The passes on the sized core one after the other: the parts that are called, simplified, with tests moved out of loops.

sized = sizes_of_program(program)
hoisted(sized)     # a Program whose last function is the whole of main, with its sizes
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace

from usl_soac import core
from usl_soac.core import Body, Function, Part, Program
from usl_soac.cost import CHEAP, cost
from usl_soac.dead import body_can_fail
from usl_soac.hoist import discharged
from usl_soac.inlining import inline_calls
from usl_soac.lifting import lifted
from usl_soac.modes import SizedProgram, calls
from usl_soac.simplify import simplify
from usl_soac.traverse import walk

Key = tuple[str, Part]
ROUNDS = 4
MOST_COPIED = 128
"""So many statements may the calls of one function add together, where they are replaced by its body."""


def linked(sized: SizedProgram, *roots: Key) -> Program:
    """The parts that are called from roots, callees first, the roots last."""
    found: dict[Key, Function] = {}
    for root in roots:
        _visit(root, sized.part, found, set())
    last = [found.pop(root) for root in roots]
    return Program((*found.values(), *last))


def _visit(key: Key, part: Callable[[str, Part], Function], found: dict[Key, Function], entered: set[Key]) -> None:
    if key in entered or key in found:
        return
    entered.add(key)
    function = part(*key)
    for call in _calls(function.body):
        _visit((call.function, call.part), part, found, entered)
    found[key] = function


def _calls(body: Body) -> Iterator[core.Call]:
    return (each.value for each in walk(body) if isinstance(each.value, core.Call))


def simplified(program: Program) -> Program:
    """Each function simplified, with what is cheap, short or called once inlined; what nothing calls any more is left out.

    Tests in what is inlined are proved by, or moved out of, what stands around the call, and it may be part of a kernel.
    """
    last = program.functions[-1]
    done: dict[Key, Function] = {}
    fails: dict[Key, bool] = {}
    uses = Counter((call.function, call.part) for each in program.functions for call in _calls(each.body))

    def find(call: core.Call) -> Function | None:
        key = call.function, call.part
        function = done.get(key)
        if function is None or call.function in calls(function):
            return None
        copied = (uses[key] - 1) * sum(1 for _ in walk(function.body))
        return function if copied <= MOST_COPIED or cost(function.body) <= CHEAP else None

    def may_fail(call: core.Call) -> bool:
        return fails.get((call.function, call.part), True)

    for function in program.functions:
        body = simplify(inline_calls(function.body, find), function.params, may_fail)
        key = function.name, function.part
        done[key] = replace(function, body=body)
        fails[key] = body_can_fail(body, may_fail)
    return reachable(done, (last.name, last.part))


def reachable(functions: dict[Key, Function], root: Key) -> Program:
    """The functions that one calls, directly or not, callees first, and itself."""
    found: dict[Key, Function] = {}
    _visit(root, lambda name, part: functions[name, part], found, set())
    return Program(tuple(found.values()))


def hoisted(program: Program) -> Program:
    """Each function with its tests discharged or moved out, and simplified again."""
    for _ in range(ROUNDS):
        before = sum(1 for each in program.functions for _ in walk(each.body))
        moved = [replace(each, body=_hoisted(each)) for each in program.functions]
        program = simplified(Program(tuple(moved)))
        if sum(1 for each in program.functions for _ in walk(each.body)) == before:
            break
    return program


def _hoisted(function: Function) -> Body:
    return discharged(lifted(discharged(function.body, function.params), function.params), function.params)
