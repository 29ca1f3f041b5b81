"""What is said while the slow mind works: talk, steering, pause, stop."""

from __future__ import annotations

import asyncio

from minds.models.language import ToolCall
from prompts import spoken
from tests.chat.ground import (
    SUM,
    Talk,
    interim,
    name,
    names,
    questions,
    reply,
    slow_run,
    small_talk,
    solve,
    tells,
    thinks,
)


async def small_run(talk: Talk, session: str, kind: str) -> tuple[int, asyncio.Event]:
    """A small model's run that waits for its program, with words beside it read as `kind`."""
    held = asyncio.Event()
    talk.slow.says = lambda _: [held, "print(387 * 46)"]
    talk.fast.steps = lambda _: [{"kind": kind}]
    turn = await talk.runs.submit(session, SUM)
    await talk.until(lambda: talk.slow.heard)
    return turn, held


async def test_one_can_go_on_talking(talk: Talk) -> None:
    session = talk.session()
    turn, held = await slow_run(talk, session)
    assert reply(await talk.say(session, "I like your hat"))["text"] == "Hello there."
    assert talk.runs.state(session) == "slow"
    heard = talk.fast.heard[-1]
    assert heard.tools == ("think", "tell_slow_mind")
    assert "still working on" in heard.last and SUM in heard.last and "17802" in heard.last
    held.set()
    assert "17802" in reply(await talk.ended(session, turn))["text"]
    await talk.say(session, "thanks")
    assert talk.fast.heard[-1].tools == ("think",)


async def test_what_is_still_being_answered_is_not_answered_twice(talk: Talk) -> None:
    """Two messages sent one behind the other stand together in the prompt, since nothing was said between them."""
    session, held = talk.session(), asyncio.Event()
    talk.fast.says = lambda heard: [held, "A cube."] if heard.said == "What is a die?" else ["Blue."]
    first = await talk.runs.submit(session, "What is a die?")
    await talk.until(lambda: talk.fast.heard)
    assert reply(await talk.say(session, "And which colour is the sky?"))["text"] == "Blue."
    heard = talk.fast.heard[-1]
    assert "in a reply of its own: What is a die?\nAnswer only the person's newest message." in heard.last
    assert heard.tools == ("think",)
    held.set()
    assert reply(await talk.ended(session, first))["text"] == "A cube."
    await talk.say(session, "thanks")
    assert "of its own" not in talk.fast.heard[-1].last


async def test_what_was_answered_beside_it_is_not_told_behind_a_slow_run(talk: Talk) -> None:
    session, held = talk.session(), asyncio.Event()
    thinks(talk)
    calls = talk.fast.says
    talk.fast.says = lambda heard: [held, "A cube."] if heard.said == "What is a die?" else calls(heard)
    talk.slow.steps = solve
    first = await talk.runs.submit(session, "What is a die?")
    await talk.until(lambda: talk.fast.heard)
    await talk.say(session, SUM)
    assert "of its own" in talk.fast.heard[1].last, "while it is"
    assert not [heard for heard in (*talk.slow.heard, *talk.fast.heard[2:]) if "of its own" in heard.last]
    held.set()
    await talk.ended(session, first)


async def test_a_small_mind_goes_on_talking_too(small: Talk) -> None:
    session = small.session()
    turn, held = await small_run(small, session, "talk")
    assert reply(await small.say(session, "I like your hat"))["text"] == "Hello there."
    held.set()
    assert "17802" in reply(await small.ended(session, turn))["text"]


async def test_steering_reaches_the_run(talk: Talk) -> None:
    session = talk.session()
    turn, held = await slow_run(talk, session)
    tells(talk, "steer", "use metric units")
    told = reply(await talk.say(session, "metric, please"))
    assert told["text"].startswith(spoken("fast/said_steer", state="")) and SUM in told["text"]
    assert (told["off_record"], told["answer"], told["calls"]) == (True, told["text"], 1)
    held.set()
    talk.fast.says = small_talk
    events = await talk.ended(session, turn)
    assert [e.data["text"] for e in events if name(e) == "run-steered"] == ["use metric units"]
    assert talk.slow.heard[-1].last == "use metric units"


async def test_all_that_is_passed_on_at_once_reaches_the_run(talk: Talk) -> None:
    session = talk.session()
    turn, _ = await slow_run(talk, session)
    words = [("stop", ""), ("steer", "use metric units"), ("steer", "round it")]
    calls = [ToolCall("tell_slow_mind", {"kind": kind, "words": said}) for kind, said in words]
    talk.fast.says = lambda _: calls
    assert reply(await talk.say(session, "metric and rounded; no, leave it"))["text"] == spoken("fast/said_stop")
    events = await talk.ended(session, turn)
    assert [e.data["text"] for e in events if name(e) == "run-steered"] == ["use metric units\nround it"]
    assert names(events)[-2:] == ["run-stopped", "end-stopped"]


async def test_the_fast_minds_own_words_acknowledge_what_was_passed_on(talk: Talk) -> None:
    session = talk.session()
    _, held = await slow_run(talk, session)
    tells(talk, "steer", said="Metric it is.")
    assert reply(await talk.say(session, "metric, please"))["text"] == "Metric it is."
    assert [e.data["text"] for e in talk.transcript.events(session) if name(e) == "run-steered"] == ["metric, please"]
    held.set()


async def test_a_small_model_reads_what_is_said_to_the_run(small: Talk) -> None:
    session = small.session()
    turn, held = await small_run(small, session, "steer")
    told = reply(await small.say(session, "with 99 instead"))
    assert told["text"].startswith("Understood") and len(small.gate.asked) == 1
    small.slow.says = lambda heard: (
        ["print(387 * 99)" if heard.prefix else "38313"] if "with 99 instead" in heard.last else ["never"]
    )
    held.set()
    events = await small.ended(session, turn)
    assert [e.data["text"] for e in events if name(e) == "run-steered"] == ["with 99 instead"]
    assert reply(events)["text"].startswith("38313")


async def test_pause_and_go_on_by_word(either: Talk) -> None:
    session, strong = either.session(), either.fast.abilities.strong
    turn, held = await (slow_run(either, session) if strong else small_run(either, session, "pause"))
    tells(either, "pause") if strong else None
    assert reply(await either.say(session, "wait a moment"))["text"] == spoken("fast/said_pause")
    assert either.runs.state(session) == "paused"
    held.set()
    await asyncio.sleep(0.05)
    assert f"{turn}:reply" not in either.view(session)
    resumes = [ToolCall("tell_slow_mind", {"kind": "resume"})]
    if strong:
        either.fast.says = lambda heard: resumes if heard.said == "go on" else small_talk(heard)
    either.fast.steps = lambda _: [{"kind": "resume"}]
    assert reply(await either.say(session, "go on"))["text"] == spoken("fast/said_resume")
    assert names(await either.ended(session, turn))[-1] == "end-done"
    states = [v for v in either.view(session) if v.startswith(f"{turn}:run")]
    assert states == [f"{turn}:run-{s}" for s in ("started", "paused", "resumed", "finished")]


async def test_stop_by_word(either: Talk) -> None:
    session, strong = either.session(), either.fast.abilities.strong
    turn, _ = await (slow_run(either, session) if strong else small_run(either, session, "stop"))
    tells(either, "stop") if strong else None
    assert reply(await either.say(session, "stop please"))["text"] == spoken("fast/said_stop")
    assert names(await either.ended(session, turn))[-2:] == ["run-stopped", "end-stopped"]
    assert either.runs.state(session) == "idle" and either.slow.cancelled == 1


async def test_taking_over_ends_the_run_and_says_what_there_is_to_act_in(talk: Talk) -> None:
    session = talk.session()
    turn, _ = await slow_run(talk, session)
    tells(talk, "take over", said="It is yours.")
    told = reply(await talk.say(session, "let me do it"))
    assert told["text"] == "No text world is open."
    assert names(await talk.ended(session, turn))[-1] == "end-stopped"


async def test_stopping_and_asking_anew_in_one_breath_does_both(talk: Talk) -> None:
    session = talk.session()
    turn, _ = await slow_run(talk, session)
    both = (ToolCall("tell_slow_mind", {"kind": "stop"}), ToolCall("think", {"request": "What is 12 times 12?"}))
    talk.fast.says = lambda heard: [heard.found] if heard.found else ["Fine.", *both]
    talk.slow.steps = solve
    events = await talk.say(session, "stop that, what is 12 times 12?")
    assert names(await talk.ended(session, turn))[-1] == "end-stopped"
    assert "144" in reply(events)["text"] and interim(events)["text"] == "Fine."


async def test_a_second_question_waits_for_the_first(talk: Talk) -> None:
    session = talk.session()
    one, held = await slow_run(talk, session)
    other = await talk.runs.submit(session, "What is 12 times 12?")
    await talk.until(lambda: f"{other}:run-queued" in talk.view(session))
    held.set()
    assert "17802" in reply(await talk.ended(session, one))["text"]
    assert "144" in reply(await talk.ended(session, other))["text"]
    assert "at work" not in talk.slow.heard[-1].everything, "what it had to wait for is over"


async def test_the_fast_mind_is_told_of_a_run_that_waits_too(talk: Talk) -> None:
    session = talk.session()
    _, held = await slow_run(talk, session)
    other = await talk.runs.submit(session, "What is 12 times 12?")
    await talk.until(lambda: f"{other}:run-queued" in talk.view(session))
    await talk.say(session, "thanks")
    assert f"still working on: {SUM[:-1]}" in talk.fast.heard[-1].everything
    assert "Waiting behind it: What is 12 times 12?" in talk.fast.heard[-1].everything
    held.set()
    await talk.ended(session, other)


async def test_a_question_that_waited_sees_what_the_run_before_it_found(either: Talk) -> None:
    session, strong = either.session(), either.fast.abilities.strong
    one, held = await (slow_run(either, session) if strong else small_run(either, session, "talk"))
    thinks(either) if strong else None
    either.gate.needs = lambda _: True
    other = await either.runs.submit(session, "Double the result of that")
    await either.until(lambda: f"{other}:run-queued" in either.view(session))
    either.slow.steps = lambda _: ["35604"]
    held.set()
    await either.ended(session, one)
    if not strong:
        either.slow.says = lambda heard: ["print(17802 * 2)" if heard.prefix else "35604"]
    assert "35604" in reply(await either.ended(session, other))["text"]
    heard = next(heard for heard in either.slow.heard if "Double the result" in heard.last)
    assert "17802" in heard.everything


async def test_a_word_that_comes_while_the_result_is_worded_is_a_request_of_its_own(talk: Talk) -> None:
    session, worded = talk.session(), asyncio.Event()
    turn, held = await slow_run(talk, session)
    steer = ToolCall("tell_slow_mind", {"kind": "steer", "words": "in Roman numerals"})
    talk.fast.says = lambda heard: [worded, heard.found] if heard.found else ["Roman it is.", steer]
    held.set()
    await talk.until(lambda: talk.fast.heard[-1].found)
    late = await talk.runs.submit(session, "Roman, please")
    await talk.until(lambda: f"{late}:run-queued" in talk.view(session))
    talk.slow.steps = lambda _: ["XVII·DCCCII"]
    worded.set()
    assert "steered" not in str(talk.view(session)) and "17802" in reply(await talk.ended(session, turn))["text"]
    events = await talk.ended(session, late)
    assert (interim(events)["text"], questions(events)) == ("Roman it is.", ["in Roman numerals"])
    assert "XVII" in reply(events)["text"] and "17802" in talk.slow.heard[-1].everything


async def test_a_word_that_is_heard_while_the_run_ends_is_not_lost(either: Talk) -> None:
    session, strong, heard = either.session(), either.fast.abilities.strong, asyncio.Event()
    turn, held = await (slow_run(either, session) if strong else small_run(either, session, "steer"))
    steer = ToolCall("tell_slow_mind", {"kind": "steer"})
    either.fast.says = lambda said: small_talk(said) if said.found or not strong else [heard, steer]
    either.fast.steps = lambda _: [heard, {"kind": "steer"}]
    late = await either.runs.submit(session, "with 99 instead")
    await either.until(lambda: any("with 99 instead" in one.last for one in either.fast.heard))
    held.set()
    await either.ended(session, turn)
    either.slow.steps = lambda _: ["38313"]
    either.slow.says = lambda said: ["print(387 * 99)" if said.prefix else "38313"]
    heard.set()
    events = await either.ended(session, late)
    assert questions(events) == ["with 99 instead"] and "38313" in reply(events)["text"]
    assert any("17802" in one.everything for one in either.slow.heard if "with 99 instead" in one.last)


async def test_the_buttons_of_a_world_stop_only_what_acts_there(talk: Talk) -> None:
    session = talk.session()
    await talk.say(session, "/play alfworld mug --human")
    await talk.say(session, "go to desk 1")
    question, held = await slow_run(talk, session)
    waits = await talk.runs.submit(session, "/world go on")
    await talk.until(lambda: f"{waits}:run-queued" in talk.view(session))
    assert "You act from here on." in reply(await talk.say(session, "/world take"))["text"]
    assert names(await talk.ended(session, waits))[-1] == "end-stopped"
    assert "Taken back" in reply(await talk.say(session, "/world undo"))["text"]
    held.set()
    talk.fast.says = small_talk
    assert "17802" in reply(await talk.ended(session, question))["text"]


async def test_a_run_that_has_only_just_called_a_tool_of_the_world_acts_there(talk: Talk) -> None:
    session = talk.session()
    await talk.say(session, "/play alfworld mug --human")
    await talk.say(session, "go to desk 1")
    thinks(talk)
    take = {"verb": "take {object} from {other}", "object": "mug 1", "other": "desk 1"}
    held = asyncio.Event()
    talk.slow.steps = lambda _: [held, ToolCall("world_act", {"acts": [take]})]
    turn = await talk.runs.submit(session, "the mug, please")
    await talk.until(lambda: talk.slow.heard)
    async with talk.worlds.running.acting(session):
        held.set()
        await talk.until(lambda: f"{turn}:act" in talk.view(session))
        undo = await talk.runs.submit(session, "/world undo")
        assert names(await talk.ended(session, turn))[-1] == "end-stopped"
    assert "Taken back" in reply(await talk.ended(session, undo))["text"]


async def test_words_to_a_run_are_plain_talk_when_none_is_there(either: Talk) -> None:
    either.fast.steps = lambda _: [{"kind": "stop"}]
    assert reply(await either.say(either.session(), "stop"))["text"] == "Hello there."
