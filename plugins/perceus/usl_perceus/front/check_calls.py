"""Checking names and calls: functions, constructors, foreign functions, kernels, methods, the built-in operations."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from types import FunctionType, MappingProxyType

from usl_core import Procedure
from usl_core.errors import Span
from usl_perceus.errors import PerceusError
from usl_perceus.front import syntax as sx
from usl_perceus.front.arguments import arranged, count_of, functions_last
from usl_perceus.front.builtins import CONVERSIONS, FUNCTIONS, MATH, is_part
from usl_perceus.front.check_fields import Fields, has_field
from usl_perceus.front.check_patterns import ambiguous, qualified
from usl_perceus.front.definitions import (
    MISSING,
    ConDef,
    DataDef,
    ExceptionDef,
    ForeignDef,
    FunDef,
    PrimDef,
    definition,
    unknown,
)
from usl_perceus.front.formats import FLOAT_KINDS, INTEGER_KINDS, format_of
from usl_perceus.front.inference import Env, Nested, can_add, is_enumeration, is_string
from usl_perceus.front.kernels import NotEmpty, kernel_signature
from usl_perceus.front.library import METHODS, PRIMITIVES, join_of, strings
from usl_perceus.front.lists import list_type
from usl_perceus.front.members import ARRAY_METHODS, CELL_METHODS, INSTEAD, missing, require_open
from usl_perceus.front.plain import COMPARED, HASHED, SHOWN, is_ordered, is_plain, why_not, why_not_ordered
from usl_perceus.front.resolve import constructors, defaults, function_of, lookup, signature
from usl_perceus.front.typed import (
    BuiltinUse,
    ConstantUse,
    ConUse,
    ForeignUse,
    FunUse,
    KernelUse,
    LocalUse,
    NestedUse,
    PrimUse,
    Use,
)
from usl_perceus.front.types import (
    ARRAY,
    BOOL,
    F64,
    FUNCTION,
    I64,
    REF,
    STR,
    THREAD,
    TUPLE,
    UNIT,
    App,
    Meta,
    Type,
    function,
    is_float,
    is_integer,
    is_number,
    resolve,
    show,
    substitute,
)

NO_LENGTH = "len takes an array or a string, or a data type whose module has size, not {}"


class Calls(Fields):
    """Names and calls; `check` is that of the whole checker."""

    def infer(self, node: sx.Expr, env: Env) -> Type:
        """The type of node, whatever it is."""
        type_ = Meta()
        self.check(node, type_, env)
        return resolve(type_)

    # -- what names mean

    def name(self, node: sx.Name | sx.Attribute, path: Sequence[str], want: Type, env: Env) -> tuple[Use, Type | None]:
        """What a name or dotted name means, and its type as a value (None if it is none, as for operations)."""
        name = path[0]
        if len(path) == 1 and name in env:
            found = env[name]
            if isinstance(found, Nested):
                return NestedUse(found.function), function(found.signature.params, found.signature.result)
            return LocalUse(), found
        outside = lookup(path, self.scope)
        use = self._definition(outside, want, node.span)
        if use is not None:
            return use, self._value_type(use)
        con = self.constructor(name, want) if len(path) == 1 else qualified(path, self.scope)
        if isinstance(con, tuple):
            raise ambiguous(name, con, node.span)
        if con is not None:
            use = self._constructor_use(con, node.span)
            return use, self._value_type(use)
        if path[-1] in FUNCTIONS and (outside is MISSING or (callable(outside) and not isinstance(outside, FunctionType))):
            return BuiltinUse(path[-1].removeprefix(".")), None
        text = ".".join(path)
        if outside is not MISSING:
            what = type(outside).__name__
            hint = ("hint: decorate it with @fun",) if what == "function" else ()
            raise PerceusError(f"{text} is a Python {what}, not part of the program", span=node.span, notes=hint, code="E711")
        known = {*env, *self.constructor_names(), *FUNCTIONS, *self._definitions()}
        notes = (f"hint: {INSTEAD[text]}",) if text in INSTEAD else ()
        raise unknown(text, "name", {each for each in known if "." not in each}, node.span, notes)

    def _definitions(self) -> set[str]:
        return {name for name in self.scope.names() if definition(self.scope.get(name)) is not None}

    def _definition(self, found: object, want: Type, span: Span) -> Use | None:
        match definition(found):
            case FunDef() as fun:
                own = signature(fun)
                types = tuple(Meta() for _ in own.typevars)
                for name, type_ in zip(own.typevars, types, strict=True):
                    if name in own.ordered:
                        message = f"{fun.name} needs an order of its {name}, which {{}} does not have"
                        self.demand(type_, is_ordered, message, span, why_not_ordered)
                return FunUse(fun, types)
            case ForeignDef() as foreign:
                return ForeignUse(foreign)
            case ExceptionDef(name=name):
                raise PerceusError(f"{name} is an exception; it stands behind raise or except", span=span, code="E712")
            case DataDef() as data:
                same = [con for con in constructors(data) if con.name == data.name]
                if same:
                    return self._constructor_use(same[0], span)
                raise PerceusError(f"{data.name} is a type, not a value", span=span, code="E712")
            case None:
                pass
        if isinstance(found, bool | int | float | str):
            return ConstantUse(found)
        if isinstance(found, PrimDef):
            return PrimUse(found, tuple(Meta() for _ in found.typevars))
        if isinstance(found, Procedure):
            return KernelUse(found, kernel_signature(found, span).written)
        if isinstance(found, NotEmpty):
            return KernelUse(found.kernel, kernel_signature(found.kernel, span).written, may_be_empty=False)
        return None

    def _constructor_use(self, con: ConDef, span: Span) -> ConUse:
        require_open(con.data, self.scope, span)
        return ConUse(con, tuple(Meta() for _ in con.data.typevars))

    def _value_type(self, use: Use) -> Type | None:
        """The type of what is used as a value; that of a constructor with fields is its type as a function."""
        match use:
            case FunUse(fun=fun, types=types):
                own = signature(fun)
                named = dict(zip(own.typevars, types, strict=True))
                params = tuple(substitute(param, named) for param in own.params)
                return function(params, substitute(own.result, named))
            case ForeignUse(foreign=foreign):
                return function(signature(foreign).params, signature(foreign).result)
            case ConUse(con=con, types=types):
                named = dict(zip(con.data.typevars, types, strict=True))
                result = App(con.data, types)
                return function(tuple(substitute(each, named) for each in con.fields), result) if con.fields else result
            case ConstantUse(value=value):
                return self.literal_type(value)
            case PrimUse(prim=prim, types=types):
                named = dict(zip(prim.typevars, types, strict=True))
                return function(tuple(substitute(each, named) for each in prim.params), substitute(prim.result, named))
            case _:
                return None

    @abstractmethod
    def literal_type(self, value: int | float | bool | str) -> Type:
        """The type of a Python constant."""

    def value_name(self, node: sx.Name | sx.Attribute, path: Sequence[str], want: Type, env: Env) -> None:
        """A name that stands for a value."""
        use, type_ = self.name(node, path, want, env)
        if type_ is None:
            raise PerceusError(f"{path[-1]} can only be called", span=node.span, code="E712")
        if isinstance(use, ForeignUse):
            hint = "hint: wrap it in a lambda"
            raise PerceusError(
                f"the foreign function {path[-1]} can only be called", span=node.span, notes=(hint,), code="E712"
            )
        if isinstance(use, ConUse) and use.con.fields and not _may_be_function(want):
            raise PerceusError(f"{use.con.name} takes {count_of(len(use.con.fields))}", span=node.span, code="E713")
        self.typed.uses[node] = use
        self.expect(want, type_, node.span)

    # -- calls

    def call(self, node: sx.Call, want: Type, env: Env) -> None:
        """A call of anything."""
        path = static_path(node.function, env)
        if path is None:
            if isinstance(node.function, sx.Attribute):
                self._method(node, node.function, want, env)
            else:
                self._closure(node, want, env)
            return
        callee = node.function
        assert isinstance(callee, sx.Name | sx.Attribute)
        use, type_ = self.name(callee, path, want, env)
        self.typed.uses[callee] = use
        if node.keywords and isinstance(use, LocalUse | BuiltinUse | KernelUse):
            arranged(node, path[-1], (), ())
        match use:
            case LocalUse():
                self._closure(node, want, env)
            case BuiltinUse(name=name):
                self._builtin(name, node, want, env)
            case KernelUse(kernel=kernel):
                own = kernel_signature(kernel, node.span)
                arranged(node, kernel.name(), [str(i) for i in range(len(own.params))], ())
                for arg, param in zip(node.args, own.params, strict=True):
                    self._kernel_argument(arg, param, env)
                self.expect(want, own.result, node.span)
            case _:
                if isinstance(use, ConUse) and not use.con.fields:
                    hint = f"hint: in expressions it is written without parentheses: {use.con.name}"
                    raise PerceusError(f"{use.con.name} has no fields", span=node.span, notes=(hint,), code="E713")
                found = resolve(type_) if type_ is not None else None
                if not isinstance(found, App) or found.head != FUNCTION:
                    raise PerceusError(f"{path[-1]} is no function", span=node.span, code="E712")
                *params, result = found.args
                self._in_order(node, path[-1], use, params, result, want, env)

    def of_module(
        self, node: sx.Expr, name: str, owner: Type, args: tuple[sx.Expr, ...], want: Type, env: Env, *, last: bool = False
    ) -> bool:
        """Whether owner is a data type whose module has a public function of this name that takes a value of it first. Then
        node is a call of it; the value has been checked, and is the first of args, or of two the last."""
        fun = function_of(owner, name)
        if fun is None:
            return False
        use = self._definition(fun, want, node.span)
        assert isinstance(use, FunUse)
        type_ = resolve(self._value_type(use) or want)
        assert isinstance(type_, App)
        *params, result = type_.args
        call = sx.Call(sx.Name(name, span=node.span), args, node.keywords if isinstance(node, sx.Call) else (), span=node.span)
        self.typed.calls[node] = call
        self.typed.types[call] = want
        self.typed.uses[call.function] = use
        if last and len(params) == 2:
            self.typed.arguments[call] = (1, 0)
            params = params[::-1]
        self._in_order(call, name, use, params, result, want, env, {int(last): owner})
        return True

    def _in_order(
        self,
        node: sx.Call,
        name: str,
        use: Use,
        params: Sequence[Type],
        result: Type,
        want: Type,
        env: Env,
        known: Mapping[int, Type] = MappingProxyType({}),
    ) -> None:
        """A call whose parameters have names, of which some may have defaults. known: the types of arguments that have been
        checked."""
        names = _parameter_names(use) or (tuple(str(i) for i in range(len(params))) if not node.keywords else ())
        missing = defaults(use.fun) if isinstance(use, FunUse) else {}
        order = arranged(node, name, names, missing)
        # The result first: what the context wants tells the types of the arguments.
        self.expect(want, result, node.span)
        given = [(each, param) for each, param in zip(order, params, strict=True) if isinstance(each, int)]
        for each, param in given:
            if each in known:
                self.expect(param, known[each], node.args[each].span)
        given = [(each, param) for each, param in given if each not in known]
        for arg, param in functions_last([node.args[each] for each, _ in given], [param for _, param in given]):
            self.check(arg, param, env)
        if order != tuple(range(len(node.args))):
            self.typed.arguments[node] = tuple(
                each if isinstance(each, int) else self._default_use(missing[each], use) for each in order
            )

    def _default_use(self, fun: FunDef, of: Use) -> FunUse:
        """The function of a default, of whose type variables it has some."""
        assert isinstance(of, FunUse)
        named = dict(zip(signature(of.fun).typevars, of.types, strict=True))
        return FunUse(fun, tuple(named[name] for name in signature(fun).typevars))

    def _arguments(self, node: sx.Call, name: str, params: Sequence[Type], env: Env) -> None:
        arranged(node, name, [str(i) for i in range(len(params))] if not node.keywords else (), ())
        for arg, param in functions_last(node.args, params):
            self.check(arg, param, env)

    def _kernel_argument(self, node: sx.Expr, param: Type, env: Env) -> None:
        """An array, or a part of one: `x[i:j]`."""
        if not is_part(node) or not (isinstance(param, App) and param.head == ARRAY):
            self.check(node, param, env)
            return
        array, first, last = node.args
        self.typed.types[node] = param
        self.typed.uses[node.function] = BuiltinUse("slice")
        self.check(array, param, env)
        self.check(first, I64, env)
        self.check(last, I64, env)

    def _closure(self, node: sx.Call, want: Type, env: Env) -> None:
        if node.keywords:
            arranged(node, "the function", (), ())
        found = self.infer(node.function, env)
        if isinstance(found, Meta):
            args = tuple(self.infer(arg, env) for arg in node.args)
            self.expect(function(args, want), found, node.span)
            return
        self._called(node, found, want, env)

    def _called(self, node: sx.Call, found: Type, want: Type, env: Env) -> None:
        """A call of a value of type found."""
        if not isinstance(found, App) or found.head != FUNCTION:
            raise PerceusError(f"a value of type {show(found)} cannot be called", span=node.function.span, code="E712")
        *params, result = found.args
        self.expect(want, result, node.span)
        self._arguments(node, "the function", params, env)

    def _method(self, node: sx.Call, method: sx.Attribute, want: Type, env: Env) -> None:
        owner = self.infer(method.owner, env)
        if owner == STR:
            self._of_string(node, method, want, env)
            return
        if isinstance(owner, App) and isinstance(owner.head, DataDef):
            args = (method.owner, *node.args)
            if owner.head.abstract and self.of_module(node, method.name, owner, args, want, env):
                return
            if method.name == "set":
                self.update(node, method, owner, want, env)
            elif not has_field(owner.head, method.name):
                if not self.of_module(node, method.name, owner, args, want, env):
                    raise missing(owner, method.name, method.span, self.scope, called=True)
            else:
                found = self.field(method, owner)
                self.typed.types[method] = found
                self._called(node, resolve(found), want, env)
            return
        if method.name == "value":
            content = Meta()
            self.expect(owner, App(REF, (content,)), method.owner.span)
            self.typed.types[method] = content
            self._called(node, resolve(content), want, env)
            return
        known = isinstance(owner, App) and owner.head in (ARRAY, REF)
        cell = owner.head == REF if isinstance(owner, App) else len(node.args) < ARRAY_METHODS.get(method.name, 0)
        counts = CELL_METHODS if cell else ARRAY_METHODS
        if method.name not in counts or not (known or isinstance(owner, Meta)):
            raise missing(owner, method.name, method.span, self.scope, called=True)
        elem = Meta()
        self.expect(owner, App(REF if cell else ARRAY, (elem,)), method.owner.span)
        changed = function((elem,), elem)
        given: tuple[Type, ...] = (
            () if method.name in ("take", "pop", "truncate") else (changed if method.name == "modify" else elem,)
        )
        result: Type = UNIT if method.name == "modify" else elem
        if not cell:
            given = given if method.name in ("append", "pop") else (I64, *given)
            result = App(TUPLE, (owner, elem)) if method.name in ("swap", "take", "pop") else owner
        self.expect(want, result, node.span)
        self.typed.uses[method] = BuiltinUse(f"{'cell' if cell else 'array'}.{method.name}")
        self._arguments(node, method.name, given, env)

    def attribute(self, node: sx.Attribute, want: Type, env: Env) -> None:
        """`r.value`, `p.x`, or the dotted name of a value."""
        path = static_path(node, env)
        if path is not None:
            self.value_name(node, path, want, env)
            return
        owner = self.infer(node.owner, env)
        if isinstance(owner, App) and isinstance(owner.head, DataDef):
            self.expect(want, self.field(node, owner), node.span)
            return
        if node.name != "value" or (isinstance(owner, App) and owner.head != REF):
            raise missing(owner, node.name, node.span, self.scope)
        content = Meta()
        self.expect(owner, App(REF, (content,)), node.owner.span)
        self.expect(want, content, node.span)

    # -- strings

    def _of_string(self, node: sx.Call, method: sx.Attribute, want: Type, env: Env) -> None:
        """A method of a string, which is a function of the library that gets it as its first argument."""
        name = method.name
        if name not in METHODS:
            raise unknown(name, "method of str", METHODS, method.span)
        if node.keywords or len(node.args) not in METHODS[name]:
            counts = " or ".join(map(str, METHODS[name]))
            raise PerceusError(f"{name} takes {counts} arguments, {len(node.args)} given", span=node.span, code="E713")
        if name == "find":
            self.typed.uses[method] = PrimUse(PRIMITIVES["find"])
            params, result = PRIMITIVES["find"].params, PRIMITIVES["find"].result
        else:
            if name == "join":
                fun = join_of(self._parts(node.args[0], env))
            else:
                fun = strings()["words" if name == "split" and not node.args else name]
            own = signature(fun)
            self.typed.uses[method] = FunUse(fun, ())
            params, result = own.params, own.result
        self.expect(want, result, node.span)
        given = node.args if name != "join" else ()
        for arg, param in zip(given, params[1:], strict=False):
            self.check(arg, param, env)

    def _parts(self, node: sx.Expr, env: Env) -> DataDef | None:
        """The list type of what is joined, None for an array."""
        found = self.infer(node, env)
        parts = list_type(found)
        if parts is not None:
            self.expect(STR, parts.element, node.span)
            return parts.cons.data
        self.expect(App(ARRAY, (STR,)), found, node.span)
        return None

    # -- built-in operations

    def _builtin(self, name: str, node: sx.Call, want: Type, env: Env) -> None:
        if name in CONVERSIONS:
            self._one(name, node)
            found = self.infer(node.args[0], env)
            message = f"{name} converts numbers, bools and enumerations, not {{}}"
            self.demand(
                found, lambda type_: is_number(type_) or type_ == BOOL or is_enumeration(type_), message, node.args[0].span
            )
            self.expect(want, App(name), node.span)
            return
        match name:
            case "range":
                self._range(node, want, env)
            case "print":
                for arg in node.args:
                    self._showable(arg, env)
                self.expect(want, UNIT, node.span)
            case "str" | "repr":
                self._one(name, node)
                self._showable(node.args[0], env)
                self.expect(want, STR, node.span)
            case "slice":
                text, *places = node.args
                found = self.infer(text, env)
                if isinstance(found, App) and found.head == ARRAY:
                    hint = "hint: a @proc can be given a part: f(n, x[i:j])"
                    message = "a part of an array is only an argument of a @proc"
                    raise PerceusError(message, span=node.span, notes=(hint,), code="E712")
                self.expect(STR, found, text.span)
                for place in places:
                    self.check(place, I64, env)
                self.expect(want, STR, node.span)
            case "in":
                self._in(node, want, env)
            case "format":
                self._formatted(node, want, env)
            case "hash":
                self._one(name, node)
                self.demand(self.infer(node.args[0], env), is_plain, HASHED, node.span, why_not)
                self.expect(want, App("u64"), node.span)
            case "int" | "float":
                self._one(name, node)
                found = self.infer(node.args[0], env)
                self.demand(found, can_add, f"{name} takes a string or a number, not {{}}", node.args[0].span)
                self.expect(want, I64 if name == "int" else F64, node.span)
            case "ord" | "chr":
                self._arguments(node, name, (STR if name == "ord" else I64,), env)
                self.expect(want, I64 if name == "ord" else STR, node.span)
            case "len":
                self._one(name, node)
                found = self.infer(node.args[0], env)
                if self.of_module(node, "size", found, node.args, want, env):
                    return
                self.demand(found, _has_length, NO_LENGTH, node.args[0].span)
                self.expect(want, I64, node.span)
            case "abs" | "pow":
                self._arguments(node, name, (want,) * (1 if name == "abs" else 2), env)
                self.demand(want, is_number, f"{name} takes numbers, not {{}}", node.span)
            case "min" | "max":
                if len(node.args) < 2:
                    raise PerceusError(f"{name} takes 2 or more arguments", span=node.span, code="E713")
                self._arguments(node, name, (want,) * len(node.args), env)
                self.demand(want, is_ordered, f"{name} {COMPARED}", node.span, why_not_ordered)
            case _ if name in MATH:
                self._arguments(node, name, (want,) * MATH[name], env)
                self.demand(want, is_float, f"{name} takes {'a float' if MATH[name] == 1 else 'floats'}, not {{}}", node.span)
            case "array":
                elem = Meta()
                self.expect(want, App(ARRAY, (elem,)), node.span)
                self._arguments(node, name, (I64, elem), env)
            case "ref":
                content = Meta()
                self.expect(want, App(REF, (content,)), node.span)
                self._arguments(node, name, (content,), env)
            case "join":
                self._arguments(node, name, (App(THREAD, (want,)),), env)
            case "spawn":
                self._spawn(node, want, env)
            case "must_reuse":
                self._one(name, node)
                self._must_reuse(node.args[0], want, env)
            case _:
                raise AssertionError(name)

    def _in(self, node: sx.Call, want: Type, env: Env) -> None:
        part, whole = node.args
        found = self.infer(whole, env)
        if self.of_module(node, "contains", found, node.args, want, env, last=True):
            return
        if found != STR:
            message = f"in looks into strings, and data types whose module has contains, not into a value of type {show(found)}"
            raise PerceusError(message, span=whole.span, code="E723")
        self.check(part, STR, env)
        self.expect(want, BOOL, node.span)

    def _formatted(self, node: sx.Call, want: Type, env: Env) -> None:
        value, spec = node.args
        assert isinstance(spec, sx.Literal) and isinstance(spec.value, str)
        shape = format_of(spec.value, spec.span)
        found = self.infer(value, env)
        if shape.kind in FLOAT_KINDS:
            self.demand(found, is_number, f"the format {spec.value} is one of numbers, not {{}}", value.span)
        elif shape.kind in INTEGER_KINDS:
            self.demand(found, is_integer, f"the format {spec.value} is one of integers, not {{}}", value.span)
        elif shape.kind == "s":
            self.demand(found, is_string, f"the format {spec.value} is one of strings, not {{}}", value.span)
        else:
            self._showable_type(found, value.span)
        self.check(spec, STR, env)
        self.expect(want, STR, node.span)

    def _range(self, node: sx.Call, want: Type, env: Env) -> None:
        """The limit of a range, or the number of rounds of one with a first number, a limit and a step."""
        if "range" in env or definition(lookup(("range",), self.scope)) is not None:
            hint = "hint: give what the program calls range another name"
            raise PerceusError("for i in range(...) counts here", span=node.span, notes=(hint,), code="E712")
        first, *others = node.args
        type_ = self.infer(first, env)
        for arg in others:
            self.check(arg, type_, env)
        self.demand(type_, is_integer, "range counts integers, not {}", node.span)
        self.expect(want, App("u64") if others else type_, node.span)

    def _one(self, name: str, node: sx.Call) -> None:
        if len(node.args) != 1:
            raise PerceusError(f"{name} takes 1 argument, {len(node.args)} given", span=node.span, code="E713")

    def _showable(self, node: sx.Expr, env: Env) -> None:
        self._showable_type(self.infer(node, env), node.span)

    def _showable_type(self, found: Type, span: Span) -> None:
        self.demand(found, is_plain, SHOWN, span, why_not)

    def _spawn(self, node: sx.Call, want: Type, env: Env) -> None:
        if not node.args:
            raise PerceusError("spawn takes a function and its arguments", span=node.span, code="E713")
        result = Meta()
        self.expect(want, App(THREAD, (result,)), node.span)
        work, *args = node.args
        types = tuple(self.infer(arg, env) for arg in args)
        self.check(work, function(types, result), env)

    def _must_reuse(self, node: sx.Expr, want: Type, env: Env) -> None:
        self.check(node, want, env)
        if not (isinstance(node, sx.Call) and isinstance(self.typed.uses.get(node.function), ConUse)):
            raise PerceusError("must_reuse takes a constructor with fields", span=node.span, code="E712")


def static_path(node: sx.Expr, env: Env) -> tuple[str, ...] | None:
    """The parts of a name or dotted name whose first is not a variable; a variable alone is a path too."""
    match node:
        case sx.Name(name=name):
            return (name,)
        case sx.Attribute(owner=owner, name=name):
            path = static_path(owner, env)
            return None if path is None or path[0] in env else (*path, name)
        case _:
            return None


def _may_be_function(type_: Type) -> bool:
    found = resolve(type_)
    return isinstance(found, Meta) or (isinstance(found, App) and found.head == FUNCTION)


def _has_length(type_: Type) -> bool:
    found = resolve(type_)
    return found == STR or (isinstance(found, App) and found.head == ARRAY)


def _parameter_names(use: Use) -> tuple[str, ...]:
    match use:
        case FunUse(fun=FunDef(syntax=syntax)) | ForeignUse(foreign=ForeignDef(syntax=syntax)) | NestedUse(function=syntax):
            return tuple(param.name for param in syntax.params)
        case ConUse(con=con):
            return con.names
        case _:
            return ()
