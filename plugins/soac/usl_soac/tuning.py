"""The kernels of a compiled program: what they are, which schedules they have, where arrays are allocated.

Only operators make schedules, and the core says what may stand for what, so that no schedule can change a program.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

from usl_core import Procedure
from usl_core.equivalence import why_not_exchangeable
from usl_soac.allocations import Allocation
from usl_soac.core import Program
from usl_soac.errors import SoacError

if TYPE_CHECKING:
    from usl_soac.running import Compiled

Schedule = Callable[..., Procedure]
"""Takes a kernel, and gives what operators have made of it."""


class Tuned:
    """What a function says about its compiled form, and takes to change it."""

    _compiled: Compiled | None
    _applied: tuple[tuple[Sequence[str], Schedule, Mapping[str, Any]], ...] = ()
    """The schedules of its kernels so far."""

    def core(self) -> Program:
        """The program of this function and everything that it uses."""
        raise NotImplementedError

    def compiled(self) -> Compiled:
        """The compiled program."""
        raise NotImplementedError

    def copied(self) -> Self:
        """The function, to be compiled anew."""
        raise NotImplementedError

    @property
    def kernels(self) -> Mapping[str, Procedure]:
        """The procedures that do the work, by name: `main.k0`, `main.k1`, …, with their schedules so far."""
        return {_shown(name): each for name, each in self.compiled().kernels.items()}

    def schedule(self, kernel: str | Schedule, schedule: Schedule | None = None, /, **options: Any) -> Self:
        """The function with a schedule for a kernel: `f.schedule("k0", tiled)`; or for all: `f.schedule(vectorised, width=8)`.

        A schedule is a function that takes a procedure, and options as given here, and returns what operators have made of it.

        Raises:
            SoacError: there is no such kernel, no schedule is given for it, or what the schedule returns was not made from the
            kernel by operators that keep its meaning (E768).
        """
        if callable(kernel):
            chosen, apply = list(self.compiled().kernels), kernel
        else:
            if not callable(schedule):
                hint = f"hint: f.schedule({kernel!r}, schedule), or f.schedule(schedule) for all kernels"
                raise SoacError(f"{schedule!r} is no function that schedules {kernel!r}", notes=(hint,), code="E768")
            chosen, apply = [self._kernel(kernel)], schedule
        found = {name: _scheduled(name, self.compiled().kernels[name], apply, options) for name in chosen}
        made = self.copied()
        made._compiled = self.compiled().scheduled(found)
        made._applied = (*self._applied, (chosen, apply, options))
        return made

    def with_tests(self, *, of_program: bool = True, of_compiler: bool = False) -> Self:
        """The function with its schedules, compiled with other tests.

        of_program=False leaves out what the program tests: what a test would have found is undefined then. It is there to
        measure what tests cost. of_compiler=True adds tests that arrays have the sizes which were computed for them.

        Raises:
            SoacError: a schedule is for a kernel that is not there, or is another one, without tests (E768).
        """
        from usl_soac.running import Compiled

        made = self.copied()
        made._compiled, made._applied = Compiled(self.core(), checked=of_program, debug=of_compiler), self._applied
        for names, apply, options in self._applied:
            now = made._compiled.kernels
            lost = [_shown(name) for name in names if name not in now]
            if lost:
                raise SoacError(f"without tests there is no kernel {lost[0]}, which has a schedule", code="E768")
            found = {name: _scheduled(name, now[name], apply, options) for name in names}
            made._compiled = made._compiled.scheduled(found)
        return made

    def _kernel(self, name: str) -> str:
        own = self.compiled().source.name
        known = {_shown(each): each for each in self.compiled().kernels}
        for spelled in (name, f"{own}.{name}"):
            if spelled in known:
                return known[spelled]
        names = ", ".join(known) or "none"
        raise SoacError(f"{own} has no kernel {name}; its kernels: {names}", span=None, code="E768")

    def allocations(self) -> tuple[Allocation, ...]:
        """Every place where the compiled program takes memory for an array."""
        return tuple(self.compiled().outer.allocations)

    def c_code(self) -> str:
        """The C of the program, without the runtime."""
        code: str = self.compiled().compiled.show("c")
        return code


def _shown(name: str) -> str:
    function, _, number = name.rpartition("_")
    return f"{function}.{number}"


def _scheduled(name: str, kernel: Procedure, schedule: Schedule, options: Mapping[str, Any]) -> Procedure:
    found: object = schedule(kernel, **options)
    if not isinstance(found, Procedure):
        message = f"the schedule of {_shown(name)} returns {found!r}, not a procedure"
        raise SoacError(message, notes=("hint: return what the last operator gave",), code="E768")
    why = why_not_exchangeable(kernel.ir, found.ir)
    if why is not None:
        raise SoacError(f"the schedule of {_shown(name)} does not belong to it: {why}", code="E768")
    return found
