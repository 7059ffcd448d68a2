"""Statements of a text become core: assignments, branches, loops, nested functions."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from usl_core.errors import Span
from usl_core.ir.sym import Sym
from usl_core.ir.types import ScalarType
from usl_soac import core, failures, signatures, sizes
from usl_soac.arithmetic import describe, number, operate
from usl_soac.arrays import scalar_or_array
from usl_soac.core import Const, Param, Type
from usl_soac.errors import SoacError
from usl_soac.expressions import BINARY, Env
from usl_soac.liveness import Names, always_returns, assigned, live_before, reads, returns
from usl_soac.own_functions import OwnFunctions
from usl_soac.scalars import BOOL, CERT, F64, I64
from usl_soac.signatures import Declared, Leaf
from usl_soac.sizes import Term
from usl_soac.text import ill_typed, refuse
from usl_soac.values import Block, Closure, Named, Num, Tup, Unassigned, Val, Value, known, leaves, named, rebuild, typed

MOST_ATTEMPTS = 100
"""How often in a function other types are tried for the numbers that loops start with."""

StartRound = Callable[[Block], Env]
"""The variables that a round begins with, beside those that the loop carries."""


@dataclass(frozen=True, slots=True)
class _Round:
    """The body of a loop and what ends it early."""

    body: Sequence[ast.stmt]
    until: ast.expr | None
    """`if until: break` was its last statement."""


class Statements(OwnFunctions):
    """The statements of one function."""

    loops_typed = 0
    """Types that have been tried in vain for the numbers that loops start with."""

    def sequence(
        self, statements: Sequence[ast.stmt], env: Env, block: Block, after: Names, result: Declared | None
    ) -> tuple[Env, Value | None]:
        """The variables after statements, and what they return, if they do. `after` are the names that are read behind them."""
        for position, each in enumerate(statements):
            rest = statements[position + 1 :]
            if isinstance(each, ast.Return):
                if rest:
                    raise refuse("nothing after a return is evaluated", self.span(rest[0]))
                return env, self.returned(each, env, block, result)
            if isinstance(each, ast.If) and returns([each]):
                return env, self.returning(each, rest, env, block, result)
            env = self.statement(each, env, block, live_before(rest, after))
        return env, None

    def returned(self, node: ast.Return, env: Env, block: Block, result: Declared | None) -> Value:
        """The value of a `return`, of the declared type."""
        span = self.span(node)
        if node.value is None:
            raise refuse("return gives a value", span)
        if isinstance(result, signatures.Tuple) and isinstance(node.value, ast.Tuple):
            items = [*result.items, None, *[None] * len(node.value.elts)]  # too many or too few: `fit` says so
            pairs = zip(node.value.elts, items, strict=False)
            values = [self.component(each, env, block, _expected(to)) for each, to in pairs]
            return fit(Tup(tuple(values)), result, self.span(node.value))
        value = self.expr(node.value, env, block, _expected(result))
        return value if result is None else fit(value, result, self.span(node.value))

    def returning(self, node: ast.If, rest: Sequence[ast.stmt], env: Env, block: Block, result: Declared | None) -> Value:
        """An `if` one side of which returns: what follows it belongs to the other."""
        sides = []
        if not always_returns(node.body) and not always_returns(node.orelse) and rest:
            hint = "hint: return on all paths of one branch, or assign a variable and return it at the end"
            raise refuse("this branch returns on some of its paths only", self.source.head(node), hint)
        condition = self.condition(node.test, env, block)
        for side in (node.body, node.orelse):
            statements = side if always_returns(side) else [*side, *rest]
            inner = Block()
            _, value = self.sequence(statements, env, inner, frozenset(), result)
            if value is None:
                raise refuse("the function ends without a result on some paths", self.source.head(node), "hint: return one")
            sides.append((value, inner))
        return self.join(condition, sides[0], sides[1], block, self.span(node))

    # ---- statements

    def statement(self, node: ast.stmt, env: Env, block: Block, after: Names) -> Env:
        """The variables after a statement.

        Raises:
            SoacError: it is not in the language, or ill-typed.
        """
        span = self.span(node)
        match node:
            case ast.Assign(targets=[target], value=value):
                self.require_target(target)
                return self.bind(target, self.expr(value, env, block), env)
            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=value) if value is not None:
                return {**env, name: self.stated(name, annotation, value, env, block)}
            case ast.AugAssign(target=ast.Name(id=name) as target, op=op, value=value):
                if type(op) not in BINARY:
                    raise refuse("@ is not in the language; write the product with map and reduce", span)
                old = self.name(name, env, target)
                scalar = old.type.scalar if isinstance(old, Val) else None
                new = self.expr(value, env, block, scalar)
                return {**env, name: named(operate(BINARY[type(op)], (old, new), block, span), name)}
            case ast.AugAssign(target=target):
                self.require_target(target)
                raise refuse("only variables are assigned", span)
            case ast.If():
                return self.branches(node, env, block, after)
            case ast.For():
                return self.counted(node, env, block, after)
            case ast.While():
                return self.conditional(node, env, block, after)
            case ast.Assert():
                self.assertion(node, env, block)
                return env
            case ast.FunctionDef(name=name):
                if node.decorator_list:
                    raise refuse("a nested function has no decorators", self.span(node.decorator_list[0]))
                self.require_plain(node.args, self.source.head(node))
                return {**env, name: Closure(node, dict(env), self.source)}
            case ast.Pass() | ast.Expr(value=ast.Constant(value=str())):
                return env
            case ast.Expr():
                raise refuse("the value of this expression is not used", span, "hint: arrays do not change; assign the result")
            case ast.Return():
                raise refuse("a loop has no return", span, "hint: if c: break as the last statement of the loop")
            case ast.Break():
                raise refuse("break stands in the last statement of a for: if c: break", span)
            case ast.Assign():
                raise refuse("one variable, or one tuple of variables, is assigned at a time", span)
            case ast.AnnAssign():
                raise refuse("a variable is declared with its value: x: f64[n] = …", span)
            case _:
                raise refuse(f"{_statement(node)} is not in the language of arrays", self.source.head(node))

    def require_target(self, target: ast.expr) -> None:
        """Refuses what is no variable on the left of an assignment."""
        match target:
            case ast.Name():
                pass
            case ast.Tuple(elts=items) | ast.List(elts=items):
                for item in items:
                    self.require_target(item)
            case ast.Subscript():
                array, where = ast.unparse(target.value), ast.unparse(target.slice)
                message = f"an element cannot be assigned; write {array} = {array}.set({where}, v)"
                raise refuse(message, self.span(target))
            case _:
                raise refuse("only variables are assigned", self.span(target))

    def bind(self, target: ast.expr, value: Value, env: Env) -> Env:
        """The variables after `target = value`."""
        match target:
            case ast.Name(id="_"):
                return env
            case ast.Name(id=name):
                if isinstance(value, Closure | Named):
                    hint = f"hint: def {name}(…), nested in the function"
                    raise refuse("a function is no value of a variable", self.span(target), hint)
                return {**env, name: named(value, name)}
            case ast.Tuple(elts=items) | ast.List(elts=items):
                if not isinstance(value, Tup):
                    raise ill_typed(f"{describe(value)} is no tuple of {len(items)}", self.span(target))
                if len(items) != len(value.items):
                    raise ill_typed(f"{len(items)} variables, but {describe(value)}", self.span(target))
                for item, part in zip(items, value.items, strict=True):
                    env = self.bind(item, part, env)
                return env
            case _:
                raise refuse("only variables are assigned", self.span(target))

    def stated(self, name: str, annotation: ast.expr, value: ast.expr, env: Env, block: Block) -> Value:
        """`x: f32[n, m] = e`: sizes are tested."""
        declared = signatures.local_type(self.source, annotation, size_terms(env))
        fitted = fit(self.expr(value, env, block, _expected(declared)), declared, self.span(value))
        return self.coerced(fitted, declared, name, block, self.span(annotation))

    def coerced(self, value: Value, declared: Declared, name: str, block: Block, span: Span) -> Value:
        """The value with the declared sizes, tested."""
        made = []
        for leaf, to in zip(leaves(value), signatures.leaves(declared), strict=True):
            assert isinstance(leaf, Val)
            if any(dim is not None for dim in to.type.dims) and isinstance(leaf.atom, Sym):
                leaf = block.one(core.Coerce(leaf.atom, to.type.dims, name, span=span), leaf.type, span, name)
            made.append(leaf)
        return named(rebuild(value, iter(made)), name)

    def assertion(self, node: ast.Assert, env: Env, block: Block) -> None:
        """`assert c, "text"`"""
        text: str | None = None
        match node.msg:
            case None:
                pass
            case ast.Constant(value=str() as text):
                pass
            case other:
                raise refuse("the text of an assertion is written in quotes", self.span(other))
        condition = self.condition(node.test, env, block)
        site = failures.asserted(text, self.span(node.test))
        block.one(core.Assert(condition.atom, site, span=self.span(node)), Type(CERT), self.span(node), "c")

    # ---- branches

    def branches(self, node: ast.If, env: Env, block: Block, after: Names) -> Env:
        """`if c: … else: …` without `return`."""
        condition = self.condition(node.test, env, block)
        then, orelse = Block(), Block()
        left, _ = self.sequence(node.body, env, then, after, None)
        right, _ = self.sequence(node.orelse, env, orelse, after, None)
        names = [name for name in sorted(assigned([node])) if name in after or name in env]
        result, joined = dict(env), []
        for name in names:
            a, b = left.get(name, Unassigned()), right.get(name, Unassigned())
            if a is b or (isinstance(a, Num) and a == b):
                result[name] = a
            elif name not in after or _is_function(a) or _is_function(b):
                result[name] = Unassigned()
            else:
                joined.append((name, a, b))
        if joined or then.statements or orelse.statements:
            span = self.source.head(node)
            for name, a, b in joined:
                if describe(a) != describe(b) and not isinstance(a, Num) and not isinstance(b, Num):
                    raise ill_typed(f"{name} is {describe(a)} after one branch and {describe(b)} after the other", span)
            spelled = [name for name, a, _ in joined for _ in leaves(a)]
            first, second = Tup(tuple(a for _, a, _ in joined)), Tup(tuple(b for _, _, b in joined))
            together = self.join(condition, (first, then), (second, orelse), block, span, None, spelled)
            assert isinstance(together, Tup)
            result |= {name: value for (name, _, _), value in zip(joined, together.items, strict=True)}
        return result

    # ---- loops

    def counted(self, node: ast.For, env: Env, block: Block, after: Names) -> Env:
        """`for i in range(n):`"""
        span = self.source.head(node)
        if node.orelse:
            raise refuse("a loop has no else", self.span(node.orelse[0]))
        target = node.target
        if not isinstance(target, ast.Name):
            raise refuse("the variable of a loop is a name", self.span(target))
        match node.iter:
            case ast.Call(func=ast.Name(id="range"), args=[end], keywords=[]):
                first, bound = None, self.i64(end, env, block)
            case ast.Call(func=ast.Name(id="range"), args=[start, end], keywords=[]):
                first, last = self.i64(start, env, block), self.i64(end, env, block)
                difference = operate("-", (last, first), block, self.span(node.iter))
                bound = scalar_or_array(difference, "a range", span)
            case _:
                hint = "hint: for i in range(len(x)), or map(f, x)"
                raise refuse("a loop goes over range(n) or range(a, b)", self.span(node.iter), hint)
        index = Param(Sym(target.id), Type(I64), span=self.span(target))
        counter = Val(index.name, index.type)
        body, until = node.body, None
        match body[-1]:
            case ast.If(test=test, body=[ast.Break()], orelse=[]):
                body, until = body[:-1], test
            case _:
                pass

        def start_round(inner: Block) -> Env:
            value: Value = counter
            if first is not None:
                value = operate("+", (first, counter), inner, self.span(node.iter))
            return {target.id: value}

        return self.loop(node, _Round(body, until), env, block, after, index, bound, start_round)

    def i64(self, node: ast.expr, env: Env, block: Block) -> Val:
        """A number of rounds."""
        value = self.expr(node, env, block, I64)
        value = number(value, I64, self.span(node)) if isinstance(value, Num) else value
        if not isinstance(value, Val) or value.type != Type(I64):
            raise ill_typed(f"the bounds of a range are i64, not {describe(value)}", self.span(node))
        return value

    def conditional(self, node: ast.While, env: Env, block: Block, after: Names) -> Env:
        """`while c:`"""
        if node.orelse:
            raise refuse("a loop has no else", self.span(node.orelse[0]))
        return self.loop(node, _Round(node.body, None), env, block, after, None, None, lambda _: {})

    def loop(
        self,
        node: ast.For | ast.While,
        rounds: _Round,
        env: Env,
        block: Block,
        after: Names,
        index: Param | None,
        bound: Val | None,
        start: StartRound,
    ) -> Env:
        """A loop of the core. What it carries are the variables assigned in it that are read after it or at its start."""
        changed = assigned(rounds.body)
        if rounds.until is not None:
            live = live_before([node], after | reads(rounds.until))
        else:
            live = live_before([node], after)
        carried = [name for name in env if name in changed and name in live and not _is_function(env[name])]
        made = self.typed_rounds(node, rounds, env, carried, changed, index, bound, start)
        loop, types, spelled, initial = made
        values = iter(block.emit(loop, types, self.source.head(node), spelled))
        result = {name: Unassigned() if name in changed else value for name, value in env.items()}
        result |= {name: rebuild(initial[name], values) for name in carried}
        if index is not None:
            result.pop(index.name.name, None)
            result[index.name.name] = Unassigned()
        for name in changed - set(env):
            result[name] = Unassigned()
        return result

    def typed_rounds(
        self,
        node: ast.For | ast.While,
        rounds: _Round,
        env: Env,
        carried: Sequence[str],
        changed: Names,
        index: Param | None,
        bound: Val | None,
        start: StartRound,
    ) -> _Made:
        """The loop. Numbers that it starts with have their own types, or those of other variables if the body needs that."""
        refused: SoacError | None = None
        numbers = [each for name in carried for each in leaves(env[name]) if isinstance(each, Num)]
        for scalars in _choices(numbers, env):
            try:
                retyped: dict[str, Value] = {}
                while True:
                    initial = {name: retyped.get(name, _settled(env[name], scalars)) for name in carried}
                    made, wrong = self.rounds(node, rounds, env, initial, changed, index, bound, start)
                    if made is not None:
                        return made
                    assert wrong is not None
                    name, found, part = wrong
                    old = env[name]
                    if not (isinstance(old, Num) and isinstance(found, Val) and not found.type.rank) or name in retyped:
                        message = f"{name} is {describe(part)} before a round and {describe(found)} after it"
                        raise ill_typed(message, self.source.head(node))
                    retyped[name] = number(old, found.type.scalar, self.source.head(node))
            except SoacError as error:
                refused = refused or error
                self.loops_typed += 1
                if self.loops_typed > MOST_ATTEMPTS:  # nests of loops multiply them
                    break
        assert refused is not None
        raise refused

    def rounds(
        self,
        node: ast.For | ast.While,
        rounds: _Round,
        env: Env,
        initial: dict[str, Value],
        changed: Names,
        index: Param | None,
        bound: Val | None,
        start: StartRound,
    ) -> tuple[_Made | None, tuple[str, Value, Value] | None]:
        """The loop, or the variable whose type a round changes, with what it is after and before it."""
        span = self.source.head(node)
        params: list[Param] = []

        def fresh(name: str, value: Value) -> Value:
            made = []
            for leaf in leaves(value):
                assert isinstance(leaf, Val)
                params.append(Param(Sym(name), leaf.type, span=span))
                made.append(Val(params[-1].name, leaf.type))
            return rebuild(value, iter(made))

        inner_env: dict[str, Value] = {name: Unassigned() if name in changed else value for name, value in env.items()}
        inner_env |= {name: fresh(name, value) for name, value in initial.items()}
        inner, condition = Block(), None
        if isinstance(node, ast.While):
            test = Block()
            condition = test.body([self.condition(node.test, inner_env, test)], self.span(node.test))
        inner_env |= start(inner)
        after = frozenset({*initial, *(reads(rounds.until) if rounds.until is not None else ())})
        if returns(rounds.body):
            raise refuse("a loop has no return", span, "hint: if c: break as the last statement of the loop")
        ended, _ = self.sequence(rounds.body, inner_env, inner, after, None)
        results: list[Val] = []
        for name, before in initial.items():
            now = ended[name]
            if not _same_form(now, before):
                return None, (name, now, before)
            for found, leaf in zip(leaves(now), leaves(before), strict=True):
                assert isinstance(leaf, Val)
                if isinstance(found, Num) and not leaf.type.rank and not (found.floating and leaf.type.scalar.is_int):
                    found = number(found, leaf.type.scalar, span)
                elif isinstance(found, Num):
                    found = typed(found)
                if not isinstance(found, Val) or found.type != leaf.type:
                    return None, (name, now, before)
                results.append(found)
        atoms = [leaf.atom for value in initial.values() for leaf in leaves(value) if isinstance(leaf, Val)]
        if rounds.until is not None:
            go = Param(Sym("go"), Type(BOOL), span=span)
            stop = self.condition(rounds.until, ended, inner)
            results.append(inner.one(core.Op("not", (stop.atom,), BOOL, span=stop_span(self, rounds)), Type(BOOL), span, "go"))
            params.append(go)
            atoms.append(Const(True, BOOL))
            condition = Block().body([Val(go.name, go.type)], span)
        limit = bound.atom if bound is not None else None
        loop = core.Loop(tuple(params), tuple(atoms), index, limit, condition, inner.body(results, span), span=span)
        return (loop, [each.type for each in params], [each.name.name for each in params], initial), None

    # ---- nested functions

    def run_def(self, closure: Closure, args: Sequence[Value], block: Block, span: Span) -> Value:
        """The body of a nested def with its parameters bound to arguments."""
        node = closure.node
        assert isinstance(node, ast.FunctionDef)
        env = dict(closure.env)
        for param, arg in zip(node.args.args, args, strict=True):
            value = arg
            if param.annotation is not None:
                declared = signatures.local_type(self.source, param.annotation, size_terms(env))
                value = fit(arg, declared, span)
                value = self.coerced(value, declared, param.arg, block, self.span(param))
            env[param.arg] = named(value, param.arg)
        result = None
        if node.returns is not None:
            result = signatures.local_type(self.source, node.returns, size_terms(env))
        _, value_or_none = self.sequence(node.body, env, block, frozenset(), result)
        if value_or_none is None:
            raise refuse(f"{node.name} ends without a result", self.source.head(node), "hint: return one")
        if result is not None:
            return self.coerced(value_or_none, result, f"the result of {node.name}", block, self.span(node))
        return value_or_none


_Made = tuple[core.Loop, list[Type], list[str], dict[str, Value]]


def stop_span(statements: Statements, rounds: _Round) -> Span:
    """Where `if c: break` has its condition."""
    assert rounds.until is not None
    return statements.span(rounds.until)


def fit(value: Value, declared: Declared, span: Span) -> Value:
    """A value of a declared type; numbers get the declared type.

    Raises:
        SoacError: it has another.
    """
    match declared:
        case Leaf(type=typ):
            if isinstance(value, Num) and not typ.rank:
                return number(value, typ.scalar, span)
            if isinstance(value, Val) and value.type == known(typ.rank, typ.scalar):
                return value
        case signatures.Tuple(items=items):
            if isinstance(value, Tup) and len(items) == len(value.items):
                return Tup(tuple(fit(each, to, span) for each, to in zip(value.items, items, strict=True)))
    raise ill_typed(f"{_declared(declared)} is declared, but this is {describe(value)}", span)


def size_terms(env: Env) -> dict[str, Term]:
    """The variables that a size may mention."""
    found: dict[str, Term] = {}
    for name, value in env.items():
        match value:
            case Val(atom=Sym() as sym, type=typ) if typ == Type(I64):
                found[name] = sizes.name(sym)
            case Val(atom=Const(value=constant), type=typ) if typ == Type(I64):
                found[name] = sizes.literal(int(constant))
            case Num(value=constant, floating=False):
                found[name] = sizes.literal(int(constant))
            case _:
                pass
    return found


def _expected(declared: Declared | None) -> ScalarType | None:
    return declared.type.scalar if isinstance(declared, Leaf) else None


def _declared(declared: Declared) -> str:
    if isinstance(declared, Leaf):
        return describe(Val(Sym("x"), known(declared.type.rank, declared.type.scalar)))
    return f"a tuple of {len(declared.items)}"


def _is_function(value: Value) -> bool:
    return isinstance(value, Closure | Named | Unassigned)


def _choices(numbers: Sequence[Num], env: Env) -> Iterator[tuple[ScalarType, ScalarType]]:
    """Types for numbers with and without a point, the usual ones first."""
    yield F64, I64
    if numbers:
        scalars = dict.fromkeys(leaf.type.scalar for value in env.values() for leaf in leaves(value) if isinstance(leaf, Val))
        real = [each for each in scalars if each.is_real] or [F64]
        whole = [each for each in scalars if each.is_int and each is not BOOL] or [I64]
        yield from ((a, b) for a in real for b in dict.fromkeys([I64, *whole, *real]) if (a, b) != (F64, I64))


def _settled(value: Value, scalars: tuple[ScalarType, ScalarType]) -> Value:
    """The value with numbers of these types."""
    made = [typed(each, scalars[not each.floating]) if isinstance(each, Num) else each for each in leaves(value)]
    return rebuild(value, iter([each for each in made if isinstance(each, Val)]))


def _same_form(a: Value, b: Value) -> bool:
    if isinstance(a, Tup) and isinstance(b, Tup):
        return len(a.items) == len(b.items) and all(map(_same_form, a.items, b.items))
    return not isinstance(a, Tup | Closure | Named | Unassigned) and not isinstance(b, Tup)


def _statement(node: ast.stmt) -> str:
    words = {ast.Try: "try", ast.With: "with", ast.Raise: "raise", ast.Delete: "del", ast.ClassDef: "class", ast.Match: "match"}
    words |= {ast.Import: "import", ast.ImportFrom: "import", ast.Global: "global", ast.Nonlocal: "nonlocal"}
    return words.get(type(node), type(node).__name__.lower())
