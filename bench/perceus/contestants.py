"""Who takes part: our compiler, with each optimisation off as well, and the programs of the other languages."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bench.toolchain import ToolError, compiler, run_tool
from usl_core import probe

if TYPE_CHECKING:
    from usl_perceus.decorators import Function

PEERS = Path(__file__).parent / "peers"
PROGRAMS = (
    "rbtree",
    "rbtree_i64",
    "rbtree_random",
    "rbtree_ck",
    "deriv",
    "nqueens",
    "cfold",
    "tmap_fbip",
    "tmap_plain",
    "list_map",
    "list_map_shared",
    "hash_numbers",
    "tree_numbers",
    "hash_words",
)
HASHED = ("hash_numbers", "tree_numbers", "hash_words")
FLAGS = ("-std=c11", "-O2", "-ffp-contract=off")
"""For the C that we generate; nothing that a user might forget."""

OURS = "ours"


@dataclass(frozen=True, slots=True)
class Contestant:
    """A command that takes the name of a program and its sizes; or the reason why there is none."""

    name: str
    command: tuple[str, ...] | None
    missing: str = ""
    programs: tuple[str, ...] = PROGRAMS


MAIN = """\
#include "{name}.h"
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{{
    usl_context *ctx = usl_context_acquire();
    if (argc < {least})
        return 2;
    const int64_t result = {function}({arguments}, ctx);
    printf("%lld\\n", (long long)result);
    return argc > {least} && usl_live_blocks() != 0; /* any further argument asks for this test, which takes time */
}}
"""


def build_ours(
    program: Function,
    folder: Path,
    *,
    off: Sequence[str] = (),
    flags: Sequence[str] = FLAGS,
    command: Sequence[str] | None = None,
) -> Path:
    """An executable of one of our programs. Given one argument more, it fails if its heap is not empty at the end.

    command: the C compiler, if not the usual one.
    """
    from usl_perceus.c import generate
    from usl_perceus.passes import compile_program

    lowered = program.core()
    (exported,) = lowered.exports.values()
    name = program.name()
    source = generate(compile_program(lowered.program, off=off), name)
    folder.mkdir(parents=True, exist_ok=True)
    for file, text in source.files.items():
        (folder / file).write_text(text, encoding="utf-8")
    count = len(lowered.program.funs[exported].params)
    arguments = ", ".join(f"strtoll(argv[{i + 2}], NULL, 10)" for i in range(count))
    main = MAIN.format(name=name, least=count + 2, function=source.functions[exported], arguments=arguments)
    (folder / "main.c").write_text(main, encoding="utf-8")
    output = folder / name
    run_tool(
        [*(command or compiler()), *flags, str(folder / f"{name}_all.c"), str(folder / "main.c"), "-o", str(output), "-lm"]
    )
    return output


def peers(folder: Path, *, java_gigabytes: int | None = None) -> list[Contestant]:
    """The other languages, compiled; each that is not installed says so. java_gigabytes: its largest heap, if not the usual."""
    folder.mkdir(parents=True, exist_ok=True)
    cpp = tuple(name for name in PROGRAMS if name != "rbtree_ck")  # there is no persistent std::map
    others = tuple(name for name in PROGRAMS if name not in ("rbtree_i64", "rbtree_random", *HASHED))
    functional = tuple(name for name in PROGRAMS if name not in HASHED)
    found = [
        _compiled("C++", "g++", ["-O3", str(PEERS / "bench.cpp")], folder / "cpp", "g++", cpp),
        _compiled(
            "OCaml",
            "ocamlopt",
            ["-O3", "-unsafe", "-inline", "200", str(PEERS / "bench.ml")],
            folder / "ml",
            "ocaml-nox",
            functional,
        ),
        _compiled(
            "GHC",
            "ghc",
            ["-v0", "-O2", "-outputdir", str(folder / "hs.d"), str(PEERS / "bench.hs")],
            folder / "hs",
            "ghc",
            others,
        ),
        Contestant("Python", (sys.executable, str(PEERS / "bench.py")), programs=("hash_numbers", "hash_words")),
        _java(folder, [] if java_gigabytes is None else [f"-Xmx{java_gigabytes}g"], others),
    ]
    if found[0].command is not None:
        found.append(Contestant("C++ with mimalloc", with_mimalloc(found[0].command), NO_MIMALLOC, cpp))
    return found


NO_MIMALLOC = "mimalloc is not installed (Debian: libmimalloc2.0)"


def with_mimalloc(command: Sequence[str]) -> tuple[str, ...] | None:
    """The command with malloc from mimalloc, or None where that is not found."""
    library = next((str(path) for path in sorted(Path("/usr/lib").glob("*/libmimalloc.so*"))), None)
    return ("env", f"LD_PRELOAD={library}", *command) if library is not None else None


def _compiled(
    name: str, tool: str, arguments: Sequence[str], output: Path, package: str, programs: tuple[str, ...] = PROGRAMS
) -> Contestant:
    if probe.program(tool) is None:
        return Contestant(name, None, f"{tool} is not installed (Debian: {package})")
    sources = [Path(argument) for argument in arguments if argument.startswith(str(PEERS))]
    copies = {str(source): str(shutil.copy(source, output.parent)) for source in sources}  # compilers write beside the source
    try:
        run_tool([tool, *(copies.get(argument, argument) for argument in arguments), "-o", str(output)])
    except ToolError as error:
        return Contestant(name, None, str(error))
    return Contestant(name, (str(output),), programs=programs)


def _java(folder: Path, options: Sequence[str], programs: tuple[str, ...]) -> Contestant:
    if probe.program("javac") is None or probe.program("java") is None:
        return Contestant("Java", None, "javac is not installed (Debian: default-jdk-headless)")
    try:
        run_tool(["javac", "-d", str(folder), str(PEERS / "Bench.java")])
    except ToolError as error:
        return Contestant("Java", None, str(error))
    return Contestant("Java", ("java", "-Xss1g", *options, "-cp", str(folder), "Bench"), programs=programs)
