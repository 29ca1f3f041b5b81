"""Conversations that people bring from ChatGPT and Open WebUI."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from chat.faults import ChatFault, DiskFull
from chat.foreign import _CITED
from chat.imports import take_in
from chat.sessions import Session
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
            "a": node("s", "user", "How do I poach an egg?", {"content_type": "image_asset_pointer"}),
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
    found, _ = take_in(transcript, "ada", json.dumps(data).encode(), MINE)
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
    for odd in (-1e300, 1e300, None, 1_700_000_000_000):
        brought(transcript, [{"create_time": odd, "update_time": odd, "mapping": around}])
        assert transcript.sessions("ada")[0].created == 1_700_000_001.5
    timeless = {"message": {"author": {"role": "user"}, "content": {"parts": ["hello"]}, "create_time": 1.7e12}}
    brought(transcript, [{"create_time": 1_800_000_000, "mapping": {"a": timeless}}])
    newest = transcript.sessions("ada")[0]
    assert {event.at for event in transcript.events(newest.id)} == {1_800_000_000}


def test_an_odd_conversation_keeps_no_other_out(transcript: Transcript) -> None:
    web = {"history": {"messages": {"m": {"role": "user", "content": None}, "n": {"role": "user", "content": 7}}}}
    nothing = {"author": {"role": "assistant"}, "content": None}
    empty = {"author": {"role": "assistant"}, "content": {"content_type": "code", "parts": None}}
    mapping = {"a": node(None, "user", "hi"), "b": {"parent": "a", "message": nothing}}
    mapping["c"] = {"parent": "b", "message": empty}
    data = [{"chat": web}, CHATGPT[1], {"mapping": {"a": {"message": {}}}}, {"create_time": None, "mapping": mapping}]
    found, odd = take_in(transcript, "ada", json.dumps(data).encode(), MINE)
    assert [each.title for each in found] == ["", ""] and odd == 2
    assert [event.data["text"] for event in transcript.events(found[1].id) if event.kind == "turn"] == ["hi"]


def test_what_was_spoken_is_words_and_thoughts_and_tools_are_none(transcript: Transcript) -> None:
    spoken = {"content_type": "audio_transcription", "text": "How long?", "direction": "in"}
    talk = {"a": node(None, "user", spoken, {"content_type": "audio_asset_pointer"}), "b": node("a", "assistant", "1")}
    [(_, said)] = brought(transcript, [{"create_time": 1, "mapping": talk}])
    assert said == [("user", "How long?"), ("fast", "1")]
    thoughts = '<details type="reasoning" done="true">\n<summary>Thought</summary>\n> Hm.\n</details>\n'
    tool = '<details type="tool_calls" done="true" result="x">\n<summary>Ran</summary>\n</details>\n'
    parts = [{"type": "text", "text": "Look:"}, {"type": "image_url", "image_url": {"url": "data:"}}]
    messages = {
        "a": {"role": "user", "content": parts},
        "b": {"role": "assistant", "content": f"{thoughts}{tool}A cat.<details>mine</details>", "parentId": "a"},
        "c": {"role": "user", "content": tool, "parentId": "b"},
        "d": {"role": "assistant", "content": '<details type="reasoning" done="false">' * 2_000, "parentId": "c"},
    }
    [(_, said)] = brought(transcript, [{"created_at": 1, "chat": {"history": {"messages": messages}}}])
    assert said[:2] == [("user", "Look:\n\n[picture]"), ("fast", "A cat.<details>mine</details>")]
    assert said[2] == ("user", tool) and len(said) == 3


def test_all_of_it_is_taken_in_or_nothing_as_the_persons_own_begin(
    transcript: Transcript, monkeypatch: pytest.MonkeyPatch
) -> None:
    quiet = replace(MINE, memory=False, length=80, strategy="plan")
    [first, _] = take_in(transcript, "ada", json.dumps(CHATGPT).encode(), quiet)[0]
    assert transcript.options(first.id) == quiet
    adopt, before = transcript.adopt, transcript.sessions("ada")

    def full(session: Session, *more: Any) -> Session:
        if transcript.sessions("eve"):
            raise DiskFull
        return adopt(session, *more)

    monkeypatch.setattr(transcript, "adopt", full)
    monkeypatch.setattr("chat.deletions.os.write", lambda *_: 0)  # nothing can be written down any more
    with pytest.raises(DiskFull):
        take_in(transcript, "eve", json.dumps(CHATGPT).encode(), quiet)
    assert transcript.sessions("ada") == before and not transcript.sessions("eve")


def test_others_have_their_turn_while_many_are_taken_in(
    transcript: Transcript, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is one connection: a file of ChatGPT's took minutes, in which nobody else could read."""
    many, done, adopt = (
        [{**CHATGPT[0], "create_time": 1_700_000_000 + n} for n in range(20)],
        list[str](),
        transcript.adopt,
    )

    def slowly(*one: Any) -> Session:
        done.append(adopt(*one).id)
        time.sleep(0.02)
        return transcript.session(done[-1])

    monkeypatch.setattr(transcript, "adopt", slowly)
    taking = Thread(target=take_in, args=(transcript, "ada", json.dumps(many).encode(), MINE))
    taking.start()
    while not done:
        time.sleep(0.001)
    transcript.sessions("eve")
    assert len(done) < len(many)
    taking.join()
    assert len(transcript.sessions("ada")) == len(many)


def test_the_next_export_brings_only_what_is_new_in_it(transcript: Transcript) -> None:
    first, _ = take_in(transcript, "ada", json.dumps(CHATGPT).encode(), MINE)
    again, _ = take_in(transcript, "ada", json.dumps(CHATGPT).encode(), MINE)
    assert again == first and len(transcript.sessions("ada")) == 2
    eggs = {**CHATGPT[0], "update_time": 1_700_009_000.0, "mapping": {"a": node(None, "user", "How long?")}}
    later = [eggs, CHATGPT[1], {"title": "Bread", "create_time": 1_700_000_300, "mapping": eggs["mapping"]}]
    take_in(transcript, "ada", json.dumps(later).encode(), MINE)
    assert sorted(each.title for each in transcript.sessions("ada")) == ["", "Bread", "Poached eggs", "Poached eggs"]


def test_a_mark_of_the_byte_order_before_the_json_is_no_fault(transcript: Transcript) -> None:
    """As Windows' own programs write it."""
    found, _ = take_in(transcript, "ada", json.dumps(WEBUI).encode("utf-8-sig"), MINE)
    assert [each.title for each in found] == ["Bread"]


def test_marks_that_are_never_closed_take_no_time() -> None:
    """A pattern that runs for long holds up every thread."""
    began = time.thread_time()
    assert _CITED.sub("", "\ue200" * 200_000 + "a\ue200cite\ue201b").endswith("\ue200ab")
    assert time.thread_time() - began < 1
