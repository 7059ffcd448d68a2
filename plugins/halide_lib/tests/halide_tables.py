"""The tables of `docs/halide_needs.md`: what became of each need, operators by directive and by kernel, tests of what was open.

python plugins/halide_lib/tests/halide_tables.py     # after a kernel's schedule or a need has changed
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from halide_needs import NEEDS

from usl_halide_lib.applying import Schedule
from usl_halide_lib.image_schedules import KERNELS

PAGE = Path(__file__).parents[3] / "docs" / "halide_needs.md"

POINTS = {
    "the prologue of a sliding window is one assignment under a guard": (
        "test_halide_directives.py",
        "test_a_sliding_window_has_its_prologue_in_one_assignment_under_a_guard",
    ),
    "every tail, under `parallel` too, and nothing asserted of sizes": (
        "test_halide_directives.py",
        "test_every_tail_goes_with_parallel_and_asserts_nothing_of_sizes",
    ),
    "circular buffers are found, their sizes powers of two": (
        "test_halide_directives.py",
        "test_circular_buffers_are_found_and_have_a_power_of_two_rows_unless_asked_otherwise",
    ),
    "constants are operands of instructions": ("test_halide_directives.py", "test_constants_are_operands_of_instructions"),
    "directives may stand in any order": ("test_halide_scheduling.py", "test_the_order_of_directives_does_not_matter"),
}
"""What the author of the thesis names as open (Qian 2024, section 4.4), and the test of each."""


def needs_table() -> str:
    """One row for each need."""
    rows = "".join(f"| {need.number} | {need.what} | {need.verdict} | {need.now} |\n" for need in NEEDS)
    return f"| | what was missing | | what became of it |\n|---|---|---|---|\n{rows}"


def points_table() -> str:
    """One row for each open point."""
    rows = "".join(f"| {point} | `{module}`: `{test}` |\n" for point, (module, test) in POINTS.items())
    return f"| point | test |\n|---|---|\n{rows}"


def applied(name: str) -> Schedule:
    """The schedule of a kernel, applied."""
    algorithm, how = KERNELS[name]
    s = how(algorithm)
    s.apply()
    return s


def lines_of(name: str) -> int:
    """The lines of a schedule, without head, docstring and `return`; those that go over several count as many."""
    function = ast.parse(inspect.getsource(KERNELS.given[name][1])).body[0]
    assert isinstance(function, ast.FunctionDef)
    body = [stmt for stmt in function.body if not (isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Constant))]
    body = [stmt for stmt in body if not isinstance(stmt, ast.Return)]
    return sum((stmt.end_lineno or stmt.lineno) - stmt.lineno + 1 for stmt in body)


def calls(s: Schedule) -> Counter[str]:
    """The operators that each kind of directive has called."""
    found: Counter[str] = Counter()
    for position, directive in enumerate(s.directives):
        assert directive.position == position
        found[directive.name] += len(s.log.operators.get(position, []))
    return found


def kernel_row(name: str, s: Schedule) -> str:
    """A kernel: lines of schedule, directives, operators, operators of one directive."""
    directives, operators = len(s.directives), sum(calls(s).values())
    return f"| `{name}` | {lines_of(name)} | {directives} | {operators} | {operators / directives:.1f} |\n"


def directives_table(schedules: list[Schedule]) -> str:
    """How often each kind of directive occurs in the kernels, and how many operators it is."""
    times, operators = Counter[str](), Counter[str]()
    for s in schedules:
        times.update(each.name for each in s.directives)
        operators.update(calls(s))
    rows = "".join(
        f"| `{name}` | {count} | {operators[name]} | {operators[name] / count:.1f} |\n" for name, count in sorted(times.items())
    )
    return f"| directive | times | operator calls | each |\n|---|---|---|---|\n{rows}"


def kernels_table(schedules: dict[str, Schedule]) -> str:
    """One row for each kernel."""
    rows = "".join(kernel_row(name, s) for name, s in schedules.items())
    return f"| kernel | lines of schedule | directives | operator calls | a directive |\n|---|---|---|---|---|\n{rows}"


def put(page: str, name: str, table: str) -> str:
    """The page with a table between its marks."""
    return re.sub(rf"(<!-- {name} -->\n).*?(<!-- end -->)", lambda found: found[1] + table + found[2], page, flags=re.DOTALL)


def write() -> None:
    """Write all tables; the kernels are scheduled for it."""
    schedules = {name: applied(name) for name in KERNELS}
    page = put(PAGE.read_text(encoding="utf-8"), "needs", needs_table())
    page = put(page, "points", points_table())
    page = put(page, "directives", directives_table(list(schedules.values())))
    PAGE.write_text(put(page, "kernels", kernels_table(schedules)), encoding="utf-8")


if __name__ == "__main__":
    write()
