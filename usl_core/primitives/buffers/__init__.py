"""Operators on where data lives: staging, moving and resizing allocations, layouts, types and memories."""
