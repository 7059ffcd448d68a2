"""The benchmark of functional programs: every system gives the same results on small sizes; the fast paths only move data."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping

import pytest

from bench.perceus import programs
from bench.perceus.contestants import FLAGS, OURS, PROGRAMS, build_ours
from bench.perceus.process import Run, build_launcher, run
from bench.perceus.run import Result, goals, large, problems, table

SMALL: Mapping[str, tuple[int, ...]] = {
    "rbtree": (2000,),
    "rbtree_i64": (2000,),
    "rbtree_random": (1000,),
    "rbtree_ck": (2000,),
    "deriv": (5,),
    "nqueens": (6,),
    "cfold": (8,),
    "tmap_fbip": (500, 3),
    "tmap_plain": (500, 3),
    "list_map": (500, 3),
    "list_map_shared": (500, 3),
    "hash_numbers": (500,),
    "tree_numbers": (500,),
    "hash_words": (500,),
}
EXPECTED = {
    "rbtree": 200,
    "rbtree_i64": 200,
    "rbtree_random": 94,
    "rbtree_ck": 600,
    "nqueens": 4,
    "list_map": 500 * 501 // 2 + 1500,
    "tmap_plain": 499 * 250 + 1500,
    "hash_numbers": 499 * 250 + 500,
    "tree_numbers": 499 * 250 + 500,
}

STATS = """
#include <stdio.h>
#include <stdlib.h>
static void usl_show_stats(void)
{
    const struct usl_stats s = usl_stats_read();
    printf("%lld %lld %lld %lld\\n", (long long)s.allocated, (long long)s.freed, (long long)s.dups, (long long)s.drops);
}
"""


@pytest.mark.parametrize("name", PROGRAMS)
def test_our_programs_give_the_right_number_and_an_empty_heap(name, tmp_path):
    program = build_ours(getattr(programs, name), tmp_path / name, flags=("-std=c11", "-O1", "-ffp-contract=off"))
    arguments = [name, *map(str, SMALL[name]), "check"]
    done = subprocess.run([str(program), *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    if name in EXPECTED:
        assert int(done.stdout) == EXPECTED[name]


def counted(name: str, sizes: tuple[int, ...], folder) -> list[int]:
    """Allocations, frees, dups and drops of a whole run, in a build that counts."""
    program = build_ours(getattr(programs, name), folder)
    main = (folder / "main.c").read_text(encoding="utf-8")
    main = main.replace("#include <stdlib.h>\n", "#include <stdlib.h>\n" + STATS).replace(
        "return argc >", "usl_show_stats();\n    return argc >"
    )
    (folder / "main.c").write_text(main, encoding="utf-8")
    built = [*("cc", *FLAGS, "-DUSL_STATS"), str(folder / f"{name}_all.c"), str(folder / "main.c"), "-o", str(program), "-lm"]
    subprocess.run(built, check=True, capture_output=True)
    done = subprocess.run([str(program), name, *map(str, sizes)], capture_output=True, text=True, check=True)
    return [int(word) for word in done.stdout.splitlines()[-1].split()]


@pytest.mark.parametrize("name", ["list_map", "tmap_fbip"])
def test_mapping_a_unique_structure_neither_allocates_nor_counts(name, tmp_path):
    once, often = (counted(name, (500, times), tmp_path) for times in (1, 40))
    assert once == often
    assert once[0] == once[1] == 500


def test_inserting_into_a_unique_tree_allocates_one_node_and_counts_nothing(tmp_path):
    allocated, freed, dups, drops = counted("rbtree", (3000,), tmp_path)
    assert allocated == freed == 3000
    assert (dups, drops) == (0, 0)


def test_a_process_is_measured_without_its_parent(tmp_path):
    launcher = build_launcher(tmp_path)
    one = run(launcher, ["true"])
    assert one is not None
    assert one.megabytes < 20
    assert run(launcher, ["false"]) is None


def test_what_memory_does_not_suffice_for_is_left_out(monkeypatch):
    monkeypatch.setattr("bench.perceus.run.available_gigabytes", lambda: 3.4)
    assert large() == ([], ["rbtree: needs 4 GB, 3 are free", "rbtree_ck: needs 16 GB, 3 are free"])


def test_goals_and_problems_are_judged_by_medians():
    runs = {OURS: [Run(1.0, 100.0, "7"), Run(9.0, 100.0, "7"), Run(1.0, 100.0, "7")], "OCaml": [Run(4.0, 200.0, "7")]}
    result = Result("rbtree", runs, {"GHC": "ghc is not installed"})
    judged = {one["goal"]: one["met"] for one in goals([result])}
    assert judged == {"rbtree at most 0.47 of OCaml": True, "rbtree in at most 131 MB": True}
    assert problems([result]) == []
    assert any("ghc is not installed" in line for line in table(result))
    assert problems([Result("rbtree", {OURS: runs[OURS], "OCaml": [Run(1.0, 1.0, "8")]})]) == [
        "rbtree: the results differ: 7, 8"
    ]
    assert problems([Result("rbtree")]) == ["rbtree: our program fails"]
