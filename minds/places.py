"""What a reply takes from documents: its numbers, names and quotes, each with the place where it stands."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memory.pairs import anchors, words
from minds.figures import SMALL, numbers, readings

_QUOTE = re.compile(r'"([^"\n]+)"|“([^“”\n]+)”|„([^„“\n]+)“|«([^«»\n]+)»')
_CLOCK = re.compile(r"(?<!\d)\d+(?::\d+)+")
SHORTEST = 12
"""Characters of what is told as a quote; what is shorter is a word in quotation marks."""


def places(reply: str, passages: Sequence[tuple[str, str]]) -> dict[str, list[str]]:
    """Source -> what of the reply stands in its passage, as the reply writes it.

    `passages` are (source, text), the best first; what stands in several is told of the first one alone.
    """
    for source, _ in passages:  # a source that the reply names itself is none of its words
        reply = reply.replace(source, "")
    found: dict[str, list[str]] = {}
    for said in dict.fromkeys([*_quotes(reply), *_names(reply), *_figures(reply)]):
        source = next((source for source, text in passages if _stands(said, text)), "")
        if source:
            found.setdefault(source, []).append(said)
    return found


def _quotes(reply: str) -> list[str]:
    found = ("".join(match.groups("")).strip() for match in _QUOTE.finditer(reply))
    return [quote for quote in found if len(quote) >= SHORTEST]


def _names(reply: str) -> list[str]:
    """Words written like names, those that stand side by side together: `Anna Schmidt`."""
    said = words(reply)
    like = anchors(said)
    runs, run = list[str](), list[str]()
    for word in [*said, "."]:
        if word.lower() in like and not word.isdigit():
            run.append(word)
        elif run:
            runs.append(" ".join(run))
            run = []
    return runs


def _figures(reply: str) -> list[str]:
    """Times such as 22:00 are one."""
    return [*_CLOCK.findall(reply), *(n for n in numbers(_CLOCK.sub(" ", reply)) if n not in SMALL)]


def _stands(said: str, text: str) -> bool:
    """A number in any of its readings; words as whole words, wherever the lines break."""
    if values := readings(said):
        return any(values & readings(written) for written in numbers(text))
    loose = r"\s+".join(re.escape(part) for part in said.rstrip(".,;").split())
    return re.search(rf"(?<!\w){loose}(?!\w)", " ".join(text.split()), re.IGNORECASE) is not None
