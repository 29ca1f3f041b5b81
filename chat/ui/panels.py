"""What stands around the conversation: the documents, the models' health, the bar over the composer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING
from urllib.parse import quote

from chat.ui.icons import button, icon
from chat.ui.markup import escape, sentence
from tools.domains import open_domain

if TYPE_CHECKING:
    from chat.loading import Health
    from chat.pictures import Shown
    from chat.sessions import Session
    from chat.transcript import Document

WORST = ("failed", "missing", "starting", "idle", "ready")


def documents(docs: Sequence[Document]) -> str:
    """The conversation's documents as chips over the composer."""
    return "".join(map(_document, docs))


def pictures(session: str, waiting: Sequence[Shown], blind: str) -> str:
    """The pictures that go with the next message; `blind`: why no model will see them."""
    told = f'<li class="blind" role="status">{sentence(blind)}</li>' if blind else ""
    return told + "".join(_picture(session, each) for each in waiting)


def _picture(session: str, shown: Shown) -> str:
    name = escape(shown["name"])
    remove = button("put-away", f"Do not send {name}", "close", document=escape(shown["id"]))
    image = f'<img src="{picture_src(session, shown["id"])}" alt="">'
    return f'<li class="picture">{image}<span dir="auto">{name}</span>{remove}</li>'


def picture_src(session: str, id_: str) -> str:
    """Where a picture of the conversation lies, seen from the page."""
    return f"pictures/{quote(session, safe='')}/{quote(id_, safe='')}"


def _document(document: Document) -> str:
    name, parts = escape(document.name), f"{document.chunks} part{'' if document.chunks == 1 else 's'}"
    remove = button("remove-document", f"Remove {name}", "close", document=escape(document.id))
    return f'<li>{icon("file")}<span dir="auto">{name}</span><small>{parts}</small>{remove}</li>'


def health(parts: Sequence[Health]) -> str:
    """One pill a part, what does not work first; a part that works says with what."""
    return "".join(map(_pill, sorted(parts, key=lambda p: WORST.index(p.state))))


def _pill(health: Health) -> str:
    spec = health.state == "ready" and len(health.text) <= 24 and " " not in health.text
    words = health.text if spec else health.state
    return (
        f'<span class="pill {health.state}" data-part="{escape(health.part)}"><i></i><b>{escape(health.part)}</b>'
        f'<span class="state">{escape(words)}</span><span class="why">{sentence(health.text)}</span></span>'
    )


def running(runs: Sequence[tuple[Session, str]]) -> str:
    """What is being answered in any conversation, each with a stop; `runs`: (conversation, state)."""
    if not runs:
        return ""
    words = {"slow": "slow mind", "paused": "paused", "fast": "fast mind"}
    items = []
    for session, state in runs:
        title, key = escape(session.title or "New conversation"), escape(session.id)
        link = f'<a href="?c={quote(session.id, safe="")}" data-session="{key}" dir="auto">{title}</a>'
        stop = button("stop", f"Stop {title}", "stop", session=key)
        items.append(f'<li class="{state}">{link}<small>{words.get(state, state)}</small>{stop}</li>')
    return f"<h3>Running</h3><ul>{''.join(items)}</ul>"


def bar(state: str) -> str:
    """What the person can do while something runs."""
    stop = button("stop", "Stop (Esc)", "stop", css="text", words="Stop")
    if state == "slow":
        hint = "<p><b>Slow mind is working</b> — type to steer, or</p>"
        return hint + button("pause", "Pause", "pause", css="text", words="Pause") + stop
    if state == "paused":
        hint = "<p><b>The slow mind is paused</b> — it goes on where it stopped.</p>"
        return hint + button("resume", "Resume", "play", css="text", words="Resume") + stop
    if state == "fast":
        return "<p>The fast mind is answering.</p>" + stop
    return ""


def desk(domain: str) -> str:
    """Whose desk this is, over the conversation, with what it says first; nothing where it is nobody's."""
    if not domain:
        return ""
    about = open_domain(domain).ABOUT
    return (
        f'<b>{escape(about.title)}</b><p>{escape(about.sentence)}</p><p class="greeting">{escape(about.greeting)}</p>'
    )
