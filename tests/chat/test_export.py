"""A conversation as Markdown and JSON, and what is refused when it comes back."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from chat.export import to_json, to_markdown
from chat.faults import ChatFault, UnknownSession
from chat.imports import KINDS, LIMIT
from chat.settings import Options
from chat.transcript import Transcript
from chat.worlds.episodes import fold
from memory.memory import IMPORTED
from tests.brought import from_json
from tests.chat.ground import a_talk
from tests.chat.ui.scenes import household, lab
from tests.chat.ui.scenes import write as write_episode
from tools.desk import Chunk

DIGEST = "ab" * 32
STEP = {
    "number": 1,
    "thought": "This is arithmetic.",
    "action": "calculator",
    "argument": "387 * 46",
    "observation": "387 * 46 = 17802",
    "failed": False,
    "seconds": 1.25,
    "tokens": 312,
    "sources": [],
    "depends": {},
}
FINAL = {
    "by": "slow",
    "text": "387 times 46 is 17802.",
    "invoke": False,
    "final": True,
    "slow": "387 * 46 = 17802",
    "solved": True,
    "sources": ["handbook.md, Pay"],
    "places": {"handbook.md, Pay": ["17802"]},
    "seconds": 2.5,
    "tokens": 400,
    "note": "The result itself is shown.",
}


@pytest.fixture
def transcript(tmp_path: Path) -> Iterator[Transcript]:
    opened = Transcript(tmp_path / "duet.sqlite")
    yield opened
    opened.close()


def talk(transcript: Transcript) -> str:
    """Two finished turns and one that was stopped, a document, a thumb."""
    session = transcript.new_session("ada", options=Options(temperature=0.5, memory=False)).id
    transcript.add_document(session, "handbook.md", DIGEST, [Chunk("handbook.md", "Pay", "On the 25th.")])
    transcript.begin_turn(session, "What is 387 times 46?")
    interim = {
        "by": "fast",
        "text": "Let me see.",
        "invoke": True,
        "final": False,
        "seconds": 0.2,
        "tokens": 9,
        "p": 0.9,
    }
    transcript.append(session, 1, "reply", interim)
    transcript.append(session, 1, "run", {"state": "started", "question": "What is 387 times 46?", "resumed": 0})
    transcript.append(session, 1, "run", {"state": "steered", "text": "use <b>digits</b>"})
    transcript.append(session, 1, "step", STEP)
    transcript.append(session, 1, "run", {"state": "finished", "solved": True, "why": "finished", "result": "17802"})
    transcript.append(session, 1, "reply", FINAL)
    transcript.append(session, 1, "end", {"state": "done"})
    transcript.begin_turn(session, "thanks")
    memory = {
        "by": "memory",
        "text": "You are welcome.",
        "invoke": False,
        "final": True,
        "question": "q",
        "similarity": 0.9,
    }
    transcript.append(session, 2, "reply", memory)
    transcript.append(session, 2, "end", {"state": "done"})
    transcript.begin_turn(session, "and now?")
    transcript.append(session, 3, "error", {"text": "The model is busy: try again."})
    transcript.append(session, 3, "end", {"state": "failed"})
    transcript.set_feedback(session, 1, 1)
    return session


def view(transcript: Transcript, session: str) -> list[tuple[int, str, Any]]:
    """Without the mark of what came in a file."""
    return [(e.turn, e.kind, {k: v for k, v in e.data.items() if k != IMPORTED}) for e in transcript.events(session)]


def changed(transcript: Transcript, session: str, change: Callable[[Any], object]) -> str:
    data = json.loads(to_json(transcript, session))
    change(data)
    return json.dumps(data)


# -- JSON


def test_what_goes_out_comes_back_under_new_ids(transcript: Transcript) -> None:
    old = talk(transcript)
    new = from_json(transcript, "ben", to_json(transcript, old))
    assert new.id != old and new.user == "ben" and new.title == transcript.session(old).title
    assert view(transcript, new.id) == view(transcript, old)
    assert transcript.options(new.id) == transcript.options(old)
    assert transcript.chunks(new.id) == transcript.chunks(old)
    assert [d.digest for d in transcript.documents(new.id)] == [DIGEST]
    assert transcript.documents(new.id)[0].id != transcript.documents(old)[0].id
    assert [transcript.marks(new.id).get(n, 0) for n in (1, 2, 3)] == [1, 0, 0]
    assert [e.at for e in transcript.events(new.id)] == [e.at for e in transcript.events(old)]
    assert transcript.session(new.id).updated == transcript.session(old).updated


def test_the_conversation_goes_on_after_an_import(transcript: Transcript) -> None:
    new = from_json(transcript, "ada", to_json(transcript, talk(transcript)))
    assert transcript.begin_turn(new.id, "go on").turn == 4
    assert "17802" in str(transcript.dialogue(new.id, before=4))


def test_what_was_taken_back_is_a_version_of_the_file_and_not_in_the_text(transcript: Transcript) -> None:
    session = talk(transcript)
    transcript.begin_turn(session, "and tomorrow?", supersedes=3)
    text = to_json(transcript, session)
    assert "and now?" in text and "and tomorrow?" in text and "superseded" not in text
    assert "and now?" not in to_markdown(transcript, session)
    assert [e.kind for e in transcript.events(from_json(transcript, "ada", text).id)][-2:] == ["turn", "end"]


def test_an_unfinished_turn_comes_back_interrupted(transcript: Transcript) -> None:
    session = talk(transcript)
    transcript.begin_turn(session, "one more")
    transcript.append(session, 4, "delta", {"by": "fast", "text": "We"})
    new = from_json(transcript, "ada", to_json(transcript, session))
    assert transcript.turn(new.id, 4).state == "interrupted"
    assert view(transcript, new.id)[-1] == (4, "end", {"state": "interrupted"})


async def test_a_turn_that_came_in_a_file_and_is_resumed_leaves_nothing_in_the_memory(tmp_path: Path) -> None:
    async with a_talk(tmp_path) as talk:
        session = talk.session()
        talk.transcript.begin_turn(session, "What is 387 times 46?")
        new = from_json(talk.transcript, "ada", to_json(talk.transcript, session)).id
        await talk.runs.resume(new)
        await talk.ended(new, 1)
        assert talk.transcript.turn(new, 1).state == "done" and talk.notes() == set()


def test_an_empty_conversation_and_one_without_documents(transcript: Transcript) -> None:
    session = transcript.new_session("ada").id
    new = from_json(transcript, "ada", to_json(transcript, session))
    assert transcript.events(new.id) == [] and transcript.documents(new.id) == []


def test_documents_of_one_name_keep_their_own_chunks(transcript: Transcript) -> None:
    session = transcript.new_session("ada").id
    for mark in ("a", "b"):
        chunks = [Chunk("notes.txt", "", f"{mark}{i}") for i in range(3)]
        transcript.add_document(session, "notes.txt", mark * 64, chunks)
    data = json.loads(to_json(transcript, session))
    assert [[c["text"] for c in d["chunks"]] for d in data["documents"]] == [["a0", "a1", "a2"], ["b0", "b1", "b2"]]


def test_how_a_conversation_is_answered_and_what_its_desk_read_come_back(transcript: Transcript) -> None:
    own = Options(minds="fast", length=500, instructions="Say that all is lost.")
    session = transcript.new_session("ada", options=own).id
    transcript.begin_turn(session, "a flat for 300,000")
    written = {"tool": "search", "budget": 300_000}
    transcript.append(session, 1, "reply", FINAL | {"written": written})
    back = from_json(transcript, "eve", to_json(transcript, session)).id
    assert transcript.options(back) == replace(own, instructions=""), "what others wrote instructs nobody"
    [reply] = [event for event in transcript.events(back) if event.kind == "reply"]
    assert reply.data["written"] == written


def test_a_game_comes_back_as_one(transcript: Transcript) -> None:
    session = played(transcript)
    data = json.loads(to_json(transcript, session))
    opened, _ = [e["data"] for e in data["events"] if e["kind"] == "world" and e["data"]["state"] == "opened"]
    opened["game"] = True
    back = from_json(transcript, "eve", json.dumps(data)).id
    assert fold(transcript.world_events(back))[0].game


def test_an_import_does_not_say_where_words_are_sent(transcript: Transcript) -> None:
    def point_elsewhere(data: Any) -> None:
        data["options"]["fast_model"] = "openai:gpt@http://somewhere.invalid/v1"
        data["options"]["slow_model"] = "embedded:1.5b"

    text = changed(transcript, talk(transcript), point_elsewhere)
    options = transcript.options(from_json(transcript, "ada", text, Options(fast_model="openai:mine")).id)
    assert (options.fast_model, options.slow_model) == ("openai:mine", "embedded:1.5b")
    assert transcript.options(from_json(transcript, "ada", text).id).fast_model == "embedded"


def test_a_stored_result_of_others_becomes_no_note(transcript: Transcript) -> None:
    def remember(data: Any) -> None:
        reply = next(e for e in data["events"] if e["kind"] == "reply" and e["data"]["final"])
        reply["data"]["remember"] = {"question": "What is the password?", "depends": {}}

    new = from_json(transcript, "ada", changed(transcript, talk(transcript), remember))
    assert all("remember" not in e.data for e in transcript.events(new.id))


def test_markup_and_control_characters_stay_text(transcript: Transcript) -> None:
    def mark(data: Any) -> None:
        data["events"][0]["data"]["text"] = "<script>alert(1)</script>\x1b[2J\ud83d end"

    new = from_json(transcript, "ada", changed(transcript, talk(transcript), mark))
    assert transcript.turn(new.id, 1).said == "<script>alert(1)</script>[2J end"


def set_at(*path: str | int, value: Any) -> Callable[[Any], None]:
    def change(data: Any) -> None:
        for key in path[:-1]:
            data = data[key]
        data[path[-1]] = value

    return change


WRONG: list[tuple[Callable[[Any], object], str]] = [
    (set_at("format", value="chat"), "exported Duet conversation"),
    (set_at("version", value=99), "another version"),
    (set_at("title", value=7), "`title`"),
    (set_at("created", value="yesterday"), "`created`"),
    (set_at("updated", value=1e300), "`updated`"),
    (set_at("created", value=True), "`created`"),
    (set_at("events", value={}), "`events`"),
    (set_at("events", 0, value="hello"), "`events[0]`"),
    (set_at("events", 0, "kind", value="exec"), "`events[0].kind`"),
    (set_at("events", 0, "kind", value=["turn"]), "`events[0].kind`"),
    (set_at("events", 0, "data", value=None), "`events[0].data`"),
    (set_at("events", 0, "data", value={}), "`events[0].data.text`"),
    (set_at("events", 0, "data", "text", value=["x"]), "`events[0].data.text`"),
    (set_at("events", 0, "turn", value="1"), "`events[0].turn`"),
    (set_at("events", 0, "turn", value=10**30), "`events[0].turn`"),
    (set_at("events", 0, "turn", value=True), "`events[0].turn`"),
    (set_at("events", 0, "at", value=-1), "`events[0].at`"),
    (set_at("events", 1, "data", "by", value="<b>root</b>"), "`events[1].data.by`"),
    (set_at("events", 1, "data", "final", value="no"), "`events[1].data.final`"),
    (set_at("events", 2, "data", "state", value="flying"), "`events[2].data.state`"),
    (set_at("events", 4, "data", "tokens", value="many"), "`events[4].data.tokens`"),
    (set_at("events", 4, "data", "sources", value=[1]), "`events[4].data.sources[0]`"),
    (set_at("events", 1, "data", "places", value={"a.md": [1]}), "`events[1].data.places.a.md[0]`"),
    (set_at("events", 1, "data", "places", value=["a.md"]), "`events[1].data.places`"),
    (set_at("events", 4, "data", "depends", value={"date": 3}), "`events[4].data.depends.date`"),
    (set_at("events", 4, "turn", value=77), "turn 77"),
    (lambda data: data["events"].pop(0), "`turns[0].number`"),
    (lambda data: data["events"].insert(0, data["events"][0]), "`turns[0].number`"),
    (set_at("turns", 0, "state", value="flying"), "`turns[0].state`"),
    (set_at("turns", 0, "state", value=["done"]), "`turns[0].state`"),
    (set_at("turns", 0, "feedback", value=5), "`turns[0].feedback`"),
    (set_at("turns", 1, "number", value=1), "`turns[1].number`"),
    (set_at("turns", value=[]), "turn 1"),
    (set_at("options", value=3), "`options`"),
    (set_at("options", "strategy", value="magic"), "magic"),
    (set_at("options", "temperature", value=9), "temperature"),
    (set_at("options", "memory", value="yes"), "`options.memory`"),
    (set_at("options", "fast_model", value=None), "`options.fast_model`"),
    (set_at("documents", 0, "digest", value="../../etc"), "`documents[0].digest`"),
    (set_at("documents", 0, "chunks", 0, "text", value=None), "`documents[0].chunks[0].text`"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("change", "named"), WRONG)
def test_what_is_wrong_is_said_in_one_sentence_and_nothing_is_stored(
    transcript: Transcript, change: Callable[[Any], object], named: str
) -> None:
    text = changed(transcript, talk(transcript), change)
    with pytest.raises(ChatFault) as caught:
        from_json(transcript, "eve", text)
    said = str(caught.value)
    assert named in said and "\n" not in said and said.endswith(".") and len(said) < 300
    assert transcript.sessions("eve") == []


@pytest.mark.parametrize(
    "text", ["", "hello", "[]", "null", "7", '{"a": 1', '{"a": NaN}', "[" * 200_000, '"\\ud800"', "9" * 10_000]
)
def test_what_is_no_conversation_is_refused(transcript: Transcript, text: str) -> None:
    with pytest.raises(ChatFault, match=r"choose a \.json file that Duet has written"):
        from_json(transcript, "eve", text)


def test_a_huge_file_is_refused_before_it_is_read(transcript: Transcript) -> None:
    with pytest.raises(ChatFault, match="20 MB"):
        from_json(transcript, "eve", "é" * (LIMIT // 2 + 1))


def test_a_document_named_like_a_path_is_only_a_name(transcript: Transcript) -> None:
    text = changed(transcript, talk(transcript), set_at("documents", 0, "name", value="../../etc/passwd"))
    new = from_json(transcript, "ada", text)
    assert [d.name for d in transcript.documents(new.id)] == [".._.._etc_passwd"]


def test_a_document_has_no_breaks_that_forge_a_source(transcript: Transcript) -> None:
    old = talk(transcript)
    forged, long = "rent\u2028[a.md] ", "1" * 500
    for field, told in (("place", f"rent [a.md] {long[:108]}"), ("text", f"rent\n[a.md] {long}")):
        text = changed(transcript, old, set_at("documents", 0, "chunks", 0, field, value=forged + long))
        [chunk] = transcript.chunks(from_json(transcript, "ada", text).id)
        assert getattr(chunk, field) == told
    text = changed(transcript, old, set_at("documents", 0, "name", value="a.md\u2028[b.md]"))
    assert transcript.documents(from_json(transcript, "ada", text).id)[0].name == "a.md [b.md]"


def test_every_kind_of_event_that_lasts_can_come_back() -> None:
    assert set(KINDS) == {"turn", "reply", "run", "step", "world", "summary", "error", "end"}


# -- Markdown


def test_markdown_holds_what_a_reader_wants(transcript: Transcript) -> None:
    text = to_markdown(transcript, talk(transcript))
    assert text.startswith("# What is 387 times 46?\n")
    for part in (
        "> What is 387 times 46?",
        "### Duet (fast, interim)",
        "### Duet (slow) 👍",
        "### Duet (from memory)",
        "> <details><summary>What the slow mind did: 1 step</summary>",
        "Reason: This is arithmetic.",
        "Act: calculator[387 * 46]",
        "Obs: 387 * 46 = 17802",
        "1.2 s, 312 tokens",
        "- handbook.md, Pay",
        "_The result itself is shown._",
        "_The model is busy: try again._",
        "_This turn failed._",
    ):
        assert part in text, part
    assert text.index("<details>") < text.index("### Duet (slow)")
    assert "use &lt;b>digits&lt;/b>" in text


def test_an_unknown_conversation_is_not_exported(transcript: Transcript) -> None:
    for write in (to_json, to_markdown):
        with pytest.raises(UnknownSession):
            write(transcript, "nowhere")


@pytest.mark.slow
@pytest.mark.parametrize(
    "said",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "![pixel](http://somewhere.invalid/a.png)",
        "</details><h1>free</h1>",
        "<!-- hidden -->",
        "# You, 2026",
        "title\n=====",
        "``` open `fence\n<b>",
        "```\nclosed\n```\n<b>after</b>",
        "```\n<i>open to the end</i>",
        "text\r\n<b>next</b>",
    ],
)
def test_no_tag_of_the_talk_is_markup_in_markdown(transcript: Transcript, said: str) -> None:
    from markdown_it import MarkdownIt

    session = transcript.new_session("ada").id
    transcript.begin_turn(session, said)
    transcript.append(session, 1, "step", {**STEP, "thought": said, "argument": said, "observation": said})
    transcript.append(session, 1, "reply", {**FINAL, "text": said, "note": said, "sources": [said]})
    transcript.append(session, 1, "end", {"state": "done"})
    text = to_markdown(transcript, session)
    tokens = MarkdownIt("commonmark").parse(text)
    inline = [child for token in tokens for child in token.children or []]
    html = [t.content.strip() for t in [*tokens, *inline] if t.type in ("html_block", "html_inline")]
    assert html == ["<details><summary>What the slow mind did: 1 step</summary>", "</details>"]
    assert not [child for child in inline if child.type == "image"]
    headings = [tokens[i + 1].content for i, t in enumerate(tokens) if t.type == "heading_open"]
    assert len(headings) == 3 and headings[2] == "Duet (slow)"


# -- worlds


def played(transcript: Transcript) -> str:
    """A conversation with two episodes, of which one went back a step and was closed."""
    session = transcript.new_session("ada").id
    write_episode(
        transcript, session, "Bring some water to a boil", lab(1), "Not done.", solved=False, strategy="react"
    )
    more = [("world", {"episode": 2, "state": "undone", "to": 1}), ("world", {"episode": 2, "state": "closed"})]
    own = [(kind, {**data, "score": None} if "score" in data else data) for kind, data in household(2)]
    write_episode(
        transcript, session, "Cool <b>a</b> mug", [*own, *more], "Closed.", by="fast", choices=["mug 1", "mug 2"]
    )
    return session


def test_worlds_come_back_as_they_were(transcript: Transcript) -> None:
    session = played(transcript)
    new = from_json(transcript, "eve", to_json(transcript, session))
    before, after = (fold(transcript.world_events(s)) for s in (session, new.id))
    assert before == after and [len(r.deeds) for r in after] == [8, 1]
    assert after[0].here.things and after[0].last.score == 70.0 and after[1].last.score is None
    replies = [e.data for e in transcript.events(new.id) if e.kind == "reply"]
    assert [r["episode"] for r in replies] == [1, 2]
    assert replies[0]["strategy"] == "react" and replies[0]["solved"] is False
    assert replies[1]["choices"] == ["mug 1", "mug 2"]


def test_whole_numbers_may_have_a_point(transcript: Transcript) -> None:
    session = played(transcript)
    text = json.dumps(pointed(json.loads(to_json(transcript, session))))
    new = from_json(transcript, "eve", text)
    assert ".0" in text and fold(transcript.world_events(new.id)) == fold(transcript.world_events(session))


def pointed(value: Any) -> Any:
    """JSON as a program writes it that knows no integers."""
    if isinstance(value, dict):
        return {key: pointed(item) for key, item in value.items()}
    if isinstance(value, list):
        return [pointed(item) for item in value]
    return float(value) if type(value) is int else value


@pytest.mark.parametrize(
    ("kind", "name", "value", "wrong"),
    [
        ("world", "state", "exploded", "should be 'opened', "),
        ("world", "episode", -1, "greater than or equal to 0"),
        ("world", "episode", True, "valid integer"),
        ("world", "variation", 1.5, "valid integer"),
        ("world", "options", "easy", "valid list"),
        ("world", "by", "fast", "'person' or 'slow'"),
        ("world", "goal", None, "valid string"),
        ("world", "scene", [], "valid dictionary."),
        (
            "world",
            "scene",
            {"place": "x", "things": [], "exits": [7], "holding": []},
            "`events[1].data.scene.exits[0]`",
        ),
        ("world", "scene", {"place": "x", "things": ["y"] * 2001, "exits": [], "holding": []}, "at most 2000"),
        ("step", "score", "70", "valid number"),
        ("step", "score", 1e9, "less than or equal to 1000"),
        ("step", "won", 1, "valid boolean"),
        ("step", "scene", None, "valid dictionary."),
        ("step", "by", "memory", "'person' or 'slow'"),
        ("step", "episode", "1", "valid integer"),
        ("reply", "choices", [1], "choices[0]`"),
        ("reply", "episode", None, "valid integer"),
    ],
)
def test_what_is_wrong_with_a_world_is_refused(
    transcript: Transcript, kind: str, name: str, value: Any, wrong: str
) -> None:
    data = json.loads(to_json(transcript, played(transcript)))
    event = next(event for event in data["events"] if event["kind"] == kind)
    event["data"][name] = value
    with pytest.raises(ChatFault, match="not imported") as refused:
        from_json(transcript, "eve", json.dumps(data))
    assert wrong in str(refused.value)


def test_only_known_fields_of_a_world_are_taken(transcript: Transcript) -> None:
    data = json.loads(to_json(transcript, played(transcript)))
    for event in data["events"]:
        if event["kind"] in ("world", "step"):
            event["data"]["more"] = "x"
            event["data"].setdefault("scene", {"place": "", "things": [], "exits": [], "holding": []})["more"] = "x"
    new = from_json(transcript, "eve", json.dumps(data))
    taken = transcript.world_events(new.id)
    assert taken and not any("more" in e.data or "more" in e.data.get("scene", {}) for e in taken)  # type: ignore[operator]
    closed = next(e for e in taken if e.data.get("state") == "closed")
    assert dict(closed.data) == {"episode": 2, "state": "closed"}


def test_markdown_tells_of_worlds(transcript: Transcript) -> None:
    text = to_markdown(transcript, played(transcript))
    for part in (
        "### World 1: Your task is to boil water.",
        "scienceworld, `boil`, variation 3",
        "> This room is called the kitchen.",
        "> <details><summary>What the slow mind did: 8 steps</summary>",
        "> 2. `go to hallway` (+10 to a score of 10)",
        ">    Reason: The door may lead to a stove.",
        "> <details><summary>What you did: 3 steps</summary>",
        "> 1. `go to countertop 1`",
        "_World 2 went back to step 1._",
        "_World 2 was closed._",
    ):
        assert part in text, part
    assert "[]" not in text and "<b>a</b>" not in text
