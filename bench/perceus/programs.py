"""The programs that are timed: those of Reinking 2022, §4.4, which are examples, and fig. 4.3.

Each benchmark is a function of sizes that gives a number, so that every system can be checked against the others:
`rbtree`, `rbtree_i64`, `rbtree_random`, `rbtree_ck`, `deriv`, `nqueens`, `cfold`, `tmap_fbip`, `tmap_plain`, `list_map`,
`list_map_shared`, `hash_numbers`, `hash_words`, `tree_numbers`.
"""

from __future__ import annotations

from typing import TypeVar

from examples.functional.cfold import cfold
from examples.functional.deriv import deriv
from examples.functional.lists import List
from examples.functional.nqueens import nqueens
from examples.functional.rbtree import Tree, count_true, insert, rbtree
from examples.functional.rbtree_ck import rbtree_ck
from usl_perceus import data, fbip, fun
from usl_perceus.std import hashmaps, maps
from usl_perceus.std.maps import Map

__all__ = [
    "cfold",
    "deriv",
    "hash_numbers",
    "hash_words",
    "list_map",
    "list_map_shared",
    "nqueens",
    "rbtree",
    "rbtree_ck",
    "rbtree_i64",
    "rbtree_random",
    "tmap_fbip",
    "tmap_plain",
    "tree_numbers",
]

T = TypeVar("T")
U = TypeVar("U")


# -- the tree of rbtree with keys of 64 bits, falling ones and random ones, from a linear congruential generator (Knuth's MMIX)


@fun
def with_long_keys(n: i64, t: Tree[i64]) -> Tree[i64]:
    return t if n <= 0 else with_long_keys(n - 1, insert(t, n - 1, (n - 1) % 10 == 0))


@fun
def rbtree_i64(n: i64) -> i64:
    return count_true(with_long_keys(n, Leaf))


@fun
def with_random_keys(n: i64, state: i64, t: Tree[i64]) -> Tree[i64]:
    if n <= 0:
        return t
    after = state * 6364136223846793005 + 1442695040888963407
    key = (after >> 20) & 8796093022207
    return with_random_keys(n - 1, after, insert(t, key, key % 10 == 0))


@fun
def rbtree_random(n: i64) -> i64:
    return count_true(with_random_keys(n, 1, Leaf))


# -- a function applied to every element of a binary tree: by the visitor of fig. 4.3, and by plain recursion


@data
class BinTree:
    Tip: ()
    Bin: ("BinTree", i64, "BinTree")


@data
class Visitor:
    Done: ()
    BinR: (BinTree, i64, "Visitor")
    BinL: (BinTree, i64, "Visitor")


@data
class Direction:
    Up: ()
    Down: ()


@fbip
@fun
def visit(f: Callable[[i64], i64], t: BinTree, visitor: Visitor, d: Direction) -> BinTree:
    match d:
        case Down():
            match t:
                case Bin(l, x, r):
                    return visit(f, l, BinR(r, x, visitor), Down)
                case Tip():
                    return visit(f, Tip, visitor, Up)
        case Up():
            match visitor:
                case Done():
                    return t
                case BinR(r, x, v):
                    return visit(f, r, BinL(t, f(x), v), Down)
                case BinL(l, x, v):
                    return visit(f, Bin(l, x, t), v, Up)


@fun
def map_tree(t: BinTree, f: Callable[[i64], i64]) -> BinTree:
    match t:
        case Bin(l, x, r):
            return Bin(map_tree(l, f), f(x), map_tree(r, f))
        case Tip():
            return Tip


@fun
def balanced(low: i64, high: i64) -> BinTree:
    if low >= high:
        return Tip
    middle = (low + high) // 2
    return Bin(balanced(low, middle), middle, balanced(middle + 1, high))


@fun
def total(t: BinTree) -> i64:
    match t:
        case Bin(l, x, r):
            return total(l) + x + total(r)
        case Tip():
            return 0


@fun
def visit_often(t: BinTree, times: i64) -> BinTree:
    if times <= 0:
        return t
    return visit_often(visit(lambda x: x + 1, t, Done, Down), times - 1)


@fun
def map_tree_often(t: BinTree, times: i64) -> BinTree:
    if times <= 0:
        return t
    return map_tree_often(map_tree(t, lambda x: x + 1), times - 1)


@fun
def tmap_fbip(size: i64, times: i64) -> i64:
    return total(visit_often(balanced(0, size), times))


@fun
def tmap_plain(size: i64, times: i64) -> i64:
    return total(map_tree_often(balanced(0, size), times))


# -- a function applied to every element of a list, which is unique or still needed


@fun
def map(xs: List[T], f: Callable[[T], U]) -> List[U]:
    match xs:
        case Nil():
            return Nil
        case Cons(x, rest):
            return Cons(f(x), map(rest, f))


@fun
def count_down(n: i64, xs: List[i64]) -> List[i64]:
    return xs if n <= 0 else count_down(n - 1, Cons(n, xs))


@fun
def sum(xs: List[i64], n: i64) -> i64:
    match xs:
        case Nil():
            return n
        case Cons(x, rest):
            return sum(rest, n + x)


@fun
def map_often(xs: List[i64], times: i64) -> List[i64]:
    return xs if times <= 0 else map_often(map(xs, lambda x: x + 1), times - 1)


@fun
def list_map(size: i64, times: i64) -> i64:
    return sum(map_often(count_down(size, Nil), times), 0)


@fun
def first(xs: List[i64]) -> i64:
    match xs:
        case Nil():
            return 0
        case Cons(x, _):
            return x


@fun
def map_shared_often(xs: List[i64], times: i64, n: i64) -> i64:
    return n if times <= 0 else map_shared_often(xs, times - 1, n + first(map(xs, lambda x: x + 1)))


@fun
def list_map_shared(size: i64, times: i64) -> i64:
    return map_shared_often(count_down(size, Nil), times, 0)


# -- maps from random numbers, which are set, looked up, and missed; from words to how often they come


@fun
def hash_numbers(n: i64) -> i64:
    m, key, sum = hashmaps.empty(), 1, 0
    for i in range(n):
        key = key * 6364136223846793005 + 1442695040888963407
        m = m.set(key, i)
    key = 1
    for _ in range(n):
        key = key * 6364136223846793005 + 1442695040888963407
        sum += m.get(key, 0) + m.get(key + 1, 1)
    return sum


@fun
def tree_numbers(n: i64) -> i64:
    m, key, sum = Empty, 1, 0
    for i in range(n):
        key = key * 6364136223846793005 + 1442695040888963407
        m = maps.set(m, key, i)
    key = 1
    for _ in range(n):
        key = key * 6364136223846793005 + 1442695040888963407
        sum += maps.get(m, key, 0) + maps.get(m, key + 1, 1)
    return sum


@fun
def hash_words(n: i64) -> i64:
    m, state = hashmaps.empty(), 1
    for _ in range(n):
        state = state * 6364136223846793005 + 1442695040888963407
        m = m.update_or("word" + str((state >> 40) & 65535), 0, lambda often: often + 1)
    return m.fold(len(m), lambda sum, word, often: sum + often * often * len(word))
