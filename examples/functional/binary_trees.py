"""Binary trees that are built, walked and dropped: short-lived ones of every depth while a deep one stays."""

from __future__ import annotations

from usl_perceus import data, fun


@data
class Tree:
    Leaf: ()
    Node: ("Tree", "Tree")


@fun
def full(depth: i64) -> Tree:
    return Leaf if depth < 0 else Node(full(depth - 1), full(depth - 1))


@fun
def count(t: borrowed[Tree]) -> i64:
    match t:
        case Leaf():
            return 0
        case Node(l, r):
            return count(l) + 1 + count(r)


@fun
def counted_often(depth: i64, times: i64, total: i64) -> i64:
    if times == 0:
        return total
    t = full(depth)
    return counted_often(depth, times - 1, total + count(t))


@fun
def of_each_depth(depth: i64, deepest: i64, total: i64) -> i64:
    if depth > deepest:
        return total
    return of_each_depth(depth + 2, deepest, total + counted_often(depth, 1 << (deepest - depth + 4), 0))


@fun
def binary_trees(deepest: i64) -> i64:
    """Nodes seen: 2 ** (deepest - depth + 4) trees of every second depth from 4 on, and one of the greatest depth."""
    lasting = full(deepest)
    short_lived = of_each_depth(4, deepest, 0)
    return short_lived + count(lasting)
