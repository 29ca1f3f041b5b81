"""Conversations that people bring from ChatGPT and Open WebUI."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from chat.faults import ChatFault
from chat.imports import take_in
from chat.settings import Options
from chat.transcript import Transcript

MINE = Options(fast_model="openai:mine", slow_model="openai:mine")


def node(parent: str | None, role: str, *parts: object, **more: object) -> dict[str, object]:
    content = {"content_type": "text", "parts": list(parts)}
    message = {"author": {"role": role}, "content": content, "create_time": 1_700_000_001.5, **more}
    return {"parent": parent, "children": [], "message": message}


CHATGPT: list[Any] = [
    {
        "title": "Poached eggs", "create_time": 1_700_000_000.5, "update_time": 1_700_000_900.0, "current_node": "e",
        "mapping": {
            "root": {"message": None, "parent": None, "children": ["s"]},
            "s": node("root", "system", ""),
            "a": node("s", "user", "How do I poach an egg?", {"asset_pointer": "file-service://x"}),
            "b": node("a", "assistant", "Boil it."),
            "c": node("a", "assistant", "Let me look."),
            "t": node("c", "assistant", '{"q": "egg"}', recipient="web"),
            "d": node("t", "tool", "results"),
            "e": node("d", "assistant", "Simmer it\ue200cite\ue202turn0search0\ue201 for 3 minutes."),
        },
    },
    {"title": None, "create_time": 1_700_000_100, "mapping": {"x": node(None, "user", "hello")}},
    {"title": "empty", "create_time": 1_700_000_200, "mapping": {}},
]  # fmt: skip
WEBUI = [
    {
        "id": "1", "title": "Bread", "created_at": 1_700_000_000, "updated_at": 1_700_000_050, "user_id": "u",
        "chat": {"history": {"currentId": "m4", "messages": {
            "m1": {"role": "user", "content": "How long?", "parentId": None, "timestamp": 1_700_000_001},
            "m2": {"role": "assistant", "content": "An hour.", "parentId": "m1"},
            "m3": {"role": "user", "content": "At what heat?", "parentId": "m2"},
            "m4": {"role": "assistant", "content": "At 220 degrees.", "parentId": "m3"},
        }}},
    }
]  # fmt: skip


@pytest.fixture
def transcript(tmp_path: Path) -> Transcript:
    return Transcript(tmp_path / "duet.sqlite")


def brought(transcript: Transcript, data: object) -> list[tuple[str, list[tuple[str, str]]]]:
    """Title, and speakers with their words."""
    found = take_in(transcript, "ada", json.dumps(data).encode(), MINE)
    spoken = [[(str(t.speaker), t.text) for t in transcript.dialogue(each.id, before=99).turns] for each in found]
    return list(zip([each.title for each in found], spoken, strict=True))


def test_chatgpts_are_taken_in_as_they_were_in_view(transcript: Transcript) -> None:
    eggs, hello = brought(transcript, CHATGPT)
    said = ("user", "How do I poach an egg?\n\n[picture]")
    assert eggs == ("Poached eggs", [said, ("fast", "Let me look.\n\nSimmer it for 3 minutes.")])
    assert hello == ("", [("user", "hello")])
    newest = transcript.sessions("ada")[0]
    assert newest.title == "Poached eggs" and newest.created == 1_700_000_000.5
    assert transcript.options(newest.id).fast_model == "openai:mine"
    assert transcript.search("ada", "simmer")[0][0].session.id == newest.id


def test_open_webuis_are_taken_in(transcript: Transcript) -> None:
    [(title, spoken)] = brought(transcript, WEBUI)
    assert title == "Bread"
    assert [words for _, words in spoken] == ["How long?", "An hour.", "At what heat?", "At 220 degrees."]


@pytest.mark.parametrize(
    "wrong",
    [
        [{}], [3], [[]], [{"mapping": 3}], [{"mapping": {}, "create_time": "x"}], [{"chat": {}, "created_at": 1}],
        [{"mapping": {"a": {"message": {"author": "me"}}}, "create_time": 1}], [CHATGPT[2]],
    ],
)  # fmt: skip
def test_what_is_no_export_is_refused_in_a_sentence(transcript: Transcript, wrong: object) -> None:
    with pytest.raises(ChatFault, match=r"conversations\.json\.$"):
        brought(transcript, wrong)
    assert transcript.sessions("ada") == []


def test_an_endless_path_and_moments_that_no_calendar_has_do_no_harm(transcript: Transcript) -> None:
    around = {"a": node("b", "user", "hello"), "b": node("a", "assistant", "hi")}
    assert brought(transcript, [{"create_time": 1, "mapping": around, "current_node": "a"}])[0][1]
    with pytest.raises(ChatFault, match="created"):
        brought(transcript, [{"create_time": -1e300, "mapping": around}])
