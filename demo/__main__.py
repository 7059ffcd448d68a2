"""`python -m demo [--quick] [--portable]`: from plain loop nests to fast C on real input. Ends with one line.

Exit status 1 if a result is wrong or a step failed.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m demo", description="From plain loop nests to fast C, on real input.")
    parser.add_argument("--quick", action="store_true", help="fewer rounds and shorter listings")
    parser.add_argument("--portable", action="store_true", help="use the schedules for processors without AVX-512")
    chosen = parser.parse_args(arguments)

    from bench.toolchain import ToolError
    from demo.options import tour_options
    from demo.screen import Screen
    from demo.sections import SECTIONS, tour_section
    from demo.tour import tour_blur, tour_sgemm
    from usl_avx512 import has_avx512
    from usl_core.errors import UslError

    begin = time.perf_counter()
    screen = Screen(quick=chosen.quick)
    portable = chosen.portable or not has_avx512()
    if portable:
        reason = "As asked" if chosen.portable else "This processor has no AVX-512"
        screen.say(f"{reason}: the demonstration uses portable schedules, and the C compiler vectorises.")
    try:
        outcomes = [tour_sgemm(screen, portable=portable), tour_blur(screen, portable=portable)]
        outcomes += [tour_section(screen, section) for section in SECTIONS]
        outcomes.append(tour_options(screen))
    except (UslError, ToolError, OSError, ImportError) as error:
        screen.problem(f"\ndemo failed: {error}")
        return 1
    problems = [problem for outcome in outcomes for problem in outcome.problems]
    screen.say("")
    for problem in problems:
        screen.problem(f"problem: {problem}")
    verdict = "[red]demo failed[/red]" if problems else "[green]demo passed[/green]"
    screen.say(f"{verdict} in {time.perf_counter() - begin:.0f} s: " + "; ".join(o.summary for o in outcomes))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
