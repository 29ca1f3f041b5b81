"""Words that work something out: what a sum in them comes to is put in, not written by the model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from minds.models.language import Usage
from minds.strategies.words import worked_out
from tests.fakes import SMALL, FakeModel, Piece, Sign

HEAD: list[BaseMessage] = [SystemMessage("Step by step.")]
ASKED: list[BaseMessage] = [HumanMessage("6 pens at 1.20 and a pad for 3.50?")]


def writes(*calls: Sequence[Piece], prefix: bool = True) -> FakeModel:
    """What it writes call by call."""
    left = list(calls)
    return FakeModel(lambda heard: left.pop(0), abilities=replace(SMALL, prefix=prefix))


EQUALS: list[Piece] = [" =", Sign.CUT]


async def test_what_a_sum_comes_to_is_put_in_and_gone_on_from() -> None:
    model = writes(["The pens: 6 * 1.20"], EQUALS, [", so 7.20 + 3.50"], EQUALS, [".\nIt is 10.70."])
    text = await worked_out(model, HEAD, ASKED, 100, Usage())
    assert text == "The pens: 6 * 1.20 = 7.20, so 7.20 + 3.50 = 10.70.\nIt is 10.70."
    assert model.heard[2].prefix == "The pens: 6 * 1.20 = 7.20"


async def test_behind_what_is_no_sum_the_model_goes_on_itself() -> None:
    model = writes(["Let x "], ["=", Sign.CUT], [" 3 + 4"], EQUALS, [" apples"], [])
    assert await worked_out(model, HEAD, ASKED, 100, Usage()) == "Let x = 3 + 4 = 7 apples"


async def test_nothing_is_put_in_behind_an_end_that_looks_like_a_sum() -> None:
    assert await worked_out(writes(["You need 10-12"], []), HEAD, ASKED, 100, Usage()) == "You need 10-12"


async def test_it_breaks_off_at_its_limit() -> None:
    model, usage = writes(["6 * 1.20"], EQUALS, ["and ", "and", Sign.CUT]), Usage()
    assert await worked_out(model, HEAD, ASKED, 100, usage) == "6 * 1.20 = 7.20and and"
    assert usage.cut


async def test_sums_without_end_break_off_too() -> None:
    usage = Usage()
    model = FakeModel(
        lambda heard: EQUALS if heard.limit == 1 else [" + 1" if heard.prefix else "1 + 1"], abilities=SMALL
    )
    text = await worked_out(model, HEAD, ASKED, 6, usage)
    assert text == "1 + 1 = 2 + 1 = 3 + 1 = 4"
    assert usage.cut


async def test_a_model_that_cannot_go_on_calculates_itself() -> None:
    model = writes(["6 * 1.20 = 7."], prefix=False)
    assert await worked_out(model, HEAD, ASKED, 100, Usage()) == "6 * 1.20 = 7."
    assert model.heard[0].stop == ()


async def test_a_head_with_examples_is_taken_up_again_where_the_server_keeps_it() -> None:
    head = [*HEAD, HumanMessage("2 and 3?"), AIMessage("2 + 3 = 5.")]
    for keeps in (True, False):
        model = writes(["It is 5."])
        model.abilities = replace(SMALL, keeps=keeps)
        await worked_out(model, head, ASKED, 100, Usage())
        assert [list(one[:-1]) for one in model.warmed] == [head] * keeps
