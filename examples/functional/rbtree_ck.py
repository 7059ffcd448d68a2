"""Red-black trees of which every fifth is kept: what shares a tree is copied, and no more."""

from __future__ import annotations

from examples.functional.lists import List, length
from examples.functional.rbtree import Tree, count_true, insert
from usl_perceus import fun


@fun
def kept_trees(n: i64, every: i64, t: Tree[i64], kept: List[Tree[i64]]) -> List[Tree[i64]]:
    if n <= 0:
        return Cons(t, kept)
    key = n - 1
    grown = insert(t, key, key % 10 == 0)
    if key % every == 0:
        return kept_trees(key, every, grown, Cons(grown, kept))
    return kept_trees(key, every, grown, kept)


@fun
def rbtree_ck(n: i64) -> i64:
    match kept_trees(n, 5, Leaf, Nil):
        case Cons(t, rest):
            return count_true(t) + length(rest, 0)
        case Nil():
            return 0
