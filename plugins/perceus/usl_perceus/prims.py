"""The primitive operations: types and ownership of `ir.Prim`. All are total under the stated preconditions, and never raise.

Scalar operations are overloaded on the type of their first argument. Integers wrap around. The front end tests preconditions
(`index in range`, `divisor not 0`) explicitly, so that what can fail is visible as control flow.

    add sub mul neg            integers, floats
    div mod                    integers, rounded to minus infinity; precondition: the divisor is not 0;
                               the least value by -1 wraps
    fdiv abs, MATH             floats; what is not defined is NaN, and too large infinite
    and or xor not             integers (bitwise), bool
    shl shr                    integers: the count, of the same type, is taken modulo the bits;
                               shr of a signed integer keeps the sign
    eq ne lt le gt ge          integers, floats, enumerations (eq, ne: any; order by tag); result bool
    cast                       integer or float, or an enumeration's tag, to the integer or float `Prim.type`: wraps, or rounds;
                               float to integer truncates and saturates, NaN gives 0
    str_concat(a, b)           owned, owned; the result may reuse a's memory if it is unique
    str_len(a) str_get(a, i)   borrowed; i64, u8; precondition of get: 0 <= i < length
    str_eq(a, b) str_lt(a, b)  borrowed, borrowed; bool; order of bytes
    str_at(a, i)               borrowed; the character of byte i; precondition as of get
    str_code(a, i)             borrowed; i64: the code point of that character
    str_slice(a, i, j)         borrowed; a[i:j] as Python counts, i and j moved back to where a character begins
    str_find(a, b, i)          borrowed, borrowed; i64: the first position from i on where b is, or -1
    str_chr(n)                 n: i64; the character of a code point; precondition: there is one
    str_float(a)               borrowed; f64; precondition: a is a decimal number, inf or nan
    str_fixed(x, n, kind)      x: f64, n and kind i64: x with n digits as `%f`, `%e` or `%g` (kind) of C, as text
    str_quote(a)               borrowed; as Python writes a string in quotes, bytes from 128 on as they are
    show(x)                    an integer, float or bool as STR
    print(a)                   borrowed STR; writes it to standard output; UNIT
    array_make(n, x)           n: i64, x owned (n references); precondition: 0 <= n
    array_blank(n)             n: i64; n numbers yet to be written, by a kernel that writes them all; precondition: 0 <= n
    array_len(a)               borrowed; i64
    array_get(a, i)            borrowed; an owned reference to the element; precondition: 0 <= i < length
    array_set(a, i, x)         a and x owned; in place if a is unique, else on a copy; precondition: 0 <= i < length
    array_empty()              an array without elements, without a block of its own
    array_own(a)               owned; a if it is unique, else a copy. What follows changes the array in place, so that between
                               array_own and the last of them nothing else may use the array:
    array_swap(a, i, x)        a borrowed, x owned; the old element, owned; precondition: 0 <= i < length
    array_take(a, i)           a borrowed; the element, owned, whose place is empty until array_put: until then the array may
                               only be dropped; precondition: 0 <= i < length
    array_put(a, i, x)         a and x owned; fills the place that array_take has emptied
    array_cut(a)               a owned; a without its last place, which array_take has emptied
    array_front(a, n)          a owned; its first n elements, in place if a is unique; precondition: 0 <= n <= length
    array_append(a, x)         a and x owned; a with x behind its elements, in place if a is unique and its block has room
    array_vacate(a, i)         a owned; drops the element at i, whose place may be copied, dropped, and vacated again, but not
                               looked at from then on; in place or on a copy; precondition: 0 <= i < length
    hash(h, x)                 h: u64; x: scalar, or borrowed STR; u64: h mixed with x; equal values give the same
    ref_new(x)                 x owned
    ref_get(r)                 borrowed; an owned reference to the content
    ref_set(r, x)              r borrowed, x owned; drops the old content; UNIT
    ref_swap(r, x)             r borrowed, x owned; the old content, owned
    spawn(f)                   owned closure without parameters that does not throw; all it reaches is marked shared;
                               the thread of its result
    join(t)                    owned thread; waits; the result
    interrupted()              whether the call is to end, because its time is up or Ctrl-C was pressed
    retype(a)                  owned; a itself, a boxed value, as ANY; or a value of ANY as what it is
    kernel_failed(x)           borrowed; whether the kernel call that gave x, which comes just before, has failed
"""

from __future__ import annotations

from usl_perceus.ir import (
    BOOL,
    F64,
    I64,
    STR,
    U8,
    U64,
    UNIT,
    ArrayType,
    DataType,
    FloatType,
    FunType,
    IntType,
    RefType,
    StrType,
    ThreadType,
    Type,
)

MATH: dict[str, int] = {
    **dict.fromkeys(("abs", "sqrt", "exp", "log", "log2", "log10", "sin", "cos", "tan", "asin", "acos", "atan"), 1),
    **dict.fromkeys(("sinh", "cosh", "tanh", "floor", "ceil", "trunc", "round"), 1),
    **dict.fromkeys(("pow", "atan2", "hypot"), 2),
}
"""Functions of floats with the number of their arguments; round is to the nearest, halves to even ones."""

_BORROWED: dict[str, tuple[bool, ...]] = {
    "str_concat": (False, False),
    "str_len": (True,),
    "str_get": (True, True),
    "str_eq": (True, True),
    "str_lt": (True, True),
    "str_at": (True, True),
    "str_code": (True, True),
    "str_slice": (True, True, True),
    "str_find": (True, True, True),
    "str_float": (True,),
    "str_quote": (True,),
    "show": (True,),
    "print": (True,),
    "array_make": (True, False),
    "array_blank": (True,),
    "array_len": (True,),
    "array_get": (True, True),
    "array_set": (False, True, False),
    "array_empty": (),
    "array_own": (False,),
    "array_swap": (True, True, False),
    "array_take": (True, True),
    "array_put": (False, True, False),
    "array_cut": (False,),
    "array_front": (False, True),
    "array_append": (False, False),
    "array_vacate": (False, True),
    "ref_new": (False,),
    "ref_get": (True,),
    "ref_set": (True, False),
    "ref_swap": (True, False),
    "spawn": (False,),
    "join": (False,),
    "retype": (False,),
    "kernel_failed": (True,),
}

ALLOCATING = frozenset(
    {
        *("str_concat", "str_at", "str_slice", "str_chr", "str_fixed", "str_quote", "show"),
        *("array_make", "array_blank", "array_append", "ref_new", "spawn"),
    }
)
"""Primitives that take memory from the heap even on unique arguments."""

COPYING = frozenset({"array_set", "array_own", "array_append", "array_front", "array_vacate"})
"""Primitives that take memory from the heap if their first argument is shared."""

EFFECTS = frozenset(
    {
        *("print", "ref_new", "ref_get", "ref_set", "ref_swap", "array_swap", "array_take", "array_put"),
        *("array_cut", "spawn", "join", "kernel_failed", "interrupted"),
    }
)
"""Primitives that may be neither left out, nor repeated, nor reordered among themselves."""


def borrowed(op: str, count: int) -> tuple[bool, ...]:
    """For each of the count arguments whether the caller keeps it. Scalars have no ownership and count as kept."""
    return _BORROWED.get(op, (True,) * count)


def result_type(op: str, args: tuple[Type, ...], stated: Type) -> Type | None:
    """The type of the result for arguments of these types, or None if op does not exist or does not take them.

    stated is the type that the node claims; `cast`, `retype`, `array_empty` and `array_blank` depend on it.
    """
    match op, args:
        case (("add" | "sub" | "mul"), (IntType() | FloatType() as a, b)) if a == b:
            return a
        case "neg", (IntType() | FloatType() as a,):
            return a
        case (("div" | "mod" | "shl" | "shr"), (IntType() as a, b)) if a == b:
            return a
        case "fdiv", (FloatType() as a, b) if a == b:
            return a
        case _, (FloatType() as a, *others) if MATH.get(op) == len(args) and all(other == a for other in others):
            return a
        case (("and" | "or" | "xor"), (IntType() | DataType("bool") as a, b)) if a == b:
            return a
        case "not", (IntType() | DataType("bool") as a,):
            return a
        case (("eq" | "ne" | "lt" | "le" | "gt" | "ge"), (IntType() | FloatType() | DataType() as a, b)) if a == b:
            return BOOL
        case "cast", (IntType() | FloatType() | DataType(),):
            return stated if isinstance(stated, IntType | FloatType) else None
        case "show", (IntType() | FloatType() | DataType("bool"),):
            return STR
        case "array_empty", () if isinstance(stated, ArrayType):
            return stated
        case "array_blank", (n,) if n == I64 and isinstance(stated, ArrayType) and isinstance(stated.elem, IntType | FloatType):
            return stated
        case "hash", (h, IntType() | FloatType() | DataType() | StrType()) if h == U64:
            return U64
        case "interrupted", ():
            return BOOL
        case "retype", (DataType() | FunType() | StrType() | RefType() | ArrayType() | ThreadType(),):
            return stated
    return _boxed_result(op, args)


def _boxed_result(op: str, args: tuple[Type, ...]) -> Type | None:
    """`result_type` of the operations on strings, arrays, references and threads."""
    result: Type | None = None
    match op, args:
        case "str_concat", (a, b) if a == b == STR:
            result = STR
        case "str_quote", (a,) if a == STR:
            result = STR
        case "str_len", (a,) if a == STR:
            result = I64
        case "str_get", (a, i) if a == STR and i == I64:
            result = U8
        case "str_at", (a, i) if a == STR and i == I64:
            result = STR
        case "str_code", (a, i) if a == STR and i == I64:
            result = I64
        case "str_slice", (a, i, j) if a == STR and i == j == I64:
            result = STR
        case "str_find", (a, b, i) if a == b == STR and i == I64:
            result = I64
        case "str_chr", (n,) if n == I64:
            result = STR
        case "str_float", (a,) if a == STR:
            result = F64
        case "str_fixed", (x, n, kind) if x == F64 and n == kind == I64:
            result = STR
        case (("str_eq" | "str_lt"), (a, b)) if a == b == STR:
            result = BOOL
        case "print", (a,) if a == STR:
            result = UNIT
        case "array_make", (n, x) if n == I64:
            result = ArrayType(x)
        case "array_len", (ArrayType(),):
            result = I64
        case "array_get", (ArrayType(elem=elem), i) if i == I64:
            result = elem
        case (("array_set" | "array_put"), (ArrayType(elem=elem) as a, i, x)) if i == I64 and x == elem:
            result = a
        case (("array_vacate" | "array_front"), (ArrayType() as a, i)) if i == I64:
            result = a
        case (("array_own" | "array_cut"), (ArrayType() as a,)):
            result = a
        case "array_append", (ArrayType(elem=elem) as a, x) if x == elem:
            result = a
        case "array_swap", (ArrayType(elem=elem), i, x) if i == I64 and x == elem:
            result = elem
        case "array_take", (ArrayType(elem=elem), i) if i == I64:
            result = elem
        case "ref_new", (x,):
            result = RefType(x)
        case "ref_get", (RefType(elem=elem),):
            result = elem
        case "ref_set", (RefType(elem=elem), x) if x == elem:
            result = UNIT
        case "ref_swap", (RefType(elem=elem), x) if x == elem:
            result = elem
        case "spawn", (FunType(params=(), result=value, throws=False),):
            result = ThreadType(value)
        case "join", (ThreadType(result=value),):
            result = value
        case "kernel_failed", (ArrayType() | DataType() | IntType() | FloatType(),):
            result = BOOL
    return result
