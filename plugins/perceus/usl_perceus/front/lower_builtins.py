"""Calls of the operations that the language has itself."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from usl_core.errors import Span
from usl_perceus import ir
from usl_perceus.errors import PerceusError
from usl_perceus.front import lower_operators as operators
from usl_perceus.front import lower_strings as texts
from usl_perceus.front import syntax as sx
from usl_perceus.front.block import Block
from usl_perceus.front.builtins import CONVERSIONS, MATH
from usl_perceus.front.formats import format_of
from usl_perceus.front.forms import WHY
from usl_perceus.front.hashing import mixed
from usl_perceus.front.instances import Substitution
from usl_perceus.front.lower_match import Matching
from usl_perceus.front.plain import BY_HAND, COMPARED, HASHED, SHOWN, is_ordered, is_plain, why_not, why_not_ordered
from usl_perceus.front.texts import appended, shown
from usl_perceus.front.types import show, substitute
from usl_perceus.front.updates import Updates
from usl_perceus.traverse import FreeVars

Env = Mapping[str, Any]


class BuiltinCalls(Matching):
    """Calls of built-in operations; the rest of the lowering is the subclass's."""

    named: Substitution
    prefix: str

    @abstractmethod
    def last(self, node: sx.Expr, env: Env, block: Block) -> ir.Expr:
        """node as the last expression of block."""

    @abstractmethod
    def atoms(self, nodes: Iterable[sx.Expr], env: Env, block: Block) -> tuple[ir.Atom, ...]:
        """The values of several expressions as atoms; block evaluates them from left to right."""

    def require_plain(self, message: str, operand: sx.Expr, span: Span, *, ordered: bool = False) -> None:
        """A type variable may stand for a type that is not, or has no order; message says what it has to be for."""
        type_ = substitute(self.typed.types[operand], self.named)
        if not (is_ordered if ordered else is_plain)(type_):
            notes = (f"in {self.prefix}", *(why_not_ordered if ordered else why_not)(type_))
            raise PerceusError(message.format(show(type_)), span=span, notes=notes, code="E723")
        if self.instances.is_uniform(type_):
            notes = (f"in {self.prefix}", f"{WHY}, which only the program knows", BY_HAND)
            raise PerceusError(message.format(show(type_)), span=span, notes=notes, code="E723")

    def builtin(self, name: str, node: sx.Call, env: Env, block: Block) -> ir.Expr:
        """A call of a function or method of the language; what its arguments need goes into block."""
        span, type_ = node.span, self.type(node)
        if "." in name:
            assert isinstance(node.function, sx.Attribute)
            owner = self.atom(node.function.owner, env, block)
            change = name.partition(".")[2]
            if change == "modify":
                *rest, function = node.args
                updates = Updates(self.instances, owner, self.atoms(rest, env, block), type_, span)
                return updates.modify(self._applied(function, env, block), block)
            return Updates(self.instances, owner, self.atoms(node.args, env, block), type_, span).change(change, block)
        if name == "must_reuse":
            made = self.last(node.args[0], env, block)
            assert isinstance(made, ir.MakeCon)
            return ir.MakeCon(made.con, made.args, must_reuse=True, span=made.span)
        if name == "spawn":
            return self._spawn(node, env, block)
        match name, node.args:
            case "ord", [sx.Index(array=text, index=index)] if node.args[0] not in self.typed.calls:
                whole, position = self.atom(text, env, block), self.atom(index, env, block)
                return texts.at(self.instances, whole, position, block, node.args[0].span, code=True)
            case "format", [value, sx.Literal(value=str() as shape)]:
                self.require_plain(SHOWN, value, value.span)
                return texts.formatted(self.instances, self.atom(value, env, block), format_of(shape, span), block, span)
        if name in ("print", "str", "repr"):
            for arg in node.args:
                self.require_plain(SHOWN, arg, arg.span)
        if name in ("min", "max"):
            self.require_plain(f"{name} {COMPARED}", node.args[0], span, ordered=True)
        if name == "hash":
            self.require_plain(HASHED, node.args[0], span)
        args = self.atoms(node.args, env, block)
        if name in CONVERSIONS:
            return ir.Prim("cast", args, type_, span=span)
        match name:
            case "print":
                return operators.print_line(self.instances, args, block, span)
            case "str":
                return shown(self.instances, args[0], span)
            case "repr":
                return appended(self.instances, ir.Lit(b"", ir.STR), args[0], span)
            case "len":
                op = "str_len" if args[0].type == ir.STR else "array_len"
                return ir.Prim(op, args, type_, span=span)
            case "hash":
                return mixed(self.instances, ir.Lit(0, ir.U64), args[0], span)
            case "slice":
                return ir.Prim("str_slice", args, type_, span=span)
            case "in":
                return texts.library(self.instances, "contains", args[::-1], span)
            case "ord":
                return texts.code_of(self.instances, args[0], block, span)
            case "chr":
                return texts.character(self.instances, args[0], block, span)
            case "int" | "float" if args[0].type == ir.STR:
                read = texts.integer if name == "int" else texts.number
                return read(self.instances, args[0], block, span)
            case "int" | "float":
                return ir.Prim("cast", args, type_, span=span)
            case "abs":
                return operators.magnitude(args[0], block, span)
            case "min" | "max":
                return operators.extreme(self.instances, "<" if name == "min" else ">", args, block, span)
            case "pow":
                return operators.binary(self.instances, "**", args[0], args[1], type_, block, span)
            case _ if name in MATH:
                return ir.Prim(name, args, type_, span=span)
            case "array":
                return operators.make_array(self.instances, args[0], args[1], type_, block, span)
            case "range":
                return operators.counted(self.instances, args, block, span)
            case "ref":
                return ir.Prim("ref_new", args, type_, span=span)
            case "join":
                return self._join_thread(args[0], type_, block, span)
            case _:
                raise AssertionError(name)

    def _applied(self, function: sx.Expr, env: Env, block: Block) -> Callable[[ir.Var], ir.Expr]:
        """What makes the call of a function with one argument; a lambda is written out."""
        if isinstance(function, sx.Lambda):
            ((name, _),) = function.params
            body = function.body
            return lambda value: self.expr(body, {**env, name: value})
        callee = self.atom(function, env, block)
        assert isinstance(callee.type, ir.FunType)
        result = callee.type.result
        return lambda value: ir.CallClosure(callee, (value,), result, span=function.span)

    def _spawn(self, node: sx.Call, env: Env, block: Block) -> ir.Expr:
        """The thread runs a closure without parameters. It turns an exception into a value, which join turns back."""
        span, thread = node.span, self.type(node)
        assert isinstance(thread, ir.ThreadType)
        work, *rest = node.args
        callee = self.atom(work, env, block)
        args = self.atoms(rest, env, block)
        assert isinstance(callee.type, ir.FunType)
        call = ir.CallClosure(callee, args, callee.type.result, span=span)
        type_ = ir.FunType((), thread.result)
        task = block.atom(closure((), self._caught(call, thread, span), type_, span), type_, "task", span)
        return ir.Prim("spawn", (task,), thread, span=span)

    def _caught(self, call: ir.CallClosure, thread: ir.ThreadType, span: Span) -> ir.Expr:
        value, exception = ir.Var("value", call.type), ir.Var("exception", ir.EXN)
        ends = self.instances.outcome(thread)
        if ends is not None:
            returned, raised = ends
            made, failed = ir.MakeCon(returned, (value,), span=span), ir.MakeCon(raised, (exception,), span=span)
            return ir.TryLet(value, call, made, exception, failed, span=span)
        return call

    def _join_thread(self, thread: ir.Atom, type_: ir.Type, block: Block, span: Span) -> ir.Expr:
        assert isinstance(thread.type, ir.ThreadType)
        ends = self.instances.outcome(thread.type)
        if ends is None:
            return ir.Prim("join", (thread,), type_, span=span)
        returned, raised = ends
        outcome = ir.Var("outcome", thread.type.result)
        block.bind(outcome, ir.Prim("join", (thread,), outcome.type, span=span), span)
        value, exception = ir.Var("value", type_), ir.Var("exception", ir.EXN)
        came = ir.Branch(returned, (value,), ir.Ret(value, span=span), span=span)
        failed = ir.Branch(raised, (exception,), ir.Raise(exception, type_, span=span), span=span)
        return ir.Match(outcome, (came, failed), span=span)


def closure(params: tuple[ir.Var, ...], body: ir.Expr, type_: ir.FunType, span: Span) -> ir.Lambda:
    """A function value with what it captures."""
    free = FreeVars().of(body) - frozenset(params)
    captures = tuple(sorted(free, key=lambda var: var.number))
    return ir.Lambda(captures, params, type_.result, body, type_.throws, span=span)
