"""`usl fun`, and the cells that may come to contain themselves."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest
from perceus_front import FIRST, program

from usl_core.cli.main import main
from usl_perceus import cyclic
from usl_perceus.passes import PASSES
from usl_perceus.show import show_type

FILE = """\
from __future__ import annotations
from typing import Generic, TypeVar
from usl_perceus import data, fun

T = TypeVar("T")

@data
class List(Generic[T]):
    Nil: ()
    Cons: (T, "List[T]")

@fun
def length(xs: borrowed[List[T]], n: i64) -> i64:
    match xs:
        case Nil():
            return n
        case Cons(_, rest):
            return length(rest, n + 1)

@fun
def share(n: i64, ways: i64) -> List[i64]:
    return Cons(n // ways, Nil)
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "lists.py"
    path.write_text(FILE)
    return path


def usl(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as caught:
        main([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    assert isinstance(caught.value.code, int)
    return caught.value.code, out, err


def test_functions_are_listed_with_their_types_and_what_may_raise(file, capsys):
    assert usl(capsys, "fun", file) == (
        0,
        "length[T](xs: borrowed[List[T]], n: i64) -> i64\nshare(n: i64, ways: i64) -> List[i64]  may raise\n",
        "",
    )
    assert usl(capsys, "fun", f"{file}:share")[1].startswith("share(")


def test_the_program_is_shown_after_each_pass_and_as_c(file, capsys):
    for step in ("core", *(each.name for each in PASSES)):
        status, out, _ = usl(capsys, "fun", f"{file}:share", "--show", step)
        assert status == 0
        assert "fun share(n: i64, ways: i64) -> throws List[i64]" in out
    assert "int64_t" in usl(capsys, "fun", file, "--show", "c")[1]


def test_passes_are_left_out_on_demand(file, capsys):
    _, out, _ = usl(capsys, "fun", file, "--show", "tail-calls", "--off", "reuse,fusion")
    assert "fun share" in out
    assert usl(capsys, "fun", file, "--show", "reuse", "--off", "reuse") == (
        1,
        "",
        "the pass reuse is off, so that there is nothing to show\n",
    )


def test_allocations_are_explained(file, capsys):
    status, out, _ = usl(capsys, "fun", f"{file}:share", "--explain")
    assert (status, out) == (
        0,
        f"{file}:22:12: Cons (24 bytes)\n  in share: memory is allocated: no block was taken apart before that it could use\n",
    )
    file.write_text(FILE.replace("Cons(n // ways, Nil)", "Nil"))
    assert usl(capsys, "fun", f"{file}:share", "--explain")[1] == "nothing is allocated\n"
    assert usl(capsys, "fun", file, "--explain", "--show", "c")[0] == 2


def test_the_c_is_written_with_its_runtime(file, tmp_path, capsys):
    status, out, _ = usl(capsys, "fun", file, "-o", tmp_path / "c", "--name", "shares")
    assert status == 0
    assert [Path(line).name for line in out.splitlines()] == ["shares.c", "shares.h", "shares_all.c", "usl_rt.c", "usl_rt.h"]
    assert "usl_value share(int64_t n, int64_t ways, usl_context *ctx);" in (tmp_path / "c" / "shares.h").read_text()
    assert usl(capsys, "fun", file, "--name", "x")[0] == 2
    assert usl(capsys, "fun", file, "--off", "reuse")[0] == 2
    assert usl(capsys, "fun", file, "-o", tmp_path / "c", "--name", "no name")[0] == 1


def test_wrong_names_are_one_message(file, capsys):
    _, _, error = usl(capsys, "fun", f"{file}:shared")
    assert error == "unknown function shared; did you mean share?\n  they are: length, share\n"
    _, _, error = usl(capsys, "fun", file, "--show", "perseus")
    assert error.startswith("unknown pass perseus; did you mean perceus?\n  they are: core, ")
    _, _, error = usl(capsys, "fun", file, "--show", "c", "--off", "perceus")
    assert error.startswith("unknown optional pass perceus")


def test_a_mistake_in_the_file_is_shown_with_its_line(file, capsys):
    file.write_text(FILE.replace("n // ways", "n / ways"))
    status, _, error = usl(capsys, "fun", file)
    assert status == 1
    assert error == dedent(f"""\
        {file}:22:17: / works on floats, not i64; // divides integers
            return Cons(n / ways, Nil)
                        ^^^^^^^^
        """)


def test_a_file_without_functions_is_a_mistake(file, capsys):
    file.write_text("x = 1\n")
    assert usl(capsys, "fun", file) == (1, "", f"{file} defines no function with @fun\n")


# -- cells that may contain themselves


CYCLIC = """\
@data
class Node:
    Node: (i64, ref["Next"])

@data
class Next:
    End: ()
    To: Node

@fun
def ring(n: i64) -> i64:
    cell = ref(End)
    node = Node(n, cell)
    cell.value = To(node)
    return n

@fun
def counter(n: i64) -> i64:
    cell = ref(n)
    cell.value = n + 1
    return cell.value

@fun
def knot(n: i64) -> i64:
    again = ref(lambda x: x + 1)
    again.value = lambda x: again.value(x - 1) if x > 0 else n
    return n
"""


def test_cells_that_may_contain_themselves_are_reported_with_the_way_and_a_place():
    found = cyclic.cycles(program(CYCLIC).program)
    assert [[show_type(type_) for type_ in each.path] for each in found] == [
        ["ref[Next]", "Next", "Node", "ref[Next]"],
        ["ref[(i64) -> i64]", "(i64) -> i64", "ref[(i64) -> i64]"],
    ]
    assert [each.span.line - FIRST + 1 for each in found] == [12, 25]


def test_the_list_of_functions_ends_with_them(tmp_path, capsys):
    path = tmp_path / "ring.py"
    path.write_text("from __future__ import annotations\nfrom usl_perceus import data, fun\n" + CYCLIC)
    _, out, _ = usl(capsys, "fun", f"{path}:ring")
    assert out == (
        "ring(n: i64) -> i64\n"
        f"{path}:14:12: cells of type ref[Next] may contain themselves and are then never freed: "
        "ref[Next] -> Next -> Node -> ref[Next]\n"
    )
