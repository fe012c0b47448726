# SPDX-License-Identifier: MIT
"""A script asks for files, to read and to write; the clipboard."""

from __future__ import annotations

import pytest

import lathe


@pytest.fixture
def studio(tmp_path):
    (tmp_path / "a.npy").write_bytes(b"")
    (tmp_path / "b.png").write_bytes(b"")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "c.npy").write_bytes(b"")
    app = lathe.App("files", size=(1280, 720), headless=True, ui=True)
    app.run(frames=3)
    yield app
    app.close()


def press(app, *keys):
    for key in keys:
        app.input.press_key(key)
        app.input.release_key(key)
        app.run(frames=2)


def test_a_file_is_chosen_from_the_list(studio, tmp_path):
    taken = []
    studio.ask_file(taken.append, endings=(".npy",), folder=tmp_path)
    studio.run(frames=2)
    press(studio, "enter")  # the first file
    assert taken == [tmp_path / "a.npy"]
    press(studio, "enter")
    assert len(taken) == 1


def test_a_folder_is_entered(studio, tmp_path):
    taken = []
    studio.ask_file(taken.append, title="Load", endings=(".npy",), folder=tmp_path)
    studio.run(frames=2)
    press(studio, "up", "enter", "enter")  # sub/, and its file
    assert taken == [tmp_path / "sub" / "c.npy"]


def test_escape_takes_nothing(studio, tmp_path):
    taken = []
    studio.ask_file(taken.append, folder=tmp_path)
    studio.run(frames=2)
    press(studio, "escape", "enter")
    assert taken == []


def test_a_new_file_gets_its_ending_and_replaces_the_second_time(studio, tmp_path):
    taken = []
    studio.ask_file(taken.append, title="Save", endings=(".npy",), save=True, folder=tmp_path)
    studio.run(frames=3)
    studio.input.type_text("new")
    studio.run(frames=2)
    press(studio, "enter")
    assert taken == [tmp_path / "new.npy"]
    studio.ask_file(taken.append, title="Save", endings=(".npy",), save=True, folder=tmp_path)
    studio.run(frames=3)
    studio.input.type_text("a.npy")
    studio.run(frames=2)
    press(studio, "enter")
    assert len(taken) == 1, "it is there already"
    press(studio, "enter")
    assert taken[1:] == [tmp_path / "a.npy"]


def test_what_the_answer_raises_is_shown(studio, tmp_path):
    def fail(path):
        raise KeyError(path.name)

    studio.ask_file(fail, endings=(".npy",), folder=tmp_path)
    studio.run(frames=2)
    press(studio, "enter")
    assert any("KeyError: 'a.npy'" in text for _, _, text in studio.console)


def test_without_panels_nobody_is_asked(app, tmp_path):
    app.ask_file(lambda path: None, title="Load", folder=tmp_path)
    assert any("Load" in text and "no panels" in text for _, _, text in app.console)


def test_the_clipboard(app):
    app.clipboard = "ρ = 1"
    assert app.clipboard == "ρ = 1"
