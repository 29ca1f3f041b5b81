"""Search in the person's uploaded documents: the passages nearest to a question, quoted with their place."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache, partial
from itertools import accumulate, takewhile
from typing import Annotated, Any

from langchain_core.tools import BaseTool
from pydantic import Field

from tools.desk import Artifact, Chunk, Desk, ToolFault
from tools.plain import UNSPACED, normal, one_line
from tools.reading import as_it_was, is_lined, pieces
from tools.typed import typed_tool

Embed = Callable[[Sequence[str]], Sequence[Sequence[float]]]

PASSAGES = 5
READ = 5_000
"""Characters that are told of a document read in order, in one call: fewer than an observation may have."""
QUOTED = 150
"""Words of a passage."""
TABLES = (".csv", ".tsv")
"""Endings of documents whose first line names the columns."""
EMBEDDED = 400
"""Chunks compared by meaning; of more, those with the most words in common."""
_MEANING = 0.4
"""The weight of meaning (cosine); the rest is that of words."""
_NEAR = 0.35
"""Further passages score at least this share of the best one's."""
_LIKE, _SHARED = 0.12, 0.15
"""Nothing is found where no passage comes so near by meaning, and none by its words."""
_K1, _B = 1.2, 0.6


Question = Annotated[str, Field(description="What to look for, as a question, for example: how long is the warranty")]
Document = Annotated[str, Field(description="The name of one document, to look in that one only")]
Part = Annotated[
    int,
    Field(ge=0, description="Instead of a search: reads the document in order, from this part on. 1 is its beginning"),
]


def make(desk: Desk) -> BaseTool:
    return typed_tool(
        "documents",
        "Searches the user's uploaded documents: gives the passages nearest to a question, with their places. To sum a "
        "whole document up or go through it, read it with part.",
        partial(search, desk=desk),
    )


def search(question: Question, desk: Desk, document: Document = "", part: Part = 0) -> tuple[str, Artifact]:
    """`[handbook.md, Refunds] "..."` for each passage. Raises ToolFault where there is no such document."""
    if not desk.chunks:
        raise ToolFault("No documents were uploaded in this conversation; answer without them or ask for an upload.")
    if part:
        return _in_order(_of(document, desk.chunks), part, desk)
    asked = one_line(question[:1000])[:400]
    if not asked:
        raise ToolFault("Nothing was asked for; write what to look for, for example: how long is the warranty")
    chunks = _of(document, desk.chunks)
    found = rank(asked, chunks, desk.embed)
    depends = {"documents": desk.documents}
    if not found:
        said = f'Nothing about "{asked[:80]}" was found in the uploaded documents ({_names(chunks)[:200]}).'
        return said, {"depends": depends, "empty": True}
    return _told(found, desk)


def whole(document: str, desk: Desk) -> tuple[str, Artifact]:
    """All the text of one document, for a program. Raises ToolFault."""
    chunks = _of(document, desk.chunks)
    if len({chunk.document for chunk in chunks}) > 1:
        raise ToolFault(f"Name one document; there are: {_names(chunks)[:400]}.")
    text = as_it_was(chunks) if _first(chunks[0]) else "\n\n".join(chunk.text for chunk in chunks)
    return text, {"sources": [chunks[0].document], "depends": {"documents": desk.documents}}


def _in_order(chunks: Sequence[Chunk], part: int, desk: Desk) -> tuple[str, Artifact]:
    """Which parts these are, and the parts themselves: from one on, as many as are told in READ characters."""
    if part > len(chunks):
        raise ToolFault(f"There are {len(chunks)} parts ({_names(chunks)[:200]}): part may be 1 to {len(chunks)}.")
    sizes = accumulate(len(said) + 1 for said in _passages(chunks[part - 1 :], desk))
    last = part - 1 + max(1, sum(1 for _ in takewhile(lambda size: size <= READ, sizes)))
    told, artifact = _told(chunks[part - 1 : last], desk)
    rest = f"; part {last + 1} goes on" if last < len(chunks) else ", the end"
    return f"(parts {part} to {last} of {len(chunks)}{rest})\n{told}", artifact


def _told(found: Sequence[Chunk], desk: Desk) -> tuple[str, Artifact]:
    told = "\n".join(_passages(found, desk))
    depends = {"documents": desk.documents}
    passages = [(_source(chunk), _text(chunk)) for chunk in found]
    return told, {"sources": list(dict.fromkeys(map(_source, found))), "passages": passages, "depends": depends}


def _passages(found: Sequence[Chunk], desk: Desk) -> Iterator[str]:
    """Each as it is told. The first of a table stands below the table's columns."""
    headed = set[str]()
    for chunk in found:
        head = "" if chunk.document in headed else _head(chunk, desk.chunks)
        headed.add(chunk.document)
        yield f"[{_source(chunk)}]{head}{_said(chunk)}"


def _head(chunk: Chunk, chunks: Sequence[Chunk]) -> str:
    """The first line of a table, for a passage that stands further on in it."""
    if _first(chunk) < 2 or not chunk.document.lower().endswith(TABLES):
        return ""
    return "\n1| " + next(one.text for one in chunks if one.document == chunk.document).partition("\n")[0]


def _source(chunk: Chunk) -> str:
    return ", ".join(filter(None, (chunk.document, chunk.place)))


def _text(chunk: Chunk) -> str:
    return chunk.text if _first(chunk) else _quoted(chunk.text)


def _said(chunk: Chunk) -> str:
    """Quoted; lines as they are, each behind its number, which none of them can forge."""
    if not (first := _first(chunk)):
        return f' "{_quoted(chunk.text)}"'
    return "".join(f"\n{number}| {line}" for number, line in enumerate(chunk.text.split("\n"), first))


def _first(chunk: Chunk) -> int:
    """The number of its first line, where it is of lines; else 0."""
    numbers = re.match(r"lines? (\d{1,7})\b", chunk.place) if is_lined(chunk.document) else None
    return int(numbers[1]) if numbers else 0


def _of(document: str, chunks: Sequence[Chunk]) -> Sequence[Chunk]:
    """Those of the document so named, else of all whose names have that in them, else of the longest whose name stands
    at its beginning."""
    wanted, named = _plain(document[:200]), [(_plain(chunk.document), chunk) for chunk in chunks]
    begun = max((name for name, _ in named if re.match(rf"{re.escape(name)}(?!\w)", wanted)), key=len, default=None)
    chosen = (
        [chunk for name, chunk in named if name == wanted]
        or [chunk for name, chunk in named if wanted in name]
        or [chunk for name, chunk in named if name == begun]
    )
    if not chosen:
        raise ToolFault(f'There is no document "{document[:80]}"; there are: {_names(chunks)[:400]}.')
    return chosen


def _plain(name: str) -> str:
    return one_line(name).lower().strip('"')


def _names(chunks: Sequence[Chunk]) -> str:
    return ", ".join(dict.fromkeys(chunk.document for chunk in chunks))


def _quoted(text: str) -> str:
    """With its lines: they are paragraphs, items of a list and rows of a table."""
    parts = pieces(re.sub(r"[^\S\n]+", " ", re.sub(r'["“”]', "'", text)))
    return "".join(parts[:QUOTED]).strip() + (" …" if len(parts) > QUOTED else "")


# Ranking


def rank(question: str, chunks: Sequence[Chunk], embed: Embed | None = None) -> list[Chunk]:
    """The nearest chunks, best first: shared words weighed by rarity (BM25) mixed with sentence embeddings."""
    by_words = _bm25(terms(question), [_terms_of(chunk) for chunk in chunks])
    order = sorted(range(len(chunks)), key=lambda n: -by_words[n])[:EMBEDDED]
    scores = {n: by_words[n] for n in order}
    if embed is not None:
        likeness = _likeness(question, [chunks[n] for n in order], embed)
        if max(likeness, default=0.0) < _LIKE and max(by_words, default=0.0) < _SHARED:
            return []
        scores = {
            n: (1 - _MEANING) * by_words[n] + _MEANING * max(like, 0.0) for n, like in zip(order, likeness, strict=True)
        }
    best = max(scores.values(), default=0.0)
    near = [n for n in sorted(order, key=lambda n: -scores[n]) if scores[n] > 0 and scores[n] >= _NEAR * best]
    return [chunks[n] for n in near[:PASSAGES]]


def near(question: str, chunks: Sequence[Chunk], embed: Embed) -> float:
    """How like the question the most like of the nearest passages is by meaning (cosine); 0 where nothing is found."""
    found = rank(question, chunks, embed)
    return max(_likeness(question, found, embed), default=0.0)


def _likeness(question: str, chunks: Sequence[Chunk], embed: Embed) -> list[float]:
    rows = embed([question, *(f"{chunk.place}: {chunk.text}"[:2000] for chunk in chunks)])
    return [sum(float(x) * float(y) for x, y in zip(rows[0], row, strict=True)) for row in rows[1:]]


def terms(text: str) -> list[str]:
    """Stems of words; figures and codes as they are. Of letters without blanks between words, each with the next."""
    return [_stem(part) for word in _TERM.findall(text.lower()) for part in _parts(word)]


_TERM = re.compile(rf"\d+(?:[.,:]\d+)+|[{UNSPACED}]+|[^\W{UNSPACED}]+")


def _parts(word: str) -> list[str]:
    unspaced = re.match(f"[{UNSPACED}]", word)
    return [word[at : at + 2] for at in range(max(1, len(word) - 1))] if unspaced else [word]


@cache
def _stemmer() -> Any:
    import snowballstemmer  # type: ignore[import-untyped, unused-ignore]

    return snowballstemmer.stemmer("english")


@lru_cache(maxsize=50_000)
def _stem(word: str) -> str:
    return str(_stemmer().stemWord(word))


def _terms_of(chunk: Chunk) -> Counter[str]:
    name = chunk.document.rpartition(".")[0].replace("_", " ")
    return Counter(terms(normal(f"{chunk.text} {chunk.place} {name}")))


def _bm25(asked: Sequence[str], counted: Sequence[Counter[str]]) -> list[float]:
    """From 0 to 1: the share of the most that these words could score."""
    number, mean = len(counted), sum(words.total() for words in counted) / max(1, len(counted)) or 1.0
    wanted = set(asked)
    held = {term: sum(term in words for words in counted) for term in wanted}
    rarity = {term: math.log(1 + (number - n + 0.5) / (n + 0.5)) for term, n in held.items()}
    most = sum(rarity.values()) * (_K1 + 1) or 1.0
    scores = []
    for words in counted:
        bend = _K1 * (1 - _B + _B * words.total() / mean)
        scores.append(sum(rarity[t] * words[t] * (_K1 + 1) / (words[t] + bend) for t in wanted if words[t]) / most)
    return scores
