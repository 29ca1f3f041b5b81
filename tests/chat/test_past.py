"""A small model answers from what was said before, elsewhere and here, with layers that were trained for it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from chat.facts import Told
from chat.keeping import Keeping
from chat.remembering import said_id
from chat.turn_context import HERE, PAST
from memory.memory import ASSISTANT, Filter, Note
from minds.languages import name
from prompts import spoken
from tests.chat.ground import Talk, names, reply
from tests.fakes import SMALL, FakeModel, Heard

ASKS = "Which street do I live in?"
LEEDS, MOVED = "I live in a street in Leeds", "We moved to a street in Lydford, Mill Street"


@pytest.fixture
def small(talk: Talk) -> Talk:
    """Both minds small, with layers that say that the last line answers; whoever asks ASKS asks about himself."""
    talk.fast.abilities = talk.slow.abilities = SMALL
    talk.fast.says = lambda heard: ["Hello there."]
    talk.fast.recalls = FakeModel(lambda heard: [f"{len(heard.last.splitlines()) - 2}: In Mill Street."])
    talk.reader.scopes = {ASKS: "person"}
    talk.gate.needs = lambda said: False
    return talk


def lines(talk: Talk) -> list[str]:
    """What the layers read last, without the days."""
    *told, today, asked = layers(talk).heard[-1].last.splitlines()
    assert today.startswith("Today: Saturday, 21 November 2026") and asked == f"Question: {ASKS}"
    return [line.partition(": ")[2] for line in told]


def answering(talk: Talk, line: str) -> None:
    """The layers say that this line answers, while it is there."""

    def says(heard: Heard) -> list[str]:
        told = [one.partition(": ")[2] for one in heard.last.splitlines()]
        return [f"{told.index(line) + 1}: In Mill Street." if line in told else "else"]

    talk.fast.recalls = FakeModel(says)


def layers(talk: Talk) -> FakeModel:
    assert isinstance(talk.fast.recalls, FakeModel)
    return talk.fast.recalls


def fact(session: str, value: str, quote: str, **more: str) -> Note:
    about = {"subject": "user", "attribute": "lives in", "value": value, "quote": quote, "since": "", "until": ""}
    return Note(
        f"{session}:1:fact0", "fact", f"user, lives in: {value} ({quote})", 1.0, "", session, 1, about=about | more
    )


def wrong(talk: Talk, session: str) -> Sequence[str]:
    """What goes when the person says that the reply to a conversation's last turn was wrong."""
    last = talk.transcript.last_turn(session)
    assert last
    told = Told("ada", session, last.number + 1, "That is wrong.", 2.0, talk.slow)
    return [kept.text for kept in Keeping(talk.remembering, talk.transcript, told).wrong()]


async def test_a_question_about_oneself_is_answered_from_what_one_told(small: Talk) -> None:
    first = small.session()
    await small.say(first, LEEDS)
    await small.say(first, MOVED)
    said = reply(await small.say(small.session(), ASKS))
    assert (said["by"], said["text"], said["invoke"], said["doubt"]) == ("fast", "In Mill Street.", False, False)
    assert [line for line in lines(small) if line != "Hello there."] == [LEEDS, MOVED], "oldest first"
    notes = small.remembering.of("ada").notes
    assert len(notes.of(said["rests_on"])) == 1
    assert [note.text for note in notes.page(Filter(words="Mill"), 9)] == [MOVED]


@pytest.mark.parametrize("says", ["1: In Mill Street.", "none: You have not told me."])
async def test_the_answer_is_not_kept_beside_it_nor_that_it_was_not_told(small: Talk, says: str) -> None:
    await small.say(small.session(), MOVED)
    small.fast.recalls = FakeModel(lambda heard: [says])
    here = small.session()
    await small.say(here, ASKS)
    kept = small.remembering.of("ada").notes
    assert [note.text for note in kept.of(kept.of_session(here))] == [ASKS]


async def test_what_was_said_in_this_conversation_stands_among_it_once_and_may_be_wrong(small: Talk) -> None:
    here = small.session()
    answering(small, MOVED)
    await small.say(here, MOVED)
    said = reply(await small.say(here, ASKS))
    assert lines(small).count(MOVED) == 1 and said["rests_on"] == [said_id(here, 1)]
    assert any(MOVED in text for text in wrong(small, here))
    await small.say(here, ASKS)
    assert MOVED not in lines(small)


async def test_what_a_wrong_answer_rests_on_goes_with_the_facts_of_its_turn(small: Talk) -> None:
    first, here = small.session(), small.session()
    answering(small, MOVED)
    await small.say(first, MOVED)
    small.remembering.of("ada").keep([fact(first, "Lydford", "street in Lydford")])
    await small.say(here, ASKS)
    assert len(wrong(small, here)) == 2
    notes = small.remembering.of("ada").notes
    assert {note.kind for note in notes.of(notes.of_session(first)) if note.out} == {"turn", "fact"}


async def test_a_fact_whose_turn_is_not_kept_or_was_corrected_is_told_itself(small: Talk) -> None:
    small.remembering.of("ada").keep([fact("gone", "York", "my street is in York")])
    await small.say(small.session(), ASKS)
    assert lines(small) == ["user, lives in: York (my street is in York)"]


async def test_a_fact_that_stands_far_behind_in_its_turn_is_told_itself(small: Talk) -> None:
    first = small.session()
    await small.say(first, f"{'So much to tell. ' * 30} My street is in York.")
    small.remembering.of("ada").keep([fact(first, "York", "My street is in York")])
    await small.say(small.session(), ASKS)
    assert "user, lives in: York (My street is in York)" in lines(small)


async def test_what_only_a_file_says_is_not_read(small: Talk) -> None:
    memory = small.remembering.of("ada")
    said = Note("import:s:1:said", "turn", LEEDS, 1.0, "", "import:s", 1, "user", about={"imported": "yes"})
    memory.keep([said, fact("import:s", "Leeds", "a street in Leeds")])
    await small.say(small.session(), ASKS)
    assert lines(small) == ["user, lives in: Leeds (a street in Leeds)"], "the fact was confirmed, its turn was not"


async def test_what_was_taken_out_is_not_read_here_either(small: Talk) -> None:
    here = small.session()
    await small.say(here, LEEDS)
    await small.say(here, MOVED)
    small.remembering.of("ada").withdraw([said_id(here, 1)], "the person wished so")
    for session in (here, small.session()):
        await small.say(session, ASKS)
        assert MOVED in lines(small) and LEEDS not in lines(small)


async def test_what_bears_on_it_stands_before_what_was_said_last(small: Talk) -> None:
    await small.say(small.session(), MOVED)
    here = small.session()
    for number in range(HERE):
        await small.say(here, f"{number} {'of something else ' * 12}")
    await small.say(here, ASKS)
    assert MOVED in lines(small) and len(lines(small)) > 2 and sum(map(len, lines(small))) < 3 * PAST


async def test_nobody_reads_where_the_memory_is_off_or_another_thing_is_asked(small: Talk) -> None:
    await small.say(small.session(), MOVED)
    assert reply(await small.say(small.session(memory=False), ASKS))["text"] == "Hello there."
    assert reply(await small.say(small.session(), "Is there a street in Rome?"))["text"] == "Hello there."
    assert layers(small).heard == []


async def test_answering_anew_asks_somebody_else(small: Talk) -> None:
    await small.say(small.session(), MOVED)
    here = small.session()
    await small.say(here, ASKS)
    again = await small.runs.retry(here, 1)
    assert reply(await small.ended(here, again))["text"] == "Hello there."


async def test_what_was_not_told_is_said_unless_the_slow_mind_is_needed(small: Talk) -> None:
    small.fast.recalls = FakeModel(lambda heard: ["none: You have not told me."])
    await small.say(small.session(), MOVED)
    assert reply(await small.say(small.session(), ASKS))["text"] == "You have not told me."
    small.gate.needs = lambda said: True
    events = await small.say(small.session(), ASKS)
    assert spoken("fast/interim", name(ASKS)) in [event.data.get("text") for event in events]
    assert "run-started" in names(events)


async def test_a_small_model_is_told_what_the_person_said_elsewhere_and_no_reply_of_its_own(talk: Talk) -> None:
    talk.made_small().gate.needs = lambda said: False
    talk.fast.says = lambda heard: ["Wake her at the same time every day."]
    await talk.say(talk.session(), "my daughter wakes up every night")
    await talk.say(talk.session(), "my back hurts every night")
    heard = talk.fast.heard[-1].everything
    assert "my daughter wakes up" in heard and "same time every day" not in heard
    episode = Note("w:1:task", "episode", "Put a hot mug in the cabinet: solved.", 2.0, "", "w", 1, speaker=ASSISTANT)
    talk.store.user("ada").keep([episode])
    await talk.say(talk.session(), "my mug is in the cabinet every night")
    assert "Put a hot mug" in talk.fast.heard[-1].everything, "what was done in a world is no reply"
