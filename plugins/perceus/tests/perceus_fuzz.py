"""`make fuzz WHAT=perceus`: random functional programs in C, with sanitizers and warnings as errors, against the interpreter.

nested     every kind of value inside every other (`perceus_nested`): what C gives, and a heap that is empty at the end
flow       control flow, patterns, exceptions, loops (`test_perceus_front_random`)
promises   functions that rebuild lists, arrays, cells and records in place (`perceus_rebuilding`): those that `@no_alloc` would
           be accepted for are called on unique arguments, in C with its counts and in the heap semantics; none may allocate

Many programs become one C program. Counts add up in .cache/fuzz_perceus.json for one version of the code.
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import json
import random
import re
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import perceus_nested
import test_perceus_front_random as flow
from perceus_front import PRELUDE
from perceus_native import build, outcomes
from perceus_rebuilding import Rebuilding
from perceus_semantics import standard
from test_perceus_promises import Counting, promising

from usl_core import probe
from usl_perceus.c import generate
from usl_perceus.errors import PerceusError
from usl_perceus.front.lower import lower
from usl_perceus.front.module import parse_program
from usl_perceus.ir import ArrayType, Program, RefType
from usl_perceus.passes import OPTIONAL, compile_program

ROOT = Path(__file__).parents[3]
RECORD, FAILURES = ROOT / ".cache" / "fuzz_perceus.json", ROOT / ".cache" / "fuzz_perceus"
STRICT = ("-Wall", "-Wextra", "-Werror")
QUIET = ("-Wno-unused", "-Wno-unused-but-set-variable", "-Wno-unused-but-set-parameter", "-Wno-tautological-compare")
"""Random control flow computes what it does not use, and compares variables with themselves; so does its C."""
SANITIZED = ("-O0", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", *STRICT)
DEBUG = ("-O0", "-DUSL_DEBUG", *STRICT)
BATCH = 40
TURNS = ("nested", "nested", "flow", "nested", "promises")


@dataclass(frozen=True)
class Batch:
    """Programs of one kind, by their seeds."""

    kind: str
    seeds: tuple[int, ...]


@dataclass
class Result:
    """What came of a batch: programs that were compared, and the seeds and texts of those that failed, with the reason."""

    batch: Batch
    programs: int = 0
    functions: int = 0
    """Promised functions that were called on unique arguments."""
    failures: list[tuple[int, str, str]] = field(default_factory=list)


def batches(seed: int, done: int, programs: int) -> Iterator[Batch]:
    """From the program of number done on."""
    for number in range(done // BATCH, -(-(done + programs) // BATCH)):
        first = seed * 1_000_000_000 + number * BATCH
        yield Batch(TURNS[number % len(TURNS)], tuple(range(first, first + BATCH)))


# ---- one batch


def run(batch: Batch) -> Result:
    """All programs at once; one by one if something fails."""
    check = {"nested": nested, "flow": in_flow, "promises": promised}[batch.kind]
    result = Result(batch)
    gc.collect()  # and not again while a batch is made: a tenth of the time
    gc.disable()
    try:
        check(batch.seeds, result)
    except Exception:
        together = traceback.format_exc()
        result = Result(batch)
        for seed in batch.seeds:
            try:
                check((seed,), result)
            except Exception:
                result.failures.append((seed, text_of(batch.kind, seed), traceback.format_exc()))
        if not result.failures:
            result.failures.append((batch.seeds[0], "", "only together: " + together))
    finally:
        gc.enable()
    return result


def text_of(kind: str, seed: int) -> str:
    """The text of a program."""
    match kind:
        case "nested":
            return perceus_nested.DECLARATIONS + perceus_nested.program(seed, f"p{seed}_")
        case "flow":
            return flow.DECLARATIONS + flow_program(seed)
        case _:
            return PRELUDE + Rebuilding(random.Random(seed)).program()


@dataclass(frozen=True)
class Setting:
    """Flags of the C compiler, its name (None: the usual one), and passes to leave out."""

    flags: tuple[str, ...]
    compiler: str | None
    off: tuple[str, ...]


def setting(seed: int) -> Setting:
    """Clang takes part in two thirds of the programs, where it is there: it takes half the time."""
    rng = random.Random(seed)
    off = tuple(name for name in sorted(OPTIONAL) if rng.random() < 0.3) if rng.random() < 0.5 else ()
    flags = SANITIZED if rng.random() < 0.6 else DEBUG
    return Setting(flags, "clang" if rng.random() < 0.67 and probe.program("clang") else None, off)


def compared(made: Program, names: Sequence[str], seed: int, quiet: Sequence[str] = ()) -> None:
    """What C gives is what the standard semantics says."""
    expected = [standard.plain(standard.run(made, name)) for name in names]
    how = setting(seed)
    compiled = compile_program(made, off=how.off)
    with tempfile.TemporaryDirectory(prefix="usl-fuzz-") as folder:
        got = [value for value, _ in outcomes([compiled], Path(folder), (*how.flags, *quiet), how.compiler)]
    for name, one, other in zip(names, got, expected, strict=True):
        assert one == other, f"{name}: C gives {one}, the interpreter {other}; {how}"


def nested(seeds: Sequence[int], result: Result) -> None:
    """Values of nested types."""
    names = [f"p{seed}_" for seed in seeds]
    texts = [perceus_nested.program(seed, name) for seed, name in zip(seeds, names, strict=True)]
    definitions = parse_program(perceus_nested.DECLARATIONS + "\n".join(texts), "<random>", perceus_nested.SCOPE)
    compared(lower([definitions[name] for name in names]).program, names, seeds[0])
    result.programs += len(names)


def flow_program(seed: int) -> str:
    """A text with a function `entry_SEED` without parameters."""
    text = flow.source(seed) + f"\n@fun\ndef entry_{seed}() -> i64:\n    return main(1, 2) + main(7, 7)\n"
    return re.sub(r"\b(abs_|main)\b", rf"\g<1>_{seed}", text)


def in_flow(seeds: Sequence[int], result: Result) -> None:
    """Control flow; programs that the language refuses, Python's scopes being wider, are no programs."""
    names, texts = [], []
    for seed in seeds:
        text = flow_program(seed)
        try:
            lower([parse_program(flow.DECLARATIONS + text, "<random>")[f"entry_{seed}"]])
        except PerceusError as error:
            assert error.code in ("E710", "E715", "E722", "E711", "E725"), error
            continue
        names.append(f"entry_{seed}")
        texts.append(text)
    if names:
        definitions = parse_program(flow.DECLARATIONS + "\n".join(texts), "<random>")
        compared(lower([definitions[name] for name in names]).program, names, seeds[0], QUIET)
    result.programs += len(names)


# ---- promises

ARGUMENTS = {"xs": "List[i64]", "a": "array[i64]", "t": "Two", "m": "array[array[i64]]", "c": "ref[array[i64]]"}
MAKERS = """
@fun
def new_xs() -> List[i64]:
    return Cons(1, Cons(2, Nil))
@fun
def new_a() -> array[i64]:
    return array(3, 4)
@fun
def new_t() -> Two:
    return Both(Cons(1, Cons(2, Nil)), Cons(1, Cons(2, Nil)))
@fun
def new_m() -> array[array[i64]]:
    return rows()
@fun
def new_c() -> ref[array[i64]]:
    return ref(array(3, 1))
"""


def promised(seeds: Sequence[int], result: Result) -> None:
    """Functions that may promise: one C program for each seed, since the counts are the process's."""
    for seed in seeds:
        rebuilding = Rebuilding(random.Random(seed))
        text = PRELUDE + rebuilding.program() + MAKERS
        definitions = parse_program(text, "<random>")
        functions = [name for name, _ in rebuilding.made]
        exported = ["main", *(f"new_{name}" for name in ARGUMENTS), *functions]
        compiled = compile_program(lower([definitions[name] for name in exported]).program, off=setting(seed).off)
        able = promising(compiled)
        machine = Counting(compiled, able)
        with suppress(standard.OutOfFuel):
            machine.run("main")
        assert not machine.broken, f"they allocate in the heap semantics: {machine.broken}"
        called = [name for name in functions if name in able]
        in_c = seed % 8 == 0 and called
        if in_c:
            counted_in_c(compiled, called)
        result.functions += machine.calls + (len(called) if in_c else 0)
        result.programs += 1


def counted_in_c(compiled: Program, called: Sequence[str]) -> None:
    """None of the functions allocates on fresh arguments, by the counts of the debug runtime."""
    symbols = generate(compiled, "prog").functions
    lines = []
    for name in called:
        makes = "; ".join(f"__auto_type {each} = {symbols[f'new_{each}']}(ctx)" for each in ARGUMENTS)
        boxed = isinstance(compiled.funs[name].result, ArrayType | RefType)
        lines += [
            f"{{ {makes}; const int64_t before = usl_stats_read().allocated;",
            f"__auto_type result = {symbols[name]}({', '.join(ARGUMENTS)}, ctx);",
            f'if (usl_stats_read().allocated != before) printf("{name} ");',
            f"if (ctx->thrown) ctx->thrown = 0; else {'usl_drop(result, ctx)' if boxed else '(void)result'}; }}",
        ]
    body = "\n".join(lines)
    main = f'#include "prog.h"\n#include <stdio.h>\nint main(void) {{ usl_context *ctx = usl_context_acquire();\n{body}\n'
    with tempfile.TemporaryDirectory(prefix="usl-fuzz-") as folder:
        program = build(compiled, Path(folder), ("-O0", "-DUSL_DEBUG"), main + "return 0; }\n")
        done = subprocess.run([str(program)], capture_output=True, text=True, check=False)
        assert (done.stdout, done.returncode) == ("", 0), f"they allocate: {done.stdout}{done.stderr}"


# ---- the command


def version() -> str:
    """A hash of what is tested, and of what tests it."""
    files = [*(ROOT / "plugins/perceus/usl_perceus").rglob("*.py"), *(ROOT / "plugins/c11/usl_c11/runtime").glob("usl_rt.*")]
    files += [Path(each.__file__ or "") for each in (sys.modules[__name__], perceus_nested, flow)]
    return hashlib.sha256(b"\0".join(file.read_bytes() for file in sorted(files))).hexdigest()[:16]


def counts() -> dict[str, dict[str, int]]:
    """What was run before, by version and by seed."""
    with suppress(OSError, ValueError):
        return dict(json.loads(RECORD.read_text(encoding="utf-8")))
    return {}


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs as many programs as asked for, behind those that ran before; 1 if one fails."""
    parser = argparse.ArgumentParser(prog="make fuzz WHAT=perceus", description=__doc__)
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--show", metavar="KIND:SEED", help="print one program and run it alone")
    given = parser.parse_args(arguments)
    if given.show:
        kind, _, seed = given.show.partition(":")
        print(text_of(kind, int(seed)))
        return report(run(Batch(kind, (int(seed),))))
    known = counts()
    own = known.setdefault(version(), {})
    done = own.get(f"seed {given.seed}", 0)
    failed, start = 0, time.monotonic()
    with ProcessPoolExecutor(given.jobs) as pool:
        waiting: list[Future[Result]] = [pool.submit(run, batch) for batch in batches(given.seed, done, given.programs)]
        for future in as_completed(waiting):
            result = future.result()
            failed += report(result)
            for key, number in ((result.batch.kind, result.programs), ("promised calls", result.functions)):
                own[key] = own.get(key, 0) + number
            own["failed"] = own.get("failed", 0) + len(result.failures)
            own[f"seed {given.seed}"] = own.get(f"seed {given.seed}", 0) + BATCH
            RECORD.parent.mkdir(exist_ok=True)
            RECORD.write_text(json.dumps(known, indent=1), encoding="utf-8")
            total = sum(own.get(kind, 0) for kind in set(TURNS))
            print(f"\r{total} programs, {own['failed']} failed, {time.monotonic() - start:.0f} s", end="", flush=True)
    print(f"\nof this version: {own}")
    return min(failed, 1)


def report(result: Result) -> int:
    """Says what failed, and keeps the texts; the number of failures."""
    for seed, text, why in result.failures:
        FAILURES.mkdir(parents=True, exist_ok=True)
        file = FAILURES / f"{result.batch.kind}_{seed}.py"
        file.write_text(text + '\n"""\n' + why.replace('"""', "'''") + '"""\n', encoding="utf-8")
        print(f"\nfailed: {result.batch.kind}:{seed}, kept as {file}\n{why[-1500:]}")
    return len(result.failures)


if __name__ == "__main__":
    sys.exit(main())
