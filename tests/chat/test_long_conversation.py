"""200 turns with a model of 32k tokens: what was said long ago can still be asked about.

The model is a server that refuses what is longer than its context, as OpenAI's does, and knows nothing but its prompt:
it gives back, word for word, what it finds there, or says that it does not know. Its summaries keep what the prompt of
the summary asks for, within the tokens that it may write. The memory finds by words alone here.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from chat.bench.paced import Body, PacedServer, Saying, offered, paced
from minds.models import ModelSettings, open_model
from tests.chat.ground import a_talk

pytestmark = pytest.mark.real  # two hundred turns over HTTP


CONTEXT = 32_768
FACT, CODE, TABLE, TURNS = 3, 150, 198, 200
SHED = "The code of the shed on the island is 7714, and its key hangs with Ottilie."
FUNCTION = '''```python
def tide_table(day, port="Husum"):
    """High waters of a day, in metres over chart datum."""
    waters = []
    for hour, height in sorted(day.items()):
        if height > 1.4:
            waters.append((hour, round(height, 2)))
        elif port != "Husum":
            waters.append((hour, None))
    if not waters:
        raise ValueError(f"no high water at {port}")
    return [f"{hour:02d}:00  {height} m" for hour, height in waters if height]
```'''
BERTHS = """| berth | boat | metres |
|---|---|---:|
| 4 | Ottilie | 9.2 |
| 5 | Seeschwalbe | 7.75 |
| 11 | Hilda | 12.4 |"""
TOPICS = ("herons", "slate roofs", "ferry timetables", "old bridges", "rye bread", "lighthouses", "moss", "clockwork")
TOKENS = re.compile(r"[^\W\d_]{1,5}|\d{1,3}|[^\w\s]|_", re.ASCII)
FACTS = re.compile(r"^(?:user: )?(?P<fact>[^?\n]*\d[^?\n]*)$", re.MULTILINE)
WORDS, PER_WORD = 400, 6
"""Of a summary, as its prompt asks for it, and the characters that are reckoned for each."""


@dataclass
class Memoryless:
    """What the server did."""

    longest: int = 0
    refused: int = 0
    summaries: int = 0

    def answer(self, body: Body) -> Saying:
        texts = [str(message.get("content") or "") for message in body["messages"]]
        size = len(TOKENS.findall("\n".join(texts) + str(body.get("tools") or "")))
        self.longest = max(self.longest, size)
        if size > CONTEXT:
            self.refused += 1
            return Saying(refusal=too_long(size))
        if not offered(body):
            self.summaries += 1
            return Saying([self._summary(texts[-1])])
        return Saying([replied(texts)])

    @staticmethod
    def _summary(prompt: str) -> str:
        """The lines with figures that are no questions: numbers are what the prompt asks for."""
        asked, _, rest = prompt.partition("What was noted before:")
        if "numbers" not in asked:
            return "They talked."
        kept = dict.fromkeys(found["fact"].strip() for found in FACTS.finditer(rest) if len(found["fact"]) < 200)
        return "\n".join(kept)[: WORDS * PER_WORD]


def too_long(size: int) -> dict[str, object]:
    """As OpenAI says it."""
    told = f"This model's maximum context length is {CONTEXT} tokens. However, your messages resulted in {size} tokens."
    return {"message": told, "type": "invalid_request_error", "param": "messages", "code": "context_length_exceeded"}


def replied(texts: list[str]) -> str:
    """From the prompt alone; what the person asks in this turn is no source."""
    said, _, context = texts[-1].partition("<context>")
    before = "\n".join([*texts[1:-1], context])
    if said.startswith("Write the function"):
        return f"Here it is.\n\n{FUNCTION}"
    if said.startswith("Make a table"):
        return BERTHS
    if said.startswith("Tell me of"):
        return f"{said.split('.')[0][8:].capitalize()} are worth a long look. " + "They change with the weather. " * 30
    if said.startswith("Note"):
        return "Noted."
    sought = {"code of the shed": SHED, "tide_table": FUNCTION, "table of the berths": BERTHS}
    wanted = next((text for words, text in sought.items() if words in said), "")
    return wanted if wanted and wanted in before else "I do not know."


def turn(number: int) -> str:
    """What the person says."""
    if number == FACT:
        return f"Note this: {SHED}"
    if number == CODE:
        return "Write the function tide_table for me, in Python."
    if number == TABLE:
        return "Make a table of the berths and boats that we have."
    return f"Tell me of {TOPICS[number % len(TOPICS)]}. " + f"I walked by the water today and thought of {number}. " * 8


@dataclass(frozen=True)
class Told:
    """What came of the conversation."""

    model: Memoryless
    replies: list[str]
    errors: list[str]
    shed: str
    code: str
    table: str
    elsewhere: str
    """The code, asked for in another conversation of the same person."""


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Told]:
    model = Memoryless()
    with paced(model.answer) as server:
        yield asyncio.run(converse(model, server, tmp_path_factory.mktemp("long")))


async def converse(model: Memoryless, server: PacedServer, folder: Path) -> Told:
    spec = f"{server.spec('memoryless')}?context={CONTEXT}"
    replies: list[str] = []
    errors: list[str] = []
    async with a_talk(folder) as talk:
        mind = open_model(spec, ModelSettings(folder), "fast")
        talk.fast = talk.slow = mind  # type: ignore[assignment]
        session = talk.session()

        async def asked(text: str, where: str = session) -> str:
            number = await talk.runs.submit(where, text)
            events = [event async for event in talk.runs.wait(where, number)]
            errors.extend(str(e.data.get("text")) for e in events if e.kind == "error")
            return "".join(str(e.data["text"]) for e in events if e.kind == "reply" and e.data["final"])

        for number in range(1, TURNS + 1):
            replies.append(await asked(turn(number)))
        await talk.remembering.settle()
        shed = await asked("What is the code of the shed on the island, and where is its key?")
        code = await asked("Show me the function tide_table again, all of it.")
        table = await asked("Show me the table of the berths again.")
        elsewhere = await asked("Show me the function tide_table again, all of it.", talk.session())
    return Told(model, replies, errors, shed, code, table, elsewhere)


def test_the_model_refuses_what_is_longer_than_it_reads() -> None:
    model = Memoryless()
    body = {"messages": [{"role": "user", "content": "a word " * CONTEXT}]}
    assert model.answer(body).refusal is not None and model.refused == 1


def test_the_model_knows_nothing_but_its_prompt() -> None:
    assert replied(["system", "What is the code of the shed?"]) == "I do not know."
    assert replied(["system", SHED, "What is the code of the shed?"]) == SHED


def test_no_turn_is_refused_and_much_of_the_context_is_used(told: Told) -> None:
    assert told.errors == [] and told.model.refused == 0
    assert len(told.replies) == TURNS and all(told.replies)
    assert CONTEXT / 4 < told.model.longest < CONTEXT
    assert 0 < told.model.summaries < TURNS / 5, "summaries cost: one whenever the window has moved"


def test_a_fact_of_the_third_turn_can_be_asked_about(told: Told) -> None:
    assert told.shed == SHED


def test_code_of_fifty_turns_ago_comes_back_line_by_line(told: Told) -> None:
    assert told.code == FUNCTION


def test_a_table_of_just_now_can_be_asked_about(told: Told) -> None:
    assert told.table == BERTHS


def test_code_of_another_conversation_comes_back_too(told: Told) -> None:
    assert told.elsewhere == FUNCTION
