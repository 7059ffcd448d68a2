"""A chip as a target: its memories and its instructions, all made from its parameters."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping

from usl_core import Procedure, rename
from usl_gemmini.kernels_loads import loads, spaced
from usl_gemmini.kernels_products import products
from usl_gemmini.kernels_settings import settings
from usl_gemmini.kernels_stores import stores
from usl_gemmini.memories import Memories, memories
from usl_gemmini.params import GemminiParams


class Chip(Mapping[str, Procedure]):
    """What a schedule needs of a chip: `chip.memories.spad`, `chip["mvin"]`. Instructions are made when first asked for.

    `mvin_apart` and `mvin_every` have any number for a suffix; one of each stands for all.
    """

    def __init__(self, params: GemminiParams) -> None:
        self.params = params
        self.memories: Memories = memories(params)
        self._makers: dict[str, Callable[[], Procedure]] = {
            **settings(params),
            **loads(params, self.memories),
            **stores(params, self.memories),
            **products(params, self.memories),
        }
        self._made: dict[str, Procedure] = {}

    def __getitem__(self, name: str) -> Procedure:
        if name not in self._made:
            made = (self._makers.get(name) or spaced(self.params, self.memories, name))()
            self._made[name] = made if made.name() == name else rename(made, name)
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)


@functools.cache
def _chip(params: GemminiParams) -> Chip:
    return Chip(params)


def chip(params: GemminiParams | None = None) -> Chip:
    """The chip of these parameters, by default the default chip; the same object for the same parameters."""
    return _chip(params or GemminiParams())
