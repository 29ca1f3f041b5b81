"""A conversation that is the desk of a domain, with scripted minds: who answers, what is changed and remembered."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from threading import Thread, current_thread, main_thread
from typing import Any

import pytest

from chat.counter import Counters
from chat.export import to_json
from chat.faults import ChatFault
from chat.settings import Options, check_options
from minds.dialogue import Event
from minds.models.language import ToolCall
from minds.small_model.desk import SAY
from tests.brought import from_json
from tests.chat.ground import Talk, a_talk, names, reply
from tests.fakes import FORMED, STRONG, answer, in_turn, step
from tools import open_tools
from tools.desk import Desk
from tools.domains import DOMAINS, changes, fresh, prepare
from tools.ledger import CONTACT, Ledger

FLATS = "Do you have 2 bedroom flats in Riverside under 300000?"
FOUND = {"tool": "search", "kinds": ["flat"], "bedrooms": 2, "districts": ["Riverside"], "max_price": 300_000}
PRICE = {"tool": "details", "home": "H-0421", "about": ["price"]}
BOOK = {"tool": "book_viewing", "home": "H-0421", "day": "Monday, 23 November 2026, 2026-11-23", "time": "10:00"}


@pytest.fixture(scope="session")
def agency(tmp_path_factory: pytest.TempPathFactory) -> Path:
    open_tools(Desk("", datetime.now(UTC)))  # what tools import counts against no test's patience
    return prepare("housing", tmp_path_factory.mktemp("domains"))


@pytest.fixture
async def talk(tmp_path: Path, agency: Path) -> AsyncIterator[Talk]:
    async with a_talk(tmp_path) as opened:
        yield opened.made_small()


def desk(talk: Talk, agency: Path, **options: Any) -> tuple[str, Path]:
    """A conversation at a desk of its own."""
    session = talk.session(**{"domain": "housing", **options})
    place = fresh(agency, talk.folder / session)
    talk.counters.give(session, place)
    return session, place


def reads(talk: Talk, *requests: dict[str, Any]) -> None:
    """What the small model makes of the next turns; its tools and words for the desk."""
    talk.fast.steps = in_turn(*(dict(request) for request in requests))


def says(words: str) -> dict[str, Any]:
    return {"tool": SAY, SAY: words}


def steps(events: Sequence[Event]) -> list[dict[str, Any]]:
    return [dict(event.data) for event in events if event.kind == "step"]


async def test_a_small_model_reads_the_turn_in_one_call_and_the_tools_words_are_told(talk: Talk, agency: Path) -> None:
    session, _ = desk(talk, agency)
    reads(talk, FOUND)
    events = await talk.say(session, FLATS)
    [done] = steps(events)
    assert done["action"] == "search" and done["facts"]["search.count"] == 17 and done["arguments"]["bedrooms"] == 2
    told = reply(events)
    assert told["by"] == "slow" and "- H-0703: flat in Riverside" in told["text"]
    assert len(talk.fast.heard) == 1 and talk.slow.heard == []


async def test_words_need_no_slow_mind(talk: Talk, agency: Path) -> None:
    session, _ = desk(talk, agency)
    reads(talk, says("What is your budget?"))
    events = await talk.say(session, "I am looking for a flat")
    assert names(events) == ["turn", "reply", "end-done"] and reply(events)["text"] == "What is your budget?"


async def test_what_was_found_is_told_again_from_memory_in_other_words(talk: Talk, agency: Path) -> None:
    session, _ = desk(talk, agency)
    other, _ = desk(talk, agency)
    reads(talk, FOUND, FOUND, {**FOUND, "needs": ["lift"]})
    first = reply(await talk.say(session, FLATS))
    again = reply(await talk.say(other, "show me flats in Riverside with two bedrooms for at most 300k"))
    assert again["by"] == "memory" and again["text"] == first["text"]
    assert reply(await talk.say(other, "with a lift, please"))["by"] == "slow"


async def test_words_behind_a_result_are_told_anew_each_time_and_kept_by_no_note(talk: Talk, agency: Path) -> None:
    session, _ = desk(talk, agency)
    reads(talk, {**PRICE, "then": "Would you like to see it?"}, {**PRICE, "then": "Anything else?"}, PRICE)
    first, again, bare = [reply(await talk.say(session, "what does H-0421 cost?")) for _ in range(3)]
    assert first["text"] == f"{bare['text']}\n\nWould you like to see it?" and first["by"] == "slow"
    assert again["text"] == f"{bare['text']}\n\nAnything else?" and bare["by"] == again["by"] == "memory"
    reads(talk, says("Gladly!"))
    await talk.say(session, "thanks")
    heard = [str(message.content) for message in talk.fast.heard[-1].messages]
    assert [json.loads(words).get("then") for words in heard[-6:] if '"details"' in words] == [
        "Would you like to see it?", "Anything else?", None
    ]  # fmt: skip


async def test_a_refusal_is_told_without_words_behind_it(talk: Talk, agency: Path) -> None:
    session, _ = desk(talk, agency)
    reads(talk, {"tool": "details", "home": "H-2890", "then": "Would you like to see it?"})
    assert reply(await talk.say(session, "what is H-2890 like?"))["text"].endswith("H-2000.")


async def test_nothing_is_booked_before_the_person_said_yes(talk: Talk, agency: Path) -> None:
    session, place = desk(talk, agency)
    reads(talk, {**BOOK, "then": "Is there anything else?"})
    asks = await talk.say(session, "book H-0421 for Monday at ten")
    assert reply(asks)["text"].endswith("?") and "anything else" not in reply(asks)["text"]
    code = steps(asks)[0]["asks"]
    assert reply(asks)["text"].startswith("Shall I book the viewing of H-0421 on Monday") and changes(place) == ()
    reads(talk, {"tool": "book_viewing", "confirm": code, "agreed": True})
    assert reply(await talk.say(session, "yes, book it"))["text"].startswith("Booked: ")
    assert [entry.details["home"] for entry in changes(place)] == ["H-0421"]


async def test_a_no_books_nothing_and_is_never_from_memory(talk: Talk, agency: Path) -> None:
    session, place = desk(talk, agency)
    reads(talk, BOOK)
    code = steps(await talk.say(session, "book H-0421 for Monday at ten"))[0]["asks"]
    reads(talk, {"tool": "book_viewing", "confirm": code, "agreed": False}, BOOK)
    assert "nothing was changed" in reply(await talk.say(session, "no, leave it"))["text"]
    asked = reply(await talk.say(session, "or do: book H-0421 for Monday at ten"))
    assert asked["by"] == "slow" and changes(place) == ()


async def test_no_yes_is_taken_for_a_question_that_was_taken_back(talk: Talk, agency: Path) -> None:
    session, place = desk(talk, agency)
    reads(talk, BOOK)
    code = steps(await talk.say(session, "book H-0421 for Monday at ten"))[0]["asks"]
    await talk.runs.undo(session)
    yes = {"tool": "book_viewing", "confirm": code, "agreed": True}
    reads(talk, yes, BOOK, yes)
    assert "has not answered yet" in steps(await talk.say(session, "yes, send me the floor plan"))[0]["observation"]
    assert changes(place) == ()
    await talk.say(session, "book H-0421 for Monday at ten")
    await talk.say(session, "yes, book it")
    assert [entry.details["home"] for entry in changes(place)] == ["H-0421"]


async def test_what_was_said_before_the_question_was_asked_is_no_answer_to_it(talk: Talk, agency: Path) -> None:
    session, place = desk(talk, agency)
    talk.fast.abilities = talk.slow.abilities = STRONG
    talk.fast.says = lambda heard: [heard.found] if heard.found else ["Wait.", ToolCall("think", {"request": "do it"})]
    held, times = asyncio.Event(), {"home": "H-0421", "day": "2026-11-23", "time": "10:00"}
    talk.slow.steps = in_turn(ToolCall("book_viewing", times), (held, "Shall I book it?"))
    asks = await talk.runs.submit(session, "book H-0421 for Monday at ten")
    await talk.until(lambda: f"{asks}:step" in talk.view(session))
    code = next(e.data["asks"] for e in talk.transcript.events(session) if e.kind == "step")
    meant = await talk.runs.submit(session, "yes, it is for my mother")
    await talk.until(lambda: f"{meant}:run-queued" in talk.view(session))
    confirmed = ToolCall("book_viewing", {"confirm": code})
    talk.slow.steps = in_turn(confirmed, "Shall I book it?", confirmed, "It is booked.")
    held.set()
    assert steps(await talk.ended(session, meant))[0]["failed"] and changes(place) == ()
    await talk.say(session, "yes, please")
    assert [entry.details["home"] for entry in changes(place)] == ["H-0421"]


async def test_others_need_not_wait_while_a_desk_reads_what_was_said_before(
    talk: Talk, agency: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, _ = desk(talk, agency)
    read, threads = talk.transcript.spoken, list[Thread]()

    def spoken(session: str, before: int = 0) -> list[Event]:
        threads.append(current_thread())
        return read(session, before)

    monkeypatch.setattr(talk.transcript, "spoken", spoken, raising=False)
    reads(talk, PRICE)
    await talk.say(session, "how much is H-0421?")
    assert len(threads) == 2 and main_thread() not in threads


async def test_a_refusal_says_what_is_missing(talk: Talk, agency: Path) -> None:
    session, _ = desk(talk, agency)
    reads(talk, {"tool": "book_viewing", "home": "H-0421"})
    told = reply(await talk.say(session, "I want to see H-0421"))
    assert told["text"].startswith("H-0421 can be seen ") and "which of these times suits you?" in told["text"]


async def test_a_strong_mind_searches_and_books_by_native_calls_with_a_yes_between(talk: Talk, agency: Path) -> None:
    session, place = desk(talk, agency)
    talk.fast.abilities = talk.slow.abilities = STRONG
    talk.fast.says = lambda heard: ["Told."] if heard.found else ["Wait.", ToolCall("think", {"request": "see to it"})]
    wish = {name: value for name, value in FOUND.items() if name != "tool"}
    times = {"home": "H-0421", "day": "2026-11-23", "time": "10:00"}
    talk.slow.steps = in_turn(ToolCall("search", wish), "17 homes.")
    assert steps(await talk.say(session, FLATS))[0]["facts"]["search.count"] == 17
    talk.slow.steps = in_turn(ToolCall("book_viewing", times), "Shall I book it?")
    code = steps(await talk.say(session, "book H-0421 for Monday at ten"))[0]["asks"]
    assert code and changes(place) == ()
    assert all(f"confirm={code}" not in mind.heard[0].everything for mind in (talk.fast, talk.slow))
    talk.slow.steps = in_turn(ToolCall("book_viewing", {"confirm": code}), "It is booked.")
    before = len(talk.fast.heard), len(talk.slow.heard)
    await talk.say(session, "yes please")
    assert [entry.details["home"] for entry in changes(place)] == ["H-0421"]
    told = [mind.heard[number].last for mind, number in zip((talk.fast, talk.slow), before, strict=True)]
    asked = f"viewing of H-0421 on Monday, 23 November 2026 at 10:00: book_viewing, confirm={code}"
    assert all(asked in last and "stands last was asked last" in last for last in told), "the tool's words named it"
    assert "book_viewing" in talk.fast.heard[-1].messages[0].text, "the fast mind knows what the desk can do"
    await talk.say(session, "thanks")
    assert f"confirm={code}" not in talk.fast.heard[-1].last


async def test_a_desk_of_a_strong_model_sees_to_the_memory_and_has_no_text_world(talk: Talk, agency: Path) -> None:
    """What is said there is kept, and so it is shown and deleted there."""
    session, _ = desk(talk, agency)
    talk.fast.abilities = talk.slow.abilities = STRONG
    talk.fast.says = lambda heard: [heard.found] if heard.found else [ToolCall("think", {"request": "see to it"})]
    talk.slow.steps = in_turn("Congratulations!")
    await talk.say(session, "We expect a baby in May")
    talk.slow.steps = lambda heard: [heard.found or ToolCall("memory", {"do": "forget", "about": "baby"})]
    assert "We expect a baby in May" in reply(await talk.say(session, "forget that about the baby"))["text"]
    talk.slow.steps = lambda heard: [heard.found or ToolCall("memory", {"do": "confirm"})]
    await talk.say(session, "yes")
    assert not any("baby" in note.text for note in talk.kept())
    prompts = [mind.heard[0].messages[0].text for mind in (talk.fast, talk.slow)]
    assert not any("text world" in prompt for prompt in prompts) and "world_open" not in talk.slow.heard[0].tools
    await talk.say(talk.session(), "hello")
    assert "text world" in talk.fast.heard[-1].messages[0].text


async def test_a_strong_model_that_says_yes_in_the_run_that_asked_books_nothing(talk: Talk, agency: Path) -> None:
    session, place = desk(talk, agency)
    talk.fast.abilities = talk.slow.abilities = STRONG
    times = {"home": "H-0421", "day": "2026-11-23", "time": "10:00"}
    reads(talk, BOOK)
    talk.fast.says = lambda heard: ["Told."] if heard.found else ["Wait.", ToolCall("think", {"request": "book it"})]
    talk.slow.steps = in_turn(ToolCall("book_viewing", times), "Asked.")
    code = steps(await talk.say(session, "book it"))[0]["asks"]
    other, place = desk(talk, agency)
    talk.slow.steps = in_turn(
        ToolCall("book_viewing", times), ToolCall("book_viewing", {"confirm": code}), "It is booked."
    )
    first, second = steps(await talk.say(other, "is parking free there?"))
    assert first["asks"] == code and second["failed"] and "has not answered yet" in second["observation"]
    assert changes(place) == ()


async def test_a_wrong_argument_is_told_to_the_strong_model_and_mended(talk: Talk, agency: Path) -> None:
    session, _ = desk(talk, agency)
    talk.fast.abilities = talk.slow.abilities = STRONG
    talk.fast.says = lambda heard: ["Told."] if heard.found else ["Wait.", ToolCall("think", {"request": "look"})]
    talk.slow.steps = in_turn(
        ToolCall("search", {"districts": ["Gotham"]}), ToolCall("search", {"districts": ["Lakeside"]}), "Found."
    )
    first, second = steps(await talk.say(session, "anything in Gotham, or at the lake?"))
    assert first["failed"] and "Lakeside" in first["observation"] and second["facts"]["search.count"] > 0


async def test_strong_minds_get_policy_and_tools_and_read_for_themselves(talk: Talk, agency: Path) -> None:
    session, _ = desk(talk, agency)
    talk.fast.abilities = talk.slow.abilities = STRONG
    told = "H-0421 costs 84,000 euros."
    talk.fast.says = lambda heard: [told] if heard.found else ["Wait.", ToolCall("think", {"request": "its price"})]
    talk.slow.steps = in_turn(ToolCall("details", {"home": "H-0421", "about": ["price"]}), told)
    assert reply(await talk.say(session, "price of H-0421?"))["text"] == told
    for model in (talk.fast, talk.slow):
        assert "A maybe is not a yes" in str(model.heard[0].messages[0].content)
    assert {"book_viewing", "python", "give_up"} <= {*talk.slow.heard[0].tools}
    assert "text world" not in talk.slow.heard[-1].messages[0].text, "there is none at a desk"


async def test_a_strong_mind_without_native_tools_reads_what_there_is_to_act_with(talk: Talk, agency: Path) -> None:
    session, _ = desk(talk, agency)
    talk.fast.abilities = talk.slow.abilities = FORMED
    talk.fast.says = lambda heard: (
        ["Invoke[False]\nResponse[H-0421 costs 84,000 euros.]"]
        if heard.last.startswith("SlowMind")
        else ["Invoke[True]\nResponse[One moment.]"]
    )
    talk.slow.steps = in_turn(step("details", home="H-0421"), answer("H-0421 costs 84,000 euros."))
    assert reply(await talk.say(session, "price of H-0421?"))["text"] == "H-0421 costs 84,000 euros."
    system = str(talk.slow.heard[0].messages[0].content)
    assert "A maybe is not a yes" in system and "python(program): " in system and "details(home, about): " in system


async def test_a_turn_that_goes_on_after_a_crash_cannot_confirm_what_it_proposed_itself(
    talk: Talk, agency: Path
) -> None:
    session, place = desk(talk, agency)
    home = {"home": "H-0421", "day": "2026-11-23", "time": "10:00"}
    book, asked = ToolCall("book_viewing", home), ToolCall("think", {"request": "book H-0421"})
    held = asyncio.Event()

    def strong(talk: Talk) -> None:
        talk.fast.abilities = talk.slow.abilities = STRONG
        talk.fast.says = lambda heard: [heard.found] if heard.found else ["One moment.", asked]

    strong(talk)
    talk.slow.steps = in_turn(book, (held, "never"))
    turn = await talk.runs.submit(session, "book H-0421 for Monday at 10:00")
    await talk.until(lambda: f"{turn}:step" in talk.view(session) and len(talk.slow.heard) >= 2)
    code = next(e.data["asks"] for e in talk.transcript.events(session) if e.kind == "step")
    back = await talk.killed()
    try:
        strong(back)
        back.counters.give(session, place)
        back.slow.steps = in_turn(ToolCall("book_viewing", {"confirm": code}), "Shall I book it?")
        await back.runs.resume(session)
        steps = [e.data for e in await back.ended(session, turn) if e.kind == "step"]
        assert "has not answered yet" in str(steps[-1]["observation"]) and not changes(place)
    finally:
        await back.close()


async def test_one_mind_alone(talk: Talk, agency: Path) -> None:
    slow, _ = desk(talk, agency, minds="slow", memory=False)
    reads(talk, PRICE, says("Hello."), says("I cannot look that up."))
    assert reply(await talk.say(slow, "how much is H-0421?"))["text"].startswith("H-0421 costs 84,000 euros")
    assert reply(await talk.say(slow, "hi"))["text"] == "Hello."
    fast, _ = desk(talk, agency, minds="fast", memory=False)
    assert reply(await talk.say(fast, "how much is H-0421?"))["by"] == "fast"


async def test_who_comes_back_is_known_where_the_memory_is_on(talk: Talk, agency: Path) -> None:
    session, place = desk(talk, agency)
    reads(talk, PRICE, *[says("Hm.")] * 4)
    await talk.say(session, "how much is H-0421?")

    async def back(user: str = "ada", **options: Any) -> str:
        other = talk.session(user, **{"domain": "housing", **options})
        talk.counters.give(other, place)
        await talk.say(other, "how big was it again?")
        return talk.fast.heard[-1].everything

    assert "H-0421 costs" in await back()
    assert "H-0421 costs" not in await back(memory=False) and "H-0421 costs" not in await back("ben")
    talk.transcript.remove([(session, 1)])
    assert "H-0421 costs" not in await back(), "what was deleted since is not told"


async def test_what_was_said_at_the_desk_is_known_after_an_import(talk: Talk, agency: Path) -> None:
    session, place = desk(talk, agency)
    reads(talk, FOUND, says("Hm."))
    await talk.say(session, FLATS)
    brought = from_json(talk.transcript, "ada", to_json(talk.transcript, session)).id
    assert talk.transcript.options(brought).domain == "housing"
    talk.counters.give(brought, place)
    await talk.say(brought, "tell me about the last one")
    assert "H-0703" in talk.fast.heard[-1].everything


async def test_the_library_is_a_domain_of_the_same_files(talk: Talk) -> None:
    session = talk.session(domain="library")
    reads(talk, {"tool": "find_books", "subject": "sailing"}, {"tool": "reserve_book", "book": "B-012"})
    assert "found (subject sailing)" in reply(await talk.say(session, "do you have books on sailing?"))["text"]
    code = steps(await talk.say(session, "please reserve B-012"))[0]["asks"]
    reads(talk, {"tool": "reserve_book", "confirm": code, "agreed": True})
    assert steps(await talk.say(session, "yes please"))[0]["changes"][0]["kind"] == "reservation"


async def test_worlds_are_not_opened_at_a_desk(talk: Talk, agency: Path) -> None:
    session, _ = desk(talk, agency)
    await talk.say(session, "/play toys")
    assert not talk.transcript.world_events(session)


def test_a_domain_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ChatFault, match=f"There is no domain `bakery`; choose one of: {', '.join(DOMAINS)}"):
        check_options(replace(Options(), domain="bakery"))
    with pytest.raises(ChatFault, match="There are no minds `three`"):
        check_options(replace(Options(), minds="three"))


def test_a_desk_is_built_once_for_all(tmp_path: Path) -> None:
    counters = Counters(tmp_path, None)  # type: ignore[arg-type]
    place = counters.place("library", "a")
    assert counters.place("library", "b") == place and (place / "base.sqlite").is_file()


async def test_contact_details_go_with_their_conversation(talk: Talk, agency: Path) -> None:
    session, place = desk(talk, agency)
    Ledger(place, session).enter(CONTACT, "key", {"phone": "0151 2345678"}, "now")
    await talk.runs.delete(session)
    assert changes(place) == ()
