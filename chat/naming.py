"""Names a conversation after its first exchange: in idle time, by a strong fast mind whose words cost nothing.

Nobody pays for a call that was not asked for: behind an address elsewhere the person's first words stay the title, and
so they do where the model is small: its titles repeat what was replied.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from dataclasses import dataclass

from langchain_core.messages import HumanMessage, SystemMessage

from chat.faults import ChatFault
from chat.transcript import Transcript
from minds.dialogue import Dialogue
from minds.models.keys import is_local
from minds.models.language import LanguageModel, ModelFault
from minds.models.spec import parse
from prompts import render

log = logging.getLogger("duet.naming")
IDLE = 3.0
"""Seconds of silence until the work begins."""
READ = 600
"""Characters of each side that the model is shown."""
LONGEST = 48
NEVER = 2**31
"""A turn that no conversation has."""
FORM: dict[str, object] = {
    "title": "Name",
    "type": "object",
    "properties": {"title": {"type": "string", "minLength": 3, "maxLength": LONGEST}},
    "required": ["title"],
    "additionalProperties": False,
}


@dataclass(frozen=True)
class Begun:
    """A conversation that has no name of its own yet."""

    session: str
    model: LanguageModel


class Naming:
    """One for all conversations."""

    def __init__(self, transcript: Transcript) -> None:
        self._transcript = transcript
        self._waiting: deque[Begun] = deque()
        self._work: asyncio.Task[None] | None = None

    def give_way(self) -> None:
        """Somebody speaks: the model is his."""
        if self._work:
            self._work.cancel()
            self._work = None

    def silent(self, session: str, model: LanguageModel) -> None:
        """A turn is over: its conversation may be named once nobody has spoken for a while."""
        if is_free(model) and model.abilities.strong:
            self._waiting.append(Begun(session, model))
        if self._waiting and self._work is None:
            self._work = asyncio.get_running_loop().create_task(self._name_all())

    async def settle(self) -> None:
        """Waits until everything has its name."""
        if self._work:
            await asyncio.gather(self._work, return_exceptions=True)

    async def _name_all(self) -> None:
        await asyncio.sleep(IDLE)
        while self._waiting:
            begun = self._waiting[0]
            try:
                if self._transcript.unnamed(begun.session):
                    dialogue = self._transcript.dialogue(begun.session, before=NEVER)
                    if title := await named(dialogue, begun.model):
                        self._transcript.name(begun.session, title)
            except (ModelFault, ChatFault) as fault:  # its first words stay its title
                log.warning("naming: %s", fault)
            self._waiting.popleft()
        self._work = None


def is_free(model: LanguageModel) -> bool:
    """Whether a call of this model costs nothing: weights of this machine, or a server of its own network."""
    try:
        spec = parse(model.spec)
    except ModelFault:
        return False
    return spec.kind in ("embedded", "gguf", "hf") or (bool(spec.base_url) and is_local(spec.base_url))


async def named(dialogue: Dialogue, model: LanguageModel) -> str:
    """A title for what was said; empty where nothing has been answered yet. Raises ModelFault."""
    said = next((turn.text for turn in dialogue.turns if turn.speaker == "user"), "")
    replied = next((turn.text for turn in dialogue.turns if turn.speaker == "fast" and not turn.invoke), "")
    if not replied:
        return ""
    exchange = render("fast/to_name", said=said[:READ], replied=replied[:READ])
    answer = await model.structured([SystemMessage(render("fast/name")), HumanMessage(exchange)], FORM, max_tokens=40)
    return " ".join(str(answer.get("title", "")).split()).strip(" .\"'“”„")[:LONGEST]
