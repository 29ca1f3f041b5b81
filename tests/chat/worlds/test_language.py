"""What a person is told of a world comes in their language; what a model reads of it in English."""

from __future__ import annotations

import asyncio

import pytest

from chat.worlds.session import WorldSession
from minds.slow import Limits
from tests.chat.worlds.ground import Ground, Seen
from tests.chat.worlds.test_session import ALL_OF_IT, OPEN, PLAY, said
from tests.fakes import STRONG
from tests.toyworld import GOLD

WISH, ENGLISH = "Stell bitte die Tasse in die Schublade, ich mache das selbst", "please put the mug into the drawer"
MINE, WHOLE = OPEN | {"drive": "person"}, ("world_act", {"acts": ALL_OF_IT})


def both(seen: Seen) -> tuple[str, str]:
    """What the model reads, and what the person is told where that differs."""
    return seen.text, str(seen.artifact["told"])


async def test_a_task_is_opened_done_and_left_in_the_persons_language(ground: Ground) -> None:
    session = ground.session()
    await ground.say(session, WISH, ("world_open", MINE))
    text, told = both(ground.seen[-1])
    assert text.endswith("The task: put the mug in the drawer.\nThe person acts.")
    assert told.endswith("Die Aufgabe: put the mug in the drawer.\n\nDu bist dran.")
    await ground.say(session, "nimm alles", WHOLE)
    text, told = both(ground.seen[-1])
    assert "Done: put the mug in the drawer. The world says that it is solved, after 5 steps; the score is 100" in text
    assert "Erledigt: put the mug in the drawer. Die Welt sagt, dass es gelöst ist. Schritte: 5; Punktestand: 1" in told
    assert text.partition("Done: ")[0] == told.partition("Erledigt: ")[0], "what the world said stays as it is"
    await ground.say(session, "raus", ("world_leave", {}))
    text, told = both(ground.seen[-1])
    assert text.startswith("Left task 1. Done: put the mug in the drawer.")
    assert told.startswith("Aufgabe 1 verlassen. Erledigt: put the mug in the drawer.")
    await ground.say(session, "nochmal", ("world_return", {"task": 1}))
    text, told = both(ground.seen[-1])
    assert text.startswith(
        "Task 1 is in hand again. Goal: put the mug in the drawer. So far 5 steps, score 100 of 100."
    )
    assert told.startswith("Aufgabe 1 ist wieder in Arbeit. Ziel: put the mug in the drawer. Schritte bisher: 5, Pun")
    assert "It is done." in text and "Es ist geschafft." in told


async def test_steps_are_taken_back_and_handed_over_in_the_persons_language(ground: Ground) -> None:
    session = ground.session()
    await ground.say(session, WISH, ("world_open", MINE))
    await ground.say(session, "zwei Schritte machst du", ("world_go_on", {"steps": 2}))
    text, told = both(ground.seen[-1])
    did = "(`go to desk 1`; `take mug 1 from desk 1`)"
    assert f"The assistant has taken 2 steps. {did} The person acts from here on. Goal: put the mug in the" in text
    assert told.startswith(f"Schritte, die ich gemacht habe: 2. {did} Ab hier bist du dran. Ziel: put the mug in the")
    assert told.endswith("Ort: desk 1.\nYou pick up the mug 1 from the desk 1.")
    await ground.say(session, "einen Schritt zurück", ("world_undo", {"steps": 1}))
    text, told = both(ground.seen[-1])
    assert text.startswith("Taken back from step 2 on (`take mug 1 from desk 1`). Goal: ")
    assert told.startswith("Zurückgenommen ab Schritt 2 (`take mug 1 from desk 1`). Ziel: ")
    await ground.say(session, "ab", ("world_act", {"acts": ALL_OF_IT[1:]}))
    await ground.say(session, "wer hat was gemacht?", ("world_story", {}))
    text, told = both(ground.seen[-1])
    assert "You took 4 steps (2 to 5), I took 1 step (1)." in text and "- Schritte: du 4 (2–5), ich 1 (1)." in told


async def test_a_drive_is_told_in_the_persons_language(ground: Ground) -> None:
    ground.worlds.limits = Limits(steps=2)
    session = ground.session()
    await ground.say(session, WISH, ("world_open", OPEN))
    text, told = both(ground.seen[-1])
    assert "I took the 2 steps that I may take in one run. The last thing I did: `take mug 1 from desk 1`." in text
    assert told.startswith("Ich habe es nicht geschafft (nach der Lösung des Simulators gespielt, nicht selbst überleg")
    assert "Mehr Schritte darf ich in einem Lauf nicht machen: 2. Zuletzt habe ich dies getan: `take mug 1" in told


async def test_commands_and_actions_are_answered_in_the_language_that_was_spoken_before(ground: Ground) -> None:
    session = ground.session()
    await ground.say(session, WISH, ("world_open", MINE))
    await ground.say(session, "go to desk 1")
    await ground.say(session, "take mug 1 from desk 1")
    assert said(await ground.say(session, "/world undo")).startswith("Zurückgenommen ab Schritt 2 ")
    assert said(await ground.say(session, "/world undo")).startswith("Zurückgenommen ab Schritt 1 ")
    assert said(await ground.say(session, "/world take")).startswith("Ab hier bist du dran. Ziel: ")
    assert said(await ground.say(session, f"{PLAY} --human")).endswith("Du bist dran.")
    for action in GOLD[:-1]:
        await ground.say(session, action)
    assert "Erledigt: put the mug in the drawer." in said(await ground.say(session, GOLD[-1]))
    for button in ("/world go on", "/world take"):
        assert said(await ground.say(session, button)).startswith("Es ist vorbei. Erledigt: put the mug in the drawer.")
    assert said(await ground.say(session, "/world close")).startswith("Aufgabe 2 verlassen. Erledigt: ")
    events = await ground.say(session, f"{PLAY} --strategy oracle")
    first = next(event.data["text"] for event in events if event.kind == "reply")
    assert first == "Ich bin dran: put the mug in the drawer." and said(events).startswith("Erledigt (nach der Lösung")
    assert said(await ground.say(session, "/world return 1")).startswith("Aufgabe 1 ist wieder in Arbeit. ")


async def test_beside_a_strong_model_what_it_does_not_word_is_told_in_the_persons_language(ground: Ground) -> None:
    ground.model.abilities = STRONG
    session = ground.session()
    await ground.say(session, WISH, ("world_open", MINE))
    assert both(ground.seen[-1])[1] == "", "it is told that the person acts, never `You act`"
    assert said(await ground.say(session, "/world take")).startswith("Ab hier bist du dran. Ziel: ")
    for action in GOLD[:-1]:
        await ground.say(session, action)
    assert "Erledigt: put the mug in the drawer." in said(await ground.say(session, GOLD[-1]))
    assert said(await ground.say(session, "/world undo")).startswith("Zurückgenommen ab Schritt 5 ")
    assert said(await ground.say(session, "/world go on")).startswith("Erledigt (nach der Lösung")
    assert said(await ground.say(session, "/world close")).startswith("Aufgabe 1 verlassen. Erledigt: ")


async def test_who_speaks_english_is_told_what_the_model_reads(ground: Ground) -> None:
    session = ground.session()
    await ground.say(session, "Guten Morgen, wie geht es dir heute?")
    for words, call in ((ENGLISH, ("world_open", OPEN)), ("undo", ("world_undo", {})), ("out", ("world_leave", {}))):
        await ground.say(session, words, call)
        assert both(ground.seen[-1])[1] == ""
    await ground.say(session, f"{ENGLISH} myself", ("world_open", MINE))
    assert both(ground.seen[-1])[1].endswith("The task: put the mug in the drawer.\n\nYou act.")
    assert said(await ground.say(session, "/world close")) == (
        "Left task 2. It was not finished: after 0 steps, the score is 0 of 100."
    )


async def test_a_drive_that_was_killed_is_taken_up_in_the_persons_language(ground: Ground) -> None:
    session = ground.session()
    ground.toys.slow = 0.05
    ground.calls[WISH] = [("world_open", OPEN)]
    turn = await ground.runs.submit(session, WISH)
    while not any(e.kind == "step" for e in ground.transcript.turn_events(session, turn)):
        await asyncio.sleep(0.01)
    second = await ground.killed()
    await second.runs.resume(session)
    await second.ended(session, turn)
    text, told = both(second.seen[-1])
    assert text.startswith("Done (played") and told.startswith("Erledigt (nach der Lösung")
    await second.close()


async def test_the_state_says_in_which_language_a_small_model_asks_back(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    languages, ready = list[str](), WorldSession.ready

    async def read(self: WorldSession) -> None:
        await ready(self)
        languages.append(self.state.language)

    monkeypatch.setattr(WorldSession, "ready", read)
    session = ground.session()
    for words in (WISH, "ok"):
        await ground.say(session, words, ("world_open", MINE))
    assert set(languages) == {"German"}
    ground.model.abilities = STRONG
    await ground.say(session, "ja", ("world_leave", {}))
    assert languages[-1] == "English", "a strong one asks in words of its own"
