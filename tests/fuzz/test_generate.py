"""The generated programs are deterministic, legal, varied, and run."""

from __future__ import annotations

import random

from tests.fuzz.generate import generate
from tests.fuzz.inputs import control_vectors, random_inputs
from tests.fuzz.refine import last_iterations_apart
from usl_core.errors import UslError
from usl_core.frontend.boundscheck import check_proc
from usl_core.interp import Buffer, PoisonBranch, run
from usl_core.ir.nodes import Call, Check, ExternCall, For, If, LoopMode, Proc, Reduce, WindowStmt
from usl_core.ir.printer import show
from usl_core.ir.traverse import walk
from usl_core.ir.types import SIZE, ScalarType, TensorType, scalar_of

PROGRAMS = [generate(random.Random(seed)) for seed in range(120)]


def test_a_seed_is_a_program() -> None:
    assert [show(generate(random.Random(seed))) for seed in range(20)] == [show(p) for p in PROGRAMS[:20]]
    assert len({show(p) for p in PROGRAMS}) > 110


def test_at_least_half_of_the_programs_have_symbolic_sizes() -> None:
    assert sum(any(arg.type is SIZE for arg in p.args) for p in PROGRAMS) >= len(PROGRAMS) / 2


def test_every_kind_of_statement_occurs() -> None:
    kinds = {type(node) for p in PROGRAMS for node in walk(p)}
    assert {Call, Check, ExternCall, If, Reduce, WindowStmt} <= kinds
    assert any(isinstance(node, For) and node.mode is LoopMode.PAR for p in PROGRAMS for node in walk(p))


def test_the_frontend_accepts_nearly_every_program() -> None:
    def accepted(proc: Proc) -> bool:
        try:
            check_proc(proc)
        except UslError:
            return False
        return True

    assert sum(map(accepted, PROGRAMS[:60])) >= 55


def test_programs_run_at_all_their_sizes_and_par_loops_in_any_order() -> None:
    runs = 0
    for seed, proc in enumerate(PROGRAMS):
        rng = random.Random(seed)
        for controls in control_vectors(proc, rng, 4, 3):
            inputs = random_inputs(proc, controls, rng, 0.05)
            try:
                first = run(proc, inputs.fresh(), mode="exact")
                second = run(last_iterations_apart(proc), inputs.fresh(), mode="exact", permute=rng)
            except PoisonBranch:
                continue
            runs += 1
            for name, buffer in first.buffers.items():
                assert buffer.data == second.buffers[name].data, f"program {seed}, {name} at {controls}"
    assert runs > 200


def test_both_modes_agree_on_integer_programs() -> None:
    compared = 0
    for seed, proc in enumerate(PROGRAMS):
        if not all(scalar.is_int for scalar in _scalars(proc)):
            continue
        rng = random.Random(seed)
        for controls in control_vectors(proc, rng, 4, 3):
            inputs = random_inputs(proc, controls, rng)
            exact = run(proc, inputs.fresh(), mode="exact")
            machine = run(proc, inputs.fresh(), mode="machine")
            assert {n: b.data for n, b in exact.buffers.items()} == {n: b.data for n, b in machine.buffers.items()}
            compared += len(exact.buffers)
    assert compared > 50


def _scalars(proc: Proc) -> set[ScalarType]:
    """The types of all data in a procedure."""
    types = [getattr(node, "type", None) for node in walk(proc)]
    return {scalar_of(typ) for typ in types if isinstance(typ, ScalarType | TensorType)}


def test_windows_of_generated_inputs_lie_in_larger_buffers() -> None:
    buffers = [
        value
        for seed, proc in enumerate(PROGRAMS)
        for value in random_inputs(
            proc, control_vectors(proc, random.Random(seed), 4, 1)[0], random.Random(seed)
        ).values.values()
        if isinstance(value, Buffer)
    ]
    assert any(len(buffer.data) > len(list(buffer.offsets())) for buffer in buffers)
