"""The programs of Reinking 2022, §4.4, and fig. 4.3, in the functional language.

Each benchmark is a function of sizes that gives a number, so that every system can be checked against the others:
`rbtree`, `rbtree_ck`, `deriv`, `nqueens`, `cfold`, `tmap_fbip`, `tmap_plain`, `list_map`, `list_map_shared`.
"""

from __future__ import annotations

from typing import Generic, TypeVar

from usl_perceus import data, fbip, fun

T = TypeVar("T")
U = TypeVar("U")


@data
class List(Generic[T]):
    Nil: ()
    Cons: (T, "List[T]")


@fun
def length(xs: List[T], n: i64) -> i64:
    match xs:
        case Nil():
            return n
        case Cons(_, rest):
            return length(rest, n + 1)


# -- red-black trees (Okasaki 1999): n insertions of falling keys, then the number of true values


@data
class Color:
    Red: ()
    Black: ()


@data
class Tree:
    Leaf: ()
    Node: (Color, "Tree", i32, bool, "Tree")


@fun
def is_red(t: borrowed[Tree]) -> bool:
    match t:
        case Node(Red(), _, _, _, _):
            return True
        case _:
            return False


@fun
def bal_left(l: Tree, k: i32, v: bool, r: Tree) -> Tree:
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
def bal_right(l: Tree, k: i32, v: bool, r: Tree) -> Tree:
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
def ins(t: Tree, k: i32, v: bool) -> Tree:
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
def blackened(t: Tree) -> Tree:
    match t:
        case Node(_, l, k, v, r):
            return Node(Black, l, k, v, r)
        case Leaf():
            return Leaf


@fun
def insert(t: Tree, k: i32, v: bool) -> Tree:
    if is_red(t):
        return blackened(ins(t, k, v))
    return ins(t, k, v)


@fun
def fold(t: Tree, start: T, f: Callable[[i32, bool, T], T]) -> T:
    match t:
        case Leaf():
            return start
        case Node(_, l, k, v, r):
            return fold(r, f(k, v, fold(l, start, f)), f)


@fun
def count_true(t: Tree) -> i64:
    return fold(t, 0, lambda k, v, n: n + 1 if v else n)


@fun
def with_keys_below(n: i64, t: Tree) -> Tree:
    if n <= 0:
        return t
    key = n - 1
    return with_keys_below(key, insert(t, i32(key), key % 10 == 0))


@fun
def rbtree(n: i64) -> i64:
    return count_true(with_keys_below(n, Leaf))


# -- the same, keeping every fifth tree


@fun
def kept_trees(n: i64, every: i64, t: Tree, kept: List[Tree]) -> List[Tree]:
    if n <= 0:
        return Cons(t, kept)
    key = n - 1
    grown = insert(t, i32(key), key % 10 == 0)
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


# -- symbolic derivatives: x ** x, derived n times; the number of nodes of all results


@data
class Term:
    Val: i64
    Var: str
    Add: ("Term", "Term")
    Mul: ("Term", "Term")
    Pow: ("Term", "Term")
    Ln: "Term"


@fun
def power(base: i64, exponent: i64) -> i64:
    if exponent <= 0:
        return 1
    half = power(base, exponent // 2)
    return half * half if exponent % 2 == 0 else half * half * base


@fun
def add(a: Term, b: Term) -> Term:
    match a, b:
        case Val(m), Val(n):
            return Val(m + n)
        case Val(0), f:
            return f
        case f, Val(0):
            return f
        case f, Val(n):
            return add(Val(n), f)
        case Val(m), Add(Val(n), g):
            return add(Val(m + n), g)
        case f, Add(Val(n), g):
            return add(Val(n), add(f, g))
        case Add(f, g), h:
            return add(f, add(g, h))
        case f, g:
            return Add(f, g)


@fun
def mul(a: Term, b: Term) -> Term:
    match a, b:
        case Val(m), Val(n):
            return Val(m * n)
        case Val(0), _:
            return Val(0)
        case _, Val(0):
            return Val(0)
        case Val(1), f:
            return f
        case f, Val(1):
            return f
        case f, Val(n):
            return mul(Val(n), f)
        case Val(m), Mul(Val(n), g):
            return mul(Val(m * n), g)
        case f, Mul(Val(n), g):
            return mul(Val(n), mul(f, g))
        case Mul(f, g), h:
            return mul(f, mul(g, h))
        case f, g:
            return Mul(f, g)


@fun
def pow(a: Term, b: Term) -> Term:
    match a, b:
        case Val(m), Val(n) if n >= 0:
            return Val(power(m, n))
        case _, Val(0):
            return Val(1)
        case f, Val(1):
            return f
        case Val(0), _:
            return Val(0)
        case f, g:
            return Pow(f, g)


@fun
def ln(a: Term) -> Term:
    match a:
        case Val(1):
            return Val(0)
        case f:
            return Ln(f)


@fun
def derivative(x: str, f: Term) -> Term:
    match f:
        case Val(_):
            return Val(0)
        case Var(y):
            return Val(1) if x == y else Val(0)
        case Add(a, b):
            return add(derivative(x, a), derivative(x, b))
        case Mul(a, b):
            return add(mul(a, derivative(x, b)), mul(b, derivative(x, a)))
        case Pow(a, b):
            inner = mul(mul(b, derivative(x, a)), pow(a, Val(-1)))
            return mul(pow(a, b), add(inner, mul(ln(a), derivative(x, b))))
        case Ln(a):
            return mul(derivative(x, a), pow(a, Val(-1)))


@fun
def nodes(f: Term) -> i64:
    match f:
        case Val(_) | Var(_):
            return 1
        case Ln(a):
            return nodes(a)
        case Add(a, b) | Mul(a, b) | Pow(a, b):
            return nodes(a) + nodes(b)


@fun
def derived(f: Term, times: i64, total: i64) -> i64:
    if times <= 0:
        return total
    next = derivative("x", f)
    return derived(next, times - 1, total + nodes(next))


@fun
def deriv(times: i64) -> i64:
    x = Var("x")
    return derived(pow(x, x), times, 0)


# -- n queens: all solutions as lists, which share their tails; how many there are


@fun
def safe(queen: i64, distance: i64, placed: borrowed[List[i64]]) -> bool:
    match placed:
        case Nil():
            return True
        case Cons(q, rest):
            return queen != q and queen != q + distance and queen != q - distance and safe(queen, distance + 1, rest)


@fun
def with_queen(queen: i64, placed: List[i64], found: List[List[i64]]) -> List[List[i64]]:
    if queen <= 0:
        return found
    if safe(queen, 1, placed):
        return with_queen(queen - 1, placed, Cons(Cons(queen, placed), found))
    return with_queen(queen - 1, placed, found)


@fun
def extended(n: i64, found: List[List[i64]], boards: List[List[i64]]) -> List[List[i64]]:
    match boards:
        case Nil():
            return found
        case Cons(board, rest):
            return extended(n, with_queen(n, board, found), rest)


@fun
def boards(n: i64, rows: i64) -> List[List[i64]]:
    if rows == 0:
        return Cons(Nil, Nil)
    return extended(n, Nil, boards(n, rows - 1))


@fun
def nqueens(n: i64) -> i64:
    return length(boards(n, n), 0)


# -- constant folding of a large expression


@data
class Expr:
    Variable: i64
    Number: i64
    Plus: ("Expr", "Expr")
    Times: ("Expr", "Expr")


@fun
def tower(depth: i64, v: i64) -> Expr:
    if depth == 0:
        return Variable(1) if v == 0 else Number(v)
    return Plus(tower(depth - 1, v + 1), tower(depth - 1, 0 if v == 0 else v - 1))


@fun
def plus_at_end(a: Expr, b: Expr) -> Expr:
    match a:
        case Plus(c, d):
            return Plus(c, plus_at_end(d, b))
        case _:
            return Plus(a, b)


@fun
def times_at_end(a: Expr, b: Expr) -> Expr:
    match a:
        case Times(c, d):
            return Times(c, times_at_end(d, b))
        case _:
            return Times(a, b)


@fun
def reassociated(e: Expr) -> Expr:
    match e:
        case Plus(a, b):
            return plus_at_end(reassociated(a), reassociated(b))
        case Times(a, b):
            return times_at_end(reassociated(a), reassociated(b))
        case _:
            return e


@fun
def folded(e: Expr) -> Expr:
    match e:
        case Plus(a, b):
            match folded(a), folded(b):
                case Number(m), Number(n):
                    return Number(m + n)
                case Number(m), Plus(f, Number(n)):
                    return Plus(Number(m + n), f)
                case Number(m), Plus(Number(n), f):
                    return Plus(Number(m + n), f)
                case f, g:
                    return Plus(f, g)
        case Times(a, b):
            match folded(a), folded(b):
                case Number(m), Number(n):
                    return Number(m * n)
                case Number(m), Times(f, Number(n)):
                    return Times(Number(m * n), f)
                case Number(m), Times(Number(n), f):
                    return Times(Number(m * n), f)
                case f, g:
                    return Times(f, g)
        case _:
            return e


@fun
def value(e: Expr) -> i64:
    match e:
        case Variable(_):
            return 0
        case Number(n):
            return n
        case Plus(a, b):
            return value(a) + value(b)
        case Times(a, b):
            return value(a) * value(b)


@fun
def cfold(depth: i64) -> i64:
    return value(folded(reassociated(tower(depth, 1))))


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
