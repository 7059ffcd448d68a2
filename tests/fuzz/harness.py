"""The random soundness test: random legal steps on random programs, judged by the exact interpreter.

A program gets a short chain of steps. Each accepted step must give a procedure that refines the one before it, the chain one
that refines the original, and forward cursors as the contract says. An operator may always refuse, with an error of the
user's kinds; anything else is a failure.
"""

from __future__ import annotations

import random
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, cast

from tests.fuzz.actions import At, Callee, Draft
from tests.fuzz.actions_statements import aimed_program
from tests.fuzz.configured import REGISTERS, configured_program
from tests.fuzz.copies import copy_failure, drawn_copy, travelled_as_text
from tests.fuzz.corners import corner_program, instruction_program
from tests.fuzz.features import features
from tests.fuzz.forwarding import LIBRARY, forwarding_failure
from tests.fuzz.generate import generate_with_callees
from tests.fuzz.incremental import incremental_failure, race_failure
from tests.fuzz.inputs import Controls
from tests.fuzz.instructions import UNIT
from tests.fuzz.layouts import layout_program
from tests.fuzz.leftovers import leftover_program
from tests.fuzz.library import EVERYWHERE
from tests.fuzz.matched import matched_program
from tests.fuzz.operators import operators
from tests.fuzz.refine import Difference, refinement_failure, steps_modulo
from tests.fuzz.registry import ACTIONS
from tests.fuzz.samples import Samples
from tests.fuzz.scans import scan_program
from tests.fuzz.searches import search_program
from tests.fuzz.stages import stage_program
from tests.fuzz.tally import Tally
from usl_core.cursors.cursor import make_cursor
from usl_core.cursors.path import Dead, Loc
from usl_core.errors import BoundsError, ParseError, SchedulingError, Span, TypeError_, Undecided, UslError
from usl_core.interp import POISON, Buffer
from usl_core.interp.buffers import dense_strides
from usl_core.ir.config import FieldSym
from usl_core.ir.nodes import Call, For, LoopMode, Proc
from usl_core.ir.printer import show
from usl_core.ir.traverse import walk
from usl_core.procedure import Procedure, from_ir

REFUSALS = (SchedulingError, Undecided, BoundsError, TypeError_, ParseError)
CHAIN = 5
"""Accepted steps on one program, at most."""
LARGEST = 1600
"""Nodes of a program with which a chain goes on; a quarter for schedules of all loops, with results several times larger."""
VECTORS = 6
"""Sizes at which the procedures of a chain are compared."""


@dataclass(frozen=True)
class Failure:
    """A step that went wrong, with what is needed to see it again."""

    operator: str
    draft: Draft
    program: Procedure
    callees: tuple[Proc, ...]
    what: str
    difference: Difference | None = None
    result: Procedure | None = None
    seed: int = 0

    def report(self) -> str:
        lines = [f"FAILURE of {self.operator} (program seed {self.seed}): {self.what}", "", "the program:", str(self.program)]
        called = [node.proc for node in walk(self.program.ir) if isinstance(node, Call)]
        given = [arg.proc for arg in self.draft.args if isinstance(arg, Callee)]
        for callee in dict.fromkeys([*called, *given]):
            lines += ["a callee:", show(callee)]
        lines += ["the step:", f"    {self.operator}({describe(self.program, self.draft)})"]
        if self.result is not None:
            lines += ["the result:", str(self.result)]
        if self.difference is not None:
            lines += ["sizes: " + (", ".join(f"{k} = {v}" for k, v in self.difference.controls.items()) or "none")]
            lines += [f"{k} = {_data_text(v)}" for k, v in self.difference.inputs.values.items() if isinstance(v, Buffer)]
        return "\n".join(lines)


def _data_text(buffer: Buffer) -> str:
    """The elements in row-major order, `?` for poison; strides where they are not those of a dense buffer."""
    values = ["?" if value is POISON else str(value) for value in buffer.values()]
    shown = ", ".join(values[:60]) + (f", ... ({len(values)} elements)" if len(values) > 60 else "")
    strides = "" if buffer.strides == dense_strides(buffer.shape) else f" with strides {buffer.strides}"
    return f"[{shown}]{strides}"


AIMED = 0.09
"""The share of small programs of the kinds that operators on statements are for, of two-stage programs, and of leftovers."""
CONFIGURED, CORNERS, INSTRUCTIONS, LAYOUTS, MATCHED, SEARCHES, SCANS = 0.19, 0.14, 0.07, 0.06, 0.05, 0.03, 0.05
"""The shares of programs that set registers, at the corners of C, of instructions, that rely on strides, that do what
procedures do, that look for an element, and that have running results or counters."""
COPIED = 0.05
"""How often a program is copied before a step, unless it was before."""
FAVOURED = 0.35
"""How often an operator is drawn from those that the kind of the program is for."""
_ON_SUMS = ("merge_writes", "split_write", "fold_into_reduce", "if_to_select", "inline_assign", *2 * ("lift_reduce_constant",))
_ON_SUMS += ("scale_accumulator",)
_ON_STAGES = ("divide_with_recompute", "guard_redundant", "fuse", "stage_mem")
_ON_LEFTOVERS = (
    "join_loops",
    "eliminate_dead_code",
    "sink_alloc",
    "reuse_buffer",
    "unroll_buffer",
    "delete_buffer",
    "mult_dim",
)
_ON_SEARCHES = (*5 * ("fold_into_argreduce",), "stage_mem", "divide_loop", "fuse")
_ON_SCANS = (
    *3 * ("block_scan", "recursive_doubling"),
    *4 * ("bound_counter",),
    *("divide_loop", "fission", "expand_dim", "scan_in_blocks", "parallel_scan", "tree_scan", "cut_loop"),
)
_ON_MATCHED = (*6 * ("replace",), "inline")
_ON_CALLEES = ("replace", "inline", "call_eqv")
_ON_CONFIGURATION = (
    *3 * ("write_config", "bind_config", "delete_config"),
    *("fission", "fuse", "remove_loop", "add_loop", "reorder_stmts", "lift_scope", "unroll_loop", "cut_loop", "specialize"),
    *("call_eqv", "call_eqv", "inline", "extract_subproc", "replace", "inline_assign", "bind_expr"),
)
_ON_LAYOUTS = (*5 * ("resize_dim",), "rearrange_dim", "expand_dim", "divide_dim", "lift_alloc", "inline_window", "stage_mem")
_ON_CORNERS = (
    *2 * ("rewrite_expr",),
    "lift_reduce_constant",
    "parallelize_loop",
    "inline_window",
    "join_loops",
    "set_precision",
)
_ON_INSTRUCTIONS = (
    *3 * ("call_eqv", "write_config", "delete_config"),
    *("insert_noop_call", "insert_noop_call", "bind_config", "inline", "replace", "unroll_loop", "extract_subproc"),
)
PROGRAMS = 1_000_003
"""Program number k of a seed is drawn from `seed * PROGRAMS + k`."""


def available(only: Iterable[str] | None = None) -> list[str]:
    """The operators that exist, of those in `only` if it is given."""
    names = [name for name in ACTIONS if name in operators()]
    return [name for name in names if only is None or name in set(only)]


def fuzz(
    steps: int,
    seed: int,
    only: Iterable[str] | None = None,
    vectors: int = VECTORS,
    stop_at: int = 1,
    progress: Callable[[int], object] | None = None,
) -> Tally:
    """Tries `steps` steps and the rest of the last program's chain. The seed decides everything."""
    tally, number = Tally(), 0
    names = available(only)
    while tally.steps < steps and len(tally.failures) < stop_at:
        fuzz_program(seed * PROGRAMS + number, names, tally, vectors, progress)
        number += 1
    return tally


def fuzz_program(
    program_seed: int, names: list[str], tally: Tally, vectors: int = VECTORS, progress: Callable[[int], object] | None = None
) -> Procedure | None:
    """Adds one program and its chain of steps to tally; what the steps have left of it, if all is well.

    They depend on program_seed and names alone.
    """
    session = _start(program_seed, tally)
    if session is None:
        return None
    for _ in range(3 * CHAIN):
        if session.finished:
            break
        session.step(names, vectors, tally)
        if progress is not None:
            progress(tally.steps)
    session.judge_chain()
    tally.failures += session.failures
    return None if session.failures else session.current


def _give_places(drawn: Proc) -> None:
    """Spans for the nodes of a program that was drawn, as a text would give them."""
    for line, node in enumerate(walk(drawn), 1):
        object.__setattr__(node, "span", Span("<drawn>", line, 1, line, 2))


def _start(seed: int, tally: Tally) -> _Session | None:
    rng = random.Random(seed)
    try:
        drawn = _draw_program(rng)
        _give_places(drawn.ir)
        program = from_ir(drawn.ir)
    except (BoundsError, Undecided, TypeError_, ParseError):
        tally.rejected_programs += 1
        return None
    tally.programs += 1
    tally.features.update(features(drawn.ir))
    return _Session(seed, rng, program, drawn)


@dataclass(frozen=True)
class _Drawn:
    """A program, what it may call, and the operators that programs of its kind are for."""

    ir: Proc
    callees: tuple[Proc, ...] = ()
    favourites: tuple[str, ...] = ()


_Draw = Callable[[random.Random], tuple[Proc, tuple[Proc, ...]]]
_KINDS: tuple[tuple[float, _Draw, tuple[str, ...]], ...] = (
    (AIMED, lambda rng: (aimed_program(rng), ()), _ON_SUMS),
    (AIMED, lambda rng: (stage_program(rng), ()), _ON_STAGES),
    (AIMED, lambda rng: (leftover_program(rng), ()), _ON_LEFTOVERS),
    (CONFIGURED, configured_program, _ON_CONFIGURATION),
    (CORNERS, corner_program, _ON_CORNERS),
    (INSTRUCTIONS, instruction_program, _ON_INSTRUCTIONS),
    (LAYOUTS, layout_program, _ON_LAYOUTS),
    (MATCHED, matched_program, _ON_MATCHED),
    (SEARCHES, lambda rng: (search_program(rng), ()), _ON_SEARCHES),
    (SCANS, lambda rng: (scan_program(rng), ()), _ON_SCANS),
    (1.0, generate_with_callees, _ON_CALLEES),
)
"""Shares of programs, how they are drawn, and the operators that programs of the kind are for."""


def _kind(rng: random.Random) -> tuple[_Draw, tuple[str, ...]]:
    drawn = rng.random()
    for share, program, favourites in _KINDS:
        drawn -= share
        if drawn < 0:
            return program, favourites
    raise AssertionError("the last share is that of all other programs")


def _draw_program(rng: random.Random) -> _Drawn:
    program, favourites = _kind(rng)
    ir, callees = program(rng)
    return _Drawn(ir, callees, favourites if callees or favourites is not _ON_CALLEES else ())


def is_corner(program_seed: int) -> bool:
    """Whether a program is at the corners of C."""
    return _kind(random.Random(program_seed))[0] is corner_program


class _Session:
    """One program and the chain of steps applied to it."""

    def __init__(self, seed: int, rng: random.Random, program: Procedure, drawn: _Drawn) -> None:
        self.seed = seed
        self.rng = rng
        self.original = self.current = program
        self.twin: Procedure | None = None
        self.copied = ""
        self.callees = drawn.callees
        self.favourites = drawn.favourites
        self.fixed: Controls = {}
        self.steps: list[tuple[str, Draft, Procedure, Procedure]] = []
        self.samples: Samples | None = None
        self.failures: list[Failure] = []

    @property
    def finished(self) -> bool:
        return len(self.steps) >= CHAIN or bool(self.failures) or self.size() > LARGEST

    def size(self) -> int:
        """The number of nodes of the program as it is now."""
        return sum(1 for _ in walk(self.current.ir))

    def step(self, names: list[str], vectors: int, tally: Tally) -> None:
        """Draws and tries one step, if the operator drawn has a place in this program."""
        favourites = [name for name in self.favourites if name in names] if self.rng.random() < FAVOURED else []
        operator = self.rng.choice(favourites or names)
        draft = ACTIONS[operator](self.current.ir, self.callees, self.rng)
        if draft is None or (operator in EVERYWHERE and self.size() > LARGEST // 4):
            return
        if not self.copied and self.rng.random() < COPIED:
            self.copy(operator, draft, tally)
        result = tried(operator, self.current, draft)
        tally.count(operator, result)
        if self.twin is not None:
            self.compare_with_twin(operator, draft, result)
        if not isinstance(result, Procedure):
            if not isinstance(result, REFUSALS):
                self.fail(operator, draft, _unexpected(result))
            elif operator not in LIBRARY and (result.span is None or result.span.line <= 0):
                self.fail(operator, draft, f"a refusal without a place: {result}")
            return
        tally.accepted_features.update(features(self.current.ir))
        self.judge(operator, draft, result, vectors)
        self.steps.append((operator, draft, self.current, result))
        if not self.failures:
            self.current = result

    def copy(self, operator: str, draft: Draft, tally: Tally) -> None:
        """Goes on with a copy of the program, and keeps the program to compare what steps do to both."""
        self.copied, made = drawn_copy(self.current, self.rng)
        tally.checks[f"{self.copied}{' refused' if made is None else ''}"] += 1
        if made is None or made is self.current:
            return
        problem = copy_failure(self.current, made)
        if problem is not None:
            self.fail(operator, draft, f"before it, a {self.copied} of the program: {problem}")
        if travelled_as_text(self.copied, made):
            return
        self.twin, self.current = self.current, made

    def compare_with_twin(self, operator: str, draft: Draft, result: Procedure | Exception) -> None:
        """The step on the program of which the current one is a copy must come to the same."""
        assert self.twin is not None
        other = tried(operator, self.twin, _with_callees(draft, _called(self.current.ir), _called(self.twin.ir)))
        found, wanted = _answer(result), _answer(other)
        if found != wanted:
            self.fail(operator, draft, f"a {self.copied} of the program answers:\n{found}\nand not, as the program:\n{wanted}")
        elif isinstance(other, Procedure):
            self.twin = other

    def judge(self, operator: str, draft: Draft, result: Procedure, vectors: int) -> None:
        step_fixed = dict(draft.kwargs) if operator == "partial_eval" else {}
        permute = self.rng if operator == "parallelize_loop" and _par_loops(result.ir) == 1 else None
        if self.samples is None:
            self.samples = Samples(self.rng, vectors)
        difference = self.samples.difference(
            self.current.ir, result.ir, _factor(draft), step_fixed, _modulo(self.current, result), permute
        )
        self.fixed |= step_fixed
        if difference is not None:
            self.fail(operator, draft, difference.what, difference, result)
            return
        problem = forwarding_failure(self.current, result, operator, self.rng)
        if problem is not None:
            self.fail(operator, draft, problem, None, result)

    def judge_chain(self) -> None:
        """What all steps have come to: it refines the program, and what is known of it step by step is true of it as a whole.

        A fault in what is known is traced to the first step after which it is there.
        """
        if self.failures or not self.steps:
            return
        operator, draft, _, _ = self.steps[-1]
        first, last = self.original.ir, self.current.ir
        modulo = _modulo(self.original, self.current)
        whole = refinement_failure(first, last, self.rng, _factor(draft), 3, fixed=self.fixed, modulo=modulo)
        if whole is not None:
            self.fail(operator, draft, f"the whole chain: {whole.what}", whole, self.current)
        elif incremental_failure(last) or race_failure(first, last):
            for operator, draft, before, after in self.steps:
                problem = incremental_failure(after.ir) or race_failure(before.ir, after.ir)
                if problem is not None:
                    self.current = before
                    self.fail(operator, draft, problem, None, after)
                    return
            raise AssertionError("no step of the chain has the fault of the whole")

    def fail(
        self, operator: str, draft: Draft, what: str, difference: Difference | None = None, result: Procedure | None = None
    ) -> None:
        self.failures.append(Failure(operator, draft, self.current, self.callees, what, difference, result, self.seed))


def tried(operator: str, program: Procedure, draft: Draft) -> Procedure | Exception:
    """What an operator gives, or what it raises."""
    try:
        return apply(operator, program, draft)
    except Exception as error:  # whatever an operator raises beside a refusal is what we look for
        return error


def _called(proc: Proc) -> list[Proc]:
    return [node.proc for node in walk(proc) if isinstance(node, Call)]


def _with_callees(draft: Draft, old: list[Proc], new: list[Proc]) -> Draft:
    """The draft with the callees of a twin in place of those of the program: extracted procedures are made for each anew."""
    table = dict(zip(old, new, strict=True))
    args = (replace(arg, proc=table.get(arg.proc, arg.proc)) if isinstance(arg, Callee) else arg for arg in draft.args)
    return Draft(tuple(args), draft.kwargs)


def _answer(result: Procedure | Exception) -> str:
    return str(result) if isinstance(result, Procedure) else f"{type(result).__name__}: {result}"


def _modulo(before: Procedure, after: Procedure) -> frozenset[FieldSym]:
    """The fields that steps may leave different: none if an instruction keeps its C text, which says what becomes of them."""
    kept = before.ir.instr is not None and after.ir.instr is before.ir.instr
    return frozenset() if kept else steps_modulo(before, after)


def _unexpected(error: Exception) -> str:
    if isinstance(error, UslError):
        return f"an error of the wrong kind, {type(error).__name__}: {error}"
    frames = traceback.extract_tb(error.__traceback__)[-3:]
    return f"{type(error).__name__}: {error} at " + " < ".join(f"{f.filename}:{f.lineno}" for f in reversed(frames))


def _par_loops(proc: Proc) -> int:
    return sum(isinstance(node, For) and node.mode is LoopMode.PAR for node in walk(proc))


def _factor(draft: Draft) -> int:
    """A number around which sizes are interesting."""
    return next((arg for arg in draft.args if isinstance(arg, int) and not isinstance(arg, bool) and arg > 1), 4)


# ---- calling operators


def apply(operator: str, program: Procedure, draft: Draft) -> Procedure:
    """The operator on program, with the draft's locations and callees made into cursors and procedures."""
    args = [bind(program, arg) for arg in draft.args]
    result = operators()[operator](program, *args, **draft.kwargs)
    match operator:
        case "extract_subproc":  # gives the caller and the new procedure
            return cast(Procedure, result[0])
        case "transpose":  # back again, so that the interface is the old one
            return cast(Procedure, operators()[operator](result, *args))
        case _:
            return cast(Procedure, result)


def bind(program: Procedure, arg: Any) -> Any:
    match arg:
        case At(loc=loc):
            return make_cursor(program, loc)
        case Callee(proc=proc, scheduled=scheduled, version=version):
            return _scheduled(from_ir(proc), version) if scheduled else from_ir(proc)
        case list():
            return [bind(program, item) for item in arg]
        case _:
            return arg


def _scheduled(callee: Procedure, version: int) -> Procedure:
    """A rewritten version of a callee: its loop divided, or fields written otherwise; only renamed where that is impossible."""
    config, fields = (UNIT, ("gain", "lane", "lane")) if callee.is_instr() else (REGISTERS, ("mode", "a", "b"))
    steps: list[Callable[[], Any]] = [
        lambda: operators()["divide_loop"](callee, callee.find_loop("i"), 2, ["io", "ii"], tail="cut"),
        lambda: operators()["write_config"](callee, callee.body()[0].before(), config, fields[0], 0),
        lambda: operators()["write_config"](callee, callee.body()[-1].after(), config, fields[1], 5),
        lambda: operators()["write_config"](callee, callee.find_loop("i").body()[0].before(), config, fields[2], "i"),
        lambda: operators()["delete_config"](callee, callee.body()[0]),
        lambda: operators()["delete_config"](callee, callee.find_loop("i").body()[0]),
        lambda: operators()["bind_config"](callee, callee.find("v"), config, fields[2]),
    ]
    try:
        return cast(Procedure, steps[version % len(steps)]())
    except UslError:
        return cast(Procedure, operators()["rename"](callee, f"{callee.name()}_renamed"))


def relocate(draft: Draft, forward: Callable[[Loc], Loc]) -> Draft | None:
    """The draft for an edited program; None if a place that it names is gone."""

    def moved(arg: Any) -> Any:
        match arg:
            case At(loc=loc):
                return At(forward(loc))
            case list():
                return [moved(item) for item in arg]
            case _:
                return arg

    new = Draft(tuple(moved(arg) for arg in draft.args), draft.kwargs)
    places = [a for arg in new.args for a in (arg if isinstance(arg, list) else [arg]) if isinstance(a, At)]
    return None if any(isinstance(place.loc, Dead) for place in places) else new


def describe(program: Procedure, draft: Draft) -> str:
    def shown(arg: Any) -> str:
        match arg:
            case At(loc=loc):
                return f"{loc}"
            case Callee(proc=proc, scheduled=scheduled):
                return f"{proc.name}{' scheduled' if scheduled else ''}"
            case list():
                return f"[{', '.join(map(shown, arg))}]"
            case type():
                return arg.__name__
            case _:
                return repr(arg)

    return ", ".join([*map(shown, draft.args), *(f"{k}={v!r}" for k, v in draft.kwargs.items())])
