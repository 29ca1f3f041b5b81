"""What a person does with a turn at the desk: asks for homes, asks of the trade, likes one, chats. A learned head.

Patterns know words; people use others. So a small head (softmax regression over the sentence vector and the patterns
that fit) was fitted to the labelled turns of acts.txt, which were written for it. It says what a turn is about; of
which home, with which wishes, is read by rules. minds/training/desk.py fits it anew.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tools.housing import intents
from tools.housing.listings import home_ids

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float32]

Embed = Callable[[Sequence[str]], "ArrayLike"]
WIDTH = 384
FILLERS = ("chat", "hello", "thanks", "bye", "yes", "no", "wait")
"""What stands beside something else in a turn: the other thing is what the turn is about."""
_HERE = Path(__file__).parent
TURNS, WEIGHTS = _HERE / "acts.txt", _HERE / "acts.safetensors"
_PATTERNS = {name: value for name, value in vars(intents).items() if isinstance(value, re.Pattern)}
_FORMS: tuple[str, ...] = (
    r"\?\s*$", r"^\W*(?:what|which|who|whose|when|where|why|how)\b", r"^\W*(?:is|are|was|do|does|did|has|have|can|"
    r"could|may|will|would|should)\b",
    r"^\W*(?:i|we|my|our|he|she|they)\b", r"\d", r"\d{5}|\d ?k\b|thousand|hundred", r"\d{6}|\+\d|@", r"\bthis home\b",
    r"\bthis home\b.*\bthis home\b", r"^\W*(?:and|or|so|then|but)\b", r"\b(?:please|pls)\b", r"!",
    r"\b(?:a|an|the) (?:studio|flat|house|loft|penthouse|townhouse)\b", r"^\W*(?:no|nope|not)\b", r"^\W*(?:yes|yep|"
    r"ok|okay|sure)\b",
    r"\b(?:was|were|had|used to|once|when i)\b",
)  # fmt: skip


def acts(said: str, embed: Embed | None) -> Mapping[str, float]:
    """Act -> probability, the likeliest first. Empty where there are no sentence vectors (or none of this width)."""
    import numpy as np

    pieces = parts(said)
    rows = np.asarray(embed([plainly(part) for part in pieces]), np.float32) if embed and pieces else None
    if rows is None or rows.ndim != 2 or rows.shape[1] != WIDTH:
        return {}
    names, heard, weights = _head()
    near = _softmax(np.stack([inputs(part, row, heard) for part, row in zip(pieces, rows, strict=True)]) @ weights)
    sure = near[0]
    if len(pieces) > 2:  # the whole, and its sentences
        filler = np.array([name in FILLERS for name in names])
        sure = near[0] + np.where(filler, near[1:].min(0), near[1:].max(0))
        sure = sure / sure.sum()
    order = np.argsort(-sure)
    return {names[at]: float(sure[at]) for at in order}


def plainly(said: str) -> str:
    """Numbers of homes as words: a sentence vector knows nothing of them."""
    return re.sub(r"\bh[-_ ]?\d{1,4}\b", "this home", said.replace("’", "'"), flags=re.I)


def parts(said: str) -> list[str]:
    """The whole turn, then its sentences."""
    whole = " ".join(said.split())[:600]
    sentences = [part for part in re.split(r"(?<=[.!?])\s+", whole) if re.search(r"\w", part)]
    return [whole, *sentences[:5]] if whole else []


def inputs(said: str, vector: Floats, heard: Sequence[str]) -> Floats:
    """What the head reads of one text: shape (WIDTH + patterns heard + forms + 4,)."""
    import numpy as np

    plain, words = plainly(said), len(said.split())
    own = [float(bool(pattern.search(said))) for pattern in map(_PATTERNS.__getitem__, heard)]
    own += [float(bool(re.search(form, plain, re.I))) for form in _FORMS]
    own += [float(words <= 3), min(words, 20) / 20, float(len(home_ids(said)) > 1)]
    return np.concatenate([vector * 3, np.array([*own, 1.0], np.float32) * 0.7]).astype(np.float32)


def shares(said: str, embed: Embed, weights: Floats) -> Floats:
    """What a head of `fit` makes of one text, heard whole: a probability for each act."""
    import numpy as np

    row = inputs(said, np.asarray(embed([plainly(said)]), np.float32)[0], list(_PATTERNS))
    found: Floats = _softmax((row @ weights)[None])[0]
    return found


def _softmax(scores: Floats) -> Floats:
    import numpy as np

    grown: Floats = np.exp(scores - scores.max(1, keepdims=True))
    shares: Floats = grown / grown.sum(1, keepdims=True)
    return shares


@cache
def _head() -> tuple[list[str], list[str], Any]:
    """The names of the acts, of the patterns it was fitted with, and the weights: shape (inputs, acts)."""
    from safetensors import safe_open

    with safe_open(WEIGHTS, framework="numpy") as file:
        told = file.metadata() or {}
        return told["acts"].split(), told["patterns"].split(), file.get_tensor("weights").astype("float32")


def labelled(path: Path = TURNS) -> list[tuple[str, str]]:
    """(act, turn), as they stand in the file under `# act`."""
    found, act = [], ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            act = line[2:].strip()
        elif line.strip():
            found.append((act, line.strip()))
    return found


def fit(
    turns: Sequence[tuple[str, str]], embed: Embed, *, decay: float = 0.002, rounds: int = 400
) -> tuple[list[str], Any]:
    """Softmax regression with weight decay, all turns at once, classes weighed alike (by the root of their size)."""
    import numpy as np

    names = list(dict.fromkeys(act for act, _ in turns))
    vectors = np.asarray(embed([plainly(text) for _, text in turns]), np.float32)
    rows = np.stack([inputs(text, vector, list(_PATTERNS)) for (_, text), vector in zip(turns, vectors, strict=True)])
    goal = np.eye(len(names), dtype=np.float32)[[names.index(act) for act, _ in turns]]
    heft = (goal.sum(0) ** -0.5)[goal.argmax(1)][:, None]
    heft *= len(turns) / heft.sum()
    weights = np.zeros((rows.shape[1], len(names)), np.float32)
    speed, slope2 = np.zeros_like(weights), np.zeros_like(weights)
    for at in range(1, rounds + 1):  # Adam
        slope = rows.T @ ((_softmax(rows @ weights) - goal) * heft) / len(turns) + decay * weights
        speed, slope2 = 0.9 * speed + 0.1 * slope, 0.999 * slope2 + 0.001 * slope**2
        weights -= 0.03 * (speed / (1 - 0.9**at)) / (np.sqrt(slope2 / (1 - 0.999**at)) + 1e-8)
    return names, weights


def save(names: Sequence[str], weights: Floats, path: Path = WEIGHTS) -> None:
    """Half precision: a few ten kilobytes."""
    from safetensors.numpy import save_file

    save_file({"weights": weights.astype("float16")}, path, {"acts": " ".join(names), "patterns": " ".join(_PATTERNS)})
