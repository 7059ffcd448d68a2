"""What one generated C file accumulates while its functions are written."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache

from usl_c11.names import Names
from usl_c11.runtime import runtime_files
from usl_core.errors import Span
from usl_perceus.c.reserved import reserved_names
from usl_perceus.c.types import Record, Types, identifier, words_in_header
from usl_perceus.ir import (
    Atom,
    DataType,
    FloatType,
    FunRef,
    FunType,
    IntType,
    Layout,
    Lit,
    Nullary,
    Program,
    Type,
    Var,
)

INDENT = "    "


@dataclass(slots=True)
class Unit:
    """One `.c` file: the names of its functions, and what they were found to need."""

    program: Program
    names: Names
    types: Types
    functions: dict[str, str]
    """C name of each function of the program."""
    helpers: dict[str, str] = field(default_factory=dict)
    """Definitions that go before the functions, by what they are for."""
    prototypes: list[str] = field(default_factory=list)
    lambdas: list[str] = field(default_factory=list)
    includes: dict[str, None] = field(default_factory=dict)
    pthread: bool = False

    def global_name(self, wanted: str) -> str:
        """A name for something that is not known before functions are written; no local, and nothing of the runtime, has it or
        begins with it."""
        while True:
            count = self._globals[wanted] = self._globals.get(wanted, 0) + 1
            name = f"usl_{wanted}" if count == 1 else f"usl_{wanted}_{count}"
            if not any(word == name or word.startswith(f"{name}_") for word in _runtime_words()):
                return name

    def local_names(self) -> Names:
        """Names for the locals of a function: none hides a global of the program, but one of the system's functions may be."""
        return Names(self.names.all() - frozenset(name for name in reserved_names() if not name.isupper()))

    def helper(self, key: str, wanted: str, write: Callable[[str], str]) -> str:
        """The C name of a definition that is written once; write makes its text, given the name."""
        full = f"{key}:{wanted}"
        if full not in self._named:
            name = self.global_name(wanted)
            self._named[full] = name
            self.helpers[name] = write(name)
        return self._named[full]

    _named: dict[str, str] = field(default_factory=dict)
    _globals: dict[str, int] = field(default_factory=dict)

    # ---- atoms

    def atom(self, atom: Atom, variables: dict[Var, str]) -> str:
        """The C of an atom; the names of variables are those given."""
        match atom:
            case Var():
                return variables[atom]
            case Nullary(con=con):
                if con.data == "bool":
                    return "true" if con.tag else "false"
                if self.program.datas[con.data].layout is Layout.ENUM:
                    return self.enumerator(con.data, con.tag)
                return self.constant(con.data, con.tag)
            case FunRef(fun=fun, type=type):
                return self.static_closure(fun, type)
            case Lit(value=value, type=type):
                return self.literal(value, type)

    def enumerator(self, data: str, tag: int) -> str:
        """The C name of a constructor of an enumeration."""

        def write(name: str) -> str:
            cons = self.program.datas[data].cons
            return f"enum {{ {', '.join(f'{name}_{identifier(con.name)} = {con.tag}' for con in cons)} }};"

        return f"{self.helper('enum', identifier(data), write)}_{identifier(self.program.datas[data].cons[tag].name)}"

    def constant(self, data: str, tag: int) -> str:
        """The C of a constructor without fields of a boxed type."""
        return f"USL_CONSTANT({tag} /* {self.program.datas[data].cons[tag].name.replace('*/', '')} */)"

    def literal(self, value: int | float | bytes | None, type: Type) -> str:
        """The C of a constant; a string becomes a static object of the unit, the unit value is 0."""
        match type, value:
            case IntType(bits=bits, signed=signed), int():
                return integer(value, bits, signed)
            case FloatType(bits=bits), float() | int():
                return self.floating(float(value), bits)
            case DataType(), int():
                return str(value)
            case _, bytes():
                return self.string(value)
        return "0"

    def floating(self, value: float, bits: int) -> str:
        """A constant of the type, in parentheses if negative."""
        if math.isfinite(value):
            text = repr(abs(value)) + ("f" if bits == 32 else "")
        else:
            self.includes["<math.h>"] = None
            text = "INFINITY" if math.isinf(value) else "NAN"
        return f"(-{text})" if math.copysign(1.0, value) < 0 and not math.isnan(value) else text

    def string(self, value: bytes) -> str:
        """The value of a static string, defined once."""
        text = c_string(value)

        def write(name: str) -> str:
            return f"static USL_STRING({name}, {len(value)}) = USL_STRING_INIT({text});"

        return f"USL_STATIC({self.helper(f'string {value!r}', 'text', write)})"

    def static_closure(self, fun: str, type: FunType) -> str:
        """The value of a top-level function: a closure without captures that calls it."""
        types, target = self.types, self.functions[fun]

        def write(name: str) -> str:
            kept = [param for param in type.params if not types.is_void(param)]
            formals = [types.declaration(param, f"a{i}") for i, param in enumerate(kept)]
            head = f"static {types.declaration(type.result, f'{name}_call')}({', '.join([*formals, CLOSURE_TAIL])})"
            call = f"{target}({', '.join([*(f'a{i}' for i in range(len(kept))), 'ctx'])});"
            returned = call if types.is_void(type.result) else f"return {call}"
            code = f"{head}\n{{\n{INDENT}(void)self;\n{INDENT}{returned}\n}}"
            return f"{code}\n{static_closure_object(name)}"

        return f"USL_STATIC({self.helper('closure', f'{target}_closure', write)})"

    # ---- places

    def site(self, span: Span) -> str:
        """`"file:line"` for the debug runtime."""
        return c_string(_file_and_line(span).encode())

    def place(self, span: Span, reason: str) -> str:
        """`"file:line: reason"`, or only the place if there is none to tell."""
        text = f"{_file_and_line(span)}: {reason}" if reason else _file_and_line(span)
        return c_string(text.encode("utf-8", "replace"))

    def new_block(self, record: Record, span: Span) -> str:
        """The C that allocates a block; it has no header yet."""
        return f"usl_new({record.words}, {self.site(span)}, ctx)"

    def init_block(self, record: Record, block: str) -> str:
        """The statement that writes the header of a block, new or reused."""
        return f"usl_init({block}, {self.header(record)});"

    def header(self, record: Record) -> str:
        """The arguments that a header is made of."""
        return f"{record.scan}, {record.path}, {record.tag}, {record.words}"


def _file_and_line(span: Span) -> str:
    file = span.file.replace("\\", "/").rpartition("/")[2]
    return f"{file}:{span.line}" if span.line > 0 else "?"


@cache
def _runtime_words() -> frozenset[str]:
    """The identifiers of the runtime's header."""
    return frozenset(re.findall(r"\busl_\w+", runtime_files()["usl_rt.h"]))


CLOSURE_TAIL = "usl_value self, usl_context *ctx"
"""The last parameters of the code of a closure."""


def static_closure_object(name: str) -> str:
    """The definition of the closure of a top-level function, which captures nothing."""
    return f"static struct usl_closure {name} = USL_CLOSURE_INIT({name}_call);"


def free_block(record: Record, block: str) -> str:
    """A statement that gives the memory of a block back."""
    return f"usl_free_memory({block}, {words_in_header(record.words)}, ctx);"


def integer(value: int, bits: int, signed: bool) -> str:
    """A constant of the type, in parentheses if negative."""
    if signed and value == -(1 << (bits - 1)):
        return f"INT{bits}_MIN"
    suffix = "" if signed else "u"
    if bits == 64 and abs(value) >= 1 << 31:
        text = f"{'' if signed else 'U'}INT64_C({abs(value)})"
    else:
        text = f"{abs(value)}{suffix}"
    return text if value >= 0 else f"(-{text})"


def c_string(value: bytes) -> str:
    """A string literal; octets that are not plain ASCII in octal, `?` as well because of trigraphs."""
    plain = {ord("\\"): "\\\\", ord('"'): '\\"', ord("\n"): "\\n", ord("?"): "\\?"}
    return '"' + "".join(plain.get(b, chr(b) if 32 <= b < 127 else f"\\{b:03o}") for b in value) + '"'
