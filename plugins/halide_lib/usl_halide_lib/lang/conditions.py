"""Parameters and extents of images that directives name, which a procedure has as formals; conditions of `specialize`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from usl_halide_lib.directives import Directive
from usl_halide_lib.lang.collect import Program
from usl_halide_lib.lang.emit import Emitted
from usl_halide_lib.lang.emit_expr import Writer
from usl_halide_lib.lang.errors import refuse
from usl_halide_lib.lang.expr import Expr
from usl_halide_lib.lang.images import first_of
from usl_halide_lib.lang.linear import Facts
from usl_halide_lib.lang.nodes import Name, Node, show, walk
from usl_halide_lib.lang.normal import Normal
from usl_halide_lib.lang.types import BOOL
from usl_halide_lib.lang.valid import check_algorithm, is_startup
from usl_halide_lib.lang.variables import Param


def with_parameters(program: Program, directives: Iterable[Directive]) -> Program:
    """The program with the parameters that only directives name.

    Raises:
        DirectiveError: E777, a condition is none, or names an image that nothing reads.
        AlgorithmError: E788, a name stands for two parameters.
    """
    params = dict(program.params)
    for directive in directives:
        for node in _names(directive):
            if isinstance(node.source, Param):
                if params.setdefault(node.name, node.source) is not node.source:
                    raise refuse(f"two parameters are called {node.name}", code="E788", span=directive.span)
            elif node.source is not program.images.get(node.name.partition(".")[0]):
                raise directive.refuse(f"{node.name.partition('.')[0]} is no input of the pipeline", "E777")
    more = tuple((name, param.type()) for name, param in params.items() if name not in program.params)
    if not more:
        return program
    algorithm = replace(program.algorithm, params=(*program.algorithm.params, *more))
    check_algorithm(algorithm)
    return replace(program, algorithm=algorithm, params=params)


def in_procedure(directive: Directive, emitted: Emitted) -> Directive:
    """A specialisation with its condition in the names of the procedure.

    Raises:
        DirectiveError: E777, the condition is not linear in parameters of type Int(32) and extents.
    """
    if directive.name != "specialize" or isinstance(directive.args[0], str):
        return directive
    images = emitted.bounds.target.algorithm.images
    names = {first_of(name, dim): "0" for name, dimensions, _ in images for dim in range(dimensions)}
    names |= {each.of: each.name for each in emitted.formals if each.kind == "param"}
    names |= {f"{each.of}.extent.{each.dim}": each.name for each in emitted.formals if each.kind == "extent"}
    facts = Facts(dict(emitted.bounds.facts))
    normal = Normal(emitted.bounds.target.algorithm, facts, lambda hole: None)
    writer = Writer(normal, facts, names, {}, {}, frozenset(), str, lambda read, writer: None)
    condition = _condition(directive)
    text = writer.condition(condition)
    if text is None:
        message = f"{show(condition)} does not compare sums of Int(32) parameters and extents of images"
        raise directive.refuse(message, "E777", ["hint: a select on it, or a pipeline for each case"])
    return replace(directive, args=(text, *directive.args[1:]))


def _names(directive: Directive) -> list[Name]:
    """The parameters and extents in a condition, or in numbers of places."""
    if directive.name == "specialize" and not isinstance(directive.args[0], str):
        given = [_condition(directive)]
    elif directive.name in ("bound", "align_bounds"):
        given = [each.node for each in directive.args if isinstance(each, Expr) and is_startup(each.node)]
    else:
        given = []
    return [node for each in given for node in walk(each) if isinstance(node, Name)]


def _condition(directive: Directive) -> Node:
    given = directive.args[0]
    if not isinstance(given, Expr) or given.type() != BOOL:
        raise directive.refuse(f"{given} is no condition; compare a Param or the extent of an image with something", "E777")
    if not is_startup(given.node):
        raise directive.refuse(f"{given} may only consist of numbers, parameters and extents of images", "E777")
    return given.node
