# SPDX-License-Identifier: MIT
"""A script that has the name of one of Python's own modules: the file at fault is named."""

from __future__ import annotations

import subprocess
import sys

import pytest
from conftest import script_environment

from lathe.hidden_modules import hidden_module


def run(arguments, folder):
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, timeout=100, cwd=folder,
        env=script_environment(),
    )  # fmt: skip


def told(name, folder):
    return f"{folder / name}.py hides Python's own module {name}, which other modules import"


@pytest.mark.parametrize("start", [["-m", "lathe", "run"], []])
def test_the_scripts_own_name_hides_a_module(start, tmp_path):
    script = tmp_path / "numbers.py"
    script.write_text("import lathe\n\nprint(lathe.zeros(4).get())\n")
    done = run([*start, script.name], tmp_path)
    assert done.returncode == 1
    assert told("numbers", tmp_path) in done.stderr.splitlines()[-1]
    assert "could not be loaded" not in done.stderr


def test_a_module_that_others_import_later_is_hidden(tmp_path):
    script = tmp_path / "random.py"
    script.write_text("import numpy as np\n\nprint(np.random.default_rng().random())\n")
    done = run(["-P", "-m", "lathe", "run", script.name], tmp_path)
    assert done.returncode == 1
    assert told("random", tmp_path) in done.stderr.splitlines()[-1]


def test_a_module_that_the_script_imports_is_hidden(tmp_path):
    script = tmp_path / "statistics.py"
    script.write_text("from statistics import mean\n\nprint(mean([1, 2]))\n")
    done = run(["-P", "-m", "lathe", "run", str(script)], tmp_path.parent)
    assert done.returncode == 1
    assert "ImportError" in done.stderr
    assert told("statistics", tmp_path) in done.stderr.splitlines()[-1]


def test_other_errors_say_nothing_of_it(tmp_path, monkeypatch):
    (tmp_path / "statistics.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "statistics", raising=False)
    for code in ("1 / 0", "import no_such_module", "[].no_such_attribute"):
        with pytest.raises(Exception, match=r"zero|no_such") as caught:
            exec(code)
        assert hidden_module(caught.value) is None
    with pytest.raises(ImportError) as caught:
        exec("from statistics import mean")
    assert "statistics.py hides" in hidden_module(caught.value)
