"""The fast mind: with native tools and in the paper's form, what it reads, decides and words."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from minds.dialogue import Dialogue, Reply, Turn, TurnContext
from minds.fast import FastMind, spoken_messages, tool_messages
from minds.models.language import Abilities, ToolCall, Unreachable, Usage
from prompts import examples, render, spoken
from tests.fakes import FORMED, STRONG, FakeModel, Piece
from tests.scripted import ScriptedModel

NOBODY = Dialogue("s", "ada")
NOW = TurnContext(now="Monday, 23 November 2026, 10:24")
BUSY = replace(NOW, running="The slow mind is still working on: the cost of paint.")
PLAIN = Abilities(strong=True)
"""A strong model of which nothing but words can be asked."""
FOUND = (
    Turn("user", "What is 387 times 46?"),
    Turn("fast", "Let me see.", invoke=True, request="387 * 46"),
    Turn("slow", "387 * 46 = 17802"),
    Turn("fast", "It is 17,802."),
)

CALLED = Turn("fast", "Let me see.", invoke=True, request="What is 387 times 46?")


def mind(*says: Piece, abilities: Abilities = STRONG) -> tuple[FastMind, FakeModel]:
    """A fast mind whose model says these pieces."""
    model = FakeModel(lambda _: says, abilities=abilities)
    return FastMind(model), model


async def reply(
    fast: FastMind, said: str = "hello", context: TurnContext = NOW, turns: Sequence[Turn] = ()
) -> tuple[str, Reply]:
    decided, usage = Reply(), Usage()
    pieces = fast.reply(Dialogue("s", "ada", tuple(turns)), said, context, decided, usage)
    text = "".join([piece async for piece in pieces])
    assert usage.calls == 1
    return text.strip(), decided


async def worded(fast: FastMind, turns: Sequence[Turn] = (), context: TurnContext = NOW) -> str:
    dialogue = Dialogue("s", "ada", tuple(turns))
    pieces = fast.word(dialogue, "What is 387 times 46?", context, CALLED, "387 * 46 = 17802", Usage())
    return "".join([piece async for piece in pieces]).strip()


def plain(messages: Sequence[BaseMessage]) -> list[tuple[str, str]]:
    return [(message.type, str(message.content)) for message in messages]


def think(*requests: str) -> list[ToolCall]:
    return [ToolCall("think", {"request": request}) for request in requests]


# -- with native tools: deciding


async def test_words_without_a_call_are_the_reply() -> None:
    fast, model = mind("Good ", "morning!")
    assert await reply(fast) == ("Good morning!", Reply())
    assert model.heard[0].tools == ("think",) and model.heard[0].free


async def test_a_call_of_think_invokes_with_its_request() -> None:
    fast, _ = mind("Let me see.", *think("387 * 46"))
    assert await reply(fast, "and times 46?") == ("Let me see.", Reply(invoke=True, request="387 * 46"))


async def test_several_calls_of_think_are_one_request() -> None:
    fast, _ = mind(*think("387 * 46", " ", "days until Christmas"))
    text, decided = await reply(fast, "both please")
    assert (text, decided.invoke, decided.request) == ("", True, "387 * 46\ndays until Christmas")


@pytest.mark.parametrize(
    "call",
    [ToolCall("think"), ToolCall("think", {"request": "  "}), ToolCall("think", fault="The arguments broke off.")],
)
async def test_a_call_without_a_request_asks_what_the_person_said(call: ToolCall) -> None:
    fast, _ = mind("One moment.", call)
    assert (await reply(fast, "What is 2 + 2?"))[1] == Reply(invoke=True, request="What is 2 + 2?")


async def test_a_word_to_the_slow_mind_is_only_offered_while_it_works() -> None:
    fast, model = mind("Fine.")
    await reply(fast, context=NOW)
    await reply(fast, context=BUSY)
    assert [heard.tools for heard in model.heard] == [("think",), ("think", "tell_slow_mind")]
    assert "the cost of paint" in model.heard[1].last and "the cost of paint" not in model.heard[0].everything


async def test_a_word_to_the_slow_mind_is_passed_on() -> None:
    fast, _ = mind("Sure.", ToolCall("tell_slow_mind", {"kind": "steer", "words": "there are 14 tiles"}))
    text, decided = await reply(fast, "it's 14 tiles", BUSY)
    assert (text, decided.controls, decided.invoke) == ("Sure.", (("steer", "there are 14 tiles"),), False)


@pytest.mark.parametrize(
    "call",
    [
        ToolCall("tell_slow_mind", {"kind": "hurry up", "words": "faster"}),
        ToolCall("tell_slow_mind", {"words": "faster"}),
        ToolCall("tell_slow_mind", fault="The arguments of tell_slow_mind are not JSON."),
    ],
)
async def test_a_word_of_no_known_kind_ends_nothing(call: ToolCall) -> None:
    decided = (await reply(mind(call)[0], "faster please", BUSY))[1]
    assert [kind for kind, _ in decided.controls] == ["steer"]


@pytest.mark.parametrize("abilities", [STRONG, FORMED, PLAIN])
async def test_where_there_is_no_slow_mind_the_model_hears_of_none(abilities: Abilities) -> None:
    fast, model = mind("It is about ", "[17,800].", abilities=abilities)
    decided, dialogue = Reply(alone=True), Dialogue("s", "ada", FOUND)
    pieces = fast.reply(dialogue, "and times 46?", replace(NOW, policy="You work for an agency."), decided)
    assert ("".join([piece async for piece in pieces]), decided) == ("It is about [17,800].", Reply(alone=True))
    [heard] = model.heard
    assert (heard.tools, heard.stop, heard.said) == ((), (), "and times 46?")
    assert [message.type for message in heard.messages] == ["system", "human", "ai", "human"]
    assert "You work for an agency." in heard.everything
    assert not any(word in heard.everything for word in ("slow mind", "think", "Invoke["))


async def test_a_tool_that_does_not_exist_decides_nothing() -> None:
    fast, _ = mind("Hello.", ToolCall("calculator", {"input": "2 + 2"}))
    assert await reply(fast) == ("Hello.", Reply())


async def test_a_tool_of_the_slow_mind_called_without_a_word_calls_that() -> None:
    fast, _ = mind(ToolCall("python", {"program": "print(2 + 2)"}))
    assert await reply(fast, "What is 2 + 2?") == ("", Reply(invoke=True, request="What is 2 + 2?"))


async def test_the_words_stream_before_they_are_whole() -> None:
    held = asyncio.Event()
    fast, model = mind("Hel", held, "lo")
    pieces = fast.reply(NOBODY, "hello", NOW, Reply())
    assert await asyncio.wait_for(anext(pieces), 5) == "Hel"
    held.set()
    assert [piece async for piece in pieces] == ["lo"]
    assert model.cancelled == 0


@pytest.mark.parametrize("abilities", [STRONG, FORMED, PLAIN])
async def test_a_fault_of_the_model_comes_through(abilities: Abilities) -> None:
    fast, _ = mind("Hel", Unreachable("The server is gone: start it again."), abilities=abilities)
    with pytest.raises(Unreachable):
        await reply(fast)


# -- with native tools: what it reads


def test_slow_results_are_answers_to_calls_of_think() -> None:
    messages = tool_messages(Dialogue("s", "ada", FOUND), "thanks", TurnContext())
    assert plain(messages[1:]) == [
        ("human", "What is 387 times 46?"),
        ("ai", "Let me see."),
        ("tool", "387 * 46 = 17802"),
        ("ai", "It is 17,802."),
        ("human", "thanks"),
    ]
    called, told = messages[2], messages[3]
    assert isinstance(called, AIMessage) and isinstance(told, ToolMessage)
    [call] = called.tool_calls
    assert (call["name"], call["args"], call["id"]) == ("think", {"request": "387 * 46"}, told.tool_call_id)


def test_a_slow_result_that_is_the_reply_stands_there_once() -> None:
    turns = (*FOUND[:2], Turn("slow", "17802"), Turn("fast", "17802\n\nSource: a.md"))
    messages = tool_messages(Dialogue("s", "ada", turns), "thanks", TurnContext())
    assert plain(messages[3:5]) == [("tool", render("fast/told")), ("ai", "17802\n\nSource: a.md")]
    assert sum("17802" in str(message.content) for message in messages) == 1


def test_every_call_of_a_long_conversation_has_its_own_answer() -> None:
    messages = tool_messages(Dialogue("s", "ada", FOUND * 5), "thanks", NOW)
    asked = [c["id"] for m in messages if isinstance(m, AIMessage) for c in m.tool_calls]
    assert asked == [m.tool_call_id for m in messages if isinstance(m, ToolMessage)]
    assert len(set(asked)) == 5
    assert all(len(str(key)) == 9 and str(key).isalnum() for key in asked), "Mistral takes no others"


def test_a_run_that_was_stopped_is_no_call_without_an_answer() -> None:
    turns = (Turn("user", "What is 2 + 2?"), Turn("fast", "Let me see.", invoke=True), Turn("user", "stop"))
    messages = tool_messages(Dialogue("s", "ada", turns), "hello", TurnContext())
    assert plain(messages[2:3]) == [("ai", "Let me see.")]
    assert not [m for m in messages if isinstance(m, AIMessage) and m.tool_calls]


def test_what_the_program_said_in_its_place_is_not_put_into_its_mouth() -> None:
    turns = (FOUND[0], Turn("fast", spoken("fast/interim"), invoke=True, request="387 * 46", filled=True), *FOUND[2:])
    messages = tool_messages(Dialogue("s", "ada", turns), "thanks", TurnContext())
    assert plain(messages[2:4]) == [("ai", ""), ("tool", "387 * 46 = 17802")]


def test_a_slow_result_without_words_before_it_is_still_told() -> None:
    """`minds: slow` for a while: nobody called the slow mind."""
    turns = (Turn("user", "What is 2 + 2?"), Turn("slow", "2 + 2 = 4"), Turn("fast", "It is 4."))
    messages = tool_messages(Dialogue("s", "ada", turns), "and now?", TurnContext())
    assert plain(messages[1:]) == [("human", "What is 2 + 2?"), ("ai", "It is 4."), ("human", "and now?")]


@pytest.mark.parametrize("make", [tool_messages, spoken_messages])
def test_a_turn_that_failed_runs_into_the_next(make: Any) -> None:
    """Chat templates of Mistral and Gemma demand that speakers alternate."""
    asked, said = make(Dialogue("s", "ada", (Turn("user", "hm"),)), "hm?", TurnContext())[-2:]
    assert asked.type == "system" and said.type == "human" and "hm?" in str(said.content)


@pytest.mark.parametrize("make", [tool_messages, spoken_messages])
def test_what_changes_from_turn_to_turn_stands_last(make: Any) -> None:
    context = TurnContext(
        now="Monday", summary="They spoke of paint.", facts=("the person said: I am Ada",), documents=("a.pdf",),
        world="A kitchen is open.", running="The slow mind counts.",
    )  # fmt: skip
    messages = make(Dialogue("s", "ada", FOUND), "thanks", context)
    before, last = "\n".join(str(m.content) for m in messages[:-1]), str(messages[-1].content)
    assert last.startswith(("thanks\n\n<context>\n", "User[thanks]\n\n<context>\n")) and last.endswith("</context>")
    for part in ("Monday", "of paint", "I am Ada", "a.pdf", "A kitchen", "mind counts"):
        assert part in last and part not in before


@pytest.mark.parametrize("make", [tool_messages, spoken_messages])
def test_without_anything_to_tell_there_is_no_note(make: Any) -> None:
    assert "<context>" not in str(make(NOBODY, "hello", TurnContext())[-1].content)


@pytest.mark.parametrize("abilities", [STRONG, FORMED])
async def test_the_head_is_constant_from_turn_to_turn(abilities: Abilities) -> None:
    """A prefix cache holds all that was sent before the turn's own words."""
    fast, model = mind("Fine.", abilities=abilities)
    await reply(fast, "hello", NOW)
    await reply(fast, "thanks", replace(BUSY, now="Tuesday"), FOUND)
    await reply(fast, "bye", NOW, (*FOUND, Turn("user", "thanks"), Turn("fast", "Welcome.")))
    one, two, three = ([*heard.messages[:-1]] for heard in model.heard)
    assert two[: len(one)] == one and three[: len(two)] == two and len(one) < len(two) < len(three)


@pytest.mark.parametrize("abilities", [STRONG, FORMED])
async def test_a_mind_knows_duet_itself_unless_it_sits_at_a_desk(abilities: Abilities) -> None:
    fast, model = mind("Fine.", abilities=abilities)
    await reply(fast, "hello", NOW)
    await reply(fast, "hello", replace(NOW, policy="You are the desk of a library."))
    page, desk = (str(heard.messages[0].content) for heard in model.heard)
    assert "no access to the internet" in page and "no access to the internet" not in desk


async def test_what_is_warmed_is_what_is_read() -> None:
    for abilities in (STRONG, FORMED):
        fast, model = mind("Fine.", abilities=abilities)
        await fast.warm("You work for an agency.")
        await reply(fast, context=replace(NOW, policy="You work for an agency."))
        assert model.warmed[0][:-1] == model.heard[0].messages[:-1]
        assert "You work for an agency." in str(model.heard[0].messages[0].content)


# -- with native tools: wording


async def test_a_result_is_worded_as_the_answer_of_think() -> None:
    fast, model = mind("387 times 46 ", "is 17,802.")
    assert await worded(fast) == "387 times 46 is 17,802."
    called, told = model.heard[0].messages[-2:]
    assert isinstance(called, AIMessage) and isinstance(told, ToolMessage)
    assert (called.content, told.content) == ("Let me see.", "387 * 46 = 17802")
    assert called.tool_calls[0]["id"] == told.tool_call_id


async def test_while_wording_the_tools_are_there_and_may_not_be_called() -> None:
    """The same tools keep the prefix cache; a call would be a result that nobody words."""
    fast, model = mind("It is 17,802.")
    await worded(fast)
    assert model.heard[0].tools == ("think",) and not model.heard[0].free


async def test_a_wording_goes_on_from_the_turns_own_prompt() -> None:
    fast, model = mind("Fine.")
    await reply(fast, "What is 387 times 46?", NOW, FOUND)
    await worded(fast, FOUND)
    heard, told = (list(h.messages) for h in model.heard)
    assert told[: len(heard)] == heard


async def test_a_call_keeps_its_id_in_the_turns_behind_it() -> None:
    fast, model = mind("Fine.")
    await worded(fast)
    worded_as = [c["id"] for m in model.heard[0].messages if isinstance(m, AIMessage) for c in m.tool_calls]
    later = tool_messages(Dialogue("s", "ada", FOUND), "thanks", TurnContext())
    assert worded_as == [c["id"] for m in later if isinstance(m, AIMessage) for c in m.tool_calls]


async def test_a_wording_does_not_share_its_call_with_an_earlier_one() -> None:
    fast, model = mind("Fine.")
    await worded(fast, FOUND)
    ids = [c["id"] for m in model.heard[0].messages if isinstance(m, AIMessage) for c in m.tool_calls]
    assert len(ids) == len(set(ids)) == 2


@pytest.mark.parametrize("abilities", [STRONG, FORMED])
async def test_a_reply_has_the_length_that_is_asked_for(abilities: Abilities) -> None:
    for length, limit in ((0, None), (40, 40)):
        model = FakeModel(lambda _: ["Fine."], abilities=abilities)
        fast = FastMind(model, length=length)
        await reply(fast)
        await worded(fast)
        assert [heard.limit for heard in model.heard] == [limit, limit]


# -- in the paper's form: a strong model


@pytest.mark.parametrize("abilities", [FORMED, PLAIN])
async def test_without_tools_a_strong_model_writes_the_form(abilities: Abilities) -> None:
    fast, model = mind("Invoke[True]\nResponse[I will ", "look.]\nRequest[387 * 46]", abilities=abilities)
    assert await reply(fast, "times 46?") == ("I will look.", Reply(invoke=True, request="387 * 46"))
    [heard] = model.heard
    assert heard.prefix == "" and heard.tools == () and "\nUser[" in heard.stop


async def test_what_a_model_thinks_before_the_form_does_not_end_it() -> None:
    thought = "<think>\nThey greet me.\n</think>\n\nInvoke[False]\nResponse[Hello!]"
    assert (await reply(FastMind(ScriptedModel([thought], abilities=PLAIN))))[0] == "Hello!"


async def test_a_form_without_a_request_asks_what_the_person_said() -> None:
    fast, _ = mind("Invoke[True]\nResponse[I will look.]", abilities=FORMED)
    assert (await reply(fast, "What is 2 + 2?"))[1].request == "What is 2 + 2?"


async def test_a_request_without_an_invoke_is_not_asked() -> None:
    fast, _ = mind("Invoke[False]\nResponse[It is 4.]\nRequest[2 + 2]", abilities=FORMED)
    text, decided = await reply(fast)
    assert (text, decided.invoke) == ("It is 4.", False)


async def test_a_strong_model_that_keeps_to_no_form_has_replied() -> None:
    fast, _ = mind("Hel", "lo ", "there.", abilities=FORMED)
    assert await reply(fast) == ("Hello there.", Reply())


async def test_a_strong_model_reads_the_examples_in_one_message() -> None:
    fast, model = mind("Invoke[False]\nResponse[Fine.]", abilities=FORMED)
    await reply(fast, "hello", TurnContext(), FOUND)
    heard = model.heard[0].messages
    assert [m.type for m in heard] == ["system", "human", "ai", "human", "ai", "human"]
    assert all(said in str(heard[0].content) for said, _ in examples("fast/examples"))


async def test_a_result_is_worded_in_the_form() -> None:
    fast, model = mind("Invoke[False]\nResponse[387 times 46 is 17,802.]", abilities=FORMED)
    assert await worded(fast) == "387 times 46 is 17,802."
    assert plain(model.heard[0].messages[-2:]) == [
        ("ai", "Invoke[True]\nResponse[Let me see.]"),
        ("human", "SlowMind[387 * 46 = 17802]"),
    ]


@pytest.mark.parametrize(
    ("abilities", "said"), [(STRONG, ""), (FORMED, "Invoke[False]\nResponse["), (FORMED, "Invoke[False]")]
)
async def test_a_model_without_words_gives_none(abilities: Abilities, said: str) -> None:
    fast, _ = mind(said, abilities=abilities)
    assert (await reply(fast))[0] == ""
