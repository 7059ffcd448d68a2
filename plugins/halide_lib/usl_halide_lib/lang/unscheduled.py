"""A warning for updates that a schedule may have forgotten, as Halide gives it (halide.md §13)."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable
from typing import Any

from usl_halide_lib.directives import Directive
from usl_halide_lib.lang.nodes import Algorithm
from usl_halide_lib.order import LOOPS

ABOUT_STAGES = frozenset(
    (*LOOPS, "vectorize", "unroll", "parallel", "serial", "specialize", "compute_with", "atomic", "unscheduled")
)
"""The directives on one stage, of which an update has none that was forgotten; `unscheduled` says that this is meant."""

_seen: dict[Any, Any] = {}
"""What was warned of already: once is enough."""


class UnscheduledUpdateWarning(UserWarning):
    """Some stages of a func have directives, and an update of it has none."""


def warn_of_unscheduled(
    algorithm: Algorithm, directives: Iterable[Directive], factored: Collection[tuple[str, int]] = ()
) -> None:
    """Warn of updates without directives of funcs of which other stages have some; the place is that of the definition.

    What rfactor took apart, as names of funcs and numbers of stages, is not forgotten.
    """
    touched: dict[str, set[int]] = {}
    for each in directives:
        if each.name in ABOUT_STAGES:
            touched.setdefault(each.func, set()).add(each.stage)
    for func in algorithm.funcs:
        if func.name not in touched:
            continue
        for index, stage in enumerate(func.stages):
            if not index or index in touched[func.name] or (func.name, index) in factored or stage.span is None:
                continue
            name = f"{func.name}.update({index - 1})"
            message = f"{name} has no directive, and other stages have; {name}.unscheduled() says that this is meant"
            warnings.warn_explicit(message, UnscheduledUpdateWarning, stage.span.file, stage.span.line, registry=_seen)


__all__ = ["UnscheduledUpdateWarning", "warn_of_unscheduled"]
