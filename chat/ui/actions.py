"""What a click or a key asks for. Each answer tells the browser what to do next; a fault is one sentence.

`open`: show this session; `box`: put this into the composer; `said`: a short word; `deleted`: this session is gone;
`fault`: a sentence; `refused`: the text that was not taken; `options`: what is wrong with the options, or nothing;
`output` and `failed`: what a program gave that was run again; `links`, `shares`, `secret`: of links that show it.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from chat.access.person import allowed, asking, own_session, within
from chat.app import Duet
from chat.faults import ChatFault, sentence
from chat.sessions import Session
from chat.settings import Options, check_options
from chat.transcript import SENT
from chat.ui.answers import UNKNOWN, Answer, answered
from chat.ui.follow import Nudges
from chat.ui.language import _, ngettext
from tools.desk import ToolFault

RUN = ("stop", "pause", "resume", "discard")
"""What may be wished of a run."""


@dataclass(frozen=True)
class Request:
    """What the browser sent. `session` is "" while the conversation has not begun."""

    session: str
    data: Mapping[str, Any]
    what: str

    @property
    def turn(self) -> int:
        """Raises ChatFault where none is named."""
        try:
            return int(self.data["turn"])
        except (KeyError, TypeError, ValueError) as fault:
            raise ChatFault(_("This names no message of the conversation: reload the page and try again.")) from fault

    @property
    def text(self) -> str:
        return str(self.data.get("text", ""))

    @property
    def document(self) -> str:
        return str(self.data["document"])

    @property
    def yes(self) -> bool:
        return str(self.data.get("value")) == "1"


def taken(path: Path) -> bytes:
    """An upload's bytes; the file that Gradio received goes. Raises ChatFault."""
    try:
        data = path.read_bytes()
        path.unlink()
    except FileNotFoundError as gone:  # another tab uploaded the same at the same moment
        raise ChatFault(_("{name} did not arrive: upload it again.").format(name=path.name)) from gone
    with suppress(OSError):
        path.parent.rmdir()  # a folder of its own, unless several files came at once
    return data


class Actions:
    """The person's wishes, carried out on the Duet; sessions of other users are unknown here."""

    def __init__(self, duet: Duet, nudges: Nudges) -> None:
        self._duet, self._nudges = duet, nudges
        self._does: dict[str, Callable[[Request], Any]] = {
            "retry": self._retry, "undo": self._undo, "delete": self._delete, "delete-all": self._delete_all,
            "rename": self._rename, "archive": self._archive, "desk": self._desk, "unremembered": self._unremembered,
            "rerun": self._rerun, "shares": self._shares, "share": self._share, "unshare": self._unshare,
            "send": self._send,
            **dict.fromkeys(RUN, lambda asked: duet.runs.act(asked.session, asked.what)),
            "edit": lambda asked: duet.runs.submit(asked.session, asked.text, edits=asked.turn),
            "choose": lambda asked: duet.runs.choose(asked.session, asked.turn),
            "feedback": lambda asked: duet.runs.set_feedback(asked.session, asked.turn, int(asked.data["value"])),
            "pin": lambda asked: duet.transcript.arrange(asked.session, pinned=asked.yes),
            # A folder is there as long as a conversation is in it.
            "folder": lambda asked: duet.transcript.arrange(asked.session, folder=" ".join(asked.text.split())[:60]),
            "remove-document": lambda asked: duet.transcript.remove_document(asked.session, asked.document),
            "put-away": lambda asked: duet.transcript.put_away(asked.session, asked.document),  # it is not sent
        }  # fmt: skip

    async def do(self, name: str, session: str, data: Mapping[str, Any]) -> Answer:
        """Carries out one wish. Never raises: what goes wrong is the answer's `fault`."""
        try:
            if session:
                own_session(self._duet, session)
            elif name not in ("send", "desk", "unremembered", "delete-all"):
                raise ChatFault(_("This conversation has not begun: send a message first."))
            if name not in self._does:
                raise ChatFault(_(UNKNOWN))
            answer = await answered(self._does[name](Request(session, data, name)))
        except Exception as error:
            answer = {"fault": sentence(error), "refused": str(data.get("text", ""))}
        self._nudges.nudge()
        return answer

    async def begun(self, session: str, work: Callable[[str], Awaitable[Any]]) -> Answer:
        """Does the work in the session; begins one where there is none, and takes it back if the work fails."""
        if session:
            own_session(self._duet, session)
            await work(session)
            return {}
        user = asking(self._duet.settings).name
        new = self._duet.transcript.new_session(user, options=self._duet.settings.options)
        try:
            await work(new.id)
        except BaseException:
            await self._duet.runs.delete(new.id)
            raise
        return {"open": new.id}

    # -- turns

    async def _send(self, request: Request) -> Answer:
        """`id`: of what is sent; the first words of a conversation may have begun it though the answer was lost."""
        id_, user = request.data.get("id"), asking(self._duet.settings).name
        sent = id_ if isinstance(id_, str) and re.fullmatch(SENT, id_) else ""
        if sent and not request.session and (there := self._duet.transcript.sent(sent, request.text, user=user)):
            return {"open": there[0]}
        return await self.begun(request.session, partial(self._duet.runs.submit, text=request.text, sent=sent))

    async def _retry(self, request: Request) -> None:
        """`value`: another model that answers this once."""
        if model := str(request.data.get("value") or ""):
            options = self._duet.transcript.options(request.session)
            asked = replace(options, fast_model=model, slow_model=model)
            allowed(self._duet.settings, check_options(asked))
        await self._duet.runs.retry(request.session, request.turn, model)

    async def _undo(self, request: Request) -> Answer:
        return {"box": await self._duet.runs.undo(request.session)}

    # -- runs

    async def _rerun(self, request: Request) -> Answer:
        """A program of the trace as the person changed it; what is wrong with it is its output."""
        try:
            return {"output": await self._duet.rerun(request.session, request.text), "failed": False}
        except ToolFault as fault:
            return {"output": str(fault), "failed": True}

    # -- conversations and documents

    def _rename(self, request: Request) -> None:
        if not request.text.strip():
            raise ChatFault(_("A conversation needs a title: type one and try again."))
        self._duet.transcript.rename(request.session, request.text)

    def _archive(self, request: Request) -> Answer:
        """Out of the list, and kept; a pin would keep it there."""
        self._duet.transcript.arrange(request.session, archived=request.yes, pinned=False)
        return {"said": _("Archived: it stands at the end of the list.") if request.yes else _("Back in the list.")}

    async def _delete(self, request: Request) -> Answer:
        await self._duet.runs.delete(request.session)
        return {"deleted": request.session}

    async def _delete_all(self, request: Request) -> Answer:
        """How many there are; with `value` 1 they go."""
        user = asking(self._duet.settings).name
        if not request.yes:
            return {"count": self._duet.transcript.counted(user)}
        gone = await self._duet.runs.delete_all(user)
        said = ngettext("{n} conversation deleted.", "{n} conversations deleted.", gone)
        return {"deleted": request.session, "said": said}

    def _shares(self, request: Request) -> Answer:
        """The links that show the conversation; `links`: whether there can be any."""
        duet = self._duet
        made = [{"id": one.id, "made": one.made, "steps": one.steps} for one in duet.transcript.links(request.session)]
        return {"links": duet.settings.sharing, "shares": made}

    def _share(self, request: Request) -> Answer:
        if not self._duet.settings.sharing:
            raise ChatFault(_("Links are off in this Duet: start it with DUET_SHARING=1 to make some."))
        return {"secret": self._duet.transcript.share(request.session, steps=request.yes)}

    def _unshare(self, request: Request) -> Answer:
        self._duet.transcript.take_back(request.session, request.document)
        return {"said": _("The link shows nothing any more.")}

    async def add_files(self, session: str, paths: list[str]) -> Answer:
        """`paths`: files that Gradio has received. The good ones are kept even where another is refused."""
        answer: Answer = {}
        for path in map(Path, dict.fromkeys(paths)):
            try:
                add = partial(self._duet.runs.add_file, name=path.name, data=taken(path))
                answer |= await self.begun(str(answer.get("open", session)), add)
            except Exception as error:
                answer["fault"] = sentence(error)
        self._nudges.nudge()
        return answer

    async def import_conversation(self, path: str) -> Answer:
        """What was exported as JSON, as new conversations of this user."""
        try:
            user = asking(self._duet.settings).name
            data = taken(Path(path))
            if quota := self._duet.runs.quota:
                quota.upload(user, len(data))
            brought, odd = await asyncio.to_thread(self._take_in, user, data)
        except Exception as error:
            return {"fault": sentence(error)}
        self._nudges.nudge()
        said = ngettext("{n} conversation imported.", "{n} conversations imported.", len(brought))
        if odd:
            left = ngettext("{n} in the file cannot be read.", "{n} in the file cannot be read.", odd)
            said = f"{said} {left}"
        return {"open": max(brought, key=lambda each: each.updated).id, "said": said}

    def _take_in(self, user: str, data: bytes) -> tuple[list[Session], int]:
        """Blocking, and long where there are many."""
        from chat.imports import take_in

        settings = self._duet.settings
        return take_in(self._duet.transcript, user, data, settings.options, partial(within, settings))

    # -- options

    async def _desk(self, request: Request) -> Answer:
        """Whose desk the conversation is from now on; one is begun where there is none."""
        options = replace(self.options(request.session), domain=str(request.data.get("value") or ""))
        return {**await self.set_options(request.session, options), "said": ""}

    def _unremembered(self, request: Request) -> Answer:
        """A new conversation of which nothing is kept, and in which nothing is recalled."""
        options = replace(self._duet.settings.options, memory=False, temporary=True)
        title, user = _("Temporary conversation"), asking(self._duet.settings).name
        return {"open": self._duet.transcript.new_session(user, title, options).id}

    def options(self, session: str) -> Options:
        """The session's options; the settings' where there is no such session."""
        try:
            return self._duet.transcript.options(own_session(self._duet, session).id)
        except ChatFault:
            return self._duet.settings.options

    async def set_options(self, session: str, options: Options) -> Answer:
        """Checked before they are stored. A temporary conversation with a memory is no longer one: it is kept."""
        options = replace(options, temporary=options.temporary and not options.memory)
        store = self._duet.transcript.set_options
        try:
            allowed(self._duet.settings, check_options(options), self.options(session))
            answer = await self.begun(session, lambda begun: asyncio.to_thread(store, begun, options))
            self._nudges.nudge()
            return {**answer, "said": _("Saved for this conversation."), "options": ""}
        except Exception as error:
            return {"options": sentence(error)}
