"""What stands around the conversation: the documents, the models' health, the bar over the composer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING
from urllib.parse import quote

from chat.ui.icons import button, icon
from chat.ui.language import N_, _, ngettext
from chat.ui.markup import escape, sentence
from tools.domains import open_domain

if TYPE_CHECKING:
    from chat.loading import Health
    from chat.pictures import Shown
    from chat.sessions import Session
    from chat.transcript import Document

WORST = (N_("failed"), N_("missing"), N_("starting"), N_("idle"), N_("ready"))
PARTS = (N_("fast"), N_("slow"), N_("memory"))


def documents(docs: Sequence[Document]) -> str:
    """The conversation's documents as chips over the composer."""
    return "".join(map(_document, docs))


def pictures(session: str, waiting: Sequence[Shown], blind: str) -> str:
    """The pictures that go with the next message; `blind`: why no model will see them."""
    told = f'<li class="blind" role="status">{sentence(blind)}</li>' if blind else ""
    return told + "".join(_picture(session, each) for each in waiting)


def _picture(session: str, shown: Shown) -> str:
    name = escape(shown["name"])
    remove = button("put-away", _("Do not send {name}").format(name=name), "close", document=escape(shown["id"]))
    image = f'<img src="{picture_src(session, shown["id"])}" alt="">'
    return f'<li class="picture">{image}<span dir="auto">{name}</span>{remove}</li>'


def picture_src(session: str, id_: str) -> str:
    """Where a picture of the conversation lies, seen from the page."""
    return f"pictures/{quote(session, safe='')}/{quote(id_, safe='')}"


def _document(document: Document) -> str:
    name, parts = escape(document.name), ngettext("{n} part", "{n} parts", document.chunks)
    remove = button("remove-document", _("Remove {name}").format(name=name), "close", document=escape(document.id))
    return f'<li>{icon("file")}<span dir="auto">{name}</span><small>{parts}</small>{remove}</li>'


def health(parts: Sequence[Health]) -> str:
    """One pill a part, what does not work first; a part that works says with what."""
    return "".join(map(_pill, sorted(parts, key=lambda p: WORST.index(p.state))))


def _pill(health: Health) -> str:
    spec = health.state == "ready" and len(health.text) <= 24 and " " not in health.text
    words = health.text if spec else _(health.state)
    return (
        f'<span class="pill {health.state}" data-part="{escape(health.part)}"><i></i><b>{escape(_(health.part))}</b>'
        f'<span class="state">{escape(words)}</span><span class="why">{sentence(health.text)}</span></span>'
    )


def running(runs: Sequence[tuple[Session, str]]) -> str:
    """What is being answered in any conversation, each with a stop; `runs`: (conversation, state)."""
    if not runs:
        return ""
    words = {"slow": _("slow mind"), "paused": _("paused"), "fast": _("fast mind")}
    items = []
    for session, state in runs:
        title, key = escape(session.title or _("New conversation")), escape(session.id)
        link = f'<a href="?c={quote(session.id, safe="")}" data-session="{key}" dir="auto">{title}</a>'
        stop = button("stop", _("Stop {name}").format(name=title), "stop", session=key)
        items.append(f'<li class="{state}">{link}<small>{words.get(state, state)}</small>{stop}</li>')
    return f"<h3>{_('Running')}</h3><ul>{''.join(items)}</ul>"


def bar(state: str) -> str:
    """What the person can do while something runs."""
    stop = button("stop", _("Stop (Esc)"), "stop", css="text", words=_("Stop"))
    if state == "slow":
        hint = f"<p>{_('<b>Slow mind is working</b> — type to steer, or')}</p>"
        return hint + button("pause", _("Pause"), "pause", css="text", words=_("Pause")) + stop
    if state == "paused":
        hint = f"<p>{_('<b>The slow mind is paused</b> — it goes on where it stopped.')}</p>"
        return hint + button("resume", _("Resume"), "play", css="text", words=_("Resume")) + stop
    if state == "fast":
        return f"<p>{_('The fast mind is answering.')}</p>{stop}"
    return ""


def desk(domain: str) -> str:
    """Whose desk this is, over the conversation, with what it says first; nothing where it is nobody's."""
    if not domain:
        return ""
    about = open_domain(domain).ABOUT
    return (
        f"<b>{escape(about.title)}</b><p>{escape(_(about.sentence))}</p>"
        f'<p class="greeting" dir="auto">{escape(about.greeting)}</p>'
    )
