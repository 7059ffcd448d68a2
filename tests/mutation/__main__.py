"""`python -m tests.mutation`: disables the conditions of the kernel one at a time and reports what notices (`make mutate`).

For each condition the tests in which it makes a difference run, the nearest first, and the fuzzer if all of them pass. The
verdicts are kept in `.cache/mutation`, and found again only where something changed.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

# Imported once, before the processes fork: everything heavy but the kernel.
import hypothesis  # noqa: F401
import z3  # noqa: F401

from tests.mutation.conditions import Condition, all_conditions, condition
from tests.mutation.kernel import unclassified
from tests.mutation.processes import run_all
from tests.mutation.suites import passing
from tests.mutation.verdicts import (
    CACHE,
    LIMIT,
    entry,
    killers,
    load,
    recorded_tests,
    save,
    still_valid,
    verdict,
    verdict_of_one,
)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("--only", nargs="+", metavar="ID", help="these conditions, modules or functions only")
    parser.add_argument("--list", action="store_true", help="print the conditions and stop")
    parser.add_argument("--jobs", type=int, default=0, help="processes at a time (default: one per core)")
    parser.add_argument("--fuzz", type=float, default=20.0, help="seconds of fuzzing for what the tests miss (default 20)")
    parser.add_argument("--fresh", action="store_true", help="forget the verdicts of earlier runs")
    options = parser.parse_args()
    os.environ["USL_STORE"] = "off"  # what a mutant gives is kept by nobody
    os.environ["CI"] = "1"  # tests of random data try the same examples every time
    sys.dont_write_bytecode, sys.pycache_prefix = False, str(CACHE / "bytecode")  # each process imports the kernel anew
    chosen = select(options.only)
    if options.list:
        print_list(chosen)
        return 0
    return report(chosen, judge(chosen, options.jobs or os.cpu_count() or 1, options.fuzz, options.fresh))


def select(only: list[str] | None) -> list[Condition]:
    """The conditions named by ids, or by the start of ids."""
    everything = all_conditions()
    if not only:
        return everything
    found: list[Condition] = []
    for name in only:
        some = [c for c in everything if c.id == name or c.id.startswith((f"{name}:", f"{name}."))]
        found += some or [_named(name)]
    return found


def _named(name: str) -> Condition:
    try:
        return condition(name)
    except KeyError as error:
        raise SystemExit(str(error.args[0])) from None


def print_list(chosen: list[Condition]) -> None:
    for c in chosen:
        print(f"{c.id:<62} {c.kind + (', argument' if c.argument else ''):<22} line {c.line:<4} {_short(c.text, 100)}")
    print(f"{len(chosen)} conditions: {_counts(c.kind for c in chosen)}; {sum(c.argument for c in chosen)} on arguments")
    for name in unclassified():
        print(f"predicate that is not classified in tests/mutation/kernel.py: {name}")


def judge(chosen: list[Condition], jobs: int, fuzz: float, fresh: bool) -> dict[str, dict[str, Any]]:
    """The verdict on each condition, by its id."""
    started = time.monotonic()
    verdicts = {} if fresh else load("verdicts.json")
    todo = [c for c in chosen if c.id not in verdicts or not still_valid(verdicts[c.id], c)]
    if todo:
        before = {name: str(old["test"]) for name, old in verdicts.items()}
        print(f"{len(todo)} of {len(chosen)} conditions to try, first with the tests that noticed them before", flush=True)
        noticed = set[str]()
        for name, found in _still_noticed(todo, before, jobs):
            noticed.add(name)
            verdicts[name] = found
            save("verdicts.json", verdicts)
        todo = [c for c in todo if c.id not in noticed]
    if todo:
        print(f"{len(todo)} conditions are left; recording which tests they matter to", flush=True)
        tests = recorded_tests(jobs)
        broken = [name for name, test in tests.items() if not test["passed"]]
        print(f"{len(tests)} tests, {len(broken)} of them unusable, {time.monotonic() - started:.0f} s", flush=True)
        tasks = [(c.id, lambda c=c: verdict(c, killers(tests, c.id, before.get(c.id, "")), fuzz)) for c in todo]
        by_id = {c.id: c for c in todo}
        for name, found, seconds in run_all(tasks, jobs, LIMIT):
            verdicts[name] = entry(by_id[name], found, seconds)
            save("verdicts.json", verdicts)
            print(line(by_id[name], verdicts[name]), flush=True)
    return verdicts


def _still_noticed(todo: list[Condition], before: dict[str, str], jobs: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """The verdicts on conditions that the test notices that did before, which passes as long as nothing is disabled."""
    tests = sorted({before[c.id] for c in todo if "::" in before.get(c.id, "")})
    ((_, good, _),) = run_all([("passing", lambda: passing(tests))], 1, LIMIT)
    asked = {c.id: c for c in todo if before.get(c.id) in good}
    tasks = [(c.id, lambda c=c: verdict_of_one(c, before[c.id])) for c in asked.values()]
    for name, found, seconds in run_all(tasks, jobs, LIMIT):
        if found.get("by"):
            print(line(asked[name], new := entry(asked[name], found, seconds)), flush=True)
            yield name, new


def report(chosen: list[Condition], verdicts: dict[str, dict[str, Any]]) -> int:
    survivors = [c for c in chosen if not verdicts[c.id]["by"]]
    print()
    print(f"{'killed by':<12}{'conditions':>11}{'on arguments':>14}")
    counts = Counter(verdicts[c.id]["by"] or "nothing" for c in chosen)
    arguments = Counter(verdicts[c.id]["by"] or "nothing" for c in chosen if c.argument)
    for by, count in counts.most_common():
        print(f"{by:<12}{count:>11}{arguments[by]:>14}")
    print(f"{'all':<12}{counts.total():>11}{arguments.total():>14}")
    for c in survivors:
        print(f"SURVIVES {c.id} ({c.kind}, line {c.line}): {_short(c.text, 120)}")
    return 1 if survivors else 0


def line(c: Condition, found: dict[str, Any]) -> str:
    return f"{c.id:<62} {found['by'] or 'SURVIVES':<10} {found['seconds']:>6.1f} s  {_short(found['test'], 110)}"


def _counts(values: Any) -> str:
    return ", ".join(f"{count} {value}" for value, count in Counter(values).most_common())


def _short(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 3] + "..."


if __name__ == "__main__":
    sys.exit(main())
