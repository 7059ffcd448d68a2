"""The standard library of the functional language, written in it: lists, options, maps, sets, queues, sorting, texts, JSON.

from usl_perceus.std import lists
from usl_perceus.std.lists import List

Programs import a data type by name, for its constructors, and modules for functions. What these promise (`@fbip`,
`@no_alloc`) the compiler checks for each use (docs/perceus.md, The standard library).
"""
