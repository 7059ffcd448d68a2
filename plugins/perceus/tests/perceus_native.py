"""Compiled programs for tests: many random programs become one C program, whose output says what each of them gave."""

from __future__ import annotations

import ast
import dataclasses
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from usl_c11.compiler import find_compiler
from usl_c11.names import Names
from usl_core.errors import Span
from usl_perceus.c import counts, generate
from usl_perceus.c.types import Types
from usl_perceus.ir import (
    EXN,
    ArrayType,
    DataType,
    FloatType,
    FunRef,
    FunType,
    IntType,
    Label,
    Layout,
    Program,
    RefType,
    StrType,
    ThreadType,
    Type,
    UnitType,
    Var,
)

Outcome = tuple[object, list[bytes]]


# ---- many programs as one


def renamed(node: Any, prefix: str) -> Any:
    """The node with every function name prefixed."""
    match node:
        case FunRef(fun=fun):
            return dataclasses.replace(node, fun=prefix + fun)
        case tuple():
            return tuple(renamed(item, prefix) for item in node)
        case Var() | Label() | Span() | str() | int() | None:
            return node
    if not dataclasses.is_dataclass(node):
        return node
    changes = {
        field.name: renamed(getattr(node, field.name), prefix)
        for field in dataclasses.fields(node)
        if field.name not in ("span", "type", "con")
    }
    if type(node).__name__ == "Call":
        changes["fun"] = prefix + node.fun
    return dataclasses.replace(node, **changes)


def merged(programs: Sequence[Program]) -> Program:
    """One program with the functions of all, that of number i prefixed `p{i}_`; their data types must be the same."""
    funs, loops = {}, 0
    for i, program in enumerate(programs):
        for fun in program.funs.values():
            new = renamed(fun, f"p{i}_")
            loop = None if fun.loop is None else fun.loop + loops
            funs[f"p{i}_{fun.name}"] = dataclasses.replace(new, name=f"p{i}_{fun.name}", loop=loop)
        loops += 1 + max([fun.loop for fun in program.funs.values() if fun.loop is not None], default=0)
    exports = tuple(f"p{i}_{name}" for i, program in enumerate(programs) for name in program.exports)
    return dataclasses.replace(programs[0], funs=funs, exports=exports)


# ---- a driver that prints results as Python's literals


class Printer:
    """C functions that print values; each is called show_KEY and leaves its argument alone."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.types = Types(program.datas, Names())
        self.made: dict[Type, str] = {}
        self.texts: list[str] = []

    def show(self, type: Type) -> str:
        if type not in self.made:
            self.made[type] = f"show_{len(self.made)}"
            kind = "int" if self.types.is_void(type) else self.types.spelling(type)
            body = "\n".join(f"    {line}" for line in self.body(type))
            head = f"static void {self.made[type]}({kind} x)"
            self.texts.insert(0, f"{head};")
            self.texts.append(f"{head}\n{{\n    (void)x;\n{body}\n}}")
        return self.made[type]

    def body(self, type: Type) -> list[str]:
        match type:
            case IntType(signed=signed):
                return ['printf("%lld", (long long)x);' if signed else 'printf("%llu", (unsigned long long)x);']
            case FloatType():
                return ['printf("%.17e", (double)x);']
            case UnitType():
                return ['printf("None");']
            case FunType():
                return ["printf(\"'<Closure>'\");"]
            case ThreadType():
                return ["printf(\"'<Thread>'\");"]
            case StrType():
                return [
                    'printf("b\'");',
                    "for (int64_t i = 0; i < usl_string_length(x); i++)",
                    '    printf("\\\\x%02x", usl_string_get(x, i));',
                    'printf("\'");',
                ]
            case ArrayType(elem=elem):
                return [
                    "printf(\"['array'\");",
                    "for (int64_t i = 0; i < usl_array_length(x); i++) {",
                    f'    printf(", "); {self.show(elem)}(usl_boxed_elements(x)[i]);',
                    "}",
                    'printf("]");',
                ]
            case RefType(elem=elem):
                load = self.types.load(self.types.cell(elem, "USL_TAG_REF"), "x", 0, elem)
                return ["printf(\"['ref', \");", f"{self.show(elem)}({load});", 'printf("]");']
            case DataType(name=name):
                return self.data(self.program.datas[name])
        raise AssertionError(type)

    def data(self, decl: Any) -> list[str]:
        if decl.layout is Layout.ENUM:
            names = ", ".join(f"\"('{con.name}',)\"" for con in decl.cons)
            return [f"static const char *const names[] = {{{names}}};", 'printf("%s", names[x]);']
        lines = []
        for con in decl.cons:
            if decl.layout is Layout.BOXED and not con.fields:
                lines += [f"if (x == USL_CONSTANT({con.tag}u)) {{ printf(\"('{con.name}',)\"); return; }}"]
                continue
            boxed = decl.layout is Layout.BOXED
            test = f"!usl_is_constant(x) && usl_tag(x) == {con.tag}" if boxed else "1"
            lines += [f"if ({test}) {{", f"    printf(\"('{con.name}'\");"]
            for i, (_, field) in enumerate(con.fields):
                if boxed:
                    text = self.types.load(self.types.constructor(con), "x", i, field)
                else:
                    text = "x" + self.types.member(con.type, (i,))
                lines.append(f'    printf(", "); {self.show(field)}({"0" if self.types.is_void(field) else text});')
            lines += ['    printf(",)");' if not con.fields else '    printf(")");', "    return;", "}"]
        return lines


def driver(program: Program, name: str, functions: dict[str, str], header: str) -> str:
    """C with a `main` that calls each exported function, which has no parameters, and prints what it gives."""
    printer = Printer(program)
    calls = []
    show_exn = printer.show(EXN) if "exn" in program.datas else None
    for i, export in enumerate(program.exports):
        fun = program.funs[export]
        void = printer.types.is_void(fun.result)
        calls += [f'printf("\\n@{i}\\n");', "{"]
        call = f"{functions[export]}(ctx)"
        calls.append(f"    {call};" if void else f"    {printer.types.declaration(fun.result, 'result')} = {call};")
        calls.append('    printf("\\n=");')
        if show_exn is not None:
            calls += [
                "    if (ctx->thrown) {",
                "        ctx->thrown = 0;",
                f'        printf("(\'raise\', "); {show_exn}(ctx->exception.boxed); printf(")");',
                "        usl_drop(ctx->exception.boxed, ctx);",
                "    } else",
            ]
        calls.append("    {")
        calls.append(f"        {printer.show(fun.result)}({'0' if void else 'result'});")
        calls += [f"        {line}" for line in ([] if void else counts.drop(printer.types, fun.result, "result"))]
        calls += ["    }", "}", 'printf("\\n!%lld", (long long)usl_live_blocks());']
    body = "\n".join(f"    {line}" for line in calls)
    return "\n\n".join(
        [
            f'#include "{name}.h"\n#include <stdio.h>',
            *(text for text in printer.types.definitions if text not in header),
            *printer.texts,
            f"int main(void)\n{{\n    usl_context *ctx = usl_context_acquire();\n{body}\n    usl_context_release(ctx);\n"
            "#ifdef USL_DEBUG\n    usl_debug_report();\n#endif\n"
            "    return !usl_runtime_reset();\n}\n",
        ]
    )


def build(program: Program, folder: Path, flags: Sequence[str], main: str) -> Path:
    """An executable of the program with a driver."""
    return linked(generate(program, "prog").files, folder, flags, main)


def linked(files: Mapping[str, str], folder: Path, flags: Sequence[str], main: str, compiler: str | None = None) -> Path:
    """An executable of the C of a program with a driver, by the compiler of that name, else by the usual one."""
    for file, text in files.items():
        (folder / file).write_text(text)
    (folder / "main.c").write_text(main)
    output = folder / "main"
    command = [*((compiler,) if compiler else find_compiler().command), "-std=c11", "-ffp-contract=off", "-pthread", *flags]
    done = subprocess.run(
        [*command, "prog_all.c", "main.c", "-o", str(output), "-lm"], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[:4000]
    return output


def outcomes(
    programs: Sequence[Program], folder: Path, flags: Sequence[str] = ("-O0",), compiler: str | None = None
) -> list[Outcome]:
    """What the `main` of each program gives, compiled; asserts that every heap is empty after its program."""
    program = merged(programs) if len(programs) > 1 else programs[0]
    source = generate(program, "prog")
    main = driver(program, "prog", source.functions, source.files["prog.h"])
    executable = linked(source.files, folder, flags, main, compiler)
    done = subprocess.run([str(executable)], capture_output=True, check=False, cwd=folder)
    assert done.returncode == 0, done.stderr.decode(errors="replace")[-4000:] + done.stdout.decode(errors="replace")[-500:]
    results: list[Outcome] = []
    for i, text in enumerate(done.stdout.split(b"\n@")[1:]):
        printed, _, rest = text.partition(b"\n")[2].rpartition(b"\n=")
        value, _, live = rest.rpartition(b"\n!")
        assert live == b"0", f"program {i} leaves {live.decode()} blocks"
        results.append((ast.literal_eval(value.decode()), [printed]))
    return results
