"""Memories for the tests of the conformance check: a right one on the heap, and ones with one mistake each."""

from __future__ import annotations

from kernels_conformance import BACKWARDS, PAD, V4

from usl_core import DRAM, Memory, instr


class Heap(Memory):
    """Right: storage from the heap, of extents known at run time too."""

    name = "Heap"

    @classmethod
    def header(cls):
        return "#include <stdlib.h>"

    @classmethod
    def alloc(cls, name, ctype, shape, span):
        return f"{ctype} *{name} = malloc(sizeof({ctype}) * (size_t)({' * '.join(shape)}));"

    @classmethod
    def free(cls, name, ctype, shape, span):
        return f"free({name});"


class Leaking(Heap):
    name = "Leaking"

    @classmethod
    def free(cls, name, ctype, shape, span):
        return ""


class FreesInside(Heap):
    name = "FreesInside"

    @classmethod
    def free(cls, name, ctype, shape, span):
        return f"free({name} + 1);"


class FreesTwice(Heap):
    name = "FreesTwice"

    @classmethod
    def free(cls, name, ctype, shape, span):
        return f"free({name}); free({name});"


class Shared(Memory):
    """All buffers are the same storage."""

    name = "Shared"

    @classmethod
    def header(cls):
        return "static double shared_storage[1 << 14];"

    @classmethod
    def alloc(cls, name, ctype, shape, span):
        return f"{ctype} *{name} = ({ctype} *)shared_storage;"


class WrongWindow(Heap):
    """Rows are taken to be one element long."""

    name = "WrongWindow"

    @classmethod
    def window(cls, base, ctype, indices, strides, span):
        return f"{base}[{' + '.join(indices)}]"


class WrongWindowOfRegister(V4):
    """The index of the register is lost."""

    name = "WrongWindowOfRegister"

    @classmethod
    def window(cls, base, ctype, indices, strides, span):
        return base + "[0]" * (len(indices) - 1)


class WrongReduce(Heap):
    name = "WrongReduce"

    @classmethod
    def reduce(cls, access, ctype, value, span):
        return f"{access} = {value};"


class NoCode(Heap):
    name = "NoCode"

    @classmethod
    def alloc(cls, name, ctype, shape, span):
        return f"{ctype} *{name} = no_such_function();"


class BadName(Heap):
    name = "Bad Name"


@instr("memcpy({dst}.lane, {src.ptr}, 16);", includes=("string.h",))
def load_wrong_window(dst: [f32][4] @ WrongWindowOfRegister, src: [f32][4] @ DRAM):
    assert stride(src, 0) == 1
    for i in seq(0, 4):
        dst[i] = src[i]


RIGHT_MEMORIES = (V4, BACKWARDS, PAD, Heap)
WRONG_MEMORIES = {
    Leaking: ("E814", "`free` is missing"),
    FreesInside: ("E812", "`free` releases"),
    FreesTwice: ("E812", "`free` releases"),
    Shared: ("E810", "share storage"),
    WrongWindow: ("E81[02]", "`window`"),
    WrongWindowOfRegister: ("E810", "`window`"),
    WrongReduce: ("E810", ""),
    NoCode: ("E813", ""),
    BadName: ("E815", "identifier"),
}
"""Each mistake with the code of its finding and what the report says about it."""
