# SPDX-License-Identifier: MIT
"""Where apps/brain finds its volume."""

from __future__ import annotations

import importlib.util

import pytest

from lathe.cli.list_apps import apps


@pytest.fixture(scope="module")
def brain():
    spec = importlib.util.spec_from_file_location("brain_of_test", apps()["brain"])
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_missing_package_is_named(brain, monkeypatch):
    monkeypatch.setattr(brain, "find_spec", lambda name: None)
    with pytest.raises(ModuleNotFoundError) as missing:
        brain.brain_file()
    assert missing.value.name == "nilearn"
