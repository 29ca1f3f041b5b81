"""What stands around the conversation, by panels.html: the documents, the models' health, the bar over the composer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING
from urllib.parse import quote

from chat.ui.drawing import macros
from chat.ui.language import N_
from tools.domains import about

if TYPE_CHECKING:
    from chat.loading import Health
    from chat.sessions import Session
    from chat.uploads import Document, Shown

WORST = (N_("failed"), N_("missing"), N_("starting"), N_("idle"), N_("ready"))
MINDS = (N_("fast"), N_("slow"), N_("memory"))


def documents(docs: Sequence[Document]) -> str:
    """The conversation's documents as chips over the composer."""
    return _drawn("documents", docs)


def pictures(session: str, waiting: Sequence[Shown], blind: str) -> str:
    """The pictures that go with the next message; `blind`: why no model will see them."""
    return _drawn("pictures", session, waiting, blind)


def picture_src(session: str, id_: str) -> str:
    """Where a picture of the conversation lies, seen from the page."""
    return f"pictures/{quote(session, safe='')}/{quote(id_, safe='')}"


def health(parts: Sequence[Health]) -> str:
    """One pill a part, what does not work first."""
    return _drawn("health", sorted(parts, key=lambda part: WORST.index(part.state)))


def running(runs: Sequence[tuple[Session, str]]) -> str:
    """What is being answered in any conversation, each with a stop; `runs`: (conversation, state)."""
    return _drawn("running", runs)


def bar(state: str) -> str:
    """What the person can do while something runs."""
    return _drawn("bar", state)


def desk(domain: str) -> str:
    """Over the conversation; nothing where it is nobody's desk."""
    return _drawn("desk", about(domain)) if domain else ""


def _drawn(name: str, *given: object) -> str:
    return str(getattr(macros("panels.html", picture_src=picture_src), name)(*given))
