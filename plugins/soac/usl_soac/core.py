"""The core of array programs: administrative normal form, unique names, tuples of arrays as several arrays.

The sized core is the same with more: every dimension of every type is a term, tests stand as `c = assert(…)` of type cert,
`<c> e` is evaluated after the tests c, and calls may name a part (shape, value, …) of a function. Nodes carry no behaviour.
Reference: Henriksen 2014, fig. 2, fig. 11.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction

from usl_core.errors import NOWHERE, Span
from usl_core.ir.identity import Identical
from usl_core.ir.sym import Sym
from usl_core.ir.types import ScalarType
from usl_soac.sizes import Term


@dataclass(frozen=True, slots=True)
class Type:
    """A scalar, or a dense row-major array of them: `dims` has one entry per dimension, outermost first.

    A dimension is None where sizes are not worked out yet; in the sized core none is.
    """

    scalar: ScalarType
    dims: tuple[Term | None, ...] = ()

    @property
    def rank(self) -> int:
        """The number of dimensions, 0 for a scalar."""
        return len(self.dims)


@dataclass(frozen=True, slots=True)
class Const:
    """A number or truth value: Fraction for f32 and f64 (as written), or a float that is no number (inf, nan)."""

    value: int | bool | Fraction | float
    scalar: ScalarType


Atom = Sym | Const


class Failure(Enum):
    """Which of Python's exceptions a failed test becomes."""

    SHAPE = "ShapeError"
    INDEX = "IndexError"
    ASSERTION = "AssertionError"
    DIVISION = "ZeroDivisionError"
    MEMORY = "MemoryError"


@dataclass(frozen=True, slots=True)
class Site:
    """A test in the program: where it stands and what is said when it fails.

    `text` may mention the values of the test as {0}, {1}, …: usually what was found, what was expected, and which element.
    """

    span: Span
    failure: Failure
    text: str


# ---- nodes


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True, kw_only=True)
class NodeBase(Identical):
    """What every node has; compared by identity."""

    span: Span = field(default=NOWHERE, repr=False)


@dataclass(frozen=True, slots=True, eq=False)
class Param(NodeBase):
    """`name: type`, bound nowhere else in the program."""

    name: Sym
    type: Type


@dataclass(frozen=True, slots=True, eq=False)
class Body(NodeBase):
    """`let statements in results`."""

    statements: tuple[Statement, ...]
    results: tuple[Atom, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Lambda(NodeBase):
    r"""`\params -> body`; it may mention names from around it."""

    params: tuple[Param, ...]
    body: Body


@dataclass(frozen=True, slots=True, eq=False)
class Statement(NodeBase):
    """`pattern = <certs> value`: one name for each value; certs are names of type cert, tests that come first."""

    pattern: tuple[Param, ...]
    value: Expr
    certs: tuple[Sym, ...] = ()


class Part(Enum):
    """What is computed of a function: all of it, or one of the slices that the sized core has."""

    WHOLE = ""
    SHAPE = "shape"
    VALUE = "value"
    EXT = "ext"
    HEAD = "head"
    TAIL = "tail"


@dataclass(frozen=True, slots=True, eq=False)
class Function(NodeBase):
    """`fun name(params): exists. results = body`.

    `sizes` are the names that the parameters' dimensions bind, in the order of their first occurrence; dimensions of parameters
    are terms over these and earlier parameters of type i64. Those of results may mention `exists` too, sizes that come with the
    result.
    In the sized core a part takes its sizes as parameters.
    """

    name: str
    sizes: tuple[Sym, ...]
    params: tuple[Param, ...]
    exists: tuple[Sym, ...]
    results: tuple[Type, ...]
    body: Body
    part: Part = Part.WHOLE
    promises: frozenset[str] = frozenset()
    """The names of promises above it, such as "sliced"."""
    promise: Span = field(default=NOWHERE, repr=False)
    """Where its result type is written."""


@dataclass(frozen=True, slots=True)
class Program:
    """The functions that the last one uses, callees first where they are not recursive; names (with parts) are unique."""

    functions: tuple[Function, ...]

    def function(self, name: str, part: Part = Part.WHOLE) -> Function:
        """The function of that name."""
        return next(each for each in self.functions if each.name == name and each.part is part)


# ---- expressions


@dataclass(frozen=True, slots=True, eq=False)
class Copy(NodeBase):
    """An atom."""

    atom: Atom


@dataclass(frozen=True, slots=True, eq=False)
class Op(NodeBase):
    """A scalar operation, `operand` being the type of its first argument.

    `op` is one of `+ - * / // % ** & | ^ << >> < <= > >= == != and or`, `neg not ~`, `min max select`, `exp log sin cos tan
    tanh pow atan2 erf sqrt floor ceil abs`, or the name of a scalar type: a conversion to it. `//` and `%` on integers round to
    minus infinity and fail on 0; `and` and `or` evaluate both sides; `select(c, a, b)` is `a if c else b` of two known scalars.
    """

    op: str
    args: tuple[Atom, ...]
    operand: ScalarType


@dataclass(frozen=True, slots=True, eq=False)
class Foreign(NodeBase):
    """A call of a scalar `@fun` or `@foreign`."""

    function: object
    args: tuple[Atom, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Size(NodeBase):
    """The number of elements of one dimension, an i64. The sized core has none: the type says it."""

    array: Sym
    dim: int


@dataclass(frozen=True, slots=True, eq=False)
class Index(NodeBase):
    """`array[i, …]`: an element, or with fewer indices than dimensions the part that they choose."""

    array: Sym
    indices: tuple[Atom, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Slice(NodeBase):
    """`array[lo:hi:step]` along dimension 0, 0 <= lo <= hi <= its size. A negative step takes the same part from its end."""

    array: Sym
    lo: Atom
    hi: Atom
    step: int = 1


@dataclass(frozen=True, slots=True, eq=False)
class Iota(NodeBase):
    """0, 1, …, count - 1."""

    count: Atom
    scalar: ScalarType


@dataclass(frozen=True, slots=True, eq=False)
class Replicate(NodeBase):
    """`value`, a scalar or an array, count times."""

    count: Atom
    value: Atom


@dataclass(frozen=True, slots=True, eq=False)
class Concat(NodeBase):
    """One or more arrays after each other along dimension 0."""

    arrays: tuple[Sym, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Split(NodeBase):
    """Two arrays: the first `at` elements along dimension 0, and the rest."""

    array: Sym
    at: Atom


@dataclass(frozen=True, slots=True, eq=False)
class Rearrange(NodeBase):
    """Dimension d of the result is dimension `order[d]` of the array."""

    array: Sym
    order: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Reshape(NodeBase):
    """The same elements in row-major order with other dimensions, one or more."""

    array: Sym
    dims: tuple[Atom, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Rotate(NodeBase):
    """Element i of the result is element (i + by) modulo the size of dimension 0; `by` may be any i64."""

    array: Sym
    by: Atom


@dataclass(frozen=True, slots=True, eq=False)
class Update(NodeBase):
    """The array with the element or part at these indices replaced."""

    array: Sym
    indices: tuple[Atom, ...]
    value: Atom


@dataclass(frozen=True, slots=True, eq=False)
class Scatter(NodeBase):
    """The array with element `indices[j]` of dimension 0 replaced by `values[j]`; out of range is ignored, the last wins."""

    array: Sym
    indices: Sym
    values: Sym


@dataclass(frozen=True, slots=True, eq=False)
class Hist(NodeBase):
    """The arrays where `values[j]` has been combined with element `indices[j]` of dimension 0, in order.

    An index out of range is ignored. One neutral element, one value array and one parameter pair of `op` for each array.
    """

    op: Lambda
    arrays: tuple[Sym, ...]
    neutral: tuple[Atom, ...]
    indices: Sym
    values: tuple[Sym, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Map(NodeBase):
    """One result array for each result of `function`.

    In the sized core the first `sizes` results of `function` are lengths that the map gives as scalars, before its arrays:
    those of the first element, 0 where there is none. The others are tested as they are computed; the map fails if one differs.
    """

    function: Lambda
    arrays: tuple[Sym, ...]
    sizes: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Reduce(NodeBase):
    """From the left, `neutral` first. `op` takes as many pairs as there are arrays: all left sides, then all right sides."""

    op: Lambda
    neutral: tuple[Atom, ...]
    arrays: tuple[Sym, ...]
    commutative: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Scan(NodeBase):
    """All partial results of the reduction, inclusive."""

    op: Lambda
    neutral: tuple[Atom, ...]
    arrays: tuple[Sym, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Filter(NodeBase):
    """The rows of the arrays at which the predicate holds, in order; in the sized core their number first."""

    predicate: Lambda
    arrays: tuple[Sym, ...]


@dataclass(frozen=True, slots=True, eq=False)
class If(NodeBase):
    """One of two bodies, each with as many results as the pattern has names."""

    condition: Atom
    then: Body
    orelse: Body


@dataclass(frozen=True, slots=True, eq=False)
class Loop(NodeBase):
    """`loop (params = initial) for index < bound while condition do body`.

    Each round the params are rebound to the results of body. There is a bound (evaluated once; the index counts from 0), a
    condition (a body over the params with one bool, asked before each round), or both. The values are the last params.
    """

    params: tuple[Param, ...]
    initial: tuple[Atom, ...]
    index: Param | None
    bound: Atom | None
    condition: Body | None
    body: Body


@dataclass(frozen=True, slots=True, eq=False)
class Call(NodeBase):
    """A function of the program, or a part of it (then with the sizes as arguments that the part's parameters ask for)."""

    function: str
    args: tuple[Atom, ...]
    part: Part = Part.WHOLE


@dataclass(frozen=True, slots=True, eq=False)
class Kernel(NodeBase):
    """A call of a `@proc`: the values are the tensors that it writes, in the order of its formals.

    One argument for each formal; that of a tensor which is only written is None where the program gives none.
    """

    procedure: object
    args: tuple[Atom | None, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Assert(NodeBase):
    """A test: gives a cert, or fails at its site with these values for the text."""

    condition: Atom
    site: Site
    values: tuple[Atom, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Count(NodeBase):
    """How many of the flags, an array of truth values, are set. With `Compress` it is a filter in two stages."""

    flags: Sym


@dataclass(frozen=True, slots=True, eq=False)
class Compress(NodeBase):
    """The rows of the arrays whose flags are set, in order; their number has been counted.

    Also known as: compress (APL, NumPy).
    """

    flags: Sym
    arrays: tuple[Sym, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Coerce(NodeBase):
    """The array, whose dimensions are these (None is any): tested, unless it stands under certs that say so.

    `name` is what a failure calls the array.
    """

    array: Sym
    dims: tuple[Term | None, ...]
    name: str = ""


Soac = Map | Reduce | Scan | Filter | Hist
Structural = (
    Index
    | Slice
    | Iota
    | Replicate
    | Concat
    | Split
    | Rearrange
    | Reshape
    | Rotate
    | Update
    | Scatter
    | Count
    | Compress
    | Coerce
)
"""What makes arrays of arrays, or reads them, without functions."""
Simple = Copy | Op | Foreign | Size | Structural | Call | Kernel | Assert
"""Expressions without bodies in them."""
Expr = Simple | Soac | If | Loop
Node = Expr | Statement | Body | Lambda | Function | Param
