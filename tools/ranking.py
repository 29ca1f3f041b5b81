"""Which passages answer a question: words weighed by rarity (BM25) together with sentence embeddings."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from tools.asking import fits_kind, forms, without_source
from tools.desk import Chunk
from tools.reading import sentences

Embed = Callable[[Sequence[str]], Sequence[Sequence[float]]]

Meant = Mapping[str, frozenset[str]]
"""Term of the question -> the words of the documents that it may stand for."""

EMBEDDED = 400
"""Chunks compared by meaning; of more, those with the most words in common."""
CANDIDATES = 6
"""Chunks looked at sentence by sentence."""
WINDOW = 40
"""Words of the passages compared."""
FITTING = 0.06
"""Added to the score of a passage that holds the kind of thing asked for: a figure, a day, a name."""
_K1, _B = 1.2, 0.6
_STOP = frozenset({
    "a", "about", "above", "according", "after", "again", "all", "also", "am", "an", "and", "any", "anything",
    "are", "as", "ask", "at", "be", "been", "before", "being", "below", "but", "by", "call", "called",
    "can", "could", "did",
    "do", "document", "documents", "does", "doing", "don", "done", "file", "find", "for", "from", "further",
    "gave", "get", "given", "had", "has", "have", "having", "he", "her", "here", "hers", "him", "his", "how",
    "i", "if", "in", "into", "is", "it", "its", "itself", "just", "let", "look", "manual", "many", "may",
    "me",
    "mention", "mentioned", "mentions", "might", "more", "most", "much", "must", "my", "named", "no", "nor",
    "not", "now", "of",
    "off", "on", "once", "only", "or", "other", "our", "out", "over", "own", "page", "paper", "pdf", "please",
    "read", "said", "same", "say", "says", "search", "see", "she", "should", "so", "some", "something", "such",
    "tell", "text", "than", "that", "the", "their", "them", "then", "there", "these", "they", "this", "those",
    "through", "to", "too", "under", "until", "up", "upload", "uploaded", "us", "very", "was", "we", "were",
    "what", "what's", "when", "where", "which", "while", "who", "whom", "whose", "why", "will", "with", "would",
    "written", "you", "your", "yours",
})  # fmt: skip
"""Words that say nothing of the matter, among them those that only name the search."""


@dataclass(frozen=True)
class Hit:
    """A passage of a chunk and how well it fits, from 0 to about 1."""

    chunk: Chunk
    first: int
    """Where the passage starts, in sentences of the chunk."""
    last: int
    score: float
    coverage: float
    """The share of the question's words, weighed by rarity, that are in the passage."""
    likeness: float
    """Cosine of the meanings; 0 where there are no embeddings."""


@cache
def _stemmer() -> Any:
    import snowballstemmer  # type: ignore[import-untyped, unused-ignore]

    return snowballstemmer.stemmer("english")


@cache
def _stem(word: str) -> str:
    return str(_stemmer().stemWord(word))


def terms(text: str) -> list[str]:
    """Stems of the words that carry meaning; figures and codes as they are."""
    words = re.findall(r"\d+(?:[.,:]\d+)+|\w+(?:'\w+)?", text.lower())
    return [_stem(word.removesuffix("'s")) for word in words if word not in _STOP]


def rank(question: str, chunks: Sequence[Chunk], embed: Embed | None = None) -> list[Hit]:
    """The best passage of each of the `CANDIDATES` most promising chunks, best first."""
    question = without_source(question)
    asked = list(dict.fromkeys(terms(question)))
    counted = [_words(chunk, chunk.text) for chunk in chunks]
    vocabulary = {word for words in counted for word in words}
    meant = {term: forms(term, vocabulary, _stem) for term in asked}
    counted = [_as_asked(words, meant) for words in counted]
    rarity = _rarity(asked, counted)
    wholes = [
        Hit(chunk, 0, 0, 0.0, _coverage(asked, words, rarity), 0.0)
        for chunk, words in zip(chunks, counted, strict=True)
    ]
    order = sorted(range(len(chunks)), key=lambda n: -_bm25(asked, counted[n], rarity, _mean_length(counted)))
    rough = [wholes[n] for n in order]
    if embed is not None:
        rough = [
            _judged(hit, like) for hit, like in zip(rough[:EMBEDDED], _likeness(question, rough, embed), strict=True)
        ]
        rough.sort(key=lambda hit: -hit.score)
    return sorted(_best_passages(question, rough[:CANDIDATES], rarity, meant, embed), key=lambda hit: -hit.score)


def _judged(hit: Hit, likeness: float) -> Hit:
    return replace(hit, likeness=likeness, score=0.4 * hit.coverage + 0.6 * max(likeness, 0.0))


def _best_passages(
    question: str, hits: Sequence[Hit], rarity: dict[str, float], meant: Meant, embed: Embed | None
) -> Iterator[Hit]:
    """Each chunk's best run of sentences; what the whole chunk is about counts a little."""
    runs = [(hit, first, last, text) for hit in hits for first, last, text in windows(hit.chunk.text)]
    likeness = [0.0] * len(runs)
    if embed is not None:
        rows = embed([question, *(text for *_, text in runs)])
        likeness = [dot(rows[0], row) for row in rows[1:]]
    best: dict[int, Hit] = {}
    for (hit, first, last, text), like in zip(runs, likeness, strict=True):
        share = _coverage(list(rarity), _as_asked(_words(hit.chunk, text), meant), rarity)
        share = 0.75 * share + 0.25 * hit.coverage
        run = Hit(hit.chunk, first, last, share, share, 0.0)
        run = run if embed is None else _judged(run, max(like, 0.8 * like + 0.2 * hit.likeness))
        run = replace(run, score=run.score + FITTING * fits_kind(question, text))
        if id(hit.chunk) not in best or run.score > best[id(hit.chunk)].score:
            best[id(hit.chunk)] = run
    yield from best.values()


def windows(text: str) -> Iterator[tuple[int, int, str]]:
    """Runs of sentences of up to `WINDOW` words, each half over the one before: (first, last, text)."""
    parts = sentences(text)
    first = 0
    while first < len(parts):
        last, count = first, len(parts[first].split())
        while last + 1 < len(parts) and count + len(parts[last + 1].split()) <= WINDOW:
            last += 1
            count += len(parts[last].split())
        yield first, last, " ".join(parts[first : last + 1])
        if last + 1 >= len(parts):
            return
        first = max(first + 1, (first + last + 1) // 2)


def _words(chunk: Chunk, text: str) -> Counter[str]:
    return Counter(terms(text) + terms(chunk.place) + terms(chunk.document.rpartition(".")[0].replace("_", " ")))


def _as_asked(words: Counter[str], meant: Meant) -> Counter[str]:
    """The words with those that the question's terms may stand for counted as these terms."""
    return words + Counter({term: sum(words[form] for form in same - {term}) for term, same in meant.items()})


def _rarity(asked: Sequence[str], counted: Sequence[Counter[str]]) -> dict[str, float]:
    """Inverse document frequency, as if there were fifty chunks more: in one page no word is rare by itself."""
    number = len(counted) + 50
    holding = {term: sum(term in words for words in counted) for term in asked}
    weight = {term: 3.0 if re.fullmatch(r"(?=.*\d)(?=.*[a-z])\w+", term) else 1.0 for term in asked}  # a code says most
    return {term: weight[term] * math.log(1 + (number - held + 0.5) / (held + 0.5)) for term, held in holding.items()}


def _mean_length(counted: Sequence[Counter[str]]) -> float:
    return sum(words.total() for words in counted) / max(1, len(counted)) or 1.0


def _bm25(asked: Sequence[str], words: Counter[str], rarity: dict[str, float], mean: float) -> float:
    bend = _K1 * (1 - _B + _B * words.total() / mean)
    return sum(rarity[term] * words[term] * (_K1 + 1) / (words[term] + bend) for term in asked if words[term])


def _coverage(asked: Sequence[str], words: Counter[str], rarity: dict[str, float]) -> float:
    whole = sum(rarity[term] for term in asked)
    return sum(rarity[term] for term in asked if words[term]) / whole if whole else 0.0


def _likeness(question: str, hits: Sequence[Hit], embed: Embed) -> list[float]:
    rows = embed([question, *(f"{hit.chunk.place}: {hit.chunk.text}"[:2000] for hit in hits[:EMBEDDED])])
    return [dot(rows[0], row) for row in rows[1:]]


def dot(a: Sequence[float], b: Sequence[float]) -> float:
    return float(sum(float(x) * float(y) for x, y in zip(a, b, strict=True)))
