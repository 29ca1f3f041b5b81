"""What trained layers say: whether a turn needs the slow mind where the gate is not sure, what was told before, and
what asks the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from minds.dialogue import Dialogue, Reply, SaidBefore, Turn, TurnContext
from minds.gate import Decision
from minds.layers import BAR, alike, decided, from_past
from minds.models.language import Garbled, Usage
from tests.fakes import SMALL, FakeModel, Piece, Sign, in_turn

DIALOGUE = Dialogue("s", "ada", (Turn("user", "What is 7 times 8?"), Turn("fast", "It is 56.")))


class SomeGate:
    def __init__(self, p: float) -> None:
        self._p = p

    def decide(self, said: str, dialogue: Dialogue) -> Decision:
        return Decision(self._p > 0.5, self._p)


def models(says: str) -> tuple[FakeModel, FakeModel]:
    """A model whose trained layers say this."""
    model, layers = FakeModel(lambda _: ["never"], abilities=SMALL), FakeModel(lambda _: ["never"], lambda _: [says])
    model.trained = layers
    return model, layers


@pytest.mark.parametrize(("p", "says", "invoke"), [(0.3, "True", True), (0.7, "False", False), (0.4, "False", False)])
async def test_where_the_gate_is_not_sure_the_layers_are_heard(p: float, says: str, invoke: bool) -> None:
    model, layers = models(says)
    found = await decided(SomeGate(p), model, "and times 9?", DIALOGUE)
    assert found.invoke is invoke and (found.p > 0.5) is invoke
    assert layers.heard[0].last == "Person: What is 7 times 8?\nDuet: It is 56.\nInvoke: and times 9?"
    assert not model.heard


@pytest.mark.parametrize("p", [0.001, 0.999])
async def test_where_it_is_sure_nobody_is_asked(p: float) -> None:
    model, layers = models("True")
    assert (await decided(SomeGate(p), model, "hello", DIALOGUE)).p == p
    assert not layers.heard


async def test_a_model_without_such_layers_follows_the_gate() -> None:
    model = FakeModel(lambda _: ["never"], abilities=SMALL)
    assert (await decided(SomeGate(0.4), model, "hello", DIALOGUE)).invoke is False
    assert not model.heard


async def test_what_neither_mind_can_do_calls_the_slow_one_for_nothing() -> None:
    model, layers = models("True")
    model.beyond = FakeModel(lambda _: ["never"], lambda heard: [str("snow" in heard.last)])
    wanted = await decided(SomeGate(0.7), model, "will it snow tonight", DIALOGUE)
    assert (wanted.invoke, wanted.beyond) == (False, True) and not layers.heard
    assert model.beyond.heard[0].last == "Beyond: will it snow tonight"
    with_file = TurnContext(documents=("report.pdf",))
    in_file = await decided(SomeGate(0.7), model, "does the report say snow", DIALOGUE, context=with_file)
    assert (in_file.invoke, in_file.beyond) == (True, False), "a document may know"
    other = await decided(SomeGate(0.7), model, "and times 9?", DIALOGUE)
    assert (other.invoke, other.beyond) == (True, False)


# -- what was said before

TOLD = TurnContext(
    now="Friday, 27 November 2026",
    past=(
        SaidBefore("Monday, 2 November 2026", "I live in Quarry Lane", "s:1:said"),
        SaidBefore("Sunday, 8 November 2026", "Good luck!", "s:2:reply", mine=True),
    ),
)


def reading(*says: Piece) -> FakeModel:
    """A model whose layers write this."""
    model = FakeModel(lambda _: ["never"], abilities=SMALL)
    model.recalls = FakeModel(lambda heard: [] if heard.prefix else says, abilities=SMALL)
    return model


async def test_an_answer_from_what_was_said_before_comes_with_the_notes_that_it_rests_on() -> None:
    model, reply = reading("2, 1", ": In Quarry Lane."), Reply(invoke=True)
    assert await from_past(model, "Where do I live?", TOLD, reply, Usage()) == "In Quarry Lane."
    assert reply == Reply(recalled=True, rests_on=("s:2:reply", "s:1:said"))
    twice = reading("1", ": 1: In Quarry Lane.")
    assert await from_past(twice, "Where do I live?", TOLD, Reply(), Usage()) == "In Quarry Lane."
    assert isinstance(model.recalls, FakeModel) and model.recalls.heard[0].last.splitlines() == [
        "1. Monday, 2 November 2026: I live in Quarry Lane",
        "2. Sunday, 8 November 2026, you: Good luck!",
        "Today: Friday, 27 November 2026",
        "Question: Where do I live?",
    ]


async def test_figures_are_read_as_the_persons_country_writes_them() -> None:
    model = reading("1: 1250.50 * 2 = 2501. Du zahlst 2501 Euro.")
    line = SaidBefore("Montag", "Meine Wohnung kostet jetzt 1.250,50 Euro im Monat", "s:1:said")
    await from_past(model, "Was zahle ich für zwei Monate?", replace(TOLD, past=(line,)), Reply(), Usage())
    assert isinstance(model.recalls, FakeModel) and "jetzt 1250.50 Euro" in model.recalls.heard[0].last


async def test_a_sum_in_it_is_worked_out_by_the_calculator_and_not_told_twice() -> None:
    model = FakeModel(lambda _: ["never"], abilities=SMALL)
    pieces: list[Sequence[Piece]] = [["2, 1: 60 - 20 - 25 "], ["=", Sign.CUT], [". You owed 60, so 15 is left."]]
    model.recalls = layers = FakeModel(lambda _: pieces.pop(0), abilities=SMALL)
    told = await from_past(model, "What do I owe?", TOLD, reply := Reply(), Usage())
    assert told == "You owed 60, so 15 is left." and reply.rests_on == ("s:2:reply", "s:1:said")
    assert [heard.prefix for heard in layers.heard] == ["", "2, 1: 60 - 20 - 25 ", "2, 1: 60 - 20 - 25 = 15"]


async def test_what_goes_on_until_its_limit_is_no_answer() -> None:
    model, usage = reading("1, 2: 2027-02-03, 2027-02-04, 2027-02-05, ", Sign.CUT), Usage()
    assert await from_past(model, "What have I got coming up?", TOLD, reply := Reply(), usage) == ""
    assert not usage.cut and not reply.recalled


@pytest.mark.parametrize(
    "says", ["else", "else: Rome.", "3: In Quarry Lane.", "0: In Quarry Lane.", "It is at 10:30", "1:", "", "9" * 30]
)
async def test_what_is_no_such_answer_is_none(says: str) -> None:
    reply = Reply()
    assert await from_past(reading(says), "Where do I live?", TOLD, reply, Usage()) == ""
    assert reply == Reply()


async def test_what_the_layers_garble_is_none() -> None:
    assert await from_past(reading(Garbled("no words")), "Where do I live?", TOLD, Reply(), Usage()) == ""


@pytest.mark.parametrize(
    ("context", "invoke", "told"),
    [
        (TOLD, False, True),
        (TOLD, True, False),
        (replace(TOLD, documents=("lease.pdf",)), False, False),
        (replace(TOLD, instructions="I am Ada."), False, False),
    ],
)
async def test_that_it_was_not_told_is_said_where_nobody_else_may_know(
    context: TurnContext, invoke: bool, told: bool
) -> None:
    reply = Reply(invoke=invoke)
    text = await from_past(reading("none: You have not told me."), "Where do I live?", context, reply, Usage())
    assert text == "You have not told me." * told
    assert reply == (Reply(recalled=True) if told else Reply(invoke=invoke))


async def test_where_nothing_was_said_or_no_layers_are_nobody_is_asked() -> None:
    model = reading("1: never")
    assert await from_past(model, "Where do I live?", replace(TOLD, past=()), Reply(), Usage()) == ""
    assert isinstance(model.recalls, FakeModel) and not model.recalls.heard
    model.recalls = None
    assert await from_past(model, "Where do I live?", TOLD, Reply(), Usage()) == "" and not model.heard


# -- two questions


@pytest.fixture
def model() -> FakeModel:
    return FakeModel(lambda _: ["any"], in_turn())


async def test_a_model_without_layers_for_it_is_not_asked(model: FakeModel) -> None:
    assert await alike(model, "How far is the moon?", "How distant is the moon?") == 0
    assert not model.heard


async def test_they_are_the_same_whichever_stands_first(model: FakeModel) -> None:
    model.trained = FakeModel(lambda _: ["any"], in_turn("same", "same", "same", "different", "different"))
    usage = Usage()
    found = [await alike(model, "How far is the moon?", "The moon's distance?", usage) for _ in range(3)]
    assert found[0] >= BAR > found[1] > found[2]
    asked = [str(heard.messages[-1].content) for heard in model.trained.heard]
    assert asked[0] == "First: The moon's distance?\nSecond: How far is the moon?" and len(asked) == 5
    assert asked[1] == "First: How far is the moon?\nSecond: The moon's distance?"
