"""Expressions of one function as the core's: values get names in the order of their evaluation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import assert_never

from usl_core import Procedure
from usl_core.errors import Span
from usl_perceus import ir
from usl_perceus.front import lower_operators as operators
from usl_perceus.front import lower_strings as texts
from usl_perceus.front import syntax as sx
from usl_perceus.front.block import Block
from usl_perceus.front.builtins import KEY, NO_KEY, is_part
from usl_perceus.front.definitions import FunDef
from usl_perceus.front.forms import coerced, coerced_value
from usl_perceus.front.free_names import Bound, crossed, free_names, label_name
from usl_perceus.front.instances import Instances, Substitution
from usl_perceus.front.kernel_fills import filled
from usl_perceus.front.kernel_tests import KernelArguments, Part
from usl_perceus.front.library import strings
from usl_perceus.front.limits import ENDED, asked_after
from usl_perceus.front.lower_builtins import closure
from usl_perceus.front.lower_exceptions import Handling
from usl_perceus.front.lower_kernel import kernel_call, part_of
from usl_perceus.front.plain import COMPARED
from usl_perceus.front.raising import raised_here
from usl_perceus.front.resolve import is_abstract, signature
from usl_perceus.front.typed import (
    BuiltinUse,
    ConstantUse,
    ConUse,
    FieldUse,
    ForeignUse,
    FunUse,
    KernelUse,
    ListUse,
    LocalUse,
    NestedUse,
    PrimUse,
    Typed,
    UpdateUse,
)
from usl_perceus.front.types import STR, Type, substitute


@dataclass(frozen=True, slots=True)
class NestedFun:
    """A nested function in an environment: its top-level name, and what it captures, which are its first arguments."""

    name: str
    captures: tuple[ir.Var, ...]
    params: tuple[ir.Type, ...]
    result: ir.Type


Env = Mapping[str, "ir.Atom | NestedFun"]


class Lowering(Handling):
    """Lowers one copy of a function; `lifted` collects the functions nested in it."""

    def __init__(self, instances: Instances, typed: Typed, named: Substitution, name: str) -> None:
        self.instances = instances
        self.typed = typed
        self.named = named
        self.prefix = name
        self.lifted: list[ir.FunDef] = []
        self._joins: dict[int, ir.Label] = {}
        self._crossed: frozenset[int] = frozenset()
        """The join points of the present function that are functions of their own."""
        self._borrowed: set[ir.Var] = set()
        """The parameters that are declared as borrowed, here and in what was lifted out."""

    def function(self, fun: FunDef, name: str) -> ir.FunDef:
        """The function itself."""
        own = signature(fun)
        params = tuple(
            ir.Param(ir.Var(param.name, self.instances.type(type_, self.named)), borrowed)
            for param, type_, borrowed in zip(fun.syntax.params, own.params, own.borrowed, strict=True)
        )
        for param, is_foreign in zip(params, own.foreign, strict=True):
            if is_foreign:
                self.instances.called_python(param.var.type)
        env = {param.var.name: param.var for param in params}
        self._borrowed.update(param.var for param in params if param.borrowed)
        self._crossed = crossed(fun.syntax.body)
        result = self.instances.type(own.result, self.named)
        return ir.FunDef(
            name,
            params,
            result,
            self.expr(fun.syntax.body, env),
            inline=fun.inline,
            specialize=fun.specialize,
            fbip=fun.fbip,
            no_alloc=fun.no_alloc,
            span=fun.span,
        )

    def type(self, node: sx.Node) -> ir.Type:
        """The monomorphic type of a node, for the present instance of its function."""
        return self.instances.type(self.typed.types[node], self.named)

    # -- expressions

    def expr(self, node: sx.Expr, env: Env) -> ir.Expr:
        """node as an expression of its own."""
        block = Block()
        return block.wrap(self.last(node, env, block))

    def atom(self, node: sx.Expr, env: Env, block: Block) -> ir.Atom:
        """The value of node, named in block if need be."""
        return block.atom(self.last(node, env, block), self.type(node), _hint(node), node.span)

    def atoms(self, nodes: Iterable[sx.Expr], env: Env, block: Block) -> tuple[ir.Atom, ...]:
        """The values of several expressions as atoms; block evaluates them from left to right."""
        return tuple(self.atom(node, env, block) for node in nodes)

    def last(self, node: sx.Expr, env: Env, block: Block) -> ir.Expr:
        """node as the last expression of block."""
        while True:
            match node:
                case sx.Let():
                    env = self._let(node, env, block)
                    node = node.body
                case sx.LetFunctions(functions=functions, body=body):
                    env = self._let_functions(functions, env)
                    node = body
                case _:
                    found = self._last(self.typed.calls.get(node, node), env, block)
                    if not (isinstance(node, sx.Index) and is_abstract(self.typed.types[node.array])):
                        return found
                    return raised_here(self.instances, found, self.type(node), KEY, node.span, NO_KEY)

    def _last(self, node: sx.Expr, env: Env, block: Block) -> ir.Expr:
        span = node.span
        match node:
            case sx.Name() | sx.Attribute():
                return self._name(node, env, block)
            case sx.Literal():
                return ir.Ret(self._literal(node), span=span)
            case sx.Tuple(items=items):
                con = self.instances.tuple_con(self.type(node))
                return ir.MakeCon(con, self.atoms(items, env, block), span=span)
            case sx.ArrayLiteral(items=items) if node in self.typed.uses:
                return self._list(node, items, env, block)
            case sx.ArrayLiteral(items=items):
                return operators.array_literal(self.atoms(items, env, block), self.type(node), block, span)
            case sx.Call():
                return self._call(node, env, block)
            case sx.Index(array=array, index=index):
                whole, position = self.atom(array, env, block), self.atom(index, env, block)
                if whole.type == ir.STR:
                    return texts.at(self.instances, whole, position, block, span)
                return operators.element(self.instances, whole, position, self.type(node), block, span)
            case sx.Unary(op=op, operand=operand):
                return operators.unary(op, self.atom(operand, env, block), self.type(node), span)
            case sx.Binary(op=op, left=left, right=right):
                if op in ("==", "!=", "<", "<=", ">", ">="):
                    self.require_plain(f"{op} {COMPARED}", left, span, ordered=op not in ("==", "!="))
                first = self.atom(left, env, block)
                second = self.atom(right, env, block)
                return operators.binary(self.instances, op, first, second, self.type(node), block, span)
            case sx.If(condition=condition, then=then, orelse=orelse):
                test = self.atom(condition, env, block)
                return ir.If(test, self.expr(then, env), self.expr(orelse, env), span=span)
            case sx.Match():
                return self.match(node, env, block)
            case sx.Lambda():
                return self._lambda(node, env)
            case sx.Raise(value=value):
                return ir.Raise(self.exception(value, env, block), self.type(node), "", span=span)
            case sx.Try():
                return self.try_(node, env)
            case sx.SetValue(reference=reference, value=value):
                args = (self.atom(reference, env, block), self.atom(value, env, block))
                return ir.Prim("ref_set", args, ir.UNIT, span=span)
            case sx.Join():
                return self._join(node, env)
            case sx.Jump(label=label, args=args):
                target = env.get(label_name(label))
                if isinstance(target, NestedFun):
                    return ir.Call(target.name, (*target.captures, *self.atoms(args, env, block)), target.result, span=span)
                return ir.Jump(self._joins[label], self.atoms(args, env, block), self.type(node), span=span)
            case sx.Loop():
                return self._loop(node, env, block)
            case sx.Begin(source=source):
                state = self.atom(source, env, block)
                return ir.Ret(ir.Lit(0, ir.I64) if isinstance(state.type, ir.ArrayType | ir.StrType) else state, span=span)
            case sx.Step():
                return self._step(node, env, block)
            case sx.Let() | sx.LetFunctions():
                raise AssertionError("handled by last")
            case _:
                assert_never(node)

    def _list(self, node: sx.ArrayLiteral, items: Sequence[sx.Expr], env: Env, block: Block) -> ir.Expr:
        """`[a, b]` as a list, made from its end."""
        type_, use = self.type(node), self.typed.uses[node]
        assert isinstance(type_, ir.DataType) and isinstance(use, ListUse)
        cons = self.instances.datas[type_.name].cons
        pair, nil = cons[use.con.tag], cons[1 - use.con.tag]
        made: ir.Expr = ir.Ret(ir.Nullary(nil), span=node.span)
        for item in reversed(self.atoms(items, env, block)):
            rest = block.atom(made, type_, "rest", node.span)
            made = self._made(pair, (rest, item) if use.rest == 0 else (item, rest), block, node.span)
        return made

    def _made(self, con: ir.Con, args: Sequence[ir.Atom], block: Block, span: Span) -> ir.MakeCon:
        """A constructor, whose arguments get the form that its fields have."""
        fields = [type_ for _, type_ in con.fields]
        return ir.MakeCon(con, self._coerced(args, fields, block, span), span=span)

    def _coerced(self, args: Sequence[ir.Atom], types: Sequence[ir.Type], block: Block, span: Span) -> tuple[ir.Atom, ...]:
        return tuple(coerced(self.instances, arg, type_, block, span) for arg, type_ in zip(args, types, strict=True))

    def _literal(self, node: sx.Literal) -> ir.Atom:
        return operators.constant(node.value, self.type(node), node.span)

    # -- names

    def _name(self, node: sx.Name | sx.Attribute, env: Env, block: Block) -> ir.Expr:
        use = self.typed.uses.get(node)
        span = node.span
        match use:
            case None:  # r.value
                assert isinstance(node, sx.Attribute)
                return ir.Prim("ref_get", (self.atom(node.owner, env, block),), self.type(node), span=span)
            case FieldUse(positions=positions):
                assert isinstance(node, sx.Attribute)
                return self._field(node, positions, env, block)
            case LocalUse():
                assert isinstance(node, sx.Name)
                found = env[node.name]
                assert not isinstance(found, NestedFun)
                return ir.Ret(found, span=span)
            case NestedUse() as use:
                assert isinstance(node, sx.Name)
                found = env[node.name]
                assert isinstance(found, NestedFun)
                if not found.captures:
                    borrows = any(self.typed.signatures[use.function].borrowed)
                    return self._reference(found.name, self.type(node), borrows, span)
                return _wrapper(found.name, found.captures, self.type(node), span)
            case ConstantUse(value=value):
                return ir.Ret(operators.constant(value, self.type(node), span), span=span)
            case FunUse(fun=fun, types=types):
                name = self.instances.function(fun, self._closed(types))
                type_ = self.type(node)
                assert isinstance(type_, ir.FunType)
                if self.instances.form(fun, self._closed(types)) == (type_.params, type_.result):
                    return self._reference(name, type_, any(signature(fun).borrowed), span)
                own = tuple(ir.Var(f"arg{i}", param) for i, param in enumerate(type_.params))
                inner = Block()
                call = self._fun_call(fun, types, own, type_.result, inner, span)
                return ir.Lambda((), own, type_.result, inner.wrap(call), type_.throws, span=span)
            case ConUse(con=con, types=types):
                made = self.instances.con(con, self._closed(types))
                if not made.fields:
                    return ir.Ret(ir.Nullary(made), span=span)
                type_ = self.type(node)
                assert isinstance(type_, ir.FunType)
                params = tuple(ir.Var(f"field{i}", field) for i, field in enumerate(type_.params))
                inside = Block()
                built = self._made(made, params, inside, span)
                return ir.Lambda((), params, made.type, inside.wrap(built), type_.throws, span=span)
            case _:
                raise AssertionError(f"{use} is no value")

    def _reference(self, name: str, type_: ir.Type, borrows: bool, span: Span) -> ir.Expr:
        """A top-level function as a value. Closures own their arguments, and may raise if their type says so; a function that
        does not needs a wrapper."""
        assert isinstance(type_, ir.FunType)
        if borrows or (type_.throws and name not in self.instances.effects.functions):
            return _wrapper(name, (), type_, span)
        return ir.Ret(ir.FunRef(name, type_), span=span)

    def _closed(self, types: Sequence[Type]) -> tuple[Type, ...]:
        return tuple(substitute(type_, self.named) for type_ in types)

    # -- calls

    def _call(self, node: sx.Call, env: Env, block: Block) -> ir.Expr:
        use = self.typed.uses.get(node.function)
        span, type_ = node.span, self.type(node)
        match use:
            case PrimUse(prim=prim):
                return ir.Prim(prim.op, self._string_args(node, len(prim.params), env, block), type_, span=span)
            case FunUse(fun=fun) if isinstance(node.function, sx.Attribute) and self._is_string(node.function.owner):
                args = self._string_args(node, len(node.args) + 1, env, block)
                call = ir.Call(self.instances.function(fun, ()), args, type_, span=span)
                is_split = fun is strings()["split"]
                return texts.separated(self.instances, args[1], call, block) if is_split else call
            case FunUse(fun=fun, types=types):
                return self._fun_call(fun, types, self.given(node, env, block), type_, block, span)
            case NestedUse():
                assert isinstance(node.function, sx.Name)
                found = env[node.function.name]
                assert isinstance(found, NestedFun)
                return ir.Call(found.name, (*found.captures, *self.given(node, env, block)), type_, span=span)
            case ConUse(con=con, types=types):
                made = self.instances.con(con, self._closed(types))
                return self._made(made, self.given(node, env, block), block, span)
            case ForeignUse(foreign=foreign):
                outside = ir.ForeignCall(self.instances.foreign(foreign), self.given(node, env, block), type_, span=span)
                return asked_after(outside, self.instances.exception(ENDED), block) if self.instances.limited else outside
            case KernelUse(kernel=kernel, may_be_empty=may_be_empty):
                arguments = self._kernel_arguments(kernel, node, env, block)
                sizes_from = 0 if may_be_empty else len(arguments.atoms)
                return kernel_call(self.instances, kernel, arguments, type_, span, sizes_from)
            case BuiltinUse(name=name):
                return self.builtin(name, node, env, block)
            case UpdateUse(fields=fields):
                return self._update(node, fields, env, block)
            case _:
                callee = self.atom(node.function, env, block)
                return ir.CallClosure(callee, self.atoms(node.args, env, block), type_, span=span)

    def _new(self, node: sx.Expr) -> sx.Expr | None:
        """The n of `array(n, number)`: what is in it is of no matter to a kernel that writes all of it."""
        match node:
            case sx.Call(function=function, args=[count, sx.Literal()]) if self.typed.uses.get(function) == BuiltinUse("array"):
                return None if node.keywords else count
            case _:
                return None

    def _kernel_arguments(self, kernel: Procedure, node: sx.Call, env: Env, block: Block) -> KernelArguments:
        atoms: list[ir.Atom] = []
        parts: dict[int, Part] = {}
        whole = filled(kernel)
        for position, arg in enumerate(node.args):
            if is_part(arg) and isinstance(self.type(arg), ir.ArrayType):
                array, first, last = self.atoms(arg.args, env, block)
                atoms.append(array)
                parts[position] = part_of(array, first, last, block, arg.span)
            elif position in whole and (count := self._new(arg)) is not None:
                made = operators.blank_array(self.instances, self.atom(count, env, block), self.type(arg), block, arg.span)
                atoms.append(block.atom(made, self.type(arg), "blank", arg.span))
            else:
                atoms.append(self.atom(arg, env, block))
        return KernelArguments(tuple(atoms), parts)

    def _is_string(self, node: sx.Expr) -> bool:
        return bool(self.typed.types.get(node) == STR)

    def _string_args(self, node: sx.Call, count: int, env: Env, block: Block) -> tuple[ir.Atom, ...]:
        """The arguments of a method, after the string itself, or of a primitive; a position that is left out is 0."""
        owner = [node.function.owner] if isinstance(node.function, sx.Attribute) else []
        args = self.atoms([*owner, *node.args], env, block)
        return args if len(args) == count else (*args, ir.Lit(0, ir.I64))

    def given(self, node: sx.Call, env: Env, block: Block) -> tuple[ir.Atom, ...]:
        """The arguments in the order of the parameters, evaluated in that of the source; then the defaults."""
        given = self.atoms(node.args, env, block)
        return tuple(
            given[each] if isinstance(each, int) else self._default(each, block, node.span)
            for each in self.typed.arguments.get(node, range(len(given)))
        )

    def _fun_call(
        self, fun: FunDef, types: Sequence[Type], args: Sequence[ir.Atom], type_: ir.Type, block: Block, span: Span
    ) -> ir.Expr:
        """A call of a function of the top level, with arguments in the form in which its copy for these types has them."""
        closed = self._closed(types)
        params, result = self.instances.form(fun, closed)
        call = ir.Call(self.instances.function(fun, closed), self._coerced(args, params, block, span), result, span=span)
        return coerced_value(self.instances, call, result, type_, block, span)

    def _default(self, use: FunUse, block: Block, span: Span) -> ir.Atom:
        types = self._closed(use.types)
        own = signature(use.fun)
        result = self.instances.type(own.result, dict(zip(own.typevars, types, strict=True)))
        return block.atom(ir.Call(self.instances.function(use.fun, types), (), result, span=span), result, "default", span)

    def _update(self, node: sx.Call, fields: Sequence[Sequence[int]], env: Env, block: Block) -> ir.Expr:
        """`p.set(x=a)`: p is taken apart and made again, in place if it is unique."""
        assert isinstance(node.function, sx.Attribute)
        owner = block.variable(self.atom(node.function.owner, env, block), node.span)
        values = self.atoms(node.args, env, block)
        assert isinstance(owner.type, ir.DataType)
        branches = []
        for number, con in enumerate(self.instances.datas[owner.type.name].cons):
            binders = tuple(ir.Var(f"field{i}", type_) for i, (_, type_) in enumerate(con.fields))
            changed = {positions[number]: value for positions, value in zip(fields, values, strict=True)}
            inner = Block()
            made = self._made(con, [changed.get(i, binder) for i, binder in enumerate(binders)], inner, node.span)
            branches.append(ir.Branch(con, binders, inner.wrap(made), span=node.span))
        return ir.Match(owner, tuple(branches), span=node.span)

    def _field(self, node: sx.Attribute, positions: Sequence[int], env: Env, block: Block) -> ir.Expr:
        owner = block.variable(self.atom(node.owner, env, block), node.span)
        assert isinstance(owner.type, ir.DataType)
        branches = []
        for con, at in zip(self.instances.datas[owner.type.name].cons, positions, strict=True):
            binders = tuple(ir.Var(node.name if i == at else f"field{i}", type_) for i, (_, type_) in enumerate(con.fields))
            inner = Block()
            value = coerced(self.instances, binders[at], self.type(node), inner, node.span)
            branches.append(ir.Branch(con, binders, inner.wrap(ir.Ret(value, span=node.span)), span=node.span))
        return ir.Match(owner, tuple(branches), span=node.span)

    # -- functions as values

    def _lambda(self, node: sx.Lambda, env: Env) -> ir.Expr:
        type_ = self.type(node)
        assert isinstance(type_, ir.FunType)
        params = tuple(ir.Var(name, param) for (name, _), param in zip(node.params, type_.params, strict=True))
        inner = {**env, **{param.name: param for param in params}}
        return closure(params, self.expr(node.body, inner), type_, node.span)

    def _let_functions(self, functions: Sequence[sx.Function], env: Env) -> Env:
        """Each function becomes one of the top level, which gets what any of them captures as its first arguments."""
        captures = self._captures([([param.name for param in each.params], each.body) for each in functions], env)
        outside = dict(env)
        signatures = [self.typed.signatures[function] for function in functions]
        for function, own in zip(functions, signatures, strict=True):
            params = tuple(self.instances.type(param, self.named) for param in own.params)
            result = self.instances.type(own.result, self.named)
            name = self.instances.fresh(f"{self.prefix}.{function.name}")
            outside[function.name] = NestedFun(name, captures, params, result)
        for function, own in zip(functions, signatures, strict=True):
            outer, self._crossed = self._crossed, crossed(function.body)
            names = [param.name for param in function.params]
            self._lift(function.name, names, own.borrowed, function.body, outside, function.span)
            self._crossed = outer
        return outside

    def _captures(self, bodies: Sequence[Bound], env: Env) -> tuple[ir.Var, ...]:
        names = free_names(bodies, lambda step: isinstance(self.typed.uses.get(step), ListUse))
        captures: dict[ir.Var, None] = {}
        for value in [value for name in names if (value := env.get(name)) is not None]:
            captures.update(dict.fromkeys(value.captures if isinstance(value, NestedFun) else _variables(value)))
        return tuple(captures)

    def _lift(self, key: str, names: Sequence[str], borrowed: Sequence[bool], body: sx.Expr, outside: Env, span: Span) -> None:
        """Makes the function that outside knows under key; names are those of its own parameters."""
        nested = outside[key]
        assert isinstance(nested, NestedFun)
        fresh = {var: var.copy() for var in nested.captures}
        self._borrowed.update(copy for var, copy in fresh.items() if var in self._borrowed)
        env = {name: _renamed(value, fresh) for name, value in outside.items()}
        own = [ir.Param(ir.Var(name, type_), is_) for name, type_, is_ in zip(names, nested.params, borrowed, strict=True)]
        self._borrowed.update(param.var for param in own if param.borrowed)
        inner = {**env, **{param.var.name: param.var for param in own}}
        params = (*(ir.Param(var, var in self._borrowed) for var in fresh.values()), *own)
        self.lifted.append(ir.FunDef(nested.name, params, nested.result, self.expr(body, inner), span=span))

    def _local(
        self, label: int, kind: str, names: Sequence[str], body: sx.Expr, result: ir.Type, env: Env, span: Span
    ) -> tuple[NestedFun, Env]:
        """A loop, or a join point that loops jump to, as a function, which gives the value of what it stands in."""
        types = tuple(self.instances.type(type_, self.named) for type_ in self.typed.joins[label])
        made = NestedFun(self.instances.fresh(f"{self.prefix}.{kind}"), self._captures([(names, body)], env), types, result)
        outside = {**env, label_name(label): made}
        self._lift(label_name(label), names, [False] * len(names), body, outside, span)
        return made, outside

    def _loop(self, node: sx.Loop, env: Env, block: Block) -> ir.Expr:
        starts = self.atoms(node.start, env, block)
        made, _ = self._local(node.label, "loop", node.params, node.body, self.type(node), env, node.span)
        return ir.Call(made.name, (*made.captures, *starts), made.result, span=node.span)

    def _step(self, node: sx.Step, env: Env, block: Block) -> ir.Expr:
        span, state = node.span, env[node.state]
        assert isinstance(state, ir.Var)
        use = self.typed.uses.get(node)
        inside = Block()
        if isinstance(use, ListUse):
            assert isinstance(state.type, ir.DataType)
            con = self.instances.datas[state.type.name].cons[use.con.tag]
            fields = tuple(ir.Var("rest" if i == use.rest else "item", type_) for i, (_, type_) in enumerate(con.fields))
            (element,) = self.opened([fields[1 - use.rest]], [self.typed.types[node.pattern]], inside, span)
            bound = self.bind(self.typed.patterns[node], element, self.typed.types[node.pattern], inside, span)
            body = self.expr(node.body, {**env, node.after: fields[use.rest], **bound})
            step = ir.Branch(con, fields, inside.wrap(body), span=span)
            return ir.Match(state, (step,), self.expr(node.orelse, env), span=span)
        array = env[node.source]
        assert not isinstance(array, NestedFun)
        is_text = array.type == ir.STR
        length = block.atom(ir.Prim("str_len" if is_text else "array_len", (array,), ir.I64, span=span), ir.I64, "length", span)
        test = block.atom(ir.Prim("lt", (state, length), ir.BOOL, span=span), ir.BOOL, "more", span)
        elem = array.type.elem if isinstance(array.type, ir.ArrayType) else ir.STR
        item = inside.atom(ir.Prim("str_at" if is_text else "array_get", (array, state), elem, span=span), elem, "item", span)
        size: ir.Atom = ir.Lit(1, ir.I64)
        if is_text:
            size = inside.atom(ir.Prim("str_len", (item,), ir.I64, span=span), ir.I64, "size", span)
        after = inside.atom(ir.Prim("add", (state, size), ir.I64, span=span), ir.I64, "next", span)
        bound = self.bind(self.typed.patterns[node], item, self.typed.types[node.pattern], inside, span)
        body = inside.wrap(self.expr(node.body, {**env, node.after: after, **bound}))
        return ir.If(test, body, self.expr(node.orelse, env), span=span)

    # -- binding, joining

    def _let(self, node: sx.Let, env: Env, block: Block) -> Env:
        resolved = self.typed.patterns[node]
        type_ = self.type(node.value)
        value = block.atom(self.last(node.value, env, block), type_, _pattern_hint(node.pattern), node.span)
        return {**env, **self.bind(resolved, value, self.typed.types[node.value], block, node.span)}

    def _join(self, node: sx.Join, env: Env) -> ir.Expr:
        if node.label in self._crossed:
            _, inside = self._local(node.label, "after", node.params, node.rest, self.type(node), env, node.span)
            return self.expr(node.body, inside)
        label = ir.Label("after")
        self._joins[node.label] = label
        body = self.expr(node.body, env)
        types = [self.instances.type(type_, self.named) for type_ in self.typed.joins[node.label]]
        params = tuple(ir.Var(name, type_) for name, type_ in zip(node.params, types, strict=True))
        rest = self.expr(node.rest, {**env, **{param.name: param for param in params}})
        return ir.LetJoin(label, params, rest, body, span=node.span)


def _wrapper(name: str, captures: tuple[ir.Var, ...], type_: ir.Type, span: Span) -> ir.Lambda:
    """A closure that calls a function with what it captures and its own arguments."""
    assert isinstance(type_, ir.FunType)
    params = tuple(ir.Var(f"arg{i}", param) for i, param in enumerate(type_.params))
    body = ir.Call(name, (*captures, *params), type_.result, span=span)
    return ir.Lambda(captures, params, type_.result, body, type_.throws, span=span)


def _variables(atom: ir.Atom) -> tuple[ir.Var, ...]:
    return (atom,) if isinstance(atom, ir.Var) else ()


def _renamed(value: ir.Atom | NestedFun, fresh: Mapping[ir.Var, ir.Var]) -> ir.Atom | NestedFun:
    if isinstance(value, NestedFun):
        return NestedFun(value.name, tuple(fresh.get(var, var) for var in value.captures), value.params, value.result)
    return fresh.get(value, value) if isinstance(value, ir.Var) else value


def _hint(node: sx.Expr) -> str:
    """What to call the value of an expression."""
    match node:
        case sx.Call(function=sx.Name(name=name)):
            return f"{name}_result" if name.isidentifier() else "value"
        case sx.Binary(op="==" | "!=" | "<" | "<=" | ">" | ">="):
            return "test"
        case _:
            return "value"


def _pattern_hint(pattern: sx.Pattern) -> str:
    return pattern.name.split(".")[0] if isinstance(pattern, sx.NamePattern | sx.AsPattern) else "value"
