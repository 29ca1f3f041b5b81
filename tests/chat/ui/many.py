"""A home that has been lived in for long: thousands of conversations, and one of thousands of turns.

`python -m tests.chat.ui.many HOME [CONVERSATIONS [TURNS]]` fills a home.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

from chat.sessions import Session
from chat.settings import Options
from chat.transcript import Place, StoredTurn, Transcript
from minds.dialogue import Event

LONG = "The long one"
_WORDS = (
    *("river", "bank", "storm", "candle", "copper", "garden", "zebra", "piano"),
    *("ladder", "winter", "orange", "window", "bottle", "hammer", "silver"),
)


def fill(home: Path, many: int = 5_000, turns: int = 2_000) -> None:
    """`many` conversations of three turns, and one of `turns`."""
    chance = random.Random(1)
    transcript = Transcript(home / "duet.sqlite")
    with transcript._transaction():
        for number in range(many):
            _talk(transcript, chance, f"Conversation {number} of {chance.choice(_WORDS)}", 3, 1.6e9 + number * 9_000)
        _talk(transcript, chance, LONG, turns, 1.7e9)
    transcript.close()


def _talk(transcript: Transcript, chance: random.Random, title: str, turns: int, at: float) -> None:
    said, done = [], []
    for number in range(1, turns + 1):
        words = " ".join(chance.choices(_WORDS, k=8))
        words = f"the very first words {words}" if number == 1 and title == LONG else words
        said.append((StoredTurn("", number, words, "done"), 0))
        reply = {"by": "fast", "text": _answer(chance, number), "invoke": False, "final": True, "seconds": 1.2}
        done += [
            Event(0, "", number, "turn", {"text": words}, at + number),
            Event(0, "", number, "reply", reply, at + number),
            Event(0, "", number, "end", {"state": "done"}, at + number),
        ]
    places = {number: Place(number - 1) for number in range(1, turns + 1)}
    transcript.adopt(Session("", "ada", title, at, at + turns), Options(), said, done, (), places, {})


def _answer(chance: random.Random, number: int) -> str:
    parts = [" ".join(chance.choices(_WORDS, k=25)) for _ in range(2)]
    code = f"\n\n```python\nprint({number})\n```" if number % 10 == 0 else ""
    return f"**Here** is an answer:\n\n{parts[0]}\n\n- {parts[1]}{code}"


if __name__ == "__main__":
    home, *sizes = sys.argv[1:]
    Path(home).mkdir(parents=True, exist_ok=True)
    fill(Path(home), *map(int, sizes))
