"""Facts are drawn out when nobody speaks, hold to the person's own words, and one value is current."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

import chat.facts
import chat.idle
from chat.facts import Told, in_words, keep, stands
from chat.notebook import fulfil
from chat.turn_context import within_budget
from memory.memory import Note, Recall
from minds.models.language import Garbled, ModelFault, NoProtocol, Unreachable
from prompts import render
from tests.chat.ground import Talk
from tests.fakes import STRONG, FakeModel, Heard


@pytest.fixture
async def talk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Talk]:
    monkeypatch.setattr(chat.idle, "SILENCE", 0.0)
    talk = Talk(tmp_path)
    yield talk
    await talk.close()


def fact(subject: str, attribute: str, value: str, quote: str, **more: object) -> dict[str, object]:
    return {
        "subject": subject,
        "attribute": attribute,
        "value": value,
        "quote": quote,
        "since": "",
        "ended": False,
        **more,
    }


def tells(talk: Talk, **facts: list[dict[str, object]]) -> None:
    """Which facts the model sees in which words."""
    said = {text.replace("_", " "): found for text, found in facts.items()}
    talk.reader.scopes = dict.fromkeys(said, "telling")
    talk.slow.steps = lambda heard: [{"facts": said.get(heard.said, [])}]


def facts(talk: Talk) -> list[Note]:
    return [note for note in talk.kept() if note.kind == "fact"]


async def test_a_new_value_closes_the_old_one_and_both_stay(talk: Talk) -> None:
    tells(
        talk,
        I_live_in_Paris=[fact("user", "lives in", "Paris", "I live in Paris")],
        I_have_moved_to_Berlin=[fact("user", "lives in", "Berlin", "I have moved to Berlin")],
    )
    for said in ("I live in Paris", "I have moved to Berlin"):
        await talk.say(talk.session(), said)
        await talk.until(lambda n=said: any(n in note.about["quote"] for note in facts(talk)))  # type: ignore[misc]
    assert {note.about["value"]: note.current for note in facts(talk)} == {"Paris": False, "Berlin": True}
    session = talk.session()
    await talk.say(session, "where do I live?")
    heard = talk.fast.heard[-1].everything
    assert (
        'user said: "I live in Paris" ("Paris" is no longer so, as was told on 2026-11-21: "I have moved to Berlin")'
        in heard
    )
    assert 'user said: "I have moved to Berlin"\n' in heard


async def test_a_strong_model_knows_what_holds_of_the_person_whatever_the_turn_is_about(talk: Talk) -> None:
    said = {"hazelnuts make me ill": [fact("user", "allergy", "hazelnuts", "hazelnuts make me ill", since="May 2020")]}
    said["Ingrid likes cake"] = [fact("sister Ingrid", "likes", "cake", "Ingrid likes cake")]
    tells(talk, **said)
    session = talk.session()
    for words in said:
        await talk.say(session, words)
        await talk.conversation.idle.settle()
    assert "sister Ingrid, likes: cake (Ingrid likes cake)" in [note.text for note in facts(talk)]
    known = '2026-11-21, of the user: allergy "hazelnuts make me ill" (when: "May 2020")'
    await talk.say(session, "what should we have for dinner")
    assert known not in talk.fast.heard[-1].everything, "it stands in the dialogue"
    await talk.say(talk.session(), "what should we have for dinner")
    assert known in talk.fast.heard[-1].everything and "user: likes" not in talk.fast.heard[-1].everything
    await talk.say(talk.session(), "hazelnuts?")
    assert "hazelnuts make me ill (" not in talk.fast.heard[-1].everything, "it is told once"
    await talk.say(talk.session(memory=False), "what should we have for dinner")
    assert known not in talk.fast.heard[-1].everything
    await talk.made_small().say(talk.session(), "what should we have for dinner")
    assert known not in talk.fast.heard[-1].everything


async def test_what_a_turn_answers_is_read_with_it_and_is_no_fact_itself(talk: Talk) -> None:
    """A word or two tell much behind a question, and nothing by themselves."""
    asked = "Happy to. Is there anything you cannot eat?"
    talk.reader.scopes = {"Is there anything you cannot eat? Shellfish.": "telling"}
    found = [fact("user", "allergy", "Shellfish", "Shellfish."), fact("user", "likes", "lunch", "plan my lunch")]
    talk.slow.steps = lambda heard: [{"facts": found}]
    session = talk.session()
    talk.fast.says = lambda _: [asked]
    await talk.say(session, "plan my lunch")
    await talk.say(session, "Shellfish.")
    await talk.conversation.idle.settle()
    assert [note.about["value"] for note in facts(talk)] == ["Shellfish"]
    read = talk.slow.heard[-1].last
    assert read.startswith("Shellfish.\n") and "Is there anything you cannot eat?" in read and "plan my lunch" in read
    assert "Happy to" not in read, "a reply may hold what others wrote"


async def test_a_model_says_which_of_the_facts_so_far_are_over(talk: Talk) -> None:
    """In whatever words they were told: a weekday's name ends another's shift, and a second payment ends no first."""
    said: dict[str, list[dict[str, object]]] = {
        "sats at the chippy": [fact("user", "working hours", "sats", "sats at the chippy")],
        "Gwen gave me ten": [fact("Gwen", "paid", "ten", "Gwen gave me ten")],
        "they moved me to sundays": [fact("user", "shift", "sundays", "they moved me to sundays", over="sats")],
        "Gwen gave five more": [fact("Gwen", "paid", "five more", "Gwen gave five more", over="none")],
        "no more chippy": [fact("user", "job", "chippy", "no more chippy", ended=True, over="sundays")],
    }
    talk.reader.scopes = dict.fromkeys(said, "telling")

    def read(heard: Heard) -> dict[str, object]:
        kept = heard.last.partition("Kept so far:\n")[2].splitlines()
        numbers = {
            line.partition('"')[2].partition('"')[0]: int(line.partition(".")[0]) for line in kept if '"' in line
        }
        return {"facts": [one | {"replaces": [numbers.get(str(one.get("over")), 99)]} for one in said[heard.said]]}

    talk.slow.steps = lambda heard: [read(heard)]
    for words in said:
        await talk.say(talk.session(), words)
        await talk.conversation.idle.settle()
    assert sorted(current(talk)) == ["five more", "ten"]
    last = talk.slow.heard[-1].last
    assert "Said on Saturday, 2026-11-21.\n" in last and 'gwen, paid: "ten" (said on 2026-11-21)' in last


async def test_what_only_a_file_said_is_a_fact_of_the_persons_own_once_they_tell_it(talk: Talk) -> None:
    about = {"subject": "user", "attribute": "allergy", "value": "walnuts", "quote": "walnuts make me ill"}
    about["imported"] = "2026-11-20"
    talk.store.user("ada").keep([Note("f:1", "fact", "user, allergy: walnuts", 1.0, about=about)])
    tells(talk, walnuts_make_me_ill=[fact("user", "allergy", "walnuts", "walnuts make me ill", replaces=[])])
    await talk.say(talk.session(), "walnuts make me ill")
    await talk.conversation.idle.settle()
    assert sorted(note.imported for note in facts(talk)) == [False, True]


async def test_what_ends_for_one_ends_for_nobody_whose_name_begins_so(talk: Talk) -> None:
    memory = talk.store.user("ada")
    told = [("Anna", {}), ("Ann", {}), ("Ann", {"ended": True})]
    for number, (friend, more) in enumerate(told):
        said = f"my friend {friend}"
        turn = Told("ada", "s", number + 1, said, talk.now.timestamp() + number, talk.slow)
        keep(memory, turn, 0, fact("user", "friend", friend, said, **more))
    assert [note.about["value"] for note in talk.kept() if note.kind == "fact" and note.current] == ["Anna"]


@pytest.mark.parametrize(
    ("was", "ended", "over"),
    [
        ("a black dog", "dog", True), ("Ann and Tom", "Ann", True), ("喜欢寿司", "寿司", True),
        ("Anna", "Ann", False), ("Hannah", "Ann", False), ("steak", "tea", False), ("peanuts", "peanut", False),
    ],
)  # fmt: skip
async def test_by_its_words_alone_an_end_is_of_whole_words(talk: Talk, was: str, ended: str, over: bool) -> None:
    memory = talk.store.user("ada")
    for number, (value, more) in enumerate([(was, {}), (ended, {"ended": True})]):
        turn = Told("ada", "s", number + 1, value, talk.now.timestamp() + number, talk.slow)
        keep(memory, turn, 0, fact("user", "has", value, value, **more))
    assert any(note.kind == "fact" and note.current for note in talk.kept()) is not over


async def test_an_end_that_is_worded_otherwise_is_of_what_the_model_names(talk: Talk) -> None:
    tells(
        talk,
        peanuts_make_me_ill=[fact("user", "allergy", "peanuts", "peanuts make me ill")],
        a_peanut_is_fine_now=[fact("user", "allergy", "peanut", "a peanut is fine now", ended=True, replaces=[1])],
    )
    for words in ("peanuts make me ill", "a peanut is fine now"):
        await talk.say(talk.session(), words)
        await talk.conversation.idle.settle()
    assert current(talk) == []


async def test_what_only_tells_an_end_is_not_called_over_itself(talk: Talk) -> None:
    said = {"walnuts make me ill": [fact("user", "allergy", "walnuts", "walnuts make me ill")]}
    said["walnuts are fine"] = [fact("user", "allergy", "walnuts", "walnuts are fine", ended=True)]
    tells(talk, **said)
    for words in said:
        await talk.say(talk.session(), words)
        await talk.conversation.idle.settle()
    await talk.say(talk.session(), "walnuts?")
    heard = talk.fast.heard[-1].everything
    assert 'make me ill" ("walnuts" is no longer so, as was told on 2026-11-21: "walnuts are fine")' in heard
    assert 'user said: "walnuts are fine"\n' in heard


async def test_what_no_longer_holds_is_told_so_of_every_turn_that_said_it(talk: Talk) -> None:
    towns = {"I live in Paris": "Paris", "I live in Paris, as you know": "Paris", "I have moved to Berlin": "Berlin"}
    tells(talk, **{said: [fact("user", "lives in", town, said)] for said, town in towns.items()})
    for said in towns:
        await talk.say(talk.session(), said)
        await talk.conversation.idle.settle()
    assert current(talk) == ["Berlin"]
    await talk.say(talk.session(), "where do I live?")
    heard = talk.fast.heard[-1].everything
    former = ' ("Paris" is no longer so, as was told on 2026-11-21: "I have moved to Berlin")'
    for said in list(towns)[:2]:
        assert f'user said: "{said}"{former}' in heard


@pytest.mark.parametrize("gone", ["the fact", "its conversation"])
async def test_a_fact_that_was_told_twice_is_forgotten_in_both_turns(talk: Talk, gone: str) -> None:
    """A conversation that is deleted leaves the other one what was told in it."""
    told = [(talk.session(), said) for said in ("my sister is Ingrid", "Ingrid is my sister")]
    tells(talk, **{said: [fact("sister", "name", "Ingrid", said)] for _, said in told})
    for session, said in told:
        await talk.say(session, said)
        await talk.conversation.idle.settle()
    (first, _), (second, said) = told
    if gone == "the fact":
        talk.store.user("ada").forget([note.id for note in facts(talk)])
    else:
        await talk.runs.delete(first)
    left = [said] * (gone == "its conversation")
    assert [note.text for note in talk.kept() if "Ingrid" in note.text] == left
    assert talk.transcript.turn(second, 1).said == (left or ["removed"])[0]


async def test_days_are_the_persons(talk: Talk) -> None:
    """Behind Auckland's midnight, wherever this machine stands."""
    towns = {f"I live in {town}": town for town in ("Paris", "Berlin")}
    tells(talk, **{said: [fact("user", "lives in", town, said)] for said, town in towns.items()})
    talk.now = datetime(2026, 11, 22, 1, 0, tzinfo=ZoneInfo("Pacific/Auckland"))
    for said, town in towns.items():
        await talk.say(talk.session(), said)
        await talk.until(lambda town=town: current(talk) == [town])  # type: ignore[misc]
    assert [note.about["until"] for note in facts(talk) if not note.current] == ["2026-11-22"]
    told = Recall(Note("n", "turn", "hello", talk.now.timestamp(), speaker="user"), 1.0, 1.0)
    assert [line for line, _ in within_budget([told], (), 900, zone=talk.now.tzinfo)] == [
        '2026-11-22, the user said: "hello"'
    ]


async def test_a_value_that_a_strong_model_words_anew_is_kept_as_it_was_said(talk: Talk) -> None:
    tells(talk, at_Crumbs_the_bakery=[fact("user", "job", "baker at Crumbs", "at Crumbs the bakery")])
    await talk.say(talk.session(), "at Crumbs the bakery")
    await talk.until(lambda: facts(talk))
    assert current(talk) == ["at Crumbs the bakery"]


async def test_a_turn_that_answers_whom_it_was_about_takes_the_value_from_before(talk: Talk) -> None:
    brother = fact("brother Tom", "lives in", "Vienna", "My brother", replaces=[1])
    before = {"my brother Tom lives in Graz": [fact("brother Tom", "lives in", "Graz", "my brother Tom lives in Graz")]}
    tells(talk, **before, **{"My brother": [brother, {**brother, "value": "Rome"}]})
    talk.reader.scopes["Your friend or your brother? My brother"] = "telling"
    talk.fast.says = lambda _: ["Your friend or your brother?"]
    session = talk.session()
    for words in (*before, "Tom moved to Vienna last week", "My brother"):
        await talk.say(session, words)
        await talk.conversation.idle.settle()
    assert current(talk) == ["Vienna"]
    vienna = next(note for note in facts(talk) if note.current)
    assert vienna.text == "brother Tom, lives in: Vienna (Vienna … My brother)"
    told = talk.store.user("ada").notes.turns_of(vienna)
    assert {note.turn for note in told} == {2, 3}, "both go with it where it is deleted"


@pytest.mark.parametrize(
    ("before", "asked", "value"),
    [
        ("Tom moved, I do not know when", "Which Tom?", "no"),
        ("Book a table for 13 people", "Shall I?", "3"),
        ("Tom moved to Vienna", "How nice.", "Vienna"),
        (f"Tom moved to Vienna. {'And so on. ' * 60}", "Which Tom?", "Vienna"),
    ],
)
def test_what_was_not_told_before_in_answer_to_a_question_is_no_fact(before: str, asked: str, value: str) -> None:
    model = FakeModel(lambda _: [], abilities=STRONG)
    told = Told("ada", "s", 2, "My brother.", 1.0, model, before=(before, asked))
    assert in_words(fact("brother Tom", "lives in", value, "My brother."), told) is None


async def test_what_is_not_in_the_persons_words_is_no_fact(talk: Talk) -> None:
    talk.made_small()
    tells(talk, I_live_in_Paris=[
        fact("user", "lives in", "Paris", "I live in Paris"),
        fact("user", "lives in", "London", "I live in Paris"),
        fact("user", "job", "spy", "I am a spy"),
    ])  # fmt: skip
    await talk.say(talk.session(), "I live in Paris")
    await talk.until(lambda: facts(talk))
    assert [note.about["value"] for note in facts(talk)] == ["Paris"]
    assert not stands(fact("user", "lives in", "Paris", "Do I live in Paris?"), "Do I live in Paris?")


async def test_layers_that_learned_it_read_what_tells_something_and_are_held_to_its_words(talk: Talk) -> None:
    lines = [
        "my sister Ann lives in Cork | sister Ann | lives in | Cork |  | ",
        "Ann moved to Sligo | Ann | lives in | Sligo |  | ",
        "not said | user | lives in | Rome |  | ",
        "none",
    ]
    talk.slow.notes = noter = FakeModel(lambda heard: ["\n".join(line for line in lines if line[:5] in heard.last)])
    told = ("my sister Ann lives in Cork, is it far?", "none here", "Ann moved to Sligo by the way")
    talk.reader.scopes = dict.fromkeys(told, "telling")
    for said in (*told, "hm"):
        await talk.say(talk.session(), said)
    await talk.until(lambda: len(noter.heard) == 3)
    await talk.until(lambda: len(facts(talk)) == 2)
    assert {note.about["value"]: note.current for note in facts(talk)} == {"Cork": False, "Sligo": True}
    assert len(noter.heard) == 3 and noter.heard[0].messages[0].content == render("memory/facts_noted")


async def test_such_layers_hear_the_question_that_a_turn_answers(talk: Talk) -> None:
    line = "two, Ann and Bo | user | siblings | Ann and Bo |  | "
    talk.slow.notes = noter = FakeModel(lambda _: [line])
    talk.reader.scopes = {"And any siblings? two, Ann and Bo": "telling"}
    talk.fast.says = lambda _: ["I see. And any siblings?"]
    session = talk.session()
    for said in ("hello", "two, Ann and Bo"):
        await talk.say(session, said)
    await talk.conversation.idle.settle()
    assert [heard.last for heard in noter.heard] == ["And any siblings?\ntwo, Ann and Bo"]
    assert [note.about["value"] for note in facts(talk)] == ["Ann and Bo"]


async def test_two_sisters_are_two_subjects_and_several_likes_stay(talk: Talk) -> None:
    said = "My sisters are Ingrid and Jane and I like tea and figs"
    tells(talk, **{said.replace(" ", "_"): [
        fact("sister Ingrid", "name", "Ingrid", "My sisters are Ingrid and Jane"),
        fact("sister Jane", "name", "Jane", "My sisters are Ingrid and Jane"),
        fact("user", "likes", "tea", "I like tea and figs"),
        fact("user", "likes", "figs", "I like tea and figs"),
        fact("user", "drinks", "tea", "I like tea and figs"),
        fact("user", "drinks", "figs", "I like tea and figs"),
    ]})  # fmt: skip
    await talk.say(talk.session(), said)
    await talk.until(lambda: len(facts(talk)) == 6)
    assert all(note.current for note in facts(talk))


@pytest.mark.parametrize(
    ("first", "who", "then", "other", "one"),
    [
        ("my ex wife lives in Cork", "ex wife", "my wife lives in Sligo", "wife", False),
        ("my wife lives in Cork", "wife", "my ex wife lives in Sligo", "ex wife", False),
        ("Mother and Ann live in Cork", "mother", "grand mother lives in Sligo", "grand mother", False),
        ("my boss's wife lives in Cork", "boss's wife", "my wife lives in Sligo", "wife", False),
        ("MY EX WIFE LIVES IN CORK", "ex wife", "my wife lives in Sligo", "wife", False),
        ("my sister Ann lives in Cork", "sister Ann", "Ann lives in Sligo now", "Ann", True),
        ("Ann lives in Cork", "Ann", "my sister Ann lives in Sligo", "sister Ann", True),
        ("I hear that Ann lives in Cork", "Ann", "my sister Ann lives in Sligo", "sister Ann", True),
    ],
)
async def test_a_name_alone_is_the_same_person_and_a_role_alone_is_not(
    talk: Talk, first: str, who: str, then: str, other: str, one: bool
) -> None:
    value = "CORK" if first.isupper() else "Cork"
    tells(talk, **{first: [fact(who, "lives in", value, first)], then: [fact(other, "lives in", "Sligo", then)]})
    for number, said in enumerate((first, then), 1):
        await talk.say(talk.session(), said)
        await talk.until(lambda number=number: len(facts(talk)) == number)  # type: ignore[misc]
    assert current(talk) == (["Sligo"] if one else ["Sligo", value])


@pytest.mark.parametrize("paid", [False, True])
async def test_it_gives_way_at_once_and_is_taken_up_again_but_no_call_is_paid_for_twice(talk: Talk, paid: bool) -> None:
    talk.slow.spec = "openai:gpt-4.1" if paid else "embedded"
    tells(talk, I_live_in_Paris=[fact("user", "lives in", "Paris", "I live in Paris")])
    held, answers = asyncio.Event(), talk.slow.steps

    def slowly(heard: Heard) -> list[object]:
        return [held, *(answers(heard) if answers else [])]

    talk.slow.steps = slowly
    session = talk.session()
    await talk.say(session, "I live in Paris")
    await talk.until(lambda: talk.slow.heard)
    await talk.say(session, "hello")
    assert talk.slow.cancelled == (0 if paid else 1) and facts(talk) == []
    held.set()
    await talk.until(lambda: facts(talk))
    assert len(talk.slow.heard) == (1 if paid else 2)


async def test_what_was_told_before_a_stop_is_read_after_the_next_start(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = {f"I like {what}": [fact("user", "likes", what, f"I like {what}")] for what in ("tea", "figs")}
    tells(talk, **said)
    monkeypatch.setattr(chat.idle, "SILENCE", 60.0)
    for words in said:
        await talk.say(talk.session(), words)
    talk.conversation.idle.give_way()
    monkeypatch.setattr(chat.idle, "SILENCE", 0.0)
    again = await talk.killed()
    tells(again, **said)
    await again.say(again.session(), "hello")
    await again.conversation.idle.settle()
    assert {note.about["value"] for note in facts(again)} == {"tea", "figs"}
    asked = len(again.slow.heard)
    await again.say(again.session(), "hello")
    await again.conversation.idle.settle()
    assert len(again.slow.heard) == asked == 2
    again.transcript.close()


async def test_what_was_told_while_nobody_could_answer_is_read_too(talk: Talk) -> None:
    tells(talk, I_live_in_Paris=[fact("user", "lives in", "Paris", "I live in Paris")])
    talk.fast.says = lambda _: [Unreachable("It is gone.")]
    await talk.say(talk.session(), "I live in Paris")
    await talk.conversation.idle.settle()
    assert [note.about["value"] for note in facts(talk)] == ["Paris"]


@pytest.mark.parametrize(
    ("fault", "read", "left"),
    [
        (Garbled("It answered nothing."), ["figs"], 0),
        (NoProtocol("It answered with something else."), ["figs"], 0),
        (Unreachable("It is gone."), [], 2),
    ],
)
async def test_a_turn_that_cannot_be_read_keeps_none_behind_it_from_it_but_a_model_that_is_gone_is_waited_for(
    talk: Talk, monkeypatch: pytest.MonkeyPatch, fault: ModelFault, read: list[str], left: int
) -> None:
    monkeypatch.setattr(chat.idle, "SILENCE", 0.1)
    tells(talk, I_like_tea=[], I_like_figs=[fact("user", "likes", "figs", "I like figs")])
    reads = talk.slow.steps
    assert reads is not None
    talk.slow.steps = lambda heard: [fault] if "tea" in heard.said else reads(heard)
    for words in ("I like tea", "I like figs"):
        await talk.say(talk.session(), words)
    await talk.conversation.idle.settle()
    assert [note.about["value"] for note in facts(talk)] == read and len(talk.remembering.unread("ada")) == left


async def test_a_turn_that_is_taken_back_takes_its_facts_along(talk: Talk) -> None:
    tells(talk, I_live_in_Paris=[fact("user", "lives in", "Paris", "I live in Paris")])
    session = talk.session()
    await talk.say(session, "I live in Paris")
    await talk.until(lambda: facts(talk))
    await talk.runs.undo(session)
    assert facts(talk) == []


async def test_what_was_so_before_a_turn_that_is_taken_back_is_so_again(talk: Talk) -> None:
    tells(
        talk,
        I_live_in_Berlin=[fact("user", "lives in", "Berlin", "I live in Berlin")],
        I_live_in_Paris=[fact("user", "lives in", "Paris", "I live in Paris")],
        I_left_Berlin=[fact("user", "lives in", "Berlin", "I left Berlin", ended=True)],
    )
    await talk.say(talk.session(), "I live in Berlin")
    await talk.until(lambda: facts(talk))
    for said in ("I live in Paris", "I left Berlin"):
        session = talk.session()
        await talk.say(session, said)
        await talk.until(lambda: len(facts(talk)) == 2)
        assert not next(note for note in facts(talk) if note.text.endswith("(I live in Berlin)")).current
        await talk.runs.undo(session)
        assert [(note.about["value"], note.current) for note in facts(talk)] == [("Berlin", True)]
        left = [id_ for id_ in talk.store.user("ada").notes.of_session(session) if ":fact" in id_]
        talk.store.user("ada").restore(left)
        assert "Berlin" not in {note.about["value"] for note in facts(talk) if note.current}
        talk.store.user("ada").withdraw(left, "test")


def current(talk: Talk) -> list[str]:
    return [note.about["value"] for note in facts(talk) if note.current]


async def moved(talk: Talk) -> str:
    """Rome is told, then Paris; the conversation of Paris."""
    towns = {f"I live in {town}": town for town in ("Rome", "Paris", "Berlin")}
    tells(talk, **{said: [fact("user", "lives in", town, said)] for said, town in towns.items()})
    for town in ("Rome", "Paris"):
        await talk.say(session := talk.session(), f"I live in {town}")
        await talk.until(lambda town=town: current(talk) == [town])  # type: ignore[misc]
    return session


async def test_of_two_versions_of_a_turn_the_one_in_view_holds(talk: Talk) -> None:
    session = await moved(talk)
    await talk.say(session, "I live in Berlin", edits=1)
    await talk.until(lambda: current(talk) == ["Berlin"])
    await talk.runs.choose(session, 1)
    assert current(talk) == ["Paris"]
    await talk.runs.choose(session, 2)
    assert current(talk) == ["Berlin"]


async def test_what_was_told_while_a_fact_was_out_takes_its_place_when_it_comes_back(talk: Talk) -> None:
    session = await moved(talk)
    await talk.say(session, "hm", edits=1)
    talk.now += timedelta(minutes=1)
    await talk.say(talk.session(), "I live in Berlin")
    await talk.until(lambda: current(talk) == ["Berlin"])
    await talk.runs.choose(session, 1)
    assert current(talk) == ["Berlin"]


async def test_a_thumb_down_on_the_reply_leaves_what_the_person_told(talk: Talk) -> None:
    """What was so before came back as the current value."""
    session = await moved(talk)
    await talk.runs.set_feedback(session, 1, -1)
    assert current(talk) == ["Paris"]
    talk.store._users.pop("ada").close()
    assert current(talk) == ["Paris"]


async def test_nothing_is_read_where_the_memory_is_off(talk: Talk) -> None:
    tells(talk, I_live_in_Paris=[fact("user", "lives in", "Paris", "I live in Paris")])
    await talk.say(talk.session(memory=False), "I live in Paris")
    await asyncio.sleep(0.05)
    assert talk.slow.heard == []


@pytest.mark.parametrize("end", ["deleted", "being deleted", "undone", "off", "off everywhere"])
async def test_nothing_is_drawn_out_of_a_turn_that_is_no_longer_to_be_kept(
    talk: Talk, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    tells(talk, I_live_in_Paris=[fact("user", "lives in", "Paris", "I live in Paris")])
    monkeypatch.setattr(chat.idle, "SILENCE", 0.2)
    session = talk.session()
    await talk.say(session, "I live in Paris")
    if end == "deleted":
        talk.store.user("ada").forget([f"{session}:1:said"])
    elif end == "being deleted":
        fulfil(talk.store.user("ada"), "forget", {"id": f"{session}:1:said", "sure": True})
    elif end == "undone":
        await talk.runs.undo(session)
    elif end == "off":
        talk.transcript.set_options(session, replace(talk.transcript.options(session), memory=False))
    else:
        talk.store.user("ada").notes.set_meta("off", "off")
    await talk.conversation.idle.settle()
    assert not facts(talk) and not talk.slow.heard


async def test_a_fact_that_is_drawn_out_makes_what_was_found_for_the_person_stale(talk: Talk) -> None:
    """It may have been found between the telling and the reading, with what was known before."""
    tells(talk, I_live_in_Paris=[fact("user", "lives in", "Paris", "I live in Paris")])
    await talk.say(talk.session(), "I live in Paris")
    told = talk.remembering.person("ada")
    await talk.conversation.idle.settle()
    known = talk.remembering.person("ada")
    assert facts(talk) and known != told
    await talk.say(talk.session(), "I live in Paris")
    told = talk.remembering.person("ada")
    await talk.conversation.idle.settle()
    assert talk.remembering.person("ada") == told


@pytest.mark.parametrize("end", ["deleted", "undone"])
async def test_no_fact_stays_of_a_turn_that_goes_while_its_facts_are_kept(
    talk: Talk, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    towns = {f"I live in {town}": town for town in ("Rome", "Paris")}
    tells(talk, **{said: [fact("user", "lives in", town, said)] for said, town in towns.items()})
    await talk.say(talk.session(), "I live in Rome")
    await talk.conversation.idle.settle()
    session, kept = talk.session(), chat.facts.keep
    begun, gone = threading.Event(), threading.Event()

    def late(*fact: Any) -> bool:
        begun.set()
        gone.wait(10)
        return kept(*fact)

    monkeypatch.setattr(chat.facts, "keep", late)
    await talk.say(session, "I live in Paris")
    await talk.until(begun.is_set)
    await (talk.runs.delete(session) if end == "deleted" else talk.runs.undo(session))
    gone.set()
    await talk.conversation.idle.settle()
    assert current(talk) == ["Rome"]
    left = talk.store.user("ada").notes.of_session(session)
    assert bool(left) is (end == "undone")


@pytest.mark.parametrize("imported", [False, True])
async def test_what_was_told_later_and_read_sooner_stays_the_current_value(talk: Talk, imported: bool) -> None:
    """What a file brings takes the place of nothing."""
    memory = talk.store.user("ada")
    noted = {"subject": "user", "attribute": "lives in", "value": "Berlin", "quote": "I live in Berlin"}
    noted |= {"imported": "2026-11-21"} if imported else {}
    later = Note("x:1:fact0", "fact", "user, lives in: Berlin", 9e9, session="x", turn=1, about=noted)
    memory.keep([later])
    tells(talk, I_live_in_Paris=[fact("user", "lives in", "Paris", "I live in Paris")])
    await talk.say(talk.session(), "I live in Paris")
    await talk.until(lambda: len(facts(talk)) == 2)
    assert {note.about["value"]: note.current for note in facts(talk)} == {"Paris": imported, "Berlin": True}
    assert [note.about["by"] for note in facts(talk) if not note.current] == [later.id] * (not imported)
