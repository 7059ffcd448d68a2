"""The text of a program, for people and for tests. Equal spellings are told apart by a number, within a function."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import assert_never

from usl_core.ir.sym import Sym
from usl_soac import core
from usl_soac.core import Atom, Body, Const, Expr, Function, Lambda, Param, Program, Statement, Type
from usl_soac.scalars import CERT
from usl_soac.sizes import Term

INFIX = frozenset("+ - * / // % ** & | ^ << >> < <= > >= == != and or".split())


def show(program: Program) -> str:
    """All functions, an empty line between them."""
    return "\n\n".join(show_function(each) for each in program.functions) + "\n"


def show_function(function: Function) -> str:
    """One function."""
    return "\n".join(_Printer().function(function))


def show_signature(function: Function) -> str:
    """`∀ n. (x: f64[n]) → f64[2*n]`"""
    return _Printer().signature(function)


def show_type(typ: Type) -> str:
    """`f64[n, 2*m]`; dimensions that are not known yet as `?`."""
    return _Printer().type(typ)


def show_expr(expr: Expr) -> str:
    """The first line of an expression."""
    return _Printer().expr(expr)[0]


def show_const(const: Const) -> str:
    """As it would be written."""
    match const.value:
        case bool() as value:
            return str(value)
        case Fraction() as value:
            return repr(_float(value))
        case value:
            return str(value)


def _float(value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


class _Printer:
    """Gives each name a spelling when it first meets it."""

    def __init__(self) -> None:
        self.names: dict[Sym, str] = {}
        self.taken: set[str] = set()

    def name(self, sym: Sym) -> str:
        if sym not in self.names:
            spelling, number = sym.name, 1
            while spelling in self.taken:
                number += 1
                spelling = f"{sym.name}_{number}"
            self.taken.add(spelling)
            self.names[sym] = spelling
        return self.names[sym]

    def atom(self, atom: Atom) -> str:
        return self.name(atom) if isinstance(atom, Sym) else show_const(atom)

    def atoms(self, atoms: Iterable[Atom]) -> str:
        return ", ".join(map(self.atom, atoms))

    def term(self, term: Term | None) -> str:
        return "?" if term is None else term.show(self.name)

    def type(self, typ: Type) -> str:
        return f"{typ.scalar}[{', '.join(map(self.term, typ.dims))}]" if typ.dims else str(typ.scalar)

    def params(self, params: Iterable[Param]) -> str:
        return ", ".join(f"{self.name(each.name)}: {self.type(each.type)}" for each in params)

    # ---- functions and bodies

    def signature(self, function: Function) -> str:
        every = f"∀ {' '.join(map(self.name, function.sizes))}. " if function.sizes else ""
        params = self.params(function.params)
        exists = f"∃ {' '.join(map(self.name, function.exists))}. " if function.exists else ""
        results = ", ".join(map(self.type, function.results))
        return f"{every}({params}) → {exists}{results}"

    def function(self, function: Function) -> list[str]:
        name = function.name + (f"_{function.part.value}" if function.part.value else "")
        return [f"fun {name} : {self.signature(function)}", *self.body(function.body)]

    def body(self, body: Body) -> list[str]:
        lines = [line for each in body.statements for line in self.statement(each)]
        return ["    " + line for line in [*lines, self.atoms(body.results) or "()"]]

    def statement(self, statement: Statement) -> list[str]:
        pattern = ", ".join(self.bound(each) for each in statement.pattern)
        certs = f"<{', '.join(map(self.name, statement.certs))}> " if statement.certs else ""
        first, *rest = self.expr(statement.value)
        return [f"{pattern} = {certs}{first}", *rest]

    def bound(self, param: Param) -> str:
        name = self.name(param.name)
        return name if param.type.scalar is CERT else f"{name}: {self.type(param.type)}"

    def function_argument(self, function: Lambda) -> list[str]:
        return [f"\\{self.params(function.params)} →", *self.body(function.body)]

    # ---- expressions

    def expr(self, expr: Expr) -> list[str]:
        match expr:
            case core.Map() | core.Reduce() | core.Scan() | core.Filter() | core.Hist():
                return self.soac(expr)
            case core.If(condition=condition, then=then, orelse=orelse):
                return [f"if {self.atom(condition)}:", *self.body(then), "else:", *self.body(orelse)]
            case core.Loop():
                return self.loop(expr)
            case _:
                return [self.simple(expr)]

    def soac(self, expr: core.Soac) -> list[str]:
        match expr:
            case core.Map(function=function, arrays=arrays):
                head = f"map({self.atoms(arrays)})"
            case core.Reduce(op=function, neutral=neutral, arrays=arrays, commutative=commutative):
                head = f"reduce({self.tuple(neutral)}, {self.atoms(arrays)}{', commutative' if commutative else ''})"
            case core.Scan(op=function, neutral=neutral, arrays=arrays):
                head = f"scan({self.tuple(neutral)}, {self.atoms(arrays)})"
            case core.Filter(predicate=function, arrays=arrays):
                head = f"filter({self.atoms(arrays)})"
            case core.Hist(op=function, arrays=arrays, neutral=neutral, indices=indices, values=values):
                inner = ", ".join(map(self.tuple, (arrays, neutral)))
                head = f"hist({inner}, {self.name(indices)}, {self.tuple(values)})"
            case _:
                assert_never(expr)
        first, *rest = self.function_argument(function)
        return [f"{head} {first}", *rest]

    def loop(self, expr: core.Loop) -> list[str]:
        pairs = zip(expr.params, expr.initial, strict=True)
        carried = ", ".join(f"{self.bound(param)} = {self.atom(initial)}" for param, initial in pairs)
        lines = [f"loop ({carried})"]
        if expr.bound is not None:
            index = self.name(expr.index.name) if expr.index is not None else "_"
            lines[0] += f" for {index} < {self.atom(expr.bound)}"
        if expr.condition is not None:
            lines[0] += " while:"
            lines += [*self.body(expr.condition), "do:"]
        else:
            lines[0] += ":"
        return [*lines, *self.body(expr.body)]

    def simple(self, expr: core.Simple) -> str:
        match expr:
            case core.Copy(atom=atom):
                return self.atom(atom)
            case core.Op(op=op, args=args):
                return self.operation(op, args)
            case core.Foreign(function=function, args=args):
                return f"{_title(function)}({self.atoms(args)})"
            case core.Kernel(procedure=procedure, args=args):
                inner = ", ".join("_" if each is None else self.atom(each) for each in args)
                return f"kernel {_title(procedure)}({inner})"
            case core.Call(function=function, args=args, part=part):
                return f"{function}{'_' if part.value else ''}{part.value}({self.atoms(args)})"
            case core.Size(array=array, dim=dim):
                return f"size({self.name(array)}, {dim})"
            case core.Index(array=array, indices=indices):
                return f"{self.name(array)}[{self.atoms(indices)}]"
            case core.Slice(array=array, lo=lo, hi=hi, step=step):
                by = f":{step}" if step != 1 else ""
                return f"{self.name(array)}[{self.atom(lo)}:{self.atom(hi)}{by}]"
            case core.Iota(count=count, scalar=scalar):
                return f"iota({self.atom(count)}, {scalar})"
            case core.Replicate(count=count, value=value):
                return f"replicate({self.atom(count)}, {self.atom(value)})"
            case core.Concat(arrays=arrays):
                return f"concat({self.atoms(arrays)})"
            case core.Split(array=array, at=at):
                return f"split({self.name(array)}, {self.atom(at)})"
            case core.Rearrange(array=array, order=order):
                return f"rearrange({self.name(array)}, ({', '.join(map(str, order))}))"
            case core.Reshape(array=array, dims=dims):
                return f"reshape({self.name(array)}, {self.tuple(dims)})"
            case core.Rotate(array=array, by=by):
                return f"rotate({self.name(array)}, {self.atom(by)})"
            case core.Update(array=array, indices=indices, value=value):
                return f"update({self.name(array)}, {self.tuple(indices)}, {self.atom(value)})"
            case core.Scatter(array=array, indices=places, values=values):
                return f"scatter({self.name(array)}, {self.name(places)}, {self.name(values)})"
            case core.Assert(condition=condition, site=site, values=values):
                numbers = "".join(f", {self.atom(each)}" for each in values)
                return f"assert({self.atom(condition)}, {site.text!r}{numbers})"
            case core.Count(flags=flags):
                return f"count({self.name(flags)})"
            case core.Compress(flags=flags, arrays=arrays):
                return f"compress({self.name(flags)}, {self.atoms(arrays)})"
            case core.Coerce(array=array, dims=dims):
                return f"coerce({self.name(array)}, [{', '.join(map(self.term, dims))}])"
            case _:
                assert_never(expr)

    def operation(self, op: str, args: Sequence[Atom]) -> str:
        if op in INFIX:
            left, right = args
            return f"{self.atom(left)} {op} {self.atom(right)}"
        return f"{op}({self.atoms(args)})"

    def tuple(self, atoms: Sequence[Atom]) -> str:
        return f"({self.atoms(atoms)}{',' if len(atoms) == 1 else ''})"


def _title(function: object) -> str:
    name = getattr(function, "name", None)
    return str(name() if callable(name) else name)
