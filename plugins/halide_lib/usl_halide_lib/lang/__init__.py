"""Halide's algorithm language with a semantics that runs: pure definitions and updates over unbounded grids.

`usl_halide_lib.hl` is what users import.
"""
