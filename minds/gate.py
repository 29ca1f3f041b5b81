"""The invoke decision: does this turn need the slow mind? (The paper's `Invoke[True|False]`, DUMA 2.2.)

A small model's own flag is a poor judge (True wherever there is a figure, False wherever words are left out), and
asking for it costs a call. So a learned reader decides: MiniLM's upper layers, changed by little (LoRA), and a head on
their states, read the turn and what it answers. What comes out is a calibrated probability and has a threshold that
puts missed invokes first. Fitted by minds/training/gate.py; run in numpy in some milliseconds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Protocol

import numpy as np

from minds.dialogue import Dialogue, Turn
from minds.policies import arrays
from minds.policies.wishes import Floats, States, pooled

WEIGHTS = Path(__file__).parent / "policies" / "weights" / "gate.safetensors"
ASKS = "talk", "fact", "work"
"""What a turn asks for: words; a fact that is known or was said; or the slow mind."""
LAYERS = "low."
"""What the names of the learned layers begin with."""
TURN, BEFORE = 300, 160
"""Characters of a turn, of the reply before it and of what was asked there, that are read."""
FACT, KNOWN = 0.5, -1.3
"""From which probability on a turn asks for a fact; and the natural log-probability that no token of what the model
knows is below (of an author's 130 facts it doubts 15 of the 23 told wrongly, 10 of the 107 told rightly)."""


class GateFault(Exception):
    """The gate cannot be used; the text is one sentence for a person, with what to do."""


@dataclass(frozen=True)
class Decision:
    """Whether the slow mind is called, and how probable it is that it is needed."""

    invoke: bool
    p: float
    fact: float = 0.0
    """How probable it is that the fast mind's answer asserts what can be right or wrong, where it answers alone."""
    beyond: bool = False
    """It wants what neither mind can do or know (minds/layers.py)."""


class Decides(Protocol):
    """What decides on a turn."""

    def decide(self, said: str, dialogue: Dialogue) -> Decision:
        """On the turn `said` that follows `dialogue`."""
        ...


class Gate:
    """One fitted gate; holds no dialogue, so all conversations may share it."""

    def __init__(self, weights: Mapping[str, Floats], states: States) -> None:
        """weights: `head` (3, 3 * 384) and `bias` (3,), for ASKS; `calibration` (slope, shift, threshold). `states`: of
        the layers with what was learned."""
        self._head, self._bias, self._calibration = weights["head"], weights["bias"], weights["calibration"].tolist()
        self._states = lru_cache(maxsize=256)(states)

    @classmethod
    def load(cls, states: Callable[[Mapping[str, Floats]], States], path: Path | None = None) -> Gate:
        """`states` makes the encoder with what was learned added to its layers. Raises GateFault."""
        from safetensors import SafetensorError

        try:
            stored, _ = arrays.read(path or WEIGHTS)
            layers = arrays.taken(stored, LAYERS)
            return cls(stored, states(layers))
        except (OSError, SafetensorError, KeyError) as fault:
            raise GateFault(
                "The weights of the invoke gate cannot be read: run `python main.py train gate`."
            ) from fault

    def scores(self, text: str) -> tuple[float, float]:
        """Of what `read` makes of a turn, natural log odds: that it needs the slow mind, uncalibrated; else, that it
        asks for a fact."""
        talk, fact, work = (self._head @ pooled(self._states(text)) + self._bias).tolist()
        return work - float(np.logaddexp(talk, fact)), fact - talk

    def decide(self, said: str, dialogue: Dialogue) -> Decision:
        """Decides on the turn `said` that follows `dialogue`."""
        slope, shift, threshold = self._calibration
        work, fact = self.scores(read(said, dialogue))
        p, fact = (float(1 / (1 + np.exp(-odds))) for odds in (slope * work + shift, fact))
        return Decision(p >= threshold, p, fact)


def read(said: str, dialogue: Dialogue) -> str:
    """The turn, then the reply before it and what was asked there: of long ones beginning and end."""
    asked, reply = before(dialogue)
    behind = f" | {ends(reply, BEFORE)} | {ends(asked, BEFORE)}" if asked or reply else ""
    return (ends(said, TURN) or " ") + behind


def before(dialogue: Dialogue) -> tuple[str, str]:
    """What the person said last, and what was replied to it; empty where nothing was."""
    turns = heard(dialogue)
    asked = next((turn.text for turn in reversed(turns) if turn.speaker == "user"), "")
    return asked, turns[-1].text if turns and turns[-1].speaker != "user" else ""


def heard(dialogue: Dialogue) -> list[Turn]:
    """What was said aloud; of an interim and a final reply to one turn only the final one."""
    spoken = [turn for turn in dialogue.turns if turn.speaker != "slow"]
    return [
        turn
        for turn, after in zip(spoken, [*spoken[1:], None], strict=bool(spoken))
        if after is None or turn.speaker == "user" or after.speaker == "user"
    ]


def ends(text: str, most: int) -> str:
    """Beginning and end of a long text, on one line."""
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: most // 2]} ... {text[-most // 2 :]}"


def doubtful(fact: float, logprobs: Sequence[float]) -> bool:
    """Whether a small model's own words may well be wrong: of a reply that asserts a fact with this probability, and
    the log-probabilities of its tokens."""
    return fact >= FACT and bool(logprobs) and min(logprobs) < KNOWN
