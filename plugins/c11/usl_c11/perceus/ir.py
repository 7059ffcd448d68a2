"""The core language and the linear resource calculus: frozen nodes, compared by identity; types by structure.

One tree serves all passes. A program as the front end delivers it (the *core*) has no `Do` and no reuse token; `NewHole`,
`MakeConHole` and `Fill` come in by tail recursion modulo constructor (`trmc.py`). Perceus (`insert.py`) turns it into the
*linear resource calculus* by adding `Do(op, body)` and `TryLet`; the later passes rearrange these. It is in A-normal form:
arguments are atoms, everything else is named by `Let`.

Ownership. A variable whose type is *counted* (`layout.is_counted`) stands for one reference. In the linear calculus each
counted variable is either *owned*, and then each path consumes it exactly once, or *borrowed*, and then no path
consumes it unless a `Dup` makes it owned first; its referent stays alive because somebody else owns it.

    consumed by      an atom as the result of an expression; the argument of a constructor, of a closure call, of a Jump, of an
                     owned parameter (of a function, foreign function, primitive); the captures of a lambda; Raise;
                     the ops Drop, Free, DecRef, DropReuse, TakeToken
    not consumed by  Match (inspects), If, an argument for a borrowed parameter, Dup, IfUnique
    made owned by    Let, the parameters that are not borrowed, Dup (one more reference), the captures inside a
                     lambda's body, an exception variable, MakeConHole
    made borrowed    the binders of a Match: aliases of the fields of the block, valid while the block is alive; `Dup y` makes
                     one owned. In the unique branch of IfUnique, after Free or TakeToken, the binders own
                     what the block's fields held (see `IfUnique`).

Every variable is bound once in a program, except that a lambda's captures keep their outer names inside its body.
Semantics: docs/semantics.md, §9; `standard.py` and `heap.py` are the interpreters. Reference: Reinking 2022, fig. 4.4-4.8.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from usl_core.errors import NOWHERE, Span

# ---- types (compared by structure)


@dataclass(frozen=True, slots=True)
class IntType:
    """A machine integer of 8, 16, 32 or 64 bits. Arithmetic wraps around."""

    bits: int
    signed: bool


@dataclass(frozen=True, slots=True)
class FloatType:
    """An IEEE binary float of 32 or 64 bits."""

    bits: int


@dataclass(frozen=True, slots=True)
class UnitType:
    """The type of `Lit(None, UNIT)`, its only value."""


@dataclass(frozen=True, slots=True)
class StrType:
    """An immutable string of bytes; boxed. Literals are static and never counted."""


@dataclass(frozen=True, slots=True)
class DataType:
    """The data type declared under this name in `Program.datas`; monomorphic (`List[i64]` is a name). Tuples are data types."""

    name: str


@dataclass(frozen=True, slots=True)
class FunType:
    """A closure; boxed. Its call owns all arguments. throws: a call may raise."""

    params: tuple[Type, ...]
    result: Type
    throws: bool = False


@dataclass(frozen=True, slots=True)
class RefType:
    """A mutable cell; boxed."""

    elem: Type


@dataclass(frozen=True, slots=True)
class ArrayType:
    """A boxed array with its length; functional update, in place where it is unique."""

    elem: Type


@dataclass(frozen=True, slots=True)
class ThreadType:
    """A running thread; boxed. Join consumes it; dropping the last reference waits for it and drops its result."""

    result: Type


@dataclass(frozen=True, slots=True)
class TokenType:
    """A reuse token: the memory of a dead block of `size` bytes (header included), or NULL. Linear: used by exactly one MakeCon
    or FreeToken on each path. Never in the core. certain: never NULL."""

    size: int
    certain: bool = False


@dataclass(frozen=True, slots=True)
class HoleType:
    """The address of a word that is still to be written with an owned value of the boxed data type `elem`: a field of a fresh
    block or the result slot of a NewHole. Linear: filled exactly once on each path. Never in the core."""

    elem: Type


Type = IntType | FloatType | UnitType | StrType | DataType | FunType | RefType | ArrayType | ThreadType | TokenType | HoleType

I8, I16, I32, I64 = (IntType(bits, True) for bits in (8, 16, 32, 64))
U8, U16, U32, U64 = (IntType(bits, False) for bits in (8, 16, 32, 64))
F32, F64 = FloatType(32), FloatType(64)
UNIT, STR = UnitType(), StrType()
BOOL = DataType("bool")
EXN = DataType("exn")
"""The type of all exceptions: one boxed data type, whose constructors are the program's @exception declarations."""


class Layout(Enum):
    """How values of a data type are kept."""

    ENUM = "enum"
    """A byte (the tag); all constructors are nullary; never counted."""
    VALUE = "value"
    """A struct, copied; one constructor, not recursive; counted if a field is. Dup and Drop act on its counted fields."""
    BOXED = "boxed"
    """A block with a header; nullary constructors are odd immediates, on which Dup and Drop do nothing."""


@dataclass(frozen=True, slots=True)
class Con:
    """Constructor number `tag` (from 0) of the data type `data`. fields: (name, type) in the order of the source; names are for
    messages and may repeat. name is unique within the data type."""

    data: str
    name: str
    tag: int
    fields: tuple[tuple[str, Type], ...] = ()

    @property
    def type(self) -> DataType:
        return DataType(self.data)


@dataclass(frozen=True, slots=True)
class DataDecl:
    name: str
    cons: tuple[Con, ...]
    layout: Layout
    span: Span = field(default=NOWHERE, compare=False, repr=False)


FALSE, TRUE = Con("bool", "False", 0), Con("bool", "True", 1)
BOOL_DECL = DataDecl("bool", (FALSE, TRUE), Layout.ENUM)
"""In `Program.datas` of every program."""

# ---- variables and atoms

_numbers = itertools.count()


class Var:
    """A variable; also an atom. Two are equal only if they are the same object; the printer tells equal names apart."""

    __slots__ = ("__weakref__", "name", "number", "type")

    def __init__(self, name: str, type: Type) -> None:
        self.name = name
        self.type = type
        self.number = next(_numbers)

    def copy(self) -> Var:
        """A fresh variable with the same spelling and type."""
        return Var(self.name, self.type)

    def __repr__(self) -> str:
        return f"{self.name}_{self.number}"


class Label:
    """The name of a join point; equal only if the same object."""

    __slots__ = ("__weakref__", "name", "number")

    def __init__(self, name: str) -> None:
        self.name = name
        self.number = next(_numbers)

    def __repr__(self) -> str:
        return f"{self.name}_{self.number}"


@dataclass(frozen=True, slots=True)
class Lit:
    """A constant that needs no count: int for integers (in range), float, bytes for STR, None for UNIT."""

    value: int | float | bytes | None
    type: Type


@dataclass(frozen=True, slots=True)
class Nullary:
    """A constructor without fields as a value, of an ENUM or BOXED data type. (Of a VALUE type: MakeCon with no arguments.)"""

    con: Con

    @property
    def type(self) -> Type:
        return self.con.type


@dataclass(frozen=True, slots=True)
class FunRef:
    """A top-level function as a closure value: static, never counted. All parameters of the function are owned (ensured by
    `passes.py`, which makes wrappers for functions with borrowed parameters; the front end need not care)."""

    fun: str
    type: FunType


Atom = Var | Lit | Nullary | FunRef


# ---- expressions


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True, kw_only=True)
class Node:
    span: Span = field(default=NOWHERE, repr=False)


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
    """Raise the exception atom (type EXN), consuming it. `type` is the type that the context expects."""

    atom: Atom
    type: Type


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
    that it only reads are borrowed; scalars are passed. The result is the one written array, or the VALUE constructor
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


# ---- tail recursion modulo constructor: destination-passing forms (made by `trmc.py`)


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


# ---- resource operations (never in the core)


@dataclass(frozen=True, slots=True, eq=False)
class Dup(Node):
    """One more reference; var may be borrowed or owned and one more ownership of it is gained."""

    var: Var


@dataclass(frozen=True, slots=True, eq=False)
class Drop(Node):
    """Give up one reference; the last one frees the block, dropping its fields."""

    var: Var


@dataclass(frozen=True, slots=True, eq=False)
class DropReuse(Node):
    """Give up one reference to the boxed, not immediate `var`, whose block has `token.type.size` bytes. The last one: drop the
    fields, and token is the memory. Otherwise: token is NULL."""

    token: Var
    var: Var


@dataclass(frozen=True, slots=True, eq=False)
class IfUnique(Node):
    """If var (boxed, not immediate, owned) has count one then `unique` else `shared`; both leave the same variables owned.

    Made by drop specialisation in a branch of a match on var that binds fields ys. `unique` ends the life of the block with
    Free or TakeToken: the references that the block held become the binders', which are owned from then on; so
    `unique` has a Drop for each field that nobody needs and no Dup for the others. `shared` has a Dup for each field that is
    needed, then DecRef, with NullToken behind it or CopyToken before it if `unique` has TakeToken."""

    var: Var
    unique: tuple[Op, ...]
    shared: tuple[Op, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Free(Node):
    """Release the memory of the block var, which is unique; its match's binders own the fields (those not yet dropped). Of a
    variable of a VALUE type: take it apart; its match's binders own the fields, and there is no code for it."""

    var: Var


@dataclass(frozen=True, slots=True, eq=False)
class DecRef(Node):
    """Give up one reference to the block var, which is known not to be the only one."""

    var: Var


@dataclass(frozen=True, slots=True, eq=False)
class TakeToken(Node):
    """As Free, but the memory becomes the token instead of being released. Contents stay as they are."""

    token: Var
    var: Var


@dataclass(frozen=True, slots=True, eq=False)
class NullToken(Node):
    """token is NULL."""

    token: Var


@dataclass(frozen=True, slots=True, eq=False)
class CopyToken(Node):
    """token is new memory that holds what the block var does; nothing is counted, and var keeps its references. Stands in the
    shared sequence of an IfUnique on var only, between the dups of fields and DecRef."""

    token: Var
    var: Var


@dataclass(frozen=True, slots=True, eq=False)
class FreeToken(Node):
    """Release the token's memory if it is not NULL; consumes it."""

    token: Var


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
Op = Dup | Drop | DropReuse | IfUnique | Free | DecRef | TakeToken | NullToken | CopyToken | FreeToken
"""Every kind of resource operation. A sequence of them is a tuple."""

# ---- programs


@dataclass(frozen=True, slots=True, eq=False)
class Param:
    """borrowed: the caller keeps the ownership. In the core: as annotated in the source; `borrow.py` may set it on more."""

    var: Var
    borrowed: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class FunDef(Node):
    """A top-level function; its body has no free variables but the parameters.

    name: unique in the program, any text (`map[i64,i64]`); the back end makes a C name of it.
    throws: a call may raise (inferred by the front end, for mutually recursive functions together).
    inline: the source asks for inlining.
    fbip: promised: on unique arguments each constructor reuses a matched block, and the stack does not grow.
    no_alloc: promised: as fbip, but the stack may grow.
    loop: functions with the same number (not None) call each other in tail position, which must not grow the stack; set by
    `tail_calls`.
    """

    name: str
    params: tuple[Param, ...]
    result: Type
    body: Expr
    throws: bool = False
    inline: bool = False
    fbip: bool = False
    no_alloc: bool = False
    loop: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ForeignDecl(Node):
    """A C function `symbol`; borrowed: for each parameter whether the caller keeps it. Results are owned. header: the file to
    include, or None for a prototype made from the types. A foreign function never raises."""

    name: str
    symbol: str
    params: tuple[Type, ...]
    borrowed: tuple[bool, ...]
    result: Type
    header: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class KernelDecl(Node):
    """A @proc: written[i] says whether argument i is an array that the kernel writes. result: the VALUE constructor that
    collects several written arrays; None for one. proc: the procedure, for the back end."""

    name: str
    params: tuple[Type, ...]
    written: tuple[bool, ...]
    result: Con | None
    proc: object


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """A whole program. exports: the functions that are called from outside (Python, C); their parameters are owned."""

    datas: Mapping[str, DataDecl]
    funs: Mapping[str, FunDef]
    foreigns: Mapping[str, ForeignDecl] = field(default_factory=dict)
    kernels: Mapping[str, KernelDecl] = field(default_factory=dict)
    exports: tuple[str, ...] = ()
