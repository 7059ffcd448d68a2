"""Long histories and long procedures: successive operators, forwarding, memory, printing, C; tries of `replace`; a script.

`python -m bench.scheduling.limits NAME` measures one of them in this process and prints JSON.
"""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench.scheduling.growth import exponent
from usl_core import Procedure, SchedulingError, proc_from_source
from usl_core.scheduling import (
    add_assertion,
    divide_loop,
    rename,
    reorder_loops,
    replace,
    set_precision,
    simplify,
    specialize,
)

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
    found = {}
    swapped(nests(25), 50)
    for name, old in (("new_cursors", False), ("old_cursors", True)):
        seconds = {}
        for n in (250, 500, 1000, 2000):
            start = nests(25)  # parsed anew: operators remember calls
            cursors = list(start.body()) if old else None
            seconds[n], _ = cpu(lambda start=start, n=n, cursors=cursors: swapped(start, n, cursors=cursors))
        found[name] = {"seconds": seconds, "exponent": exponent(seconds)}
    return found


def forwarding() -> dict[str, Any]:
    """Cursors through a long history: CPU milliseconds of the first time, and again; medians over several cursors."""
    start = nests(4)
    cursors = [nest.body()[0].body()[k] for nest in start.body() for k in (0, 1)]
    end = swapped(start, STEPS)
    first, again = ([1e3 * cpu(lambda each=each: end.forward(each))[0] for each in cursors] for _ in range(2))
    assert [end.forward(each).name() for each in cursors] == ["x", "y"] * len(start.body())
    return {
        "steps": STEPS,
        "first_ms": statistics.median(first),
        "first_longest_ms": max(first),
        "again_ms": statistics.median(again),
    }


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


def large() -> dict[str, Any]:
    """Operators on a procedure of 5,000 statements that was scheduled before: CPU milliseconds, medians of five calls.

    specialize and add_assertion work at a place; set_precision on a buffer that ten statements use; simplify after a change at
    one place.
    """
    statements = 5000
    count = statements // STATEMENTS
    used = [NEST.format(k).replace("2.0", f"t[j{k}]") if k % (count // 10) == 0 else NEST.format(k) for k in range(count)]
    filled = "    t: f32[8]\n    for q in seq(0, 8):\n        t[q] = 1.0\n"
    p = proc_from_source(f"def large(m: size, x: f32[8, 8], y: f32[8, 8]):\n{filled}{''.join(used)}")
    changed = [divide_loop(p, p.body()[200 + k], 4, ["io", "ii"], perfect=True) for k in range(6)]
    work: dict[str, Callable[[int], Any]] = {
        "specialize": lambda k: specialize(p, p.body()[100 + k], [f"m < {k + 4}"]),
        "add_assertion": lambda k: add_assertion(p, f"m > {k + 4}"),
        "set_precision": lambda k: set_precision(rename(p, f"large_{k}"), "t", "f64"),
        "simplify": lambda k: simplify(changed[k]),
    }
    found = {}
    for name, call in work.items():
        call(0)  # what is remembered of the procedure, and what is imported
        found[name] = statistics.median(1e3 * cpu(lambda k=k, call=call: call(k))[0] for k in range(1, 6))
    return {"statements": statements, "milliseconds": found}


SCRIPT = """\
from __future__ import annotations
import numpy as np
from usl_core import proc
from usl_core.scheduling import divide_loop, reorder_loops
@proc
def clear(n: size, x: f32[n, 64]):
    for i in seq(0, n):
        for j in seq(0, 64):
            x[i, j] = 0.0
p = reorder_loops(divide_loop(clear, "j", 8, ["jo", "ji"], perfect=True), "i jo")
p.jit()(4, np.zeros((4, 64), np.float32))
"""


def start() -> dict[str, Any]:
    """CPU seconds of a script of two operators and one call, all of it cached; and of Python with NumPy alone."""
    with TemporaryDirectory() as folder:
        scripts = {"script": SCRIPT, "with_numpy": "import numpy"}
        seconds: dict[str, list[float]] = {name: [] for name in scripts}
        for _ in range(6):
            for name, text in scripts.items():
                file = Path(folder, f"{name}.py")
                file.write_text(text, encoding="utf-8")
                seconds[name].append(process_seconds([sys.executable, str(file)]))
    return {f"{name}_seconds": min(times[1:]) for name, times in seconds.items()}


def process_seconds(command: list[str]) -> float:
    """The CPU time of a process and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def tries() -> dict[str, Any]:
    """`replace` on every loop of a vectorised stage with every instruction: CPU milliseconds of those refused and not."""
    from bench.scheduling.kernels_stencils import unsharp_mask
    from bench.scheduling.seven_stages import INSTRUCTIONS
    from bench.scheduling.vectorize import vectorize

    refused: list[float] = []
    replaced: list[float] = []
    for number in range(6):  # the first time is cold, and a small part of all; another name, as operators remember calls
        plain = rename(unsharp_mask, f"unsharp_{number}")
        p = vectorize(plain, plain.find_loop("x"))
        for loop in p.find_loop("xo").find("for xi in _: _", many=True):
            for instruction in INSTRUCTIONS:
                began = time.process_time_ns()
                try:
                    replace(p, loop, instruction)
                    replaced.append((time.process_time_ns() - began) / 1e6)
                except SchedulingError:
                    refused.append((time.process_time_ns() - began) / 1e6)
    times = {"refused": refused, "replaced": replaced}
    return {name: {"count": len(found), "median_ms": statistics.median(found)} for name, found in times.items()}


LIMITS: dict[str, Callable[[], dict[str, Any]]] = {
    "successive": successive,
    "forwarding": forwarding,
    "memory": memory,
    "text": text,
    "large": large,
    "start": start,
    "tries": tries,
}

if __name__ == "__main__":
    json.dump(LIMITS[sys.argv[1]](), sys.stdout)
