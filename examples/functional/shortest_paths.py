"""Dijkstra's shortest paths with a pairing heap (Fredman et al. 1986). The graph is a list of arrows for each node."""

from __future__ import annotations

from examples.functional.lists import List
from usl_perceus import data, fun


@data
class Heap:
    Empty: ()
    Root: (i64, i64, List["Heap"])  # distance, node, what is further away


@data
class Found:
    Found: (i64, i64, Heap)
    Nothing: ()


@fun
def meld(a: Heap, b: Heap) -> Heap:
    match a, b:
        case Empty(), _:
            return b
        case _, Empty():
            return a
        case Root(d, u, below), Root(e, v, others):
            if d <= e:
                return Root(d, u, Cons(b, below))
            return Root(e, v, Cons(a, others))


@fun
def melded(heaps: List[Heap]) -> Heap:
    """Pairs from left to right, then these from right to left."""
    match heaps:
        case Nil():
            return Empty
        case Cons(a, Nil()):
            return a
        case Cons(a, Cons(b, rest)):
            return meld(meld(a, b), melded(rest))


@fun
def nearest(heap: Heap) -> Found:
    match heap:
        case Empty():
            return Nothing
        case Root(d, u, below):
            return Found(d, u, melded(below))


@fun
def graph(
    arrows: borrowed[array[tuple[i64, i64, i64]]], i: i64, out: array[List[tuple[i64, i64]]]
) -> array[List[tuple[i64, i64]]]:
    """For each node the arrows that leave it; arrows are (from, to, length)."""
    if i == len(arrows):
        return out
    u, v, length = arrows[i]
    return graph(arrows, i + 1, out.set(u, Cons((v, length), out[u])))


@fun
def relaxed(arrows: List[tuple[i64, i64]], d: i64, distance: array[i64], heap: Heap) -> tuple[array[i64], Heap]:
    match arrows:
        case Nil():
            return distance, heap
        case Cons((v, length), rest):
            if distance[v] < 0 or d + length < distance[v]:
                return relaxed(rest, d, distance.set(v, d + length), meld(Root(d + length, v, Nil), heap))
            return relaxed(rest, d, distance, heap)


@fun
def settled(out: array[List[tuple[i64, i64]]], distance: array[i64], heap: Heap) -> array[i64]:
    match nearest(heap):
        case Nothing():
            return distance
        case Found(d, u, rest):
            if d > distance[u]:
                return settled(out, distance, rest)
            further, more = relaxed(out[u], d, distance, rest)
            return settled(out, further, more)


@fun
def distances(nodes: i64, arrows: array[tuple[i64, i64, i64]], start: i64) -> array[i64]:
    """The length of the shortest way from start to each node, -1 where there is none. Lengths are not negative."""
    return settled(graph(arrows, 0, array(nodes, Nil)), array(nodes, -1).set(start, 0), Root(0, start, Nil))
