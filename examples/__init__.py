"""Whole programs to read, run and change."""
