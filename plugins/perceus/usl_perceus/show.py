"""The text of a program, for people and for tests. Equal spellings are told apart by a number within a function."""

from __future__ import annotations

from typing import assert_never

from usl_perceus.ir import (
    ArrayType,
    Atom,
    Branch,
    Call,
    CallClosure,
    CopyToken,
    DataDecl,
    DataType,
    DecRef,
    Do,
    Drop,
    DropReuse,
    Dup,
    Expr,
    Fill,
    FloatType,
    ForeignCall,
    Free,
    FreeToken,
    FunDef,
    FunRef,
    FunType,
    HoleType,
    If,
    IfUnique,
    IntType,
    Jump,
    KernelCall,
    Label,
    Lambda,
    Let,
    LetJoin,
    Lit,
    MakeCon,
    MakeConHole,
    Match,
    NewHole,
    Nullary,
    NullToken,
    Op,
    Prim,
    Program,
    Raise,
    RefType,
    Ret,
    StrType,
    TakeToken,
    ThreadType,
    TokenType,
    TryLet,
    Type,
    UnitType,
    Var,
)


def show(program: Program) -> str:
    """The whole program: data types, foreign functions, functions."""
    parts = [show_data(decl) for decl in program.datas.values()]
    parts += [
        f"foreign {decl.name}({', '.join(_owned(type, kept) for type, kept in zip(decl.params, decl.borrowed, strict=True))})"
        f" -> {show_type(decl.result)}"
        for decl in program.foreigns.values()
    ]
    parts += [show_function(fun) for fun in program.funs.values()]
    return "\n\n".join(parts) + "\n"


def _owned(type: Type, borrowed: bool) -> str:
    return ("^" if borrowed else "") + show_type(type)


def show_type(type: Type) -> str:
    """A type in the notation of `usl fun --show`."""
    match type:
        case IntType(bits=bits, signed=signed):
            return f"{'i' if signed else 'u'}{bits}"
        case FloatType(bits=bits):
            return f"f{bits}"
        case UnitType():
            return "()"
        case StrType():
            return "str"
        case DataType(name=name):
            return name
        case FunType(params=params, result=result, throws=throws):
            return f"({', '.join(show_type(param) for param in params)}) -> {'throws ' if throws else ''}{show_type(result)}"
        case RefType(elem=elem):
            return f"ref[{show_type(elem)}]"
        case ArrayType(elem=elem):
            return f"array[{show_type(elem)}]"
        case ThreadType(result=result):
            return f"thread[{show_type(result)}]"
        case TokenType(size=size, certain=certain):
            return f"token[{size}]{'!' if certain else ''}"
        case HoleType(elem=elem):
            return f"hole[{show_type(elem)}]"
        case _:
            assert_never(type)


def show_data(decl: DataDecl) -> str:
    """`data Tree boxed { Leaf; Node(left: Tree, key: i64) }`."""
    cons = []
    for con in decl.cons:
        fields = ", ".join(f"{name}: {show_type(type)}" for name, type in con.fields)
        cons.append(f"{con.name}({fields})" if fields else con.name)
    return f"data {decl.name} {decl.layout.value} {{ {'; '.join(cons)} }}"


def show_function(fun: FunDef) -> str:
    """The function's header and body. `^` marks borrowed parameters."""
    return _Printer().function(fun)


def show_expr(expr: Expr) -> str:
    """An expression by itself."""
    return "\n".join(_Printer().expr(expr))


def _indent(lines: list[str]) -> list[str]:
    return ["  " + line for line in lines]


class _Printer:
    def __init__(self) -> None:
        self._names: dict[Var | Label, str] = {}
        self._taken: dict[str, int] = {}

    def name(self, var: Var | Label) -> str:
        if var not in self._names:
            base = var.name or "_"
            count = self._taken.get(base, 0)
            self._taken[base] = count + 1
            self._names[var] = base if count == 0 else f"{base}'{count}"
        return self._names[var]

    def names(self, vars: tuple[Var, ...]) -> str:
        return ", ".join(self.name(var) for var in vars)

    def typed(self, vars: tuple[Var, ...]) -> str:
        return ", ".join(f"{self.name(var)}: {show_type(var.type)}" for var in vars)

    def atom(self, atom: Atom | None) -> str:
        match atom:
            case None:
                return "□"
            case Var():
                return self.name(atom)
            case Nullary(con=con):
                return con.name
            case FunRef(fun=fun):
                return f"&{fun}"
            case Lit(value=None):
                return "()"
            case Lit(value=bytes() as text):
                return '"' + text.decode("utf-8", "backslashreplace").replace("\n", "\\n").replace('"', '\\"') + '"'
            case Lit(value=value):
                return str(value)
            case _:
                assert_never(atom)

    def args(self, args: tuple[Atom | None, ...]) -> str:
        return "(" + ", ".join(self.atom(arg) for arg in args) + ")"

    def function(self, fun: FunDef) -> str:
        params = ", ".join(
            f"{'^' if param.borrowed else ''}{self.name(param.var)}: {show_type(param.var.type)}" for param in fun.params
        )
        promises = "".join(f"@{word} " for word in ("inline", "specialize", "fbip", "no_alloc") if getattr(fun, word))
        loop = "" if fun.loop is None else f" loop {fun.loop}"
        throws = "throws " if fun.throws else ""
        head = f"{promises}fun {fun.name}({params}) -> {throws}{show_type(fun.result)}{loop} {{"
        return "\n".join([head, *_indent(self.expr(fun.body)), "}"])

    def expr(self, expr: Expr) -> list[str]:
        match expr:
            case Let(var=var, value=value, body=body):
                lines = self.expr(value)
                head = f"val {self.name(var)} = "
                first = [head + lines[0]] if len(lines) == 1 else [head + "{", *_indent(lines), "}"]
                return [*first, *self.expr(body)]
            case TryLet(var=var, value=value, body=body, exn=exn, handler=handler):
                lines = self.expr(value)
                opening = [f"try {self.name(var)} = {{", *_indent(lines), f"}} unless {self.name(exn)} {{"]
                return [*opening, *_indent(self.expr(handler)), "}", *self.expr(body)]
            case Lambda(captures=captures, params=params, body=body):
                return [f"fun[{self.names(captures)}]({self.typed(params)}) {{", *_indent(self.expr(body)), "}"]
            case Match(var=var, branches=branches, default=default):
                lines = [f"match {self.name(var)} {{"]
                for branch in branches:
                    lines += _indent(self._branch(branch))
                if default is not None:
                    lines += _indent(self._case("_", self.expr(default)))
                return [*lines, "}"]
            case If(cond=cond, then=then, orelse=orelse):
                head, middle = f"if {self.atom(cond)} {{", "} else {"
                return [head, *_indent(self.expr(then)), middle, *_indent(self.expr(orelse)), "}"]
            case LetJoin(label=label, params=params, join_body=join_body, body=body):
                opening = [f"join {self.name(label)}({self.typed(params)}) {{", *_indent(self.expr(join_body)), "}"]
                return [*opening, *self.expr(body)]
            case NewHole(hole=hole, body=body):
                return [f"val {self.name(hole)} = hole in {{", *_indent(self.expr(body)), "}"]
            case MakeConHole(var=var, hole=hole, body=body):
                return [f"val {self.name(var)}, {self.name(hole)} = {self._con(expr)}", *self.expr(body)]
            case Do(op=op, body=body):
                return [*self.op(op), *self.expr(body)]
            case _:
                return [self._simple(expr)]

    def _simple(
        self,
        expr: Ret | Raise | Call | CallClosure | Prim | ForeignCall | KernelCall | MakeCon | Jump | Fill,
    ) -> str:
        match expr:
            case Ret(atom=atom):
                return self.atom(atom)
            case Raise(atom=atom):
                return f"raise {self.atom(atom)}"
            case Call(fun=fun, args=args, tail=tail):
                return f"{'tail ' if tail else ''}{fun}{self.args(args)}"
            case CallClosure(fun=closure, args=args):
                return f"{self.atom(closure)}.{self.args(args)}"
            case Prim(op=op, args=args, type=type):
                return f"{op}{'[' + show_type(type) + ']' if op == 'cast' else ''}{self.args(args)}"
            case ForeignCall(fun=fun, args=args):
                return f"foreign {fun}{self.args(args)}"
            case KernelCall(kernel=kernel, args=args):
                return f"kernel {kernel}{self.args(args)}"
            case MakeCon():
                return self._con(expr)
            case Jump(label=label, args=args):
                return f"jump {self.name(label)}{self.args(args)}"
            case Fill(hole=hole, atom=atom):
                return f"*{self.name(hole)} := {self.atom(atom)}"
            case _:
                assert_never(expr)

    def _con(self, expr: MakeCon | MakeConHole) -> str:
        """`Node@ru(=l, k)`: a token, and `=` before the fields that it holds already; `@=` if the header is right too."""
        at = "" if expr.token is None else f"@{'=' if expr.same_con else ''}{self.name(expr.token)}"
        args = (("=" if i in expr.kept else "") + self.atom(arg) for i, arg in enumerate(expr.args))
        return f"{expr.con.name}{at}({', '.join(args)})"

    def _branch(self, branch: Branch) -> list[str]:
        pattern = branch.con.name + (f"({self.names(branch.binders)})" if branch.binders else "")
        return self._case(pattern, self.expr(branch.body))

    def _case(self, pattern: str, body: list[str]) -> list[str]:
        return [f"{pattern} -> {body[0]}"] if len(body) == 1 else [f"{pattern} -> {{", *_indent(body), "}"]

    def op(self, op: Op) -> list[str]:
        match op:
            case Dup(var=var):
                return [f"dup {self.name(var)}"]
            case Drop(var=var):
                return [f"drop {self.name(var)}"]
            case Free(var=var):
                return [f"free {self.name(var)}"]
            case DecRef(var=var):
                return [f"decref {self.name(var)}"]
            case DropReuse(token=token, var=var):
                return [f"val {self.name(token)} = drop-reuse {self.name(var)}"]
            case TakeToken(token=token, var=var):
                return [f"val {self.name(token)} = &{self.name(var)}"]
            case NullToken(token=token):
                return [f"val {self.name(token)} = NULL"]
            case CopyToken(token=token, var=var):
                return [f"val {self.name(token)} = copy {self.name(var)}"]
            case FreeToken(token=token):
                return [f"free-token {self.name(token)}"]
            case IfUnique(var=var, unique=unique, shared=shared):
                then = "; ".join(line for inner in unique for line in self.op(inner))
                other = "; ".join(line for inner in shared for line in self.op(inner))
                return [f"if unique {self.name(var)} {{ {then} }} else {{ {other} }}"]
            case _:
                assert_never(op)
