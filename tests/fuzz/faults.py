"""Faults put into the system on purpose: each takes back the mending of a bug, and the fuzzer must find it again.

    make fuzz WHAT=faults        (or: python -m tests.fuzz.faults --only NAME)

Every fault is searched for in a process of its own, with programs drawn as always. A failure counts if the same program passes
without the fault.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tests.fuzz.compiled import BLOCK
from tests.fuzz.harness import PROGRAMS, available
from tests.fuzz.parallel import judge_all

LIMIT = 20_000
"""Steps within which a fault must be found."""


@dataclass(frozen=True)
class Fault:
    """A change to the running system, and what the bug was."""

    what: str
    apply: Callable[[], None]


def _put(owner: Any, name: str, value: object) -> None:
    """Replaces what is there: a fault in a place that is gone says nothing."""
    assert hasattr(owner, name), f"{owner.__name__} has no {name}: the fault has to move with it"
    setattr(owner, name, value)


def _every_sum_is_a_reduction() -> None:
    from usl_c11 import reductions
    from usl_core.ir.nodes import Reduce
    from usl_core.ir.traverse import binders, walk

    def all_sums(par: Any, found: object) -> Any:
        loop = par.loop
        inside = frozenset(binders(loop))
        sums = ((node.name, node.op) for node in walk(loop) if isinstance(node, Reduce) and not node.idx)
        return {name: op for name, op in sums if name not in inside}

    _put(reductions, "_of_loop", all_sums)


def _instructions_may_change() -> None:
    from usl_core.primitives import base
    from usl_core.primitives.operators import operator_name

    right: Callable[..., None] = base.refuse_instruction

    def wrong(*args: Any, **options: Any) -> None:
        if operator_name() not in ("write_config", "delete_config", "bind_config"):
            right(*args, **options)

    _put(base, "refuse_instruction", wrong)


def _copies_are_other_things() -> None:
    """Everything is copied and pickled as Python does it by itself."""
    import usl_core.interp.values
    from usl_core import procedure, scheduling

    assert procedure and scheduling and usl_core.interp.values  # every module with classes is loaded
    hooks = ("__copy__", "__deepcopy__", "__reduce__", "__reduce_ex__", "__getstate__", "__setstate__", "__getnewargs__")
    classes = [
        value
        for name, module in list(sys.modules.items())
        if name.startswith("usl_core.") and name != "usl_core.interp.values"
        for value in vars(module).values()
        if isinstance(value, type) and value.__module__.startswith("usl_core.")
    ]
    for kind in dict.fromkeys(classes):
        for hook in hooks:
            if hook in vars(kind):
                try:
                    delattr(kind, hook)
                except TypeError:  # of a class that is not ours to change
                    continue


def _parallel_loops_stay_parallel() -> None:
    from usl_core.primitives.loops import modes

    _put(modes, "_is_parallelizable", lambda *_: True)


def _unused_names_are_not_marked() -> None:
    from usl_c11 import stmt

    _put(stmt, "_mark_unused", lambda lines, declared: list(lines))


def _proofs_hold_whatever_is_known() -> None:
    from usl_core.analysis import obligations

    _put(obligations._Proved, "covers", lambda self, bindings, known: bindings in self.facts)


def _proofs_hold_for_any_binding() -> None:
    from usl_core.analysis import obligations

    def covers(self: Any, bindings: object, known: frozenset[Any]) -> bool:
        return any(facts <= known for all_facts in self.facts.values() for facts in all_facts)

    _put(obligations._Proved, "covers", covers)


def _other_bindings_change_nothing() -> None:
    from usl_core.analysis import obligations, recheck

    for module in (obligations, recheck):
        _put(module, "check_mentions", lambda *_: None)


def _divisions_have_values() -> None:
    from usl_core.analysis import values

    right = values.Values.leaves

    def leaves(self: Any, expr: Any) -> frozenset[Any]:
        return frozenset(leaf for leaf in right(self, expr) if not values.is_partial(leaf))

    _put(values.Values, "leaves", leaves)


FAULTS: Mapping[str, Fault] = {
    "par-reductions": Fault("C of a par loop reduces every scalar that it adds to", _every_sum_is_a_reduction),
    "instruction-bodies": Fault("configuration operators change bodies of instructions", _instructions_may_change),
    "copies": Fault("a copy of a procedure has types, names and configurations of its own", _copies_are_other_things),
    "par-modes": Fault("operators that join and exchange par loops let them race", _parallel_loops_stay_parallel),
    "warnings": Fault("C of names that are not used draws warnings", _unused_names_are_not_marked),
    "divisions": Fault("a division is taken to have a value whatever the divisor", _divisions_have_values),
    "recheck-facts": Fault("the recheck believes what was proved from other facts", _proofs_hold_whatever_is_known),
    "recheck-bindings": Fault("the recheck believes what was proved of other bindings", _proofs_hold_for_any_binding),
    "recheck-mentions": Fault("the recheck passes over what mentions a changed name", _other_bindings_change_nothing),
}
"""By name."""


def search(fault: str, first: int, limit: int) -> dict[str, Any]:
    """Fuzzes with the fault from program first on: the steps, the first program that fails (none is -1), and its report."""
    FAULTS[fault].apply()
    names, steps, start = available(), 0, first
    while steps < limit:
        following = (start // BLOCK + 1) * BLOCK
        for outcome in judge_all(range(start, following), names):
            steps += outcome.tally.steps
            if outcome.failure:
                return {"steps": steps, "program": outcome.program_seed, "report": outcome.failure}
        start = following
    return {"steps": steps, "program": -1, "report": ""}


def _searched(fault: str, first: int, limit: int) -> dict[str, Any]:
    """`search` in a process of its own."""
    command = [sys.executable, "-m", "tests.fuzz.faults", "--search", fault, "--first", str(first), "--steps", str(limit)]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(answer.stdout.splitlines()[-1])
    return found


def _passes(program: int) -> bool:
    command = [sys.executable, "-m", "tests.fuzz", "--program", str(program)]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def found_after(fault: str, seed: int, limit: int = LIMIT) -> tuple[int, str]:
    """The steps after which a fault is found, and what was seen; -1 if it is not within limit."""
    first, steps = seed * PROGRAMS, 0
    while steps < limit:
        found = _searched(fault, first, limit - steps)
        steps += found["steps"]
        if found["program"] < 0:
            break
        if _passes(found["program"]):
            return steps, headline(found["report"])
        first = found["program"] + 1
    return -1, ""


def headline(report: str) -> str:
    """The first line of a report that says something, without places."""
    lines = [line for line in report.splitlines() if line.strip()]
    return re.sub(r"\s+", " ", lines[0])[:150] if lines else ""


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.faults", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=sorted(FAULTS), default=sorted(FAULTS))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int, default=LIMIT)
    parser.add_argument("--search", choices=sorted(FAULTS), help=argparse.SUPPRESS)
    parser.add_argument("--first", type=int, default=0, help=argparse.SUPPRESS)
    chosen = parser.parse_args(argv)
    if chosen.search:
        print(json.dumps(search(chosen.search, chosen.first, chosen.steps)))
        return 0
    missed = 0
    for name in chosen.only:
        steps, seen = found_after(name, chosen.seed, chosen.steps)
        missed += steps < 0
        after = f"after {steps} steps" if steps >= 0 else f"NOT FOUND in {chosen.steps} steps"
        print(f"{name:<20} {after:<20} {FAULTS[name].what}\n    {seen}", flush=True)
    print(f"faults {'FAILED' if missed else 'passed'}: {len(chosen.only) - missed} of {len(chosen.only)} found")
    return 1 if missed else 0


if __name__ == "__main__":
    os.environ["USL_STORE"] = "off"  # what a fault gives is kept by nobody
    sys.exit(main())
