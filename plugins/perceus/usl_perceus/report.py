"""What `usl fun` prints: the functions of a file with their types, the program after a pass, the C, where memory is reused."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from types import ModuleType

from usl_core.cli.files import write_all
from usl_core.cli.modules import import_file
from usl_core.errors import NOWHERE, Span
from usl_perceus.cyclic import cycles
from usl_perceus.errors import PerceusError
from usl_perceus.explain import Allocation, allocations
from usl_perceus.front.definitions import FunDef, definition, unknown
from usl_perceus.front.lower import Lowered, lower
from usl_perceus.front.resolve import signature
from usl_perceus.front.types import show as show_type
from usl_perceus.passes import OPTIONAL, PASSES, compile_program, trace
from usl_perceus.show import show
from usl_perceus.show import show_type as show_ir_type

FORMS = ("core", *(step.name for step in PASSES), "c")
"""What can be shown."""


def functions(place: str) -> list[FunDef]:
    """The functions of `FILE`, or the one of `FILE:NAME`. FILE is imported, which runs it.

    Raises:
        UslError: it cannot be run, or has no such function.
    """
    path, name = _parts(place)
    module = import_file(path)
    found = _own(module)
    if not name:
        if not found:
            raise PerceusError(f"{path} defines no function with @fun")
        return list(found.values())
    if name not in found:
        raise unknown(name, "function", found, NOWHERE, (f"they are: {', '.join(found)}",) if found else ())
    return [found[name]]


def _parts(place: str) -> tuple[Path, str]:
    """`FILE` and `NAME` of `FILE:NAME`; a file's name may have a colon."""
    file, _, name = place.rpartition(":")
    return (Path(place), "") if not file or Path(place).exists() else (Path(file), name)


def _own(module: ModuleType) -> dict[str, FunDef]:
    """The functions that stand in the module's file, by name."""
    found: dict[str, FunDef] = {}
    for name, value in vars(module).items():
        inner = definition(value)
        if isinstance(inner, FunDef) and inner.span.file == module.__file__:
            found[name] = inner
    return found


def overview(chosen: list[FunDef]) -> str:
    """Each function with its type, and whether it may raise; cells that may contain themselves."""
    lowered = lower(chosen)
    lines = [_headline(fun, lowered) for fun in chosen]
    lines += [
        f"{cycle.span}: cells of type {show_ir_type(cycle.path[0])} may contain themselves and are then never freed: "
        + " -> ".join(map(show_ir_type, cycle.path))
        for cycle in cycles(lowered.program)
    ]
    return "\n".join(lines)


def _headline(fun: FunDef, lowered: Lowered) -> str:
    own = signature(fun)
    typevars = f"[{', '.join(own.typevars)}]" if own.typevars else ""
    params = ", ".join(
        f"{param.name}: " + (f"borrowed[{show_type(type_)}]" if borrowed else show_type(type_))
        for param, type_, borrowed in zip(fun.syntax.params, own.params, own.borrowed, strict=True)
    )
    copies = [made for name, made in lowered.program.funs.items() if name == fun.name or name.startswith(f"{fun.name}[")]
    raises = "  may raise" if any(made.throws for made in copies) else ""
    return f"{fun.name}{typevars}({params}) -> {show_type(own.result)}{raises}"


def shown(chosen: list[FunDef], form: str, off: Collection[str]) -> str:
    """The program of the functions after the pass `form`, with the optional passes off left out; or its C.

    Raises:
        PerceusError: there is no such pass.
    """
    _require_known(form, off)
    last = lower(chosen).program
    program = last
    for name, last in trace(program, off=off):
        if name == form:
            return show(last).rstrip("\n")
    from usl_perceus.c import program_c  # only now: what shows a pass shall not pay for the back end

    return program_c(last, "program").rstrip("\n")


def allocations_of(chosen: list[FunDef], off: Collection[str]) -> list[Allocation]:
    """Every allocation of functions and what they use, after all passes.

    Raises:
        PerceusError: a promise of the program is broken.
    """
    _require_optional(off)
    return allocations(compile_program(lower(chosen).program, off=off))


def explained(chosen: list[FunDef], off: Collection[str]) -> str:
    """For every allocation in the source whether it reuses memory, and why; copies of one that agree are told once.

    Raises:
        PerceusError: a promise of the program is broken.
    """
    told: dict[tuple[Span, str], dict[str, list[str]]] = {}
    for each in allocations_of(chosen, off):
        size = f" ({each.size} bytes)" if each.size is not None else ""
        reasons = told.setdefault((each.span, f"{each.what}{size}"), {})
        within = reasons.setdefault(each.why if each.reused else f"memory is allocated: {each.why}", [])
        function = each.function.split("#")[0].split("@")[0]  # without the marks of copies that passes made
        if function not in within:
            within.append(function)
    if not told:
        return "nothing is allocated"
    lines = []
    for (span, what), reasons in told.items():
        lines.append(f"{span}: {what}")
        lines += [f"  in {', '.join(within)}: {reason}" for reason, within in reasons.items()]
    return "\n".join(lines)


def stem(place: str) -> str:
    """The name of the C files for `FILE` or `FILE:NAME`."""
    return _parts(place)[0].stem


def written(chosen: list[FunDef], directory: Path, name: str, off: Collection[str]) -> list[Path]:
    """Writes the C of the functions and its runtime into directory; returns the paths.

    Raises:
        UslError: a promise is broken, name is no C identifier, or a file cannot be written; then nothing is written.
    """
    from usl_perceus.c import generate

    _require_optional(off)
    return write_all(directory, generate(compile_program(lower(chosen).program, off=off), name).files)


def _require_known(form: str, off: Collection[str]) -> None:
    _require_optional(off)
    if form not in FORMS:
        raise unknown(form, "pass", FORMS, NOWHERE, (f"they are: {', '.join(FORMS)}",))
    if form in off:
        raise PerceusError(f"the pass {form} is off, so that there is nothing to show")


def _require_optional(off: Collection[str]) -> None:
    for name in off:
        if name not in OPTIONAL:
            raise unknown(name, "optional pass", OPTIONAL, NOWHERE, (f"they are: {', '.join(_in_order(OPTIONAL))}",))


def _in_order(names: Collection[str]) -> Iterator[str]:
    return (step.name for step in PASSES if step.name in names)
