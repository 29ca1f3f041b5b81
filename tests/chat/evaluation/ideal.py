"""Two minds that know the script: what the harness itself is tested with. They play every dialogue as it should be.

They hear what a turn expects, call the wanted tools, which tell what the script wants to be found and change what it
wants changed on the real desk, and say what was found. A harness that does not give them the best scores is wrong; one
that does not see what is broken (test_whole.py) is of no use.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from chat.bench.ground import PlainModel
from chat.evaluation.graders.facts import says
from chat.evaluation.play import Performance
from chat.evaluation.turns import Expect, Fact, Spoken
from chat.services import Minds, Swaps
from minds.dialogue import Dialogue, Reply, Turn, TurnContext
from minds.fast import FastMind
from minds.models.language import Abilities, Said, Usage
from tests.chat.evaluation.example_text import example
from tools.desk import Desk
from tools.domains import open_domain
from tools.ledger import Findings
from tools.typed import typed_tool

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage
    from langchain_core.tools import BaseTool

_QUESTIONS = {
    "budget": "What is your budget?",
    "district": "Which district would you like?",
    "bedrooms": "How many bedrooms do you need?",
    "home": "Which home do you have in mind?",
    "day": "Which day suits you?",
    "phone": "What is your phone number?",
    "name": "What is your name?",
}
_OFFERS = ("Would you like to see it?", "Shall I arrange a viewing?")
_ELSE = "Is there anything else?"


class Prompter:
    """Hears the cue of every turn and knows what was told so far; one dialogue at a time."""

    def __init__(self) -> None:
        self.cue: Performance | None = None
        self.expect = Expect()
        self.told: set[str] = set()
        self.done: Counter[str] = Counter()
        """Changes made so far, by tool."""

    def hear(self, cue: Performance, spoken: Spoken) -> None:
        if cue is not self.cue:
            self.cue, self.told, self.done = cue, set(), Counter()
        self.expect = spoken.expect
        self.told |= set(spoken.tells)

    def wish(self, tool: str, words: str) -> dict[str, str]:
        """What the script wants changed next by this tool; where nothing, the first time for the home named."""
        assert self.cue
        script = next(script for script in self.cue.theatre.suite.dialogues if script.id == self.cue.key.script)
        every = [change for turn in script.turns for way in turn.ways for change in way.changes]
        fitting = [change for change in every if (change["kind"], change["done"]) == CHANGES[tool]]
        if self.done[tool] < len(fitting):
            change = dict(fitting[self.done[tool]])
            change["day"], _, change["time"] = change.pop("at", "").partition(" ")
            known = ("home", "name", "phone", "email", "book", "day", "time")
            return {key: value for key, value in change.items() if key in known and value}
        if tool != "book_viewing":
            return {"home": words} if words else {}
        _, found = _used("viewing_slots", self.cue, {"home": words})
        day, _, time = str(found["facts"][f"{words}.slots"][0]).partition(" ")
        return {"home": words, "day": day, "time": time}

    @property
    def needed(self) -> bool:
        """Whether the slow mind is to work."""
        return bool(self.expect.invoke or (self.expect.invoke is None and (self.expect.calls or self.expect.changes)))

    def reply(self, found: str) -> str:
        """What is found, and all else that the turn expects of a reply."""
        expect, parts = self.expect, [found] if found else []
        parts += [_told(fact) for fact in expect.facts if not says(fact, found)]
        names = [*expect.names.all, *expect.names.any[:1]]
        parts += [f"I mean {name}." for name in names if name not in found]
        parts += [example(pattern) for pattern in expect.says if not pattern.search(" ".join(parts))]
        if question := self._question():
            parts.append(question)
        if expect.invite == "right" and self.cue:
            signs = self.cue.theatre.suite.signs
            offers = [*_OFFERS, *map(example, (ways[0] for ways in signs.offers.values()))]
            parts.append(next((text for text in offers if signs.offered(text)), _OFFERS[0]))
        if not parts:
            parts.append("With pleasure.")
        return "\n".join(parts if parts[-1].endswith("?") else [*parts, _ELSE])

    def _question(self) -> str:
        wanted = next((demand for demand in self.expect.must_mine if demand not in self.told), "")
        if not wanted or not self.cue:
            return ""
        signs = self.cue.theatre.suite.signs
        texts = [_QUESTIONS.get(wanted, ""), f"{example(signs.asks[wanted][0]).strip()}?".replace("??", "?")]
        return next((text for text in texts if wanted in signs.asked(text)), texts[-1])


def _told(fact: Fact) -> str:
    """A sentence that says a fact."""
    subject, _, field = fact.name.partition(".")
    value = f"{fact.value:,}" if isinstance(fact.value, int) and not isinstance(fact.value, bool) else fact.value
    value = f"{fact.value:,.2f}" if isinstance(fact.value, float) else value
    if isinstance(fact.value, bool):
        return f"{subject} has {'a' if fact.value else 'no'} {field}."
    return f"The {field.replace('.', ' to ').replace('_', ' ')} of {subject} is {value}."


class IdealFast(FastMind):
    """Invokes where the script needs it, and says what the script expects."""

    def __init__(self, model: IdealModel, prompter: Prompter) -> None:
        super().__init__(model)
        self._prompter = prompter

    async def reply(
        self, dialogue: Dialogue, said: str, context: TurnContext, reply: Reply, usage: Usage | None = None
    ) -> AsyncIterator[str]:
        reply.invoke, reply.request = self._prompter.needed and not reply.alone, said
        yield "Let me look that up." if reply.invoke else self._prompter.reply("")

    async def word(
        self,
        dialogue: Dialogue,
        said: str,
        context: TurnContext,
        called: Turn,
        result: str,
        usage: Usage | None = None,
    ) -> AsyncIterator[str]:
        yield self._prompter.reply(result)

    async def warm(self, policy: str = "") -> None:
        """Nothing to load."""


class IdealModel(PlainModel):
    """The slow mind's model: makes the wanted calls one after the other, then says what they gave."""

    def __init__(self, prompter: Prompter) -> None:
        super().__init__(lambda _: Said("With pleasure."), Abilities(schema=True, strong=True), "ideal")
        self._prompter = prompter

    async def structured(
        self, messages: Sequence[BaseMessage], schema: dict[str, object], **_: Any
    ) -> dict[str, object]:
        """The next call, or the answer."""
        observed = [str(message.content) for message in messages if str(message.content).startswith("Obs: ")]
        wanted = self._prompter.expect.calls
        if len(observed) < len(wanted):
            call = wanted[len(observed)]
            calls = [{"tool": call.tools[0], "arguments": {"words": " ".join(call.contains)}}]
            return {"thought": "As the script wants it.", "calls": calls, "last": False}
        found = " ".join(text.removeprefix("Obs: ") for text in observed)
        return {"thought": "That is all.", "answer": found or "With pleasure."}


CHANGES = {
    "book_viewing": ("viewing", "made"), "cancel_viewing": ("viewing", "cancelled"),
    "leave_contact": ("contact", "made"), "reserve_book": ("reservation", "made"),
}  # fmt: skip
"""A tool -> the change that it makes."""


def scripted(name: str, prompter: Prompter) -> BaseTool:
    """A tool of that name that finds what the script wants of the turn, or changes it on the desk."""

    def answer(words: str = "") -> tuple[str, Findings]:
        expect = prompter.expect
        if name in CHANGES and prompter.cue:
            return _changed(name, words, prompter)
        wanted = [*(fact for call in expect.calls if name in call.tools for fact in call.gives), *expect.facts]
        found: Findings = {"facts": {fact.name: fact.value for fact in wanted}, "sources": ["the script"]}
        return " ".join(map(_told, wanted)) or "It is there.", found

    return typed_tool(name, "As the script wants it.", answer)


def _changed(name: str, words: str, prompter: Prompter) -> tuple[str, Findings]:
    """Proposed in a run of its own; carried out by another where the script says that the person agreed."""
    assert prompter.cue
    text, asking = _used(name, prompter.cue, prompter.wish(name, words))
    if not any((change["kind"], change["done"]) == CHANGES[name] for change in prompter.expect.changes):
        return asking.get("told", text), asking
    prompter.done[name] += 1
    return _used(name, prompter.cue, {"confirm": asking["asks"]})


def _used(name: str, cue: Performance, arguments: Mapping[str, Any]) -> tuple[str, Findings]:
    tool = open_domain(cue.theatre.suite.domain).make(Desk(cue.session, cue.theatre.suite.now), cue.desk)[name]
    call: Any = {"name": name, "args": dict(arguments), "id": "step", "type": "tool_call"}
    message = tool.invoke(call)
    return str(message.content), cast(Findings, message.artifact or {})


def ideal() -> dict[str, Any]:
    """Puts the ideal minds in the place of the real ones: what `perform` takes."""
    prompter = Prompter()
    model = IdealModel(prompter)
    minds = Minds(IdealFast(model, prompter), model)

    def tools(opened: Mapping[str, BaseTool]) -> Mapping[str, BaseTool]:
        return {name: scripted(name, prompter) for name in opened}

    return {"swaps": Swaps(lambda _: minds, tools), "cue": prompter.hear}
