"""Benchmarks against the machine's limits and other systems: `python -m bench sgemm`, `blur`, `peak`.

They measure what runs: operator calls are not taken from the store, but by `bench.rerun`, which switches it on.
"""

import os

os.environ.setdefault("USL_STORE", "off")
