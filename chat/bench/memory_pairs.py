"""What the memory serves of pairs of questions: the first was solved, the second is asked as a turn."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
from pydantic.dataclasses import dataclass

from chat.app import Duet
from chat.bench import Ask
from chat.bench.cases import read_cases
from chat.bench.figures import rounded, share, wilson
from chat.bench.ground import PlainModel, a_duet, a_model, say
from chat.evaluation.play import final
from chat.services import Swaps
from memory.embedder import Embedder
from memory.memory import Note
from memory.written import equal
from minds.layers import alike
from minds.models.language import Said

SCORES = "cosine", "by the model's layers"
BARS = (0.5, 0.7, 0.8, 0.85, 0.88, 0.9, 0.93, 0.95, 0.98)


@dataclass(frozen=True)
class Pair:
    """A question that was solved, and one that is asked then: is its answer the same (`hit`)?"""

    stored_question: str
    stored_answer: str
    new_question: str
    hit: bool
    history: tuple[dict[str, str], ...] = ()
    """What was said before it: role (user or assistant) and content."""

    why: str = ""
    stored_user: str = "user"
    new_user: str = "user"


async def pairs(ask: Ask, path: Path) -> dict[str, object]:
    """The share of true hits that is served, and what is served falsely. Raises ChatFault."""
    cases, served, scores = read_cases(path, Pair)[: ask.limit], [], []
    silent = PlainModel(lambda _: Said("Hm."), spec="silent")  # what the memory does not answer is not answered
    async with a_model(ask.settings) as model:
        silent.trained = model.trained
        async with a_duet(ask.settings, warm=False, swaps=Swaps(models=lambda *_: silent)) as duet:
            for number, case in enumerate(cases):
                served.append(await _served(duet, case, number))
                scores.append(await _scores(duet.embedder, silent, case))
                if served[-1] != case.hit:
                    near = " ".join(f"{score:.3f}" for score in scores[-1])
                    verdict = f"{'FALSE HIT' if served[-1] else 'missed'} {near} ({case.why})"
                    print(f"{verdict}: {case.stored_question} | {case.new_question}", flush=True)
    wanted = np.array([case.hit for case in cases])
    for name, each in zip(SCORES, np.array(scores).T, strict=True):
        for bar in BARS:  # what a threshold on this score alone would serve, whatever else is known of the pair
            told = rounded(figures(each >= bar, wanted))
            rates = ", ".join(f"{rate} {told[rate]}" for rate in ("hit_rate", "false_rate", "false_of_all"))
            print(f"{name} >= {bar}: {rates}")
    return figures(np.array(served), wanted)


async def _scores(embedder: Embedder, model: PlainModel, case: Pair) -> list[float]:
    """SCORES of one pair."""
    new, stored = case.new_question, case.stored_question
    rows = embedder.embed([stored, new])
    by_layers = 1.0 if equal(new, stored) else await alike(model, new, stored)
    return [float(rows[0] @ rows[1]), by_layers]


def figures(served: np.ndarray[Any, Any], wanted: np.ndarray[Any, Any]) -> dict[str, object]:
    """hit_rate: of the true hits; false_rate: of what was served, with the upper end of its 95% interval."""
    false, hits = int((served & ~wanted).sum()), int(served.sum())
    return {
        "hit_rate": share(hits - false, int(wanted.sum())),
        "false_rate": share(false, hits),
        "false_rate_95": wilson(false, hits)[1],
        "false_of_all": share(false, len(wanted)),
        "n": len(wanted),
    }


async def _served(duet: Duet, case: Pair, number: int) -> bool:
    """Whether the new question, asked as a turn, is answered by the note of the stored one."""
    prefix = f"{number}:"  # nobody else's notes are near
    owner = prefix + case.stored_user
    stored = duet.transcript.new_session(owner)
    at = (duet.now() - timedelta(hours=1)).timestamp()
    about = {"strength": "1", "model": "silent"}
    note = Note(
        f"{stored.id}:1:found", "result", case.stored_question, at, case.stored_answer, stored.id, 1, about=about
    )
    duet.remembering.keep(owner, [note])
    session = await _with_history(duet, prefix + case.new_user, case.history)
    reply = final(await say(duet, session, case.new_question))
    return reply.get("by") == "memory" and reply.get("from_note") == note.id


async def _with_history(duet: Duet, user: str, history: Sequence[Mapping[str, str]]) -> str:
    """A new conversation in which this was said before; what it holds is no note of its own."""
    session, turn = duet.transcript.new_session(user).id, 0
    for said in history:
        text = said["content"]
        if said["role"] == "user" or not turn:
            turn = duet.transcript.begin_turn(session, text).turn
            duet.transcript.set_state(session, turn, "done")
        if said["role"] == "user":
            await asyncio.to_thread(duet.remembering.told, user, text)
        else:
            reply = {"by": "fast", "text": text, "final": True, "off_record": True}
            duet.transcript.append(session, turn, "reply", reply)
    return session
