"""The check of instructions: drivers for all of them, compiled together, then each run on its cases in a child process."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from usl_conformance import diagnose
from usl_conformance.cases import Case, aliasable_pairs, cases
from usl_conformance.compiled import Compiled, Toolchain, features_of, ways_of
from usl_conformance.configs import Setup, find_setup
from usl_conformance.controls import Controls, admissible, shape_of
from usl_conformance.data import Fill
from usl_conformance.driver import Driver, depends_on_controls, make_driver, passes_through
from usl_conformance.execute import Run, execute
from usl_conformance.findings import NO_CODE, OUTSIDE, STOPPED, VALUE, Finding, Outcome
from usl_conformance.isolate import Progress, Stopped, run_isolated
from usl_conformance.names import check_names
from usl_conformance.routes import Disagreeing, Key, Router, with_preds
from usl_conformance.transfer import Route
from usl_core.errors import BoundsError, InterpError, JitError, Undecided, UslError
from usl_core.interp.arrays import dtype_of
from usl_core.ir.nodes import Arg, Proc
from usl_core.ir.sym import Sym
from usl_core.ir.types import ControlType, R, TensorType, scalar_of

KIND = "instruction"

MOST_SPECIALISED = 6
"""Values of the control arguments tried where each needs C of its own."""


MOST_WORK, SPARSE = 2_000_000, 16
"""After so many accesses of the interpreter only every so many of the cases left are run: a large body takes long."""


@dataclass
class Plan:
    """One instruction on its way through the check."""

    proc: Proc
    assignments: Sequence[Controls] = ()
    findings: list[Finding] = field(default_factory=list)
    skipped: str = ""
    drivers: dict[tuple[object, ...], Driver] = field(default_factory=dict)
    """By fixed control values (none: ()) and the shared pair (none: ())."""
    functions: dict[str, Compiled] = field(default_factory=dict)
    setup: Setup = field(default_factory=Setup)

    def inputs(self) -> Proc:
        """The instruction as far as its inputs are concerned: assertions on fields become assertions on their values."""
        return with_preds(self.proc, self.setup)

    @property
    def open(self) -> bool:
        """Whether the check goes on: nothing was found, and nothing is a reason to skip it."""
        return not self.skipped and not self.findings

    def routed(self) -> list[Arg]:
        """The formals whose buffers must be brought into their memories and back."""
        return [arg for arg in self.proc.args if not passes_through(arg)]

    def specialised(self) -> bool:
        """Whether each assignment of the control formals needs a driver of its own."""
        return any(depends_on_controls(arg) for arg in self.routed())


def check_instructions(chosen: Sequence[Proc], instructions: Sequence[Proc], tools: Toolchain) -> Iterator[Outcome]:
    """The outcome for each chosen instruction; all instructions may serve to reach a memory."""
    for plan in prepare_instructions(chosen, instructions, tools):
        yield instruction_outcome(plan, tools)


def prepare_instructions(chosen: Sequence[Proc], instructions: Sequence[Proc], tools: Toolchain) -> Sequence[Plan]:
    """The chosen instructions with their drivers compiled, all in one run of the compiler if they are C."""
    plans = [_plan(proc, instructions, tools) for proc in chosen]
    router = Router(tools, instructions)
    router.prepare(key for plan in plans if plan.open for key in _keys(plan))
    for number, plan in enumerate(plans):
        if plan.open:
            _make_drivers(plan, number, router)
    compiled = tools.compile([driver.proc for plan in plans for driver in plan.drivers.values()], "usl_check_instructions")
    for plan in plans:
        if plan.open:
            _take(plan, compiled)
    return plans


# ---- before anything runs


def _plan(proc: Proc, instructions: Sequence[Proc], tools: Toolchain) -> Plan:
    plan = Plan(proc)
    assert proc.instr is not None
    plan.findings += check_names(proc)
    plan.skipped = _why_not(proc, tools)
    found = find_setup(proc, instructions)
    if isinstance(found, str):
        plan.skipped = plan.skipped or f"its configuration cannot be established: {found}"
    else:
        plan.setup = dataclasses.replace(found, nonnegative=tools.nonnegative)
    if plan.open:
        plan.assignments = admissible(plan.inputs(), MOST_SPECIALISED if plan.specialised() else 12)
        if not plan.assignments:
            plan.skipped = "no control arguments were found that satisfy its assertions"
    return plan


def _why_not(proc: Proc, tools: Toolchain) -> str:
    if reason := tools.why_not(features_of(proc)):
        return reason
    for arg in proc.args:
        if isinstance(arg.type, ControlType):
            continue
        scalar = scalar_of(arg.type)
        if scalar == R:
            return f"its operand {arg.name.name} is {scalar}, which compiled procedures do not take from NumPy"
        try:
            dtype_of(scalar)
        except InterpError as error:
            return error.message
        if not isinstance(arg.type, TensorType) and arg.mem is not None and not arg.mem.addressable:
            return f"a scalar in memory {arg.mem.name}, which plain C cannot reach"
    return ""


def _keys(plan: Plan) -> Iterator[Key]:
    for arg in plan.routed():
        for controls in plan.assignments:
            yield _key(arg, controls)


def _key(arg: Arg, controls: Controls) -> Key:
    assert isinstance(arg.type, TensorType) and arg.mem is not None
    return arg.mem, arg.type.scalar, shape_of(arg.type, controls)


def _make_drivers(plan: Plan, number: int, router: Router) -> None:
    pairs: list[tuple[Sym, Sym] | tuple[()]] = [()]
    pairs += [(a.name, b.name) for a, b in aliasable_pairs(plan.proc) if not passes_through(a)]
    for controls in plan.assignments if plan.specialised() else plan.assignments[:1]:
        routes: dict[Sym, Route] = {}
        for arg in plan.routed():
            route = router.route(_key(arg, controls))
            if isinstance(route, Disagreeing) and plan.proc in route.movers:
                likely = "one of them is wrong; peek and poke of the memory would tell which"
                plan.findings.append(Finding(VALUE, str(route), likely=likely))
                return
            if isinstance(route, str):
                plan.skipped = str(route)
                return
            routes[arg.name] = route
        fixed = controls if plan.specialised() else None
        for pair in pairs:
            name = f"check_{number}_{len(plan.drivers)}"
            shared = {pair[1]: pair[0]} if pair else {}
            driver = make_driver(name, plan.proc, fixed, routes, shared, plan.setup)
            plan.drivers[_fixed_key(plan, controls), *pair] = driver


def _fixed_key(plan: Plan, controls: Controls) -> tuple[int | bool, ...]:
    return tuple(controls.values()) if plan.specialised() else ()


def _take(plan: Plan, compiled: Mapping[str, Compiled]) -> None:
    for driver in plan.drivers.values():
        function = compiled[driver.proc.name]
        if isinstance(function, BoundsError | Undecided) and plan.setup.setters:
            plan.skipped = f"its configuration cannot be established: {function.message}"
            return
        if isinstance(function, UslError):
            plan.findings.append(Finding(NO_CODE, function.message, tuple(function.notes), likely=_no_code(function)))
            return
        plan.functions[driver.proc.name] = function


def _no_code(error: UslError) -> str:
    if error.code == "E700":
        return "the template, `includes` or `c_global` is not C that compiles"
    return "the memory's code, or the instruction's own assertions, do not let it be called"


# ---- running


def instruction_outcome(plan: Plan, tools: Toolchain) -> Outcome:
    """Runs all cases of one instruction in a child process, unless something has been found before."""
    span = plan.proc.span
    if plan.findings:
        return Outcome(KIND, plan.proc.name, "failed", 0, tuple(plan.findings), span=span)
    if plan.skipped:
        return Outcome(KIND, plan.proc.name, "skipped", reason=plan.skipped, span=span)
    todo = list(cases(plan.inputs(), plan.assignments))
    if not todo:
        return Outcome(KIND, plan.proc.name, "skipped", reason="no strides were found that satisfy its assertions", span=span)
    result = run_isolated(lambda progress: _run_all(plan, todo, progress))
    ran = ways_of([driver.proc for driver in plan.drivers.values()], tools)
    if isinstance(result, Stopped):
        number = result.at or 0
        finding = _stopped(plan.proc, todo[number], result)
        return Outcome(KIND, plan.proc.name, "failed", number + 1, (finding,), span=span, ran=ran)
    runs, found = result
    if runs == 0:
        return Outcome(KIND, plan.proc.name, "skipped", reason="its body stops on every input that was tried", span=span)
    return Outcome(KIND, plan.proc.name, "failed" if found else "passed", runs, tuple(found), span=span, ran=ran)


def _run_all(plan: Plan, todo: Sequence[Case], progress: Progress) -> tuple[int, list[Finding]]:
    """Runs cases until one fails; how many ran, and the finding."""
    runs, work = 0, 0
    for number, case in enumerate(todo):
        if work > MOST_WORK and number % SPARSE:
            continue
        progress(number)
        try:
            result = execute(plan.proc, *_driver_of(plan, case), case, number)
        except InterpError:
            continue  # the body stops: a `check` that does not hold for this input
        except JitError as error:
            finding = Finding(NO_CODE, f"the compiled call is refused: {error.message}", case.lines(plan.proc))
            return runs + 1, [finding]
        runs, work = runs + 1, work + result.accesses
        if not result.passed:
            plainer = _plainer(case, todo)
            needs = plainer != case and execute(plan.proc, *_driver_of(plan, plainer), plainer, number).passed
            return runs, [_finding(plan.proc, result, needs)]
    return runs, []


def _plainer(case: Case, todo: Sequence[Case]) -> Case:
    """The same control arguments with everything else as in ordinary use."""
    dense = next((other.layout for other in todo if other.controls == case.controls and not other.wide), case.layout)
    fill = Fill.RANDOM if case.fill in (Fill.SPECIAL, Fill.GARBAGE) else case.fill
    return Case(case.controls, dense, fill)


def _driver_of(plan: Plan, case: Case) -> tuple[Driver, Callable[..., Any]]:
    key: tuple[object, ...] = (_fixed_key(plan, case.controls),)
    if case.sharing is not None:
        shared = (*key, case.sharing.first, case.sharing.second)
        key = shared if shared in plan.drivers else key
    driver = plan.drivers[key]
    function = plan.functions[driver.proc.name]
    assert not isinstance(function, UslError)
    return driver, function


def _finding(proc: Proc, result: Run, needs_circumstances: bool) -> Finding:
    fields = [f"{config.name}.{name} = {value}" for (config, name), value in result.configs.items()]
    lines, hint = (*result.case.lines(proc), *fields), diagnose.likely(proc, result, needs_circumstances)
    mismatch = result.mismatch
    if result.outside is not None:
        operand, places = result.outside
        problem = (
            f"the template writes {len(places)} bytes outside of {operand.name}, the first {places[0]} bytes from its start"
        )
        return Finding(OUTSIDE, problem, lines, "no change outside of the arguments", "changed bytes", hint)
    assert mismatch is not None
    place = f"{mismatch.operand.name}{list(mismatch.index) if mismatch.index else ''}"
    where = f"an element beside the argument, {place} of the buffers in one memory," if mismatch.neighbour else place
    kept = "" if mismatch.written else ", as before"
    count = f" ({result.differing} elements differ)" if result.differing > 1 else ""
    return Finding(
        VALUE,
        f"{where} is not what the body gives{count}",
        lines,
        f"{diagnose.show(mismatch.expected)}{kept}",
        diagnose.show(mismatch.got),
        hint,
    )


def _stopped(proc: Proc, case: Case, result: Stopped) -> Finding:
    said = f"; {result.said}" if result.said else ""
    return Finding(
        STOPPED,
        f"running it ended with {result.signal}{said}",
        case.lines(proc),
        likely=diagnose.stopped(result.signal, case, result.said),
    )
