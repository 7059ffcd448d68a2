"""Resource operations: what the linear calculus adds to the core, wrapped into expressions by `Do`."""

from __future__ import annotations

from dataclasses import dataclass

from usl_perceus.ir.atoms import Var
from usl_perceus.ir.nodes import Node


@dataclass(frozen=True, slots=True, eq=False)
class Dup(Node):
    """One more reference; var may be borrowed or owned and one more ownership of it is gained."""

    var: Var


@dataclass(frozen=True, slots=True, eq=False)
class Drop(Node):
    """Give up one reference; the last one frees the block, dropping its fields."""

    var: Var


@dataclass(frozen=True, slots=True, eq=False)
class DropReuse(Node):
    """Give up one reference to the boxed, not immediate `var`, whose block has `token.type.size` bytes. The last one: drop the
    fields, and token is the memory. Otherwise: token is NULL."""

    token: Var
    var: Var


@dataclass(frozen=True, slots=True, eq=False)
class IfUnique(Node):
    """If var (boxed, not immediate, owned) has count one then `unique` else `shared`; both leave the same variables owned.

    Made by drop specialisation in a branch of a match on var that binds fields ys. `unique` ends the life of the block with
    Free or TakeToken: the references that the block held become the binders', which are owned from then on; so
    `unique` has a Drop for each field that nobody needs and no Dup for the others. `shared` has a Dup for each field that is
    needed, then DecRef, with NullToken behind it or CopyToken before it if `unique` has TakeToken."""

    var: Var
    unique: tuple[Op, ...]
    shared: tuple[Op, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Free(Node):
    """Release the memory of the block var, which is unique; its match's binders own the fields (those not yet dropped). Of a
    variable of a VALUE type: take it apart; its match's binders own the fields, and there is no code for it."""

    var: Var


@dataclass(frozen=True, slots=True, eq=False)
class DecRef(Node):
    """Give up one reference to the block var, which is known not to be the only one."""

    var: Var


@dataclass(frozen=True, slots=True, eq=False)
class TakeToken(Node):
    """As Free, but the memory becomes the token instead of being released. Contents stay as they are."""

    token: Var
    var: Var


@dataclass(frozen=True, slots=True, eq=False)
class NullToken(Node):
    """token is NULL."""

    token: Var


@dataclass(frozen=True, slots=True, eq=False)
class CopyToken(Node):
    """token is new memory that holds what the block var does; nothing is counted, and var keeps its references. Stands in the
    shared sequence of an IfUnique on var only, between the dups of fields and DecRef."""

    token: Var
    var: Var


@dataclass(frozen=True, slots=True, eq=False)
class FreeToken(Node):
    """Release the token's memory if it is not NULL; consumes it."""

    token: Var


Op = Dup | Drop | DropReuse | IfUnique | Free | DecRef | TakeToken | NullToken | CopyToken | FreeToken
"""Every kind of resource operation. A sequence of them is a tuple."""
