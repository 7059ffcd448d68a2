"""The tour of USL: `make demo`, or `python -m demo`."""
