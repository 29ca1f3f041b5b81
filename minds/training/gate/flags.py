"""The fast model's own flag on labelled turns: collected once, kept in a file, so that fitting needs no model."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from minds.dialogue import Dialogue
from minds.gate import FLAG_LIMIT, Gate
from minds.policies.turn_features import Floats
from minds.training.gate.turns import Embed, Labelled, lifelike

if TYPE_CHECKING:
    from minds.models.language import LanguageModel

MODEL = "embedded"


def prompt_mark(spec: str) -> str:
    """Changes with the model and with the fast mind's prompt, whose log-odds then have to be collected anew."""
    from minds.fast import fast_messages

    prompt = "\n".join(str(message.content) for message in fast_messages(Dialogue("", ""), ""))
    return hashlib.sha256(f"{spec}\n{prompt}".encode()).hexdigest()[:16]


def kept(cache: Path, spec: str) -> dict[str, float]:
    """Log-odds collected so far, by turn; none when they were collected with another prompt or model."""
    if not cache.exists():
        return {}
    stored = json.loads(cache.read_text(encoding="utf-8"))
    return dict(stored["logits"]) if stored["prompt"] == prompt_mark(spec) else {}


def flags_of(turns: list[Labelled], cache: Path, spec: str = MODEL) -> Floats | None:
    """Shape (n,), or None where some are missing or out of date."""
    known = kept(cache, spec)
    found = [known.get(_key(turn)) for turn in turns]
    return None if None in found else np.array(found, np.float32)


async def collect(
    turns: list[Labelled],
    model: LanguageModel,
    gate: Gate,
    embed: Embed,
    cache: Path,
    say: Callable[[str], None] = print,
) -> None:
    """Asks the model for the flag of each turn that `cache` does not hold. May be interrupted and goes on later.

    `gate` (without the flag) says which past turns had a slow run.
    """
    from minds.fast import FLAG, fast_messages

    def invoked(text: str, before: Dialogue) -> bool:
        return gate.decide(text, before, embed(gate.texts_to_embed(text, before)), None).invoke

    known, mark = kept(cache, model.spec), prompt_mark(model.spec)
    for number, turn in enumerate(turns, start=1):
        if _key(turn) not in known:
            messages = fast_messages(lifelike(turn.dialogue, invoked), turn.text)
            weights = await model.weigh(messages, FLAG, ("True", "False"))
            known[_key(turn)] = round(float(np.clip(weights["True"] - weights["False"], -FLAG_LIMIT, FLAG_LIMIT)), 3)
        if number % 50 == 0 or number == len(turns):
            _keep(cache, mark, known)
            say(f"flags: {number} of {len(turns)}")


def _keep(cache: Path, mark: str, known: dict[str, float]) -> None:
    beside = cache.with_suffix(".part")
    beside.write_text(json.dumps({"prompt": mark, "logits": known}, indent=0) + "\n", encoding="utf-8")
    beside.replace(cache)


def _key(turn: Labelled) -> str:
    said = [(past.speaker, past.text) for past in turn.dialogue.turns]
    return hashlib.sha256(repr((said, turn.text)).encode()).hexdigest()[:16]


async def collect_with(
    spec: str, turns: list[Labelled], gate: Gate, embed: Embed, cache: Path, folder: Path | None = None
) -> None:
    """Opens the model (its weights in `folder`), collects, closes it. Raises ModelFault."""
    from minds.models import ModelSettings, open_model

    model = open_model(spec, ModelSettings(folder or _folder()))
    try:
        await collect(turns, model, gate, embed, cache)
    finally:
        await model.close()


def _folder() -> Path:
    home = os.environ.get("DUET_HOME", "~/.local/share/duet")
    return Path(os.environ.get("DUET_MODELS", f"{home}/models")).expanduser()
