"""Kinds of nodes and types are closed: what treats them by kind names each, so that mypy tells where a new one is missing."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import get_args, get_type_hints

import pytest

from usl_core import Procedure
from usl_core.cursors.kinds import AllocCursor, ArgCursor, ForCursor
from usl_core.ir import traverse
from usl_core.ir.nodes import Expr, Node, Stmt
from usl_core.ir.types import Type

ROOT = Path(__file__).parent.parent
KINDS = {kind.__name__ for kind in (*get_args(Node), *get_args(Type))}
MODULES = [
    path
    for folder in (ROOT / "usl_core", *sorted((ROOT / "plugins").glob("*/usl_*")))
    for path in sorted(folder.rglob("*.py"))
    if not {"usl_perceus", "lang"} & set(path.parts)  # these have nodes of their own, some of the same names
]


def silent_defaults(path: Path) -> Iterator[int]:
    """The lines of `case _:` after cases of kinds of nodes or types, other than `assert_never`."""
    for match in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(match, ast.Match):
            tests = [case.pattern for case in match.cases if isinstance(case.pattern, ast.MatchClass | ast.MatchOr)]
            classes = {each.cls for test in tests for each in ast.walk(test) if isinstance(each, ast.MatchClass)}
            last = match.cases[-1]
            default = isinstance(last.pattern, ast.MatchAs) and last.pattern.pattern is None and last.guard is None
            closed = "assert_never" in ast.unparse(last.body[0])
            if default and not closed and any(ast.unparse(each).removeprefix("ir.") in KINDS for each in classes):
                yield last.pattern.lineno


def test_no_match_over_kinds_of_nodes_or_types_has_a_silent_default() -> None:
    found = [f"{path.relative_to(ROOT)}:{line}" for path in MODULES for line in silent_defaults(path)]
    assert found == []


@pytest.mark.parametrize("table", [traverse._CHILDREN, traverse._NODES], ids=["_CHILDREN", "_NODES"])
def test_tables_by_kind_have_every_kind(table: dict[type, object]) -> None:
    assert set(table) == set(get_args(Node))


def test_expressions_and_statements_are_nodes() -> None:
    assert {*get_args(Expr), *get_args(Stmt)} < set(get_args(Node))


def test_what_finds_one_kind_of_code_says_so_to_type_checkers() -> None:
    assert get_type_hints(Procedure.find_loop)["return"] is ForCursor
    assert set(get_args(get_type_hints(Procedure.find_alloc_or_arg)["return"])) == {AllocCursor, ArgCursor}
