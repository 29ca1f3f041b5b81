"""A conversation that is the desk of a domain, with scripted minds: who answers, what is changed and remembered."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

from chat.counter import Counters
from chat.export import from_json, to_json
from chat.faults import ChatFault
from chat.settings import Options, check_options
from minds.dialogue import Event
from minds.models.language import ToolCall
from tests.chat.ground import Talk, a_talk, name, names, reply
from tests.fakes import FORMED, STRONG, Heard, answer, in_turn, step
from tools import open_tools
from tools.desk import Desk
from tools.domains import changes, fresh, prepare, said

FLATS = "Do you have 2 bedroom flats in Riverside under 300000?"
AGAIN = "show me flats in Riverside with two bedrooms for at most 300k"
AGREED = "yes please"


@pytest.fixture(scope="session")
def agency(tmp_path_factory: pytest.TempPathFactory) -> Path:
    open_tools(Desk("", datetime.now(UTC)))  # what tools import counts against no test's patience
    return prepare("housing", tmp_path_factory.mktemp("domains"))


@pytest.fixture
async def talk(tmp_path: Path, agency: Path) -> AsyncIterator[Talk]:
    async with a_talk(tmp_path, embed=apart) as opened:
        opened.made_small().slow.steps = first_choice
        opened.fast.says = lambda _: ["Hello there."]
        opened.gate.needs = lambda _: False
        yield opened


def apart(texts: Sequence[str]) -> list[list[float]]:
    """Sentence vectors by which no two sentences are alike."""
    return [[float(place == crc32(text.encode()) % 997) for place in range(997)] for text in texts]


def first_choice(heard: Heard) -> Sequence[Any]:
    """Takes the tool that the note behind the query names, with an input that nobody should use."""
    tool = heard.last.rpartition(" (")[2].partition(":")[0]
    return [{"thought": "This needs a tool.", "action": tool, "input": "H-0001"}]


def desk(talk: Talk, agency: Path, **options: Any) -> tuple[str, Path]:
    """A conversation at a desk of its own."""
    session = talk.session(**{"domain": "housing", **options})
    place = fresh(agency, talk.folder / session)
    talk.counters.give(session, place)
    return session, place


def steps(events: Sequence[Event]) -> list[dict[str, Any]]:
    return [dict(event.data) for event in events if event.kind == "step"]


async def test_facts_come_from_the_slow_mind_with_all_that_they_assert(talk: Talk, agency: Path) -> None:
    session, _ = desk(talk, agency)
    events = await talk.say(session, FLATS)
    [done] = steps(events)
    assert (done["action"], done["argument"]) == ("search", "flat, 2 bedrooms, in Riverside, at most 300,000 euros")
    assert done["facts"]["search.count"] == 17 and done["facts"]["H-0703.price"] == 220000
    told = reply(events)
    assert told["by"] == "slow" and "- H-0703: flat in Riverside" in told["text"] and "ask:which" in told["moves"]
    assert [e.data["text"] for e in events if name(e) == "interim"] == [said("housing", "interim search")]


async def test_what_was_found_is_told_again_from_memory_in_other_words(talk: Talk, agency: Path) -> None:
    session, _ = desk(talk, agency)
    first = reply(await talk.say(session, FLATS))
    other, _ = desk(talk, agency)
    again = reply(await talk.say(other, AGAIN))
    assert again["by"] == "memory" and first["text"].startswith(again["text"].partition("\n\nWhich")[0])
    assert steps(await talk.say(other, "tell me about the second one"))[0]["argument"] == "H-1314"
    different = reply(await talk.say(other, "show me flats with a lift, please"))
    assert different["by"] == "slow"


async def test_memory_does_not_tell_of_times_that_were_taken_since(talk: Talk, agency: Path) -> None:
    session, place = desk(talk, agency)
    for text in ("when can I see H-0421?", "the first one", AGREED):
        events = await talk.say(session, text)
    [made] = steps(events)[0]["changes"]
    assert made["home"] == "H-0421" and [entry.kind for entry in changes(place)] == ["viewing"]
    talk.counters.give(other := talk.session(domain="housing"), place)
    fresh_slots = await talk.say(other, "when can I see H-0421?")
    assert reply(fresh_slots)["by"] == "slow" and made["at"] not in steps(fresh_slots)[0]["facts"]["H-0421.slots"]


async def test_nothing_is_booked_before_the_person_said_yes(talk: Talk, agency: Path) -> None:
    session, place = desk(talk, agency)
    asks = await talk.say(session, "book H-0421 for Tuesday at 14:00")
    assert steps(asks)[0]["asks"] and reply(asks)["text"].startswith("Shall I book the viewing of H-0421 on Tuesday")
    for text in ("hmm, let me think about it", "what does it cost?"):
        await talk.say(session, text)
    assert changes(place) == ()
    await talk.say(session, "yes, book it")
    assert len(changes(place)) == 1


async def test_a_model_that_says_yes_for_the_person_books_nothing(talk: Talk, agency: Path) -> None:
    session, place = desk(talk, agency)
    code = steps(await talk.say(session, "book H-0421 for Tuesday at 14:00"))[0]["asks"]
    talk.slow.abilities = talk.fast.abilities = STRONG
    talk.slow.steps = in_turn(ToolCall("book_viewing", {"input": f"yes {code}"}), "It is booked.")
    talk.fast.says = lambda heard: ["Done."] if heard.found else ["Wait.", ToolCall("think", {"request": "book it"})]
    events = await talk.say(session, "is parking free there?")
    assert steps(events)[0]["failed"] and changes(place) == ()


async def test_small_talk_needs_no_slow_mind_and_invents_nothing(talk: Talk, agency: Path) -> None:
    session, _ = desk(talk, agency)
    talk.fast.says = lambda _: ["We have lovely flats from 199,000 euros. Nice to meet you."]
    events = await talk.say(session, "hello there")
    assert names(events) == ["turn", "reply", "end-done"] and talk.slow.heard == []
    assert reply(events)["text"] == "Nice to meet you."
    assert (
        "Aldermere Homes" in talk.fast.heard[-1].everything and "Follow these rules" in talk.fast.heard[-1].everything
    )


async def test_what_is_missing_is_asked_for_without_any_model(talk: Talk, agency: Path) -> None:
    session, _ = desk(talk, agency)
    told = reply(await talk.say(session, "I am looking for a flat"))
    assert told["text"].endswith(said("housing", "ask budget")) and told["moves"][-1] == "ask:budget"
    assert talk.fast.heard == [] and talk.slow.heard == []


async def test_strong_minds_get_policy_and_tools_and_plan_for_themselves(talk: Talk, agency: Path) -> None:
    session, _ = desk(talk, agency)
    talk.fast.abilities = talk.slow.abilities = STRONG
    says = "H-0421 costs 84,000 euros."
    talk.fast.says = lambda heard: [says] if heard.found else ["Wait.", ToolCall("think", {"request": "its price"})]
    talk.slow.steps = in_turn(ToolCall("details", {"input": "H-0421: price"}), says)
    told = reply(await talk.say(session, "price of H-0421?"))
    assert told["by"] == "slow" and told["text"] == says and told["moves"] == []
    for model in (talk.fast, talk.slow):
        assert "A maybe is not a yes" in str(model.heard[0].messages[0].content)
    assert {"book_viewing", "python", "give_up"} <= {*talk.slow.heard[0].tools}


async def test_a_strong_mind_without_native_tools_reads_what_there_is_to_act_with(talk: Talk, agency: Path) -> None:
    session, _ = desk(talk, agency)
    talk.fast.abilities = talk.slow.abilities = FORMED
    talk.fast.says = lambda heard: (
        ["Invoke[False]\nResponse[H-0421 costs 84,000 euros.]"]
        if heard.last.startswith("SlowMind")
        else ["Invoke[True]\nResponse[One moment.]"]
    )
    talk.slow.steps = in_turn(step("details", input="H-0421: price"), answer("H-0421 costs 84,000 euros."))
    told = reply(await talk.say(session, "price of H-0421?"))
    assert told["text"] == "H-0421 costs 84,000 euros."
    system = str(talk.slow.heard[0].messages[0].content)
    assert "A maybe is not a yes" in system and "book_viewing(input): " in system and "python(program): " in system


@pytest.mark.parametrize(("minds", "by", "models"), [("fast", "fast", (1, 0)), ("slow", "slow", (0, 0))])
async def test_one_mind_alone(talk: Talk, agency: Path, minds: str, by: str, models: tuple[int, int]) -> None:
    session, _ = desk(talk, agency, minds=minds, memory=False)
    told = reply(await talk.say(session, FLATS))
    assert told["by"] == by and (len(talk.fast.heard), len(talk.slow.heard)) == models


async def test_what_was_said_at_the_desk_is_known_after_an_import(talk: Talk, agency: Path) -> None:
    session, place = desk(talk, agency)
    await talk.say(session, FLATS)
    brought = from_json(talk.transcript, "ada", to_json(talk.transcript, session)).id
    assert talk.transcript.options(brought).domain == "housing"
    talk.counters.give(brought, place)
    assert steps(await talk.say(brought, "tell me about the last one"))[0]["argument"] == "H-0219"


async def test_the_library_is_a_domain_of_the_same_files(talk: Talk) -> None:
    session = talk.session(domain="library")
    found = reply(await talk.say(session, "do you have books on sailing?"))["text"]
    assert "found" in found
    await talk.say(session, "please reserve the first one")
    events = await talk.say(session, AGREED)
    assert steps(events)[0]["changes"][0]["kind"] == "reservation"


async def test_worlds_are_not_opened_at_a_desk(talk: Talk, agency: Path) -> None:
    session, _ = desk(talk, agency)
    await talk.say(session, "/play toys")
    assert not talk.transcript.world_events(session)


def test_a_domain_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ChatFault, match="There is no domain `bakery`; choose one of: housing, library"):
        check_options(replace(Options(), domain="bakery"))
    with pytest.raises(ChatFault, match="There are no minds `three`"):
        check_options(replace(Options(), minds="three"))


def test_a_desk_is_built_once_for_all(tmp_path: Path) -> None:
    counters = Counters(tmp_path, None)  # type: ignore[arg-type]
    place = counters.place("library", "a")
    assert counters.place("library", "b") == place and (place / "base.sqlite").is_file()


def come_back(talk: Talk, place: Path, user: str = "ada", **options: Any) -> str:
    """A new conversation at the same desk."""
    session = talk.session(user, **{"domain": "housing", **options})
    talk.counters.give(session, place)
    return session


async def test_who_comes_back_goes_on_where_the_memory_is_on(talk: Talk, agency: Path) -> None:
    session, place = desk(talk, agency)
    await talk.say(session, "how much is H-0421?")
    await talk.say(session, "how big is it?")
    again = reply(await talk.say(come_back(talk, place), "how big was it again?"))
    assert again["by"] == "memory" and again["text"].startswith("H-0421 has") and "back" in again["moves"]
    for stranger in (come_back(talk, place, memory=False), come_back(talk, place, "ben")):
        assert "H-0421" not in reply(await talk.say(stranger, "how big was it again?"))["text"]


async def test_what_was_off_the_record_is_unknown_later(talk: Talk, agency: Path) -> None:
    session, place = desk(talk, agency, memory=False)
    await talk.say(session, "how much is H-0421?")
    talk.transcript.set_options(session, Options(domain="housing"))
    await talk.say(session, "how much is H-0007?")
    assert reply(await talk.say(come_back(talk, place), "how big was it again?"))["text"].startswith("H-0007 has")


async def test_a_viewing_is_known_and_cancelled_by_who_comes_back(talk: Talk, agency: Path) -> None:
    session, place = desk(talk, agency)
    for text in ("when can I see H-0421?", "the first one", AGREED):
        await talk.say(session, text)
    asks = "which viewings do I have?"
    assert "H-0421" not in reply(await talk.say(come_back(talk, place, "ben"), asks))["text"]
    back = come_back(talk, place)
    assert "H-0421" in reply(await talk.say(back, asks))["text"]
    for text in ("cancel my viewing please", "yes"):
        await talk.say(back, text)
    assert [bool(entry.ended) for entry in changes(place)] == [True]


async def test_a_finding_is_kept_with_its_reply_and_told_again(talk: Talk, agency: Path) -> None:
    session, _ = desk(talk, agency)
    await talk.say(session, "how much is H-0421?")
    assert talk.notes() == {"turn", "result"}
    assert reply(await talk.say(session, "how much is H-0421?"))["by"] == "memory"
