"""Which argument of a call belongs to which parameter: by position, by name, or left to the parameter's default."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from usl_perceus.errors import PerceusError
from usl_perceus.front import syntax as sx
from usl_perceus.front.types import Type


def arranged(node: sx.Call, callee: str, names: Sequence[str], optional: Collection[str]) -> tuple[int | str, ...]:
    """For each parameter the position of its argument in `node.args`, or its name where the default is taken.

    Raises:
        PerceusError: there are too many arguments or too few, or one is given twice or has no parameter.
    """
    positional = len(node.args) - len(node.keywords)
    for name, span in () if names else node.keywords[:1]:
        raise PerceusError(f"{callee} takes its arguments by position, not {name}=", span=span, code="E713")
    if positional > len(names) or not (node.keywords or optional or positional == len(names)):
        fewest = len(names) - len(optional)
        count = count_of(len(names)) if fewest == len(names) else f"{fewest} to {count_of(len(names))}"
        raise PerceusError(f"{callee} takes {count}, {len(node.args)} given", span=node.span, code="E713")
    found: dict[str, int] = {name: position for position, name in enumerate(names[:positional])}
    for position, (name, span) in enumerate(node.keywords, start=positional):
        if name not in names:
            known = f"hint: there are {', '.join(names)}"
            raise PerceusError(f"{callee} has no parameter {name}", span=span, notes=(known,), code="E713")
        if name in found:
            raise PerceusError(f"{name} is given twice", span=span, code="E713")
        found[name] = position
    missing = [name for name in names if name not in found and name not in optional]
    if missing:
        raise PerceusError(f"{callee} needs {', '.join(missing)}", span=node.span, code="E713")
    return tuple(found.get(name, name) for name in names)


def count_of(number: int) -> str:
    """A number of arguments in words."""
    return "no arguments" if number == 0 else "1 argument" if number == 1 else f"{number} arguments"


def functions_last(args: Sequence[sx.Expr], params: Sequence[Type]) -> list[tuple[sx.Expr, Type]]:
    """Arguments with their types; lambdas after the others, which tell the types of their parameters."""
    pairs = list(zip(args, params, strict=True))
    return [p for p in pairs if not isinstance(p[0], sx.Lambda)] + [p for p in pairs if isinstance(p[0], sx.Lambda)]
