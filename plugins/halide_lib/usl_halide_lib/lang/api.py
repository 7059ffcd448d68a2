"""`Func` as users have it: definitions, directives, and what can be asked of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from usl_core import Procedure
from usl_halide_lib import directives
from usl_halide_lib.lang import syntax
from usl_halide_lib.lang.associativity import Reassociation
from usl_halide_lib.lang.errors import here, refuse
from usl_halide_lib.lang.factoring import rfactor
from usl_halide_lib.lang.pipeline import Pipeline, Window
from usl_halide_lib.lang.variables import RDom, RVar, Var, fresh


def called(value: Any) -> Any:
    """What a directive's argument is called in the procedure: variables and funcs by their names."""
    if isinstance(value, Var | RVar):
        return value.name().replace("$", "_")
    if isinstance(value, RDom):
        return called(value[0])
    if isinstance(value, syntax.Func):
        return value.name()
    if isinstance(value, list | tuple):
        return type(value)(called(each) for each in value)
    return value


class Stage:
    """A stage of a func, to which directives are given; each returns it, so that they chain."""

    def __init__(self, given: directives.Stage, func: Func | None = None) -> None:
        self._given, self._func = given, func

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return _directive(self, self._given, name)

    def rfactor(self, var: Any, name: Any = None, assume: str | None = None) -> Func:
        """Reduce over part of the iterations in a func of its own, which is returned: `rfactor(r.y, u)`, or a list of pairs.

        The reduction variables that are given become its pure variables; this stage reduces it over them. The update's
        operation is proved to be associative; assume="associative" takes the user's word instead.

        Raises:
            AlgorithmError: E785, it is not associative, with numbers that show it; E777, no such variable.
        """
        if self._func is None:
            raise refuse("rfactor: a stage of a specialisation is not taken apart", code="E785")
        return self._func.factored(self._given._number, [(var, name)] if name is not None else list(var), assume)


def _directive(owner: Any, given: directives.Stage, name: str) -> Any:
    """The directive of a name, with variables and funcs for names as arguments; it gives owner back, or a new stage."""
    plain = getattr(given, name)

    def give(*args: Any, **kwargs: Any) -> Any:
        result = plain(*map(called, args), **{key: called(value) for key, value in kwargs.items()})
        return owner if result is given else Stage(result) if isinstance(result, directives.Stage) else result

    return give


class Func(syntax.Func):
    """A func: a value for each place of an unbounded grid. `f[x, y] = e` defines it, further assignments are updates.

    Directives of Halide's are methods: `f.tile(x, y, xi, yi, 64, 8).parallel(y)`, `g.compute_at(f, x)`. A func that none
    is about is computed where it is read.
    """

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)
        self._collected = directives.Collected()
        self._given = directives.Func(self._collected, self.name())
        self._pipeline = Pipeline(self)
        self.laws: list[Reassociation] = []
        self.factored_stages: set[int] = set()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return _directive(self, self._given, name)

    def update(self, number: int = 0) -> Stage:
        """An update stage, the first by default, to give directives to."""
        if not 0 <= number < self.num_update_definitions():
            raise refuse(
                f"{self.name()} has {self.num_update_definitions()} updates, and {number} is none of them", code="E788"
            )
        return Stage(self._given.update(number), self)

    def rfactor(self, var: Any, name: Any = None, assume: str | None = None) -> Func:
        """Refused: the first definition reduces nothing."""
        return Stage(self._given, self).rfactor(var, name, assume)

    def factored(self, number: int, pairs: list[Any], assume: str | None) -> Func:
        """`rfactor` of a stage."""
        if assume not in (None, "associative"):
            raise refuse(f'rfactor: assume may be "associative", not {assume!r}', code="E785")
        definition = self.defined(f"{self.name()}.rfactor")
        known = {each.name.replace("$", "_"): each.name for each in definition.stages[number].rvars}
        named = [(known.get(called(rvar), called(rvar)), called(pure)) for rvar, pure in pairs]
        title = f"{self.name()}_intm{len(self.laws) or ''}"
        intermediate = Func(title)
        made = rfactor(definition, number, named, assume=assume is not None, name=title, span=here(), source=intermediate)
        self.definition, intermediate.definition, intermediate.used_by = made.func, made.intermediate, self.name()
        self.laws.append(made.law)
        self.factored_stages.add(number)
        return intermediate

    def given_directives(self) -> tuple[directives.Directive, ...]:
        """The directives on this func, in the order of the text."""
        return tuple(self._collected.directives)

    def pipeline(self) -> Pipeline:
        """The program whose only output this func is."""
        return self._pipeline

    def interpret(self, window: Window, exact: bool = True) -> Any:
        """The values in a window by the semantics alone, as `Pipeline.interpret`."""
        return self._pipeline.interpret(window, exact)

    def realize(self, *window: Any) -> Any:
        """Compile (the first time) and run, as `Pipeline.realize`: the whole buffer that was computed."""
        return self._pipeline.realize(*window)

    def procedure(self) -> Procedure:
        """The scheduled procedure: further operators, `c_code()` and so on work on it."""
        return self._pipeline.procedure()

    def print_loop_nest(self) -> None:
        """Print the loops as Halide does."""
        self._pipeline.print_loop_nest()

    def loop_nest(self) -> str:
        """The loops as Halide prints them."""
        return self._pipeline.loop_nest()

    def picture(self, path: str | Path) -> None:
        """Write the loops as an HTML file, with what iterations touch and what the buffers are."""
        self._pipeline.picture(path)

    def explain(self) -> str:
        """Where each func is computed and stored, and which operators each directive was."""
        return self._pipeline.explain()

    def assurance(self) -> str:
        """What is proved and what is believed, as `Pipeline.assurance`."""
        return self._pipeline.assurance()

    def lowered(self, what: str = "tgt?") -> str:
        """A stage of compilation as text, as `Pipeline.lowered`."""
        return self._pipeline.lowered(what)


def lambda_func(*args: Any) -> Func:
    """A func without a name: `lambda_func(x, y, x + y)` has the last argument as its value."""
    func = Func(fresh("lambda"))
    func[tuple(args[:-1])] = args[-1]
    return func
