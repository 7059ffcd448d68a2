"""`make fuzz WHAT=soac_nonsense PROGRAMS=100000`: texts with mistakes; each has one message with its place, or is a program."""

from __future__ import annotations

import argparse
import multiprocessing
import re
import sys
import traceback
from collections import Counter

from soac_malformed import malformed, refused


def check(seed: int) -> tuple[str, str]:
    """What became of a text: the code of its message, `program`, or `wrong` with what is."""
    text = malformed(seed)
    try:
        error = refused(text)
    except Exception:  # whatever it is, it is ours
        return "wrong", f"text {seed}:\n{text}\n{traceback.format_exc(limit=-3)}"
    if error is None:
        return "program", ""
    if "\n" in error.message or not re.match(r"<malformed>:[1-9]\d*:[1-9]\d*: ", str(error)):
        return "wrong", f"text {seed}: {error}"
    return error.code, ""


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    first = options.seed * 1_000_000_000
    counts: Counter[str] = Counter()
    with multiprocessing.Pool(options.jobs) as pool:
        for code, wrong in pool.imap_unordered(check, range(first, first + options.programs), chunksize=32):
            counts[code] += 1
            if wrong:
                print(wrong, flush=True)
    print(", ".join(f"{code} {count}" for code, count in sorted(counts.items())))
    return 1 if counts["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
