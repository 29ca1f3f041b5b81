"""A small fast mind: the gate decides, its words and its request are its own, words to a run are read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from babel import Locale

from minds.briefing import Briefing
from minds.dialogue import Dialogue, Reply, Turn, TurnContext
from minds.models.language import Unreachable, Usage
from minds.small_model.desk import DeskFast
from minds.small_model.fast import KINDS, SmallFast
from prompts import examples, render, spoken
from tests.fakes import SMALL, FakeGate, FakeModel, Piece
from tools.desk import Desk
from tools.domains import about

NOW = TurnContext(now="Monday, 23 November 2026, 10:24")
BUSY = TurnContext(running="The slow mind is still working on: the cost of 12 tiles.")
BEFORE = (Turn("user", "What is 387 times 46?"), Turn("fast", "It is 17802."))


def mind(*says: Piece, needs: bool = False, kind: str = "talk") -> tuple[SmallFast, FakeModel, FakeGate]:
    model = FakeModel(lambda _: says, lambda _: [{"kind": kind}], abilities=SMALL)
    gate = FakeGate(lambda _: needs)
    return SmallFast(model, gate), model, gate


async def reply(
    fast: SmallFast, said: str = "hello", context: TurnContext = NOW, turns: Sequence[Turn] = ()
) -> tuple[str, Reply]:
    decided = Reply()
    pieces = fast.reply(Dialogue("s", "ada", tuple(turns)), said, context, decided, Usage())
    return "".join([piece async for piece in pieces]), decided


async def test_the_gate_decides_and_the_model_answers() -> None:
    fast, model, gate = mind("Good ", "morning!")
    assert await reply(fast) == ("Good morning!", Reply(invoke=False, p=0.1))
    assert gate.asked == ["hello"] and model.heard[0].prefix == ""


async def test_it_talks_plainly_with_the_day_in_the_head() -> None:
    fast, model, _ = mind("Yes.")
    await reply(fast, "and you?", replace(NOW, facts=("Their cat is Mia.",)), BEFORE)
    system, *said = model.heard[0].messages
    assert "23 November 2026" in str(system.content)
    assert [m.type for m in said] == ["human", "ai", "human"] and "Mia" in str(said[-1].content)
    assert "Invoke" not in str([m.content for m in model.heard[0].messages])


async def test_what_is_asked_of_duet_itself_needs_no_slow_mind_and_stands_beside_the_turn() -> None:
    fast, model, _ = mind("Click on the three dots.", needs=True)
    text, decided = await reply(
        fast, "where are my chats?", replace(NOW, about=("They stand on the left.",), of_duet=True)
    )
    assert text == "Click on the three dots." and not decided.invoke
    system, *_, said = model.heard[0].messages
    assert "They stand on the left." in str(said.content) and "paper clip" in str(system.content)


@pytest.mark.parametrize(("fact", "near", "invokes"), [(0.9, 0.16, True), (0.1, 0.16, False), (0.1, 0.5, True)])
async def test_what_a_document_may_tell_is_looked_up(fact: float, near: float, invokes: bool) -> None:
    fast, _, gate = mind("At the entrance.")
    gate.fact = fact
    documents = replace(NOW, documents=("rules.docx",), looks_for="where do guests park", near=near)
    assert (await reply(fast, "where do guests park?", documents))[1].invoke is invokes
    assert not (await reply(fast, "where do guests park?", replace(documents, looks_for="")))[1].invoke


async def test_a_gate_that_is_sure_is_not_overruled_by_what_resembles_a_line_about_duet() -> None:
    fast, _, gate = mind("Sure.", needs=True)
    gate.sure = 0.97
    _, decided = await reply(fast, "work out the sums of my PDF", replace(NOW, about=("Duet can work out sums.",)))
    assert decided.invoke


@pytest.mark.parametrize("again", ["It is 17802 in all, Ada.", "It is 17802"])
async def test_an_answer_to_another_turn_is_not_given_once_more(again: str) -> None:
    before = (Turn("user", "What is 387 times 46?"), Turn("fast", "It is 17802 in all, Ada."), *BEFORE[:1])
    says = iter([[*again], ["Like", " tiger."]])
    fast, model, _ = mind()
    model.says = lambda _: next(says)
    text, _ = await reply(fast, "How do I say Tadhg?", turns=before)
    assert text == ("Like tiger." if again == before[1].text else again)
    assert [sum(m.type == "ai" for m in heard.messages) for heard in model.heard] == [1, 0][: len(model.heard)]


async def test_what_follows_up_on_the_last_reply_is_not_said_without_it() -> None:
    letter = "Dear Mrs Whitlock, I come on Thursday."
    before = (Turn("user", "capital of Australia?"), Turn("fast", "It is Canberra, as I said."), Turn("user", "a note"))
    says = iter([[letter], ["I come", " on Thursday."]])
    fast, model, _ = mind()
    model.says = lambda _: next(says)
    text, _ = await reply(fast, "too long", turns=(*before, Turn("fast", letter), *BEFORE[:1]))
    assert text == "I come on Thursday."
    assert [sum(m.type == "ai" for m in heard.messages) for heard in model.heard] == [2, 1]
    assert letter in str(model.heard[1].messages)


async def test_its_own_flag_is_not_heard() -> None:
    """The gate said no; a small model's flag is a poor judge."""
    _, decided = await reply(mind("Fine.\nInvoke[True]")[0])
    assert decided.invoke is False


@pytest.mark.parametrize(("fact", "odds", "doubt"), [(0.9, -2.0, True), (0.9, -0.01, False), (0.1, -2.0, False)])
async def test_a_fact_that_the_model_is_not_sure_of_is_told_with_a_doubt(fact: float, odds: float, doubt: bool) -> None:
    fast, model, gate = mind("Lyon.")
    gate.fact, model.odds = fact, odds
    assert (await reply(fast, "capital of France?"))[1].doubt is doubt


async def test_an_invoked_turn_is_acknowledged_at_once_and_asks_what_was_said() -> None:
    fast, model, _ = mind("never", needs=True)
    text, decided = await reply(fast, "What is 2 + 2?")
    assert (text, decided) == (spoken("fast/interim"), Reply(invoke=True, request="What is 2 + 2?", p=0.9))
    assert model.heard == []


async def test_it_acknowledges_in_the_language_of_the_turn() -> None:
    fast, _, _ = mind("never", needs=True)
    text, _ = await reply(fast, "Wie viele Tage sind es noch bis zu den Weihnachtsferien?")
    assert text == spoken("fast/interim", "German") != spoken("fast/interim")


async def test_where_there_is_no_slow_mind_the_gate_calls_none() -> None:
    fast, _, _ = mind("About 4.", needs=True)
    decided = Reply(alone=True)
    pieces = fast.reply(Dialogue("s", "ada"), "What is 2 + 2?", NOW, decided, Usage())
    assert [piece async for piece in pieces] == ["About 4."] and (decided.invoke, decided.p) == (False, 0.9)


async def test_behind_other_turns_it_asks_what_was_said_and_no_model() -> None:
    fast, model, _ = mind("never", needs=True)
    text, decided = await reply(fast, "and times 99?", turns=BEFORE)
    assert (text, decided.request) == (spoken("fast/interim"), "and times 99?") and model.heard == []


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "talk"])
async def test_a_word_to_the_run_under_way_is_read(kind: str) -> None:
    fast, model, gate = mind("never", kind=kind)
    text, decided = await reply(fast, "there are 14, not 12", BUSY)
    assert (text, decided.controls, decided.invoke) == ("", ((kind, "there are 14, not 12"),), False)
    assert gate.asked == [] and len(model.heard) == 1
    assert "the cost of 12 tiles" in model.heard[0].last and model.heard[0].last.endswith("there are 14, not 12")


async def test_talk_beside_a_run_is_answered_as_ever() -> None:
    fast, model, gate = mind("Nice!", kind="talk")
    text, decided = await reply(fast, "I like your hat", BUSY)
    assert (text, decided.controls) == ("Nice!", ()) and gate.asked == ["I like your hat"]
    assert "the cost of 12 tiles" in model.heard[-1].last


async def test_without_a_run_no_word_to_one_is_looked_for() -> None:
    _, model, _ = (made := mind("Fine.", kind="stop"))
    _, decided = await reply(made[0], "stop")
    assert not decided.controls and len(model.heard) == 1


async def test_a_fault_of_the_model_comes_through() -> None:
    with pytest.raises(Unreachable):
        await reply(mind("Hel", Unreachable("Gone: start it."))[0])


def test_at_a_desk_another_mind_speaks() -> None:
    fast, _, _ = mind()
    briefing = Briefing(about("library"), Desk("s", datetime.now(UTC)), {})
    assert fast.briefed(None) is fast and isinstance(fast.briefed(briefing), DeskFast)


async def worded(result: str, says: str, said: str = "387 * 46") -> tuple[str, int]:
    model = FakeModel(lambda _: [says], abilities=SMALL)
    fast = SmallFast(model, FakeGate())
    called = Turn("fast", spoken("fast/interim"), invoke=True, request="387 * 46")
    pieces = fast.word(Dialogue("s", "ada"), said, NOW, called, result, Usage())
    return "".join([piece async for piece in pieces]), len(model.heard)


async def test_a_result_that_is_a_sentence_needs_no_wording() -> None:
    assert await worded("387 times 46 is 17802.", "never") == ("387 times 46 is 17802.", 0)


async def test_a_sentence_in_english_is_put_into_the_persons_language() -> None:
    said, english = "Was kosten drei Karten zu je 12 Euro?", "Three tickets cost 36 euros."
    assert await worded(english, "Drei Karten kosten 36 Euro.", said) == ("Drei Karten kosten 36 Euro.", 1)
    lost = await worded(english, "Drei Karten kosten 63 Euro.", said)
    assert lost == (f"Drei Karten kosten 63 Euro.\n\n{english}", 1)
    assert await worded(english * 12, "never", said) == (english * 12, 0), "a long one is told as it is"


async def test_what_a_wording_lost_stands_below_it() -> None:
    assert await worded("17802", "It is 17802.") == ("It is 17802.", 1)
    assert await worded("17802", "- ") == ("- \n\n17802", 1)


async def test_a_text_that_only_repeats_itself_ends() -> None:
    again = "Clouds can be a sign of fog, while fog can be a sign of low fog. "
    fast, _, _ = mind(*("Both are water. ", *[again] * 40))
    text, _ = await reply(fast)
    assert text.startswith("Both are water. ") and 2 < text.count("low fog") < 8


async def test_lines_of_a_table_are_no_repetition() -> None:
    rows = [f"| {n} | apples | {n * 3} pieces |\n|-----|-----|-----|\n" for n in range(30)]
    fast, _, _ = mind(*rows)
    text, _ = await reply(fast)
    assert text.strip() == "".join(rows).strip()


async def test_where_nothing_was_found_the_turn_is_plain_talk() -> None:
    assert await worded("", "Lovely.") == ("Lovely.", 1)


async def test_brackets_at_its_end_take_nothing_from_a_result() -> None:
    far = "The distance is 343.6 km (213.5 miles)"
    assert await worded(far, "never") == (far, 0)
    assert await worded("(343.6, 213.5)", "It is quite far.") == ("It is quite far.\n\n(343.6, 213.5)", 1)


@pytest.mark.parametrize(
    ("said", "greeted"),
    [
        ("We moved into the new flat yesterday.", "Hi, it's me again."),
        ("Die Schnecken haben heute Nacht meinen ganzen Salat gefressen.", "Hallo, ich bin's wieder."),
        ("anoche el peque se despertó cinco veces y hoy entro en turno de tarde", "Hola, soy yo otra vez."),
        ("আজ আমি প্রথমবার একা রান্না করলাম", None),
    ],
)
async def test_a_first_turn_stands_behind_a_greeting_in_its_language(said: str, greeted: str | None) -> None:
    model = FakeModel(lambda _: ["Good to hear."])
    fast = SmallFast(model, FakeGate())
    assert [piece async for piece in fast.reply(Dialogue("", ""), said, TurnContext(now="Monday"), Reply())]
    head, *before, last = [str(message.content) for message in model.heard[-1].messages]
    assert head == render("small/plain", now="Monday") and last == said
    assert before[:1] == ([greeted] if greeted else []), "without one a small model says back what it is told"


async def test_what_neither_mind_can_do_is_answered_beside_what_duet_cannot() -> None:
    model = FakeModel(lambda _: ["I cannot know that."])
    model.beyond = FakeModel(lambda _: ["never"], lambda _: ["True"])
    decided = Reply()
    said = [p async for p in SmallFast(model, FakeGate()).reply(Dialogue("", ""), "2 snow tonight?", NOW, decided)]
    assert said == ["I cannot know that."] and decided.beyond and not (decided.invoke or decided.doubt)
    assert render("fast/beyond") in model.heard[-1].everything and model.heard[-1].last == "2 snow tonight?"


async def test_a_later_turn_stands_behind_what_was_said_alone() -> None:
    model = FakeModel(lambda _: ["Good to hear."])
    earlier = Dialogue("", "", (Turn("user", "I am Ada."), Turn("fast", "Hello, Ada.")))
    assert [piece async for piece in SmallFast(model, FakeGate()).reply(earlier, "We moved.", TurnContext(), Reply())]
    head, *before, _ = [str(message.content) for message in model.heard[-1].messages]
    assert (head, before) == (render("small/plain", now=""), ["I am Ada.", "Hello, Ada."])


def test_each_greeting_is_one_line_and_its_answer_in_a_language_that_is_told_apart() -> None:
    for language, words in examples("small/talk_examples"):
        said, answer = words.split("\n")
        assert said and answer and language in Locale("en").languages.values()
