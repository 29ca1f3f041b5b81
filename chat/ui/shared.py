"""A conversation as one page that can be read and nothing else: as a file, and behind a link (chat/sessions.py).

Everything is in it: it has no script, asks for nothing, and a policy in it forbids both.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import groupby
from pathlib import Path

from chat.sessions import Share, title_of
from chat.tables import picture_ids
from chat.transcript import Transcript
from chat.ui import thread
from chat.ui.bubbles import Bubble, bubbles
from chat.ui.drawing import drawn
from chat.ui.fields import Told, model_name
from chat.ui.language import _
from chat.worlds.view import gains
from minds.dialogue import Event

FIND = {"documents", "search_documents", "recall", "memory"}
"""Tools, and functions of programs, that give what stands in documents and in the memory."""
STATIC = Path(__file__).parent / "static"
POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)


def of_link(transcript: Transcript, share: Share) -> str:
    """What a link shows: these turns up to the event at which it was made, and nothing that came later."""
    _about, events = transcript.everything(share.session)
    shown = [public(event) for event in events if event.turn in share.turns and event.seq <= share.upto]
    # The conversation's own title may be of later, or have been given for its person's eyes.
    title = next((title_of(str(event.data["text"])) for event in shown if event.kind == "turn"), "")
    return page(transcript, share.session, shown, title, steps=share.steps)


def public(event: Event) -> Event:
    """Without the address or the path of a model, and a step without what it found in documents and the memory, by
    itself or in a program, also in one that failed."""
    told, models = Told.of(event), event.data.keys() & {"model", "thinker"}
    data = {**event.data, **{name: model_name(str(event.data[name])) for name in models}}
    hidden = event.kind == "step" and not FIND.isdisjoint({told.action, *re.findall(r"\w+", told.program)})
    return replace(event, data={**data, "observation": ""} if hidden else data)


def page(transcript: Transcript, session: str, events: Sequence[Event], title: str, *, steps: bool) -> str:
    """The page; `steps`: with how the slow mind came to its results."""
    ids = [id_ for event in events for id_ in picture_ids(event.data)]
    data = transcript.picture_data(session, ids)

    def source(_session: str, id_: str) -> str:
        """A picture's bytes as an address; one that is gone has none."""
        return f"data:image/jpeg;base64,{b64encode(data.get(id_, b'')).decode()}"

    ordered, gained = sorted(events, key=lambda event: (event.turn, event.seq)), gains(list(events))
    groups = (list(group) for _turn_number, group in groupby(ordered, key=lambda event: event.turn))
    turns = (_turn(bubbles(group, {}, gained), steps, source) for group in groups)
    name, policy = title or _("Conversation"), POLICY.rpartition("; ")[0]
    return drawn("shared.html", name=name, policy=policy, style=_style(), turns=turns)


def _turn(shown: Sequence[Bubble], steps: bool, source: thread.Source) -> str:
    kept = [bubble for bubble in shown if steps or not (bubble.part == "run" or bubble.parent_id)]
    return re.sub(r"<button\b.*?</button>", "", thread.turn(kept, last=False, source=source), flags=re.DOTALL)


@cache
def _style() -> str:
    """The page's own; what is dark there by a click is dark here where the reader's machine is."""
    style = (STATIC / "page.css").read_text("utf-8")
    [dark] = re.findall(r"^\.dark \{(.*?)^\}", style, flags=re.DOTALL | re.MULTILINE)
    own = (STATIC / "shared.css").read_text("utf-8")
    return f"{style}@media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}{own}"
