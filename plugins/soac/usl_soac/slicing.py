"""Parts of a function after elaboration: all of it with its sizes, its shape, its value; and a function cut into head and tail.

The shape has the code that the sizes of the results need, and tests only where they guard that; the value takes these sizes as
its first parameters. Head and tail are the function cut where its sizes are known: head gives them with the scalars and arrays
that the tail needs of it, so that nothing is computed twice. Reference: Henriksen 2014, §3.1.1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from usl_core.ir.sym import Sym
from usl_soac import core, failures
from usl_soac.building import Scope
from usl_soac.checking import Slice
from usl_soac.core import Atom, Body, Function, Param, Part, Statement, Type
from usl_soac.dead import always, can_fail
from usl_soac.elaborate import Elaborated
from usl_soac.scalars import I64
from usl_soac.sizes import Compare, Term, name, substitute
from usl_soac.slices import backward_slice
from usl_soac.traverse import Renaming, names_in_types, rename, used_by_body, used_by_statement, walk

Simplify = Callable[[Body], Body]


def size_params(function: Function) -> tuple[Param, ...]:
    """The sizes as parameters."""
    return tuple(Param(sym, Type(I64)) for sym in function.sizes)


def all_dims(done: Elaborated) -> list[Term]:
    """The dimensions of all results, in order."""
    return [dim for dims in done.dims for dim in dims]


def whole(done: Elaborated) -> Function:
    """`g_ext(sizes, arguments)`: all sizes of the results, then the results."""
    scope = Scope()
    scope.statements = list(done.body.statements)
    sizes = [scope.reify(dim) for dim in all_dims(done)]
    exists = tuple(Sym("k") for _ in sizes)
    names = iter(exists)
    arrays = [Type(typ.scalar, tuple(name(next(names)) for _ in typ.dims)) for typ in done.function.results]
    return replace(
        done.function,
        params=(*size_params(done.function), *done.function.params),
        exists=exists,
        results=(*(Type(I64) for _ in sizes), *arrays),
        body=scope.body([*sizes, *done.body.results], done.body.span),
        part=Part.EXT,
    )


def shape(done: Elaborated, simplify: Simplify) -> Slice:
    """`g_shape`: the code for the sizes, simplified, over what it needs."""
    scope = Scope()
    dims = all_dims(done)
    scope.statements = backward_slice(done.body.statements, {sym for dim in dims for sym in dim.names()})
    body = simplify(scope.body([scope.reify(dim) for dim in dims], done.body.span))
    needed = used_by_body(body)
    params = (*size_params(done.function), *done.function.params)
    used = [param for param in params if param.name in needed]
    mentioned = {sym for param in used for dim in param.type.dims if dim is not None for sym in dim.names()}
    return Slice(tuple(param for param in params if param.name in needed | mentioned), body)


def shape_function(function: Function, slice_: Slice) -> Function:
    """A shape as a function."""
    results = tuple(Type(I64) for _ in slice_.body.results)
    return replace(function, params=slice_.params, exists=(), results=results, body=slice_.body, part=Part.SHAPE)


def value(done: Elaborated, *, debug: bool = False) -> Function:
    """`g_value(sizes of the results, sizes, arguments)`: the results, of these sizes; with debug, these are tested."""
    function = done.function
    bound = {param.name for statement in done.body.statements for param in statement.pattern}
    lengths: list[Param] = []
    shapes: list[tuple[Term, ...]] = []
    renamed: dict[Sym, Atom] = {}
    for dims in done.dims:
        shape_ = []
        for dim in dims:
            spelling = "res" if len(all_dims(done)) == 1 else f"res{len(lengths)}"
            lengths.append(Param(Sym(spelling), Type(I64)))
            shape_.append(name(lengths[-1].name))
            if dim.name is not None and dim.name in bound and dim.name not in renamed:
                # The size that the caller knows takes the place of the one that is computed here.
                renamed[dim.name] = lengths[-1].name
        shapes.append(tuple(shape_))
    body = _retyped(rename(done.body, renamed), function.results, shapes)
    return replace(
        function,
        params=(*lengths, *size_params(function), *function.params),
        exists=(),
        results=tuple(Type(typ.scalar, dims) for typ, dims in zip(function.results, shapes, strict=True)),
        body=_tested(body, done, lengths) if debug else body,
        part=Part.VALUE,
    )


def _tested(body: Body, done: Elaborated, lengths: list[Param]) -> Body:
    """The body with tests at its end that it computes the sizes which it was given."""
    scope = Scope()
    scope.statements = list(body.statements)
    site = failures.wrong_sizes(done.function.name, "its result", done.function.span)
    for length, dim in zip(lengths, all_dims(done), strict=True):
        scope.check(scope.compare(Compare("==", dim, name(length.name))), site)
    return replace(body, statements=tuple(scope.statements))


def _retyped(body: Body, types: Sequence[Type], shapes: Sequence[tuple[Term, ...]]) -> Body:
    """The body with results of these dimensions: in their definitions if these stand in it, else under other names."""
    statements = list(body.statements)
    results: list[Atom] = []
    done: set[Sym] = set()
    for atom, typ, dims in zip(body.results, types, shapes, strict=True):
        place = next((i for i, each in enumerate(statements) if atom in [param.name for param in each.pattern]), None)
        if not dims or not isinstance(atom, Sym):
            results.append(atom)
        elif place is None or atom in done:
            again = Param(atom.copy(), Type(typ.scalar, dims))
            statements.append(Statement((again,), core.Coerce(atom, dims, atom.name)))
            results.append(again.name)
        else:
            pattern = tuple(
                replace(param, type=Type(typ.scalar, dims)) if param.name is atom else param
                for param in statements[place].pattern
            )
            statements[place] = replace(statements[place], pattern=pattern)
            results.append(atom)
            done.add(atom)
    return replace(body, statements=tuple(statements), results=tuple(results))


def stage(whole: Function, *, tests_first: bool = False) -> tuple[Function, Function, int] | None:
    """Head and tail of a whole function, with the number of results of the head that are sizes; the tail needs the others.

    The tail takes all of these, then the parameters of the whole. With tests_first all that may fail is in the head. None where
    the function is recursive.
    """
    statements, count = whole.body.statements, len(whole.exists)
    if any(isinstance(each.value, core.Call) and each.value.function == whole.name for each in walk(whole.body)):
        return None
    sizes, results = whole.body.results[:count], whole.body.results[count:]
    roots = {atom for atom in sizes if isinstance(atom, Sym)}
    if tests_first:
        roots |= {param.name for each in statements if can_fail(each.value, always) for param in each.pattern}
    first = backward_slice(statements, roots)
    chosen = set(first)
    rest = [statement for statement in statements if statement not in chosen]
    needed = {sym for statement in rest for sym in used_by_statement(statement)}
    needed |= {atom for atom in results if isinstance(atom, Sym)}
    bound = [param for statement in first for param in statement.pattern]
    # The size that the caller knows takes the place of the one that is computed here.
    lengths = [Param(Sym("res"), Type(I64)) for _ in sizes]
    fresh: dict[Sym, Sym] = {}
    for atom, length in zip(sizes, lengths, strict=True):
        if isinstance(atom, Sym) and any(param.name is atom for param in bound):
            fresh.setdefault(atom, length.name)
    known = set(fresh)
    carried: list[Param] = []
    while len(carried) < len(found := [param for param in bound if param.name in needed and param.name not in known]):
        carried = found
        # The types of what is carried mention sizes, which are carried too.
        needed |= names_in_types(tuple(carried))
    head = replace(
        whole,
        exists=(),
        results=(*(Type(I64) for _ in sizes), *(param.type for param in carried)),
        body=Body(tuple(first), (*sizes, *(param.name for param in carried)), span=whole.body.span),
        part=Part.HEAD,
    )
    fresh.update((param.name, param.name.copy()) for param in carried)
    renaming = Renaming(fresh)
    named = dict(zip(whole.exists, (name(length.name) for length in lengths), strict=True))
    shapes = [tuple(substitute(dim, named) for dim in typ.dims if dim is not None) for typ in whole.results[count:]]
    types = [replace(typ, dims=dims) for typ, dims in zip(whole.results[count:], shapes, strict=True)]
    given = (replace(param, name=fresh[param.name], type=renaming.type(param.type)) for param in carried)
    tail = replace(
        whole,
        params=(*lengths, *given, *whole.params),
        exists=(),
        results=tuple(types),
        body=_retyped(rename(Body(tuple(rest), results, span=whole.body.span), fresh), types, shapes),
        part=Part.TAIL,
    )
    return head, tail, count
