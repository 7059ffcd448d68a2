"""What became of a program: which functions over arrays are one kernel, which of them are computed where they are read, where
memory is taken."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from usl_soac import core
from usl_soac.core import Expr, Statement
from usl_soac.kernel_uses import inner
from usl_soac.outer import Outer
from usl_soac.regions import Kernel

SHOWN = (
    core.Map,
    core.Reduce,
    core.Scan,
    core.Filter,
    core.Hist,
    core.Concat,
    core.Rotate,
    core.Loop,
    core.Update,
    core.Scatter,
)
ARRANGING = (core.Concat, core.Rotate, core.Update, core.Scatter)


def fusion(outer: Outer) -> str:
    """A tree for each kernel, then the arrays that are allocated."""
    lines: list[str] = []
    for name, kernel in outer.kernels.items():
        lines += [f"{shown_name(name)}", *(f"    {line}" for line in _kernel(kernel))]
    for function, reasons in outer.not_kernels.items():
        lines += [f"{function}: in outer code: {reason}" for reason in dict.fromkeys(reasons)]
    lines += ["allocated", *(f"    {each}" for each in outer.allocations or ("nothing",))]
    return "\n".join(lines) + "\n"


def shown_name(name: str) -> str:
    """`main.k0` for main_k0."""
    function, _, number = name.rpartition("_")
    return f"{function}.{number}"


def _kernel(kernel: Kernel) -> Iterator[str]:
    order = [each for each in kernel.fused if each not in kernel.statements and isinstance(each.value, SHOWN)]
    found = list(_all(kernel.statements))
    for each in [*(each for each in order if each not in found), *kernel.statements]:
        yield from _tree(each, kernel.fused, 0)


def _all(statements: Collection[Statement]) -> Iterator[Statement]:
    for each in statements:
        yield each
        for body, _ in inner(each.value):
            yield from _all(body.statements)


def _tree(statement: Statement, fused: Collection[Statement], depth: int) -> Iterator[str]:
    if isinstance(statement.value, SHOWN):
        how = "computed where it is read" if statement in fused else _how(statement.value)
        names = ", ".join(param.name.name for param in statement.pattern)
        yield f"{'    ' * depth}{statement.span}: {names} = {type(statement.value).__name__.lower()}: {how}"
        depth += 1
    for body, _ in inner(statement.value):
        for each in body.statements:
            yield from _tree(each, fused, depth)


def _how(expr: Expr) -> str:
    return "written where it belongs" if isinstance(expr, ARRANGING) else "a loop"
