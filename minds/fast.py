"""The fast mind: answers each turn at once and says whether the slow mind is needed (DUMA 2.2).

Its input is `User[...]` or `SlowMind[...]`, its output `Invoke[True|False]` and `Response[...]`, so that a dialogue
reads the same to the model whichever mind spoke. A model that continues a begun message is first asked for the flag
alone (its log-probabilities go to the gate), then for the response behind the flag that the gate decided.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from minds.briefing import Briefing
from minds.dialogue import Dialogue, Turn, clip
from minds.fidelity import invented, unfaithful
from minds.gate import Decision, Gate
from minds.models.language import LanguageModel, Usage
from minds.told import TOLD, echoes, in_place_of_echo, may_echo, noted, recalled
from prompts import examples, render

Embed = Callable[[Sequence[str]], "np.ndarray"]

FLAG = "Invoke["
STOPS = ("\nUser[", "\nSlowMind[", "\nInvoke[")
ASKED_BACK = re.compile(
    r"\b(?:(?:do|can|could) you (?:still )?(?:remember|recall) (?:what|where|when|who|which|how|my|the)"
    r"|(?:did|have|had) i (?:ever |already )?(?:tell|told|mention(?:ed)?|say|said)\b"
    r".*\b(?:what|where|when|who|which|how|my|about))",
    re.IGNORECASE,
)
"""What the person told is looked up, not made up."""
_SOURCE = r"\s*\[[^\]\n]*\b[\w-]+\.(?:md|txt|pdf)\b[^\]\n]*\]"
CITED = re.compile(rf"(?<=[.!?]){_SOURCE}\.?|{_SOURCE}")
INTERIM_TOKENS, DESK_TOKENS, REPLY_TOKENS = 24, 80, 400
CLIP = 400
"""Characters of a past utterance that the fast mind reads; the transcript has all of it."""


@dataclass(frozen=True)
class Opening:
    """The decision, known before the first word of the response."""

    decision: Decision
    messages: list[BaseMessage]
    written: str = ""
    """What a model that writes flag and response in one go had already said of the response."""
    rest: AsyncIterator[str] | None = None
    briefing: Briefing | None = None
    """Of the domain, where a small model needs its plan."""
    ready: str = ""
    """The whole response, where it needs no model."""


class FastMind:
    """One fast mind over one model; holds no dialogue, so all conversations may share it."""

    def __init__(self, model: LanguageModel, gate: Gate, embed: Embed, *, temperature: float = 0.0) -> None:
        self.model, self._gate, self._embed, self._temperature = model, gate, embed, temperature

    async def open(
        self,
        dialogue: Dialogue,
        said: str,
        situation: str = "",
        usage: Usage | None = None,
        briefing: Briefing | None = None,
    ) -> Opening:
        """Decides whether the turn needs the slow mind. Raises ModelFault."""
        able = self.model.abilities
        if briefing and not able.strong:  # for small talk a small model needs little, and reads it the sooner
            messages = fast_messages(_lately(dialogue), said, situation, briefing)
            return Opening(await self._briefed(dialogue, said, briefing), messages, briefing=briefing)
        messages = fast_messages(dialogue, said, situation, briefing)
        if not able.strong and (ready := noted(said) or recalled(said, dialogue)):
            return Opening(Decision(False, 0.0, "told"), messages, ready=ready)
        if able.prefix and able.logprobs and not able.strong:
            return Opening(await self._decision(dialogue, said, messages), messages)
        return await self._open_by_reading(dialogue, said, messages, usage)

    async def respond(self, opening: Opening, said: str, usage: Usage | None = None) -> AsyncIterator[str]:
        """The response's words. Of an invoked turn: a few words that must not guess a result."""
        if opening.decision.invoke:
            ready = opening.briefing.plan.interim if opening.briefing else ""
            yield ready or await self._interim(opening, said, usage)
            return
        if opening.ready:
            yield opening.ready
            return
        if opening.briefing:
            yield await self._at_the_desk(opening, opening.briefing, said, usage)
            return
        if opening.rest is not None:
            pieces = _chain(opening.written, opening.rest)
        else:
            pieces = self.model.stream(
                opening.messages,
                prefix=f"{FLAG}False]\nResponse[",
                stop=STOPS,
                max_tokens=REPLY_TOKENS,
                temperature=self._temperature,
                usage=usage,
            )
        shown = unbracketed(pieces)
        async for piece in shown if self.model.abilities.strong else no_echo(uncited(shown), said):
            yield piece

    async def word(
        self,
        dialogue: Dialogue,
        said: str,
        interim: str,
        result: str,
        usage: Usage | None = None,
        briefing: Briefing | None = None,
    ) -> tuple[str, str]:
        """The final reply that words `SlowMind[result]`, and why the result itself was taken instead (or "").

        The whole reply is checked before any of it is shown. A passage that a small model quotes is shown as it is:
        wording it anew could only lose from it. So is what a domain's tool has words for.
        """
        if not self.model.abilities.strong and ('"' in result or (briefing and briefing.plan.calls)):
            return result, ""
        messages = [
            *fast_messages(dialogue, said, briefing=briefing),
            AIMessage(f"{FLAG}True]\nResponse[{interim}]"),
            HumanMessage(f"SlowMind[{result}]"),
        ]
        prefix = f"{FLAG}False]\nResponse[" if self.model.abilities.prefix else ""
        text = "".join(
            [
                piece
                async for piece in self.model.stream(
                    messages, prefix=prefix, stop=STOPS, max_tokens=REPLY_TOKENS, usage=usage
                )
            ]
        )
        reply = "".join(
            [piece async for piece in unbracketed(_chain(text if prefix else parse(text)[1], None))]
        ).strip()
        fault = unfaithful(reply, result, [said]) if reply else "no reply"
        return (result if fault else reply), fault

    async def warm(self, briefing: Briefing | None = None) -> None:
        """Loads the model and its prefix."""
        await self.model.warm(fast_messages(Dialogue("", ""), "hello", briefing=briefing))

    async def _briefed(self, dialogue: Dialogue, said: str, briefing: Briefing) -> Decision:
        """A domain's plan says what a turn there needs; beyond it the gate is heard where it is sure."""
        if briefing.plan.calls:
            return Decision(True, 1.0, "domain")
        if briefing.plan.reply or briefing.plan.add:
            return Decision(False, 0.0, "domain")
        decision = self._gate.settled(said, dialogue, await self._vectors(said, dialogue))
        return decision if decision and briefing.readable else Decision(False, 0.0, "domain")

    async def _at_the_desk(self, opening: Opening, briefing: Briefing, said: str, usage: Usage | None) -> str:
        """A small model's reply in a domain: seen whole before the person sees it."""
        if briefing.plan.reply:
            return f"{briefing.plan.reply} {briefing.plan.add}".strip()
        pieces = self.model.stream(
            opening.messages,
            prefix=f"{FLAG}False]\nResponse[",
            stop=(*STOPS, "\n"),
            max_tokens=DESK_TOKENS,
            temperature=self._temperature,
            usage=usage,
        )
        text = "".join([piece async for piece in unbracketed(pieces)])
        return briefing.worded(text, [str(message.content) for message in opening.messages[-6:]])

    async def _decision(self, dialogue: Dialogue, said: str, messages: list[BaseMessage]) -> Decision:
        """The gate's; the flag, which costs the model a step, is weighed only where it could change the decision."""
        if TOLD.match(said):
            return Decision(False, 0.0, "told")
        if dialogue.turns and ASKED_BACK.search(said):
            return Decision(True, 1.0, "asked back")
        vectors = await self._vectors(said, dialogue)
        if decision := self._gate.settled(said, dialogue, vectors):
            return decision
        weights = await self.model.weigh(messages, FLAG, ("True", "False"))
        return self._gate.decide(said, dialogue, vectors, weights["True"] - weights["False"])

    async def _vectors(self, said: str, dialogue: Dialogue) -> np.ndarray:
        return await asyncio.to_thread(self._embed, self._gate.texts_to_embed(said, dialogue))

    async def _open_by_reading(
        self, dialogue: Dialogue, said: str, messages: list[BaseMessage], usage: Usage | None
    ) -> Opening:
        """The model writes flag and response itself. A strong one decides alone; else the gate may add an invoke."""
        stream = self.model.stream(
            messages, stop=STOPS, max_tokens=REPLY_TOKENS, temperature=self._temperature, usage=usage
        )
        head, flag, written = "", None, ""
        async for piece in stream:
            head += piece
            flag, written = parse(head)
            if (flag is not None and "Response[" in head) or (flag is None and not could_be_flag(head)):
                break
        if self.model.abilities.strong and flag is not None:
            return Opening(Decision(flag, 1.0 if flag else 0.0, "model"), messages, written, stream)
        vectors = await self._vectors(said, dialogue)
        decision = self._gate.decide(said, dialogue, vectors, None)
        if flag and not decision.invoke:
            decision = Decision(True, decision.p, "model")
        return Opening(decision, messages, written, stream)

    async def _interim(self, opening: Opening, said: str, usage: Usage | None) -> str:
        """A few words while the slow mind works; a small model is led by the hand and never shown guessing."""
        if opening.rest is not None:
            text = "".join([p async for p in unbracketed(_chain(opening.written, opening.rest))])
            lead = ""
        else:
            lead = "Let me"
            pieces = self.model.stream(
                opening.messages,
                prefix=f"{FLAG}True]\nResponse[{lead}",
                stop=(*STOPS, "]", ".", "\n"),
                max_tokens=INTERIM_TOKENS,
                usage=usage,
            )
            text = "".join([p async for p in pieces])
        text = f"{lead}{text}".strip().rstrip(".…,;: ") + "."
        if len(text) < 8 or len(text) > 160 or invented(text, [said]):
            return render("fast/interim")
        return text


def fast_messages(
    dialogue: Dialogue, said: str, situation: str = "", briefing: Briefing | None = None
) -> list[BaseMessage]:
    """The fast mind's context: system, examples, the dialogue in the paper's form, the turn (DUMA, eq. 1 and 3)."""
    messages = briefing.fast_preamble() if briefing else _preamble()
    messages += [as_message(turn) for turn in dialogue.turns]
    note = f"\n({situation})" if situation else ""
    return [*messages, HumanMessage(f"User[{said}]{note}")]


def _lately(dialogue: Dialogue) -> Dialogue:
    """The last exchange, in a few words."""
    return replace(dialogue, turns=tuple(replace(turn, text=clip(turn.text, 120)) for turn in dialogue.turns[-2:]))


def _preamble() -> list[BaseMessage]:
    messages: list[BaseMessage] = [SystemMessage(render("fast/system"))]
    for shown, reply in examples("fast/examples"):
        messages += [HumanMessage(shown), AIMessage(reply)]
    return messages


def as_message(turn: Turn) -> BaseMessage:
    text = clip(turn.text, CLIP)
    if turn.speaker == "user":
        return HumanMessage(f"User[{text}]")
    if turn.speaker == "slow":
        return HumanMessage(f"SlowMind[{text}]")
    return AIMessage(f"{FLAG}{turn.invoke}]\nResponse[{text}]")


def parse(text: str) -> tuple[bool | None, str]:
    """Flag and response of `Invoke[True]\\nResponse[...]`; (None, text) where a model kept to no format."""
    match = re.match(r"\s*Invoke\[\s*(True|False)\s*\]\s*", text, re.IGNORECASE)
    if not match:
        return None, text
    rest = text[match.end() :]
    opened = re.match(r"Response\[", rest)
    return match.group(1).lower() == "true", rest[opened.end() :] if opened else rest if not "Response[".startswith(
        rest
    ) else ""


def could_be_flag(head: str) -> bool:
    """True while `head` may still become `Invoke[...]`."""
    start = head.lstrip()[: len(FLAG)]
    return (FLAG.lower().startswith(start.lower()) and len(head) < 64) or (
        start.lower() == FLAG.lower() and len(head) < 64
    )


async def unbracketed(pieces: AsyncIterator[str]) -> AsyncIterator[str]:
    """The pieces without the bracket that closes `Response[...]`: the last one, unless the text itself opened it."""
    held, depth = "", 0
    async for piece in pieces:
        text = held + piece
        kept = text.rstrip()
        held = text[len(kept) - 1 :] if kept.endswith("]") else text[len(kept) :]
        if out := text[: len(text) - len(held)]:
            depth += out.count("[") - out.count("]")
            yield out
    if held.strip() == "]" and depth > 0:
        yield "]"


async def _chain(first: str, rest: AsyncIterator[str] | None) -> AsyncIterator[str]:
    if first:
        yield first
    if rest is not None:
        async for piece in rest:
            yield piece


async def no_echo(pieces: AsyncIterator[str], said: str) -> AsyncIterator[str]:
    """The pieces, held back while they may be but an echo of the person; of an echo, other words."""
    held, echo = "", True
    async for piece in pieces:
        held += piece
        if not (echo and may_echo(held, said)):
            echo = False
            yield held
            held = ""
    if held:
        yield in_place_of_echo(said) if echoes(held, said) else held


async def uncited(pieces: AsyncIterator[str]) -> AsyncIterator[str]:
    """The pieces without sources in brackets: only the slow mind reads documents, what is cited here is made up."""
    held = ""
    async for piece in pieces:
        held = CITED.sub("", held + piece)
        cut = held.rfind("[")
        opened = cut >= 0 and "]" not in held[cut:] and len(held) - cut < CLIP
        cut = max(0, len(held[:cut].rstrip()) - 1) if opened else len(held)
        if out := held[:cut]:
            yield out
        held = held[cut:]
    if held:
        yield held
