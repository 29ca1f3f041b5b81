"""Two minds that know the script: what the harness itself is tested with. They play every dialogue as it should be.

They read what a turn expects (Cue), call the wanted tools on the real desk, and say what was found. A harness that
does not give them the best scores is wrong; one that does not see them broken (perturbed.py) is of no use.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from chat.bench.example_text import example
from chat.evaluation.graders.facts import says
from chat.evaluation.graders.tools import lacks
from chat.evaluation.play import Cue, Rig
from chat.evaluation.record import Call
from chat.evaluation.script_branches import asked, offered
from chat.evaluation.turns import CallWanted, Expect, Fact
from chat.services import Minds, Swaps
from minds.dialogue import Dialogue, Reply, Turn, TurnContext
from minds.fast import FastMind
from minds.models.language import Abilities, Offered, Said, ToolCall, Usage

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
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
        self.cue: Cue | None = None
        self.tools: Mapping[str, BaseTool] = {}
        self.told: set[str] = set()
        self.past: list[str] = []
        """What the person said before, oldest first."""
        self._user = ""

    def hear(self, cue: Cue) -> None:
        if cue.user != self._user:
            self._user, self.told, self.past = cue.user, set(), []
        elif self.cue:
            self.past.append(self.cue.spoken.person)
        self.cue = cue
        self.told |= set(cue.spoken.tells)

    @property
    def expect(self) -> Expect:
        return self.cue.spoken.expect if self.cue else Expect()

    @property
    def said(self) -> str:
        return self.cue.spoken.person if self.cue else ""

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
            signs = self.cue.suite.signs
            offers = [*_OFFERS, *map(example, signs.offers.values())]
            parts.append(next((text for text in offers if offered(text, signs)), _OFFERS[0]))
        if not parts:
            parts.append("With pleasure.")
        return "\n".join(parts if parts[-1].endswith("?") else [*parts, _ELSE])

    def _question(self) -> str:
        wanted = next((demand for demand in self.expect.must_mine if demand not in self.told), "")
        if not wanted or not self.cue:
            return ""
        signs = self.cue.suite.signs
        texts = [_QUESTIONS.get(wanted, ""), f"{example(signs.asks[wanted]).strip()}?".replace("??", "?")]
        return next((text for text in texts if wanted in asked(text, signs)), texts[-1])


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


class IdealModel:
    """The slow mind's model: makes the wanted calls one after the other, then says what they gave."""

    spec = "ideal"
    abilities = Abilities(schema=True, strong=True)
    chat = cast("BaseChatModel", None)

    def __init__(self, prompter: Prompter) -> None:
        self._prompter = prompter

    async def structured(
        self,
        messages: Sequence[BaseMessage],
        schema: dict[str, object],
        *,
        max_tokens: int | None = None,
        temperature: float = 0.0,
        usage: Usage | None = None,
    ) -> dict[str, object]:
        observed = [str(message.content) for message in messages if str(message.content).startswith("Obs: ")]
        wanted = self._prompter.expect.calls
        if len(observed) < len(wanted):
            tool, argument = self._call(wanted[len(observed)])
            calls = [{"tool": tool, "arguments": self._arguments(tool, argument)}]
            return {"thought": "As the script wants it.", "calls": calls, "last": False}
        found = " ".join(text.removeprefix("Obs: ") for text in observed)
        return {"thought": "That is all.", "answer": found or "With pleasure."}

    def _arguments(self, tool: str, argument: str) -> dict[str, str]:
        """A domain's tools take one text."""
        opened = self._prompter.tools.get(tool)
        return {next(iter(opened.args)): argument} if opened else {}

    def _call(self, wanted: CallWanted) -> tuple[str, str]:
        """The first wording that gives what is wanted; what changes the database is said only once."""
        prompter = self._prompter
        if prompter.expect.changes:
            return wanted.tools[0], prompter.said
        tried = [(tool, text) for tool in wanted.tools for text in dict.fromkeys(self._wordings(wanted))]
        return next((each for each in tried if not self._lacks(*each, wanted)), tried[0])

    def _wordings(self, wanted: CallWanted) -> Iterator[str]:
        prompter = self._prompter
        ids = re.findall(r"\b[A-Z]-\d+\b", " ".join(f.name for f in (*wanted.gives, *prompter.expect.facts)))
        before = re.findall(r"\b[A-Z]-\d+\b", " ".join(prompter.past))
        words = " ".join(wanted.contains)
        yield prompter.said
        yield f"{' and '.join(dict.fromkeys(ids))} {prompter.said}"
        yield f"{words} {prompter.said}"
        yield words
        yield f"{' and '.join(dict.fromkeys(ids))} {words}"
        for count in range(1, len(prompter.past) + 1):
            yield " ".join([*prompter.past[-count:], prompter.said])
        yield f"{' '.join(before[-1:])} {prompter.said}"
        yield f"{' and '.join(dict.fromkeys(before[-2:]))} {words}"

    def _lacks(self, tool: str, argument: str, wanted: CallWanted) -> str:
        from langchain_core.tools import ToolException

        opened = self._prompter.tools.get(tool)
        if opened is None or not argument.strip():
            return "no such tool"
        try:
            call = {"name": tool, "args": self._arguments(tool, argument), "id": "step", "type": "tool_call"}
            message = opened.invoke(cast(Any, call))
        except ToolException as fault:
            return str(fault)
        found: Mapping[str, Any] = getattr(message, "artifact", None) or {}
        text = str(message.content)
        made = Call(tool, argument, text, facts=found.get("facts", {}), hollow=not found)
        missing = [f for f in self._prompter.expect.facts if f.name not in made.facts and not says(f, text)]
        return lacks(made, wanted) or (f"no {missing[0].name}" if missing and len(wanted.gives) == 0 else "")

    async def stream(
        self,
        messages: Sequence[BaseMessage],
        *,
        prefix: str = "",
        stop: Sequence[str] = (),
        max_tokens: int | None = None,
        temperature: float = 0.0,
        tools: Sequence[Offered] = (),
        calls: list[ToolCall] | None = None,
        usage: Usage | None = None,
    ) -> AsyncIterator[str]:
        yield "With pleasure."

    async def weigh(
        self, messages: Sequence[BaseMessage], prefix: str, choices: Sequence[str], usage: Usage | None = None
    ) -> dict[str, float]:
        return dict.fromkeys(choices, -1.0)

    async def call(
        self,
        messages: Sequence[BaseMessage],
        tools: Sequence[Offered],
        *,
        max_tokens: int | None = None,
        temperature: float = 0.0,
        usage: Usage | None = None,
        aloud: Callable[[str], None] | None = None,
    ) -> Said:
        return Said("With pleasure.")

    async def warm(self, messages: Sequence[BaseMessage]) -> None:
        """Nothing to load."""

    async def close(self) -> None:
        """Nothing is held open."""


def ideal() -> Rig:
    """Puts the ideal minds in the place of the real ones."""
    prompter = Prompter()
    model = IdealModel(prompter)
    minds = Minds(IdealFast(model, prompter), model)

    def tools(opened: Mapping[str, BaseTool]) -> Mapping[str, BaseTool]:
        prompter.tools = opened
        return opened

    return Rig(Swaps(lambda _: minds, tools), prompter.hear)
