"""Search in the person's uploaded documents: the few sentences that answer, quoted with their place."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tools.desk import Artifact, Chunk, Desk, ToolFault
from tools.plain import one_line, plain_tool, unwrap
from tools.ranking import Embed, Hit, rank, terms
from tools.reading import read_document, sentences

if TYPE_CHECKING:
    from collections.abc import Sequence

    from langchain_core.tools import BaseTool

__all__ = ["make", "read_document", "search"]

PASSAGES = 3
QUOTED = 75
"""Words of a quoted passage: a small model reads every one."""
_RELEVANT, _ALIKE, _COVERED = 0.32, 0.35, 0.38
"""A passage counts as found from this score or likeness on (without embeddings: from this coverage on)."""
_SPEAKS = 0.45
"""From this score on, 95% of the questions that documents answer lie, and of small talk next to documents 1%."""
_CLOSE = 0.72
"""Further passages must come this near to the best one."""


def make(desk: Desk) -> BaseTool:
    return plain_tool(
        "documents",
        "Searches the user's uploaded documents. Input: a question, like: how long is the warranty",
        lambda text: search(text, desk),
    )


def search(text: str, desk: Desk) -> tuple[str, Artifact]:
    """`[handbook.md, Refunds] "..."` for each passage found. Raises ToolFault where there are no documents."""
    if not desk.chunks:
        raise ToolFault("No documents were uploaded in this conversation; answer without them or ask for an upload.")
    question = unwrap(one_line(text[:1000]), "documents")[:300]
    if not question:
        raise ToolFault("The input is empty; write what to look for, for example: how long is the warranty")
    found = _found(question, desk)
    if not found:
        names = ", ".join(dict.fromkeys(chunk.document for chunk in desk.chunks))
        said = f'Nothing about "{question[:80]}" was found in the uploaded documents ({names[:200]}).'
        return said, {"depends": {"documents": desk.documents}, "empty": True}
    lines = [f'[{_source(chunk)}] "{passage}"' for chunk, passage in found]
    sources = list(dict.fromkeys(_source(chunk) for chunk, _ in found))
    return "\n".join(lines), {"sources": sources, "depends": {"documents": desk.documents}}


def speaks_of(question: str, chunks: Sequence[Chunk], embed: Embed | None) -> bool:
    """Whether a passage fits so well that the question is most likely about the documents; no small talk is."""
    asked = one_line(question[:300])
    hits = rank(asked, chunks, embed) if chunks and terms(asked) else []
    return bool(hits) and hits[0].score >= _SPEAKS


def _source(chunk: Chunk) -> str:
    return f"{chunk.document}, {chunk.place}" if chunk.place else chunk.document


def _found(question: str, desk: Desk) -> list[tuple[Chunk, str]]:
    if not terms(question):  # `what does the document say`: its beginnings
        firsts = {chunk.document: chunk for chunk in reversed(desk.chunks)}
        return [(chunk, _quoted(chunk, 0, 0)) for chunk in list(firsts.values())[-PASSAGES:][::-1]]
    hits = [hit for hit in rank(question, desk.chunks, desk.embed) if _is_relevant(hit, desk.embed)]
    near = [hit for hit in hits if hit.score >= _CLOSE * hits[0].score][:PASSAGES]
    return [(hit.chunk, _quoted(hit.chunk, hit.first, hit.last)) for hit in near]


def _is_relevant(hit: Hit, embed: Embed | None) -> bool:
    if embed is None:
        return hit.coverage >= _COVERED
    return hit.score >= _RELEVANT or hit.likeness >= _ALIKE


def _quoted(chunk: Chunk, first: int, last: int) -> str:
    """The sentences that fit best with as many neighbours as there is room for, the one behind first."""
    parts = sentences(chunk.text)
    sizes = [len(part.split()) for part in parts]
    while True:
        room = QUOTED - sum(sizes[first : last + 1])
        if last + 1 < len(parts) and sizes[last + 1] <= room:
            last += 1
        elif first > 0 and sizes[first - 1] <= room:
            first -= 1
        else:
            break
    words = " ".join(parts[first : last + 1]).split()
    quoted = re.sub(r'["“”]', "'", " ".join(words[: QUOTED + 25]))
    more = last + 1 < len(parts) or len(words) > QUOTED + 25
    return ("… " if first else "") + quoted + (" …" if more else "")
