"""Monomorphisation: each use of a generic function or type with other types is a copy of its own.

`Instances` keeps the copies of one program by name and a list of functions that are still to be lowered.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from usl_core import Procedure
from usl_core.errors import NOWHERE, Span
from usl_perceus import ir
from usl_perceus.errors import PerceusError
from usl_perceus.front.builtins import PYTHON
from usl_perceus.front.definitions import ConDef, DataDef, ExceptionDef, ForeignDef, FunDef, Look
from usl_perceus.front.effects import NOTHING, Effects
from usl_perceus.front.kernels import kernel_signature, may_fail
from usl_perceus.front.resolve import constructors, exception_fields, signature
from usl_perceus.front.types import (
    ARRAY,
    BOOL,
    FLOATS,
    FUNCTION,
    INTEGERS,
    REF,
    THREAD,
    TUPLE,
    App,
    Rigid,
    Type,
    function,
    show,
    substitute,
)
from usl_perceus.front.uniform import ANY, Contaminated, Uniform, mentions_any
from usl_perceus.show import show_type

Substitution = Mapping[str, Type]

LARGEST_VALUE = 4
"""Words of a data type that is kept as a struct; larger ones are boxed. Tuples are always structs."""

LARGEST_TYPE = 300
"""Parts of a type."""

_INTEGERS = {
    f"{sign}{bits}": ir.IntType(bits, signed) for sign, signed in (("i", True), ("u", False)) for bits in (8, 16, 32, 64)
}
_FLOATS = {"f32": ir.F32, "f64": ir.F64}


class Instances:
    """The types and the names of functions of one program."""

    def __init__(
        self, uniform: Uniform, first: Instances | None = None, effects: Effects = NOTHING, *, limited: bool = False
    ) -> None:
        """first: those of the same program made without knowing what may raise; effects: what may, by its types; limited:
        whether calls can be ended (`limits.py`)."""
        self.limited = limited
        self.uniform = uniform
        self.first = first
        self.where = NOWHERE
        """The function or data type that is being copied."""
        self.effects = effects
        self.datas: dict[str, ir.DataDecl] = {"bool": ir.BOOL_DECL}
        self.foreigns: dict[str, ir.ForeignDecl] = {}
        self.kernels: dict[str, ir.KernelDecl] = {}
        self.waiting: list[tuple[FunDef, tuple[Type, ...], str]] = []
        self._data_names: dict[App, str] = {}
        self._source_of: dict[str, App] = {}
        self._fun_names: dict[tuple[FunDef, tuple[Type, ...]], str] = {}
        self._others: dict[object, str] = {}
        self._taken: set[str] = set()
        self.tuples: set[str] = set()
        """The data types that are tuples."""
        self.outcomes: set[str] = set()
        """The data types that threads end with."""
        self.comparisons: dict[tuple[str, ir.Type], str] = {}
        """The functions that compare the values of a type (`derived.py`), by what they say and the type."""
        self.texts: dict[ir.Type, str] = {}
        """The functions that append the text of a value (`texts.py`)."""
        self.hashes: dict[ir.Type, str] = {}
        """The functions that mix a value into a hash (`hashing.py`)."""
        self._outside_names: dict[App, str] = {}
        self.outside: set[str] = set()
        """The data types of uniform form as callers from outside know them (`outside_type`)."""
        self._boxes: dict[ir.Type, ir.Con] = {}
        self.powers: dict[ir.IntType, str] = {}
        """The functions that raise integers of a type to a power (`powers.py`)."""
        self.of_python: set[ir.FunType] = set()
        """The types of functions that Python may give."""
        self.derived: list[ir.FunDef] = []
        """These functions."""
        self._exceptions: dict[ExceptionDef, ir.Con] = {}
        self._types: dict[App, ir.Type] = {}

    def fresh(self, name: str) -> str:
        """name, or name with a number if it is taken."""
        chosen, number = name, 2
        while chosen in self._taken:
            chosen, number = f"{name}'{number}", number + 1
        self._taken.add(chosen)
        return chosen

    # -- types

    def type(self, type_: Type, named: Substitution) -> ir.Type:
        """The monomorphic type; named says what the type variables stand for."""
        closed = substitute(type_, named) if named else type_
        assert isinstance(closed, App), closed
        self._require_small(closed)
        known = self._types.get(closed)
        if known is None:
            known = self._types[closed] = self._type(closed)
        return known

    def _require_small(self, type_: Type) -> None:
        """Only a type or function that uses itself with ever larger type arguments has types so large."""
        waiting, count = [type_], 0
        while waiting:
            count += 1
            if count > LARGEST_TYPE:
                raise PerceusError("types grow without end here", span=self.where, notes=(_FINITE,), code="E727")
            top = waiting.pop()
            if isinstance(top, App):
                waiting.extend(top.args)

    def _type(self, type_: App) -> ir.Type:
        match type_:
            case App(head=str() as head) if head in INTEGERS:
                return _INTEGERS[head]
            case App(head=str() as head) if head in FLOATS:
                return _FLOATS[head]
            case App(head="bool"):
                return ir.BOOL
            case App(head="str"):
                return ir.STR
            case App(head="exception"):
                return ir.EXN
            case App(head="None"):
                return ir.UNIT
            case App(head="any"):
                self.datas.setdefault("any", ir.ANY_DECL)
                return ir.ANY
            case App(head=head, args=(*params, result)) if head == FUNCTION:
                throws = self.first is not None and self.first.type(type_, {}) in self.effects.closures
                return ir.FunType(tuple(self.type(param, {}) for param in params), self.type(result, {}), throws)
            case App(head=head, args=(item,)) if head in (REF, ARRAY, THREAD) and mentions_any(item):
                message = f"{head} of a type variable of a function or type that uses itself at ever larger types"
                raise PerceusError(message, span=self.where, notes=(*_NO_FORM, "hint: use a list"), code="E727")
            case App(head=head, args=(item,)) if head == REF:
                return ir.RefType(self.type(item, {}))
            case App(head=head, args=(item,)) if head == ARRAY:
                return ir.ArrayType(self.type(item, {}))
            case App(head=head, args=(item,)) if head == THREAD:
                quiet = self.first is not None and self.first.type(type_, {}) not in self.effects.threads
                return ir.ThreadType(self.type(item, {}) if quiet else ir.DataType(self._outcome(item)))
            case App(head=head) if head == TUPLE:
                return ir.DataType(self._tuple(type_))
            case App():
                return ir.DataType(self._data(type_))

    def _tuple(self, type_: App) -> str:
        if type_ not in self._data_names:
            name = self._data_names[type_] = self.fresh(show(type_))
            self.tuples.add(name)
            fields = tuple((str(i), self.type(arg, {})) for i, arg in enumerate(type_.args))
            self.datas[name] = ir.DataDecl(name, (ir.Con(name, "tuple", 0, fields),), ir.Layout.VALUE)
        return self._data_names[type_]

    def _outcome(self, item: Type) -> str:
        """What a thread ends with: a value or an exception."""
        key = App("outcome", (item,))
        if key not in self._data_names:
            name = self._data_names[key] = self.fresh(f"outcome[{show(item)}]")
            self.outcomes.add(name)
            returned = ir.Con(name, "Returned", 0, (("value", self.type(item, {})),))
            raised = ir.Con(name, "Raised", 1, (("exception", ir.EXN),))
            self.datas[name] = ir.DataDecl(name, (returned, raised), ir.Layout.BOXED)
        return self._data_names[key]

    def outcome(self, type_: ir.Type) -> tuple[ir.Con, ir.Con] | None:
        """The constructors Returned and Raised of what a thread of this type ends with; None if it never raises."""
        assert isinstance(type_, ir.ThreadType)
        if isinstance(type_.result, ir.DataType) and type_.result.name in self.outcomes:
            returned, raised = self.datas[type_.result.name].cons
            return returned, raised
        return None

    def tuple_con(self, type_: ir.Type) -> ir.Con:
        """The constructor of a tuple type."""
        assert isinstance(type_, ir.DataType)
        return self.datas[type_.name].cons[0]

    # -- the form that all types share (`uniform.py`)

    def common(self, type_: ir.Type) -> ir.Type | None:
        """The form in which a tuple or function is boxed, with boxes for its parts; None for other types."""
        match type_:
            case ir.DataType(name=name) if name in self.tuples:
                return self.type(App(TUPLE, (ANY,) * len(self.tuple_con(type_).fields)), {})
            case ir.FunType(params=params):
                return self.type(function((ANY,) * len(params), ANY), {})
            case _:
                return None

    def box(self, type_: ir.Type) -> ir.Con:
        """The constructor of a block around a value."""
        if type_ not in self._boxes:
            name = self.fresh(f"box[{show_type(type_)}]")
            self._boxes[type_] = ir.Con(name, "Box", 0, (("0", type_),))
            self.datas[name] = ir.DataDecl(name, (self._boxes[type_],), ir.Layout.BOXED)
        return self._boxes[type_]

    def outside_type(self, type_: Type, span: Span) -> ir.Type:
        """The type of a parameter or result of a function that is called from outside. One of uniform form has a name of its
        own, because the form does not tell what it is made of.

        Raises:
            PerceusError: such a type is a part of this one.
        """
        own = self.type(type_, {})
        if ir.ANY not in self._reached(own):
            return own
        assert isinstance(type_, App)
        if type_ in self._outside_names:
            return ir.DataType(self._outside_names[type_])
        if type_.head == TUPLE:
            parts = tuple(("0", self.outside_type(arg, span)) for arg in type_.args)
            return self._outside(type_, (("tuple", parts),), ir.Layout.VALUE)
        if isinstance(type_.head, DataDef) and self.uniform.positions(type_.head):
            assert isinstance(own, ir.DataType)
            return self._outside(type_, [(con.name, con.fields) for con in self.datas[own.name].cons], ir.Layout.BOXED)
        hint = "hint: functions that are called from outside take and give such values themselves, or tuples of them"
        message = f"{show(type_)} has parts whose form only the program knows"
        raise PerceusError(message, span=span, notes=(hint,), code="E728")

    def is_uniform(self, type_: Type) -> bool:
        """Whether a value of the type may contain one of a form that does not tell its type."""
        return ir.ANY in self._reached(self.type(type_, {}))

    def _outside(self, type_: App, cons: Sequence[tuple[str, tuple[tuple[str, ir.Type], ...]]], layout: ir.Layout) -> ir.Type:
        name = self._outside_names[type_] = self.fresh(show(type_))
        made = tuple(ir.Con(name, con, tag, fields) for tag, (con, fields) in enumerate(cons))
        self.datas[name] = ir.DataDecl(name, made, layout)
        (self.tuples if layout is ir.Layout.VALUE else self.outside).add(name)
        return ir.DataType(name)

    def opaque(self) -> Mapping[str, object]:
        """The data types of uniform form, and abstract ones, into which callers from outside cannot look, each with what two
        programs must agree on to exchange values of it; None if values stay in their program."""
        found: dict[str, object] = {}
        for type_, name in self._data_names.items():
            if isinstance(type_.head, DataDef) and self.uniform.positions(type_.head):
                found[name] = None
            elif isinstance(type_.head, DataDef) and type_.head.abstract:
                found[name] = self.uniform.agreement(type_)
        found.update(
            (name, self.uniform.agreement(type_)) for type_, name in self._outside_names.items() if name in self.outside
        )
        return found

    def _reached(self, type_: ir.Type) -> set[ir.Type]:
        """The types of what a value of a type may contain, or is called with."""
        seen, waiting = {type_}, [type_]
        while waiting:
            match waiting.pop():
                case ir.DataType(name=name) if name != "exn":
                    parts = {field for con in self.datas[name].cons for _, field in con.fields}
                case ir.RefType(elem=elem) | ir.ArrayType(elem=elem) | ir.ThreadType(result=elem):
                    parts = {elem}
                case ir.FunType(params=params, result=result):
                    parts = {*params, result}
                case _:
                    parts = set()
            waiting.extend(parts - seen)
            seen |= parts
        return seen

    def _data(self, type_: App) -> str:
        data = type_.head
        assert isinstance(data, DataDef)
        uniform = self.uniform.positions(data)
        for i, arg in enumerate(type_.args):
            if i not in uniform and mentions_any(arg):
                raise Contaminated(data, i)
        type_ = App(data, self.uniform.normal(data, type_.args))
        if type_ in self._data_names:
            return self._data_names[type_]
        name = self._data_names[type_] = self.fresh(show(type_))
        self._source_of[name] = type_
        named = dict(zip(data.typevars, type_.args, strict=True))
        outer, self.where = self.where, data.span
        cons = []
        for con in constructors(data):
            fields = tuple((str(i), self.type(field, named)) for i, field in enumerate(con.fields))
            cons.append(ir.Con(name, con.name, con.tag, fields))
        self.where = outer
        layout = self._layout(name, cons)
        if layout is ir.Layout.VALUE and uniform:
            layout = ir.Layout.BOXED
        self.datas[name] = ir.DataDecl(name, tuple(cons), layout, data.span)
        return name

    def _layout(self, name: str, cons: Sequence[ir.Con]) -> ir.Layout:
        if all(not con.fields for con in cons):
            return ir.Layout.ENUM
        if len(cons) == 1 and not self._mentions(name, cons) and self._words(cons[0]) <= LARGEST_VALUE:
            return ir.Layout.VALUE
        return ir.Layout.BOXED

    def _mentions(self, name: str, cons: Sequence[ir.Con]) -> bool:
        """Whether a value may contain another of its type. A type still being made is part of such a circle."""
        seen: set[str] = set()
        waiting = [type_ for con in cons for _, type_ in con.fields]
        while waiting:
            type_ = waiting.pop()
            match type_:
                case ir.DataType(name=inner):
                    if inner == name or inner not in self.datas:
                        return True
                    if inner not in seen:
                        seen.add(inner)
                        waiting.extend(field for con in self.datas[inner].cons for _, field in con.fields)
                case ir.RefType(elem=elem) | ir.ArrayType(elem=elem):
                    waiting.append(elem)
                case _:
                    continue
        return False

    def _words(self, con: ir.Con) -> int:
        total = 0
        for _, type_ in con.fields:
            if isinstance(type_, ir.DataType) and self.datas[type_.name].layout is ir.Layout.VALUE:
                total += self._words(self.datas[type_.name].cons[0])
            else:
                total += 0 if type_ == ir.UNIT else 1
        return total

    def con(self, con: ConDef, types: Sequence[Type]) -> ir.Con:
        """A constructor with the type arguments of its data type."""
        return self.datas[self._data(App(con.data, tuple(types)))].cons[con.tag]

    # -- exceptions

    def called_python(self, type_: ir.Type) -> None:
        """Notes that functions of this type may be Python's, and may raise what Python raises."""
        assert isinstance(type_, ir.FunType)
        self.of_python.add(type_)
        self.exception(PYTHON)

    def exception(self, exception: ExceptionDef) -> ir.Con:
        """The constructor of an exception; exceptions are numbered as they are met."""
        if exception not in self._exceptions:
            fields = tuple((str(i), self.type(field, {})) for i, field in enumerate(exception_fields(exception)))
            name = exception.name
            taken = {con.name for con in self._exceptions.values()}
            while name in taken:
                name += "'"
            self._exceptions[exception] = ir.Con("exn", name, len(self._exceptions), fields)
        return self._exceptions[exception]

    def exceptions(self) -> Mapping[ir.Con, ExceptionDef]:
        """The exceptions of the program by their constructors."""
        return {con: exception for exception, con in self._exceptions.items()}

    def sources(self) -> Mapping[str, App]:
        """The types of the source that the data types stand for; there are none for the outcomes of threads."""
        names = {**self._data_names, **self._outside_names}
        return {"bool": BOOL, **{name: type_ for type_, name in names.items() if name not in self.outcomes}}

    def finished_datas(self) -> dict[str, ir.DataDecl]:
        """All data types, that of exceptions included."""
        return {**self.datas, "exn": ir.DataDecl("exn", tuple(self._exceptions.values()), ir.Layout.BOXED)}

    # -- functions

    def function(self, fun: FunDef, types: tuple[Type, ...]) -> str:
        """The name of a copy of fun for these types."""
        for type_ in types:
            self._require_small(type_)
        types = self.uniform.normal(fun, types)
        key = (fun, types)
        if key not in self._fun_names:
            name = f"{fun.name}[{', '.join(map(show, types))}]" if types else fun.name
            self._fun_names[key] = self.fresh(name)
            self.waiting.append((fun, types, self._fun_names[key]))
        return self._fun_names[key]

    def form(self, fun: FunDef, types: tuple[Type, ...]) -> tuple[tuple[ir.Type, ...], ir.Type]:
        """The parameters and the result of the copy of fun for these types, in the form that it has them."""
        own = signature(fun)
        named = dict(zip(own.typevars, self.uniform.normal(fun, types), strict=True))
        return tuple(self.type(param, named) for param in own.params), self.type(own.result, named)

    def own(self, look: Look, type_: ir.Type) -> str | None:
        """The name of the function that looks so at values of a data type, if the program has one of its own."""
        source = self._source_of.get(type_.name) if isinstance(type_, ir.DataType) else None
        if source is None or not isinstance(source.head, DataDef) or look not in source.head.own:
            return None
        fun = source.head.own[look]
        last = signature(fun).params[-1]
        assert isinstance(last, App)
        named = {each.name: arg for each, arg in zip(last.args, source.args, strict=True) if isinstance(each, Rigid)}
        return self.function(fun, tuple(named[name] for name in signature(fun).typevars))

    def foreign(self, foreign: ForeignDef) -> str:
        """The name of a foreign function."""
        if foreign not in self._others:
            own = signature(foreign)
            name = self._others[foreign] = self.fresh(foreign.name)
            params = tuple(self.type(param, {}) for param in own.params)
            result = self.type(own.result, {})
            self.foreigns[name] = ir.ForeignDecl(
                name, foreign.symbol, params, own.borrowed, result, foreign.header, span=foreign.span
            )
        return self._others[foreign]

    def kernel(self, kernel: Procedure, parts: tuple[int, ...] = ()) -> str:
        """The name of a kernel that gets parts of the arrays at these positions."""
        key = (kernel, parts) if parts else kernel
        if key not in self._others:
            own = kernel_signature(kernel, NOWHERE)
            name = self._others[key] = self.fresh(kernel.name())
            params = (*(self.type(param, {}) for param in own.params), *(ir.I64 for _ in parts for _ in range(2)))
            result = self.type(own.result, {})
            written = tuple(position in own.written for position in range(len(params)))
            con = self.tuple_con(result) if len(own.written) > 1 else None
            self.kernels[name] = ir.KernelDecl(name, params, written, con, kernel, may_fail(kernel), parts)
        return self._others[key]


_FINITE = "it uses itself with ever larger type arguments, and each use with other types is compiled on its own"
_NO_FORM = (
    "there would be no end of copies for each type, so that such variables are kept in a form that arrays, cells and",
    "threads do not have",
)
