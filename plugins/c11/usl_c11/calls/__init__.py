"""Calls from Python at the cost of a C function: the arguments are checked by a CPython extension (`entry.c`)."""
