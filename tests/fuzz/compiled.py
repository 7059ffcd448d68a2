"""Generated C against the interpreter in machine arithmetic: many procedures in one file, one run of the compiler."""

from __future__ import annotations

import math
import os
import random
import re
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from tests.fuzz.arrays import copied, machine_inputs
from tests.fuzz.driver import Answer, Run, answers, driver_text, fed, packed
from tests.fuzz.inputs import control_vectors
from tests.fuzz.sites import Site, siblings, sites
from usl_c11.emit import Library, library
from usl_core import probe
from usl_core.cursors import edits
from usl_core.errors import BackendError, InterpError, UslError
from usl_core.interp import POISON, Buffer, ConfigKey, PoisonBranch, ValueTooLarge, run
from usl_core.ir import externs
from usl_core.ir.nodes import Call, ExternCall, For, LoopMode, Node, Proc, Reduce
from usl_core.ir.printer import show
from usl_core.ir.traverse import rewrite, update, walk
from usl_core.ir.types import F64, R, ScalarType, TensorType
from usl_core.ir.verify import problems
from usl_core.procedure import from_ir

SHARE = 0.12
"""The share of programs of which C is made, of what the steps have left of them; of those at the corners of C it is always."""
BLOCK = 64
"""So many programs in a row are compiled in one way, that of the first of them; a program's number decides it."""
ATTEMPTS = 80
"""At making a failing procedure smaller."""
RUNS = 2
"""Calls of each compiled procedure."""
SECONDS = 60
"""A compiled program that runs for longer is stuck: its loops have a few thousand iterations."""
NAME = "fuzzed"
WARNINGS = ("-Wall", "-Wextra", "-Werror", "-Wno-unknown-warning-option", "-Wno-maybe-uninitialized")
"""But for what gcc only guesses: it does not see that what one guarded loop fills is what the next one reads. clang has no
such warning."""
UNSET = ("-Wno-uninitialized",)
"""For programs that read what nobody wrote: the compiler is right to warn of that."""
COMMON = ("-std=c11", "-ffp-contract=off", "-fopenmp")
ROUNDED = frozenset({*externs.FUNCTIONS, externs.BITS} - {externs.SQRT, externs.RSQRT})
"""Functions of which C's library may give another last place than the interpreter's; and the bits of a NaN are of any."""


@dataclass(frozen=True)
class How:
    """A compiler and its flags."""

    compiler: str
    flags: tuple[str, ...]

    def __str__(self) -> str:
        return " ".join((self.compiler, *self.flags))


@cache
def ways() -> tuple[How, ...]:
    """How files are compiled, with the compilers that are installed: for speed with all warnings, and with the sanitizers.

    Instrumented code draws warnings of its own, and takes three times as long to compile at -O1 as at -Og.
    """
    sanitized = ("-Og", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-w")
    every = (("-O1", *WARNINGS), sanitized, ("-O3", *WARNINGS))
    return tuple(How(name, flags) for name in ("gcc", "clang") if _links(name) for flags in every)


def _links(name: str) -> bool:
    """Whether there is such a compiler, and the library of parallel loops that it links with: Debian has clang's apart."""
    compiler = probe.program(name)
    if compiler is None:
        return False
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "empty.c")
        source.write_text("int main(void)\n{\n    return 0;\n}\n")
        command = [compiler, *COMMON, "-o", str(Path(folder, "empty")), str(source)]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0


def way(seed: int, certain: bool = False) -> How | None:
    """How the program of a seed is compiled, if at all."""
    known = ways()
    chosen = known and (certain or random.Random(f"C {seed}").random() < SHARE)
    return known[seed // BLOCK % len(known)] if chosen else None


@dataclass(frozen=True)
class Subject:
    """A procedure that C is to be made of. The seed decides its data."""

    seed: int
    proc: Proc


@dataclass
class Verdict:
    """What came of one subject: calls that were compared; why no C can be made of it; the report of a failure."""

    runs: int = 0
    refused: str = ""
    failure: str = ""


def judge_all(subjects: Sequence[Subject], how: How) -> list[Verdict]:
    """Compiles and runs all subjects at once; a failure is traced to the first subject that fails alone."""
    verdicts: list[Verdict] = []
    live: list[_Case] = []
    for number, subject in enumerate(subjects):
        try:
            case = _Case(subject, number)
        except UslError as error:
            verdicts.append(Verdict(failure=f"FAILURE: the backend does not accept\n{show(subject.proc)}\n{error}"))
        else:
            verdicts.append(Verdict(len(case.lines), case.refused))
            live += [case] if case.lines else []
    for reads_poison in (False, True):
        if group := [case for case in live if case.reads_poison is reads_poison]:
            _judge(group, replace(how, flags=(*how.flags, *UNSET)) if reads_poison else how, verdicts)
    return verdicts


def _judge(live: Sequence[_Case], how: How, verdicts: list[Verdict]) -> None:
    """Compiles and runs cases at once, and notes a failure where it belongs."""
    problem = _problem(live, how)
    if problem is None:
        return
    alone = next((case for case in live if _problem([case], how)), None)
    if alone is not None:
        verdicts[alone.number].failure = _shrunk(alone, how).report(how)
    else:
        heading = f"FAILURE of {len(live)} procedures in one file, none of which fails alone, by {how}: {problem}"
        verdicts[live[0].number].failure = "\n".join([heading, *map(str, live)])


def _shrunk(case: _Case, how: How) -> _Case:
    """A case that fails in the same way with no statement to spare."""
    kind, attempts, position = _kind(_problem([case], how)), ATTEMPTS, 0
    while position < len(order := sites(case.proc)) and attempts > 0:
        attempts -= 1
        smaller = _without(case, order[position])
        if smaller is not None and smaller.lines and _kind(_problem([smaller], how)) == kind:
            case = smaller
        else:
            position += 1
    return case


def _without(case: _Case, site: Site) -> _Case | None:
    """The case without one statement, if it is still a procedure."""
    if len(siblings(case.proc, site)) == 1 and site.field == "body":
        return None
    proc, _ = edits.delete(case.proc, site.block())
    try:
        return None if problems(proc) else _Case(Subject(case.subject.seed, from_ir(proc).ir), case.number)
    except UslError:
        return None


def _kind(problem: str | None) -> str | None:
    """What is wrong without the place: the warning, or the first word."""
    if problem is None:
        return None
    warning = re.search(r"-Werror=([a-z-]+)", problem)
    return warning.group(1) if warning else problem.split()[0]


@dataclass(frozen=True)
class _Expected:
    """What the interpreter leaves; or why it stops."""

    storages: list[list[Any]] = field(default_factory=list)
    configs: dict[ConfigKey, Any] = field(default_factory=dict)
    stops: str = ""


class _Case:
    """A subject with a name of its own in C, its calls, and what must come of them."""

    def __init__(self, subject: Subject, number: int) -> None:
        self.subject, self.number = subject, number
        self.proc = update(concrete(subject.proc), name=f"subject{number}", instr=None)
        self.lines: list[tuple[Run, _Expected]] = []
        self.refused = _refusal(self.proc)
        rng = random.Random(subject.seed)
        compared = not any(isinstance(n, ExternCall) and n.fn in ROUNDED for p in _reached(self.proc) for n in walk(p))
        for controls in control_vectors(self.proc, rng, 4, RUNS) if not self.refused and compared else []:
            values, configs = machine_inputs(self.proc, controls, rng)
            expected = _expected(self.proc, values, configs)
            if expected is not None:
                self.lines.append((Run(self.proc, values, configs), expected))

    @property
    def reads_poison(self) -> bool:
        """Whether something that nobody wrote comes to be in a result: all arguments are initialised."""
        return any(x is POISON for _, expected in self.lines for storage in expected.storages for x in storage)

    def __str__(self) -> str:
        callees = [show(callee) for callee in _reached(self.proc)[1:]]
        return "\n".join([*callees, show(self.proc)])

    def report(self, how: How) -> str:
        return f"FAILURE of the C of a procedure (program seed {self.subject.seed}), by {how}: {_problem([self], how)}\n{self}"


def concrete(proc: Proc) -> Proc:
    """proc with f64 for R, which has no C type, in its callees too."""
    known: dict[Proc, Proc] = {}

    def rule(node: Node) -> Node | None:
        if isinstance(node, Call):
            if node.proc not in known:
                known[node.proc] = rewrite(node.proc, rule)
            return update(node, proc=known[node.proc])
        typ = getattr(node, "type", None)
        if typ == R:
            return update(node, type=F64)
        if isinstance(typ, TensorType) and typ.scalar == R:
            return update(node, type=TensorType(F64, typ.shape, typ.window))
        return None

    return rewrite(proc, rule)


def _reached(proc: Proc) -> list[Proc]:
    """proc and all that it calls, each once."""
    found: dict[Proc, None] = {proc: None}
    for one in (waiting := [proc]):
        callees = [node.proc for node in walk(one) if isinstance(node, Call) and node.proc not in found]
        found |= dict.fromkeys(callees)
        waiting += dict.fromkeys(callees)
    return list(found)


def _refusal(proc: Proc) -> str:
    """Why no C can be made of proc, empty if it can.

    Raises:
        UslError: the backend does not prove again what the operators have proved.
    """
    try:
        library([proc], NAME)
    except BackendError as error:
        return str(error)
    return ""


def _expected(proc: Proc, values: dict[str, int | bool | Buffer], configs: dict[ConfigKey, Any]) -> _Expected | None:
    """None where nothing can be said: control depends on what is not initialised, or sums round in an order of their own."""
    mine = copied(values)
    try:
        result = run(proc, mine, mode="machine", configs=configs)
    except PoisonBranch:
        return None
    except InterpError as error:
        return _Expected(stops=str(error))
    expected = _Expected(_lists(mine), result.configs)
    return expected if not _sums_in_any_order(proc) or _is_exact(proc, values, configs, expected) else None


def _lists(values: dict[str, int | bool | Buffer]) -> list[list[Any]]:
    return list({id(v.data): v.data for v in values.values() if isinstance(v, Buffer)}.values())


def _sums_in_any_order(proc: Proc) -> bool:
    """Whether a parallel loop adds floats to a scalar, which rounds as the threads come."""
    loops = [n for p in _reached(proc) for n in walk(p) if isinstance(n, For) and n.mode is LoopMode.PAR]
    return any(isinstance(node, Reduce) and not node.idx for loop in loops for node in walk(loop))


def _is_exact(proc: Proc, values: dict[str, int | bool | Buffer], configs: dict[ConfigKey, Any], expected: _Expected) -> bool:
    """Whether exact arithmetic gives the same, so that nothing is rounded and the order of sums does not matter.

    A partial sum starts at 0.0, to which -0.0 is lost: one that goes in, or should come out, is not judged.
    """
    mine = copied(values)
    numbers = [x for v in values.values() if isinstance(v, Buffer) for x in v.data if isinstance(x, float)]
    wanted = [x for storage in expected.storages for x in storage]
    if not all(map(math.isfinite, numbers)) or any(isinstance(x, float) and _is_negative_zero(x) for x in [*numbers, *wanted]):
        return False
    for storage in _lists(mine):
        storage[:] = [Fraction(x) if isinstance(x, float) else x for x in storage]
    exact = {key: Fraction(x) if isinstance(x, float) else x for key, x in configs.items()}
    try:
        run(proc, mine, mode="exact", configs=exact, max_bits=3000)
    except (InterpError, ValueTooLarge):
        return False
    found = [x for storage in _lists(mine) for x in storage]
    return all(a is b or (a is not POISON and b is not POISON and a == b) for a, b in zip(found, wanted, strict=True))


def _is_negative_zero(value: float) -> bool:
    return value == 0 and math.copysign(1.0, value) < 0


# ---- compiling and running


def _problem(cases: Sequence[_Case], how: How) -> str | None:
    """What is wrong with the C of cases in one file, None if it does what the interpreter does."""
    try:
        lib = library([case.proc for case in cases], NAME)
    except UslError as error:
        return f"the backend refuses them together: {error}"
    lines = [line for case in cases for line in case.lines]
    runs = [Run(r.proc, r.values, dict.fromkeys(_fields(lib), 0) | r.configs) for r, _ in lines]
    with tempfile.TemporaryDirectory(prefix="usl-fuzz-") as folder:
        source, program = Path(folder, f"{NAME}.c"), Path(folder, NAME)
        source.write_text(lib.files[f"{NAME}.c"] + driver_text(lib, runs))
        Path(folder, f"{NAME}.h").write_text(lib.files[f"{NAME}.h"])
        built = subprocess.run(
            [how.compiler, *COMMON, *how.flags, "-o", str(program), str(source), "-lm"], capture_output=True, text=True
        )
        if built.returncode != 0:
            return f"the compiler refuses it:\n{built.stderr[:4000]}\n{_excerpt(lib)}"
        environment = {**os.environ, "OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "passive"}
        try:
            done = subprocess.run([str(program)], input=fed(runs), capture_output=True, timeout=SECONDS, env=environment)
        except subprocess.TimeoutExpired:
            return f"it runs for more than {SECONDS} s"
    for (made, expected), answer in zip(lines, answers(lib, runs, done.stdout), strict=False):
        difference = _difference(made, expected, answer)
        if difference is not None:
            return f"{difference}\n{_described(made)}\n{_excerpt(lib)}"
    if done.returncode != 0:
        return f"it ends with {done.returncode}:\n{done.stderr.decode(errors='replace')[:4000]}\n{_excerpt(lib)}"
    return None


def _fields(lib: Library) -> list[ConfigKey]:
    return [(config, name) for config in lib.configs for name, known in config.fields.items() if known.readable]


def _excerpt(lib: Library) -> str:
    """The functions of a file, without what every file begins with."""
    text = lib.files[f"{NAME}.c"]
    return text[max(0, text.find("\n/*\n * ")) :][:4000]


def _described(made: Run) -> str:
    lines = [f"{name} = {value}" for name, value in made.values.items() if not isinstance(value, Buffer)]
    lines += [f"{c.name}.{name} = {value}" for (c, name), value in made.configs.items()]
    buffers = {name: v for name, v in made.values.items() if isinstance(v, Buffer)}
    lines += [f"{name} = {v.data} from {v.offset} with strides {v.strides}" for name, v in buffers.items()]
    return "\n".join(lines)


def _difference(made: Run, expected: _Expected, answer: Answer) -> str | None:
    if expected.stops:
        return None if answer.status != 0 else f"it returns 0 where the interpreter stops: {expected.stops}"
    if answer.status != 0:
        return f"it returns {answer.status}, and must succeed"
    for (scalar, _), wanted, found in zip(made.storages(), expected.storages, answer.storages, strict=True):
        for place, (a, b) in enumerate(zip(wanted, found, strict=True)):
            if a is not POISON and not _same(scalar, a, b):
                return f"place {place} of the storage of {_owners(made, wanted, expected)} is {b}, and must be {a}"
    for (config, name), b in answer.configs.items():
        a, typ = expected.configs.get((config, name), POISON), config.fields[name].type
        if a is not POISON and not (_same(typ, a, b) if isinstance(typ, ScalarType) else a == b):
            return f"{config.name}.{name} is {b}, and must be {a}"
    return None


def _owners(made: Run, wanted: list[Any], expected: _Expected) -> str:
    data = made.storages()[[id(s) for s in expected.storages].index(id(wanted))][1]
    return ", ".join(name for name, v in made.values.items() if isinstance(v, Buffer) and v.data is data)


def _same(scalar: ScalarType, a: Any, b: Any) -> bool:
    """Whether two elements have the same bits; one NaN is as good as another."""
    return (a != a and b != b) or packed(scalar, [a]) == packed(scalar, [b])
