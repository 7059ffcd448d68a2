"""The interpreter of the sized core: that of the core, and proof that tests guard everything that can fail.

An operation that fails although its statement's tests have passed, a dimension that is not what its type says, a slice that
computes another size than its function: each is `Unguarded`, a mistake of the compiler.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from usl_core.errors import Span
from usl_soac import core, failures
from usl_soac.core import Expr, Failure, Function, Part, Program, Statement, Type
from usl_soac.interp import Env, Interpreter, Value, dtype_of


class Unguarded(Exception):
    """The sized core failed where no test stands."""


class SizedInterpreter(Interpreter):
    """Runs parts of functions of one program after elaboration."""

    def __init__(self, program: Program, *, exact: bool = False, fuel: int | None = None) -> None:
        super().__init__(program, exact=exact, fuel=fuel)

    def whole(self, function: Function, args: Sequence[Value]) -> tuple[Value, ...]:
        """The results of a function by its whole part, which takes sizes and returns sizes first."""
        sizes, results = self._split(function, self.run(function, [*self._sizes(function, args), *args]))
        for size, found in zip(sizes, (each for value in results for each in np.shape(value)), strict=True):
            if size != found:
                raise Unguarded(f"{function.name} returns {size} as a size, its result has {found}")
        return results

    def apart(self, shape: Function, value: Function, args: Sequence[Value]) -> tuple[Value, ...]:
        """The results by shape and value."""
        whole = [*self._sizes(value, args), *args]
        names = [param.name for param in value.params[len(value.params) - len(whole) :]]
        given = dict(zip(names, whole, strict=True))
        sizes = self.run(shape, [given[param.name] for param in shape.params])
        results = self.run(value, [*sizes, *whole])
        found = tuple(each for result in results for each in np.shape(result))
        if found != sizes:
            raise Unguarded(f"the shape of {value.name} is {sizes}, its value has {found}")
        return results

    def staged(self, head: Function, tail: Function, count: int, args: Sequence[Value]) -> tuple[Value, ...]:
        """The results by head, which gives `count` sizes and what else the tail needs, and tail."""
        whole = [*self._sizes(head, args), *args]
        first = self.run(head, whole)
        results = self.run(tail, [*first, *whole])
        found = tuple(each for result in results for each in np.shape(result))
        if found != first[:count]:
            raise Unguarded(f"the head of {head.name} gives {first[:count]}, its tail has {found}")
        return results

    def _sizes(self, function: Function, args: Sequence[Value]) -> list[int]:
        """The sizes that arguments bind."""
        found: dict[Any, int] = {}
        for param, arg in zip(function.params[len(function.params) - len(args) :], args, strict=True):
            for dim, size in zip(param.type.dims, np.shape(arg), strict=True):
                if dim is not None and dim.name in function.sizes:
                    found.setdefault(dim.name, size)
        return [found[sym] for sym in function.sizes]

    def _split(self, function: Function, results: Sequence[Value]) -> tuple[Sequence[Value], tuple[Value, ...]]:
        count = sum(len(typ.dims) for typ in function.results)
        return results[:count], tuple(results[count:])

    # ---- what differs

    def statement(self, statement: Statement, env: Env) -> None:
        try:
            super().statement(statement, env)
        except AssertionError as error:
            if hasattr(error, "site"):
                raise
            raise Unguarded(str(error)) from error

    def expr(self, expr: Expr, statement: Statement, env: Env) -> tuple[Value, ...]:
        try:
            if isinstance(expr, core.Map) and expr.sizes:
                return self.statement_of_map(expr, statement, env)
            return super().expr(expr, statement, env)
        except Exception as error:
            site = getattr(error, "site", None)
            tested = isinstance(expr, core.Assert) or (site is not None and site.failure is Failure.MEMORY)
            if site is None or tested or getattr(error, "tested", False):
                error.tested = True  # type: ignore[attr-defined]
                raise
            raise Unguarded(str(error)) from error

    def called(self, name: str, part: Part, args: Sequence[Value], span: Span) -> tuple[Value, ...]:
        if part is Part.WHOLE:
            raise Unguarded(f"a call of {name} that has not been elaborated")
        return super().called(name, part, args, span)

    def filtered(self, expr: core.Filter, env: Env, span: Span) -> tuple[Value, ...]:
        rows = super().filtered(expr, env, span)
        return (len(rows[0]), *rows)

    def statement_of_map(self, expr: core.Map, statement: Statement, env: Env) -> tuple[Value, ...]:
        """A map that takes sizes from its first element."""
        arrays = [env[each] for each in expr.arrays]
        lengths, pattern = statement.pattern[: expr.sizes], statement.pattern[expr.sizes :]
        rows: list[tuple[Value, ...]] = []
        for i in range(self.heads("map", arrays, statement.span)):
            rows.append(self.apply(expr.function, [each[i] for each in arrays], env))
            self.work += expr.sizes
            if rows[-1][: expr.sizes] != rows[0][: expr.sizes]:
                raise self._irregular(i, rows, expr.sizes, [param.type for param in pattern], statement.span)
        sizes = rows[0][: expr.sizes] if rows else (0,) * expr.sizes
        for param, size in zip(lengths, sizes, strict=True):
            env[param.name] = size
        results = []
        for position, param in enumerate(pattern, expr.sizes):
            shape = tuple(self.term(dim, env) for dim in param.type.dims if dim is not None)
            column = [row[position] for row in rows]
            if param.type.rank > 1:
                made = np.empty(shape, dtype_of(param.type.scalar, self.exact))
                for i, row in enumerate(column):
                    made[i] = row
                results.append(self.moved(made))
            else:
                results.append(self.array(column, shape, param.type.scalar))
        return (*sizes, *results)

    def _irregular(
        self, at: int, rows: Sequence[tuple[Value, ...]], sizes: int, types: Sequence[Type], span: Span
    ) -> Exception:
        for position, typ in enumerate(types, sizes):
            now, first = np.shape(rows[at][position]), np.shape(rows[0][position])
            if now != first:
                error = failures.failed(failures.irregular(typ.scalar, typ.rank - 1, span), (at, *now, *first))
                error.tested = True  # type: ignore[attr-defined]
                return error
        return Unguarded("a map's sizes differ, but not the shapes of its results")
