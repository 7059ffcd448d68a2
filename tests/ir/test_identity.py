"""Copies and pickles: what is compared by identity stays itself, or cannot be had."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from tests.ir import declarations
from tests.ir.declarations import DECLARED, DERIVED, REGISTERS, TWICE
from tests.primitives.equivalence import parse
from usl_core import DRAM, Procedure, proc_from_source
from usl_core.errors import SchedulingError, UsageError, UslError
from usl_core.ir.config import Config, ConfigField
from usl_core.ir.externs import BUILTINS, Extern
from usl_core.ir.nodes import If, NodeBase
from usl_core.ir.traverse import walk
from usl_core.ir.types import BOOL, COND, CONTROLS, INDEX, SCALARS, SIZE, ControlType
from usl_core.scheduling import divide_loop, fission, reorder_loops

COPIES: list[Callable[[Any], Any]] = [copy.copy, copy.deepcopy]


def unpickled(thing: Any, protocol: int = pickle.DEFAULT_PROTOCOL) -> Any:
    return pickle.loads(pickle.dumps(thing, protocol))


THINGS = {
    "a procedure": DECLARED,
    "a derived procedure": DERIVED,
    "a configuration": REGISTERS,
    "a field": REGISTERS.sym("mode"),
    "a function": TWICE,
    "a built-in function": BUILTINS["min"],
    "a memory": DRAM,
    "index": INDEX,
    "size": SIZE,
    "bool": BOOL,
    "cond": COND,
}


@pytest.mark.parametrize("thing", THINGS.values(), ids=THINGS)
def test_a_declaration_is_itself_when_copied_and_pickled(thing: Any) -> None:
    for duplicate in COPIES:
        assert duplicate(thing) is thing
        assert duplicate([thing])[0] is thing
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert unpickled(thing, protocol) is thing


@pytest.mark.parametrize("name", [*CONTROLS, "cond"])
def test_there_is_one_control_type_of_each_name(name: str) -> None:
    assert ControlType(name) is replace(ControlType(name)) is unpickled(ControlType(name))


@pytest.mark.parametrize("name", SCALARS)
def test_scalar_types_compare_by_value(name: str) -> None:
    assert unpickled(SCALARS[name]) == copy.deepcopy(SCALARS[name]) == SCALARS[name]


LOCAL = [
    proc_from_source("@instr('text')\ndef local(n: size):\n    pass"),
    Config("Local", {"mode": ConfigField("mode", INDEX)}),
    Extern("local", 1, lambda types: types[0]),
    DECLARED.ir,
    DECLARED.ir.args[0].name,
    DECLARED.ir.args[1].type,
    DECLARED.find("i"),
    DECLARED.body(),
    DECLARED.body()[0].before(),
]


@pytest.mark.parametrize("thing", LOCAL, ids=lambda thing: type(thing).__name__)
def test_what_no_module_names_is_itself_when_copied_and_refuses_to_be_pickled(thing: Any) -> None:
    for duplicate in COPIES:
        assert duplicate(thing) is thing
    with pytest.raises(UsageError, match="cannot be pickled") as caught:
        pickle.dumps(thing)
    assert caught.value.notes[0].startswith("hint: ")


def test_a_procedure_that_no_module_names_travels_as_its_text_and_is_another_one() -> None:
    local = parse("def local(n: size):\n    pass")
    for duplicate in COPIES:
        assert duplicate(local) is local
    arrived = unpickled(local)
    assert arrived is not local and str(arrived) == str(local)


def test_every_node_of_a_tree_is_itself_when_copied() -> None:
    for node in walk(DERIVED.ir):
        assert copy.deepcopy(node) is copy.copy(node) is node


def test_replacing_no_field_of_a_node_gives_another_node_that_remembers_nothing() -> None:
    for node in walk(DERIVED.ir):
        assert isinstance(node, NodeBase) and is_dataclass(node)
        other = replace(node)
        assert other is not node and other.memo is None
        assert all(getattr(other, each.name) is getattr(node, each.name) for each in fields(node) if each.init)


def test_a_copied_procedure_is_refused_what_the_original_is() -> None:
    """The condition of the `if` is changed before the gap; a copy whose types were others hid that it depends on data."""
    p = parse("def f(x: f32[2]):\n    if x[0] > 0.0:\n        x[0] = -1.0\n        x[1] = 2.0")
    for duplicate in COPIES:
        q: Procedure = duplicate(p)
        assert isinstance(q.ir.body[0], If) and q.ir.body[0].cond.type is COND
        with pytest.raises(SchedulingError, match="depends on data"):
            fission(q, q.find("x[0] = _").after())


def test_another_process_finds_declarations_by_their_names() -> None:
    program = (
        "import pickle, sys\n"
        "found = pickle.loads(sys.stdin.buffer.read())\n"
        "from tests.ir.declarations import DECLARED, DERIVED, REGISTERS, TWICE\n"
        "assert found == [DECLARED, DERIVED, REGISTERS, TWICE]\n"
    )
    root = Path(__file__).parents[2]
    content = pickle.dumps([DECLARED, DERIVED, REGISTERS, TWICE])
    done = subprocess.run([sys.executable, "-c", program], input=content, cwd=root, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()


def test_a_name_that_means_something_else_now_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(declarations, "OTHER", divide_loop(DECLARED, "i", 8, ["a", "b"]), raising=False)
    text = pickle.dumps(declarations.OTHER)  # type: ignore[attr-defined]
    monkeypatch.setattr(declarations, "OTHER", DECLARED)
    with pytest.raises(UsageError, match="another declaration"):
        pickle.loads(text)
    monkeypatch.delattr(declarations, "OTHER")
    with pytest.raises(UsageError, match="is not there"):
        pickle.loads(text)


REFUSED: list[Callable[[], Any]] = [
    lambda: reorder_loops(DECLARED, "i"),
    lambda: DECLARED.find("nowhere"),
    lambda: divide_loop(DECLARED, "i", 4, ["io", "ii"], perfect=True),
    lambda: divide_loop(DECLARED),
    lambda: parse("def f(x: f32[4]):\n    x[4] = 1.0"),
    lambda: parse("def f(x: f32[4]):\n    x[0] = y"),
]


@pytest.mark.parametrize("mistake", REFUSED)
def test_errors_travel_between_processes(mistake: Callable[[], Any]) -> None:
    with pytest.raises(UslError) as caught:
        mistake()
    error = caught.value
    for other in (unpickled(error), copy.copy(error), copy.deepcopy(error)):
        assert type(other) is type(error) and other is not error
        assert str(other) == str(error)
        assert (other.code, other.span, other.counterexample) == (error.code, error.span, error.counterexample)


def test_a_deferred_error_is_explained_before_it_travels() -> None:
    error = SchedulingError.deferred(lambda: ("too large", None, ["hint: smaller"]), "E404")
    assert str(unpickled(error)) == str(error)
