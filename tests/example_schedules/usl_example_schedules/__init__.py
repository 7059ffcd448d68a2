"""Schedules for loop nests whatever they compute: `tile_to_fit`, `stage_locally`, `parallelize_outermost`.

A package that holds nothing but schedules: `plugin` says which, `tiling` and `loops` have them.
"""
