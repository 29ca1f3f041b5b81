"""A small model looks into the uploaded documents first: it quotes what they tell, and says where they do not."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest
from langchain_core.messages import BaseMessage

from minds.dialogue import Answer, Dialogue, Episode, Move, Task, Turn, TurnContext
from minds.gate import Decision
from minds.looking_up import LooksUp, quoted
from minds.slow import Limits, Workbench, think
from tests.fakes import SMALL, FakeModel, tools_of
from tests.minds.test_slow import Ear
from tools.desk import Chunk, Desk

ASKED = "what if i lose the flat key"
LEASE = (
    Chunk("lease.md", "7. Keys", "There are three keys.\nA lost flat key costs £45. It is new then."),
    Chunk("lease.md", "8. Waste", "The bins are emptied on Tuesday."),
)
CONTEXT = TurnContext(documents=("lease.md",), looks_for=ASKED, near=0.6)


class Otherwise:
    """The strategy that has the turn where nothing was told."""

    def prompt(self, episode: Episode) -> list[BaseMessage]:
        return []

    async def act(self, episode: Episode) -> Move:
        return Move("", answer=f"worked out behind {len(episode.steps)}")


async def solve(
    wrote: str, decision: Decision, context: TurnContext = CONTEXT, said: str = ASKED, **more: Any
) -> tuple[Answer, FakeModel]:
    model = FakeModel(lambda heard: [wrote], abilities=SMALL)
    gate = SimpleNamespace(decide=lambda said, dialogue: decision)
    tools = tools_of(Desk("s", datetime(2026, 12, 1, tzinfo=UTC), LEASE))
    dialogue = more.pop("dialogue", Dialogue("s", "ada"))
    bench = Workbench(model, lambda: tools, **more)
    task = Task(said, said, dialogue, context)
    return await think(task, LooksUp(bench, Otherwise(), gate), lambda: tools, Ear(), Limits(steps=6)), model


ASKS, WORK, TALK = Decision(True, 0.5, 0.9), Decision(True, 0.99, 0.1), Decision(False, 0.01, 0.02)


async def test_the_answer_stands_above_the_sentence_that_tells_it_and_its_place() -> None:
    answer, model = await solve("£45", ASKS)
    assert answer.text == "£45\n\n> A lost flat key costs £45.\n>\n> — lease.md, 7. Keys"
    assert answer.solved and not answer.doubt and answer.worded
    assert [step.action for step in answer.episode.steps] == ["documents"]
    [heard] = model.heard
    assert "A lost flat key costs £45" in heard.said and heard.said.endswith(ASKED)


async def test_a_figure_that_stands_nowhere_is_doubted() -> None:
    answer, _ = await solve("It costs £90.", ASKS)
    assert answer.doubt and "£90" in answer.text


@pytest.mark.parametrize(
    ("decision", "said"),
    [
        (ASKS, "I looked into lease.md: it does not say."),
        (WORK, "I looked into lease.md: it does not say."),
        (TALK, ""),
    ],
)
async def test_what_no_passage_tells_is_said_or_left_to_others(decision: Decision, said: str) -> None:
    answer, _ = await solve("Not told.", decision)
    assert answer.text == said
    assert not (said and answer.solved)


async def test_what_brings_its_own_figures_is_worked_out() -> None:
    answer, model = await solve("£45", WORK, said="3 keys at 45 each")
    assert answer.text == "worked out behind 0" and not model.heard


async def test_what_is_not_told_is_worked_out_of_the_figures_that_were_told_last() -> None:
    told = Dialogue("s", "ada", (Turn("user", ASKED), Turn("fast", "It costs £45.")))
    answer, _ = await solve("not told", WORK, said="and for two?", dialogue=told)
    assert answer.text == "worked out behind 1"


async def test_a_slow_mind_that_answers_alone_goes_on_by_itself() -> None:
    answer, _ = await solve("not told", TALK, alone=True)
    assert answer.text == "worked out behind 1"


async def test_nothing_is_searched_where_nothing_comes_near() -> None:
    answer, model = await solve("£45", ASKS, TurnContext(documents=("lease.md",)))
    assert answer.text == "worked out behind 0" and not model.heard


def test_the_line_of_a_list_is_quoted_alone() -> None:
    passages = [("a.md", "- Monday: 8 to 12\n- Tuesday: closed"), ("b.md", "On Sunday no one")]
    assert quoted(passages, "when is it open on monday", "From 8 to 12") == ("a.md", "- Monday: 8 to 12")
    assert quoted(passages, "on monday until 12", "to 12") == ("a.md", "- Monday: 8 to 12")
    assert quoted(passages, "und am Freitag?", "zehn") == ("", "")
