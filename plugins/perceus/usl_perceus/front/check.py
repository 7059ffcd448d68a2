"""The type checker: a function's body against its signature.

Signatures are annotated, everything inside is inferred by unification. The expected type goes in before the parts of an
expression are looked at, so that constructors, literals and the parameters of lambdas find their types.
"""

from __future__ import annotations

from collections.abc import Sequence

from usl_core.errors import Span
from usl_perceus.errors import PerceusError
from usl_perceus.front import patterns as pt
from usl_perceus.front import syntax as sx
from usl_perceus.front.arguments import arranged
from usl_perceus.front.builtins import ENDED, FELL
from usl_perceus.front.check_calls import Calls
from usl_perceus.front.check_patterns import Binds, exception_named
from usl_perceus.front.definitions import FunDef, Scope, Signature
from usl_perceus.front.inference import Env, Nested, can_add
from usl_perceus.front.lists import list_type
from usl_perceus.front.ownership import check_ownership
from usl_perceus.front.plain import COMPARED, is_ordered, is_plain, why_not, why_not_ordered
from usl_perceus.front.resolve import Types, exception_fields, signature, signature_of
from usl_perceus.front.typed import ExceptionUse, ListUse, LocalUse, Typed
from usl_perceus.front.types import (
    ARRAY,
    BOOL,
    EXCEPTION,
    I64,
    REF,
    STR,
    TUPLE,
    UNIT,
    App,
    Kind,
    Meta,
    Type,
    function,
    is_float,
    is_integer,
    is_number,
    resolve,
    show,
    unify,
)


def check_function(fun: FunDef) -> Typed:
    """The types inside a function. Checked once.

    Raises:
        PerceusError: it is ill-typed.
    """
    if fun.typed is None:
        own = signature(fun)
        typed = Checker(fun.scope, own).function(fun.syntax)
        check_ownership(fun.syntax, own, typed)
        fun.typed = typed
    done: Typed = fun.typed
    return done


class Checker(Calls):
    """Checks the body of one function with the functions nested in it."""

    def __init__(self, scope: Scope, signature: Signature) -> None:
        super().__init__(scope, signature)
        self._loops: set[int] = set()
        """The labels that are those of loops."""

    def function(self, syntax: sx.Function) -> Typed:
        """Checks the body of the outermost function."""
        self._body(syntax, self.signature, {})
        return self.finish()

    def _body(self, syntax: sx.Function, own: Signature, env: Env) -> None:
        params = {param.name: type_ for param, type_ in zip(syntax.params, own.params, strict=True)}
        self.check(syntax.body, own.result, {**env, **params})

    def literal_type(self, value: int | float | bool | str) -> Type:
        """The type of a literal; a number's is left open until its use decides."""
        return BOOL if isinstance(value, bool) else STR if isinstance(value, str) else Meta(_kind(value))

    def check(self, node: sx.Expr, want: Type, env: Env) -> None:
        """Checks that an expression has the type want, and notes its type and those of its parts.

        Raises:
            PerceusError: it has another type, or a name in it is unknown.
        """
        self.typed.types[node] = want
        match node:
            case sx.Name(name=name):
                self.value_name(node, (name,), want, env)
            case sx.Literal():
                self._literal(node, want)
            case sx.Tuple(items=items):
                parts = tuple(Meta() for _ in items)
                self.expect(want, App(TUPLE, parts), node.span)
                for item, part in zip(items, parts, strict=True):
                    self.check(item, part, env)
            case sx.ArrayLiteral(items=items):
                self._literal_list(node, items, want, env)
            case sx.Call():
                self.call(node, want, env)
            case sx.Attribute():
                self.attribute(node, want, env)
            case sx.Index(array=array, index=index):
                elem: Type = Meta()
                found = self.infer(array, env)
                if self.of_module(node, "item", found, (array, index), want, env):
                    return
                if found == STR:
                    elem = STR
                else:
                    self.expect(App(ARRAY, (elem,)), found, array.span)
                self.check(index, I64, env)
                self.expect(want, elem, node.span)
            case sx.Unary():
                self._unary(node, want, env)
            case sx.Binary():
                self._binary(node, want, env)
            case sx.If(condition=condition, then=then, orelse=orelse):
                self.check(condition, BOOL, env)
                self.check(then, want, env)
                self.check(orelse, want, env)
            case sx.Match():
                self._match(node, want, env)
            case sx.Let():
                self._let(node, want, env)
            case sx.Lambda(params=params, body=body):
                types = tuple(Meta() for _ in params)
                result = Meta()
                self.expect(want, function(types, result), node.span)
                own = {name: type_ for (name, _), type_ in zip(params, types, strict=True)}
                self.check(body, result, {**env, **own})
            case sx.LetFunctions():
                self._let_functions(node, want, env)
            case sx.Raise(value=value):
                self._raise(value, env)
            case sx.Try():
                self._try(node, want, env)
            case sx.SetValue(reference=reference, value=value):
                content = Meta()
                self.check(reference, App(REF, (content,)), env)
                self.check(value, content, env)
                self.expect(want, UNIT, node.span)
            case sx.Join(label=label, params=params, rest=rest, body=body):
                types = tuple(Meta() for _ in params)
                self.typed.joins[label] = types
                self.check(body, want, env)
                self.check(rest, want, {**env, **dict(zip(params, types, strict=True))})
            case sx.Loop(label=label, params=params, start=start, body=body):
                starts = tuple(self.infer(arg, env) for arg in start)
                self.typed.joins[label] = starts
                self._loops.add(label)
                self.check(body, want, {**env, **dict(zip(params, starts, strict=True))})
            case sx.Begin(source=source):
                found = self.infer(source, env)
                self.iterated(found, node.span)
                self.expect(want, I64 if list_type(found) is None else found, node.span)
            case sx.Step():
                self._step(node, want, env)
            case sx.Jump(label=label, args=args):
                for arg, type_ in zip(args, self.typed.joins[label], strict=True):
                    if label in self._loops:
                        self._next_round(arg, type_, env)
                    self.check(arg, type_, env)

    def _literal(self, node: sx.Literal, want: Type) -> None:
        if node.implicit and resolve(want) != UNIT:
            raise PerceusError(
                f"a path ends here without returning a value of type {show(want)}",
                span=node.span,
                notes=("hint: every path must end with return or raise",),
                code="E721",
            )
        self.expect(want, self.literal(node), node.span)

    def _literal_list(self, node: sx.ArrayLiteral, items: Sequence[sx.Expr], want: Type, env: Env) -> None:
        """`[a, b]`: a list where one is expected, else an array."""
        found = list_type(want)
        elem: Type = Meta()
        if found is not None:
            self.typed.uses[node] = ListUse(found.cons, found.rest)
            elem = found.element
        else:
            self.expect(want, App(ARRAY, (elem,)), node.span)
        for item in items:
            self.check(item, elem, env)

    # -- operators

    def _unary(self, node: sx.Unary, want: Type, env: Env) -> None:
        match node.op:
            case "not":
                self.check(node.operand, BOOL, env)
                self.expect(want, BOOL, node.span)
            case "-":
                self.check(node.operand, want, env)
                self.demand(want, is_number, "- works on numbers, not {}", node.span)
            case _:
                self.check(node.operand, want, env)
                self.demand(want, is_integer, f"{node.op} works on integers, not {{}}", node.span)

    def _binary(self, node: sx.Binary, want: Type, env: Env) -> None:
        type_ = self.infer(node.left, env)
        repeated = node.op == "*" and type_ == STR
        self.check(node.right, I64 if repeated else type_, env)
        match node.op:
            case "*" if repeated:
                pass
            case "==" | "!=":
                self.demand(type_, is_plain, f"{node.op} {COMPARED}", node.span, why_not)
            case "<" | "<=" | ">" | ">=":
                self.demand(type_, is_ordered, f"{node.op} {COMPARED}", node.span, why_not_ordered)
            case "+":
                self.demand(type_, can_add, "+ works on numbers and strings, not {}", node.span)
            case "-" | "*":
                self.demand(type_, is_number, f"{node.op} works on numbers, not {{}}", node.span)
            case "**":
                self.demand(type_, is_number, "** works on numbers, not {}", node.span)
            case "/":
                self.demand(type_, is_float, "/ works on floats, not {}; // divides integers", node.span)
            case _:
                self.demand(type_, is_integer, f"{node.op} works on integers, not {{}}", node.span)
        self.expect(want, BOOL if node.op in ("==", "!=", "<", "<=", ">", ">=") else type_, node.span)

    # -- binding

    def _let(self, node: sx.Let, want: Type, env: Env) -> None:
        type_: Type = Meta()
        if node.annotation is not None:
            type_ = Types(self.scope, node.span.file, node.span, self.signature.typevars).type(
                node.annotation, node.pattern.span
            )
        self.check(node.value, type_, env)
        binds: Binds = {}
        self.typed.patterns[node] = self.irrefutable(node.pattern, type_, binds)
        self.check(node.body, want, {**env, **binds})

    def _let_functions(self, node: sx.LetFunctions, want: Type, env: Env) -> None:
        inner = dict(env)
        for syntax in node.functions:
            own = signature_of(syntax, self.scope, self.signature.typevars)
            self.typed.signatures[syntax] = own
            inner[syntax.name] = Nested(syntax, own)
        for syntax in node.functions:
            self._body(syntax, self.typed.signatures[syntax], inner)
        self.check(node.body, want, inner)

    def iterated(self, type_: Type, span: Span) -> Type:
        """The type of the elements of what is gone through."""
        found = list_type(type_)
        if found is not None:
            return found.element
        if isinstance(type_, App) and type_.head == ARRAY:
            return type_.args[0]
        if type_ == STR:
            return STR
        message = f"for goes through arrays, lists, strings and range(...), not a value of type {show(type_)}"
        hint = "hint: a list is a data type with an empty constructor and one of an element and the rest"
        if isinstance(type_, Meta):
            message, hint = "the type of what for goes through is not known here", "hint: give it a type: xs: array[i64] = ..."
        raise PerceusError(message, span=span, notes=(hint,), code="E712")

    def _next_round(self, arg: sx.Expr, type_: Type, env: Env) -> None:
        assert isinstance(arg, sx.Name)
        found = env[arg.name]
        if not isinstance(found, Nested):
            shown = show(found), show(type_)
            if not unify(type_, found):
                message = f"{arg.name} is {shown[0]} at the end of a round, and {shown[1]} at its beginning"
                raise PerceusError(message, span=arg.span, code="E712")

    def _step(self, node: sx.Step, want: Type, env: Env) -> None:
        source, state = env[node.source], env[node.state]
        assert not isinstance(source, Nested) and not isinstance(state, Nested)
        element = self.iterated(resolve(source), node.span)
        found = list_type(source)
        if found is not None:
            self.typed.uses[node] = ListUse(found.cons, found.rest)
        binds: Binds = {}
        self.typed.types[node.pattern] = element
        self.typed.patterns[node] = self.irrefutable(node.pattern, element, binds)
        self.check(node.body, want, {**env, node.after: state, **binds})
        self.check(node.orelse, want, env)

    # -- match

    def _match(self, node: sx.Match, want: Type, env: Env) -> None:
        """A tuple that is matched is not built: its items are columns of their own."""
        columns = node.scrutinee.items if isinstance(node.scrutinee, sx.Tuple) else (node.scrutinee,)
        types = tuple(self.infer(column, env) for column in columns)
        whole = App(TUPLE, types) if len(types) > 1 else types[0]
        self.typed.types[node.scrutinee] = whole
        rows: list[tuple[pt.Row, bool]] = []
        bodies: list[tuple[sx.Case, Binds]] = []
        for case in node.cases:
            binds: Binds = {}
            found = self.pattern(case.pattern, whole, binds)
            self.typed.patterns[case] = found
            rows.append(((found,), case.guard is not None))
            bodies.append((case, binds))
        self.require_exhaustive(rows, 1, node.span)
        for case, binds in bodies:
            inner = {**env, **binds}
            if case.guard is not None:
                self.check(case.guard, BOOL, inner)
            self.check(case.body, want, inner)

    # -- exceptions

    def _raise(self, value: sx.Expr, env: Env) -> None:
        if isinstance(value, sx.Name) and env.get(value.name) == EXCEPTION:
            self.typed.uses[value] = LocalUse()
            return
        callee, args = (value.function, value.args) if isinstance(value, sx.Call) else (value, ())
        if not isinstance(callee, sx.Name | sx.Attribute):
            raise PerceusError("raise takes an exception: raise E(a)", span=value.span, code="E712")
        exception = exception_named(_path(callee), self.scope, callee.span)
        fields = exception_fields(exception)
        if isinstance(value, sx.Call) and value.keywords:
            names = exception.syntax.names
            order = arranged(value, exception.name, names, ())
            args = tuple(args[each] for each in order if isinstance(each, int))
            if order != tuple(range(len(args))):
                self.typed.arguments[value] = tuple(each for each in order if isinstance(each, int))
        if len(fields) != len(args):
            count = "no arguments" if not fields else f"{len(fields)} argument{'s' if len(fields) > 1 else ''}"
            raise PerceusError(f"{exception.name} takes {count}, {len(args)} given", span=value.span, code="E713")
        self.typed.uses[callee] = ExceptionUse(exception)
        for arg, field in zip(args, fields, strict=True):
            self.check(arg, field, env)

    def _ending(self, node: sx.Try, want: Type) -> Type:
        """The type of the body. If it may return, then what the try as a whole has to be, so that mistakes are found there."""
        match node.then:
            case sx.Match(cases=[sx.Case(pattern=sx.ConstructorPattern(path=[constructor])), _]) if constructor == FELL:
                wanted = resolve(want)
                outer = wanted.args[1] if isinstance(wanted, App) and wanted.head is ENDED else want
                return App(ENDED, (Meta(), outer))
            case _:
                return Meta()

    def _try(self, node: sx.Try, want: Type, env: Env) -> None:
        if node.then is None or node.pattern is None:
            self.check(node.body, want, env)
        else:
            type_ = self._ending(node, want)
            self.check(node.body, type_, env)
            bound: Binds = {}
            self.typed.patterns[node] = self.irrefutable(node.pattern, type_, bound)
            self.check(node.then, want, {**env, **bound})
        rows: dict[object, list[pt.Row]] = {}
        everything = False
        for handler in node.handlers:
            binds: Binds = {}
            if everything:
                raise PerceusError("this handler is never reached", span=handler.span, code="E715")
            if handler.pattern is None:
                everything = True
            else:
                assert isinstance(handler.pattern, sx.ConstructorPattern)
                exception, found = self.handled(handler.pattern, binds)
                self.typed.uses[handler] = ExceptionUse(exception)
                self.typed.patterns[handler] = found
                if exception in rows:
                    raise PerceusError("this handler is never reached", span=handler.span, code="E715")
                rows[exception] = [(found,)]
            for other in handler.others:
                exception, _ = self.handled(other, {})
                if exception in rows:
                    raise PerceusError("this exception is handled already", span=other.span, code="E715")
                rows[exception] = []
                self.typed.uses[other] = ExceptionUse(exception)
            self.check(handler.body, want, {**env, handler.caught: EXCEPTION, **binds})


def _kind(value: int | float) -> Kind:
    return Kind.FLOAT if isinstance(value, float) else Kind.NUMBER


def _path(node: sx.Expr) -> tuple[str, ...]:
    match node:
        case sx.Name(name=name):
            return (name,)
        case sx.Attribute(owner=owner, name=name):
            return (*_path(owner), name)
        case _:
            raise PerceusError("an exception is a name", span=node.span, code="E712")
