"""The fast mind: flag and response in every shape, streamed in every way, and no guess ahead of the slow mind."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence

import pytest

from minds.dialogue import Dialogue, Turn
from minds.fast import FastMind, as_message, could_be_flag, fast_messages, parse, unbracketed
from minds.models.language import Abilities, Unreachable, Usage
from prompts import render
from tests.fakes import SMALL, FakeGate, FakeModel, Piece, flat

NOBODY = Dialogue("s", "ada")
PLAIN = Abilities()
STRONG = Abilities(strong=True)


def mind(
    says: Sequence[Piece], *, abilities: Abilities = SMALL, needs: bool = False
) -> tuple[FastMind, FakeModel, FakeGate]:
    """A fast mind whose model says these pieces and whose gate decides `needs`."""
    model, gate = FakeModel(lambda _: says, abilities=abilities), FakeGate(lambda _: needs)
    return FastMind(model, gate, flat), model, gate  # type: ignore[arg-type]


async def reply(fast: FastMind, said: str = "hello") -> tuple[bool, str]:
    opening = await fast.open(NOBODY, said)
    return opening.decision.invoke, "".join([piece async for piece in fast.respond(opening, said)])


# -- the form


@pytest.mark.parametrize(
    ("text", "flag", "response"),
    [
        ("Invoke[True]\nResponse[Let me see.]", True, "Let me see.]"),
        ("Invoke[False]\nResponse[Hello!]", False, "Hello!]"),
        ("  Invoke[ false ] Response[Hello!]", False, "Hello!]"),
        ("invoke[TRUE]\n\nResponse[x", True, "x"),
        ("Invoke[True]", True, ""),
        ("Invoke[True]\nResp", True, ""),
        ("Invoke[False]\nHello without the word", False, "Hello without the word"),
        ("Hello!", None, "Hello!"),
        ("Invoke[Maybe]\nResponse[x]", None, "Invoke[Maybe]\nResponse[x]"),
        ("Response[Hello]", None, "Response[Hello]"),
        ("Inv", None, "Inv"),
        ("", None, ""),
    ],
)
def test_flag_and_response_are_read(text: str, flag: bool | None, response: str) -> None:
    assert parse(text) == (flag, response)


@pytest.mark.parametrize("head", ["", " ", "I", "Invoke", "Invoke[", "invoke[Tr", "\nInvoke[False"])
def test_a_beginning_may_still_become_a_flag(head: str) -> None:
    assert could_be_flag(head)


@pytest.mark.parametrize("head", ["Hello", "In a moment", "Invoke me", "Invoke[" + "x" * 80])
def test_other_beginnings_may_not(head: str) -> None:
    assert not could_be_flag(head)


BRACKETS = [
    ("Hello!]", "Hello!"),
    ("Hello!", "Hello!"),
    ("Hello!]\n", "Hello!"),
    ("See [1].]", "See [1]."),
    ("See [1]]", "See [1]"),
    ("See [1]", "See [1]"),
    ("a[0] = b[1]]", "a[0] = b[1]"),
    ("[[x]]]", "[[x]]"),
    ("one] two]", "one] two"),
    ("]", ""),
    ("", ""),
    ("tail  \n ]  ", "tail  \n "),
]


@pytest.mark.parametrize(("text", "wanted"), BRACKETS)
async def test_the_closing_bracket_goes_wherever_the_stream_is_cut(text: str, wanted: str) -> None:
    for first in range(len(text) + 1):
        for second in range(first, len(text) + 1):
            pieces = [text[:first], text[first:second], text[second:]]
            got = "".join([piece async for piece in unbracketed(played(pieces))])
            assert got.strip() == wanted.strip(), pieces
    assert "".join([p async for p in unbracketed(played(list(text)))]).strip() == wanted.strip()


async def played(pieces: Sequence[str]) -> AsyncIterator[str]:
    for piece in pieces:
        yield piece


# -- a model that continues what was begun for it


async def test_a_small_model_is_asked_for_the_flag_and_the_gate_decides() -> None:
    fast, model, gate = mind(["Good ", "morning", "!]"])
    assert await reply(fast) == (False, "Good morning!")
    assert gate.asked == [("hello", 0.0)]
    assert [heard.prefix for heard in model.heard] == ["Invoke[", "Invoke[False]\nResponse["]


async def test_a_sure_gate_does_not_wait_for_the_flag() -> None:
    fast, model, gate = mind(["Good morning!"])
    gate.sure = True
    assert await reply(fast) == (False, "Good morning!")
    assert gate.asked == [("hello", None)]
    assert [heard.prefix for heard in model.heard] == ["Invoke[False]\nResponse["]


@pytest.mark.parametrize(
    ("said", "needed"),
    [
        ("Can you remember what I do for a living?", True),
        ("did i tell you about my brother's new job?", True),
        ("Do you remember your first day?", False),
        ("Did I say something wrong?", False),
    ],
)
async def test_what_was_told_is_looked_up(said: str, needed: bool) -> None:
    fast, _, _ = mind(["x"], needs=False)
    opening = await fast.open(Dialogue("s", "ada", (Turn("user", "hi"),)), said)
    assert opening.decision.invoke is needed


async def test_an_invoked_turn_begins_with_a_few_words() -> None:
    fast, model, _ = mind([" look", " that up"], needs=True)
    assert await reply(fast, "What is 2 + 2?") == (True, "Let me look that up.")
    assert model.heard[-1].prefix == "Invoke[True]\nResponse[Let me"


@pytest.mark.parametrize("guess", [" tell you: it is 4", "", " ", " check " + "very " * 60, " multiply 387 by 99"])
async def test_an_interim_reply_never_guesses(guess: str) -> None:
    fast, _, _ = mind([guess], needs=True)
    assert (await reply(fast, "What is 2 + 2?"))[1] == render("fast/interim")


async def test_an_interim_reply_may_repeat_the_figures_of_the_question() -> None:
    fast, _, _ = mind([" multiply 387 by 46"], needs=True)
    assert (await reply(fast, "387 times 46?"))[1] == "Let me multiply 387 by 46."


async def test_the_gate_hears_turn_and_log_odds() -> None:
    class Leaning(FakeModel):
        async def weigh(self, messages: object, prefix: str, choices: Sequence[str]) -> dict[str, float]:
            return {"True": -0.5, "False": -3.0}

    gate = FakeGate(lambda _: True)
    await FastMind(Leaning(lambda _: [" see"]), gate, flat).open(NOBODY, "hm")  # type: ignore[arg-type]
    assert gate.asked == [("hm", 2.5)]


async def test_a_fault_of_the_model_comes_through() -> None:
    fast, _, _ = mind(["Hel", Unreachable("The server is gone: start it again.")])
    with pytest.raises(Unreachable):
        await reply(fast)


# -- a model that writes flag and response in one go


WRITTEN = "Invoke[False]\nResponse[Hello [again]!]"


async def test_a_written_flag_is_read_wherever_the_stream_is_cut() -> None:
    for cut in range(len(WRITTEN) + 1):
        fast, _, _ = mind([WRITTEN[:cut], WRITTEN[cut:]], abilities=STRONG)
        assert await reply(fast) == (False, "Hello [again]!"), cut
    fast, _, _ = mind(list(WRITTEN), abilities=STRONG)
    assert await reply(fast) == (False, "Hello [again]!")


async def test_a_strong_model_decides_alone() -> None:
    fast, _, gate = mind(["Invoke[True]\nResponse[I will look.]"], abilities=STRONG, needs=False)
    assert await reply(fast) == (True, "I will look.")
    assert gate.asked == []


async def test_the_response_streams_before_it_is_whole() -> None:
    held = asyncio.Event()
    fast, _, _ = mind(["Invoke[False]\nResponse[Hel", "lo ", held, "there]"], abilities=STRONG)
    opening = await asyncio.wait_for(fast.open(NOBODY, "hello"), 5)
    pieces = fast.respond(opening, "hello")
    assert [await asyncio.wait_for(anext(pieces), 5) for _ in range(2)] == ["Hel", "lo"]
    held.set()
    assert "".join([piece async for piece in pieces]) == " there"


async def test_a_model_without_the_form_is_taken_at_its_word_and_the_gate_decides() -> None:
    for needs in (False, True):
        fast, _, gate = mind(["Hel", "lo ", "there."], abilities=STRONG, needs=needs)
        invoke, text = await reply(fast)
        assert (invoke, gate.asked) == (needs, [("hello", None)])
        assert text == "Hello there."


@pytest.mark.parametrize(("flag", "needs", "invoke"), [(True, False, True), (False, True, True), (False, False, False)])
async def test_a_weak_model_or_the_gate_may_call_the_slow_mind(flag: bool, needs: bool, invoke: bool) -> None:
    fast, _, _ = mind([f"Invoke[{flag}]\nResponse[Well, let me see]"], abilities=PLAIN, needs=needs)
    assert await reply(fast) == (invoke, "Well, let me see." if invoke else "Well, let me see")


async def test_a_written_guess_is_not_shown_before_the_slow_mind_has_thought() -> None:
    fast, _, _ = mind(["Invoke[True]\nResponse[That is 17,902.]"], abilities=STRONG)
    assert await reply(fast, "387 times 46?") == (True, render("fast/interim"))


@pytest.mark.parametrize("text", ["", "   ", "Invoke[False]", "Invoke[False]\nResponse["])
async def test_a_model_without_words_gives_none(text: str) -> None:
    fast, _, _ = mind([text], abilities=STRONG)
    assert (await reply(fast))[1].strip() == ""


# -- wording a result


async def worded(fast: FastMind, result: str = "387 * 46 = 17802") -> tuple[str, str]:
    usage = Usage()
    text, fault = await fast.word(NOBODY, "What is 387 times 46?", "Let me see.", result, usage)
    assert usage.written > 0
    return text, fault


async def test_a_faithful_wording_stands() -> None:
    fast, model, _ = mind(["387 times 46 ", "is 17,802.]"])
    assert await worded(fast) == ("387 times 46 is 17,802.", "")
    heard = model.heard[-1]
    assert heard.last == "SlowMind[387 * 46 = 17802]"
    assert str(heard.messages[-2].content) == "Invoke[True]\nResponse[Let me see.]"


async def test_a_model_that_writes_the_flag_again_words_as_well() -> None:
    fast, _, _ = mind(["Invoke[False]\nResponse[387 times 46 is 17,802.]"], abilities=PLAIN)
    assert await worded(fast) == ("387 times 46 is 17,802.", "")


@pytest.mark.parametrize("says", ["387 times 46 is 17812.]", "Done!]", "", "]", "   "])
async def test_the_result_stands_for_an_unfaithful_wording(says: str) -> None:
    fast, _, _ = mind([says])
    text, fault = await worded(fast)
    assert text == "387 * 46 = 17802" and fault


# -- what the model reads


def test_the_dialogue_reads_as_in_the_paper() -> None:
    turns = (
        Turn("user", "What is 2 + 2?"),
        Turn("fast", "Let me see.", invoke=True),
        Turn("slow", "2 + 2 = 4"),
        Turn("fast", "It is 4."),
    )
    messages = fast_messages(Dialogue("s", "ada", turns), "thanks", "The slow mind is busy.")
    assert [str(m.content) for m in messages[-5:]] == [
        "User[What is 2 + 2?]",
        "Invoke[True]\nResponse[Let me see.]",
        "SlowMind[2 + 2 = 4]",
        "Invoke[False]\nResponse[It is 4.]",
        "User[thanks]\n(The slow mind is busy.)",
    ]
    assert [m.type for m in messages[-5:]] == ["human", "ai", "human", "ai", "human"]


def test_long_turns_are_clipped_for_the_fast_mind_and_the_turn_itself_is_not() -> None:
    message = as_message(Turn("user", "x" * 5000))
    assert len(str(message.content)) < 500 and "[…]" in str(message.content)
    assert "y" * 5000 in str(fast_messages(NOBODY, "y" * 5000)[-1].content)


def test_the_constant_part_of_the_context_is_constant() -> None:
    one, other = fast_messages(NOBODY, "a"), fast_messages(Dialogue("t", "ben"), "b")
    assert one[:-1] == other[:-1]
