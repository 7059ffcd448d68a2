"""Bugs that halide.md §17 names, put into the theory one at a time: each must be found by the test that is named with it.

`python plugins/halide_lib/tests/halide_mutations.py` runs them all and says which test found each.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).parent))

import test_halide_bounds
import test_halide_places
import test_halide_rewrites
import test_halide_rfactor
import test_halide_scheduling

from usl_halide_lib import fold
from usl_halide_lib.lang import associativity, query, reference_engine, rewrites, values
from usl_halide_lib.lang.nodes import Op, number


@dataclass(frozen=True)
class Mutation:
    """A bug: where it is put, and the test that fails then."""

    module: Any
    name: str
    bug: Callable[..., Any]
    test: Callable[[], None]

    @contextmanager
    def applied(self) -> Iterator[None]:
        """With the bug in place."""
        with patch.object(self.module, self.name, self.bug):
            yield


def _no_chain(target: Any, label: Any, path: Any) -> Iterator[Any]:
    return iter(())


def _printed_quotient(a: Any, b: Any) -> Any:
    """Fig. 2.10b as printed: x div y is one of 2M - 1 values from -M."""
    low, high = _QUOTIENT(a, b)
    return (low, None) if high is None else (low, Op("sub", (high, number(2)), high.type))


_QUOTIENT = reference_engine._RULES["div"]


def _scan_narrowly(func: Any, number: int) -> bool:
    """As printed: what a place reads is only wanted where that place is."""
    return False


def _unguarded_start(start: Any, length: Any, factor: Any) -> Any:
    """Shifted tiles without the case of an extent below the factor."""
    return rewrites._op("min", start, rewrites._op("sub", length, factor))


def _everything_associates(combine: Any, types: Any) -> str:
    return "z3"


def _everything_is_independent(*args: Any) -> None:
    return None


def _strict_select(cond: Any, a: Any, b: Any) -> Any:
    errors = [each for each in (cond, a, b) if each.__class__ is values.Eps]
    return max(errors) if errors else a if cond else b


def _not_slid(*args: Any) -> None:
    """All of a window is computed again in each iteration."""


def _one_place_less(proc: Any, buffer: Any, dim: int, size: Any, offset: Any, fold: bool = False) -> Any:
    return _RESIZE(proc, buffer, dim, size - 1 if fold and isinstance(size, int) else size, offset, fold=fold)


_RESIZE = fold.resize_dim

MUTATIONS = {
    "no chain of stages": Mutation(query, "_chain", _no_chain, test_halide_bounds.test_stages_of_one_func_are_chained),
    "a quotient's end as printed": Mutation(
        reference_engine,
        "_RULES",
        {**reference_engine._RULES, "div": _printed_quotient},
        test_halide_bounds.test_the_end_of_a_quotient_is_not_as_printed,
    ),
    "a scan from where it is wanted": Mutation(
        query, "reads_other_places", _scan_narrowly, test_halide_bounds.test_a_scan_needs_its_earlier_iterations
    ),
    "shift without specialise": Mutation(
        rewrites, "first_of_shifted", _unguarded_start, test_halide_scheduling.test_a_shifted_tile_of_a_small_extent_is_guarded
    ),
    "rfactor of -": Mutation(
        associativity,
        "_associates",
        _everything_associates,
        lambda: test_halide_rfactor.test_what_is_not_associative_is_refused_with_three_numbers("-"),
    ),
    "rfactor out of order": Mutation(
        associativity,
        "_equal",
        lambda *_: "z3",
        test_halide_rfactor.test_the_first_of_equal_places_keeps_its_order_so_only_outermost_variables_are_preserved,
    ),
    "parallel reductions": Mutation(
        rewrites,
        "are_independent",
        _everything_is_independent,
        test_halide_rewrites.test_two_loops_of_a_reduction_keep_their_order,
    ),
    "rounded fused loops": Mutation(
        rewrites, "is_fused", lambda loop: False, test_halide_scheduling.test_a_round_up_of_a_fused_loop_is_refused
    ),
    "no sliding guard": Mutation(
        fold, "_slide_along", _not_slid, test_halide_places.test_rows_that_slide_are_computed_once_and_kept_in_a_circle
    ),
    "a circle with one place less": Mutation(
        fold, "resize_dim", _one_place_less, test_halide_places.test_rows_that_slide_are_computed_once_and_kept_in_a_circle
    ),
    "strict select": Mutation(
        values, "_selected", _strict_select, test_halide_bounds.test_a_select_narrows_what_its_operands_must_have_right
    ),
}


def is_found(mutation: Mutation) -> bool:
    """Whether the mutation's test passes without it, and fails with it."""
    mutation.test()
    with mutation.applied():
        try:
            mutation.test()
        except KeyboardInterrupt:
            raise
        except BaseException:  # what pytest raises where no error is raised is one of these
            return True
    return False


def main() -> int:
    missed = 0
    for name, mutation in MUTATIONS.items():
        found = is_found(mutation)
        missed += not found
        print(f"{name:32} {'found by' if found else 'MISSED by'} {getattr(mutation.test, '__name__', 'a test of rfactor')}")
    return missed


if __name__ == "__main__":
    raise SystemExit(main())
