"""Huffman codes: a tree from the counts of bytes, the bits of a text, and the text back from its bits."""

from __future__ import annotations

from examples.functional.lists import List
from usl_perceus import data, exception, fun


@data
class Tree:
    Byte: (i64, u8)
    Fork: (i64, "Tree", "Tree")


@exception
class Damaged:
    position: i64


@fun
def counted(text: borrowed[array[u8]], i: i64, counts: array[i64]) -> array[i64]:
    if i == len(text):
        return counts
    byte = i64(text[i])
    return counted(text, i + 1, counts.set(byte, counts[byte] + 1))


@fun
def weight(t: borrowed[Tree]) -> i64:
    match t:
        case Byte(n, _):
            return n
        case Fork(n, _, _):
            return n


@fun
def inserted(t: Tree, queue: List[Tree]) -> List[Tree]:
    """The queue, lightest first, with one tree more."""
    match queue:
        case Cons(first, rest) if weight(first) < weight(t):
            return Cons(first, inserted(t, rest))
        case _:
            return Cons(t, queue)


@fun
def queue(counts: borrowed[array[i64]], byte: i64, trees: List[Tree]) -> List[Tree]:
    if byte == len(counts):
        return trees
    if counts[byte] == 0:
        return queue(counts, byte + 1, trees)
    return queue(counts, byte + 1, inserted(Byte(counts[byte], u8(byte)), trees))


@fun
def joined(trees: List[Tree]) -> List[Tree]:
    match trees:
        case Cons(a, Cons(b, rest)):
            return joined(inserted(Fork(weight(a) + weight(b), a, b), rest))
        case _:
            return trees


@fun
def codes(t: Tree, way: List[bool], table: array[List[bool]]) -> array[List[bool]]:
    """For each byte the way to it, from the leaf upwards; True is right."""
    match t:
        case Byte(_, byte):
            return table.set(i64(byte), way)
        case Fork(_, l, r):
            return codes(r, Cons(True, way), codes(l, Cons(False, way), table))


@fun
def in_front(way: List[bool], bits: List[bool]) -> List[bool]:
    match way:
        case Nil():
            return bits
        case Cons(bit, rest):
            return in_front(rest, Cons(bit, bits))


@fun
def encoded(text: borrowed[array[u8]], i: i64, table: borrowed[array[List[bool]]], bits: List[bool]) -> List[bool]:
    if i < 0:
        return bits
    return encoded(text, i - 1, table, in_front(table[i64(text[i])], bits))


@fun
def length(bits: borrowed[List[bool]], n: i64) -> i64:
    match bits:
        case Nil():
            return n
        case Cons(_, rest):
            return length(rest, n + 1)


@fun
def decoded(bits: List[bool], root: Tree, at: Tree, text: array[u8], i: i64) -> array[u8]:
    match at:
        case Byte(_, byte):
            if i == len(text):
                return text
            return decoded(bits, root, root, text.set(i, byte), i + 1)
        case Fork(_, l, r):
            match bits:
                case Nil():
                    if i == len(text):
                        return text
                    raise Damaged(i)
                case Cons(bit, rest):
                    return decoded(rest, root, r if bit else l, text, i)


@fun
def there_and_back(text: array[u8]) -> tuple[i64, array[u8]]:
    """How many bits the text takes, and what they are decoded to. The text has at least two different bytes."""
    match joined(queue(counted(text, 0, array(256, 0)), 0, Nil)):
        case Cons(tree, _):
            bits = encoded(text, len(text) - 1, codes(tree, Nil, array(256, Nil)), Nil)
            size = length(bits, 0)
            return size, decoded(bits, tree, tree, array(len(text), 0), 0)
        case Nil():
            return 0, text
