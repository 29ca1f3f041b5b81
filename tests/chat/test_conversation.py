"""One turn from words to reply, with scripted minds: memory, both minds, steering, and everything that can go wrong."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from chat.export import from_json, to_json
from chat.imports import KINDS
from chat.remembering import notes
from memory.memory import MemoryFault
from minds.models.language import Abilities, BadSpec, Busy, Garbled, Unreachable
from prompts import render
from tests.chat.ground import STRONG, Talk, a_talk, name, names, reply, small_talk
from tests.fakes import SMALL, Heard, in_turn, step

SUM = "What is 387 times 46?"
AGAIN = "what's 387 multiplied by 46"
SLOWLY = ["turn", "interim", "run-started", "step", "run-finished", "reply", "end-done"]


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[Talk]:
    async with a_talk(tmp_path) as opened:
        yield opened


# -- the protocol


async def test_small_talk_is_answered_by_the_fast_mind(talk: Talk) -> None:
    events = await talk.say(talk.session(), "hello")
    assert names(talk.transcript.turn_events(events[0].session, 1)) == ["turn", "reply", "end-done"]
    said = reply(events)
    assert (said["by"], said["text"], said["invoke"], said["final"]) == ("fast", "Hello there.", False, True)
    assert said["tokens"] > 0 and talk.slow.heard == []


async def test_a_question_goes_through_both_minds(talk: Talk) -> None:
    session = talk.session()
    await talk.say(session, SUM)
    events = talk.transcript.events(session)
    assert names(events) == SLOWLY
    interim, started, done, said = events[1].data, events[2].data, events[3].data, events[5].data
    assert (interim["text"], interim["invoke"], interim["final"]) == ("Let me see.", True, False)
    assert started["question"] == SUM
    assert (done["action"], done["argument"], done["failed"]) == ("calculator", "387 * 46", False)
    assert "17802" in str(done["observation"]) and "17802" in str(said["text"])
    assert (said["by"], said["solved"], said["slow"]) == ("slow", True, "387 * 46 = 17802")
    assert "note" not in said


async def test_pieces_are_seen_while_they_come(talk: Talk) -> None:
    held = asyncio.Event()
    talk.fast.says = lambda _: ["Hel", held, "lo]"]
    session = talk.session()
    turn = await talk.runs.submit(session, "hello")
    await talk.until(lambda: talk.view(session)[-1] == "1:delta")
    assert talk.runs.state(session) == "fast"
    held.set()
    assert reply(await talk.ended(session, turn))["text"] == "Hello"
    assert talk.runs.state(session) == "idle"


async def test_the_minds_hear_what_was_said_before(talk: Talk) -> None:
    session = talk.session()
    await talk.say(session, "my dog is called Rex")
    await talk.say(session, SUM)
    await talk.say(session, "thank you")
    heard = talk.fast.heard[-1].everything
    assert "User[my dog is called Rex]" in heard and "SlowMind[387 * 46 = 17802]" in heard
    assert heard.endswith("User[thank you]")


async def test_a_follow_up_is_made_to_stand_alone(talk: Talk) -> None:
    session = talk.session()
    await talk.say(session, SUM)
    talk.slow.says = lambda heard: ["What is 387 ", "times 99?"] if SUM in heard.everything else [""]
    talk.gate.needs = lambda _: True
    events = await talk.say(session, "and times 99?")
    assert [e.data["question"] for e in events if name(e) == "run-started"] == ["What is 387 times 99?"]
    assert "38313" in reply(events)["text"]


async def test_an_unfaithful_wording_is_not_shown(talk: Talk) -> None:
    talk.fast.says = lambda heard: [" see"] if heard.prefix.endswith("Let me") else ["387 times 46 is 17812.]"]
    said = reply(await talk.say(talk.session(), SUM))
    assert said["text"] == "387 * 46 = 17802"
    assert "lost 17802" in said["note"]


@pytest.mark.parametrize("abilities", [STRONG, Abilities(schema=True)])
async def test_what_cannot_be_solved_says_so_and_small_models_name_the_setting(
    talk: Talk, abilities: Abilities
) -> None:
    talk.slow.abilities = abilities
    talk.slow.steps = lambda _: [step("give_up", "")]
    said = reply(await talk.say(talk.session(), "Who rang me 3 days ago?"))
    assert said["solved"] is False and said["text"].startswith(render("slow/gave_up"))
    assert ("DUET_SLOW_MODEL" in said["text"]) == (not abilities.strong)
    assert "remember" not in said and "result" not in talk.notes()


async def test_a_model_without_words_still_gives_a_sentence(talk: Talk) -> None:
    talk.fast.says = lambda _: ["  ", "]"]
    assert reply(await talk.say(talk.session(), "hello"))["text"] == render("fast/speechless")


async def test_sources_are_quoted_even_where_the_wording_drops_them(talk: Talk) -> None:
    session = talk.session()
    await talk.runs.add_document(session, "handbook.md", b"# Parking\n\nParking is free for staff after 18:00.")
    talk.gate.needs = lambda _: True
    talk.slow.steps = in_turn(step("documents", "parking"), step("finish", "Parking is free for staff after 18:00."))
    said = reply(await talk.say(session, "May I park here?"))
    assert said["sources"] and said["text"].endswith(f"[{said['sources'][0]}]")
    assert "handbook.md" in talk.slow.heard[0].everything


async def test_a_question_that_the_documents_answer_goes_to_the_slow_mind_whatever_the_gate_says(talk: Talk) -> None:
    session = talk.session()
    await talk.runs.add_document(session, "handbook.md", b"# Parking\n\nParking is free for staff after 18:00.")
    talk.gate.needs, talk.fast.abilities = (lambda _: False), SMALL
    talk.slow.steps = in_turn(step("documents", "parking"), step("finish", "Parking is free for staff after 18:00."))
    asked = await talk.say(session, "When is parking free for staff?")
    assert any(event.kind == "step" for event in asked)
    assert not any(event.kind == "step" for event in await talk.say(session, "Good morning, nice weather!"))


# -- memory


async def test_the_same_again_comes_from_memory(talk: Talk) -> None:
    await talk.say(talk.session(), SUM)
    asked = len(talk.slow.heard)
    events = await talk.say(talk.session(), AGAIN)
    said = reply(events)
    assert (said["by"], said["invoke"]) == ("memory", False) and "17802" in said["text"]
    assert not [n for n in names(events) if n.startswith(("run", "step"))] and len(talk.slow.heard) == asked


async def test_another_user_and_another_question_do_not_get_it(talk: Talk) -> None:
    await talk.say(talk.session(), SUM)
    assert reply(await talk.say(talk.session("ben"), SUM))["by"] == "slow"
    assert reply(await talk.say(talk.session(), "What is 387 times 47?"))["by"] == "slow"


async def test_a_hit_ends_the_fast_mind_that_had_begun(talk: Talk) -> None:
    await talk.say(talk.session(), SUM)
    talk.fast.abilities = Abilities()
    talk.fast.says = lambda _: [asyncio.Event(), "never"]
    assert reply(await talk.say(talk.session(), SUM))["by"] == "memory"
    await talk.until(lambda: talk.fast.cancelled == 1)


async def test_asked_again_on_purpose_the_memory_keeps_silent(talk: Talk) -> None:
    session = talk.session()
    await talk.say(session, SUM)
    turn = await talk.runs.retry(session, 1)
    assert reply(await talk.ended(session, turn))["by"] == "slow"
    assert {e.turn for e in talk.transcript.events(session)} == {turn}


async def test_memory_may_be_off_and_nothing_is_kept_even_after_a_restart(talk: Talk) -> None:
    await talk.say(talk.session(memory=False), SUM)
    await talk.say(talk.session(memory=False), "hello")
    assert talk.notes() == set()
    assert reply(await talk.say(talk.session(memory=False), SUM))["by"] == "slow"
    talk.remembering.reconcile()
    assert talk.notes() == set()


async def test_memory_and_transcript_agree_without_mending(talk: Talk) -> None:
    session = talk.session()
    for said in ("hello", SUM, AGAIN, "thanks"):
        await talk.say(session, said)
    await talk.say(session, "gone")
    await talk.runs.undo(session)
    await talk.remembering.settle()
    assert talk.remembering.reconcile() == 0
    assert talk.notes() == {"result", "dialogue"}


async def test_what_a_crash_lost_is_remembered_again_and_what_is_gone_is_dropped(talk: Talk) -> None:
    session = talk.session()
    await talk.say(session, SUM)
    await talk.remembering.settle()
    memory = talk.store.user("ada")
    before = dict(memory.notes)
    memory.notes = {"stale:1:said": next(iter(before.values()))}
    assert talk.remembering.reconcile() == 3
    assert memory.notes == before


async def test_a_turn_that_ends_while_memory_is_mended_is_kept(talk: Talk) -> None:
    await talk.say(talk.session(), "hello")
    await talk.remembering.settle()
    late = talk.session("ben")
    exchanges = talk.transcript.exchanges

    def late_turn() -> object:
        """Between two looks of the mending, another turn ends and its note is written."""
        found = list(exchanges())
        talk.transcript.begin_turn(late, "hello")
        data = {"by": "fast", "text": "Hi.", "invoke": False, "final": True}
        event = talk.transcript.append(late, 1, "reply", data)
        for note in notes(late, 1, "hello", data, event.at):
            talk.store.user("ben").remember(note)
        return iter(found)

    talk.transcript.exchanges = late_turn  # type: ignore[method-assign, assignment]
    talk.remembering.reconcile()
    assert talk.notes("ben") == {"dialogue"} and talk.notes() == {"dialogue"}


async def test_a_result_of_today_is_no_answer_tomorrow(talk: Talk) -> None:
    talk.gate.needs = lambda _: True
    asks = "What day is it today?"
    talk.slow.steps = lambda heard: [
        step("finish", heard.last[5:]) if heard.last.startswith("Obs") else step("dates", "today")
    ]
    assert reply(await talk.say(talk.session(), asks))["by"] == "slow"
    assert reply(await talk.say(talk.session(), asks))["by"] == "memory"
    talk.now += timedelta(days=1)
    assert reply(await talk.say(talk.session(), asks))["by"] == "slow"


async def test_documents_that_change_make_old_results_stale(talk: Talk) -> None:
    session = talk.session()
    talk.gate.needs = lambda _: True
    talk.slow.steps = lambda heard: [
        step("finish", "Free after six.") if "Obs:" in heard.last else step("documents", "parking")
    ]
    asks = "What does the handbook say about parking?"
    await talk.runs.add_document(session, "handbook.md", b"# Parking\n\nParking is free after six.")
    assert reply(await talk.say(session, asks))["by"] == "slow"
    assert reply(await talk.say(session, asks))["by"] == "memory"
    added = await talk.runs.add_document(session, "new.md", b"# Parking\n\nParking costs 5 euros now.")
    assert reply(await talk.say(session, asks))["by"] == "slow"
    await talk.runs.remove_document(session, added.id)
    assert reply(await talk.say(session, asks))["by"] == "memory"
    assert reply(await talk.say(talk.session(), asks))["by"] == "slow"


async def test_a_thumb_down_forgets(talk: Talk) -> None:
    session = talk.session()
    await talk.say(session, SUM)
    await talk.runs.set_feedback(session, 1, -1)
    assert talk.notes() == set()
    assert reply(await talk.say(talk.session(), SUM))["by"] == "slow"


async def test_deleting_a_conversation_forgets_what_it_found(talk: Talk) -> None:
    gone, kept = talk.session(), talk.session()
    await talk.say(gone, SUM)
    await talk.say(kept, "hello")
    await talk.runs.delete(gone)
    assert {note.session for note in talk.store.user("ada").notes.values()} == {kept}
    assert reply(await talk.say(kept, SUM))["by"] == "slow"


async def test_a_memory_that_fails_is_in_nobodys_way(talk: Talk) -> None:
    session = talk.session()
    talk.store.fault = MemoryFault("The memory is in use by another process: stop it.")
    assert "17802" in reply(await talk.say(session, SUM))["text"]
    assert reply(await talk.say(session, SUM))["by"] == "slow"
    await talk.runs.undo(session)
    await talk.runs.set_feedback(session, 1, -1)
    assert "another process" in talk.remembering.fault
    await talk.runs.delete(session)


async def test_what_was_steered_is_not_remembered_for_the_question_alone(talk: Talk) -> None:
    held = asyncio.Event()
    talk.slow.steps = in_turn(
        step("calculator", "387 * 46"), (held, step("finish", "17802")), step("finish", "17802 m")
    )
    session = talk.session()
    turn = await talk.runs.submit(session, SUM)
    await talk.until(lambda: "1:step" in talk.view(session))
    await talk.say(session, "in metric units please")
    held.set()
    assert "remember" not in reply(await talk.ended(session, turn))
    assert "result" not in talk.notes()


# -- while the slow mind works


async def slow_run(talk: Talk, session: str) -> tuple[int, asyncio.Event]:
    """A slow run that waits after its first step; (turn, the event that lets it go on)."""
    held = asyncio.Event()
    talk.slow.steps = lambda heard: (
        [held, step("finish", "387 * 46 = 17802")] if "Obs:" in heard.last else [step("calculator", "387 * 46")]
    )
    turn = await talk.runs.submit(session, SUM)
    await talk.until(lambda: f"{turn}:step" in talk.view(session) and len(talk.slow.heard) >= 2)
    return turn, held


async def test_one_can_go_on_talking(talk: Talk) -> None:
    session = talk.session()
    turn, held = await slow_run(talk, session)
    assert reply(await talk.say(session, "I like your hat"))["text"] == "Hello there."
    assert talk.runs.state(session) == "slow"
    talk.fast.abilities, talk.fast.says = Abilities(strong=True), lambda _: ["Invoke[False]\nResponse[Soon.]"]
    assert reply(await talk.say(session, "I like your shoes"))["text"] == "Soon."
    situation = talk.fast.heard[-1].last
    assert "still working on" in situation and SUM in situation and "17802" in situation
    talk.fast.abilities, talk.fast.says = SMALL, small_talk
    held.set()
    assert "17802" in reply(await talk.ended(session, turn))["text"]


async def test_steering_reaches_the_run(talk: Talk) -> None:
    session = talk.session()
    turn, held = await slow_run(talk, session)
    answer = reply(await talk.say(session, "use metric units"))
    assert answer["text"] == render("fast/said_steer")
    held.set()
    events = await talk.ended(session, turn)
    assert [e.data["text"] for e in events if name(e) == "run-steered"] == ["use metric units"]
    assert "The person adds: use metric units" in talk.slow.heard[-1].last


async def test_pause_and_go_on_by_word(talk: Talk) -> None:
    session = talk.session()
    turn, held = await slow_run(talk, session)
    assert reply(await talk.say(session, "wait a moment"))["text"] == render("fast/said_pause")
    assert talk.runs.state(session) == "paused"
    held.set()
    await asyncio.sleep(0.05)
    assert f"{turn}:reply" not in talk.view(session)
    assert reply(await talk.say(session, "go on"))["text"] == render("fast/said_resume")
    assert names(await talk.ended(session, turn))[-1] == "end-done"
    states = [v for v in talk.view(session) if v.startswith(f"{turn}:run")]
    assert states == [f"{turn}:run-{s}" for s in ("started", "paused", "resumed", "finished")]


async def test_stop_by_word(talk: Talk) -> None:
    session = talk.session()
    turn, _ = await slow_run(talk, session)
    assert reply(await talk.say(session, "stop please"))["text"] == render("fast/said_stop")
    assert names(await talk.ended(session, turn))[-2:] == ["run-stopped", "end-stopped"]
    assert talk.runs.state(session) == "idle" and talk.slow.cancelled == 1
    assert f"{turn}:step" in talk.view(session)


async def test_a_second_question_waits_for_the_first(talk: Talk) -> None:
    session = talk.session()
    one, held = await slow_run(talk, session)
    other = await talk.runs.submit(session, "What is 12 times 12?")
    await talk.until(lambda: f"{other}:run-queued" in talk.view(session))
    talk.slow.steps = in_turn(step("calculator", "12 * 12"), step("finish", "12 * 12 = 144"))
    held.set()
    assert "17802" in reply(await talk.ended(session, one))["text"]
    assert "144" in reply(await talk.ended(session, other))["text"]


async def test_words_to_a_run_are_plain_talk_when_none_is_there(talk: Talk) -> None:
    assert reply(await talk.say(talk.session(), "stop"))["text"] == "Hello there."


# -- faults


async def test_a_model_that_fails_in_the_middle_is_one_sentence(talk: Talk) -> None:
    talk.fast.says = lambda _: ["Hel", "lo ", Unreachable("The fast model's server ended: try again.")]
    session = talk.session()
    events = await talk.say(session, "hello")
    assert names(events)[-2:] == ["error", "end-failed"]
    assert events[-2].data == {"text": "The fast model's server ended: try again."}
    talk.fast.says = lambda _: ["Fine.]"]
    assert reply(await talk.say(session, "and now?"))["text"] == "Fine."


@pytest.mark.parametrize("fault", [Busy("It is busy: wait."), Garbled("It speaks in tongues: choose another.")])
async def test_a_slow_model_that_fails_keeps_the_trace(talk: Talk, fault: Exception) -> None:
    talk.slow.steps = in_turn(step("calculator", "387 * 46"), fault)
    session = talk.session()
    await talk.say(session, SUM)
    assert talk.view(session)[-3:] == ["1:step", "1:error", "1:end-failed"]
    assert talk.transcript.events(session)[-2].data["text"] == str(fault)
    assert reply(await talk.say(session, "hello"))["by"] == "fast"


async def test_a_model_that_cannot_be_opened_says_why(talk: Talk) -> None:
    talk.fault = BadSpec("`gpt` names no model: write openai:gpt.")
    events = await talk.say(talk.session(), "hello")
    assert [e.data["text"] for e in events if e.kind == "error"] == [str(talk.fault)]


async def test_a_defect_is_told_without_its_traceback(talk: Talk, caplog: pytest.LogCaptureFixture) -> None:
    def broken(_: Heard) -> list[str]:
        raise ZeroDivisionError("secret detail")

    talk.fast.says = broken
    [error] = [e for e in await talk.say(talk.session(), "hello") if e.kind == "error"]
    assert "Something broke inside Duet (ZeroDivisionError)" in str(error.data["text"])
    assert "secret detail" not in str(error.data) and "secret detail" in caplog.text


async def test_a_tool_that_fails_is_in_the_trace_and_the_run_goes_on(talk: Talk) -> None:
    talk.slow.steps = in_turn(step("calculator", "banana"), step("calculator", "387 * 46"), step("finish", "17802"))
    events = await talk.say(talk.session(), SUM)
    assert [e.data["failed"] for e in talk.transcript.events(events[0].session) if e.kind == "step"] == [True, False]
    assert "17802" in reply(events)["text"]


# -- what is stored can travel


async def test_everything_a_conversation_stores_can_be_exported_and_imported(talk: Talk) -> None:
    session = talk.session()
    turn, held = await slow_run(talk, session)
    await talk.say(session, "use metric units")
    held.set()
    await talk.ended(session, turn)
    await talk.say(session, SUM)
    await talk.say(session, "hello")
    talk.fast.says = lambda _: [Busy("It is busy: wait.")]
    await talk.say(session, "hello?")
    stored = talk.transcript.events(session)
    known = {kind: {name.rstrip("?") for name in fields} for kind, fields in KINDS.items()}
    unknown = {(e.kind, field) for e in stored for field in e.data if field not in known.get(e.kind, set())}
    assert unknown <= {("reply", "remember")}
    back = talk.transcript.events(from_json(talk.transcript, "ada", to_json(talk.transcript, session)).id)
    assert names(back) == names(stored)
