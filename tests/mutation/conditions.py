"""The conditions of a module as places in its syntax tree, each of which can be disabled.

A condition is disabled by making it hold: a refusal is not raised, a test that leads to one is false, one of several parts of a
requirement is true, an access that may happen counts as one that does. What is dropped always lets more rewrites through.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

from tests.mutation.kernel import (
    ALTERNATIVES,
    CHECKED,
    COVERS,
    PERMITS,
    RECORDS,
    answers_why_not,
    called_name,
    code_of,
    kernel_modules,
    path_of,
    raises_refusal,
)

SEEN = "__usl_seen__"
"""In a module made by `recorded`: `SEEN(number, value, c)` returns value and notes if it is not c."""
FIRED = "__usl_fired__"
"""In a module made by `recorded`: `FIRED(number)` notes that a condition was in force."""

LEAVES = frozenset({"refuse", "require", "require_no", "require_proved"})


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition of the kernel. argument says that it only judges what the user gave: a wrong kind, or no such name."""

    module: str
    function: str
    ordinal: int
    line: int
    kind: str
    argument: bool
    text: str

    @property
    def id(self) -> str:
        return f"{self.module}:{self.function}:{self.ordinal}"


@cache
def conditions(module: str) -> tuple[Condition, ...]:
    """The conditions of a module in source order."""
    return _walked(module, None, recording=False)[1]


def all_conditions() -> list[Condition]:
    return [condition for module in kernel_modules() for condition in conditions(module)]


def condition(name: str) -> Condition:
    """The condition with an id.

    Raises:
        KeyError: there is none.
    """
    module = name.partition(":")[0]
    found = {c.id: c for c in conditions(module)} if module in kernel_modules() else {}
    if name not in found:
        raise KeyError(f"no condition has the id {name}; `make mutate LIST=1` lists them")
    return found[name]


def mutated(module: str, name: str) -> ast.Module:
    """The module with one condition disabled."""
    return _walked(module, condition(name), recording=False)[0]


def recorded(module: str) -> ast.Module:
    """The module with calls of SEEN and FIRED, numbered like `conditions`, where a condition makes a difference."""
    return _walked(module, None, recording=True)[0]


def _walked(module: str, target: Condition | None, *, recording: bool) -> tuple[ast.Module, tuple[Condition, ...]]:
    tree = ast.parse(path_of(module).read_text(encoding="utf-8"))
    walker = _Walker(module, tree, target, recording=recording)
    new = ast.fix_missing_locations(walker.visit(tree))
    return new, tuple(walker.found)


class _Walker(ast.NodeTransformer):
    """Visits the places of conditions in source order; rewrites the one that is the target, or all for recording."""

    def __init__(self, module: str, tree: ast.Module, target: Condition | None, *, recording: bool) -> None:
        self.module, self.target, self.recording = module, target, recording
        self.found: list[Condition] = []
        self.counts: Counter[str] = Counter()
        self.scope: list[str] = []
        self.function: ast.FunctionDef | None = None
        self.calls = Counter(called_name(node) for node in ast.walk(tree))
        self.defined = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}

    # ---- places

    @property
    def where(self) -> str:
        return ".".join(self.scope)

    def claim(self, kind: str, node: ast.AST, *, argument: bool = False) -> Condition:
        self.counts[self.where] += 1
        text = " ".join(ast.unparse(node).split())
        line = getattr(node, "lineno", 0)
        new = Condition(self.module, self.where, self.counts[self.where], line, kind, argument, text)
        self.found.append(new)
        return new

    def number(self, place: Condition) -> ast.expr:
        return ast.Constant(next(n for n, c in enumerate(self.found) if c is place))

    def is_target(self, place: Condition) -> bool:
        return self.target is not None and place.id == self.target.id

    def noted(self, place: Condition) -> ast.stmt:
        return ast.Expr(ast.Call(ast.Name(FIRED, ast.Load()), [self.number(place)], []))

    def weakened(self, node: ast.expr, toward: bool, kind: str, *, argument: bool = False) -> ast.expr:
        """node with its parts made to be `toward`, one condition each."""
        match node:
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                node.operand = self.weakened(operand, not toward, kind, argument=argument)
                return node
            case ast.BoolOp(op=op, values=values) if isinstance(op, ast.And) == toward:
                node.values = [self.weakened(value, toward, kind, argument=argument) for value in values]
                return node
            case ast.Constant(value=value) if value is toward:
                return node
            case _:
                return self.settled(node, toward, kind, argument=argument)

    def settled(self, node: ast.expr, value: bool, kind: str, *, argument: bool = False) -> ast.expr:
        """node, or the constant value in its place."""
        place = self.claim(kind, node, argument=argument)
        new: ast.expr = self.visit(node)
        if self.is_target(place):
            if any(isinstance(inner, ast.NamedExpr) for inner in ast.walk(node)):
                return ast.BoolOp(ast.Or() if value else ast.And(), [new, ast.Constant(value)])
            return ast.Constant(value)
        if self.recording:
            return ast.Call(ast.Name(SEEN, ast.Load()), [self.number(place), new, ast.Constant(value)], [])
        return new

    def dropped(self, elements: list[ast.expr], kind: str) -> list[ast.expr]:
        """elements without the one that is the target; all count as in force whenever they are evaluated."""
        places = [self.claim(kind, element) for element in elements]
        new = [self.visit(element) for element in elements]
        if self.recording:
            for position, place in enumerate(places):
                if not isinstance(new[position], ast.Starred):
                    note = [self.number(place), new[position], ast.Constant(None)]
                    new[position] = ast.Call(ast.Name(SEEN, ast.Load()), note, [])
                else:
                    value = new[position].value
                    note = [self.number(place), value, ast.Constant(None)]
                    new[position] = ast.Starred(ast.Call(ast.Name(SEEN, ast.Load()), note, []), ast.Load())
        return [element for element, place in zip(new, places, strict=True) if not self.is_target(place)]

    def replaced(self, node: ast.Call, new: ast.expr, kind: str) -> ast.expr:
        """The call, or another expression in its place."""
        place = self.claim(kind, node)
        visited: ast.expr = self.generic_visit(node)  # type: ignore[assignment]
        if self.is_target(place):
            return new
        if self.recording:
            return ast.Call(ast.Name(SEEN, ast.Load()), [self.number(place), visited, ast.Constant(None)], [])
        return visited

    def skipped(self, node: ast.stmt, kind: str, *, argument: bool, raising: bool) -> ast.stmt | list[ast.stmt]:
        """The statement, or nothing in its place. raising says that it is in force if it raises, else if it runs."""
        place = self.claim(kind, node, argument=argument)
        new: ast.stmt = self.generic_visit(node)  # type: ignore[assignment]
        if self.is_target(place):
            return ast.Pass()
        if not self.recording:
            return new
        if not raising:
            return [self.noted(place), new]
        handler = ast.ExceptHandler(ast.Name("BaseException", ast.Load()), None, [self.noted(place), ast.Raise()])
        return ast.Try([new], [handler], [], [])

    # ---- scopes

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        self.scope.append(node.name)
        self.generic_visit(node)
        self.scope.pop()
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        outer, self.function = self.function, node
        self.scope.append(node.name)
        related = self.relation(node)
        self.body(node)
        if related is not None and self.recording:
            node.body.insert(1 if ast.get_docstring(node) else 0, self.noted(related))
        self.scope.pop()
        self.function = outer
        return node

    def body(self, node: ast.FunctionDef) -> None:
        node.args = self.visit(node.args)
        node.body = [new for stmt in node.body for new in _listed(self.visit(stmt))]

    def relation(self, node: ast.FunctionDef) -> Condition | None:
        """What the decorator says that the result is to the input: anything but EQUAL restrains what may be concluded."""
        for call in node.decorator_list:
            if called_name(call) == "primitive" and isinstance(call, ast.Call) and call.args:
                given = call.args[0]
                if isinstance(given, ast.Attribute) and given.attr != "EQUAL":
                    place = self.claim("relation", given)
                    if self.is_target(place):
                        given.attr = "EQUAL"
                    return place
        return None

    # ---- statements

    def visit_If(self, node: ast.If) -> ast.AST:
        if not self.refuses(node.body[-1]):
            if isinstance(node.test, ast.BoolOp) and all(_checks(stmt) for stmt in node.body):
                node.test = self.weakened(node.test, False, "requirement")
                node.body = [new for stmt in node.body for new in _listed(self.visit(stmt))]
                node.orelse = [new for stmt in node.orelse for new in _listed(self.visit(stmt))]
                return node
            return self.generic_visit(node)
        argument = self.judges_arguments(node.body[-1])
        node.test = self.weakened(node.test, False, "refusal", argument=argument)
        node.body = [*(new for stmt in node.body[:-1] for new in _listed(self.visit(stmt))), node.body[-1]]
        node.orelse = [new for stmt in node.orelse for new in _listed(self.visit(stmt))]
        return node

    def refuses(self, node: ast.stmt) -> bool:
        """Whether a statement, if it is reached, is a refusal."""
        match node:
            case ast.Expr(value=ast.Call() as call):
                return called_name(call).lstrip("_").partition("_")[0] == "refuse"
            case ast.Raise():
                return raises_refusal(node)
            case ast.Return(value=value):
                return self.denies(value)
            case _:
                return False

    def denies(self, value: ast.expr | None) -> bool:
        """Whether returning value is an answer that forbids the rewrite, as far as one can see."""
        if self.function is None or value is None:
            return False
        if answers_why_not(self.function):
            return not (isinstance(value, ast.Constant) and value.value is None)
        if self.where in PERMITS:
            return isinstance(value, ast.Constant) and value.value is (not PERMITS[self.where])
        return self.where in COVERS and isinstance(value, ast.List) and not value.elts

    def judges_arguments(self, node: ast.stmt) -> bool:
        call = node.exc if isinstance(node, ast.Raise) else node.value if isinstance(node, ast.Expr) else None
        return call is not None and code_of(call) in ("E403", "E404")

    def visit_Expr(self, node: ast.Expr) -> Any:
        call, name = node.value, called_name(node.value)
        if not isinstance(call, ast.Call) or self.function is None:
            return self.generic_visit(node)
        if name == "require" and not _takes_context(call):
            call.args[0] = self.weakened(call.args[0], True, "requirement", argument=code_of(call) == "E404")
            call.args[1:] = [self.visit(arg) for arg in call.args[1:]]
            return node
        if name in LEAVES or (CHECKED.match(name) and self.is_shared(name)):
            raising = not isinstance(call.func, ast.Attribute)  # `self.check(...)` notes what it finds
            return self.skipped(node, "requirement", argument=self.judges_arguments(node), raising=raising)
        if self.module == "analysis.effects" and name in RECORDS:
            return self.skipped(node, "effect", argument=False, raising=False)
        if self.where in ALTERNATIVES and name == "append" and ast.unparse(call).startswith("options"):
            return self.skipped(node, "alternative", argument=False, raising=False)
        return self.generic_visit(node)

    def is_shared(self, name: str) -> bool:
        """Whether the call is one of several of a check, each of which may be forgotten by itself."""
        return name not in self.defined or self.calls[name] > 1

    def visit_Raise(self, node: ast.Raise) -> Any:
        if self.function is None or not raises_refusal(node):
            return self.generic_visit(node)
        return self.skipped(node, "refusal", argument=self.judges_arguments(node), raising=False)

    def visit_Return(self, node: ast.Return) -> Any:
        value = node.value
        if self.function is None or value is None:
            return self.generic_visit(node)
        if self.where in PERMITS:
            node.value = self.weakened(value, PERMITS[self.where], "predicate")
            return node
        if answers_why_not(self.function) and self.denies(value) and not isinstance(value, ast.IfExp):
            return self.answer(node, value)
        if self.where in ALTERNATIVES and isinstance(value, ast.List) and len(value.elts) > 1:
            value.elts = self.dropped(value.elts, "alternative")
            return node
        return self.generic_visit(node)

    def answer(self, node: ast.Return, value: ast.expr) -> ast.stmt:
        """An answer other than None becomes None."""
        place = self.claim("refusal", value)
        node.value = self.visit(value)
        if self.is_target(place):
            return ast.Return(ast.Constant(None))
        if self.recording:
            node.value = ast.Call(ast.Name(SEEN, ast.Load()), [self.number(place), node.value, ast.Constant(None)], [])
        return node

    def visit_Assign(self, node: ast.Assign) -> Any:
        match node:
            case ast.Assign(targets=[ast.Name(id="exact")], value=value):
                node.value = self.weakened(value, True, "exact")
                return node
            case ast.Assign(targets=[ast.Name(id="goal")], value=ast.Call() as call) if _is_conjunction(call):
                node.value = self.conjunction(call)
                return node
            case ast.Assign(value=ast.Call(func=ast.Name(id="check_block"), args=[ctx, _]) as call):
                nothing = ast.Call(call.func, [ctx, ast.Tuple([], ast.Load())], [])
                node.value = self.replaced(call, nothing, "requirement")
                return node
            case _:
                return self.generic_visit(node)

    # ---- expressions

    def visit_Call(self, node: ast.Call) -> Any:
        if self.function is None:
            return self.generic_visit(node)
        name = called_name(node)
        match node:
            case ast.Call(func=ast.Name(id="fresh" | "with_fresh_binders" | "_instance"), args=[first, *_]):
                return self.replaced(node, first, "fresh")
            case ast.Call(func=ast.Attribute(attr="copy", value=value), args=[], keywords=[]):
                return self.replaced(node, value, "fresh")
            case ast.Call(func=ast.Attribute(attr="resolve" | "root", value=ast.Attribute(attr="scope")), args=[only]):
                return self.replaced(node, only, "alias")
            case ast.Call(func=ast.Attribute(attr="resolve_all"), args=[only]):
                return self.replaced(node, ast.Call(ast.Name("tuple", ast.Load()), [only], []), "alias")
            case ast.Call(func=ast.Name(id="resolve" | "resolve_strides"), args=[first, *_]):
                return self.replaced(node, first, "alias")
        if self.module == "analysis.effects" and name == "Summary":
            node.args = [self.has_checks(arg) for arg in node.args]
            return node
        if _takes_goal(name):
            node.args = [self.conjunction(a) if _is_conjunction(a) else self.visit(a) for a in node.args]
            node.keywords = [self.visit(keyword) for keyword in node.keywords]
            return node
        if self.where in COVERS and name == "and_":
            return self.conjunction(node)
        if self.where in ALTERNATIVES and name == "or_" and isinstance(node.args[0], ast.List) and len(node.args[0].elts) > 1:
            node.args[0].elts = self.dropped(node.args[0].elts, "alternative")
            return node
        return self.generic_visit(node)

    def has_checks(self, node: ast.expr) -> ast.expr:
        if any(isinstance(inner, ast.Attribute) and inner.attr == "checks" for inner in ast.walk(node)):
            return self.settled(node, False, "effect")
        new: ast.expr = self.visit(node)
        return new

    def conjunction(self, node: ast.expr) -> ast.expr:
        """`fml.and_([a, b])`: each part may be forgotten."""
        assert isinstance(node, ast.Call)
        if node.args and isinstance(node.args[0], ast.List):
            node.args[0].elts = self.dropped(node.args[0].elts, "part")
            return node
        new: ast.expr = self.generic_visit(node)  # type: ignore[assignment]
        return new

    def visit_keyword(self, node: ast.keyword) -> Any:
        match node:
            case ast.keyword(arg="exact", value=ast.Constant(value=False)):
                node.value = self.settled(node.value, True, "exact")
                return node
            case ast.keyword(arg="checks", value=ast.Constant(value=True)):
                node.value = self.settled(node.value, False, "effect")
                return node
            case ast.keyword(arg="guard", value=ast.Tuple() as value) if self.where in COVERS:
                value.elts = self.dropped(value.elts, "limit")
                return node
            case _:
                return self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> Any:
        if self.where not in COVERS:
            return self.generic_visit(node)
        node.iter = self.visit(node.iter)
        node.ifs = [self.weakened(test, True, "limit") for test in node.ifs]
        return node


def _checks(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and CHECKED.match(called_name(node.value)) is not None


def _listed(new: Any) -> Iterable[ast.stmt]:
    return new if isinstance(new, list) else [new]


def _takes_context(call: ast.Call) -> bool:
    return bool(call.args) and isinstance(call.args[0], ast.Name) and call.args[0].id == "ctx"


def _takes_goal(name: str) -> bool:
    return name in ("prove", "require", "require_proved", "_proved", "_holds")


def _is_conjunction(node: ast.expr) -> bool:
    return called_name(node) == "and_"
