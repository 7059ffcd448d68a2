"""Functional programs against other systems: time and memory of the programs of Reinking 2022, §4.4."""
