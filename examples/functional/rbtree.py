"""Red-black trees (Okasaki 1999): n insertions of falling keys, then the number of true values."""

from __future__ import annotations

from typing import Generic, TypeVar

from usl_perceus import data, fun

K = TypeVar("K")
T = TypeVar("T")


@data
class Color:
    Red: ()
    Black: ()


@data
class Tree(Generic[K]):
    Leaf: ()
    Node: (Color, "Tree[K]", K, bool, "Tree[K]")


@fun
def is_red(t: borrowed[Tree[K]]) -> bool:
    match t:
        case Node(Red(), _, _, _, _):
            return True
        case _:
            return False


@fun
def bal_left(l: Tree[K], k: K, v: bool, r: Tree[K]) -> Tree[K]:
    match l:
        case Node(_, Node(Red(), lx, kx, vx, rx), ky, vy, ry):
            return Node(Red, Node(Black, lx, kx, vx, rx), ky, vy, Node(Black, ry, k, v, r))
        case Node(_, ly, ky, vy, Node(Red(), lx, kx, vx, rx)):
            return Node(Red, Node(Black, ly, ky, vy, lx), kx, vx, Node(Black, rx, k, v, r))
        case Node(_, lx, kx, vx, rx):
            return Node(Black, Node(Red, lx, kx, vx, rx), k, v, r)
        case Leaf():
            return Leaf


@fun
def bal_right(l: Tree[K], k: K, v: bool, r: Tree[K]) -> Tree[K]:
    match r:
        case Node(_, Node(Red(), lx, kx, vx, rx), ky, vy, ry):
            return Node(Red, Node(Black, l, k, v, lx), kx, vx, Node(Black, rx, ky, vy, ry))
        case Node(_, lx, kx, vx, Node(Red(), ly, ky, vy, ry)):
            return Node(Red, Node(Black, l, k, v, lx), kx, vx, Node(Black, ly, ky, vy, ry))
        case Node(_, lx, kx, vx, rx):
            return Node(Black, l, k, v, Node(Red, lx, kx, vx, rx))
        case Leaf():
            return Leaf


@fun
def ins(t: Tree[K], k: K, v: bool) -> Tree[K]:
    match t:
        case Leaf():
            return Node(Red, Leaf, k, v, Leaf)
        case Node(Red(), l, kx, vx, r):
            if k < kx:
                return Node(Red, ins(l, k, v), kx, vx, r)
            if k > kx:
                return Node(Red, l, kx, vx, ins(r, k, v))
            return Node(Red, l, k, v, r)
        case Node(Black(), l, kx, vx, r):
            if k < kx:
                if is_red(l):
                    return bal_left(ins(l, k, v), kx, vx, r)
                return Node(Black, ins(l, k, v), kx, vx, r)
            if k > kx:
                if is_red(r):
                    return bal_right(l, kx, vx, ins(r, k, v))
                return Node(Black, l, kx, vx, ins(r, k, v))
            return Node(Black, l, k, v, r)


@fun
def blackened(t: Tree[K]) -> Tree[K]:
    match t:
        case Node(_, l, k, v, r):
            return Node(Black, l, k, v, r)
        case Leaf():
            return Leaf


@fun
def insert(t: Tree[K], k: K, v: bool) -> Tree[K]:
    if is_red(t):
        return blackened(ins(t, k, v))
    return ins(t, k, v)


@fun
def fold(t: Tree[K], start: T, f: Callable[[K, bool, T], T]) -> T:
    match t:
        case Leaf():
            return start
        case Node(_, l, k, v, r):
            return fold(r, f(k, v, fold(l, start, f)), f)


@fun
def count_true(t: Tree[K]) -> i64:
    return fold(t, 0, lambda k, v, n: n + 1 if v else n)


@fun
def with_keys_below(n: i64, t: Tree[i32]) -> Tree[i32]:
    if n <= 0:
        return t
    key = n - 1
    return with_keys_below(key, insert(t, i32(key), key % 10 == 0))


@fun
def rbtree(n: i64) -> i64:
    return count_true(with_keys_below(n, Leaf))
