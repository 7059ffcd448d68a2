"""The text of procedures: Python syntax that parses back to the same procedure up to renaming.

Names are chosen where they are bound, unique among those visible there, in source order: `i`, then `i_1`, `i_2`, ...; callees,
configurations, externs, types and memories come from the surrounding Python scope, which `show_with_scope` hands out along.
Parentheses are the fewest that keep the tree. A literal gets a cast (`f32(1.0)`) only where its type cannot be told otherwise.
"""

from __future__ import annotations

import keyword
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import assert_never

from usl_core.ir import nodes as ir
from usl_core.ir.combining import is_function
from usl_core.ir.externs import BUILTINS, RELATIONS, Extern
from usl_core.ir.literal_text import literal_text
from usl_core.ir.memory import DRAM, MemoryClass
from usl_core.ir.operation import Operation
from usl_core.ir.sym import Sym
from usl_core.ir.types import CONTROLS, INDEX, SCALARS, ControlType, ScalarType, TensorType, Type, all_bits
from usl_core.records import dataclass

INDENT = "    "

PRECEDENCE = {
    "or": 1,
    "and": 2,
    "<": 3,
    "<=": 3,
    ">": 3,
    ">=": 3,
    "==": 3,
    "!=": 3,
    "|": 4,
    "^": 5,
    "&": 6,
    "<<": 7,
    ">>": 7,
    "+": 8,
    "-": 8,
    "*": 9,
    "/": 9,
    "%": 9,
}
COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!="})
BITWISE = frozenset({"&", "|", "^", "<<", ">>"})
"""Operations on the bits of integer data."""
_UNARY, _ATOM = 10, 11

RESERVED: dict[str, object] = {
    **dict.fromkeys(("seq", "par", "stride", "check", "proc", "instr", "config"), None),
    **CONTROLS,
    **SCALARS,
    **BUILTINS,
}
"""Names that mean the same in every scope; an object of another meaning is printed under another name."""


class Printer:
    """Spellings of names, and the text of nodes under them.

    names maps the names visible from the start to their spellings; a free name met while printing is added.
    """

    def __init__(self, names: Mapping[Sym, str] | None = None) -> None:
        self.names: dict[Sym, str] = dict(names or {})
        self.taken: set[str] = set(self.names.values())
        self._bound: list[tuple[Sym, str | None]] = []
        self._suffixes: dict[str, int] = {}
        self.globals: dict[str, object] = {}
        self._global_names: dict[int, str] = {}

    # ---- names

    def bind(self, sym: Sym) -> str:
        """Choose the spelling of a name from here to the end of the scope."""
        base = written(sym)
        spelling = base if base not in self.taken else self._with_suffix(base)
        self._bound.append((sym, self.names.get(sym)))
        self.names[sym] = spelling
        self.taken.add(spelling)
        return spelling

    def _with_suffix(self, base: str) -> str:
        """The first of `base_1`, `base_2`, ... that is free; all below the remembered suffix are taken."""
        suffix = self._suffixes.get(base, 1)
        while f"{base}_{suffix}" in self.taken:
            suffix += 1
        self._suffixes[base] = suffix
        return f"{base}_{suffix}"

    def name(self, sym: Sym) -> str:
        """The spelling of a name, unlike those of others in scope."""
        found = self.names.get(sym)
        return found if found is not None else self.bind(sym)

    @contextmanager
    def scope(self) -> Iterator[None]:
        """Names bound inside are forgotten at the end."""
        outer = len(self._bound)
        try:
            yield
        finally:
            self._forget(outer)

    def _forget(self, outer: int) -> None:
        """End the scope that began when outer names were bound."""
        while len(self._bound) > outer:
            sym, before = self._bound.pop()
            spelling = self.names.pop(sym)
            self.taken.discard(spelling)
            base, _, suffix = spelling.rpartition("_")
            if base in self._suffixes and suffix.isdecimal():
                self._suffixes[base] = min(int(suffix), self._suffixes[base])
            if before is not None:
                self.names[sym] = before

    def global_name(self, obj: object, base: str) -> str:
        """The spelling of an object of the Python scope; two objects of one name are told apart by a suffix."""
        found = self._global_names.get(id(obj))
        if found is not None:
            return found
        if RESERVED.get(base) is obj:
            return base
        reserved = RESERVED.keys() - BUILTINS.keys() if isinstance(obj, ir.Proc) else RESERVED.keys()  # a call is no value
        spelling = _first_free(base, self.globals.keys() | reserved)
        self._global_names[id(obj)] = spelling
        self.globals[spelling] = obj
        return spelling

    # ---- procedures and statements

    def proc(self, proc: ir.Proc) -> str:
        """The text of a procedure."""
        with self.scope():
            formals = ", ".join([self.formal(arg) for arg in proc.args])
            lines = [_decorator(proc.instr, proc.aliasable), f"def {proc.name}({formals}):"]
            lines += [f"{INDENT}assert {self.expr(pred)}" for pred in proc.preds]
            lines += self.block(proc.body, INDENT)
            if not proc.body:
                lines.append(f"{INDENT}pass")
            return "\n".join(lines)

    def formal(self, arg: ir.Arg) -> str:
        """`name: type @ mem`."""
        text = self.type(arg.type) + self.mem(arg.mem)
        return f"{self.bind(arg.name)}: {text}"

    def block(self, block: Iterable[ir.Stmt], indent: str = "") -> list[str]:
        """The lines of a block; names bound in it stay visible to the caller's scope."""
        lines: list[str] = []
        for stmt in block:
            lines += self.stmt(stmt, indent)
        return lines

    def stmt(self, stmt: ir.Stmt, indent: str = "") -> list[str]:
        """The lines of a statement."""
        match stmt:
            case ir.For(iter=sym, lo=lo, hi=hi, body=body, mode=mode):
                bounds = f"{mode.value}({self.expr(lo)}, {self.expr(hi)})"
                with self.scope():
                    head = f"{indent}for {self.bind(sym)} in {bounds}:"
                    return [head, *self.block(body, indent + INDENT)]
            case ir.If():
                return self._if(stmt, indent, "if")
            case ir.SimpleStmt():
                return [indent + self.simple(stmt)]

    def _if(self, stmt: ir.If, indent: str, word: str) -> list[str]:
        lines = [f"{indent}{word} {self.expr(stmt.cond)}:"]
        with self.scope():
            lines += self.block(stmt.body, indent + INDENT)
        match stmt.orelse:
            case ():
                return lines
            case (ir.If() as inner,):
                return lines + self._if(inner, indent, "elif")
            case orelse:
                with self.scope():
                    return [*lines, f"{indent}else:", *self.block(orelse, indent + INDENT)]

    def simple(self, stmt: ir.Stmt) -> str:
        """The text of a statement of one line."""
        match stmt:
            case ir.Assign(name=name, idx=idx, rhs=rhs):
                return f"{self.access(name, idx)} = {self.expr(rhs)}"
            case ir.Reduce(name=name, idx=idx, rhs=rhs, op=op) if is_function(op):
                function = self.global_name(op, op.name) if isinstance(op, Operation) else op
                return f"{self.access(name, idx)} @= {function}({self.expr(rhs)})"
            case ir.Reduce(name=name, idx=idx, rhs=rhs, op=op):
                return f"{self.access(name, idx)} {op}= {self.expr(rhs)}"
            case ir.AssignConfig(config=config, field=field, rhs=rhs):
                return f"{self.global_name(config, config.name)}.{field} = {self.expr(rhs)}"
            case ir.Pass():
                return "pass"
            case ir.Check(cond=cond):
                return f"check({self.expr(cond)})"
            case ir.Alloc(name=name, type=typ, mem=mem):
                text = self.type(typ) + self.mem(mem)
                return f"{self.bind(name)}: {text}"
            case ir.WindowStmt(name=name, rhs=rhs):
                text = self.expr(rhs)
                return f"{self.bind(name)} = {text}"
            case ir.Call(proc=proc, args=args):
                return f"{self.global_name(proc, proc.name)}({', '.join([self.expr(arg) for arg in args])})"
            case ir.If() | ir.For():
                raise AssertionError(f"{type(stmt).__name__} has no one-line form")

    # ---- types

    def type(self, typ: Type) -> str:
        """The text of a type."""
        match typ:
            case ControlType():
                return typ.name
            case ScalarType():
                return self.global_name(typ, typ.name) if SCALARS.get(typ.name) != typ else typ.name
            case TensorType(scalar=scalar, shape=shape, window=window):
                head = self.type(scalar)
                return f"{f'[{head}]' if window else head}[{', '.join([self.expr(e) for e in shape])}]"
            case _:
                assert_never(typ)

    def mem(self, mem: MemoryClass | None) -> str:
        """`@ mem` with a space before it; nothing for DRAM."""
        return "" if mem is None or mem is DRAM else f" @ {self.global_name(mem, mem.__name__)}"

    # ---- expressions

    def access(self, name: Sym, idx: Sequence[ir.Expr | ir.Interval]) -> str:
        """`name[idx]`."""
        text = self.name(name)
        return f"{text}[{', '.join([self.entry(entry) for entry in idx])}]" if idx else text

    def entry(self, entry: ir.Expr | ir.Interval) -> str:
        """An index, or `lo:hi`."""
        match entry:
            case ir.Interval(lo=lo, hi=hi):
                return f"{self.expr(lo)}:{self.expr(hi)}"
            case ir.ExprBase():
                return self.expr(entry)

    def expr(self, expr: ir.Expr, determined: bool = True, above: int = 0) -> str:
        """determined: the context gives literals their type. above: parenthesise what binds less tightly than this."""
        text, precedence = self._expr(expr, determined)
        return f"({text})" if precedence < above else text

    def _expr(self, expr: ir.Expr, determined: bool) -> tuple[str, int]:
        match expr:
            case ir.Read(name=name, idx=idx):
                return self.access(name, idx), _ATOM
            case ir.Literal():
                return self._literal(expr, determined)
            case ir.UnaryMinus(arg=arg):
                return self._minus(arg, determined), _UNARY
            case ir.BinaryOp(op="^", lhs=lhs, rhs=ir.Literal(value=value, type=ScalarType() as typ)) if value == all_bits(
                typ
            ) and anchored(lhs):
                return f"~{self.expr(lhs, determined, above=_UNARY)}", _UNARY
            case ir.BinaryOp(op=op, lhs=lhs, rhs=rhs):
                return self._binary(op, lhs, rhs, determined), PRECEDENCE[op]
            case ir.ExternCall(fn=fn, args=(lhs, rhs)) if fn in RELATIONS:
                return self._binary(fn.name, lhs, rhs, determined), PRECEDENCE[fn.name]
            case ir.ExternCall(fn=fn):
                return f"{self.global_name(fn, fn.name)}({', '.join(self._extern_args(expr, determined))})", _ATOM
            case ir.Cast(type=typ, arg=arg):
                return f"{self.type(typ)}({self._cast_arg(arg)})", _ATOM
            case ir.WindowExpr(name=name, idx=entries):
                return self.access(name, entries), _ATOM
            case ir.StrideExpr(name=name, dim=dim):
                return f"stride({self.name(name)}, {dim})", _ATOM
            case ir.ReadConfig(config=config, field=field):
                return f"{self.global_name(config, config.name)}.{field}", _ATOM
            case _:
                assert_never(expr)

    def _literal(self, literal: ir.Literal, determined: bool) -> tuple[str, int]:
        text = literal_text(literal)
        if isinstance(literal.type, ScalarType) and not determined:
            return f"{self.type(literal.type)}({text})", _ATOM
        return text, _UNARY if text.startswith("-") else _ATOM

    def _minus(self, arg: ir.Expr, determined: bool) -> str:
        text = self.expr(arg, determined, above=_UNARY)
        if text[0] == "-":
            return f"-({text})"
        # `-3` is a literal; the plus sign keeps the negation of the literal 3 apart from it.
        return f"-(+{text})" if text[0].isdigit() else f"-{text}"

    def _binary(self, op: str, lhs: ir.Expr, rhs: ir.Expr, determined: bool) -> str:
        level = PRECEDENCE[op]
        if op in ("and", "or"):
            left = right = True
        else:
            given = determined and op not in COMPARISONS
            left = given or anchored(rhs)
            right = given or anchored(lhs) or not left
        tight = level + 1
        return f"{self.expr(lhs, left, tight if op in COMPARISONS else level)} {op} {self.expr(rhs, right, tight)}"

    def _extern_args(self, call: ir.ExternCall, determined: bool) -> list[str]:
        texts: dict[int, str] = {}
        for group in literal_groups(call.fn, len(call.args)):
            args = [call.args[position] for position in group.positions]
            given = (determined and group.gives_result) or any(anchored(arg) for arg in args)
            for position, arg in zip(group.positions, args, strict=True):
                texts[position] = self.expr(arg, given) if group.uniform else self._cast_arg(arg)
                given = True
        return [texts[position] for position in sorted(texts)]

    def _cast_arg(self, arg: ir.Expr) -> str:
        """`f32(2)` is the literal 2.0; `f32(index(2))` is the conversion of an index."""
        if arg.type is INDEX and not anchored(arg):
            return f"index({self.expr(arg)})"
        return self.expr(arg, determined=False)


@dataclass(frozen=True, slots=True)
class LiteralGroup:
    """Positions of arguments whose literals take one type; gives_result: that type is also the call's."""

    positions: tuple[int, ...]
    gives_result: bool
    uniform: bool = True


def literal_groups(fn: Extern, count: int) -> list[LiteralGroup]:
    """How literals among the arguments find their type; the frontend types calls by the same table.

    A plugin's function may mix types freely, so each of its arguments stands alone.
    """
    if fn is BUILTINS["select"]:
        return [LiteralGroup((0, 1), False), LiteralGroup((2, 3), True)]
    if fn is BUILTINS["idx"]:
        return [LiteralGroup((0,), False), LiteralGroup((1, 2), True)]
    if fn in RELATIONS:
        return [LiteralGroup((0, 1), False)]
    if fn is BUILTINS["bits"] or fn is BUILTINS["from_bits"]:
        return [LiteralGroup((0,), False)]
    if BUILTINS.get(fn.name) is fn:
        return [LiteralGroup(tuple(range(count)), True)]
    return [LiteralGroup((position,), False, uniform=False) for position in range(count)]


def anchored(expr: ir.Expr) -> bool:
    """Whether the type of expr can be told from its text alone (it is more than literals)."""
    match expr:
        case ir.Literal():
            return False
        case ir.UnaryMinus(arg=arg):
            return anchored(arg)
        case ir.BinaryOp(op=op, lhs=lhs, rhs=rhs):
            return op in COMPARISONS or op in ("and", "or") or anchored(lhs) or anchored(rhs)
        case ir.ExternCall(fn=fn, args=args):
            groups = [group for group in literal_groups(fn, len(args)) if group.gives_result]
            return not groups or any(anchored(args[position]) for group in groups for position in group.positions)
        case ir.Read() | ir.Cast() | ir.WindowExpr() | ir.StrideExpr() | ir.ReadConfig():
            return True


def written(sym: Sym) -> str:
    """The spelling of a name where no other is in its way."""
    return f"{sym.name}_" if keyword.iskeyword(sym.name) else sym.name


def _first_free(base: str, taken: Iterable[str]) -> str:
    if base not in taken:
        return base
    suffix = 1
    while f"{base}_{suffix}" in taken:
        suffix += 1
    return f"{base}_{suffix}"


def _decorator(instr: ir.InstrTemplate | None, aliasable: tuple[str, ...]) -> str:
    options = [f"aliasable={aliasable!r}"] if aliasable else []
    if instr is None:
        return f"@proc({', '.join(options)})" if options else "@proc"
    default = ir.InstrTemplate(instr.template)
    for name in ("includes", "features", "c_global", "roundings", "special", "subnormals", "implicit", "fence"):
        value = getattr(instr, name)
        if value != getattr(default, name):
            options.append(f"{name}={value!r}")
    return f"@instr({', '.join([repr(instr.template), *options])})"


# ---- public functions


def show(node: ir.Node | ir.Block, printer: Printer | None = None) -> str:
    """The text of a procedure, statement, block, expression, formal or interval."""
    printer = printer or Printer()
    match node:
        case tuple():
            return show_block(node, printer)
        case ir.Proc():
            return printer.proc(node)
        case ir.StmtBase():
            return "\n".join(printer.stmt(node))
        case ir.ExprBase():
            return printer.expr(node)
        case ir.Interval():
            return printer.entry(node)
        case ir.Arg():
            return printer.formal(node)
        case _:
            assert_never(node)


def show_expr(expr: ir.Expr, printer: Printer | None = None) -> str:
    """The text of an expression."""
    return (printer or Printer()).expr(expr)


def show_block(block: ir.Block, printer: Printer | None = None) -> str:
    """The lines of statements in one text."""
    return "\n".join((printer or Printer()).block(block))


def show_with_scope(proc: ir.Proc) -> tuple[str, dict[str, object]]:
    """The text of proc, and the Python scope in which it parses back: callees, configurations, externs, types, memories."""
    printer = Printer()
    return printer.proc(proc), printer.globals


__all__ = ["Printer", "show", "show_block", "show_expr", "show_with_scope"]
