"""Patterns and matches as `Match`, `If` and join points of the core."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from usl_core.errors import Span
from usl_perceus import ir
from usl_perceus.front import decision as dc
from usl_perceus.front import patterns as pt
from usl_perceus.front import syntax as sx
from usl_perceus.front.block import Block
from usl_perceus.front.definitions import ConDef, DataDef
from usl_perceus.front.forms import coerced
from usl_perceus.front.free_names import size
from usl_perceus.front.lower_operators import constant
from usl_perceus.front.resolve import constructors
from usl_perceus.front.types import App, Type, resolve, substitute

if TYPE_CHECKING:
    from usl_perceus.front.instances import Instances

SMALL = 12
"""Nodes of a case that is copied where several paths of a decision tree lead to it; larger ones are joined."""


class Matching:
    """Matches; the rest of the lowering is the subclass's."""

    instances: Instances

    @abstractmethod
    def expr(self, node: sx.Expr, env: Any) -> ir.Expr:
        """An expression of the core, in which the names of env are variables."""

    @abstractmethod
    def atom(self, node: sx.Expr, env: Any, block: Block) -> ir.Atom:
        """The value of an expression as an atom; block evaluates it."""

    @abstractmethod
    def type(self, node: sx.Node) -> ir.Type:
        """The monomorphic type of a node, for the present instance of its function."""

    typed: Any
    named: Mapping[str, Type]

    def opened(self, binders: Sequence[ir.Var], types: Sequence[Type], block: Block, span: Span) -> tuple[ir.Atom, ...]:
        """The fields of a value, which have these types there; data types of uniform form keep them in another one."""
        wanted = [self.instances.type(type_, self.named) for type_ in types]
        return tuple(coerced(self.instances, each, want, block, span) for each, want in zip(binders, wanted, strict=True))

    # -- irrefutable patterns

    def bind(self, pattern: pt.Resolved, value: ir.Atom, type_: Type, block: Block, span: Span) -> dict[str, ir.Atom]:
        """The variables of a pattern that matches every value; fields are taken out in block. type_: that of the value."""
        match pattern:
            case pt.Any(names=names):
                return dict.fromkeys(names, value)
            case pt.Alternatives(items=items, names=names):
                return {**dict.fromkeys(names, value), **self.bind(items[0], value, type_, block, span)}
            case pt.Construct(args=args, names=names):
                found = dict.fromkeys(names, value)
                if not any(_binds(arg) for arg in args):
                    return found
                var = block.variable(value, span)
                assert isinstance(value.type, ir.DataType)
                con = self.instances.datas[value.type.name].cons[0]
                binders = tuple(ir.Var(_name(arg), type_) for arg, (_, type_) in zip(args, con.fields, strict=True))
                block.open(var, con, binders, span)
                types = field_types(type_, con.tag)
                for arg, field, inner in zip(args, self.opened(binders, types, block, span), types, strict=True):
                    found.update(self.bind(arg, field, inner, block, span))
                return found

    def bind_fields(
        self, pattern: pt.Resolved, values: Sequence[ir.Atom], types: Sequence[Type], block: Block, span: Span
    ) -> dict[str, ir.Atom]:
        """The variables of the patterns for the fields of an exception."""
        assert isinstance(pattern, pt.Construct)
        found: dict[str, ir.Atom] = {}
        for arg, value, type_ in zip(pattern.args, values, types, strict=True):
            found.update(self.bind(arg, value, type_, block, span))
        return found

    # -- matches

    def match(self, node: sx.Match, env: Mapping[str, Any], block: Block) -> ir.Expr:
        """A match with several cases; the value that is matched is named in block."""
        columns = node.scrutinee.items if isinstance(node.scrutinee, sx.Tuple) else (node.scrutinee,)
        values = [self.atom(column, env, block) for column in columns]
        rows = [(self._row(case, len(columns)), case.guard is not None) for case in node.cases]
        whole = [self._whole(case) for case in node.cases]
        if len(columns) > 1 and any(whole):
            # A case names the whole tuple, so it has to be built.
            con = self.instances.tuple_con(self.type(node.scrutinee))
            span = node.scrutinee.span
            values = [block.atom(ir.MakeCon(con, tuple(values), span=span), con.type, "pair", span)]
            rows = [((self.typed.patterns[case],), case.guard is not None) for case in node.cases]
        decisions = dc.Decisions(len(values))
        tree = decisions.tree(rows)
        roots = dict(enumerate(values))
        types = [self.typed.types[column] for column in columns]
        if len(values) == 1:
            types = [self.typed.types[node.scrutinee]]
        emitter = _Emitter(self, node, env, tree, roots, dict(enumerate(types)))
        return emitter.joined(emitter.tree(tree, roots))

    def _row(self, case: sx.Case, columns: int) -> tuple[pt.Resolved, ...]:
        found: pt.Resolved = self.typed.patterns[case]
        if columns == 1:
            return (found,)
        if isinstance(found, pt.Construct) and not found.names:
            return found.args
        return tuple(pt.Any((), found.span) for _ in range(columns))

    def _whole(self, case: sx.Case) -> bool:
        """Whether a case needs the matched tuple as a value, or is an alternative of tuples."""
        found = self.typed.patterns[case]
        return bool(found.names) or isinstance(found, pt.Alternatives)


class _Emitter:
    """The code of one decision tree."""

    def __init__(
        self,
        lowering: Matching,
        node: sx.Match,
        env: Mapping[str, Any],
        tree: dc.Tree,
        roots: Mapping[int, ir.Atom],
        types: dict[int, Type],
    ) -> None:
        self._lowering = lowering
        self._node = node
        self._env = env
        self._roots = roots
        self._types = types
        """Of what is matched and of its parts, by occurrence."""
        self._type = lowering.type(node)
        counts = Counter(leaf.row for leaf in dc.leaves(tree))
        self._shared = {row for row, count in counts.items() if count > 1 and size(node.cases[row].body) > SMALL}
        self._repeated = dc.repeated(tree)
        self._trees: dict[int, ir.Label] = {}
        """The join points of trees that stand in several places; what they ask for is in scope everywhere."""
        self._joins: dict[int, tuple[ir.Label, tuple[str, ...], tuple[ir.Var, ...], ir.Expr]] = {}

    def joined(self, body: ir.Expr) -> ir.Expr:
        """body, after the join points that it jumps to."""
        for label, _, params, join_body in reversed(self._joins.values()):  # each may jump to those that were made before it
            body = ir.LetJoin(label, params, join_body, body, span=join_body.span)
        return body

    def tree(self, tree: dc.Tree, values: Mapping[int, ir.Atom]) -> ir.Expr:
        match tree:
            case dc.Leaf():
                return self._leaf(tree, values)
            case dc.Guarded(leaf=leaf, orelse=orelse):
                guard = self._node.cases[leaf.row].guard
                assert guard is not None
                block = Block()
                test = self._lowering.atom(guard, self._inner(leaf, values), block)
                then, other = self._leaf(leaf, values), self.tree(orelse, values)
                return block.wrap(ir.If(test, then, other, span=guard.span))
            case dc.Switch() if id(tree) in self._repeated:
                if id(tree) not in self._trees:
                    body = self._switch(tree, self._roots)
                    self._trees[id(tree)] = ir.Label("rest")
                    self._joins[-len(self._trees)] = (self._trees[id(tree)], (), (), body)
                return ir.Jump(self._trees[id(tree)], (), self._type, span=_span(tree, self._node))
            case dc.Switch():
                return self._switch(tree, values)

    def _inner(self, leaf: dc.Leaf, values: Mapping[int, ir.Atom]) -> dict[str, Any]:
        return {**self._env, **{name: values[occurrence] for name, occurrence in leaf.bindings}}

    def _leaf(self, leaf: dc.Leaf, values: Mapping[int, ir.Atom]) -> ir.Expr:
        case = self._node.cases[leaf.row]
        if leaf.row not in self._shared:
            return self._lowering.expr(case.body, self._inner(leaf, values))
        # A name of a whole matched value means the same on every path, so that it need not be passed.
        whole = {name: self._roots[occurrence] for name, occurrence in leaf.bindings if occurrence in self._roots}
        bound = {name: values[occurrence] for name, occurrence in leaf.bindings if occurrence not in self._roots}
        if leaf.row not in self._joins:
            names = tuple(bound)
            params = tuple(ir.Var(name, bound[name].type) for name in names)
            inner = {**self._env, **whole, **dict(zip(names, params, strict=True))}
            body = self._lowering.expr(case.body, inner)
            self._joins[leaf.row] = (ir.Label(f"case{leaf.row}"), names, params, body)
        label, names, _, _ = self._joins[leaf.row]
        return ir.Jump(label, tuple(bound[name] for name in names), self._type, span=case.span)

    def _switch(self, tree: dc.Switch, values: Mapping[int, ir.Atom]) -> ir.Expr:
        value = values[tree.occurrence]
        match tree.branches[0].head:
            case ConDef() | pt.TupleHead():
                return self._on_constructors(tree, value, values)
            case pt.BoolHead():
                return self._on_bools(tree, value, values)
            case pt.LiteralHead():
                return self._on_literals(tree, value, values)

    def _on_constructors(self, tree: dc.Switch, value: ir.Atom, values: Mapping[int, ir.Atom]) -> ir.Expr:
        span = self._node.span
        block = Block()
        var = block.variable(value, span)
        assert isinstance(var.type, ir.DataType)
        cons = self._lowering.instances.datas[var.type.name].cons
        branches = []
        for branch in tree.branches:
            con = cons[branch.head.tag] if isinstance(branch.head, ConDef) else cons[0]
            names = _names(branch.tree)
            binders = tuple(
                ir.Var(names.get(occurrence, "_"), type_)
                for occurrence, (_, type_) in zip(branch.fields, con.fields, strict=True)
            )
            types, opening = field_types(self._types[tree.occurrence], con.tag), Block()
            self._types.update(zip(branch.fields, types, strict=True))
            fields = self._lowering.opened(binders, types, opening, span)
            inner = {**values, **dict(zip(branch.fields, fields, strict=True)), tree.occurrence: var}
            body = opening.wrap(self.tree(branch.tree, inner))
            branches.append(ir.Branch(con, binders, body, span=_span(branch.tree, self._node)))
        rest = {**values, tree.occurrence: var}
        default = self.tree(tree.default, rest) if tree.default is not None else None
        return block.wrap(ir.Match(var, tuple(branches), default, span=span))

    def _on_bools(self, tree: dc.Switch, value: ir.Atom, values: Mapping[int, ir.Atom]) -> ir.Expr:
        parts: dict[bool, dc.Tree] = {}
        for branch in tree.branches:
            assert isinstance(branch.head, pt.BoolHead)
            parts[branch.head.value] = branch.tree
        chosen = {flag: self.tree(parts.get(flag, tree.default or tree), values) for flag in (True, False)}
        return ir.If(value, chosen[True], chosen[False], span=self._node.span)

    def _on_literals(self, tree: dc.Switch, value: ir.Atom, values: Mapping[int, ir.Atom]) -> ir.Expr:
        assert tree.default is not None
        span = self._node.span
        result = self.tree(tree.default, values)
        for branch in reversed(tree.branches):
            assert isinstance(branch.head, pt.LiteralHead)
            literal = constant(branch.head.value, value.type)
            op = "str_eq" if value.type == ir.STR else "eq"
            block = Block()
            test = block.atom(ir.Prim(op, (value, literal), ir.BOOL, span=span), ir.BOOL, "test", span)
            result = block.wrap(ir.If(test, self.tree(branch.tree, values), result, span=span))
        return result


def field_types(type_: Type, tag: int) -> tuple[Type, ...]:
    """The types of the fields of the constructor with that tag, or of the items of a tuple."""
    found = resolve(type_)
    assert isinstance(found, App)
    if not isinstance(found.head, DataDef):
        return found.args
    named = dict(zip(found.head.typevars, found.args, strict=True))
    return tuple(substitute(field, named) for field in constructors(found.head)[tag].fields)


def _names(tree: dc.Tree) -> dict[int, str]:
    """What cases call the parts of a value; the first one's word counts."""
    found: dict[int, str] = {}
    for leaf in dc.leaves(tree):
        for name, occurrence in leaf.bindings:
            found.setdefault(occurrence, name)
    return found


def _span(tree: dc.Tree, node: sx.Match) -> Span:
    return node.cases[next(dc.leaves(tree)).row].span


def _binds(pattern: pt.Resolved) -> bool:
    match pattern:
        case pt.Any(names=names):
            return bool(names)
        case pt.Construct(args=args, names=names):
            return bool(names) or any(map(_binds, args))
        case pt.Alternatives(items=items, names=names):
            return bool(names) or any(map(_binds, items))


def _name(pattern: pt.Resolved) -> str:
    return pattern.names[0] if pattern.names else "_"
