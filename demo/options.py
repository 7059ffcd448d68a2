"""The part of the demonstration that starts from whole arrays: option pricing, of which one kernel becomes, in vectors."""

from __future__ import annotations

import inspect
import time
from typing import Any

from demo.screen import Screen
from demo.tour import Outcome

PATHS = 1 << 17


def tour_options(screen: Screen) -> Outcome:
    """Show the array program and what was fused, schedule its kernel, time both, compare them and a price in closed form."""
    import numpy as np

    from examples.arrays import options

    screen.heading("Arrays: an option priced by paths, from whole arrays to one loop in vectors")
    text = inspect.getsource(options)
    screen.listing("what to compute", text[text.index("@soac\ndef asian") : text.index("# -- schedules")].strip(), "python")
    screen.listing("what becomes of it", options.asian.show("fusion").replace(f"{options.__file__}:", "line "), "text")
    data = options.asian_data(1.0, 0.05, 0.2, 100.0, 100.0, n=PATHS)
    with screen.step("scheduling and compiling"):
        tuned = options.tuned(options.asian)
        plain, price = options.asian(*data), tuned(*data)
    before, after = (_seconds(function, data) for function in (options.asian, tuned))
    screen.say(
        f"{PATHS} paths of 8 dates: {1e3 * before:.1f} ms, scheduled {1e3 * after:.1f} ms: {before / after:.1f} times as fast"
    )
    last = (data[0], data[1], data[2][-1:].repeat(8, 0), data[3][-1:].repeat(8), *data[4:])
    by_paths, exact = tuned(*last) * float(np.exp(-0.05)), options.european(100, 100, 1.0, 0.05, 0.2)
    screen.say(f"an option on the last date alone: {by_paths:.4f} by paths, {exact:.4f} by Black and Scholes")
    problems = []
    if abs(plain - price) > 1e-3 * abs(plain):
        problems.append(f"options: {price} scheduled, {plain} unscheduled")
    if abs(by_paths - exact) > 0.01:
        problems.append(f"options: {by_paths} by paths, {exact} in closed form")
    return Outcome(f"options {before / after:.1f} times as fast", tuple(problems))


def _seconds(function: Any, data: tuple[Any, ...]) -> float:
    found = []
    for _ in range(3):
        begin = time.perf_counter()
        function(*data)
        found.append(time.perf_counter() - begin)
    return min(found)
