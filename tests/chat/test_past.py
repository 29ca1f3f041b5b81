"""A small model answers from what was said before, elsewhere and here, with layers that were trained for it."""

from __future__ import annotations

import pytest

from chat.facts import Told
from chat.keeping import Keeping
from memory.memory import Filter, Note
from minds.languages import name
from prompts import spoken
from tests.chat.ground import Talk, reply
from tests.fakes import SMALL, FakeModel

ASKS = "Which street do I live in?"
FACT = {"subject": "user", "attribute": "lives in", "value": "Lydford", "quote": "Lydford", "since": "", "until": ""}
MOVED = "We moved to a street in Lydford, Mill Street"


@pytest.fixture
def small(talk: Talk) -> Talk:
    """Both minds small, with layers that say that the last line answers; whoever asks for ASKS asks about himself."""
    talk.fast.abilities = talk.slow.abilities = SMALL
    talk.fast.says = lambda heard: ["Hello there."]
    talk.fast.recalls = FakeModel(lambda heard: ["2: In Mill Street."])
    talk.sameness.scopes = {ASKS: "person"}
    return talk


def lines(talk: Talk) -> list[str]:
    """What the layers read, without the days."""
    assert isinstance(talk.fast.recalls, FakeModel)
    *told, today, asked = talk.fast.recalls.heard[-1].last.splitlines()
    assert today.startswith("Today: Saturday, 21 November 2026") and asked == f"Question: {ASKS}"
    return [line.partition(": ")[2] for line in told]


async def test_a_question_about_oneself_is_answered_from_what_one_told(small: Talk) -> None:
    first = small.session()
    await small.say(first, "I live in a street in Leeds")
    await small.say(first, MOVED)
    said = reply(await small.say(small.session(), ASKS))
    assert (said["by"], said["text"], said["invoke"], said["doubt"]) == ("fast", "In Mill Street.", False, False)
    assert {"I live in a street in Leeds", MOVED} <= set(lines(small))
    assert lines(small).index("I live in a street in Leeds") < lines(small).index(MOVED), "oldest first"
    [note] = small.remembering.of("ada").notes.of(said["rests_on"])
    assert note.text == lines(small)[1]
    kept = small.remembering.of("ada").notes.page(Filter(words="Mill"), 9)
    assert {note.text for note in kept} == {MOVED}, "the answer itself is not kept"


async def test_what_a_wrong_answer_rests_on_goes_with_the_facts_of_its_turn(small: Talk) -> None:
    first, here = small.session(), small.session()
    await small.say(first, MOVED)
    small.remembering.of("ada").keep(
        [Note(f"{first}:1:fact0", "fact", "user, lives in: Lydford (Lydford)", 1.0, session=first, turn=1, about=FACT)]
    )
    small.fast.recalls = FakeModel(lambda heard: ["1: In Mill Street."])
    await small.say(here, ASKS)
    told = Told("ada", here, 2, "That is wrong.", 2.0, small.slow)
    Keeping(small.remembering, small.transcript, told, small.now).wrong()
    notes = small.remembering.of("ada").notes
    assert all(note.out for note in notes.of(notes.of_session(first)))


async def test_what_was_said_in_this_conversation_stands_among_it_once(small: Talk) -> None:
    here = small.session()
    await small.say(here, MOVED)
    await small.say(here, ASKS)
    assert lines(small).count(MOVED) == 1


async def test_what_was_taken_out_is_not_read(small: Talk) -> None:
    first = small.session()
    await small.say(first, "I live in a street in Leeds")
    await small.say(first, MOVED)
    memory = small.remembering.of("ada")
    memory.withdraw([f"{first}:1:said"], "the person wished so")
    await small.say(small.session(), ASKS)
    assert MOVED in lines(small) and "I live in a street in Leeds" not in lines(small)


async def test_nobody_reads_where_the_memory_is_off_or_another_thing_is_asked(small: Talk) -> None:
    await small.say(small.session(), MOVED)
    assert isinstance(small.fast.recalls, FakeModel)
    assert reply(await small.say(small.session(memory=False), ASKS))["text"] == "Hello there."
    assert reply(await small.say(small.session(), "Is there a street in Rome?"))["text"] == "Hello there."
    assert small.fast.recalls.heard == []


async def test_what_was_not_told_is_said_unless_the_slow_mind_is_needed(small: Talk) -> None:
    small.fast.recalls = FakeModel(lambda heard: ["none: You have not told me."])
    await small.say(small.session(), MOVED)
    assert reply(await small.say(small.session(), ASKS))["text"] == "You have not told me."
    small.gate.needs = lambda _: True
    events = await small.say(small.session(), ASKS)
    assert spoken("fast/interim", name(ASKS)) in [event.data.get("text") for event in events]
