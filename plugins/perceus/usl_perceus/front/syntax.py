"""The surface syntax of functional programs: what a `@fun` says, as expressions.

Statements are already gone (`statements.py`): a block is nested `Let`s, an `if` without `return` is an expression that gives
the variables assigned in it, and where several paths go on behind a statement they `Jump` to one `Join`. Names and types are
not yet resolved; nodes compare by identity, so that the checker can note types beside them.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from usl_core.errors import Span


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Node:
    """What every piece of syntax has: its place in the source."""

    span: Span = field(repr=False)


# -- patterns ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class WildcardPattern(Node):
    """`_`"""


@dataclass(frozen=True, slots=True, eq=False)
class NamePattern(Node):
    """`x`, which binds x to the value."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class LiteralPattern(Node):
    """A number, a string, `True` or `False`."""

    value: int | float | bool | str


@dataclass(frozen=True, slots=True, eq=False)
class ConstructorPattern(Node):
    """`Node(p, q)` or `Tree.Node(p, x=q)`; path has the dotted parts, keywords the names of the last args."""

    path: tuple[str, ...]
    args: tuple[Pattern, ...]
    keywords: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class TuplePattern(Node):
    """`(p, q)`"""

    items: tuple[Pattern, ...]


@dataclass(frozen=True, slots=True, eq=False)
class AsPattern(Node):
    """`p as x`"""

    pattern: Pattern
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class OrPattern(Node):
    """`p | q`; all alternatives bind the same names."""

    alternatives: tuple[Pattern, ...]


Pattern = WildcardPattern | NamePattern | LiteralPattern | ConstructorPattern | TuplePattern | AsPattern | OrPattern


def bound(pattern: Pattern) -> list[str]:
    """The variables that a pattern binds."""
    match pattern:
        case WildcardPattern() | LiteralPattern():
            return []
        case NamePattern(name=name):
            return [name]
        case AsPattern(pattern=inner, name=name):
            return [name, *bound(inner)]
        case ConstructorPattern(args=parts) | TuplePattern(items=parts):
            return [name for part in parts for name in bound(part)]
        case OrPattern(alternatives=alternatives):
            return bound(alternatives[0])


# -- expressions -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Name(Node):
    """A variable, function, nullary constructor or constant."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Literal(Node):
    """A number, string or truth value; None is the unit value.

    `implicit` marks the unit value of a path that ends without `return`.
    """

    value: int | float | bool | str | None
    implicit: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Tuple(Node):
    """`(a, b)`, two or more items."""

    items: tuple[Expr, ...]


@dataclass(frozen=True, slots=True, eq=False)
class ArrayLiteral(Node):
    """`[a, b]`, an array."""

    items: tuple[Expr, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Call(Node):
    """`f(a, b)`; f may be anything that can be called, also a method (`Attribute`). The last args have the names keywords."""

    function: Expr
    args: tuple[Expr, ...]
    keywords: tuple[tuple[str, Span], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Attribute(Node):
    """`r.value`, `Tree.Leaf`, or the function of a method call."""

    owner: Expr
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Index(Node):
    """`a[i]`"""

    array: Expr
    index: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Unary(Node):
    """`-a`, `~a`, `not a`; op is Python's spelling."""

    op: str
    operand: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Binary(Node):
    """Arithmetic, bits and comparisons: op is Python's spelling. `and`, `or` are `If`s."""

    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True, eq=False)
class If(Node):
    """`then if condition else orelse`, and the statement, whose branches have the rest of the block in them."""

    condition: Expr
    then: Expr
    orelse: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Case(Node):
    """`case pattern if guard: body`."""

    pattern: Pattern
    guard: Expr | None
    body: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Match(Node):
    """`match scrutinee: case ...`; the first case that matches is taken."""

    scrutinee: Expr
    cases: tuple[Case, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Let(Node):
    """`pattern = value`, then body. The pattern must match every value."""

    pattern: Pattern
    annotation: ast.expr | None
    value: Expr
    body: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Lambda(Node):
    """`lambda x, y: body`; the place of each parameter is for messages."""

    params: tuple[tuple[str, Span], ...]
    body: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Param(Node):
    """A parameter of a `def`; the annotation says `borrowed` as well."""

    name: str
    annotation: ast.expr
    default: Expr | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Function(Node):
    """A `def`. `annotations` are Python expressions, resolved where their names can be looked up."""

    name: str
    typevars: tuple[str, ...]
    """Declared in brackets after the name (Python 3.12)."""
    params: tuple[Param, ...]
    result: ast.expr
    body: Expr
    ordered: tuple[str, ...] = ()
    """Those of them with the bound Ord."""


@dataclass(frozen=True, slots=True, eq=False)
class LetFunctions(Node):
    """Nested `def`s one after another, which may call each other; then body."""

    functions: tuple[Function, ...]
    body: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Raise(Node):
    """`raise E(a)`; has any type."""

    value: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Handler(Node):
    """`except E(x): body`; pattern None catches every exception. others: the exceptions that it catches besides; caught: the
    variable of the exception itself."""

    pattern: Pattern | None
    others: tuple[ConstructorPattern, ...]
    caught: str
    body: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Try(Node):
    """body with handlers for what it raises. If it does not, its value is bound by pattern and `then` goes on, whose
    exceptions are not handled here; without `then` it is the result."""

    pattern: Pattern | None
    body: Expr
    then: Expr | None
    handlers: tuple[Handler, ...]


@dataclass(frozen=True, slots=True, eq=False)
class SetValue(Node):
    """`r.value = a`; gives the unit value."""

    reference: Expr
    value: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Join(Node):
    """rest, with the variables params, is where the `Jump`s to label inside body go on; all in tail position of body."""

    label: int
    params: tuple[str, ...]
    rest: Expr
    body: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Jump(Node):
    """Goes on at the `Join` of that label, whose params get the values of args."""

    label: int
    args: tuple[Expr, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Loop(Node):
    """body, with params first start; `Jump`s to label, in tail position of body, begin the next round with other values."""

    label: int
    params: tuple[str, ...]
    start: tuple[Expr, ...]
    body: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Begin(Node):
    """The state in which going through source begins: the first index of an array, or a list itself."""

    source: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Step(Node):
    """If source has another element at state: pattern is that, the variable after is the state behind it, and body goes on;
    else orelse. source and state are variables; a list is its own state."""

    source: str
    state: str
    after: str
    pattern: Pattern
    body: Expr
    orelse: Expr


Expr = (
    Name
    | Literal
    | Tuple
    | ArrayLiteral
    | Call
    | Attribute
    | Index
    | Unary
    | Binary
    | If
    | Match
    | Let
    | Lambda
    | LetFunctions
    | Raise
    | Try
    | SetValue
    | Join
    | Jump
    | Loop
    | Begin
    | Step
)


# -- declarations ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class ConstructorSyntax(Node):
    """A constructor of a data type, or an exception; fields are annotations, names those of the fields if they have any."""

    name: str
    fields: tuple[ast.expr, ...]
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class DataSyntax(Node):
    """A class decorated as a data type; a record has one constructor, of its own name."""

    name: str
    typevars: tuple[str, ...]
    constructors: tuple[ConstructorSyntax, ...]
    is_record: bool = False
