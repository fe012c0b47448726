# SPDX-License-Identifier: MIT
"""The pages are true: code blocks run, links resolve, words keep the rules."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import re
import subprocess
import sys
import types
from pathlib import Path

import documents
import pytest
from conftest import script_environment

ROOT = documents.ROOT
PAGES = [page for page in documents.user_pages() if page.exists()]
pytestmark = pytest.mark.skipif(not (ROOT / "docs").is_dir(), reason="no source tree")


def checker() -> types.ModuleType:
    """tools/check_words, which has no suffix, as a module."""
    loader = importlib.machinery.SourceFileLoader(
        "check_words", str(ROOT / "tools" / "check_words")
    )
    spec = importlib.util.spec_from_loader("check_words", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


words = checker()


@pytest.mark.software
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_the_blocks_of_a_page_run(page, tmp_path):
    if page.name == "tuning.md":
        pytest.importorskip("jinja2")
    done = subprocess.run(
        [sys.executable, str(Path(documents.__file__)), str(page), str(tmp_path)],
        env=script_environment(), capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_a_block_that_is_left_out_has_a_reason():
    for page in PAGES:
        for block in documents.blocks_of(page):
            if block.marker.startswith("not run"):
                assert len(block.marker.removeprefix("not run: ").split()) >= 2, page.name


def planted(tmp_path: Path, text: str) -> list[str]:
    page = tmp_path / "page.md"
    page.write_text(text)
    folder = tmp_path / "folder"
    folder.mkdir()
    return documents.run_page(page, folder)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("```python\nraise KeyError('planted')\n```\n", "planted"),
        ("```python\nx = 1\n```\n\n```python\nassert x == 2\n```\n", "page.md:5"),
        ("```bash\nfalse\n```\n", "ends with 1"),
        ("```bash\necho 3 4\n```\n\n<!-- prints -->\n```text\n4 3\n```\n", "printed"),
        ("<!-- fails -->\n```python\npass\n```\n", "must fail"),
        ("```yaml\na: 1\n```\n", "language 'yaml'"),
    ],
)
def test_a_planted_mistake_is_found(tmp_path, text, problem):
    assert problem in "".join(planted(tmp_path, text))


def test_blocks_build_on_each_other(tmp_path):
    text = (
        "<!-- file: a.txt -->\n```text\nseven\n```\n\n"
        "```python\nx = open('a.txt').read()\n```\n\n"
        "<!-- not run: it would not end -->\n```python\nwhile True: pass\n```\n\n"
        "```bash\ncat a.txt; echo eight\n```\n\n<!-- prints -->\n```text\nseven\n...\n```\n"
    )
    import os

    before = Path.cwd()
    (tmp_path / "folder").mkdir()
    page = tmp_path / "page.md"
    page.write_text(text)
    os.chdir(tmp_path / "folder")
    try:
        assert documents.run_page(page, tmp_path / "folder") == []
    finally:
        os.chdir(before)


# -- links ---------------------------------------------------------------------------------------


def anchors(page: Path) -> set[str]:
    """What GitHub calls the headings of a page."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)
    titles = re.findall(r"^#+ +(.*)$", text, re.M)
    plain = [re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles]
    return {f"{t}-{plain[:i].count(t)}" if t in plain[:i] else t for i, t in enumerate(plain)}


def broken_links(page: Path) -> list[str]:
    text = re.sub(r"^\s*```.*?^\s*```", "", page.read_text(), flags=re.M | re.S)
    text = re.sub(r"`[^`\n]*`", "", text)
    broken = []
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        place = (page.parent / file).resolve() if file else page
        if not place.exists() or (anchor and anchor not in anchors(place)):
            broken.append(f"{page.name}: {target}")
    return broken


@pytest.mark.parametrize(
    "page", words.pages(ROOT), ids=lambda page: page.relative_to(ROOT).as_posix()
)
def test_links_lead_somewhere(page):
    assert broken_links(page) == []


def test_a_planted_broken_link_is_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# Here it is\n[a](nowhere.md) [b](page.md#here-it-is) [c](#there)\n")
    assert broken_links(page) == ["page.md: nowhere.md", "page.md: #there"]


def test_every_page_is_reached_from_the_readme():
    reached, ahead = set(), [ROOT / "README.md"]
    while ahead:
        page = ahead.pop()
        if page in reached:
            continue
        reached.add(page)
        for target in re.findall(r"\]\(([^)\s#]+\.md)", page.read_text()):
            place = (page.parent / target).resolve()
            if place.exists():
                ahead.append(place)
    docs = set((ROOT / "docs").rglob("*.md"))
    assert docs - reached == set()


# -- words ---------------------------------------------------------------------------------------


def test_the_words_keep_the_rules():
    done = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "check_words")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a " * 51, "columns"),
        ("It takes 3.2 ms (asked 3.0).", "asked"),
        ("| kernel | asked |", "asked"),
        ("It takes 3 ms here, 4 ms there and 5 ms elsewhere.", "3 figures"),
        ("- It takes 3 ms here,\n  4 ms there and 5 ms elsewhere.", "3 figures"),
    ],
)
def test_a_planted_violation_of_a_rule_fails(tmp_path, text, problem):
    page = tmp_path / "page.md"
    page.write_text(f"# Title\n\n{text}\n")
    done = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "check_words"), str(page)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1 and problem in done.stdout


@pytest.mark.parametrize(
    "text",
    [
        f"[a link]({'x' * 120})",
        f"| {'wide ' * 30} |",
        "Whoever asked for it gets float32 on 2026-11-22 with CUDA 13.0 in `f(1, 2, 3)`.",
        "It takes 3 ms here and 4 ms there. Elsewhere it takes 5 ms.",
        "```text\n1 2 3 4 5\n```",
    ],
)
def test_what_is_well_passes(text):
    assert words.check_text(text, "page.md") == []


def test_measurements_may_have_figures():
    assert words.check_text("1, 2, 3 and 4 ms.", "docs/measurements/page.md") == []


# -- messages ------------------------------------------------------------------------------------


def messages() -> str:
    """All strings of the sources, adjacent ones joined, placeholders as `...`."""
    texts = [(ROOT / "tools" / name).read_text() for name in ("bootstrap", "build")]
    for folder in ("engine", "gl", "gpu", "python"):
        for pattern in ("*.cpp", "*.h", "*.py"):
            texts += [file.read_text() for file in (ROOT / folder).rglob(pattern)]
    joined = re.sub(r'"\s*\n\s*f?"', "", "\n".join(texts)).replace("\\n", " ")
    joined = re.sub(r"\{[^{};\n]*\}|\$\{?[\w\[\]*@]+\}?", "...", joined)
    return re.sub(r"\s+", " ", joined)


def not_said(headings: list[str], said: str) -> list[str]:
    """Headings of which some words stand in no source."""
    return [
        heading
        for heading in headings
        if not all(part.strip() in said for part in heading.split("..."))
    ]


def test_the_messages_of_the_troubleshooting_page_are_those_of_the_sources():
    page = (ROOT / "docs/troubleshooting.md").read_text()
    headings = re.findall(r"^### `(.*)`$", page, re.M)
    assert len(headings) > 30
    assert not_said(headings, messages()) == []


def test_a_message_that_nobody_says_is_found():
    assert not_said(["there is ... and ...", "never said"], "there is x and y") == ["never said"]
