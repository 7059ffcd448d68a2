"""The example plugin conforms, and so do the memories of the backend; with registers used wrongly it does not."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("usl_c11")


@pytest.mark.parametrize("name", ["example", "c11"])
def test_a_plugin_of_this_repository_conforms(site, tmp_path, name):
    site.add_example()
    done = site.usl("plugin", "check", name, "--json", USL_CACHE_DIR=str(tmp_path / "cache"))
    assert done.returncode == 0, done.stdout + done.stderr
    outcomes = json.loads(done.stdout)["outcomes"]
    assert {each["status"] for each in outcomes} == {"passed"}, outcomes
    moves = {each["name"]: each["runs"] for each in outcomes if each["name"].startswith("move_")}
    assert set(moves) == ({"move_a", "move_b", "move_out"} if name == "example" else set())
    assert all(runs > 10 for runs in moves.values()), moves


@pytest.mark.parametrize(
    ("right", "wrong", "instruction"),
    [
        ("accel_move_in(src, accel.a_stride,", "accel_move_in(src, accel.b_stride,", "move_a"),
        ("config_b(int64_t stride) { accel.b_stride", "config_b(int64_t stride) { accel.a_stride", "move_b"),
        ("dst[i * accel.c_stride + j]", "dst[i + j * accel.c_stride]", "move_out"),
    ],
    ids=["another register", "another register is set", "stride of another dimension"],
)
def test_a_register_used_wrongly_is_found(site, tmp_path, right, wrong, instruction):
    site.add_example()
    model = site.folder / "usl_example" / "model.h"
    text = model.read_text()
    assert text.count(right) == 1
    model.write_text(text.replace(right, wrong))
    options = ("--instr", instruction, "--json")
    done = site.usl("plugin", "check", "example", *options, USL_CACHE_DIR=str(tmp_path / "cache"))
    assert done.returncode == 1, done.stdout + done.stderr
    (outcome,) = [each for each in json.loads(done.stdout)["outcomes"] if each["status"] != "passed"]
    assert (outcome["kind"], outcome["name"], outcome["status"]) == ("instruction", instruction, "failed")
    assert outcome["findings"][0]["code"] in ("E810", "E811")
