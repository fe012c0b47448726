# SPDX-License-Identifier: MIT
"""`lathe new`: what it makes runs and passes its check, and what it refuses."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from conftest import script_environment

import lathe
from lathe.cli import main
from lathe.cli import new as new_command
from lathe.options import RunOptions
from lathe.script import run_script


def command(*arguments, folder, **environment):
    return subprocess.run(
        [sys.executable, "-m", "lathe", *arguments], cwd=folder, capture_output=True, text=True,
        env=script_environment(**environment), timeout=300,
    )  # fmt: skip


@pytest.fixture
def made(tmp_path):
    """What `lathe new my_waves` makes."""
    done = command("new", "my_waves", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    return tmp_path / "my_waves"


def test_a_new_folder_has_four_files_of_its_name(made):
    files = {file.name for file in made.iterdir()}
    assert files == {"my_waves.py", "my_waves.cu", "check.py", "README.md"}
    for file in made.iterdir():
        assert "starter" not in file.read_text()
    assert "my_waves" in (made / "README.md").read_text()


def test_it_runs_and_its_check_passes(made):
    done = command("run", "my_waves", "--headless", "--frames", "3", folder=made.parent)
    assert done.returncode == 0, done.stderr
    assert (made.parent / "out" / "my_waves" / "my_waves.png").exists()
    done = command("run", "my_waves.py", "--check", folder=made)  # as the README has it
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("my_waves: PASS\n")
    assert done.stdout.count("  PASS  ") == 7


def test_its_check_fails_with_a_wrong_kernel(made):
    kernel = made / "my_waves.cu"
    kernel.write_text(kernel.read_text().replace("sum - 4 * here", "sum - 3.999f * here"))
    done = command("run", "my_waves", "--check", folder=made.parent)
    assert done.returncode == 1
    assert "FAIL  a wave of 1 periods across" in done.stdout
    assert "FAIL  heat that is lost" in done.stdout


def test_heat_spreads_and_the_mouse_warms(made, monkeypatch):
    options = RunOptions(
        name="my_waves", script=made / "my_waves.py", frames=2, size=(400, 400), headless=True
    )
    run = lathe.App.run

    def run_with_a_hand(app):
        app.input.move_mouse(200, 200)
        app.input.press_button("right")
        run(app)

    monkeypatch.setattr(lathe.App, "run", run_with_a_hand)
    run_script(made / "my_waves.py", options)
    picture = options.app.screenshot()
    assert np.unique(picture.reshape(-1, 3), axis=0).shape[0] > 20
    middle = picture[198:203, 198:203].mean(axis=(0, 1))
    assert middle.sum() > 600, middle  # the hot end of the map is nearly white


def test_files_are_told_as_json(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["new", "heat", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["folder"] == "heat"
    assert [os.path.basename(f) for f in told["files"]] == [
        "heat.py", "heat.cu", "check.py", "README.md",
    ]  # fmt: skip
    assert all((tmp_path / file).is_file() for file in told["files"])


def test_an_empty_folder_is_taken_and_a_path_is(tmp_path):
    (tmp_path / "below" / "heat").mkdir(parents=True)
    assert main(["new", str(tmp_path / "below" / "heat")]) == 0
    assert (tmp_path / "below" / "heat" / "heat.py").exists()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("", "letters, digits and _"),
        (".", "letters, digits and _"),
        ("..", "letters, digits and _"),
        ("/", "letters, digits and _"),
        ("my waves", "letters, digits and _"),
        ("wärme", "letters, digits and _"),
        ("2d", "begins with no digit"),
        ("heat\n", "letters, digits and _"),
        ("waves.py", "letters, digits and _"),
        ("-waves", "unrecognized arguments|required: FOLDER"),
        ("a" * 300, "at most 100"),
        ("class", "a word of Python's"),
        ("random", "the script itself needs"),
        ("numpy", "the script itself needs"),
        ("check", "the script itself needs"),
        ("gray_scott", "one of Lathe's experiments"),
        ("nowhere/waves", "there is no folder"),
        ("full", "is not empty"),
        ("file", "is no folder"),
        ("file/waves", "there is no folder"),
        ("loop/waves", "there is no folder|cannot be read"),
        ("dangling", "cannot be written"),
    ],
)
def test_what_cannot_be_is_refused_in_one_sentence(name, words, tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "note.txt").touch()
    (tmp_path / "file").touch()
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "dangling").symlink_to("nowhere")
    before = sorted(tmp_path.rglob("*"))
    done = command("new", name, folder=tmp_path)
    assert done.returncode == 1
    assert any(w in done.stderr for w in words.split("|")), done.stderr
    assert done.stderr.startswith("lathe: ")
    assert "Traceback" not in done.stderr
    assert sorted(tmp_path.rglob("*")) == before


def test_a_folder_that_may_not_be_written_is_refused(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(new_command.os, "access", lambda path, mode: False)  # root may always
    assert main(["new", str(tmp_path / "heat")]) == 1
    assert f"{tmp_path} may not be written; name another place" in capsys.readouterr().err
    assert not (tmp_path / "heat").exists()


def test_a_full_disk_leaves_nothing_behind(tmp_path, monkeypatch, capsys):
    folder = tmp_path / "starter"
    folder.mkdir(parents=True)
    (folder / "script.py").write_text("# starter")
    monkeypatch.setattr(new_command, "apps_folder", lambda: tmp_path)  # the kernel is missing
    assert main(["new", str(tmp_path / "heat")]) == 1
    assert "cannot be written: No such file" in capsys.readouterr().err
    assert not (tmp_path / "heat").exists()


def test_a_folder_without_a_script_of_its_name_is_no_target(tmp_path):
    (tmp_path / "heat").mkdir()
    (tmp_path / "heat" / "other.py").touch()
    done = command("run", "heat", folder=tmp_path)
    assert (done.returncode, "heat is a folder; name a .py or .cu file" in done.stderr) == (1, True)
