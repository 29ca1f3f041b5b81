"""Names a conversation after its first exchange: in idle time, by a strong fast mind whose words cost nothing.

Nobody pays for a call that was not asked for: behind an address elsewhere the person's first words stay the title, and
so they do where the model is small: its titles repeat what was replied.
"""

from __future__ import annotations

from langchain_core.messages import HumanMessage, SystemMessage

from chat.idle import Idle
from chat.transcript import Transcript
from minds.dialogue import Dialogue
from minds.models.keys import is_local
from minds.models.language import LanguageModel, ModelFault
from minds.models.spec import parse
from minds.strategies.steps import closed
from prompts import render

IDLE = 3.0
"""Seconds of silence until the work begins."""
READ = 600
"""Characters of each side that the model is shown."""
LONGEST = 48
NEVER = 2**31
"""A turn that no conversation has."""
_TITLE = {"type": "string", "minLength": 3, "maxLength": LONGEST}
FORM: dict[str, object] = {"title": "Name", **closed({"title": _TITLE})}


class Naming(Idle[tuple[str, LanguageModel]]):
    """One for all conversations: which is to be named, by which model."""

    def __init__(self, transcript: Transcript) -> None:
        super().__init__(IDLE)
        self._transcript = transcript

    def silent(self, session: str, model: LanguageModel) -> None:
        """A turn is over: its conversation may be named once nobody has spoken for a while."""
        self.go_on(*([(session, model)] if is_free(model) and model.abilities.strong else ()))

    async def _do(self, work: tuple[str, LanguageModel]) -> None:
        session, model = work
        if self._transcript.unnamed(session):
            dialogue = self._transcript.dialogue(session, before=NEVER)
            if title := await named(dialogue, model):
                self._transcript.name(session, title)


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
