"""What became of the tests of a program: proved, made once per call, or made for each element; and the promise about that."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from usl_soac import core
from usl_soac.core import Body, Failure, Part, Program, Site
from usl_soac.errors import SoacError
from usl_soac.modes import Sized, SizedProgram
from usl_soac.pipeline import hoisted, linked, simplified
from usl_soac.reasons import span_of
from usl_soac.traverse import bodies, walk

BROKEN_PROMISE = "E765"


@dataclass(frozen=True, slots=True)
class Test:
    """A test of a program as written, and what became of it: how deep inside functions of elements and loops it stands now."""

    site: Site
    depth: int | None
    """None: it is proved."""

    @property
    def fate(self) -> str:
        """In words."""
        if self.depth is None:
            return "proved"
        return "once per call" if self.depth == 0 else "for each element" if self.depth == 1 else f"{self.depth} loops deep"


def tests(sized: SizedProgram, name: str) -> list[Test]:
    """The tests of a function and of what it calls, in the order of the text, after all passes on it alone."""
    program = linked(sized, (name, Part.EXT))
    left = dict(_depths(hoisted(simplified(program))))
    everything = dict.fromkeys(site for site, _ in _depths(program))
    found = [Test(site, left.get(site)) for site in everything]
    return sorted(found, key=lambda test: (test.site.span.line, test.site.span.column))


def _depths(program: Program) -> Iterator[tuple[Site, int]]:
    """Each test with the loops around it, the deepest last where it stands several times."""
    depths: dict[tuple[str, Part], int] = {(program.functions[-1].name, program.functions[-1].part): 0}
    found: list[tuple[Site, int]] = []
    for function in reversed(program.functions):
        depth = depths.get((function.name, function.part), 0)
        for site, inner in _in_body(function.body, depth, depths):
            found.append((site, inner))
    yield from sorted(found, key=lambda each: each[1])


def _in_body(body: Body, depth: int, depths: dict[tuple[str, Part], int]) -> Iterator[tuple[Site, int]]:
    for statement in body.statements:
        expr = statement.value
        match expr:
            case core.Assert(site=site):
                yield site, depth
            case core.Call(function=function, part=part):
                depths[function, part] = max(depth, depths.get((function, part), 0))
            case _:
                pass
        inside = depth if isinstance(expr, core.If) else depth + 1
        for inner in bodies(expr):
            yield from _in_body(inner, inside, depths)


def require_promises(sized: SizedProgram) -> None:
    """What functions promise of their tests.

    Raises:
        SoacError: a promise is broken.
    """
    for function in sized.functions.values():
        if "checked_once" in function.function.promises:
            require_checked_once(sized, function)


def require_checked_once(sized: SizedProgram, function: Sized) -> None:
    """The promise `@checked_once`: no test stays in a loop, or in a function of elements.

    Raises:
        SoacError: one does.
    """
    name = function.function.name
    left = [test for test in tests(sized, name) if test.depth]
    peeled = [each for each in walk(function.ext.body) if isinstance(each.value, core.Map) and each.value.sizes]
    if not left and not peeled:
        return
    notes = [f"{test.site.span}: {test.fate}: {_text(test.site)}" for test in left]
    notes += [f"{span_of(each)}: for each element: its size is that of the first" for each in peeled]
    message = f"{name} is promised to test once per call, but tests stay for each element"
    raise SoacError(message, span=function.function.span, notes=notes, code=BROKEN_PROMISE)


def _text(site: Site) -> str:
    return site.text.format(*["…"] * 9)


def explained_tests(sized: SizedProgram, name: str) -> Sequence[str]:
    """A line for each test: where, what, and what became of it. Those of arrays larger than any memory say nothing."""
    found = [test for test in tests(sized, name) if test.site.failure is not Failure.MEMORY]
    return [f"{test.site.span}: test, {test.fate}: {_text(test.site)}" for test in found]
