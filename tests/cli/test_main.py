"""The `usl` command as a whole: help, version, exit status, what it imports."""

from __future__ import annotations

import importlib.metadata
import json

HEAVY = "numpy", "cffi", "z3", "rich"


def test_help_lists_the_commands_and_the_global_options(site):
    done = site.usl("--help")
    assert done.returncode == 0
    for text in ("compile", "plugins", "--debug", "--no-plugins", "--plugins", "--version"):
        assert text in done.stdout


def test_help_of_compile_says_that_the_file_is_run(site):
    done = site.usl("compile", "--help")
    assert "imports FILE, which runs it" in " ".join(done.stdout.split())


def test_help_imports_neither_a_heavy_library_nor_a_plugin(site):
    code = f"""if True:
        import atexit, sys
        def report():
            print("loaded:", [name for name in (*{HEAVY!r}, "plugin_of_usl_fake") if name in sys.modules])
        atexit.register(report)
        from usl_core.cli.main import main
        main(["--help"])
    """
    done = site.run("-c", code)
    assert done.stdout.splitlines()[-1] == "loaded: []", done.stdout + done.stderr


def test_version_is_that_of_the_installed_package(site):
    assert importlib.metadata.version("usl-core") in site.usl("--version").stdout


def test_wrong_usage_exits_with_2_and_names_the_mistake(site):
    for arguments, message in (
        (["nonesuch"], "No such command 'nonesuch'"),
        (["--nonesuch"], "No such option"),
        (["compile"], "Missing argument 'FILE'"),
        (["--no-plugins", "--plugins", "fake", "plugins"], "--no-plugins and --plugins exclude each other"),
    ):
        done = site.usl(*arguments)
        assert done.returncode == 2, done.stderr
        assert message in done.stderr
        assert done.stdout == ""


def test_plugins_lists_what_each_provides_and_its_problems(site):
    site.add("broken", "raise ValueError('boom')")
    done = site.usl("--plugins", "fake,broken", "plugins")
    assert done.returncode == 0
    assert "fake  usl-fake 1.0, hook API 1\n  backends: buggy, careless, fake\n" in done.stdout
    assert "broken  usl-broken 1.0, hook API unknown, not usable\n  problem: " in done.stdout
    assert "cannot be imported: ValueError: boom" in done.stdout


def test_plugins_as_json_holds_every_field(site):
    (listed,) = json.loads(site.usl("--plugins", "fake", "plugins", "--json").stdout)
    assert listed == {
        "name": "fake",
        "dist": "usl-fake",
        "version": "1.0",
        "api": 1,
        "usable": True,
        "provides": {"backends": ["buggy", "careless", "fake"]},
        "problems": [],
    }


def test_what_a_plugin_prints_while_it_is_imported_does_not_spoil_the_json(site):
    site.add("chatty", "print('hello from an import')")
    done = site.usl("--plugins", "chatty", "plugins", "--json")
    assert json.loads(done.stdout)[0]["name"] == "chatty"
    assert "hello from an import" in done.stderr


def test_self_checks_run_only_on_request(site):
    site.add("checked", "@hookimpl\ndef usl_selfcheck(): return ['no device']\n")
    (without,) = json.loads(site.usl("--plugins", "checked", "plugins", "--json").stdout)
    (checked,) = json.loads(site.usl("--plugins", "checked", "plugins", "--json", "--selfcheck").stdout)
    assert without["problems"] == []
    assert checked["problems"] == ["self-check: no device"]


def test_no_plugins_and_the_environment_switch_plugins_off(site):
    assert site.usl("--no-plugins", "plugins").stdout == "plugins are switched off\n"
    assert site.usl("plugins", "--json", USL_NO_PLUGINS="1").stdout == "[]\n"
    assert [each["name"] for each in json.loads(site.usl("plugins", "--json", USL_PLUGINS="fake").stdout)] == ["fake"]


def test_an_unknown_name_in_the_allow_list_is_one_message(site):
    done = site.usl("--plugins", "fkae", "plugins")
    assert done.returncode == 1
    assert done.stderr == "no plugin 'fkae' is installed\n  did you mean 'fake'?\n"


def test_a_reader_that_goes_away_is_no_error_message(site):
    done = site.run("-c", "import os, sys; os.execvp('sh', ['sh', '-c', sys.executable + ' -m usl_core.cli --help | :'])")
    assert "Traceback" not in done.stderr


GREET = """
import click
@click.command(short_help="Greet.")
@click.argument("name")
def greet(name):
    \"\"\"Greet somebody.\"\"\"
    from usl_core.errors import UslError
    if name == "nobody":
        raise UslError("nobody is there")
    click.echo(f"hello {name}")
@hookimpl
def usl_commands():
    return {"greet": greet, "compile": greet}
"""


def test_a_plugin_adds_commands_but_none_of_ours(site):
    site.add("polite", GREET)
    assert site.usl("greet", "Ada").stdout == "hello Ada\n"
    assert "Greet somebody." in site.usl("greet", "--help").stdout
    assert "FILE" in site.usl("compile", "--help").stdout
    failed = site.usl("greet", "nobody")
    assert (failed.returncode, failed.stderr) == (1, "nobody is there\n")


def test_commands_of_plugins_that_may_not_be_loaded_do_not_exist(site):
    site.add("polite", GREET)
    assert site.usl("--plugins", "polite", "greet", "Ada").returncode == 0
    for options in (["--no-plugins"], ["--plugins", "fake"]):
        done = site.usl(*options, "greet", "Ada")
        assert (done.returncode, "No such command 'greet'" in done.stderr) == (2, True)


def test_a_command_of_a_plugin_that_takes_no_part_says_which_plugin_it_is_of(site):
    done = site.usl("--plugins", "fake", "plugin", "new", "mine")
    assert done.returncode == 1
    assert done.stderr == (
        "plugin 'conformance' is installed but is not on the list of plugins that may be loaded (--plugins, USL_PLUGINS)\n"
        "  `usl plugin` is a command of this plugin\n"
    )


def test_what_a_plugin_prints_while_a_command_is_looked_up_is_no_output_of_that_command(site):
    site.add(
        "chatty", "print('hello')\nimport click\n@hookimpl\ndef usl_commands():\n    return {'greet': click.Command('greet')}"
    )
    done = site.usl("--plugins", "chatty", "greet")
    assert (done.returncode, done.stdout) == (0, "")
