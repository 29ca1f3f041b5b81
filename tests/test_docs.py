"""What the docs name is there: files, headings, commands and their options, settings."""

from __future__ import annotations

import argparse
import ast
import re
import shlex
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from chat import command_line
from chat.bench import BENCHES
from minds.training import TRAININGS
from tests.test_house import ROOT, sources

PAGES = (
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")),
    *sorted((ROOT / "docs").glob("*.md")),
)
GLOSSARY, README = 30, 150
"""Words at most; lines at most."""
IN_DOCS = re.compile(r"^(?:chat|memory|minds|prompts|storage|tools|tests|docs)/[\w./-]*$")
"""A code span that names a file or folder of ours."""
PLACEHOLDER = re.compile(r"^[A-Z][A-Z_+]*$")
"""What a person puts in: DIR, NAME."""


@cache
def tokens(page: Path) -> list[Token]:
    """Blocks, with what is inside of them behind each."""
    blocks = MarkdownIt("commonmark").enable("table").parse(page.read_text(encoding="utf-8"))
    return [each for block in blocks for each in (block, *(block.children or ()))]


def shown(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


pages = pytest.mark.parametrize("page", PAGES, ids=shown)


# -- links


def links(page: Path) -> list[str]:
    found = [str(token.attrGet("href") or token.attrGet("src") or "") for token in tokens(page)]
    return [link for link in found if link and not link.startswith(("http://", "https://", "mailto:"))]


def anchors(page: Path) -> set[str]:
    """As GitHub and MkDocs make them of headings."""
    all_of_it = tokens(page)
    titles = [all_of_it[at + 1].content for at, token in enumerate(all_of_it) if token.type == "heading_open"]
    return {re.sub(r"\s+", "-", re.sub(r"[^\w\s-]", "", title.lower()).strip()) for title in titles}


@pages
def test_every_link_leads_to_what_is_there(page: Path) -> None:
    assert [link for link in links(page) if not leads(page, link)] == []


def leads(page: Path, link: str) -> bool:
    name, _, anchor = link.partition("#")
    target = (page.parent / name).resolve() if name else page
    inside = page.parent.name != "docs" or target.is_relative_to(ROOT / "docs")  # a site has only its own folder
    return inside and target.exists() and (not anchor or anchor in anchors(target))


def test_a_link_that_leads_nowhere_is_seen() -> None:
    readme, using = ROOT / "README.md", ROOT / "docs" / "using.md"
    assert leads(readme, "docs/using.md#commands")
    assert not leads(readme, "docs/nothing.md")
    assert not leads(readme, "docs/using.md#nothing")
    assert not leads(using, "../README.md")


def test_every_page_of_the_docs_is_in_the_site() -> None:
    nav = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert [page.name for page in PAGES if page.parent.name == "docs" and f": {page.name}" not in nav] == []


@pages
def test_every_file_that_is_named_is_there(page: Path) -> None:
    named = [Path(name) for name in spans(page) if IN_DOCS.match(name)]
    meant = [path for path in named if not any(map(PLACEHOLDER.match, path.parts))]
    assert [str(path) for path in meant if not (ROOT / path).exists()] == []


def test_the_tree_names_what_is_there() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    folder, missing = ROOT, []
    for line in text.partition("## The tree\n\n```\n")[2].partition("```")[0].splitlines():
        name = line.split()[0]
        if not line.startswith(" "):
            folder = ROOT / name if name.endswith("/") else ROOT
        path = folder / name if line.startswith(" ") else ROOT / name
        missing += [] if path.exists() else [line]
    assert missing == []


# -- commands


def spans(page: Path) -> list[str]:
    return [token.content for token in tokens(page) if token.type == "code_inline"]


def lines(page: Path) -> Iterator[str]:
    """Commands: lines of code blocks, and what stands between backticks."""
    for token in tokens(page):
        if token.type == "fence" or token.type == "code_block":
            yield from token.content.splitlines()
        elif token.type == "code_inline":
            yield " ".join(token.content.split())


def commands(page: Path, begins: str) -> list[list[str]]:
    """The arguments of what begins so, perhaps behind settings (NAME=VALUE)."""
    found = [re.match(rf"(?:[A-Z_]+=\S+ )*{begins} (.*)", line) for line in lines(page)]
    return [shlex.split(match.group(1), comments=True) for match in found if match]


class Refused(Exception):
    """What argparse says in place of leaving."""


@cache
def parser() -> argparse.ArgumentParser:
    """The command line's own, which tells what it refuses."""

    def refuse(message: str) -> None:
        raise Refused(message)

    made = command_line.parser()
    for each in (made, *(p for action in made._subparsers._group_actions for p in action.choices.values())):  # type: ignore[union-attr]
        each.error = refuse
    return made


def fault(argv: list[str]) -> str:
    """What is wrong with a command line; empty where nothing is."""
    filled = ["1" if argv[at - 1] in numbers() and PLACEHOLDER.match(word) else word for at, word in enumerate(argv)]
    if filled in ([], ["--help"]) or PLACEHOLDER.match(filled[0]):
        return ""
    try:
        given = parser().parse_args(command_line.spoken([word for word in filled if word != "..."]))
    except Refused as refused:
        return str(refused)
    except SystemExit:
        return ""  # --help
    return unknown(given)


@cache
def numbers() -> frozenset[str]:
    """Options that take a number."""
    choices = [action.choices for action in command_line.parser()._actions if isinstance(action.choices, dict)]
    actions = [action for each in choices for command in each.values() for action in command._actions]
    return frozenset(name for action in actions if action.type in (int, float) for name in action.option_strings)


def unknown(given: argparse.Namespace) -> str:
    """What argparse leaves to the command: a benchmark's or a training's name, a training's options, a file of ours."""
    if given.command == "bench" and given.name not in (*BENCHES, "NAME"):
        return f"there is no benchmark {given.name}"
    if given.command == "train" and given.name != "NAME":
        if given.name not in TRAININGS:
            return f"there is no training {given.name}"
        return ", ".join(o for o in given.rest if o.startswith("--") and o not in options(TRAININGS[given.name]))
    named = [Path(getattr(given, name, None) or "") for name in ("what", "data")]
    ours = [path.parent if PLACEHOLDER.match(path.name) else path for path in named if len(path.parts) > 1]
    return ", ".join(str(path) for path in ours if not (ROOT / path).exists())


def options(module: str) -> set[str]:
    """Of a training."""
    tree = ast.parse((ROOT / f"{module.replace('.', '/')}.py").read_text(encoding="utf-8"))
    texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return {text for text in texts if text.startswith("--")}


@pages
def test_every_command_is_one_that_there_is(page: Path) -> None:
    wrong = {shlex.join(argv): fault(argv) for argv in commands(page, r"(?:\.venv/bin/)?python main\.py")}
    assert {argv: what for argv, what in wrong.items() if what} == {}


def test_a_command_that_there_is_not_is_seen() -> None:
    assert fault(["fly"]) and fault(["ask", "hello", "--wings"]) and fault(["play", "alfworld", "--variation", "many"])
    assert fault(["bench", "nothing"]) and fault(["train", "nothing"]) and fault(["train", "swift", "--wings"])
    assert fault(["bench", "requests", "--data", "tests/data/nothing.jsonl"])
    assert not fault(["bench", "scienceworld", "--strategy", "swift", "--limit", "N", "--out", "DIR"])


@pages
def test_every_target_of_make_is_there(page: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = [word for argv in commands(page, "make") for word in argv if "=" not in word]
    assert [name for name in named if name not in targets] == []


@pages
def test_every_module_and_test_that_is_run_is_there(page: Path) -> None:
    run = commands(page, r"(?:\.venv/bin/)?python -m")
    assert [argv for argv in run if find_spec(argv[0]) is None] == []
    tests = [word for argv in run if argv[0] == "pytest" for word in argv if word.startswith("tests")]
    assert [name for name in tests if not (ROOT / name.partition("::")[0]).exists()] == []


@pytest.mark.slow
@pages
def test_every_setting_that_is_named_is_read(page: Path) -> None:
    from chat.settings import DOTENV

    read = " ".join((*DOTENV, *(path.read_text(encoding="utf-8") for path in (*sources(), *scripts()))))
    named = set(re.findall(r"DUET_[A-Z]+(?:_[A-Z]+)*", page.read_text(encoding="utf-8")))
    assert [name for name in sorted(named) if name not in read] == []


def scripts() -> list[Path]:
    """Of the tests, which have settings of their own; this file names none."""
    own = [path for path in (ROOT / "tests").rglob("*") if path.suffix in (".py", ".sh") and path != Path(__file__)]
    return [*own, ROOT / "Makefile"]


# -- length


def test_the_readme_and_the_glossary_stay_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= README
    words = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8").partition("## Words\n")[2].strip()
    assert len(words.splitlines()) - 2 <= GLOSSARY
