# SPDX-License-Identifier: MIT
"""tools/bootstrap and ./run with the programs that they call replaced: what a network failure
leaves, and where a program runs."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

TOOLS = Path(__file__).resolve().parents[2] / "tools"

PYTHON = """#!/bin/sh
case "$*" in
*"pip download"*) [ -n "$NETWORK" ] && touch .deps/imgui_bundle-1.tar.gz ;;
*purelib*) echo "$PWD" ;;
esac
"""


def program(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


@pytest.mark.skipif(not (TOOLS / "bootstrap").exists(), reason="no source tree")
def test_sources_that_could_not_be_fetched_are_tried_again(tmp_path):
    (tmp_path / "tools").mkdir()
    for file in ("bootstrap", "requirements.txt", "requirements-all.txt", "requirements-imgui.txt"):
        shutil.copy(TOOLS / file, tmp_path / "tools" / file)
    program(tmp_path / "bin" / "dpkg-query", "#!/bin/sh\nprintf 'install ok installed'\n")
    program(tmp_path / "bin" / "apt-get", "#!/bin/sh\nexit 1\n")
    program(tmp_path / ".venv" / "bin" / "python", PYTHON)
    stamp = tmp_path / ".deps" / "bootstrap.product.stamp"

    def bootstrap(network: str) -> str:
        env = os.environ | {"PATH": f"{tmp_path}/bin:{os.environ['PATH']}", "NETWORK": network}
        done = subprocess.run(
            [tmp_path / "tools" / "bootstrap"], env=env, capture_output=True, text=True, timeout=60
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    assert "could not be fetched" in bootstrap("")
    assert not stamp.exists()
    assert "ready" in bootstrap("yes")
    assert stamp.exists()
    assert bootstrap("yes") == ""  # nothing to do


@pytest.mark.skipif(not (TOOLS / "bootstrap").exists(), reason="no source tree")
def test_a_program_runs_in_the_folder_of_who_called_run(tmp_path):
    clone, other = tmp_path / "my clone", tmp_path / "elsewhere"
    other.mkdir()
    for tool in ("bootstrap", "build"):
        program(clone / "tools" / tool, '#!/bin/sh\ntest -d tools && echo "$0" >>calls\n')
    program(clone / ".venv" / "bin" / "lathe", '#!/bin/sh\necho "$PWD: $*"\n')
    shutil.copy(TOOLS.parent / "run", clone / "run")
    (other / "run").symlink_to(clone / "run")

    def run(folder: Path, *words: str | Path) -> str:
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    assert run(clone, "./run") == f"{clone}: run gray_scott\n"
    assert run(other, clone / "run", "my file.py", "--frames", "3") == (
        f"{other}: run my file.py --frames 3\n"
    )
    assert run(other, "./run", "nbody") == f"{other}: run nbody\n", "a link"
    assert (clone / "calls").read_text().split("\n")[:2] == ["tools/bootstrap", "tools/build"]
    program(clone / "tools" / "build", "#!/bin/sh\nexit 3\n")
    assert subprocess.run([clone / "run"], cwd=other, capture_output=True).returncode == 3
