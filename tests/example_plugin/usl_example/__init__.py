"""A small accelerator: a scratchpad, an accumulator, registers for strides, loads, a store and a 16x16 matrix product.

The template for a target of one's own: `memories`, `kernels` (registers and instructions), a model of the
hardware in C (`model.h`), `schedules`, and `plugin`, which declares them. Its machine follows Reinking 2022, §3.2.
"""
