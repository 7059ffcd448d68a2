"""Benchmarks against the machine's limits and other systems: `python -m bench sgemm`, `blur`, `peak`."""
