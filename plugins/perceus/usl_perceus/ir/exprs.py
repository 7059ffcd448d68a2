"""Expressions: those of the source, of tail recursion modulo constructor (`NewHole`, `MakeConHole`, `Fill`), and `Do`."""

from __future__ import annotations

from dataclasses import dataclass

from usl_perceus.ir.atoms import Atom, Label, Var
from usl_perceus.ir.nodes import Node
from usl_perceus.ir.operations import Op
from usl_perceus.ir.types import Con, Type


@dataclass(frozen=True, slots=True, eq=False)
class Ret(Node):
    """An atom as the value of an expression. An owned variable is consumed (moved to the result)."""

    atom: Atom


@dataclass(frozen=True, slots=True, eq=False)
class Let(Node):
    """`val var = value; body`. value is any expression (not in tail position, so Jumps do not leave it), also a match.

    If value raises, the exception goes on to the handler of the innermost TryLet in whose value this stands, else out
    of the function. In the linear calculus nothing is left to release then: if value may raise, then body owns no variable
    that was owned before value ran (`insert.py` makes a TryLet otherwise).
    """

    var: Var
    value: Expr
    body: Expr


@dataclass(frozen=True, slots=True, eq=False)
class TryLet(Node):
    """`try val var = value in body unless exn -> handler`. If value returns, body continues with var; if value raises, handler
    continues with exn (type EXN, owned). Exceptions of body and of handler are not caught here. body and handler own the same
    variables, besides var and exn, and each consumes them all; value owns the others and may borrow these."""

    var: Var
    value: Expr
    body: Expr
    exn: Var
    handler: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Raise(Node):
    """Raise the exception atom (type EXN), consuming it. `type` is the type that the context expects.
    reason: what failed, for people, at the span ("": the program says raise); None passes on an exception that was raised
    before."""

    atom: Atom
    type: Type
    reason: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Call(Node):
    """A call of the top-level function `fun`. The arguments for owned parameters are consumed, those for borrowed ones are not.
    tail: the call is the last thing its function does; set by `tail_calls`, which runs last. A tail call of a
    function of the same `FunDef.loop` group must not grow the stack; other tail calls may."""

    fun: str
    args: tuple[Atom, ...]
    type: Type
    tail: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class CallClosure(Node):
    """A call of a closure, which is consumed as are the arguments: inside, the captures are dupped and the closure is dropped
    (`H | f z -> dup ys; drop f; e`) by the code of the lambda, before its body starts."""

    fun: Atom
    args: tuple[Atom, ...]
    type: Type


@dataclass(frozen=True, slots=True, eq=False)
class Prim(Node):
    """A primitive operation of `prims.py`, which says the types and which arguments are owned. Never raises."""

    op: str
    args: tuple[Atom, ...]
    type: Type


@dataclass(frozen=True, slots=True, eq=False)
class ForeignCall(Node):
    """A call of a C function of `Program.foreigns`; ownership of each parameter as declared. Never raises."""

    fun: str
    args: tuple[Atom, ...]
    type: Type


@dataclass(frozen=True, slots=True, eq=False)
class KernelCall(Node):
    """A call of a @proc of `Program.kernels`. Arrays that it writes are owned, copied first unless unique, and returned; arrays
    that it only reads are borrowed; scalars are passed. The result is the one written array or scalar, or the VALUE constructor
    `KernelDecl.result` of them in order."""

    kernel: str
    args: tuple[Atom, ...]
    type: Type


@dataclass(frozen=True, slots=True, eq=False)
class MakeCon(Node):
    """A constructor with its fields, all owned. Nullary constructors of ENUM and BOXED types are atoms instead.

    must_reuse: the source demands that no memory is allocated here; checked by `promises.py`.
    token: a reuse token of the right size, consumed: if it is not NULL the block is built there, else it is allocated.
    kept: indices of fields that hold the right value already if the token is not NULL, so that they need no store.
    same_con: the token's memory was built by the same constructor, so that its header is right (a unique block's count is).
    """

    con: Con
    args: tuple[Atom, ...]
    must_reuse: bool = False
    token: Var | None = None
    kept: tuple[int, ...] = ()
    same_con: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Lambda(Node):
    """`fun[captures](params) body`: allocates a closure; consumes the captures.

    captures: the free variables of body other than params. The body owns its captures and params. A lambda without
    captures is static: not allocated, and never counted."""

    captures: tuple[Var, ...]
    params: tuple[Var, ...]
    result: Type
    body: Expr
    throws: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Branch(Node):
    """`con(binders) -> body`; one binder per field, each a fresh variable even if it is not used."""

    con: Con
    binders: tuple[Var, ...]
    body: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Match(Node):
    """Select by the constructor of var, of any data type. Branches (each constructor at most once) and default are
    exhaustive together; default is None where the branches suffice. never: numbers of constructors that var was found not to be
    made by, which need no branch.

    In the core, binders are values like others. In the linear calculus the match inspects var and does not consume it; binders
    are borrowed from the block. The §9 rule `match x -> dup ys; drop x; e` is spelt out at the start of the branch, without the
    pairs `dup y; drop y` of the unused ones."""

    var: Var
    branches: tuple[Branch, ...]
    default: Expr | None = None
    never: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class If(Node):
    """cond has type BOOL."""

    cond: Atom
    then: Expr
    orelse: Expr


@dataclass(frozen=True, slots=True, eq=False)
class LetJoin(Node):
    """`join label(params) = join_body; body`: a join point, not recursive. label occurs only in Jumps in tail position of body
    (not inside the value of a Let or TryLet, or a lambda). join_body may use what is in scope here as well as its params;
    what it owns besides its params must be owned at every Jump, which consumes it."""

    label: Label
    params: tuple[Var, ...]
    join_body: Expr
    body: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Jump(Node):
    """Go on with the body of the join point; consumes args and what that body owns besides its params."""

    label: Label
    args: tuple[Atom, ...]
    type: Type


@dataclass(frozen=True, slots=True, eq=False)
class NewHole(Node):
    """A result slot: bind hole to the address of a fresh word, run body (of type UNIT, it fills the hole), return the word.

    T slot; T *hole = &slot; body; return slot;
    """

    hole: Var
    body: Expr


@dataclass(frozen=True, slots=True, eq=False)
class MakeConHole(Node):
    """Allocate (or reuse, as MakeCon) a block whose field `index` is still unwritten; bind var, owned, to the block and hole
    to the address of that field. args[index] is None. The block must not be inspected or dropped before the hole is
    filled; in the code made by `trmc.py` the next thing is `Fill(outer, var)`."""

    var: Var
    hole: Var
    con: Con
    args: tuple[Atom | None, ...]
    index: int
    body: Expr
    token: Var | None = None
    kept: tuple[int, ...] = ()
    same_con: bool = False
    must_reuse: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Fill(Node):
    """`*hole = atom; ()`: consumes both. Type UNIT."""

    hole: Var
    atom: Atom


@dataclass(frozen=True, slots=True, eq=False)
class Do(Node):
    """`op; body`. Variables that op binds (tokens) are in scope in body."""

    op: Op
    body: Expr


Expr = (
    Ret
    | Let
    | TryLet
    | Raise
    | Call
    | CallClosure
    | Prim
    | ForeignCall
    | KernelCall
    | MakeCon
    | Lambda
    | Match
    | If
    | LetJoin
    | Jump
    | NewHole
    | MakeConHole
    | Fill
    | Do
)
"""Every kind of expression, so that a walk may close with assert_never."""
