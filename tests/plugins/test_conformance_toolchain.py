"""How instructions come to run: natively, by an emulation, or not at all; which of many procedures do not compile."""

from __future__ import annotations

import pytest

pytest.importorskip("numpy")

from usl_core.errors import JitError, PluginError
from usl_core.plugins.conformance.compiled import STRICT, Toolchain, as_batch_backend
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


def test_emulation_is_the_second_attempt_where_no_feature_is_named():
    backend = FakeBackend()
    Toolchain(backend, {"simulator": EMULATION}).compile_anyhow(procs("good", "bad"), "two")
    assert backend.asked[-1] == (["bad"], (*STRICT, "-DEMULATE"), True)


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
