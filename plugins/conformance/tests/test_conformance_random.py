"""Random elementwise instructions: those whose C is their body pass, those with one operator exchanged in the C fail."""

from __future__ import annotations

import random
from textwrap import dedent

import pytest

pytest.importorskip("numpy")
pytest.importorskip("usl_c11")

from usl_conformance.compiled import Toolchain
from usl_conformance.instructions import check_instructions
from usl_core.interp.buffers import Buffer
from usl_core.interp.run import run
from usl_core.ir.nodes import InstrTemplate
from usl_core.ir.traverse import update
from usl_core.ir.types import SCALARS
from usl_core.plugins.manager import backend
from usl_core.procedure import proc_from_source

CTYPES = {"u8": "uint8_t", "i16": "int16_t", "u32": "uint32_t", "i64": "int64_t", "f32": "float", "f64": "double"}
PAIRS = 16


def expression(source, depth):
    """A tree of operators over the operands and small constants."""
    if depth == 0 or source.random() < 0.2:
        return source.choice(["a", "b", "dst", 2, 3])
    return (source.choice("+-*"), expression(source, depth - 1), expression(source, depth - 1))


def mutated(tree, source):
    """The tree with the operator at its root, or at one of its nodes, exchanged for another."""
    op, left, right = tree
    inner = [side for side in (1, 2) if isinstance(tree[side], tuple)]
    if inner and source.random() < 0.6:
        side = source.choice(inner)
        changed = mutated(tree[side], source)
        return (op, changed, right) if side == 1 else (op, left, changed)
    return (source.choice([other for other in "+-*" if other != op]), left, right)


def body_text(tree, real):
    match tree:
        case (op, left, right):
            return f"({body_text(left, real)} {op} {body_text(right, real)})"
        case int():
            return f"{tree}.0" if real else str(tree)
        case _:
            return f"{tree}[i]"


def c_text(tree, ctype, real):
    """C that rounds or wraps as the body does: integers modulo 2^64, narrowed once at the end."""
    match tree:
        case (op, left, right):
            return f"({c_text(left, ctype, real)} {op} {c_text(right, ctype, real)})"
        case int():
            return f"({ctype}){tree}" if real else f"(uint64_t){tree}"
        case _:
            operand = "{" + tree + "}[i]"
            return operand if real else f"(uint64_t){operand}"


def instruction(name, scalar, tree, c_tree):
    real = scalar.startswith("f")
    text = f"""\
        def {name}(dst: {scalar}[8], a: {scalar}[8], b: {scalar}[8]):
            for i in seq(0, 8):
                dst[i] = {body_text(tree, real)}
        """
    template = f"for (int i = 0; i < 8; i++) {{dst}}[i] = ({CTYPES[scalar]})({c_text(c_tree, CTYPES[scalar], real)});"
    return update(proc_from_source(dedent(text)).ir, instr=InstrTemplate(template))


def results(ir, scalar):
    """What the body gives for some operands."""
    source = random.Random(0)
    numbers = [[source.randint(1, 9) for _ in range(8)] for _ in range(3)]
    values = [[float(x) for x in each] if scalar.startswith("f") else each for each in numbers]
    buffers = [Buffer(SCALARS[scalar], (8,), list(each)) for each in values]
    run(ir, buffers, mode="machine")
    return buffers[0].values()


def pairs():
    """Right and wrong instructions of one body each; the wrong one's C computes something else on small numbers."""
    source = random.Random(2024)
    while True:
        scalar = source.choice(list(CTYPES))
        tree = expression(source, 3)
        if not isinstance(tree, tuple):
            continue
        other = mutated(tree, source)
        right = instruction("right", scalar, tree, tree)
        if results(right, scalar) != results(instruction("other", scalar, other, other), scalar):
            yield scalar, tree, other


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    found = []
    for number, (scalar, tree, other) in zip(range(PAIRS), pairs(), strict=False):
        found += [instruction(f"right_{number}", scalar, tree, tree), instruction(f"wrong_{number}", scalar, tree, other)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("USL_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        return {outcome.name: outcome for outcome in check_instructions(found, found, Toolchain(backend(), {}))}


def test_c_that_is_the_body_passes(outcomes):
    failed = [outcome.text() for name, outcome in outcomes.items() if name.startswith("right") and outcome.status != "passed"]
    assert not failed, "\n".join(failed)


def test_an_operator_exchanged_in_the_c_is_found(outcomes):
    passed = [name for name, outcome in outcomes.items() if name.startswith("wrong") and outcome.status != "failed"]
    assert not passed
