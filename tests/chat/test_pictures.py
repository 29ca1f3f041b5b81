"""Pictures through a conversation: who is shown them, for how long, and whose they are."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from chat import imports
from chat.backups import backup, restore
from chat.export import to_json, to_markdown
from chat.faults import ChatFault
from chat.tables import picture_ids
from chat.transcript import Transcript
from chat.turn_context import PICTURES
from chat.ui.shared import page
from chat.uploads import MOST
from tests.brought import from_json
from tests.chat.ground import Talk, a_talk, reply
from tests.fakes import STRONG, Heard
from tests.tools.test_pictures import file
from tools.pictures import Drawn

SEES = replace(STRONG, sees=True)


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[Talk]:
    async with a_talk(tmp_path) as opened:
        opened.fast.abilities = opened.slow.abilities = SEES
        opened.fast.says = lambda heard: ["A red field."]
        yield opened


def shown(heard: Heard) -> list[int]:
    """How many pictures each message holds that has some."""
    counts = [str(message.content).count("image_url': {'url'") for message in heard.messages]
    return [count for count in counts if count]


async def show(talk: Talk, session: str, colour: str = "red") -> None:
    await talk.runs.add_picture(session, f"{colour}.png", file("PNG", colour))


async def test_it_goes_with_the_next_turn_and_stays_in_the_dialogue(talk: Talk) -> None:
    session = talk.session()
    await show(talk, session)
    assert [each["name"] for each in talk.transcript.waiting(session)] == ["red.png"]
    await talk.say(session, "What is this?")
    assert talk.transcript.waiting(session) == [] and shown(talk.fast.heard[-1]) == [1]
    await talk.say(session, "Which colour?")
    assert shown(talk.fast.heard[-1]) == [1] and "[Shown with this: red.png]" in talk.fast.heard[-1].everything


async def test_the_slow_mind_sees_it_too(talk: Talk) -> None:
    session = talk.session()
    talk.transcript.set_options(session, replace(talk.transcript.options(session), minds="slow"))
    await show(talk, session)
    talk.slow.steps = lambda heard: ["A red field."]
    await talk.say(session, "What is this?")
    assert shown(talk.slow.heard[-1]) == [1]


async def test_minds_that_see_nothing_say_so_at_once(talk: Talk) -> None:
    talk.fast.abilities = talk.slow.abilities = STRONG
    session = talk.session()
    await show(talk, session)
    events = await talk.say(session, "What is this?")
    [fault] = [event.data["text"] for event in events if event.kind == "error"]
    assert "cannot see pictures" in str(fault) and talk.fast.heard == talk.slow.heard == []
    await talk.say(session, "Then let us talk of dogs.")
    assert "[Shown with this: red.png]" in talk.fast.heard[-1].everything and shown(talk.fast.heard[-1]) == []


async def test_where_only_the_slow_mind_sees_it_is_asked_at_once(talk: Talk) -> None:
    talk.fast.abilities, session = STRONG, talk.session()
    await show(talk, session)
    talk.slow.steps = lambda heard: ["A red field."]
    said = reply(await talk.say(session, "What is this?"))
    assert said["by"] == "slow" and shown(talk.slow.heard[0]) == [1]


@pytest.mark.slow
async def test_the_newest_are_shown_and_older_ones_named(talk: Talk) -> None:
    session = talk.session()
    for number in range(PICTURES + 2):
        await talk.runs.add_picture(session, f"{number}.png", file("PNG", (number * 20, 0, 0)))
        await talk.say(session, f"And number {number}?")
    assert sum(shown(talk.fast.heard[-1])) == PICTURES and "[Shown with this: 0.png]" in talk.fast.heard[-1].everything


async def test_nothing_is_answered_from_memory_while_a_picture_is_spoken_of(talk: Talk) -> None:
    session = talk.session()
    for colour in ("red", "blue"):
        await show(talk, session, colour)
        assert reply(await talk.say(session, "What is this?"))["by"] == "fast"
    assert len(talk.fast.heard) == 2


async def test_a_version_of_the_turn_shows_it_again_and_a_turn_taken_back_gives_it_back(talk: Talk) -> None:
    session = talk.session()
    await show(talk, session)
    turn = (await talk.say(session, "What is this?"))[0].turn
    await talk.runs.retry(session, turn)
    await talk.runs.idle()
    assert shown(talk.fast.heard[-1]) == [1]
    await talk.runs.undo(session)
    assert [each["name"] for each in talk.transcript.waiting(session)] == ["red.png"]


@pytest.mark.slow
async def test_what_waits_is_put_away_and_has_a_limit(talk: Talk) -> None:
    session = talk.session()
    for number in range(MOST):
        await talk.runs.add_picture(session, f"{number}.png", file("PNG", (number * 20, 0, 0)))
    with pytest.raises(ChatFault, match="8 pictures wait here"):
        await show(talk, session, "white")
    first = talk.transcript.waiting(session)[0]["id"]
    talk.transcript.put_away(session, first)
    assert len(talk.transcript.waiting(session)) == MOST - 1
    with pytest.raises(ChatFault, match="no such picture"):
        talk.transcript.picture(session, first)


async def test_it_is_exported_shared_and_taken_in_again(talk: Talk) -> None:
    session, transcript = talk.session(), talk.transcript
    await show(talk, session)
    await talk.say(session, "What is this?")
    assert "_Picture: red.png_" in to_markdown(transcript, session)
    whole = page(transcript, session, transcript.events(session), "", steps=True)
    assert '<img src="data:image/jpeg;base64,/9j/' in whole and "pictures/" not in whole
    taken = from_json(transcript, "ada", to_json(transcript, session))
    [event] = [event for event in transcript.events(taken.id) if event.kind == "turn"]
    [id_] = picture_ids(event.data)
    assert transcript.picture(taken.id, id_).startswith(b"\xff\xd8")


async def test_of_a_file_only_pictures_that_are_shown_are_drawn_and_not_any_number(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is a process; a small file can hold very many."""
    session, transcript, drawn = talk.session(), talk.transcript, list[str]()
    await show(talk, session)
    await talk.say(session, "What is this?")
    data = json.loads(to_json(transcript, session))
    [one] = data["pictures"]
    data["pictures"] += [one, *({**one, "id": f"{number:032x}"} for number in range(9))]

    def draw(name: str, _: bytes) -> Drawn:
        drawn.append(name)
        return Drawn(name, b"jpeg", 1, 1)

    monkeypatch.setattr(imports, "read_picture", draw)
    from_json(transcript, "ada", json.dumps(data))
    assert drawn == ["red.png"]
    monkeypatch.setattr(imports, "PICTURES", 1)
    from_json(transcript, "ada", json.dumps(data))  # it lists ten
    data["events"][0]["data"]["pictures"] *= 2
    data["events"][0]["data"]["pictures"][1] = {**data["events"][0]["data"]["pictures"][0], "id": f"{1:032x}"}
    with pytest.raises(ChatFault, match="its turns show 2 of them, and 1 are the most"):
        from_json(transcript, "ada", json.dumps(data))


async def test_a_deleted_turn_leaves_a_picture_to_the_others_that_show_it(talk: Talk) -> None:
    session, transcript = talk.session(), talk.transcript
    turns = []
    for question in ("What is this?", "Which colour?"):
        await show(talk, session)
        turns.append((await talk.say(session, question))[0].turn)
    transcript.remove([(session, turns[0])])
    [event, *_] = transcript.turn_events(session, turns[1])
    assert transcript.picture(session, *picture_ids(event.data))
    transcript.remove([(session, turns[1])])
    assert transcript.uploaded("ada") == 0


async def test_what_was_deleted_stays_deleted(talk: Talk, tmp_path: Path) -> None:
    session, transcript = talk.session(), talk.transcript
    await show(talk, session)
    turn = (await talk.say(session, "What is this?"))[0].turn
    await show(talk, session, "blue")
    home = transcript.path.parent
    saved = backup(home)
    blue = transcript.waiting(session)[0]["id"]
    transcript.put_away(session, blue)
    transcript.remove([(session, turn)])
    assert transcript.uploaded("ada") == 0
    transcript.close()
    restore(home, saved)
    restored = Transcript(home / "duet.sqlite")
    assert restored.uploaded("ada") == 0
    restored.close()


async def test_a_picture_that_came_again_is_brought_back(talk: Talk) -> None:
    session, transcript = talk.session(), talk.transcript
    await show(talk, session)
    red = transcript.waiting(session)[0]["id"]
    transcript.put_away(session, red)
    await show(talk, session)
    await talk.say(session, "What is this?")
    home = transcript.path.parent
    saved = backup(home)
    transcript.close()
    restore(home, saved)
    restored = Transcript(home / "duet.sqlite")
    assert restored.picture(session, red)
    restored.close()
