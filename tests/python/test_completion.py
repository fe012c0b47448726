# SPDX-License-Identifier: MIT
"""`lathe completion`: bash completes by it, and zsh and fish where they are installed."""

from __future__ import annotations

import os
import pty
import select
import shlex
import shutil
import signal
import subprocess
import time

import pytest

from lathe.cli import _parser, main
from lathe.cli.completion import completion
from lathe.cli.list_apps import apps


def in_bash(line: str, folder) -> list[str]:
    """What Tab offers at the end of the line, by bash's own machinery."""
    words = shlex.split(line) + ([""] if line.endswith(" ") else [])
    script = folder / "lathe.bash"
    script.write_text(completion(_parser(), "bash"))
    asked = "\n".join(
        [
            "set -u",
            f"source {shlex.quote(str(script))}",
            f"COMP_WORDS=({' '.join(map(shlex.quote, words))})",
            f"COMP_CWORD={len(words) - 1}",
            "COMPREPLY=()",
            # What bash calls for this command, as `complete -p` has it.
            "call=$(complete -p lathe); [[ $call =~ -F\\ ([^ ]+) ]]",
            '"${BASH_REMATCH[1]}" lathe "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"',
            'for each in "${COMPREPLY[@]}"; do echo "$each"; done',
        ]
    )
    done = subprocess.run(
        ["bash", "--norc", "-c", asked], capture_output=True, text=True, cwd=folder, timeout=30
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout.splitlines()


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "my waves.py").touch()
    (tmp_path / "work" / "sub").mkdir()
    return tmp_path / "work"


def test_bash_offers_commands_and_experiments(folder):
    commands = {"run", "new", "report", "inspect", "learn", "list", "doctor", "bench", "completion"}
    assert set(in_bash("lathe ", folder)) >= commands
    assert in_bash("lathe do", folder) == ["doctor"]
    assert set(in_bash("lathe run ", folder)) >= {*apps(), "my waves.py", "sub"}
    assert in_bash("lathe run gray", folder) == ["gray_scott"]
    assert in_bash("lathe run my", folder) == ["my waves.py"]
    assert "05-races" in in_bash("lathe learn ", folder)


def test_bash_offers_options_and_what_they_take(folder):
    assert in_bash("lathe run gray_scott --devi", folder) == ["--device"]
    choices = ["auto", "hardware", "software"]
    assert in_bash("lathe run gray_scott --device ", folder) == choices
    assert in_bash("lathe run --device ha", folder) == ["hardware"]
    assert in_bash("lathe run --out ", folder) == ["sub"]  # folders only
    assert in_bash("lathe run --frames ", folder) == []
    assert in_bash("lathe --ver", folder) == ["--version"]
    assert in_bash("lathe bench s", folder) == ["scene", "soft", "stream"]
    assert in_bash("lathe completion ", folder) == ["bash", "zsh", "fish"]
    assert in_bash("lathe nothing ", folder) == []


def test_every_option_of_every_command_is_offered(folder):
    parser = _parser()
    commands = next(a.choices for a in parser._actions if isinstance(a.choices, dict))
    assert len(commands) >= 9
    for name, command in commands.items():
        wanted = {text for action in command._actions for text in action.option_strings}
        assert set(in_bash(f"lathe {name} -", folder)) == wanted, name


class Terminal:
    """A shell with a keyboard and what it says."""

    def __init__(self, folder, *command: str) -> None:
        self.said = ""
        self._child, self._terminal = pty.fork()
        if self._child == 0:
            os.chdir(folder)
            os.environ |= {"PS1": "$ ", "TERM": "dumb", "INPUTRC": "/dev/null"}
            os.execvp(command[0], command)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.kill(self._child, signal.SIGKILL)
        os.waitpid(self._child, 0)
        os.close(self._terminal)

    def type(self, keys: str, until: str) -> None:
        """Waits for what the shell shows then."""
        self.said = ""
        os.write(self._terminal, keys.encode())
        end = time.monotonic() + 20
        while until not in self.said:
            assert time.monotonic() < end, f"no {until!r} in {self.said!r}"
            if select.select([self._terminal], [], [], 0.1)[0]:
                self.said += os.read(self._terminal, 4096).decode()


def test_tab_completes_in_a_terminal(folder):
    (folder / "lathe.bash").write_text(completion(_parser(), "bash"))
    with Terminal(folder, "bash", "--norc", "--noprofile", "-i") as terminal:
        terminal.type("source lathe.bash; echo rea''dy\n", "ready\r\n")
        terminal.type("lathe run gray\t", "lathe run gray_scott ")
        terminal.type("--devi\tsof\t", "--device software ")
        terminal.type("\x15lathe report my\t", "lathe report my\\ waves.py ")  # Ctrl+U: anew


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_command_prints_it(shell, capsys):
    assert main(["completion", shell]) == 0
    text = capsys.readouterr().out
    assert text == completion(_parser(), shell)
    assert "gray_scott" in text
    if shutil.which(shell):
        done = subprocess.run([shell, "-n"], input=text, capture_output=True, text=True, timeout=30)
        assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(shutil.which("fish") is None, reason="no fish")
def test_fish_completes(folder):
    (folder / "lathe.fish").write_text(completion(_parser(), "fish"))

    def offered(line: str) -> list[str]:
        asked = f"source lathe.fish; complete -C {shlex.quote(line)}"
        done = subprocess.run(
            ["fish", "--no-config", "-c", asked],
            capture_output=True, text=True, cwd=folder, timeout=30,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return [row.split("\t")[0] for row in done.stdout.splitlines()]

    assert offered("lathe do") == ["doctor"]
    assert offered("lathe run gray_scott --device ha") == ["hardware"]
    assert set(offered("lathe run ")) >= {*apps(), "my waves.py"}
    assert offered("lathe run --devi") == ["--device"]
    assert "auto" not in offered("lathe run --frames ")


@pytest.mark.skipif(shutil.which("zsh") is None, reason="no zsh")
def test_zsh_completes(folder):
    (folder / "lathe.zsh").write_text(completion(_parser(), "zsh"))
    with Terminal(folder, "zsh", "-f", "-i") as terminal:
        terminal.type("autoload -U compinit && compinit -u -D; source ./lathe.zsh\n", "$ ")
        terminal.type("unset zle_bracketed_paste; echo rea''dy\n", "ready\r\n")
        terminal.type("lathe do\t", "ctor")
        terminal.type(" --js\t", "on")
        terminal.type("\x15lathe run gray_scott --device har\t", "dware")
        terminal.type("\x15lathe run my\t", "waves.py")
        terminal.type("\x15lathe bench s\t", "oft")
