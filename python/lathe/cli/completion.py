# SPDX-License-Identifier: MIT
"""``lathe completion``: what completes the words of the command in bash, zsh and fish.

The three are made from the parser, so they know each command, option and choice; the names of the
experiments and lessons are those of this installation.
"""

from __future__ import annotations

import argparse
import shlex
from dataclasses import dataclass

from lathe.cli.list_apps import apps
from lathe.places import lessons_folder

__all__ = ["completion"]


@dataclass(frozen=True, slots=True)
class Option:
    """One option, or what a command is about (without names)."""

    names: tuple[str, ...]
    help: str
    values: int
    """How many words follow it."""
    words: tuple[str, ...] = ()
    files: str = ""
    """"file" or "folder" where a path is wanted."""


@dataclass(frozen=True, slots=True)
class Command:
    """A word behind ``lathe``, with its options and what else may follow."""

    name: str
    help: str
    options: tuple[Option, ...]
    target: Option | None


def completion(parser: argparse.ArgumentParser, shell: str) -> str:
    """The text that a shell is to read."""
    write = {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell]
    return write(_commands(parser))


def _commands(parser: argparse.ArgumentParser) -> list[Command]:
    """The tree of the parser; the first is ``lathe`` itself."""
    below = next(a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    about = {choice.dest: choice.help or "" for choice in below._choices_actions}
    found = [_command("", parser)]
    found += [_command(name, each, about[name]) for name, each in below.choices.items()]
    return found


def _command(name: str, parser: argparse.ArgumentParser, about: str = "") -> Command:
    options, target = [], None
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            continue
        option = _option(action)
        if option.names:
            options.append(option)
        else:
            target = option
    return Command(name, about, tuple(options), target)


def _option(action: argparse.Action) -> Option:
    metavar = action.metavar or ""
    shown = metavar if isinstance(metavar, str) else " ".join(metavar)
    values = 1 if action.nargs in (None, "?") else action.nargs
    words = tuple(map(str, action.choices or ()))
    if "NAME|" in shown:
        words = tuple(apps())
    elif shown.startswith("LESSON"):
        words = tuple(sorted(page.parent.name for page in lessons_folder().glob("*/lesson.md")))
    is_folder = shown in ("DIR", "FOLDER")
    return Option(
        names=tuple(action.option_strings),
        help=action.help or "",
        values=values if isinstance(values, int) else 1,
        words=words,
        files="folder" if is_folder else "file" if "FILE" in shown else "",
    )


def _bash(commands: list[Command]) -> str:
    """A `case` of the command and the word before the one that is completed."""
    behind, begin = [], []
    for command in commands:
        for option in command.options:
            if option.values:
                patterns = " | ".join(f'"{command.name} {name}"' for name in option.names)
                behind.append(f"        {patterns}) {_bash_words(option.words, option.files)} ;;")
        names = [name for option in command.options for name in option.names]
        target = command.target or Option((), "", 0)
        if not command.name:
            target = Option((), "", 1, tuple(c.name for c in commands if c.name))
        is_option = f'if [[ $word == -* ]]; then words="{" ".join(names)}"'
        begin.append(
            f'            "{command.name}") {is_option}\n'
            f"            else {_bash_words(target.words, target.files)}; fi ;;"
        )
    return "\n".join(
        [
            "# Completes the command lathe in bash: lathe completion bash",
            "_lathe() {",
            "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}",
            '    local command="" words="" paths="" at',
            "    for ((at = 1; at < COMP_CWORD; at++)); do",
            "        [[ ${COMP_WORDS[at]} == -* ]] || { command=${COMP_WORDS[at]} && break; }",
            "    done",
            '    case "$command $before" in',
            *behind,
            '        *) case "$command" in',
            *begin,
            "        esac ;;",
            "    esac",
            "    [[ -z $paths ]] || compopt -o filenames 2>/dev/null",
            '    mapfile -t COMPREPLY < <(compgen -W "$words" ${paths:+-$paths} -- "$word")',
            "}",
            "complete -F _lathe lathe",
            "",
        ]
    )


def _bash_words(words: tuple[str, ...], files: str) -> str:
    path = {"file": "f", "folder": "d", "": ""}[files]
    parts = [f'words="{" ".join(words)}"'] if words else []
    parts += [f"paths={path}"] if path else []
    return " ".join(parts) or ":"


def _zsh(commands: list[Command]) -> str:
    """`_describe` for the commands, `_arguments` for what follows each."""

    def text(words: str) -> str:
        for mark in ("\\", "[", "]", ":"):
            words = words.replace(mark, "\\" + mark)
        return words

    def values(option: Option) -> str:
        words, files = " ".join(option.words), "_files -/" if option.files == "folder" else "_files"
        if option.words:
            return f" _lathe_words_and_files {words}" if option.files else f"({words})"
        return files if option.files else " "

    first = commands[0]
    lines = ["#compdef lathe", "# Completes the command lathe in zsh: lathe completion zsh"]
    lines += ["_lathe_words_and_files() {", "    compadd -- $@", "    _files", "}"]
    lines += ["_lathe() {", "    local -a commands=("]
    lines += [
        "        " + shlex.quote(f"{command.name}:{text(command.help)}")
        for command in commands
        if command.name
    ]
    flags = " ".join(name for option in first.options for name in option.names)
    lines += ["    )", "    if ((CURRENT == 2)); then"]
    lines += ["        _describe command commands", f"        compadd -- {flags}", "        return"]
    lines += ["    fi", "    local command=$words[2]", "    shift words", "    ((CURRENT--))"]
    lines += ["    case $command in"]
    for command in commands[1:]:
        lines.append(f"    {command.name}) _arguments \\")
        for option in command.options:
            for name in option.names:
                follow = f":value:{values(option)}" * option.values
                lines.append(
                    "        " + shlex.quote(f"*{name}[{text(option.help)}]{follow}") + " \\"
                )
        target = command.target
        lines.append(
            "        " + (shlex.quote(f"*:target:{values(target)}") if target else "") + " ;;"
        )
    return "\n".join([*lines, "    esac", "}", "compdef _lathe lathe", ""])


def _fish(commands: list[Command]) -> str:
    """A line for each command and each option."""
    lines = ["# Completes the command lathe in fish: lathe completion fish", "complete -c lathe -f"]
    for command in commands:
        when = f"__fish_seen_subcommand_from {command.name}"
        where = (
            f"complete -c lathe -n {shlex.quote(when if command.name else '__fish_use_subcommand')}"
        )
        if command.name:
            lines.append(
                "complete -c lathe -n __fish_use_subcommand "
                f"-a {command.name} -d {shlex.quote(command.help)}"
            )
        for option in command.options:
            parts = [where]
            parts += [f"-l {n[2:]}" if n.startswith("--") else f"-s {n[1:]}" for n in option.names]
            parts.append(f"-d {shlex.quote(option.help)}")
            parts += _fish_values(option)
            lines.append(" ".join(parts))
        if command.target:
            lines.append(" ".join([where, *_fish_values(command.target)]))
    return "\n".join([*lines, ""])


def _fish_values(option: Option) -> list[str]:
    parts = [f"-a {shlex.quote(' '.join(option.words))}"] if option.words else []
    if option.files:
        parts.append("-F" if not option.names else "-r -F")
    elif option.names and option.values:
        parts.append("-x")
    return parts
