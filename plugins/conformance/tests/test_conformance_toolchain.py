"""How instructions come to run: natively, by an emulation, or not at all; which of many procedures do not compile."""

from __future__ import annotations

import pytest

pytest.importorskip("numpy")

from usl_conformance.compiled import STRICT, Toolchain, as_batch_backend, features_of, ways_of
from usl_conformance.findings import Outcome, Report
from usl_conformance.memories import check_memories
from usl_core.errors import JitError, PluginError
from usl_core.ir.memory import Memory
from usl_core.plugins.hookspecs import Emulation
from usl_core.procedure import proc_from_source


class FakeBackend:
    """Compiles everything but what is called bad, and remembers what it was asked."""

    name = "fake"

    def __init__(self, lacking=(), telling=True):
        self.lacking, self.telling, self.asked = lacking, telling, []

    def emit(self, procs, name, *, entry_checks=True):
        return {}

    def build(self, procs, name, directory):
        return directory

    def jit(self, procedure, **options):
        return print

    def jit_all(self, procs, name, *, flags=(), emulated=False):
        self.asked.append(([proc.name for proc in procs], flags, emulated))
        bad = [proc.name for proc in procs if proc.name.startswith("bad")]
        if bad:
            raise JitError("no", notes=[f"In function '{name}_body'" for name in bad] if self.telling else [])
        return {proc.name: print for proc in procs}

    def missing_features(self, features):
        return tuple(feature for feature in features if feature in self.lacking)


def procs(*names):
    return [proc_from_source(f"def {name}(x: f32[4]):\n    x[0] = 1.0\n").ir for name in names]


EMULATION = Emulation(frozenset({"avx", "fma"}), ("-DEMULATE",))


@pytest.mark.parametrize(
    ("lacking", "needed", "always", "way"),
    [
        ((), (), False, ""),
        ((), ("avx",), False, ""),
        (("avx",), ("avx",), False, "simulator"),
        (("avx",), ("fma", "avx"), False, "simulator"),
        (("sve",), ("sve",), False, None),
        (("sve",), ("avx", "sve"), False, None),
        ((), ("avx",), True, "simulator"),
        ((), ("sve",), True, ""),
        ((), (), True, ""),
    ],
)
def test_the_way_to_run_what_needs_features(lacking, needed, always, way):
    tools = Toolchain(FakeBackend(lacking), {"simulator": EMULATION}, always)
    assert tools.way(needed) == way


@pytest.mark.parametrize("telling", [True, False])
def test_what_does_not_compile_is_found_among_many(telling):
    backend = FakeBackend(telling=telling)
    names = [f"good{k}" for k in range(20)] + ["bad1", "bad2"]
    found = Toolchain(backend, {}).compile(procs(*names), "many")
    assert {name for name, each in found.items() if isinstance(each, JitError)} == {"bad1", "bad2"}
    assert set(found) == set(names)
    if telling:
        assert len(backend.asked) == 4, "all, each of those that the compiler names, the rest"


class Wide(Memory):
    """Registers whose C needs a feature."""

    name = "Wide"
    features = ("avx",)


def test_what_allocates_in_a_memory_needs_the_features_that_the_memory_declares():
    caller = proc_from_source("def caller():\n    x: f32[8] @ Wide\n    x[0] = 1.0\n", {"Wide": Wide}).ir
    taker = proc_from_source("def taker(x: [f32][8] @ Wide):\n    x[0] = 1.0\n", {"Wide": Wide}).ir
    assert features_of(caller) == features_of(taker) == {"avx"}
    backend = FakeBackend(lacking=("avx",))
    Toolchain(backend, {"simulator": EMULATION}).compile([caller, *procs("plain")], "two")
    assert sorted(backend.asked) == [(["caller"], (*STRICT, "-DEMULATE"), True), (["plain"], STRICT, False)]


def test_what_fails_to_compile_natively_is_not_tried_by_an_emulation_in_silence():
    backend = FakeBackend()
    found = Toolchain(backend, {"simulator": EMULATION}).compile(procs("good", "bad"), "two")
    assert isinstance(found["bad"], JitError)
    assert not any(emulated for _, _, emulated in backend.asked)


def test_a_memory_whose_features_the_processor_lacks_is_skipped_with_their_names():
    tools = Toolchain(FakeBackend(lacking=("avx",)), {})
    (outcome,) = check_memories([Wide], [], tools)
    assert (outcome.status, outcome.reason) == ("skipped", "this processor lacks avx, and no plugin emulates it here")


def test_a_check_says_how_it_ran():
    backend, emulations = FakeBackend(lacking=("avx",)), {"simulator": EMULATION}
    both = [proc_from_source("def caller():\n    x: f32[8] @ Wide\n    x[0] = 1.0\n", {"Wide": Wide}).ir, *procs("plain")]
    assert ways_of(both[1:], Toolchain(backend, emulations)) == "native"
    assert ways_of(both[:1], Toolchain(backend, emulations)) == "emulated by simulator"
    assert ways_of(both, Toolchain(backend, emulations)) == "emulated by simulator and native"
    ran = [Outcome("memory", "A", "passed", 3, ran="native"), Outcome("memory", "B", "passed", 4, ran="emulated by simulator")]
    report = Report("tried", (*ran, Outcome("memory", "C", "skipped", reason="no way")))
    assert report.text().splitlines()[-1] == "tried: 2 passed, 1 skipped (7 runs: 1 native, 1 emulated by simulator)"
    assert [outcome["ran"] for outcome in report.as_dict()["outcomes"]] == ["native", "emulated by simulator", ""]


def test_a_backend_that_cannot_compile_many_is_refused():
    with pytest.raises(PluginError, match="backend 'x' cannot run conformance tests"):
        as_batch_backend(object(), "x")


def test_an_emulation_is_declared_by_name(site):
    source = """
        from usl_core.plugins.hookspecs import Emulation
        @hookimpl
        def usl_emulations():
            return {"good": Emulation(frozenset({"f"}), ("-DX",)), "bad": "-DX"}
    """
    site.add("emulated", source)
    from usl_core.plugins.declarations import Kind
    from usl_core.plugins.manager import PluginManager, Selection

    plugin = PluginManager(Selection(allowed=frozenset({"emulated"}))).get("emulated")
    assert set(plugin.declared(Kind.EMULATIONS)) == {"good"}
    assert [problem.message for problem in plugin.problems] == ["usl_emulations(): emulation 'bad' is not an Emulation"]
