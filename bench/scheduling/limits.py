"""Long histories and long procedures: successive operators, forwarding, memory, printing, C.

`python -m bench.scheduling.limits NAME` measures one of them in this process and prints JSON.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable
from typing import Any

from bench.scheduling.growth import exponent
from usl_core import Procedure, proc_from_source
from usl_core.scheduling import reorder_loops

NEST = """\
    for i{0} in seq(0, 8):
        for j{0} in seq(0, 8):
            x[i{0}, j{0}] = y[i{0}, j{0}] + 1.0
            y[i{0}, j{0}] = 2.0
"""
STATEMENTS = 4
"""In one nest."""
STEPS = 10_000


def nests(n: int) -> Procedure:
    """A procedure of n nests beside each other, four statements each."""
    body = "".join(NEST.format(k) for k in range(n))
    return proc_from_source(f"def nests(x: f32[8, 8], y: f32[8, 8]):\n{body}")


def cpu(work: Callable[[], Any]) -> tuple[float, Any]:
    began = time.process_time()
    result = work()
    return time.process_time() - began, result


def swapped(p: Procedure, steps: int, *, cursors: Any = None) -> Procedure:
    """The loops of one nest after another change places; each is found as it stands, or from cursors of an older version."""
    count = len(p.body())
    for step in range(steps):
        at = step % count
        if cursors is None:
            loop = p.body()[at]
        else:
            loop = p.forward(cursors[at])
            loop = loop.parent() if step // count % 2 else loop
        p = reorder_loops(p, loop)
    return p


def successive() -> dict[str, Any]:
    """n operators on one procedure: CPU seconds by n, each place found as it stands, and from cursors of the first version."""
    start, found = nests(25), {}
    swapped(start, 50)
    for name, cursors in (("new_cursors", None), ("old_cursors", list(start.body()))):
        seconds = {n: cpu(lambda n=n, cursors=cursors: swapped(start, n, cursors=cursors))[0] for n in (250, 500, 1000, 2000)}
        found[name] = {"seconds": seconds, "exponent": exponent(seconds)}
    return found


def forwarding() -> dict[str, Any]:
    """A cursor through a long history: CPU milliseconds the first time, and again."""
    start = nests(4)
    cursor = start.body()[2].body()[0].body()[1]
    end = swapped(start, STEPS)
    first, found = cpu(lambda: end.forward(cursor))
    again, _ = cpu(lambda: end.forward(cursor))
    other, _ = cpu(lambda: end.forward(start.body()[1].body()[0]))
    assert found.name() == "y"
    return {"steps": STEPS, "first_ms": 1e3 * first, "again_ms": 1e3 * again, "another_cursor_ms": 1e3 * other}


def memory() -> dict[str, Any]:
    """Megabytes that a long history takes with all versions alive, by the process's largest resident set."""
    start = nests(1000 // STATEMENTS)
    before = megabytes()
    seconds, end = cpu(lambda: swapped(start, STEPS))
    assert len(end.history()) == STEPS + 1
    return {"steps": STEPS, "statements": 1000, "megabytes": megabytes() - before, "seconds": seconds}


def megabytes() -> float:
    """The largest resident set so far; Linux counts in kibibytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def text() -> dict[str, Any]:
    """CPU seconds to parse and check, to print, and to write the C of a long procedure."""
    statements = 5000
    parse, p = cpu(lambda: nests(statements // STATEMENTS))
    show, _ = cpu(lambda: str(p))
    c, _ = cpu(p.c_code)
    return {"statements": statements, "parse_seconds": parse, "print_seconds": show, "c_seconds": c}


LIMITS: dict[str, Callable[[], dict[str, Any]]] = {
    "successive": successive,
    "forwarding": forwarding,
    "memory": memory,
    "text": text,
}

if __name__ == "__main__":
    json.dump(LIMITS[sys.argv[1]](), sys.stdout)
