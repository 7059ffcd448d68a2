"""Instructions from texts with blanks: one text, an instruction for each kind of register.

    family(\"\"\"
        @instr("{dst} = _mm512_abs_$s({src});")
        def mm512_abs_$s(dst: [$t][$l] @ AVX512, src: [$t][$l] @ AVX512):
            for i in seq(0, $l):
                dst[i] = abs(src[i])
    \"\"\", PS, PD)

gives mm512_abs_ps and mm512_abs_pd. Left out of a text, because they are always the same: the header, the assertion that the
last stride of an operand is 1 (unless the text asserts or names a stride of that operand), the C of the helpers that it names,
and the features of the registers. `lanewise` writes the text of what is done lane by lane, with its masked form.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from string import Template
from textwrap import dedent, indent
from typing import TYPE_CHECKING

from usl_avx512.externs import EXTERNS
from usl_avx512.isa.function_texts import alone, four_texts, function_texts
from usl_avx512.isa.helpers import HELPERS
from usl_avx512.masks import MACROS
from usl_avx512.memories import AVX2, AVX512, AVX512_MASK, AVX512_XMM, AVX512_YMM
from usl_avx512.tables import EXTERNS as IN_TABLES
from usl_core.ir.memory import DRAM

if TYPE_CHECKING:
    from usl_core import Procedure

_MEMORIES = (AVX512, AVX512_YMM, AVX512_XMM, AVX512_MASK, AVX2, DRAM)
_SCOPE: dict[str, object] = {memory.name: memory for memory in _MEMORIES}
_SCOPE |= {extern.name: extern for extern in EXTERNS} | IN_TABLES
_LOOPS = re.compile(r"^ +for \w+ in seq\(0, (\w+)\):", re.MULTILINE)
_TENSOR = re.compile(r"(\w+): \[\w+\]\[([^\]]*)\]")
_NAME = re.compile(r"^ *def ([^(]+)\(", re.MULTILINE)
_DATA = re.compile(r"\w+: \[?([iufb]\d+|bf16)\b")


@dataclass(frozen=True, slots=True)
class Lanes:
    """A kind of register, and how intrinsics are spelt for it. The blanks of a text are the fields and `extra`.

    blend: C text that is `$value` in the first n lanes of `{dst}` and `{dst}` in the others.
    """

    s: str
    """The suffix of names: `ps`."""
    t: str
    """The type of an element: `f32`."""
    l: int  # noqa: E741  # a blank that is often written, beside $s and $t
    """How many lanes."""
    memory: str
    p: str
    """The prefix of names: `mm512`."""
    blend: str
    features: tuple[str, ...]
    extra: Mapping[str, str] = field(default_factory=dict)

    def blanks(self) -> dict[str, str]:
        """What stands for the blanks of a template."""
        return {"s": self.s, "t": self.t, "l": str(self.l), "m": self.memory, "p": self.p, **self.extra}


class Source:
    """An instruction as text that is not parsed yet, nor written before it is asked for: most instructions never are."""

    __slots__ = ("_calls", "_text", "_write", "features", "file", "name")

    def __init__(
        self,
        name: str,
        features: Sequence[str],
        write: Callable[[], str],
        calls: Callable[[], Mapping[str, Procedure]] = dict,
    ) -> None:
        self.name, self.file, self.features = name, f"<{name}>", frozenset(features)
        self._write, self._text, self._calls = write, "", calls

    @property
    def text(self) -> str:
        """The declaration."""
        if not self._text:
            self._text = self._write()
        return self._text

    def parse(self) -> Procedure:
        """The instruction that the text declares."""
        from usl_core import proc_from_source

        return proc_from_source(self.text, {**_SCOPE, **self._calls()}, self.file)


class Table:
    """Instructions by name, parsed when they are first asked for."""

    def __init__(self, module: str, *groups: Iterator[Source]) -> None:
        self._module = module
        self._sources = {source.name: source for group in groups for source in group}
        self._parsed: dict[str, Procedure] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its instructions, in order."""
        return tuple(self._sources)

    def find(self, name: str) -> Procedure:
        """The instruction of that name.

        Raises:
            AttributeError: there is none, in the words of a module that lacks a name.
        """
        if name not in self._sources:
            raise AttributeError(f"module {self._module!r} has no attribute {name!r}")
        if name not in self._parsed:
            self._parsed[name] = self._sources[name].parse()
        return self._parsed[name]

    def of_lanes(self, width: int, features: frozenset[str], types: frozenset[str] | None = None) -> Iterator[str]:
        """The names of those whose one loop goes over so many lanes, which need none but these features, and whose operands
        are of these types. Those that go past the caches are not among them."""
        for name, source in self._sources.items():
            suits = (
                source.features <= features
                and "fence=" not in source.text
                and (types is None or types.issuperset(_DATA.findall(source.text)))
            )
            if suits and _LOOPS.findall(source.text) == [str(width)] and "@ AVX2" not in source.text:
                yield name

    def all(self) -> tuple[Procedure, ...]:
        """Its instructions, in order."""
        return tuple(map(self.find, self._sources))


def family(
    text: str, *rows: Lanes, features: Sequence[str] = (), calls: Callable[[], Mapping[str, Procedure]] = dict
) -> Iterator[Source]:
    """The instruction of a text for each kind of register. features are needed in addition to those of the registers.

    calls gives the instructions that the body calls, by name.
    """

    def write(row: Lanes) -> str:
        return _complete(Template(dedent(text).strip()).substitute(row.blanks()), (*row.features, *features))

    name = Template(_name(text))
    for row in rows:
        yield Source(name.substitute(row.blanks()), (*row.features, *features), partial(write, row), calls)


def plain(text: str, *features: str) -> Iterator[Source]:
    """An instruction of its own: a text without blanks."""
    yield Source(_name(text), features, lambda: _complete(dedent(text).strip(), features))


def _name(text: str) -> str:
    found = _NAME.search(text)
    assert found is not None, text
    return found[1]


def lanewise(
    name: str,
    statement: str,
    value: str,
    *rows: Lanes,
    options: str = "",
    features: Sequence[str] = (),
    forms: Sequence[str] = ("", "mask_"),
    alias: bool = True,
) -> Iterator[Source]:
    """What statement does with lane i of registers, in all lanes and (`mask_`) in those below n.

    value is C for what it leaves in `{dst}`. `x[i]` in the statement is a register; other names, apart from functions, are
    scalars. All registers may be the same ones, if alias.
    """

    def write(row: Lanes, form: str) -> str:
        blanks = row.blanks()
        body, result = Template(statement).substitute(blanks), Template(value).substitute(blanks)
        registers, formals = _formals(body, row)
        shared = f"aliasable={tuple(registers)!r}, " if alias and len(registers) > 1 else ""
        c = Template(row.blend).substitute(value=result) if form else result
        head = f"@instr({f'{{dst}} = {c};'!r}, {shared}{options})".replace(", )", ")")
        guarded = f"if i < n:\n    {body}" if form else body
        size = ["n: size"] if form else []
        lines = f"for i in seq(0, {row.l}):\n{indent(guarded, '    ')}"
        signature = f"def {row.p}_{form}{name}_{row.s}({', '.join([*size, *formals])}):"
        return _complete(f"{head}\n{signature}\n{indent(lines, '    ')}", (*row.features, *features))

    for row in rows:
        for form in forms:
            yield Source(f"{row.p}_{form}{name}_{row.s}", (*row.features, *features), partial(write, row, form))


def _formals(statement: str, row: Lanes) -> tuple[list[str], list[str]]:
    """The names of the registers of a statement, and all its formals, in the order of the text."""
    names = dict.fromkeys(re.findall(r"\b[a-z]\w*\b(?!\()", statement))
    registers = [name for name in names if f"{name}[i]" in statement]
    formals = []
    for name in names:
        if name in registers:
            typ = row.extra.get(f"type_{name}", row.t)
            formals.append(f"{name}: [{typ}][{row.l}] @ {row.memory}")
        elif name != "i":
            formals.append(f"{name}: {row.t} @ DRAM")
    return registers, formals


def _complete(text: str, features: Sequence[str]) -> str:
    """The text with what every instruction has."""
    decorator, _, definition = text.partition("\ndef ")
    signature, _, body = definition.partition(":\n")
    free = [tensor for tensor in _TENSOR.findall(signature) if _strides_are_free(tensor[0], decorator, body)]
    asserted = "".join(f"    assert stride({operand}, {shape.count(',')}) == 1\n" for operand, shape in free)
    shared = _shared(decorator)
    options = f", includes=('immintrin.h',), features={tuple(dict.fromkeys(features))!r}"
    options += f", c_global={shared!r}" if shared else ""
    head = decorator.rstrip().removesuffix(")").rstrip().removesuffix(",")
    return f"{head}{options})\ndef {signature}:\n{asserted}{body}\n"


def _strides_are_free(operand: str, decorator: str, body: str) -> bool:
    """Whether a text says nothing about the strides of an operand itself."""
    return f"{operand}.stride" not in decorator and f"stride({operand}," not in body


def _shared(template: str) -> str:
    """The C of the helpers and macros that a template names, and of those that they name."""
    needed = [text for use, text in MACROS.items() if use in template]
    helpers = [text for name, text in (HELPERS | function_texts()).items() if f"{name}(" in template]
    for name, text in four_texts().items():
        helpers += [function_texts()[alone(name)], text] if f"{name}(" in template else []
    return "".join(dict.fromkeys([*needed, *helpers]))
