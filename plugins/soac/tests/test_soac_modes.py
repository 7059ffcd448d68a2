"""Modes: what they cost, that they change nothing, and that tests of the cost find the rule that doubles work."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from soac_agree import bound, compare
from soac_size_programs import random_size_program

from usl_soac import calls, dead, elaborate, hoist, lifting, maps, modes, rows
from usl_soac.core import Const, Program
from usl_soac.decorators import parse_program
from usl_soac.errors import SoacError
from usl_soac.interp import Interpreter
from usl_soac.modes import Mode, sizes_of_program
from usl_soac.scalars import BOOL
from usl_soac.sized_interp import SizedInterpreter, Unguarded

RECURSIVE = """\
@soac
def f(n: i64, x: f64[N]) -> f64[_]:
    return x if n == 0 else map(lambda y: f(n - 1, y), replicate(1, x))[0]
"""


def program(text: str, name: str = "f") -> Program:
    return parse_program(text, "example.py")[name].core()


@pytest.fixture
def no_induction(monkeypatch: pytest.MonkeyPatch) -> None:
    """Recursive calls return their sizes, whatever could be proved of them."""

    def nothing(self: modes._Sizes, names: list[str]) -> dict[str, object]:
        return {each: tuple((None,) * typ.rank for typ in self.functions[each].results) for each in names}

    monkeypatch.setattr(modes._Sizes, "first_hope", nothing)


def works(most: int) -> list[int]:
    """The work of the recursive function for n = 0, 1, …"""
    sized = sizes_of_program(program(RECURSIVE))
    result = []
    for n in range(most + 1):
        machine = SizedInterpreter(sized.program())
        machine.whole(sized.functions["f"].ext, (n, np.ones(1)))
        result.append(machine.work)
    return result


def test_a_peeled_map_in_a_recursive_function_grows_linearly(no_induction: None) -> None:
    assert sizes_of_program(program(RECURSIVE)).functions["f"].mode is Mode.INTERLEAVED
    assert len({b - a for a, b in pairwise(works(16)[1:])}) == 1


def test_the_rule_of_figure_17_doubles_the_work_at_each_level(no_induction: None, monkeypatch: pytest.MonkeyPatch) -> None:
    # Every slice counts as cheap: sizes of the first element are computed apart, whatever that costs.
    monkeypatch.setattr(modes._Sizes, "cheap", lambda self, body: self.slice(body))
    work = works(6)
    assert all(b > 1.8 * a for a, b in pairwise(work[2:]))
    typed = Interpreter(program(RECURSIVE))
    typed.run(typed.program.functions[-1], (6, np.ones(1)))
    assert work[6] > bound(sizes_of_program(program(RECURSIVE))) * typed.work


def test_sizes_that_come_with_the_result_everywhere_give_the_same() -> None:
    for seed in range(5):
        generated = random_size_program(seed)
        main = generated.main()
        typed = main.core()
        functions = tuple(replace(each, promises=frozenset({"interleaved"})) for each in typed.functions)
        forced = Program(functions)
        sized = sizes_of_program(forced)
        assert all(each.mode is Mode.INTERLEAVED for each in sized.functions.values())
        plain = sizes_of_program(typed)
        for args in generated.inputs:
            first, second = compare(typed, args, plain), compare(forced, args, sized)
            assert first.expected.agrees(second.others["ext"])


# ---- switched off, a test must be missed


def _wrong(check: Callable[[], None]) -> bool:
    """Whether random programs show that something is wrong."""
    try:
        check()
    except (Unguarded, AssertionError, KeyError, IndexError, ValueError, SoacError):
        return True
    return False


def _some_programs() -> None:
    for seed in range(25):
        generated = random_size_program(seed)
        typed = generated.main().core()
        sized = sizes_of_program(typed)
        for args in generated.inputs:
            assert not compare(typed, args, sized).differences


@pytest.mark.parametrize("what", ["regularity", "first element", "induction", "cut", "rounds"])
def test_a_rule_that_is_switched_off_is_missed(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    match what:
        case "regularity":
            monkeypatch.setattr(maps, "_all_alike", lambda *args: maps.TRUE)
        case "first element":
            # Sizes of the first element are taken although there is none.
            monkeypatch.setattr(maps.Scope, "compare", _never_empty(maps.Scope.compare))
        case "induction":
            monkeypatch.setattr(modes, "_confirmed", lambda hope, found: hope)
        case "cut":
            from usl_soac import branches

            original = branches._try

            def loses(side: object, terms: object) -> object:
                found = original(side, terms)  # type: ignore[arg-type]
                return None if found is None else (found[0], found[1], [])

            monkeypatch.setattr(branches, "_try", loses)
        case "rounds":
            from usl_soac import iterations

            monkeypatch.setattr(iterations, "_confirmed", lambda *args: True)
    assert _wrong(_some_programs)


def _never_empty(original: Callable[..., object]) -> Callable[..., object]:
    def compare_(self: object, test: object, spelling: str = "ok") -> object:
        return Const(False, BOOL) if spelling == "empty" else original(self, test, spelling)

    return compare_


INT_MAP = "def f(x: i64[n], y: i64[m]) -> i64[_]:\n    return map(lambda a, b: a + b, x, y)"
DOT = """\
def g(x: i64[n], y: i64[n]) -> i64:
    return reduce(add, 0, map(mul, x, y))

@soac
def f(x: i64[n], y: i64[m]) -> i64:
    return g(x, y)"""
LOOP = "def f(x: i64[n], k: i64) -> i64:\n    s = 0\n    for i in range(k):\n        s += x[i]\n    return s"
NONE, TWO, THREE = (np.arange(n) for n in (0, 2, 3))

SWITCHES = {
    "equal lengths": (rows, "check_equal", INT_MAP, (TWO, THREE)),
    "arguments": (calls, "check_equal", DOT, (TWO, THREE)),
    "promise": (elaborate, "check_equal", "def f(x: i64[n], y: i64[m]) -> i64[2 * n]:\n    return concat(x, y)", (TWO, THREE)),
    "index": (rows, "in_range", "def f(x: i64[n], i: i64) -> i64:\n    return x[i]", (TWO, 2)),
    "size": (rows, "at_least_zero", "def f(n: i64) -> i64[_]:\n    return iota(n)", (-1,)),
    "divisor": (elaborate, "_divisor", "def f(n: i64) -> i64:\n    return 7 // n", (0,)),
}


@pytest.mark.parametrize("what", SWITCHES)
def test_a_test_that_is_switched_off_is_missed(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module, name, text, args = SWITCHES[what]
    this = program("@soac\n" + text)
    assert not compare(this, args).differences
    monkeypatch.setattr(module, name, lambda *_: ())
    with pytest.raises(Unguarded):
        compare(this, args)


@pytest.mark.parametrize(
    ("module", "name", "mutant", "text", "args"),
    [
        # A test moves before the map although there is no element.
        (
            lifting,
            "_weakened",
            lambda condition, guard, scope: condition,
            "def f(x: i64[n], y: i64[m], k: i64) -> i64[n]:\n    return map(lambda v: y[k], x)",
            (NONE, NONE, 0),
        ),
        # Every test counts as proved.
        (hoist, "proves", lambda formula, facts: True, LOOP, (TWO, 3)),
        # Tests are dead where their values are.
        (
            dead,
            "can_fail",
            lambda expr, may_fail: False,
            "def f(x: i64[n], i: i64) -> i64:\n    y = x[i]\n    return n",
            (TWO, 5),
        ),
        # The two ends of a loop are tested although there is no round.
        (hoist.Scope, "compare", "never empty", LOOP, (NONE, 0)),
        # Indices of a loop that may wrap count as exact.
        (
            hoist.Facts,
            "is_exact",
            lambda facts, term: True,
            LOOP.replace("x[i]", "x[i * 2305843009213693952]"),
            (np.arange(1), 9),
        ),
    ],
)
def test_a_guard_of_the_passes_that_is_switched_off_is_missed(
    module: object, name: str, mutant: object, text: str, args: tuple[object, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    this = program("@soac\n" + text)
    assert not compare(this, args).differences
    monkeypatch.setattr(module, name, _never_empty(getattr(module, name)) if mutant == "never empty" else mutant)
    assert _wrong(lambda: _same(this, args))


def _same(this: Program, args: tuple[object, ...]) -> None:
    assert not compare(this, args).differences


def test_what_a_recursive_call_gives_is_measured():
    text = "def f(x: i64[n]) -> i64[_]:\n    if n < 2:\n        return x\n    half = f(x[n // 2:])\n    return {}"
    for result in ("map(lambda v: v + len(half), half)", "concat(half, iota(len(half) % 2))", "x[:len(half)]"):
        assert not compare(program("@soac\n" + text.format(result)), (np.array([3, 1, 2, 4]),)).differences
