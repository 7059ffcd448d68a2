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
Semantics: docs/semantics.md, §9; the tests have interpreters (`perceus_semantics`). Reference: Reinking 2022, fig. 4.4-4.8.
"""

from usl_perceus.ir.atoms import Atom, FunRef, Label, Lit, Nullary, Var
from usl_perceus.ir.exprs import (
    Branch,
    Call,
    CallClosure,
    Do,
    Expr,
    Fill,
    ForeignCall,
    If,
    Jump,
    KernelCall,
    Lambda,
    Let,
    LetJoin,
    MakeCon,
    MakeConHole,
    Match,
    NewHole,
    Prim,
    Raise,
    Ret,
    TryLet,
)
from usl_perceus.ir.nodes import Node
from usl_perceus.ir.operations import (
    CopyToken,
    DecRef,
    Drop,
    DropReuse,
    Dup,
    Free,
    FreeToken,
    IfUnique,
    NullToken,
    Op,
    TakeToken,
)
from usl_perceus.ir.program import ForeignDecl, FunDef, KernelDecl, Param, Program
from usl_perceus.ir.types import (
    ANY,
    ANY_DECL,
    BOOL,
    BOOL_DECL,
    EXN,
    F32,
    F64,
    FALSE,
    I8,
    I16,
    I32,
    I64,
    STR,
    TRUE,
    U8,
    U16,
    U32,
    U64,
    UNIT,
    ArrayType,
    Con,
    DataDecl,
    DataType,
    FloatType,
    FunType,
    HoleType,
    IntType,
    Layout,
    RefType,
    StrType,
    ThreadType,
    TokenType,
    Type,
    UnitType,
)

__all__ = [
    "ANY",
    "ANY_DECL",
    "BOOL",
    "BOOL_DECL",
    "EXN",
    "F32",
    "F64",
    "FALSE",
    "I8",
    "I16",
    "I32",
    "I64",
    "STR",
    "TRUE",
    "U8",
    "U16",
    "U32",
    "U64",
    "UNIT",
    "ArrayType",
    "Atom",
    "Branch",
    "Call",
    "CallClosure",
    "Con",
    "CopyToken",
    "DataDecl",
    "DataType",
    "DecRef",
    "Do",
    "Drop",
    "DropReuse",
    "Dup",
    "Expr",
    "Fill",
    "FloatType",
    "ForeignCall",
    "ForeignDecl",
    "Free",
    "FreeToken",
    "FunDef",
    "FunRef",
    "FunType",
    "HoleType",
    "If",
    "IfUnique",
    "IntType",
    "Jump",
    "KernelCall",
    "KernelDecl",
    "Label",
    "Lambda",
    "Layout",
    "Let",
    "LetJoin",
    "Lit",
    "MakeCon",
    "MakeConHole",
    "Match",
    "NewHole",
    "Node",
    "NullToken",
    "Nullary",
    "Op",
    "Param",
    "Prim",
    "Program",
    "Raise",
    "RefType",
    "Ret",
    "StrType",
    "TakeToken",
    "ThreadType",
    "TokenType",
    "TryLet",
    "Type",
    "UnitType",
    "Var",
]
