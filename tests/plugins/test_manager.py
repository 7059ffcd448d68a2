"""The plugin manager: laziness, selection, namespaces, and the isolation of whatever a plugin does wrong."""

from __future__ import annotations

import json
import sys

import pytest

from tests.plugins.sites import FAKE_BACKEND, Site
from usl_core.errors import PluginError
from usl_core.plugins import manager as managing
from usl_core.plugins.declarations import Kind
from usl_core.plugins.manager import PluginInfo, PluginManager, Selection

EXTERN = """
from usl_core.ir.externs import Extern
from usl_core.ir.types import F32
@hookimpl
def usl_externs():
    return [Extern({name!r}, 1, lambda types: F32)]
"""


def only(*names: str) -> PluginManager:
    """A manager that sees these plugins of all that are installed."""
    return PluginManager(Selection(allowed=frozenset(names)))


def infos(*names: str) -> dict[str, PluginInfo]:
    return {info.name: info for info in only(*names).load_all()}


# ---- finding and loading


def test_the_example_plugin_provides_what_it_declares_and_has_no_problem(site):
    site.add_example()
    (info,) = only("example").load_all()
    assert info == PluginInfo(
        name="example",
        dist="usl-example",
        version="1.2.3",
        api=1,
        usable=True,
        provides={
            "memories": ("ACCUMULATOR", "SCRATCHPAD"),
            "instructions": ("config_a", "config_b", "config_c", "matmul16", "move_a", "move_b", "move_out", "zero16"),
            "configs": ("LoadA", "LoadB", "Store"),
            "schedules": ("accelerate_gemm", "accelerate_gemm_ahead"),
        },
        problems=(),
    )


def test_get_imports_the_plugin_asked_for_and_no_other(site):
    site.add("wanted", "")
    site.add("bystander", "")
    assert PluginManager(Selection()).get("wanted").usable
    assert "plugin_of_usl_wanted" in sys.modules
    assert "plugin_of_usl_bystander" not in sys.modules


def test_a_hook_is_called_once_and_only_when_its_kind_is_asked_for(site):
    site.add(
        "lazy",
        """
        calls = []
        @hookimpl
        def usl_memories():
            calls.append("memories")
            return ()
        @hookimpl
        def usl_schedules():
            calls.append("schedules")
            return {"go": print}
        """,
    )
    manager = only("lazy")
    assert manager.lookup("lazy.go", Kind.SCHEDULES) is print
    assert manager.lookup("lazy.go", Kind.SCHEDULES) is print
    assert sys.modules["plugin_of_usl_lazy"].calls == ["schedules"]


def test_a_plugin_may_hold_its_hooks_in_an_object(site):
    folder = site.metadata("usl-object", "1.0", "[usl]\nobject = held:plugin\n")
    (folder.parent / "held.py").write_text(
        "from usl_core.plugins.hookspecs import hookimpl\n"
        "class P:\n"
        "    USL_API = 1\n"
        "    @hookimpl\n"
        "    def usl_schedules(self):\n"
        "        return {'go': print}\n"
        "plugin = P()\n"
    )
    assert infos("object")["object"].provides == {"schedules": ("go",)}


def test_an_unknown_name_is_refused_with_the_nearest_one(site):
    site.add("gemmini_two", "")
    with pytest.raises(PluginError, match="no plugin 'gemini_two' is installed") as caught:
        PluginManager(Selection()).get("gemini_two")
    assert caught.value.notes == ("did you mean 'gemmini_two'?",)


def test_a_plugin_that_asks_for_itself_while_it_is_imported_is_told_so(site):
    site.add("circle", "from usl_core.plugins.manager import get\nget('circle')\n")
    managing.configure(allowed=["circle"])
    try:
        with pytest.raises(PluginError, match="asks for its own namespace while it is being imported"):
            managing.get("circle")
    finally:
        managing.configure()


def test_a_plugin_that_lists_everything_while_it_is_imported_spoils_nothing(site):
    site.add("early", "from usl_core.plugins.manager import load_all\nseen = load_all()\n" + EXTERN.format(name="early_fn"))
    managing.configure(allowed=["early"])
    try:
        assert managing.lookup("early.early_fn").name == "early_fn"
    finally:
        managing.configure()


# ---- isolation


BROKEN = {
    "raises": ("raise ValueError('boom')", "cannot be imported: ValueError: boom"),
    "exits": ("import sys; sys.exit('bye')", "cannot be imported: SystemExit: bye"),
    "unparsable": ("def f(:", "cannot be imported: SyntaxError: "),
    "needy": ("import no_such_library", "cannot be imported: ModuleNotFoundError: No module named 'no_such_library'"),
    "misspelt": (
        "@hookimpl\ndef usl_memorys(): return ()",
        "implements an unknown hook usl_memorys; did you mean usl_memories?",
    ),
    "unmarked": ("def usl_memories(): return ()", "the function usl_memories is not marked with @hookimpl"),
    "arguments": ("@hookimpl\ndef usl_memories(registry): return ()", "cannot be loaded: "),
    "wrapper": ("@hookimpl(wrapper=True)\ndef usl_memories(): return (yield)", "usl_memories is a wrapper"),
    "newer": ("USL_API = 99", "was built for hook API 99, and this usl-core has hook API 1; update usl-core"),
    "older": ("USL_API = 0", "was built for hook API 0, and this usl-core has hook API 1; update usl-older"),
    "textual": ("USL_API = '1'", "does not state the hook API it was built for; add USL_API = 1"),
    "silent": ("del USL_API", "does not state the hook API it was built for; add USL_API = 1"),
    "trap": ("def __getattr__(name): raise RuntimeError('trap')\ndel USL_API", "cannot be loaded: RuntimeError: trap"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_plugin_that_cannot_be_loaded_is_reported_and_the_others_work(site, name):
    source, message = BROKEN[name]
    site.add(name, source)
    site.add("healthy", EXTERN.format(name="healthy_fn"))
    manager = only(name, "healthy")
    broken, healthy = sorted(manager.load_all(), key=lambda info: info.usable)
    assert (broken.name, broken.usable, broken.provides) == (name, False, {})
    assert message in broken.problems[0]
    assert (healthy.usable, healthy.problems) == (True, ())
    assert manager.lookup("healthy_fn").name == "healthy_fn"
    with pytest.raises(PluginError, match=rf"plugin '{name}' \(usl-{name} 1.0\) "):
        manager.get(name)


def test_a_failed_import_points_at_the_line_in_the_plugin(site):
    file = site.add("raises", "x = 1\nint('no' + 'number')\n")
    with pytest.raises(PluginError) as caught:
        only("raises").get("raises")
    span = caught.value.span
    assert (span.file, span.line, span.column, span.end_column) == (str(file), 4, 1, 21)
    assert "    int('no' + 'number')\n    ^^^^^^^^^^^^^^^^^^^^" in str(caught.value)


def test_the_place_of_a_failure_is_the_plugins_own_line_and_not_that_of_a_library(site):
    file = site.add("deep", "import json\njson.loads('{')\n")
    (info,) = only("deep").load_all()
    assert info.problems[0].startswith(f"{file}:4:1: cannot be imported: JSONDecodeError")


def test_a_place_after_letters_outside_ascii_is_counted_in_characters(site):
    site.add("accents", "x = 'äöü'; int('é')\n")
    with pytest.raises(PluginError) as caught:
        only("accents").get("accents")
    assert (caught.value.span.column, caught.value.span.end_column) == (12, 20)


WRONG_RETURNS = {
    "usl_memories": [
        ("raise ValueError('boom')", "usl_memories() raised ValueError: boom"),
        ("return None", "usl_memories() must return a collection of memories, such as a tuple, not None"),
        ("return 3", "not an object of type int"),
        ("return 'DRAM'", "not an object of type str"),
        ("return [int]", "<class 'int'> is not a subclass of Memory"),
        ("return [Memory]", "memory class Memory needs a `name` of its own"),
        ("yield type('M', (Memory,), {'name': 'M'})\n    raise KeyError('late')", "usl_memories() raised KeyError: 'late'"),
        ("return [type('M', (Memory,), {'name': 'not a name'})]", "'not a name' is not usable as a name"),
        ("return [type('M', (Memory,), {'name': 'M'})] * 2", "the name 'M' is declared twice"),
    ],
    "usl_instructions": [("return [print]", "is not a Procedure; declare it with @instr")],
    "usl_configs": [("return ['cfg']", "'cfg' is not a Config; declare it with @config")],
    "usl_externs": [
        ("return [abs]", "is not an Extern"),
        ("return [MIN]", "'min' is a built-in function and cannot be redefined"),
    ],
    "usl_types": [
        ("return [float]", "is not a ScalarType"),
        ("return [F32]", "'f32' is a built-in type and cannot be redefined"),
    ],
    "usl_schedules": [
        ("return [print]", "must return a mapping from names, not an object of type list"),
        ("return {'go': 3}", "schedule 'go' is not callable"),
        ("return {3: print}", "3 is not usable as a name"),
    ],
    "usl_backends": [("return {'c99': object()}", "backend 'c99' lacks name, emit, build, jit")],
    "usl_commands": [("return {'go': print}", "command 'go' is not a click.Command")],
    "usl_parallel_templates": [
        ("return {'c11': 3}", "the template for 'c11' is not a text"),
        ("return {'c11': '{body'}", "the template for 'c11' is ill-formed"),
        ("return {'c11': 'for {loop} {body}'}", "must use {body}"),
        ("return {'c11': 'spawn();'}", "must use {body}"),
    ],
}


@pytest.mark.parametrize(
    ("hook", "body", "message"), [(hook, *case) for hook, cases in WRONG_RETURNS.items() for case in cases]
)
def test_a_hook_that_raises_or_returns_something_else_costs_only_what_is_wrong(site, hook, body, message):
    imports = "from usl_core.ir.memory import Memory; from usl_core.ir.types import F32; from usl_core.ir.externs import MIN"
    other = "usl_schedules" if hook != "usl_schedules" else "usl_parallel_templates"
    healthy = "{'go': print}" if other == "usl_schedules" else "{'go': '{body}'}"
    site.add("odd", f"{imports}\n@hookimpl\ndef {hook}():\n    {body}\n@hookimpl\ndef {other}(): return {healthy}\n")
    (info,) = only("odd").load_all()
    assert info.usable
    assert info.provides[other.removeprefix("usl_")] == ("go",)
    assert len(info.problems) == 1
    assert message in info.problems[0]


def test_the_good_items_of_a_hook_survive_the_bad_ones(site):
    site.add("mixed", EXTERN.format(name="good").replace("return [", "return [abs, "))
    (info,) = only("mixed").load_all()
    assert info.provides == {"externs": ("good",)}
    assert len(info.problems) == 1


def test_of_two_packages_with_one_entry_point_name_neither_is_used_and_both_are_named(site):
    site.add("shared", EXTERN.format(name="from_b"), dist="b-package")
    site.add("shared", EXTERN.format(name="from_a"), dist="a-package")
    problem = "the name 'shared' is taken by a-package 1.0 and b-package 1.0, so none of them is used; uninstall all but one"
    for info, dist in zip(only("shared").load_all(), ("a-package", "b-package"), strict=True):
        assert (info.dist, info.usable, info.provides, info.problems) == (dist, False, {}, (problem,))
    assert not [name for name in sys.modules if name.startswith("plugin_of_")]
    with pytest.raises(PluginError, match=r"a-package 1\.0 and b-package 1\.0, so none of them is used"):
        only("shared").get("shared")


def test_what_is_declared_for_later_is_listed_by_name_and_made_when_it_is_asked_for(site):
    site.add(
        "later",
        """
        from usl_core.plugins.hookspecs import Later
        made = []
        def make(name):
            made.append(name)
            return 1 / 0 if name == "broken" else 3 if name == "three" else print
        @hookimpl
        def usl_schedules():
            return Later(["go", "three", "broken", "no name"], make)
        """,
    )
    manager = only("later")
    (info,) = manager.load_all()
    module = sys.modules["plugin_of_usl_later"]
    assert (info.provides, module.made) == ({"schedules": ("broken", "go", "three")}, [])
    assert info.problems == ("usl_schedules(): 'no name' is not usable as a name; it must be an identifier",)
    assert manager.lookup("later.go", Kind.SCHEDULES) is manager.lookup("go") is print
    assert module.made == ["go"]
    with pytest.raises(PluginError, match="schedule 'three' cannot be used: schedule 'three' is not callable"):
        manager.lookup("later.three")
    with pytest.raises(PluginError, match="schedule 'broken' cannot be used: ZeroDivisionError"):
        manager.lookup("later.broken")


def test_listing_plugins_parses_no_instruction_and_loads_no_backend(site):
    code = """if True:
        import sys
        from usl_core.plugins.manager import load_all
        assert any(len(info.provides.get("instructions", ())) > 500 for info in load_all())
        print([name for name in ("z3", "numpy", "usl_core.frontend.parser", "usl_c11.emit") if name in sys.modules])
    """
    assert site.run("-c", code).stdout.strip() == "[]"


def test_the_names_of_our_plugins_belong_to_our_packages_whatever_sorts_first(site):
    site.add("c11", FAKE_BACKEND, dist="a-package")
    manager = PluginManager(Selection())
    foreign, own = (info for info in manager.load_all() if info.name == "c11")
    assert (foreign.dist, foreign.usable) == ("a-package", False)
    assert foreign.problems == ("the name 'c11' belongs to the package usl-c11; rename the entry point",)
    assert (own.dist, own.usable) == ("usl-c11", True)
    assert type(manager.backend("c11")).__module__ == "usl_c11.backend"
    assert "plugin_of_a_package" not in sys.modules
    listed = site.usl("plugins").stdout
    assert "c11  a-package 1.0" in listed and "c11  usl-c11" in listed


def test_an_entry_point_whose_name_is_no_identifier_is_reported_and_not_imported(site):
    site.metadata("usl-dotted", "1.0", "[usl]\na.b = dotted_module\n")
    (site.folder / "dotted_module.py").write_text("")
    (info,) = only("a.b").load_all()
    assert not info.usable
    assert "is not an identifier" in info.problems[0]
    assert "dotted_module" not in sys.modules


def test_a_damaged_entry_points_file_hides_no_other_plugin(site):
    site.metadata("usl-damaged", "1.0", "[usl]\nthis line has no value\n")
    site.add("healthy", "")
    infos_ = {info.name: info for info in PluginManager(Selection(allowed=frozenset({"healthy", "usl-damaged"}))).load_all()}
    assert infos_["healthy"].usable
    if "usl-damaged" in infos_:  # newer Pythons skip such a line themselves
        assert "entry_points.txt of this package cannot be read" in infos_["usl-damaged"].problems[0]


def test_a_package_without_metadata_still_has_a_plugin(site):
    site.add("bare", EXTERN.format(name="bare_fn"))
    (site.folder / "usl_bare-1.0.dist-info" / "METADATA").unlink()
    (info,) = only("bare").load_all()
    assert info.provides == {"externs": ("bare_fn",)}


def test_a_second_copy_of_a_package_further_down_the_path_is_no_clash(site, tmp_path, monkeypatch):
    site.add("copied", EXTERN.format(name="copied_fn"), dist="usl-copied")
    other = tmp_path / "other"
    Site(other).metadata("usl_copied", "0.9", "[usl]\ncopied = plugin_of_usl_copied\n")
    monkeypatch.setattr(sys, "path", [*sys.path, str(other)])
    (info,) = only("copied").load_all()
    assert (info.version, info.problems) == ("1.0", ())


# ---- names


def test_one_name_in_two_plugins_is_reported_for_the_second_and_both_work_by_their_full_names(site):
    site.add("alpha", EXTERN.format(name="twice"))
    site.add("beta", EXTERN.format(name="twice"))
    found = infos("alpha", "beta")
    assert found["alpha"].problems == ()
    assert found["beta"].problems == ("extern 'twice' is also declared by plugin 'alpha'; write beta.twice for this one",)
    manager = only("alpha", "beta")
    assert manager.lookup("alpha.twice") is not manager.lookup("beta.twice")
    with pytest.raises(PluginError, match="declaration 'twice' is ambiguous") as caught:
        manager.lookup("twice")
    assert caught.value.notes == ("candidates: alpha.twice (extern), beta.twice (extern)",)


def test_a_namespaced_lookup_finds_an_instruction_and_a_memory(site):
    site.add_example()
    manager = only("example")
    assert manager.lookup("example.matmul16").name() == "matmul16"
    assert manager.lookup("example.SCRATCHPAD", Kind.MEMORIES).name == "SCRATCHPAD"


def test_a_missing_name_is_refused_with_near_ones_and_the_plugins_problems(site):
    site.add("partial", EXTERN.format(name="load_ps") + "@hookimpl\ndef usl_types(): raise OSError('no driver')\n")
    with pytest.raises(PluginError, match=r"there is no declaration 'partial\.lod_ps'") as caught:
        only("partial").lookup("partial.lod_ps")
    assert caught.value.notes[0] == "did you mean load_ps?"
    assert "usl_types() raised OSError: no driver" in caught.value.notes[1]


# ---- selection


def test_without_plugins_nothing_is_imported(site):
    site.add("present", "")
    manager = PluginManager(Selection(enabled=False))
    assert manager.load_all() == ()
    with pytest.raises(PluginError, match="'present' is installed but plugins are switched off"):
        manager.get("present")
    assert "plugin_of_usl_present" not in sys.modules


def test_an_allow_list_keeps_the_others_from_being_imported(site):
    site.add("listed", "")
    site.add("unlisted", "")
    manager = only("listed")
    assert [info.name for info in manager.load_all()] == ["listed"]
    with pytest.raises(PluginError, match="'unlisted' is installed but is not on the list"):
        manager.get("unlisted")
    assert "plugin_of_usl_unlisted" not in sys.modules


@pytest.mark.parametrize(
    ("environment", "selection"),
    [
        ({}, Selection()),
        ({"USL_NO_PLUGINS": "1"}, Selection(enabled=False)),
        ({"USL_NO_PLUGINS": "0"}, Selection()),
        ({"USL_NO_PLUGINS": ""}, Selection()),
        ({"USL_PLUGINS": " c11 , avx512,"}, Selection(allowed=frozenset({"c11", "avx512"}))),
        ({"USL_PLUGINS": ""}, Selection()),
    ],
)
def test_the_environment_selects_plugins(environment, selection):
    assert Selection.from_environment(environment) == selection


def test_an_allow_list_with_an_unknown_name_is_refused(site):
    with pytest.raises(PluginError, match="no plugin 'nonesuch' is installed"):
        managing.configure(allowed=["nonesuch"])


# ---- backends, templates, self-checks, schedules


BACKEND = """
    class B:
        name = {name!r}
        def emit(self, procs, name, *, entry_checks=True): return {{}}
        def build(self, procs, name, directory): return directory
        def jit(self, procedure): return print
    @hookimpl
    def usl_backends(): return {{{name!r}: B()}}
"""


def test_a_backend_is_first_looked_for_in_the_plugin_of_its_name(site):
    site.add("c99", BACKEND.format(name="c99"))
    site.add("other", BACKEND.format(name="c99"))
    assert only("c99", "other").backend("c99").name == "c99"
    assert "plugin_of_usl_other" not in sys.modules


def test_a_backend_may_come_from_a_plugin_of_another_name(site):
    site.add("vendor", BACKEND.format(name="c99"))
    assert only("vendor").backend("c99").name == "c99"


def test_a_missing_backend_says_which_there_are(site):
    site.add("vendor", BACKEND.format(name="c99"))
    with pytest.raises(PluginError, match="there is no backend 'c98'") as caught:
        only("vendor").backend("c98")
    assert caught.value.notes == ("available backends: c99", "hint: `usl plugin new --kind backend` begins another")


def test_a_package_is_named_for_a_missing_backend_only_if_it_is_ours(site, monkeypatch):
    site.add("vendor", BACKEND.format(name="c99"))
    manager = only("vendor")
    monkeypatch.setattr(manager, "installed", lambda: ("vendor",))
    with pytest.raises(PluginError, match="there is no backend 'c11'") as caught:
        manager.backend("c11")
    assert caught.value.notes[-1] == "hint: pip install usl-c11"


def test_a_backend_whose_plugin_is_broken_shows_why(site):
    site.add("c99", "raise ValueError('boom')")
    with pytest.raises(PluginError, match=r"plugin 'c99' .* cannot be imported: ValueError: boom"):
        only("c99").backend("c99")


def test_a_backend_that_is_switched_off_says_so(site):
    site.add("c99", BACKEND.format(name="c99"))
    with pytest.raises(PluginError, match="'c99' is installed but plugins are switched off"):
        PluginManager(Selection(enabled=False)).backend("c99")


def test_the_template_of_parallel_loops_is_found_by_backend(site):
    site.add("tasks", "@hookimpl\ndef usl_parallel_templates(): return {'c11': 'spawn({lo}, {hi}) {body}'}\n")
    assert only("tasks").parallel_template("c11") == "spawn({lo}, {hi}) {body}"
    assert only("tasks").parallel_template("c99") is None


@pytest.mark.parametrize(
    ("body", "sentences"),
    [
        ("return ['the driver is too old']", ("the driver is too old",)),
        ("return ()", ()),
        ("return 'text'", ("usl_selfcheck() must return a collection of sentences, such as a tuple",)),
        ("raise OSError('no device')", ("usl_selfcheck() raised OSError: no device",)),
    ],
)
def test_a_self_check_reports_sentences_and_cannot_fail(site, body, sentences):
    site.add("checked", f"@hookimpl\ndef usl_selfcheck():\n    {body}\n")
    assert only("checked").get("checked").selfcheck() == sentences


def test_schedules_are_attributes_found_when_asked_for(site):
    site.add("scheduler", "@hookimpl\ndef usl_schedules(): return {'tile_it': print}\n")
    code = """if True:
        import json, sys
        import usl_core.schedules as schedules
        early = "plugin_of_usl_scheduler" in sys.modules
        from usl_core.schedules import tile_it
        print(json.dumps([early, tile_it is print, schedules.lookup("scheduler.tile_it") is print,
                          hasattr(schedules, "nonesuch"), "tile_it" in dir(schedules)]))
    """
    done = site.run("-c", code, USL_PLUGINS="scheduler")
    assert json.loads(done.stdout) == [False, True, True, False, True], done.stderr
