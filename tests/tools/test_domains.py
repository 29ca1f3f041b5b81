"""Every domain is one folder with the same files, and its tools keep the promises of all tools."""

from __future__ import annotations

import json
import re
import sqlite3
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from types import ModuleType
from zoneinfo import ZoneInfo

import pytest
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import ValidationError

from tools import domains
from tools.desk import Desk, ToolFault
from tools.domains import (
    BASE,
    DOMAINS,
    abouts,
    changes,
    examples,
    fresh,
    open_domain,
    prepare,
    stamp,
    state,
    words,
)
from tools.ledger import CHANGES
from tools.typed import narrowed

WISHES: dict[str, tuple[str, dict[str, str]]] = {
    "housing": ("leave_contact", {"name": "Ann", "phone": "0151 2345678"}),
    "library": ("reserve_book", {"book": "B-012"}),
}
"""Of each domain a tool that changes something, and what it is asked for."""
NOW = datetime(2026, 11, 22, 10, tzinfo=ZoneInfo("Europe/Berlin"))


@pytest.fixture(scope="module", params=DOMAINS)
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return prepare(request.param, tmp_path_factory.mktemp("domains"))


def desk(session: str = "s1") -> Desk:
    return Desk(session, NOW)


def test_each_says_what_it_is() -> None:
    assert [about.name for about in abouts()] == list(DOMAINS)
    for about in abouts():
        assert about.title and about.sentence.endswith(".") and about.greeting.endswith(("?", ".", "!"))


@pytest.mark.parametrize("name", DOMAINS)
def test_each_folder_has_the_same_files(name: str) -> None:
    folder = Path(domains.__file__).parent / name
    assert {"__init__.py", "policy.md", "examples.txt"} <= {path.name for path in folder.iterdir()}
    assert "1. " in words(name, "policy.md")


def test_examples_use_the_tools_there_are_as_their_schemas_want_it(place: Path) -> None:
    """In the order of the schema, which is the only one in which a grammar lets a model write them."""
    tools = open_domain(place.name).make(desk(), place)
    for said, done in examples(place.name):
        assert re.fullmatch(r"(?s)(?:Told: .+\n)?Person: .+", said)
        written = json.loads(done)
        if (name := written.pop("tool")) == "say":
            assert written["say"] and len(written) == 1
        else:
            fields, needed = narrowed(tools[name], {}) or ({}, [])
            order = [*needed, *(field for field in fields if field not in needed), "then"]
            assert [*written] == [field for field in order if field in written] and "then" in written
            del written["then"]
            tools[name].args_schema.model_validate(written)  # type: ignore[union-attr]
    assert {json.loads(done)["tool"] for _, done in examples(place.name)} == {"say", *tools}


def test_every_tool_is_typed_and_describes_itself_briefly(place: Path) -> None:
    for name, tool in open_domain(place.name).make(desk(), place).items():
        assert tool.name == name and len(tool.description) <= 110 and tool.description.endswith(".")
        offered = convert_to_openai_tool(tool)["function"]["parameters"]["properties"]
        assert "input" not in offered and all("$ref" not in str(field) for field in offered.values())


WORDS = ["", "\x00", "x" * 10_240, "(" * 300, "H-9999", "h-1" * 90, "yes", "1e9**1e9", "'; DROP TABLE homes; --", "$€"]


@pytest.mark.slow
@pytest.mark.parametrize("text", WORDS)
def test_only_tool_faults_leave_a_tool(place: Path, text: str) -> None:
    """Whatever stands in one of its arguments, the others left out; what the schema refuses is told by the loop."""
    for tool in open_domain(place.name).make(desk(), place).values():
        for name, field in tool.args.items():
            given = [text] if field.get("type") == "array" else text
            try:
                answer = str(tool.invoke({name: given}))
            except ToolFault as fault:
                answer = str(fault)
                assert "could not work this out" not in answer, f"{tool.name} broke on {text!r}"
            except ValidationError:
                continue
            assert answer.strip() and len(answer) < 1500


def test_a_model_is_held_to_the_arguments_that_there_are(place: Path) -> None:
    for tool in open_domain(place.name).make(desk(), place).values():
        required = convert_to_openai_tool(tool)["function"]["parameters"].get("required", [])
        chosen = [name.removesuffix("s") for name in required]
        assert (narrowed(tool, dict.fromkeys(chosen, ())) is None) == bool(required)
        fields, needed = narrowed(tool, dict.fromkeys(chosen, ("one",))) or ({}, [])
        assert set(needed) == set(required) <= fields.keys()
        assert all({"enum", "type", "const"} & field.keys() and "anyOf" not in field for field in fields.values())


def test_nothing_is_built_twice(place: Path) -> None:
    before = (place / BASE).stat().st_mtime_ns
    assert prepare(place.name, place.parent) == place
    assert (place / BASE).stat().st_mtime_ns == before


@pytest.mark.parametrize("name", DOMAINS)
def test_it_is_built_anew_where_it_is_broken_or_of_another_seed_or_version(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = prepare(name, tmp_path)
    first = stamp(place)
    (place / BASE).write_bytes(b"no database")
    assert stamp(place) == ""
    prepare(name, tmp_path)
    assert stamp(place) == first
    prepare(name, tmp_path, seed=8)
    assert stamp(place) == f"{first[:-1]}8"
    monkeypatch.setattr(open_domain(name), "VERSION", "next")
    prepare(name, tmp_path)
    assert " next " in stamp(place)
    assert [path.name for path in place.iterdir()] == [BASE]


def test_a_build_that_fails_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = ModuleType("broken")
    broken.__dict__["VERSION"] = "1"

    def build(path: Path, seed: int) -> None:
        sqlite3.connect(path).close()
        path.write_text("half")
        raise OSError("disk full")

    broken.__dict__["build"] = build
    monkeypatch.setitem(sys.modules, f"{DOMAINS['library']}.desk", broken)
    with pytest.raises(OSError, match="disk full"):
        prepare("library", tmp_path)
    assert list((tmp_path / "library").iterdir()) == []


def test_a_fresh_desk_shares_the_base_and_no_changes(place: Path, tmp_path: Path) -> None:
    one, two = fresh(place, tmp_path / "one"), fresh(place, tmp_path / "two")
    assert (one / BASE).samefile(place / BASE)
    name, wish = WISHES[place.name]
    call = {"name": name, "args": wish, "id": "1", "type": "tool_call"}
    code = open_domain(place.name).make(desk(), one)[name].invoke(call).artifact["asks"]
    assert open_domain(place.name).make(desk(), one)[name].invoke({"confirm": code})
    assert len(changes(one)) == len(changes(one, "s1")) == 1 and changes(one, "other") == ()
    assert changes(two) == changes(place) == ()
    assert state(one)["changes"] != state(two)["changes"] == "0-0"
    assert state(one)["listings"] == state(two)["listings"] == stamp(place)
    assert changes(fresh(place, one)) == () and not (one / CHANGES).exists()


def test_the_base_is_copied_where_links_are_not_to_be_had(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: Path, target: Path) -> None:
        raise OSError("another file system")

    monkeypatch.setattr(Path, "hardlink_to", refuse)
    assert stamp(fresh(place, tmp_path / "far")) == stamp(place)
    assert not (tmp_path / "far" / BASE).samefile(place / BASE)


@pytest.mark.real
def test_choosing_a_domain_is_light() -> None:
    heavy = ["langchain_core", "tools.typed", "tools.housing.search", "tools.library.desk", "numpy", "pint"]
    code = f"import sys; from tools.domains import abouts; abouts(); print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_an_unknown_name_is_a_key_error(tmp_path: Path) -> None:
    for ask in (lambda: open_domain("bakery"), lambda: prepare("bakery", tmp_path), lambda: words("bakery", "x")):
        with pytest.raises(KeyError):
            ask()
