"""What each optimisation does to whole programs: same results, empty heap, and the operations that it saves."""

from __future__ import annotations

from textwrap import dedent

import pytest
from perceus_front import program
from perceus_runs import heap_outcome, outcome, with_main
from perceus_semantics import heap

from bench.perceus import programs as bench
from usl_perceus.ir import Program
from usl_perceus.passes import OPTIONAL, compile_program
from usl_perceus.show import show_function

SIZES = {
    "rbtree": (40,),
    "rbtree_ck": (25,),
    "deriv": (3,),
    "nqueens": (5,),
    "cfold": (4,),
    "tmap_fbip": (20, 2),
    "tmap_plain": (20, 2),
    "list_map": (20, 2),
    "list_map_shared": (20, 2),
}


def benchmark_program(name: str) -> Program:
    return with_main(getattr(bench, name).core().program, name, *SIZES[name])


def run_counted(source: Program, *off: str) -> heap.Stats:
    """What a run does to the heap; its result is that of the core, and the heap is empty at the end."""
    stats = heap.Stats()
    assert heap_outcome(compile_program(source, off=off), stats=stats) == outcome(source, fuel=10**6)
    return stats


@pytest.mark.parametrize("name", SIZES)
def test_every_benchmark_gives_the_same_with_any_optimisation_off(name):
    source = benchmark_program(name)
    for off in [(), *((each,) for each in sorted(OPTIONAL)), tuple(OPTIONAL)]:
        run_counted(source, *off)


@pytest.mark.parametrize("name", SIZES)
def test_counts_are_references_at_every_step_of_every_benchmark(name):
    source = benchmark_program(name)
    compiled = compile_program(source)
    assert heap_outcome(compiled, heap.check_counts) == outcome(source, fuel=10**6)


@pytest.mark.parametrize(("name", "blocks"), [("rbtree", 40), ("tmap_fbip", 20), ("tmap_plain", 20), ("list_map", 20)])
def test_unique_data_is_updated_without_allocation_and_without_counts(name, blocks):
    stats = run_counted(benchmark_program(name))
    assert stats.allocated == blocks  # to build the data at first
    assert stats.reused > blocks
    assert stats.dups == 0
    assert stats.drops <= 1  # of the whole structure at the end


@pytest.mark.parametrize(
    ("name", "off", "measure"),
    [
        ("rbtree", "reuse", "allocated"),
        ("rbtree", "inline", "allocated"),
        ("rbtree", "fusion", "dups"),
        ("rbtree", "reuse-token-specialization", "dups"),
        ("nqueens", "drop-specialization", "dups"),
        ("deriv", "borrow", "dups"),
        ("list_map", "function-specialization", "dups"),
        ("list_map", "trmc", "max_stack"),
    ],
)
def test_an_optimisation_saves_what_it_is_for(name, off, measure):
    source = benchmark_program(name)
    assert getattr(run_counted(source), measure) < getattr(run_counted(source, off), measure)


def compiled(text: str, *off: str) -> Program:
    """text behind the prelude of `perceus_front`, after the passes."""
    return compile_program(program(text).program, off=off)


MAP = """
    @fun
    def map(xs: List[T], f: Callable[[T], U]) -> List[U]:
        match xs:
            case Cons(x, rest):
                return Cons(f(x), map(rest, f))
            case Nil():
                return Nil

    @fun
    def increase(xs: List[i64], by: i64) -> List[i64]:
        return map(xs, lambda x: x + by)
"""


def test_map_over_a_known_function_is_a_loop_that_reuses_each_block():
    funs = compiled(MAP).funs
    (name,) = [name for name in funs if name.endswith("#1@hole")]
    assert show_function(funs[name]) == dedent(f"""\
        fun {name}(xs: List[i64], c: i64, h: hole[List[i64]]) -> () loop 0 {{
          match xs {{
            Cons(x, rest) -> {{
              if unique xs {{ val ru = &xs }} else {{ dup rest; val ru = copy xs; decref xs }}
              val f_result = add(x, c)
              val cons, h'1 = Cons@=ru(f_result, □)
              val _ = *h := cons
              tail {name}(rest, c, h'1)
            }}
            Nil -> *h := Nil
          }}
        }}""").replace("loop 0", f"loop {funs[name].loop}")


def test_map_as_in_the_thesis_before_any_optimisation():
    """Reinking 2022, fig. 4.1b."""
    funs = compiled(MAP, *OPTIONAL).funs
    (name,) = [name for name in funs if name.startswith("map")]
    assert show_function(funs[name]) == dedent(f"""\
        fun {name}(xs: List[i64], f: (i64) -> i64) -> List[i64] {{
          match xs {{
            Cons(x, rest) -> {{
              dup rest
              drop xs
              val f_result = {{
                dup f
                f.(x)
              }}
              val map_result = {name}(rest, f)
              Cons(f_result, map_result)
            }}
            Nil -> {{
              drop xs
              drop f
              Nil
            }}
          }}
        }}""")


def test_mutual_recursion_modulo_constructor_runs_in_constant_stack():
    source = program("""
        @fun
        def odds(n: i64) -> List[i64]:
            if n <= 0:
                return Nil
            return Cons(n, evens(n - 1))

        @fun
        def evens(n: i64) -> List[i64]:
            if n <= 0:
                return Nil
            return Cons(0, Cons(n, odds(n - 1)))

        @fun
        def total(xs: List[i64], n: i64) -> i64:
            match xs:
                case Cons(x, rest):
                    return total(rest, n + x)
                case Nil():
                    return n

        @fun
        def run(n: i64) -> i64:
            return total(odds(n), 0)
    """).program
    few, many = run_counted(with_main(source, "run", 10)), run_counted(with_main(source, "run", 100))
    assert few.max_stack == many.max_stack
    assert run_counted(with_main(source, "run", 100), "trmc").max_stack > 100


def test_modulo_constructor_an_exception_drops_what_was_built_so_far():
    source = program("""
        @fun
        def below(n: i64, limit: i64) -> List[i64]:
            if n <= 0:
                return Nil
            if n == limit:
                raise NotFound(n)
            return Cons(n, below(n - 1, limit))

        @fun
        def size(xs: List[i64], n: i64) -> i64:
            match xs:
                case Cons(_, rest):
                    return size(rest, n + 1)
                case Nil():
                    return n

        @fun
        def run(n: i64, limit: i64) -> i64:
            try:
                return size(below(n, limit), 0)
            except NotFound(key):
                return 0 - key
    """).program
    for limit, result in [(0, 30), (1, -1), (29, -29), (30, -30)]:
        called = with_main(source, "run", 30, limit)
        assert outcome(called) == (result, [])
        assert run_counted(called).max_stack < 10
        assert run_counted(called, "trmc").max_stack >= min(30, 30 - limit)


def test_nested_patterns_give_both_blocks_to_the_constructors_of_their_size():
    source = program("""
        @fun
        def swapped(xs: List[i64]) -> List[i64]:
            match xs:
                case Cons(a, Cons(b, rest)):
                    return Cons(b, Cons(a, rest))
                case _:
                    return xs
    """).program
    assert show_function(compile_program(source).funs["swapped"]) == dedent("""\
        fun swapped(xs: List[i64]) -> List[i64] {
          match xs {
            Cons(a, _) -> {
              match _ {
                Cons(b, rest) -> {
                  if unique xs { val ru = &xs } else { dup _; val ru = copy xs; decref xs }
                  if unique _ { val ru'1 = &_ } else { dup rest; val ru'1 = copy _; decref _ }
                  val Cons_result = Cons@=ru(=a, rest)
                  Cons@=ru'1(=b, Cons_result)
                }
                _ -> xs
              }
            }
            _ -> xs
          }
        }""")
